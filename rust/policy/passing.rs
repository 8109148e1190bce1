// SPDX-License-Identifier: GPL-2.0

//! Requests that need no order: on flash, while nothing is queued.
//!
//! A request that would be the next one whatever its queue, class or deadline is not put into any
//! order, to be taken out again at once. It is only counted, as being with the driver. What the
//! policy cannot get wrong then costs nothing. Source: ours; `none` does as much.

use super::id::{
    RqId,
    NIL, //
};
use super::ioprio::Ioprio;
use super::memory::Memory;
use super::precedence::Rank;
use super::scheduler::{
    Kick,
    Scheduler, //
};
use super::stats::Stats;
use super::time::Time;

impl<R, M: Memory<R>> Scheduler<R, M> {
    /// Lets a sync request that arrives at `now` through, if it would be the next one anyway.
    ///
    /// The request then counts as being with the driver, and the caller has to hand it over before
    /// it dispatches any other. All such requests share the name that comes back; it is for
    /// [`complete`](Self::complete), [`requeue`](Self::requeue) and [`cancel`](Self::cancel).
    /// [`None`]: insert it. Async requests never pass: they are held below a share of the device.
    /// Nor do those with a priority of their own, or with betters about: priority is kept by queue.
    ///
    /// Not more than the driver has been seen to take at once: what it does not take would wait
    /// before all others, whatever their class.
    #[inline]
    pub fn pass(&mut self, now: Time, ioprio: Ioprio) -> Option<RqId> {
        let room = self.device.passable.min(self.disk.depth);
        if !self.tunables.is_flash() || !self.is_empty() || self.device.flying() >= room {
            return None;
        }
        let rank = Rank::of(ioprio);
        if rank != Rank::NORM || self.precedence.best(now).is_some_and(|best| best < rank) {
            return None;
        }
        self.precedence.arrived(now, rank, NIL);
        self.precedence.sent(rank, true);
        let device = &mut self.device;
        device.passed = device.passed.saturating_add(1);
        device.flying_sync = device.flying_sync.saturating_add(1);
        device.last_sync = device.last_sync.max(now);
        Stats::bump(&mut self.stats.passed);
        Stats::bump(&mut self.stats.inserted);
        Stats::bump(&mut self.stats.dispatched);
        Some(RqId::PASSED)
    }

    /// Notes that `held` requests which have passed were not taken by the driver yet.
    ///
    /// Perhaps they are just on their way there: so it only means that fewer may pass for now, not
    /// that the device takes less.
    pub fn held_up(&mut self, held: u32) {
        let device = &mut self.device;
        let taken = device.flying().saturating_sub(held).max(1);
        device.passable = device.passable.min(taken);
    }

    /// Returns whether it is best to dispatch at once, without a pause in which more may come in,
    /// to be sorted and merged. `sync` and `write` tell what has just been inserted.
    ///
    /// It has to be all that is going to be dispatched: the only request, for which flash has room
    /// or a disk that seeks has nothing else to do, or puts it into a cache; or the one that such a
    /// disk was waiting for.
    /// Source: ours.
    #[inline]
    pub fn is_eager(&self, sync: bool, write: bool) -> bool {
        let flying = self.device.flying();
        if !self.has_work() {
            return false;
        }
        let lone = self.queued() == 1 && flying < self.disk.depth;
        if self.tunables.is_flash() {
            return lone;
        }
        if sync && write && lone && self.measure.absorbs_writes() {
            return true;
        }
        // The queue that owns the disk, which is going to be waited for again.
        let awaited = self
            .queues
            .at(self.active)
            .is_some_and(|queue| queue.idle_window && queue.queued() == 1);
        sync && flying == 0 && (self.queued() == 1 || awaited)
    }

    /// A request that had passed has left the driver.
    #[inline]
    pub(super) fn passed_left(&mut self) -> Kick {
        if self.device.passed == 0 {
            return Kick::None;
        }
        let was = self.refusal;
        let device = &mut self.device;
        device.passed = device.passed.saturating_sub(1);
        device.flying_sync = device.flying_sync.saturating_sub(1);
        self.precedence.landed(Rank::NORM, true);
        self.lift();
        self.settle(was)
    }
}

#[cfg_attr(
    CONFIG_RCFQ_KUNIT_TEST,
    kernel::macros::kunit_tests(rcfq_policy_passing)
)]
#[cfg(any(test, CONFIG_RCFQ_KUNIT_TEST))]
mod tests {

    use crate::policy::id::{
        ProcessId,
        RqId, //
    };
    use crate::policy::ioprio::Ioprio;
    use crate::policy::memory::Memory;
    use crate::policy::scheduler::{
        Kick,
        Scheduler, //
    };
    use crate::policy::testing::*;
    use crate::policy::time::Span;

    /// Lets the policy see the driver take `count` requests at once.
    fn filled<M: Memory<u8>>(sched: &mut Scheduler<u8, M>, count: u8) {
        let one = sched.process(ms(0), ProcessId::NONE);
        for rq in 0..count {
            add(sched, ms(0), read(one, u64::from(rq) * 8), rq + 1);
        }
        for _ in 0..count {
            assert!(dispatch(sched, ms(0)).0 > 0);
        }
        for rq in 0..u32::from(count) {
            if let Some(handle) = sched.requests.handle(rq) {
                let _ = sched.complete(ms(0), RqId::new(handle));
            }
        }
        assert_eq!(sched.in_driver(), 0);
    }

