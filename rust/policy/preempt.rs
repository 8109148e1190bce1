// SPDX-License-Identifier: GPL-2.0

//! Whether a new request ends the slice of the active queue in favour of its own queue.
//!
//! Source: CFQ 5.5 and 5.6, without the rules for close cooperators (12 and 13).

use super::ioprio::Class;
use super::memory::Memory;
use super::queue::Queue;
use super::scheduler::Scheduler;
use super::service::Kind;
use super::stats::Stats;
use super::time::Time;

impl<R, M: Memory<R>> Scheduler<R, M> {
    /// Lets queue `new`, which got a request, preempt the active queue if that is due.
    #[inline]
    pub(super) fn maybe_preempt(&mut self, now: Time, new: u32, sync: bool, prio: bool) {
        let Some(active) = self.queues.at(self.active) else {
            return;
        };
        let Some(queue) = self.queues.at(new) else {
            return;
        };
        let due = if self.tunables.is_flash() {
            queue.class() < active.class()
        } else {
            self.should_preempt(now, queue, active, sync, prio)
        };
        if due {
            let other_kind = self.kind_of(active) != self.kind_of(queue);
            self.preempt(now, new, other_kind);
        }
    }

    /// The rules, in order; the first that decides wins (5.5).
    fn should_preempt(
        &self,
        now: Time,
        new: &Queue,
        active: &Queue,
        sync: bool,
        prio: bool,
    ) -> bool {
        let real_time = |queue: &Queue| queue.class() == Class::RealTime;
        if new.class() == Class::Idle {
            return false;
        }
        if active.class() == Class::Idle {
            return true;
        }
        if real_time(active) && !real_time(new) {
            return false;
        }
        if sync && !active.sync && !self.slice.must_dispatch {
            return true;
        }
        if self.slice.is_used(now) || (real_time(new) && !real_time(active)) {
            return true;
        }
        let both_noidle = self.workload.kind == Kind::SyncNoidle
            && self.kind_of(new) == Kind::SyncNoidle
            && active.is_empty();
        both_noidle
            || (prio && active.prio_pending == 0 && self.slice.dispatched > 0)
            || (active.is_empty() && !self.is_worth_waiting())
    }

    /// Ends the active slice as timed out, so that unused time is not lost, and puts `new` first
    /// (5.6).
    fn preempt(&mut self, now: Time, new: u32, other_kind: bool) {
        Stats::bump(&mut self.stats.preemptions);
        self.expire(now, true);
        if self.tunables.is_flash() {
            // The class order alone finds the new queue.
            return;
        }
        if other_kind {
            self.workload.cut();
        }
        self.place_in_front(now, new);
    }
}

#[cfg_attr(
    CONFIG_RCFQ_KUNIT_TEST,
    kernel::macros::kunit_tests(rcfq_policy_preempt)
)]
#[cfg(any(test, CONFIG_RCFQ_KUNIT_TEST))]
mod tests {

    use super::*;
    use crate::policy::id::ProcessId;
    use crate::policy::testing::*;

    #[test]
    fn real_time_goes_before_best_effort_at_once() {
        scheduler!(sched, SPINNING);
        let one = sched.process(ms(0), ProcessId::NONE);
        let two = sched.process(ms(0), ProcessId::NONE);
        add(&mut sched, ms(0), read(one, 0), 1);
        add(&mut sched, ms(0), read(one, 8), 2);
        assert_eq!(dispatch(&mut sched, ms(0)).0, 1);
        add(
            &mut sched,
            ms(1),
            in_class(read(two, 90_000), Class::RealTime),
            3,
        );
        assert_eq!(sched.stats().preemptions, 1);
        assert_eq!(dispatch(&mut sched, ms(1)).0, 3);
        assert_eq!(sched.check(), Ok(()));
    }

    #[test]
    fn best_effort_does_not_preempt_real_time() {
        scheduler!(sched, SPINNING);
        let one = sched.process(ms(0), ProcessId::NONE);
        let two = sched.process(ms(0), ProcessId::NONE);
        add(
            &mut sched,
            ms(0),
            in_class(read(one, 0), Class::RealTime),
            1,
        );
        add(
            &mut sched,
            ms(0),
            in_class(read(one, 8), Class::RealTime),
            2,
        );
        assert_eq!(dispatch(&mut sched, ms(0)).0, 1);
        add(&mut sched, ms(1), read(two, 90_000), 3);
        assert_eq!(sched.stats().preemptions, 0);
        assert_eq!(dispatch(&mut sched, ms(1)).0, 2);
    }

    #[test]
    fn sync_preempts_async_and_the_refusal_ends() {
        scheduler!(sched, SPINNING);
        let one = sched.process(ms(0), ProcessId::NONE);
        add(&mut sched, ms(0), write(0), 1);
        add(&mut sched, ms(0), write(8), 2);
        // The clock of late sync requests starts one second back: depth grows from there.
        assert_eq!(dispatch(&mut sched, ms(0)).0, 1);
        add(&mut sched, ms(1), read(one, 90_000), 3);
        assert_eq!(sched.stats().preemptions, 1);
        let (third, id) = dispatch(&mut sched, ms(1));
        // The async request has to land before a queue that is waited for starts.
        assert_eq!(third, 0);
        assert!(id.is_none());
        assert!(!sched.has_work());
        assert_eq!(sched.check(), Ok(()));
    }
}
