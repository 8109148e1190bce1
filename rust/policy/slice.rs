// SPDX-License-Identifier: GPL-2.0

//! The slice of the active queue: its length, its clock, its end.
//!
//! Source: CFQ 6.6 to 6.8, 10, 14.6. Only the active queue has a slice, so there is one.

use super::id::{
    ProcessId,
    NIL, //
};
use super::memory::Memory;
use super::scheduler::{
    Refusal,
    Scheduler, //
};
use super::stats::Stats;
use super::time::{
    Span,
    Time, //
};
use super::tunables::Tunables;
use super::weight::scale;

/// Charge for a slice in which nothing completed (CFQ 2.3: one tick; ours: of 250 Hz).
const MIN_CHARGE: Span = Span::from_ms(4);

/// The present slice.
#[derive(Debug)]
pub(super) struct Slice {
    /// When the queue was made active.
    began: Time,
    /// When its clock started: at the first completion.
    start: Time,
    end: Time,
    allocated: Span,
    /// Requests dispatched in this slice.
    pub(super) dispatched: u32,
    /// What they cost: large ones count as several, see `give`.
    pub(super) spent: u32,
    /// Nothing has completed yet, so the clock stands.
    pub(super) is_new: bool,
    /// The next request goes out whatever the rules say (CFQ 8.2).
    pub(super) must_dispatch: bool,
    /// The fifo was looked at.
    pub(super) fifo_checked: bool,
    /// Requests to come for somebody who has waited too long, whatever the rules say; 0 for a
    /// slice of the usual kind.
    pub(super) favour: u32,
    /// It does not end for a sync request: an async queue whose requests are late.
    pub(super) insists: bool,
    /// It interrupted the round for a write that somebody waits for, see `yielding`.
    pub(super) interrupts: bool,
    /// When it is over even if its clock stands: a slice that was passed on ends no later.
    pub(super) bound: Time,
}

impl Slice {
    /// Returns the slice of nobody.
    pub(super) const fn new() -> Self {
        Slice::begin(Time::ZERO)
    }

    /// Starts a slice whose clock stands.
    pub(super) const fn begin(now: Time) -> Self {
        Slice {
            began: now,
            start: Time::ZERO,
            end: Time::ZERO,
            allocated: Span::ZERO,
            dispatched: 0,
            spent: 0,
            is_new: true,
            must_dispatch: false,
            fifo_checked: false,
            favour: 0,
            insists: false,
            interrupts: false,
            bound: Time::NEVER,
        }
    }

    /// Returns how long ago the queue was made active.
    #[inline]
    pub(super) fn lasts(&self, now: Time) -> Span {
        now.saturating_since(self.began)
    }

    /// Returns whether the time is used up.
    #[inline]
    pub(super) fn is_used(&self, now: Time) -> bool {
        now >= self.bound || (!self.is_new && now >= self.end)
    }

    /// Returns the time left, zero while the clock stands.
    #[inline]
    pub(super) fn left(&self, now: Time) -> Span {
        self.end.saturating_since(now)
    }

    /// Returns whether the clock ran at `time`: the way to the queue's area was over.
    pub(super) fn ran_at(&self, time: Time) -> bool {
        !self.is_new && time >= self.start
    }

    /// Returns whether the queue is active because it is its turn.
    pub(super) fn is_plain(&self) -> bool {
        self.favour == 0 && !self.interrupts
    }

    /// Returns when the slice ends, once its clock runs.
    #[inline]
    pub(super) fn end(&self) -> Time {
        if self.is_new {
            self.bound
        } else {
            self.end.min(self.bound)
        }
    }

    /// Returns whether less than half of the time was used (CFQ 6.2, step 8).
    pub(super) fn is_young(&self, now: Time) -> bool {
        self.is_new || self.left(now) > now.saturating_since(self.start)
    }

    /// Returns whether the slice is over, or will be if each of `dispatched` requests costs `each`
    /// (CFQ 8.2, "used soon").
    pub(super) fn is_used_soon(&self, now: Time, each: Span, dispatched: u32) -> bool {
        let cost = each.saturating_mul(u64::from(dispatched));
        self.is_new || now.saturating_add(cost) > self.end
    }