    #[test]
    fn only_flash_with_nothing_queued_lets_requests_pass() {
        scheduler!(sched, SPINNING);
        assert_eq!(sched.pass(ms(0), Ioprio::NORM), None);
        scheduler!(sched, FLASH);
        filled(&mut sched, 4);
        let one = sched.process(ms(0), ProcessId::NONE);
        assert_eq!(sched.pass(ms(0), Ioprio::NORM), Some(RqId::PASSED));
        let (id, _) = insert(&mut sched, ms(0), read(one, 0), 1);
        assert_eq!(sched.pass(ms(0), Ioprio::NORM), None);
        assert_eq!(dispatch(&mut sched, ms(0)).0, 1);
        assert_eq!(sched.pass(ms(0), Ioprio::NORM), Some(RqId::PASSED));
        assert_eq!(sched.in_driver(), 3);
        assert_eq!(sched.check(), Ok(()));
        let _ = sched.complete(ms(1), id);
        assert_eq!(sched.complete(ms(1), RqId::PASSED), Kick::None);
        assert_eq!(sched.complete(ms(1), RqId::PASSED), Kick::None);
        assert_eq!(sched.in_driver(), 0);
        assert_eq!(sched.check(), Ok(()));
    }

    #[test]
    fn no_more_pass_than_the_driver_was_seen_to_take() {
        scheduler!(sched, FLASH);
        assert!(sched.pass(ms(0), Ioprio::NORM).is_some());
        assert_eq!(sched.pass(ms(0), Ioprio::NORM), None);
        let _ = sched.complete(ms(0), RqId::PASSED);
        filled(&mut sched, 3);
        for _ in 0..3 {
            assert!(sched.pass(ms(1), Ioprio::NORM).is_some());
        }
        assert_eq!(sched.pass(ms(1), Ioprio::NORM), None);
        // One was taken, two were not: the next one has to queue until one has gone.
        sched.held_up(2);
        let _ = sched.complete(ms(2), RqId::PASSED);
        let _ = sched.complete(ms(2), RqId::PASSED);
        assert_eq!(sched.pass(ms(2), Ioprio::NORM), None);
        let _ = sched.complete(ms(2), RqId::PASSED);
        assert!(sched.pass(ms(2), Ioprio::NORM).is_some());
    }

    #[test]
    fn what_is_on_its_way_says_nothing_of_what_the_device_takes() {
        scheduler!(sched, flash(4_000));
        (sched.device.taken, sched.device.passable) = (64, 64);
        assert!(sched.pass(ms(0), Ioprio::NORM).is_some());
        sched.held_up(1);
        assert_eq!(sched.room(), 64);
        assert_eq!(sched.pass(ms(0), Ioprio::NORM), None);
    }

    #[test]
    fn a_full_device_is_left_to_the_order() {
        scheduler!(sched, FLASH);
        sched.device.passable = 100;
        for _ in 0..FLASH.depth {
            assert!(sched.pass(ms(0), Ioprio::NORM).is_some());
        }
        assert_eq!(sched.pass(ms(0), Ioprio::NORM), None);
        assert_eq!(sched.complete(ms(1), RqId::PASSED), Kick::None);
        assert!(sched.pass(ms(1), Ioprio::NORM).is_some());
        add(&mut sched, ms(1), read(ProcessId::NONE, 0), 1);
        assert!(!sched.is_eager(true, false));
        let _ = sched.complete(ms(1), RqId::PASSED);
        assert!(sched.is_eager(true, false));
    }

    #[test]
    fn a_request_at_the_head_is_not_overtaken() {
        scheduler!(sched, FLASH);
        let head = sched.insert_head(ms(0), read(ProcessId::NONE, 0), 1);
        assert!(head.is_ok());
        assert_eq!(sched.pass(ms(0), Ioprio::NORM), None);
    }

    #[test]
    fn async_requests_wait_for_those_that_passed() {
        scheduler!(sched, FLASH);
        assert!(sched.pass(ms(9), Ioprio::NORM).is_some());
        for rq in 1..4u8 {
            add(&mut sched, ms(9), write(u64::from(rq) * 8), rq);
        }
        // A quarter of a depth of eight.
        assert_eq!(dispatch(&mut sched, ms(9)).0, 1);
        assert_eq!(dispatch(&mut sched, ms(9)).0, 2);
        assert_eq!(dispatch(&mut sched, ms(99)).0, 0);
        assert_eq!(sched.complete(ms(100), RqId::PASSED), Kick::Run);
        assert_eq!(dispatch(&mut sched, ms(100)).0, 3);
    }

