// SPDX-License-Identifier: GPL-2.0

//! Dispatch: the head list first, then the queue whose turn it is, or a refusal.
//!
//! Source: CFQ 6.1, 6.2, 8.5.

use super::id::NIL;
use super::memory::Memory;
use super::scheduler::{
    Decision,
    Refusal,
    Scheduler, //
};
use super::stats::Stats;
use super::time::Time;

impl<R, M: Memory<R>> Scheduler<R, M> {
    /// Decides what to do now.
    #[inline]
    pub(super) fn decide(&mut self, now: Time) -> Decision<R> {
        if self.device.at_head > 0 {
            if let Some((rq, id)) = self.give_head(now) {
                return Decision::Dispatch { rq, id };
            }
        }
        if self.device.queued == 0 {
            Stats::bump(&mut self.stats.dispatch_nothing);
            return Decision::Nothing;
        }
        let given = if self.tunables.is_flash() {
            self.next_on_flash(now)
        } else {
            self.next_by_slices(now)
        };
        match given {
            Some((rq, id)) => Decision::Dispatch { rq, id },
            None => self.refused(),
        }
    }

    /// Words a refusal.
    fn refused(&mut self) -> Decision<R> {
        if self.idle_until == Time::NEVER {
            Stats::bump(&mut self.stats.dispatch_nothing);
            Decision::Nothing
        } else {
            Stats::bump(&mut self.stats.dispatch_idle);
            Decision::Idle {
                until: self.idle_until,
            }
        }
    }

    /// Takes the next request by the rules for disks that seek.
    fn next_by_slices(&mut self, now: Time) -> Option<(R, super::id::RqId)> {
        self.refusal = Refusal::None;
        if !self.keep_active(now) {
            return None;
        }
        if self.active == NIL && self.choose(now) == NIL {
            return None;
        }
        let Some(rq) = self.may_give(now) else {
            self.refusal = Refusal::Completion;
            return None;
        };
        let given = self.give(now, rq);
        self.after_dispatch(now);
        self.foresee(now);
        given
    }

    /// Decides about the active queue (6.2): expires it, or keeps it. False means to wait for it.
    fn keep_active(&mut self, now: Time) -> bool {
        let Some(queue) = self.queues.at(self.active) else {
            return true;
        };
        if self.is_over(now) && !self.slice.must_dispatch {
            self.expire(now, false);
            return true;
        }
        if !queue.is_empty() {
            return true;
        }
        let (waiting, flying) = (self.idle_until != Time::NEVER, queue.dispatched > 0);
        let near = self.close_cooperator();
        if near != NIL {
            self.plan_merge(self.active, near);
            self.pass_slice(now, near);
            return true;
        }
        if !waiting {
            self.doubt_depth(now);
        }
        if waiting || (flying && self.is_worth_waiting()) {
            self.refusal = Refusal::Arrival;
            return false;
        }
        self.expire(now, false);
        true
    }

    /// Returns whether the time of the active queue is over.
    fn is_over(&self, now: Time) -> bool {
        self.slice.is_used(now) || self.is_overdrawn(now)
    }

    /// Gives up waiting for a deep, seeky queue that the device outruns (6.2, step 8).
    fn doubt_depth(&mut self, now: Time) {
        let young = self.slice.is_young(now);
        if let Some(queue) = self.queues.at_mut(self.active) {
            if queue.seek.is_seeky() && queue.idle_window && young {
                queue.deep = false;
                queue.idle_window = false;
            }
        }
    }

    /// Says at once what the next call would find out: that the device is kept for the active
    /// queue, which has just run dry. That call is saved, for each request of a reader among others.
    fn foresee(&mut self, now: Time) {
        let Some(queue) = self.queues.at(self.active) else {
            return;
        };
        // What has to be thought over is left to that call.
        let settled = queue.is_empty() && !queue.seek.is_seeky() && !self.slice.must_dispatch;
        if self.device.queued > 0
            && settled
            && !self.is_over(now)
            && self.is_worth_waiting()
            && self.close_cooperator() == NIL
        {
            self.refusal = Refusal::Arrival;
        }
    }

    /// Ends the slice early where one request, or a few, are enough (8.5).
    fn after_dispatch(&mut self, now: Time) {
        self.slice.dispatched = self.slice.dispatched.saturating_add(1);
        let Some(queue) = self.queues.at(self.active) else {
            return;
        };
        let limit = if queue.class() == super::ioprio::Class::Idle {
            1
        } else {
            self.shares.of(queue.sync, queue.ioprio.level).limit
        };
        let enough = self.device.busy > 1 && self.slice.spent >= limit;
        let favour = self.slice.favour;
        self.slice.favour = favour.saturating_sub(1);
        self.slice.must_dispatch = self.slice.favour > 0;
        if enough || favour == 1 {
            if self.slice.insists {
                // Its kind's time may not be over, but it has had enough.
                self.workload.cut();
            }
            self.expire(now, false);
        }
    }
}

#[cfg_attr(
    CONFIG_RCFQ_KUNIT_TEST,
    kernel::macros::kunit_tests(rcfq_policy_select)
)]
#[cfg(any(test, CONFIG_RCFQ_KUNIT_TEST))]
mod tests {

    use crate::policy::id::ProcessId;
    use crate::policy::ioprio::{
        Class,
        Level, //
    };
    use crate::policy::testing::*;