    /// Starts the clock.
    fn run(&mut self, now: Time, length: Span) {
        self.is_new = false;
        self.start = now;
        self.allocated = length;
        self.end = now.saturating_add(length);
    }

    /// Returns the time to charge (14.6).
    fn used(&self, now: Time) -> Span {
        if self.is_new || self.start == now {
            self.lasts(now).max(MIN_CHARGE)
        } else {
            now.saturating_since(self.start).min(self.allocated)
        }
    }
}

/// Shortens a nominal slice so that a round of `busy` queues keeps the target latency (6.7).
fn in_round(tunables: &Tunables, slice: Span, busy: u32) -> Span {
    let round = tunables.target_latency;
    let expected = tunables.slice_sync.saturating_mul(u64::from(busy));
    if expected <= round {
        return slice;
    }
    let twice_idle = tunables.slice_idle.saturating_mul(2);
    let low = scale(twice_idle, slice.as_ns(), tunables.slice_sync.as_ns()).min(slice);
    scale(slice, round.as_ns(), expected.as_ns()).max(low)
}

impl<R, M: Memory<R>> Scheduler<R, M> {
    /// Makes `queue` the active one, with a new slice (6.6).
    #[inline]
    pub(super) fn activate(&mut self, now: Time, queue: u32) {
        if self.queues.at(queue).is_none() {
            return;
        }
        self.active = queue;
        self.reposition(queue);
        self.active_process = ProcessId::NONE;
        self.slice = Slice::begin(now);
        Stats::bump(&mut self.stats.slices);
    }

    /// Returns the length of the active queue's slice (6.7); each call is a sample of the load.
    fn slice_length(&mut self) -> Span {
        let Some(queue) = self.queues.at(self.active) else {
            return Span::ZERO;
        };
        let slice = self.shares.of(queue.sync, queue.ioprio.level).slice;
        if !self.tunables.low_latency {
            return slice;
        }
        let busy = self.group.sample_average(queue.class());
        in_round(&self.tunables, slice, busy)
    }

    /// Returns when the slice is over at the latest, if its clock started now.
    pub(super) fn slice_bound(&self, now: Time) -> Time {
        match self.queues.at(self.active) {
            Some(queue) if self.slice.is_new => {
                let share = self.shares.of(queue.sync, queue.ioprio.level);
                now.saturating_add(share.slice).min(self.slice.bound)
            }
            _ => self.slice.end(),
        }
    }

    /// Starts the clock of the slice, at the first completion in it.
    pub(super) fn start_clock(&mut self, now: Time) {
        if self.slice.is_new {
            let length = self.slice_length();
            self.slice.run(now, length);
        }
    }

    /// Ends the slice of the active queue, if there is one (10).
    ///
    /// If it `timed_out`, time left or overdrawn counts for its next turn. Ends any refusal.
    pub(super) fn expire(&mut self, now: Time, timed_out: bool) {
        let index = self.active;
        if index == NIL {
            return;
        }
        if self.idle_until != Time::NEVER {
            self.idle_until = Time::NEVER;
            Stats::bump(&mut self.stats.idle_cut);
        }
        if timed_out {
            Stats::bump(&mut self.stats.slices_timed_out);
        }
        if self.tunables.is_flash() {
            let requests = u64::from(self.slice.dispatched);
            self.group.charge(requests);
        } else {
            self.account(now, timed_out);
            self.note_parting(index);
        }
        self.active = NIL;
        self.active_process = ProcessId::NONE;
        self.refusal = Refusal::None;
        let Some(queue) = self.queues.at(index) else {
            return;
        };
        if queue.is_busy() {
            if queue.is_empty() {
                self.make_unbusy(index);
                self.release_queue(index);
            } else {
                self.resort(now, index);
                self.reposition(index);
            }
        }
    }

    /// Stores the residual and charges the group.
    fn account(&mut self, now: Time, timed_out: bool) {
        self.pay(now);
        if timed_out {
            let resid = if self.slice.is_new {
                self.slice_length().as_signed()
            } else {
                self.slice.end.signed_since(now)
            };
            if let Some(queue) = self.queues.at_mut(self.active) {
                queue.resid = resid;
            }
        }
        let used = self.slice.used(now).as_ns();
        self.group.charge(used);
    }
}