    #[test]
    fn given_back_it_comes_as_a_new_request() {
        scheduler!(sched, FLASH);
        filled(&mut sched, 2);
        let one = sched.process(ms(0), ProcessId::NONE);
        assert!(sched.pass(ms(0), Ioprio::NORM).is_some());
        assert!(sched.pass(ms(0), Ioprio::NORM).is_some());
        assert_eq!(sched.requeue(ms(1), RqId::PASSED), Kick::None);
        assert_eq!(sched.in_driver(), 1);
        // Some paths of the block core skip the requeue event.
        assert_eq!(sched.reinsert(ms(1), RqId::PASSED, 7), Err(7));
        assert_eq!(sched.in_driver(), 0);
        assert!(sched.insert_head(ms(1), read(one, 0), 7).is_ok());
        let stats = sched.stats();
        assert_eq!((stats.requeued, stats.cancelled), (2, 2));
        assert_eq!((stats.inserted, stats.inserted_head), (4, 1));
        assert_eq!(sched.check(), Ok(()));
    }

    #[test]
    fn freed_without_completion_it_is_gone() {
        scheduler!(sched, FLASH);
        assert!(sched.pass(ms(0), Ioprio::NORM).is_some());
        assert_eq!(sched.cancel(ms(1), RqId::PASSED), (None, Kick::None));
        assert_eq!(sched.in_driver(), 0);
        assert_eq!(sched.stats().cancelled, 1);
    }

    #[test]
    fn what_came_last_is_dispatched_at_once_only_where_nothing_is_lost() {
        scheduler!(sched, FLASH);
        assert!(!sched.is_eager(true, false));
        add(&mut sched, ms(0), write(0), 1);
        assert!(sched.is_eager(false, false));
        add(&mut sched, ms(0), write(8), 2);
        // The one who submits this one is not there for the others.
        assert!(!sched.is_eager(false, false));
        scheduler!(sched, SPINNING);
        let one = sched.process(ms(0), ProcessId::NONE);
        add(&mut sched, ms(0), read(one, 0), 1);
        assert!(sched.is_eager(true, false));
        assert!(!sched.is_eager(false, false));
        assert_eq!(dispatch(&mut sched, ms(0)).0, 1);
        add(&mut sched, ms(0), read(one, 8), 2);
        assert!(!sched.is_eager(true, false));
    }

    #[test]
    fn the_request_that_a_disk_waits_for_is_dispatched_at_once_though_others_wait() {
        scheduler!(sched, SPINNING);
        let one = sched.process(ms(0), ProcessId::NONE);
        let two = sched.process(ms(0), ProcessId::NONE);
        add(&mut sched, ms(0), read(one, 0), 1);
        let (_, id) = dispatch(&mut sched, ms(0));
        let _ = sched.complete(ms(5), id);
        add(&mut sched, ms(6), read(two, 900_000), 2);
        assert!(!sched.is_eager(true, false));
        add(&mut sched, ms(7), read(one, 8), 3);
        assert!(sched.is_eager(true, false));
        // Both of them.
        add(&mut sched, ms(7), read(one, 16), 4);
        assert!(!sched.is_eager(true, false));
    }

    #[test]
    fn a_write_into_a_cache_need_not_be_sorted() {
        scheduler!(sched, SPINNING);
        let one = sched.process(ms(0), ProcessId::NONE);
        let two = sched.process(ms(0), ProcessId::NONE);
        let make = |process, place| {
            let mut arrival = read(process, place);
            arrival.write = true;
            arrival.idle_hint = true;
            arrival
        };
        for absorbs in [false, true] {
            let now = ms(if absorbs { 100 } else { 0 });
            let first = add(&mut sched, now, make(one, 0), 1);
            assert!(sched.is_eager(true, true));
            assert_eq!(dispatch(&mut sched, now).0, 1);
            // The first one is with the disk.
            let second = add(&mut sched, now, make(two, 900_000), 2);
            assert_eq!(sched.is_eager(true, true), absorbs);
            assert!(!sched.is_eager(true, false));
            assert!(!sched.is_eager(false, true));
            let third = add(&mut sched, now, make(two, 900_008), 3);
            assert!(!sched.is_eager(true, true));
            for id in [second, third] {
                let _ = sched.cancel(now, id);
            }
            let _ = sched.complete(now, first);
            let _ = sched.timer(ms(90));
            for _ in 0..32 {
                sched.measure.wrote(Span::ZERO, 1);
            }
        }
        assert_eq!(sched.check(), Ok(()));
    }

    #[test]
    fn writers_are_not_waited_for_while_a_cache_takes_what_they_write() {
        for absorbs in [false, true] {
            scheduler!(sched, SPINNING);
            let one = sched.process(ms(0), ProcessId::NONE);
            let two = sched.process(ms(0), ProcessId::NONE);
            for _ in 0..32 {
                sched.measure.wrote(Span::ZERO, u32::from(absorbs));
            }
            for (rq, process) in [(1, one), (2, two)] {
                let mut arrival = read(process, u64::from(rq) * 900_000);
                arrival.write = true;
                arrival.idle_hint = true;
                add(&mut sched, ms(0), arrival, rq);
            }
            let second = if absorbs { 2 } else { 0 };
            for expected in [1, second] {
                assert_eq!(dispatch(&mut sched, ms(0)).0, expected);
            }
        }
    }
}
