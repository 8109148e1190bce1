// SPDX-License-Identifier: GPL-2.0

//! From the block layer's words to the policy's, the only place where both are spoken.

use crate::elevator::{
    self,
    Bio,
    IoprioClass,
    Op,
    Opf,
    Request, //
};
use crate::policy::{
    Arrival,
    Class,
    Ioprio,
    Level,
    Owner,
    Payload,
    ProcessId,
    RqId,
    Sector,
    Time, //
};

/// Returns the present time of the clock that the block layer stamps requests with.
#[inline]
pub(super) fn now() -> Time {
    Time::from_ns(elevator::now())
}

/// Resolves a priority.
///
/// The block layer has put in what follows from the nice value already; a request without any (it
/// has no bio, or a kernel thread submitted it past that code) is of the middle.
#[inline]
pub(super) fn ioprio(raw: elevator::Ioprio) -> Ioprio {
    let class = match raw.class {
        IoprioClass::RealTime => Class::RealTime,
        IoprioClass::BestEffort => Class::BestEffort,
        IoprioClass::Idle => Class::Idle,
        IoprioClass::None => return Ioprio::NORM,
    };
    Ioprio {
        class,
        level: Level::new(raw.level),
    }
}

#[inline]
fn owner(process: ProcessId, opf: Opf, raw: elevator::Ioprio) -> Owner {
    Owner {
        process,
        sync: opf.is_sync(),
        ioprio: ioprio(raw),
    }
}

/// Returns who `bio`, submitted by `process`, belongs to.
#[inline]
pub(super) fn bio_owner(process: ProcessId, bio: &Bio) -> Owner {
    owner(process, bio.opf(), bio.ioprio())
}

/// Returns when a request was made.
#[inline]
pub(super) fn born(rq: &Request) -> Time {
    match rq.start_time_ns() {
        // The block layer leaves the time out when no accounting is on (`queue/iostats`).
        0 => now(),
        born => Time::from_ns(born),
    }
}

/// Describes a request of `process`.
#[inline]
pub(super) fn arrival(process: ProcessId, rq: &Request) -> Arrival {
    let opf = rq.opf();
    Arrival {
        owner: owner(process, opf, rq.ioprio()),
        position: Sector::new(rq.position()),
        sectors: rq.sectors(),
        write: opf.is_write(),
        payload: match opf.op() {
            Op::Discard | Op::SecureErase => Payload::Nothing,
            Op::WriteZeroes => Payload::Zeroes,
            _ => Payload::Data,
        },
        // Journals say "more will come" of what a chain of others waits for.
        idle_hint: opf.is_idle_hint() && !opf.is_meta(),
        prio: opf.is_prio(),
        born: born(rq),
    }
}

/// Returns the policy's name of a request; [`RqId::NONE`] if the policy does not know it.
#[inline]
pub(super) fn id_of(rq: &Request) -> RqId {
    // CAST: The module needs 64 bits (`Kconfig`), so a word holds all of it.
    RqId::from_raw(rq.private::<0>() as u64)
}

/// Notes the policy's name of a request in the request.
#[inline]
pub(super) fn set_id(rq: &Request, id: RqId) {
    // CAST: As in `id_of`.
    rq.set_private::<0>(id.to_raw() as usize);
}