#[cfg_attr(CONFIG_RCFQ_KUNIT_TEST, kernel::macros::kunit_tests(rcfq_policy_slice))]
#[cfg(any(test, CONFIG_RCFQ_KUNIT_TEST))]
mod tests {
    use super::*;
    use crate::policy::testing::*;

    const MS: u64 = 1_000_000;

    #[test]
    fn the_clock_stands_until_the_first_completion() {
        let mut slice = Slice::begin(Time::from_ns(MS));
        assert!(!slice.is_used(Time::from_ns(900 * MS)));
        assert!(slice.is_used_soon(Time::from_ns(2 * MS), Span::ZERO, 1));
        assert_eq!(slice.end(), Time::NEVER);
        slice.run(Time::from_ns(10 * MS), Span::from_ms(100));
        assert!(!slice.is_used(Time::from_ns(109 * MS)));
        assert!(slice.is_used(Time::from_ns(110 * MS)));
        assert_eq!(slice.left(Time::from_ns(90 * MS)), Span::from_ms(20));
        assert!(!slice.is_used_soon(Time::from_ns(94 * MS), Span::from_ms(8), 2));
        assert!(slice.is_used_soon(Time::from_ns(95 * MS), Span::from_ms(8), 2));
    }

    #[test]
    fn a_slice_is_young_up_to_its_half() {
        let mut slice = Slice::begin(Time::ZERO);
        assert!(slice.is_young(Time::from_ns(900 * MS)));
        slice.run(Time::from_ns(10 * MS), Span::from_ms(100));
        assert!(slice.is_young(Time::from_ns(59 * MS)));
        assert!(!slice.is_young(Time::from_ns(60 * MS)));
        assert!(!slice.is_young(Time::from_ns(61 * MS)));
    }

    #[test]
    fn the_charge_is_the_time_used_within_bounds() {
        let mut slice = Slice::begin(Time::from_ns(MS));
        assert_eq!(slice.used(Time::from_ns(2 * MS)), MIN_CHARGE);
        assert_eq!(slice.used(Time::from_ns(21 * MS)), Span::from_ms(20));
        slice.run(Time::from_ns(21 * MS), Span::from_ms(100));
        assert_eq!(slice.used(Time::from_ns(31 * MS)), Span::from_ms(10));
        assert_eq!(slice.used(Time::from_ns(900 * MS)), Span::from_ms(100));
    }

    #[test]
    fn only_low_latency_shortens_slices() {
        for (low_latency, length) in [(true, 75), (false, 100)] {
            scheduler!(sched, SPINNING);
            let mut tunables = sched.tunables().clone();
            tunables.low_latency = low_latency;
            let _ = sched.set_tunables(Time::ZERO, tunables);
            for rq in 1..5u8 {
                // The fourth one finds no record.
                let process = sched.process(Time::ZERO, ProcessId::NONE);
                add(&mut sched, Time::ZERO, read(process, 0), rq);
            }
            assert_eq!(dispatch(&mut sched, Time::ZERO).0, 1);
            // The second sample of four queues.
            let _ = sched.slice_length();
            assert_eq!(sched.slice_length(), Span::from_ms(length));
        }
    }

    #[test]
    fn slices_shrink_with_the_number_of_busy_queues() {
        let tunables = Tunables::for_disk(SPINNING);
        let us = |slice, busy| in_round(&tunables, Span::from_ms(slice), busy).as_ns() / 1_000;
        for (busy, slices) in [
            (3, [180_000, 100_000, 40_000]),
            (4, [135_000, 75_000, 30_000]),
            (8, [67_500, 37_500, 15_000]),
            (20, [28_800, 16_000, 6_400]),
        ] {
            assert_eq!([us(180, busy), us(100, busy), us(40, busy)], slices);
        }
        // Async queues of the middle level.
        assert_eq!(
            [3, 4, 8, 20].map(|busy| us(40, busy)),
            [40_000, 30_000, 15_000, 6_400]
        );
    }
}
