// SPDX-License-Identifier: GPL-2.0

//! Whether a new request ends the slice of the active queue in favour of its own queue.
//!
//! Source: CFQ 5.5 and 5.6; the interruptions are ours.

use super::ioprio::Class;
use super::memory::Memory;
use super::queue::Queue;
use super::request::Arrival;
use super::scheduler::Scheduler;
use super::service::Kind;
use super::stats::Stats;
use super::time::Time;

/// What becomes of the active queue when another one gets a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    /// It stays.
    Stay,
    /// Its turn is over; who is next follows from the order.
    Over,
    /// It gives way to the other one.
    GiveWay,
}

impl<R, M: Memory<R>> Scheduler<R, M> {
    /// Lets queue `new`, which got a request, preempt the active queue if that is due.
    #[inline]
    pub(super) fn maybe_preempt(&mut self, now: Time, new: u32, arrival: &Arrival) {
        let Some(active) = self.queues.at(self.active) else {
            return;
        };
        let Some(queue) = self.queues.at(new) else {
            return;
        };
        if self.tunables.is_flash() {
            if queue.class() < active.class() {
                // The class order alone finds the new queue.
                Stats::bump(&mut self.stats.preemptions);
                self.expire(now, true);
            }
            return;
        }
        // What others may wait for: an fsync, the journal, metadata.
        let awaited = queue.yields || (arrival.prio && arrival.owner.sync);
        match self.judge(now, queue, active, arrival) {
            Verdict::GiveWay => {
                let other_kind = self.kind_of(active) != self.kind_of(queue);
                self.preempt(now, new, other_kind);
            }
            Verdict::Over => {
                let dry = active.is_empty();
                self.expire(now, !dry);
            }
            Verdict::Stay if awaited && self.may_interrupt(now, new) => {
                Stats::bump(&mut self.stats.preemptions);
                self.expire(now, true);
                self.interrupt(now, new);
            }
            Verdict::Stay => {}
        }
    }

    /// The rules, in order; the first that decides wins (5.5).
    ///
    /// Where CFQ puts the new queue first although the active one merely has no more reason to
    /// stay, the order decides here: else queues that run dry in turns keep all others waiting.
    /// Metadata (rule 10) does not preempt at any price but interrupts, see `yielding`.
    fn judge(&self, now: Time, new: &Queue, active: &Queue, arrival: &Arrival) -> Verdict {
        let real_time = |queue: &Queue| queue.class() == Class::RealTime;
        if new.class() == Class::Idle {
            return Verdict::Stay;
        }
        if active.class() == Class::Idle {
            return Verdict::GiveWay;
        }
        if real_time(active) && !real_time(new) {
            return Verdict::Stay;
        }
        let held = self.slice.must_dispatch || self.slice.insists;
        if arrival.owner.sync && !active.sync && !held {
            return Verdict::GiveWay;
        }
        if self.slice.is_used(now) && !self.slice.must_dispatch {
            return Verdict::Over;
        }
        if real_time(new) && !real_time(active) {
            return Verdict::GiveWay;
        }
        let both_noidle = self.workload.kind() == Kind::SyncNoidle
            && self.kind_of(new) == Kind::SyncNoidle
            && active.is_empty();
        if both_noidle {
            return Verdict::Over;
        }
        if active.is_empty() && !self.is_worth_waiting() {
            return Verdict::Over;
        }
        let waiting = self.idle_until != Time::NEVER && !self.active_process.is_none();
        if waiting && new.sync && self.is_close(arrival.position) {
            return Verdict::GiveWay;
        }
        Verdict::Stay
    }

    /// Ends the active slice as timed out, so that unused time is not lost, and puts `new` first
    /// (5.6).
    fn preempt(&mut self, now: Time, new: u32, other_kind: bool) {
        Stats::bump(&mut self.stats.preemptions);
        self.expire(now, true);
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
    use crate::policy::scheduler::Kick;
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
        let (first, id) = dispatch(&mut sched, ms(0));
        assert_eq!(first, 1);
        add(&mut sched, ms(1), read(one, 90_000), 3);
        assert_eq!(sched.stats().preemptions, 1);
        // The async request has to land before a queue that is waited for starts.
        assert_eq!(dispatch(&mut sched, ms(1)).0, 0);
        assert!(!sched.has_work());
        assert_eq!(sched.check(), Ok(()));
        assert_eq!(sched.complete(ms(2), id), Kick::Run);
        assert_eq!(dispatch(&mut sched, ms(2)).0, 3);
    }

