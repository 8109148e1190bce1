// SPDX-License-Identifier: GPL-2.0

//! What the unit tests of several rooms share. Small, for it lives on a kernel stack.
//!
//! Source: ours.

use super::id::ProcessId;
use super::ioprio::{
    Class,
    Ioprio,
    Level, //
};
use super::memory::Memory;
use super::request::{
    Arrival,
    Disk,
    Owner,
    Payload,
    Sector, //
};
use super::scheduler::{
    Decision,
    Kick,
    Scheduler, //
};
use super::time::Time;
use super::RqId;

/// A disk that seeks.
pub(super) const SPINNING: Disk = Disk {
    rotational: true,
    depth: 32,
};

/// A disk that does not.
pub(super) const FLASH: Disk = flash(8);

/// Returns one that says that it takes so many requests at once.
pub(super) const fn flash(depth: u32) -> Disk {
    Disk {
        rotational: false,
        depth,
    }
}

/// Makes a scheduler in memory on the stack: 6 requests, 3 processes, 5 queues.
macro_rules! scheduler {
    ($name:ident, $disk:expr) => {
        let mut requests = [const { $crate::policy::Slot::new() }; 6];
        let mut processes = [const { $crate::policy::Slot::new() }; 3];
        let mut queues = [const { $crate::policy::Slot::new() }; 5];
        let mut $name = $crate::policy::Scheduler::<u8, _>::new(
            $crate::policy::Time::ZERO,
            (&mut requests[..], &mut processes[..], &mut queues[..]),
            $disk,
            $crate::policy::Tunables::for_disk($disk),
        );
    };
}

pub(super) use scheduler;

/// Returns so many milliseconds after the start.
pub(super) const fn ms(ms: u64) -> Time {
    Time::from_ns(ms.saturating_mul(1_000_000))
}

/// Returns a priority.
pub(super) const fn ioprio(class: Class, level: u8) -> Ioprio {
    Ioprio {
        class,
        level: Level::new(level),
    }
}

/// Returns a small read of a process.
pub(super) const fn read(process: ProcessId, position: u64) -> Arrival {
    Arrival {
        owner: Owner {
            process,
            sync: true,
            ioprio: Ioprio::NORM,
        },
        position: Sector::new(position),
        sectors: 8,
        write: false,
        payload: Payload::Data,
        idle_hint: false,
        prio: false,
        born: Time::ZERO,
    }
}

/// Returns a small write that nobody waits for.
pub(super) const fn write(position: u64) -> Arrival {
    let mut arrival = read(ProcessId::NONE, position);
    arrival.owner.sync = false;
    arrival.write = true;
    arrival
}

/// Returns the same arrival in another class.
pub(super) const fn in_class(mut arrival: Arrival, class: Class) -> Arrival {
    arrival.owner.ioprio = ioprio(class, 4);
    arrival
}

/// Inserts a request; no name and no kick if that was refused.
pub(super) fn insert<M: Memory<u8>>(
    sched: &mut Scheduler<u8, M>,
    now: Time,
    arrival: Arrival,
    rq: u8,
) -> (RqId, Kick) {
    sched
        .insert(now, arrival, rq)
        .unwrap_or((RqId::NONE, Kick::None))
}

/// Inserts a request where the kick does not matter, and returns its name.
pub(super) fn add<M: Memory<u8>>(
    sched: &mut Scheduler<u8, M>,
    now: Time,
    arrival: Arrival,
    rq: u8,
) -> RqId {
    insert(sched, now, arrival, rq).0
}

/// Dispatches: the number of the request (0 for none) and its name.
pub(super) fn dispatch<M: Memory<u8>>(sched: &mut Scheduler<u8, M>, now: Time) -> (u8, RqId) {
    match sched.dispatch(now) {
        Decision::Dispatch { rq, id } => (rq, id),
        Decision::Idle { .. } | Decision::Nothing => (0, RqId::NONE),
    }
}
