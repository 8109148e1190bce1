// SPDX-License-Identifier: GPL-2.0

//! What is behind the lock, and what has to happen at the end of every event.

use super::{
    convert,
    memory::{
        self,
        Slots, //
    },
    Rcfq, //
};
use crate::elevator::{
    Elevator,
    Guard,
    Queued,
    RequestFifo,
    RequestQueue, //
};
use crate::policy::{
    Decision,
    Disk,
    Kick,
    Owner,
    Scheduler,
    Time,
    Tunables, //
};
use kernel::{
    prelude::*,
    sync::atomic::{
        Atomic,
        Relaxed, //
    },
};

/// What is read without the lock: how things stood at the end of the last event.
///
/// Relaxed is enough: the block layer runs the queue after each insertion and each kick, and that
/// orders the store before the load of the run that has to see it.
pub(crate) struct Shared(Atomic<u32>);

impl Shared {
    /// Dispatch would yield a request.
    const HAS_WORK: u32 = 1 << 0;
    /// Requests are queued that a bio may be merged with.
    const HOLDS_REQUESTS: u32 = 1 << 1;

    pub(super) fn new() -> Self {
        Self(Atomic::new(0))
    }

    /// Returns whether dispatch would yield a request. Any context, no lock.
    #[inline]
    pub(super) fn has_work(&self) -> bool {
        self.0.load(Relaxed) & Self::HAS_WORK != 0
    }

    /// Returns whether requests are in order, where a bio may find one. Any context, no lock; a
    /// request that is being inserted at the moment may be missed.
    #[inline]
    pub(super) fn holds_requests(&self) -> bool {
        self.0.load(Relaxed) & Self::HOLDS_REQUESTS != 0
    }

    /// Writes only what has changed, to leave the cache line to its readers.
    #[inline]
    fn publish(&self, state: &State) {
        let mut now = 0;
        if state.policy.has_work() || !state.first.is_empty() {
            now |= Self::HAS_WORK;
        }
        if !state.policy.is_empty() {
            now |= Self::HOLDS_REQUESTS;
        }
        if self.0.load(Relaxed) != now {
            self.0.store(now, Relaxed);
        }
    }
}

/// What the lock protects.
pub(crate) struct State {
    pub(super) policy: Scheduler<Queued, Slots>,
    /// Requests that the policy does not hold, in the order of their arrival, and sent before all
    /// others: those that have [passed](Scheduler::pass), and those without a slot, which come up
    /// only after `depth_updated` could not get memory.
    pub(super) first: RequestFifo,
    pub(super) overflow_count: u64,
    /// Whose bio is being merged, while the lock is held for that.
    pub(super) merging: Option<Owner>,
    /// When the timer goes off; [`Time::NEVER`] if it is not armed.
    armed: Time,
    /// The number of request slots.
    pub(super) capacity: u32,
}

impl State {
    /// Makes the state for `queue`. May sleep.
    ///
    /// # Errors
    ///
    /// `ENOMEM`.
    pub(super) fn new(queue: &RequestQueue) -> Result<Self> {
        let tags = queue.default_scheduler_tags();
        let disk = Disk {
            rotational: queue.is_rotational(),
            depth: queue.hardware_depth(),
        };
        Ok(Self {
            policy: Scheduler::new(
                convert::now(),
                memory::device(tags)?,
                disk,
                Tunables::for_disk(disk),
            ),
            first: RequestFifo::new(),
            overflow_count: 0,
            merging: None,
            armed: Time::NEVER,
            capacity: tags,
        })
    }

    /// Returns whether no request is queued.
    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.policy.is_empty() && self.first.is_empty()
    }

    /// Returns the next request for the driver.
    #[inline]
    pub(super) fn next(&mut self) -> Option<Queued> {
        if let Some(rq) = self.first.pop_front() {
            return Some(rq);
        }
        match self.policy.dispatch(convert::now()) {
            Decision::Dispatch { rq, .. } => Some(rq),
            Decision::Idle { .. } | Decision::Nothing => None,
        }
    }

    /// Keeps a request that the policy has no slot for, and that has no name.
    #[cold]
    pub(super) fn overflow(&mut self, rq: Queued) {
        self.overflow_count = self.overflow_count.wrapping_add(1);
        self.first.push_back(rq);
    }

    /// Notes that the timer has gone off, and ends the wait if that is due.
    pub(super) fn timer_expired(&mut self) -> Kick {
        self.armed = Time::NEVER;
        self.policy.timer(convert::now())
    }
}

/// Makes the outcome of an event visible outside of the lock: whether there is work, and when to
/// wake up. To be called with the lock held, at the end of every event.
///
/// The timer is only ever moved to an earlier time. When a wait ends or is put off, the timer is
/// left running and finds at its expiry that it has to be set anew: one needless interrupt in
/// `slice_idle` is cheaper than two programmings of the timer for every request.
#[inline]
pub(super) fn publish(guard: &mut Guard<'_, Rcfq>) {
    let elv = guard.elevator();
    elv.data().publish(guard);
    if let Some(at) = guard.policy.poll_at() {
        if at < guard.armed {
            guard.armed = at;
            elv.arm_timer(at.as_ns());
        }
    }
}

/// Ends an event in a context in which the queues may be run: publishes its outcome, releases the
/// lock and passes the kick on.
#[inline]
pub(super) fn conclude(mut guard: Guard<'_, Rcfq>, kick: Kick) {
    publish(&mut guard);
    let elv: &Elevator<Rcfq> = guard.elevator();
    let queue = elv.queue();
    drop(guard);
    if kick == Kick::Run {
        queue.run_hw_queues(true);
    }
}