    #[test]
    fn among_real_time_sync_preempts_async_and_best_effort_does_not() {
        for (class, preemptions) in [(Class::RealTime, 1), (Class::BestEffort, 0)] {
            scheduler!(sched, SPINNING);
            let one = sched.process(ms(0), ProcessId::NONE);
            add(&mut sched, ms(0), in_class(write(0), Class::RealTime), 1);
            add(&mut sched, ms(0), in_class(write(8), Class::RealTime), 2);
            assert_eq!(dispatch(&mut sched, ms(0)).0, 1);
            add(&mut sched, ms(1), in_class(read(one, 90_000), class), 3);
            assert_eq!(sched.stats().preemptions, preemptions);
        }
    }

    #[test]
    fn a_wait_for_all_seekers_ends_when_one_of_them_comes() {
        for (distance, ends) in [(90_000, true), (8, false)] {
            scheduler!(sched, SPINNING);
            let one = sched.process(ms(0), ProcessId::NONE);
            // Once it is known to seek, it is on the tree of those not worth waiting for.
            for at in 0..7 {
                let _ = sched.timer(ms(if at == 6 { 14 } else { 0 }));
                let now = ms(if at == 6 { 14 } else { at });
                add(&mut sched, now, read(one, at * distance), 1);
                let (_, id) = dispatch(&mut sched, now);
                let _ = sched.complete(now, id);
            }
            assert!(sched.poll_at().is_some());
            add(&mut sched, ms(15), read(ProcessId::NONE, 5_000_000), 2);
            assert_eq!(sched.poll_at().is_none(), ends);
            assert_eq!(dispatch(&mut sched, ms(15)).0, if ends { 2 } else { 0 });
        }
    }

    #[test]
    fn a_turn_that_is_over_leaves_no_time_unless_requests_are_left() {
        for (fsync, timed_out) in [(false, 1), (true, 0)] {
            scheduler!(sched, SPINNING);
            let one = sched.process(ms(0), ProcessId::NONE);
            let two = sched.process(ms(0), ProcessId::NONE);
            let mut arrival = read(one, 0);
            arrival.write = fsync;
            add(&mut sched, ms(0), arrival, 1);
            let (_, id) = dispatch(&mut sched, ms(0));
            if !fsync {
                add(&mut sched, ms(0), read(one, 8), 2);
                let _ = sched.complete(ms(10), id);
            }
            add(&mut sched, ms(110), read(two, 90_000), 3);
            assert_eq!(sched.stats().slices_timed_out, timed_out);
            assert_eq!(sched.stats().preemptions, 0);
            assert_eq!(sched.active, crate::policy::id::NIL);
        }
    }

    #[test]
    fn whoever_comes_close_to_the_head_cuts_a_wait_short() {
        for (position, close) in [(1_000, true), (90_000, false)] {
            scheduler!(sched, SPINNING);
            let one = sched.process(ms(0), ProcessId::NONE);
            let two = sched.process(ms(0), ProcessId::NONE);
            add(&mut sched, ms(0), read(one, 0), 1);
            let (_, id) = dispatch(&mut sched, ms(0));
            let _ = sched.complete(ms(1), id);
            assert!(sched.poll_at().is_some());
            let (_, kick) = insert(&mut sched, ms(2), read(two, position), 2);
            let expected = if close {
                (Kick::Run, 2)
            } else {
                (Kick::None, 0)
            };
            assert_eq!((kick, dispatch(&mut sched, ms(2)).0), expected);
            assert_eq!(sched.check(), Ok(()));
        }
    }

    #[test]
    fn who_comes_close_cuts_nothing_but_a_wait_and_async_not_even_that() {
        scheduler!(sched, SPINNING);
        let one = sched.process(ms(0), ProcessId::NONE);
        let two = sched.process(ms(0), ProcessId::NONE);
        add(&mut sched, ms(0), read(one, 0), 1);
        add(&mut sched, ms(0), read(one, 90_000), 2);
        let (_, id) = dispatch(&mut sched, ms(0));
        let close = add(&mut sched, ms(1), read(two, 8), 3);
        assert_eq!(sched.stats().preemptions, 0);
        let _ = sched.cancel(ms(1), close);
        let _ = sched.complete(ms(1), id);
        let (second, id) = dispatch(&mut sched, ms(1));
        assert_eq!(second, 2);
        let _ = sched.complete(ms(2), id);
        assert!(sched.poll_at().is_some());
        add(&mut sched, ms(2), write(90_008), 4);
        assert!(sched.poll_at().is_some());
        assert_eq!(sched.stats().preemptions, 0);
    }
}