    #[test]
    fn an_async_slice_ends_after_its_requests_if_others_wait() {
        scheduler!(sched, SPINNING);
        let mut tunables = sched.tunables().clone();
        tunables.low_latency = false;
        tunables.slice_async_rq = 1;
        let _ = sched.set_tunables(ms(0), tunables);
        for rq in 1..4u8 {
            let mut arrival = write(u64::from(rq) * 8);
            arrival.owner.ioprio.level = Level::WORST;
            add(&mut sched, ms(0), arrival, rq);
        }
        add(&mut sched, ms(0), write(90_000), 9);
        for expected in [1, 2, 9, 3] {
            assert_eq!(dispatch(&mut sched, ms(0)).0, expected);
        }
    }

    #[test]
    fn an_async_queue_that_is_alone_has_no_such_limit() {
        scheduler!(sched, SPINNING);
        let mut tunables = sched.tunables().clone();
        tunables.low_latency = false;
        tunables.slice_async_rq = 1;
        let _ = sched.set_tunables(ms(0), tunables);
        for rq in 1..7u8 {
            let mut arrival = write(u64::from(rq) * 8);
            arrival.owner.ioprio.level = Level::WORST;
            add(&mut sched, ms(0), arrival, rq);
        }
        for rq in 1..7u8 {
            assert_eq!(dispatch(&mut sched, ms(0)).0, rq);
        }
        assert_eq!(sched.stats().slices, 1);
    }

    #[test]
    fn a_queue_that_is_empty_after_a_cancel_is_not_waited_for() {
        scheduler!(sched, SPINNING);
        let one = sched.process(ms(0), ProcessId::NONE);
        let two = sched.process(ms(0), ProcessId::NONE);
        add(&mut sched, ms(0), read(one, 0), 1);
        let (_, id) = dispatch(&mut sched, ms(0));
        let _ = sched.complete(ms(1), id);
        let gone = add(&mut sched, ms(2), read(one, 8), 2);
        add(&mut sched, ms(2), read(two, 90_000), 3);
        assert_eq!(sched.cancel(ms(2), gone).0, Some(2));
        assert_eq!(dispatch(&mut sched, ms(2)).0, 3);
    }

    #[test]
    fn a_reader_that_runs_dry_keeps_the_disk_without_another_call() {
        scheduler!(sched, SPINNING);
        let one = sched.process(ms(0), ProcessId::NONE);
        let two = sched.process(ms(0), ProcessId::NONE);
        add(&mut sched, ms(0), read(one, 0), 1);
        add(&mut sched, ms(0), read(two, 90_000), 2);
        assert_eq!(dispatch(&mut sched, ms(0)).0, 1);
        assert!(!sched.has_work());
        assert_eq!(sched.stats().dispatch_nothing, 0);
        assert_eq!(sched.check(), Ok(()));
    }

    #[test]
    fn who_comes_close_to_a_reader_that_has_run_dry_is_let_in() {
        scheduler!(sched, SPINNING);
        let one = sched.process(ms(0), ProcessId::NONE);
        let two = sched.process(ms(0), ProcessId::NONE);
        add(&mut sched, ms(0), read(one, 0), 1);
        assert_eq!(dispatch(&mut sched, ms(0)).0, 1);
        add(&mut sched, ms(0), read(two, 8), 2);
        assert!(sched.has_work());
        assert_eq!(dispatch(&mut sched, ms(0)).0, 2);
    }

    #[test]
    fn a_deep_queue_of_seeks_that_runs_dry_early_is_not_waited_for() {
        for (distance, now, next) in [(90_000, 6, 7), (90_000, 60, 0), (8, 6, 0)] {
            scheduler!(sched, SPINNING);
            let one = sched.process(ms(0), ProcessId::NONE);
            let two = sched.process(ms(0), ProcessId::NONE);
            for rq in 1..7u8 {
                add(&mut sched, ms(0), read(one, u64::from(rq) * distance), rq);
            }
            let (_, id) = dispatch(&mut sched, ms(0));
            for rq in 2..7u8 {
                assert_eq!(dispatch(&mut sched, ms(0)).0, rq);
            }
            // As it is once the process is known to come back soon.
            if let Some(queue) = sched.queues.at_mut(sched.active) {
                queue.idle_window = true;
            }
            let _ = sched.complete(ms(5), id);
            add(&mut sched, ms(5), read(two, 9_000_000), 7);
            assert_eq!(dispatch(&mut sched, ms(now)).0, next);
        }
    }

    #[test]
    fn the_idle_class_sends_one_at_a_time() {
        scheduler!(sched, SPINNING);
        let one = sched.process(ms(0), ProcessId::NONE);
        add(&mut sched, ms(0), in_class(read(one, 0), Class::Idle), 1);
        add(&mut sched, ms(0), in_class(read(one, 8), Class::Idle), 2);
        let (first, id) = dispatch(&mut sched, ms(0));
        assert_eq!(first, 1);
        assert_eq!(dispatch(&mut sched, ms(0)).0, 0);
        let _ = sched.complete(ms(1), id);
        // And nobody waits for its next one.
        assert_eq!(sched.poll_at(), None);
        assert_eq!(sched.stats().slices_timed_out, 1);
        assert_eq!(dispatch(&mut sched, ms(1)).0, 2);
    }
}
