// SPDX-License-Identifier: GPL-2.0

//! Processes that work on the same area share a queue while they do, and part again.
//!
//! Two tasks that read one file in turns would have the disk wait for each of them. When a queue
//! runs dry and another one goes on close by, their processes are set to move together: each moves
//! with its next request. A shared queue that turns seeky is left by one process after the other.
//! Names of queues are checked by generation, so that a target may go away. Source: CFQ 11; that a
//! process of another priority leaves, and that cooperators share one slice, is ours.

use super::id::{
    Handle,
    NIL, //
};
use super::ioprio::Ioprio;
use super::memory::Memory;
use super::queue::Queue;
use super::scheduler::Scheduler;
use super::stats::Stats;
use super::time::Time;

/// Targets of targets are followed so far; a longer chain is followed further next time.
const CHAIN: u32 = 8;

impl<R, M: Memory<R>> Scheduler<R, M> {
    /// Sets the processes of queues `a` and `b` to move together (11.2).
    pub(super) fn plan_merge(&mut self, a: u32, b: u32) {
        let b = self.end_of_chain(b);
        if a == b {
            return;
        }
        let (Some(one), Some(other)) = (self.queues.at(a), self.queues.at(b)) else {
            return;
        };
        if one.merges_into != Handle::NONE || one.owners == 0 || other.owners == 0 {
            return;
        }
        // The queue of fewer processes moves.
        let (from, to) = if other.owners >= one.owners {
            (a, b)
        } else {
            (b, a)
        };
        let Some(target) = self.queues.handle(to) else {
            return;
        };
        if let Some(queue) = self.queues.at_mut(from) {
            queue.merges_into = target;
            Stats::bump(&mut self.stats.coop_merges);
        }
    }

    /// Returns where the processes of queue `index` are set to move, step by step; at the end the
    /// queue itself.
    fn end_of_chain(&self, index: u32) -> u32 {
        let mut at = index;
        for _ in 0..CHAIN {
            match self.merge_target(at) {
                Some(next) => at = next,
                None => break,
            }
        }
        at
    }

    /// Returns the living queue that the processes of queue `index` are set to move to.
    fn merge_target(&self, index: u32) -> Option<u32> {
        let name = self.queues.at(index)?.merges_into;
        if name == Handle::NONE {
            return None;
        }
        let target = self.queues.find(name)?;
        // Without processes it is about to go.
        (self.queues.at(target)?.owners > 0).then_some(target)
    }

    /// Returns the queue that a process, whose queue was `known`, uses from now on; [`NIL`] for a
    /// new one (11.3, 11.4).
    #[inline]
    pub(super) fn present_queue(&mut self, now: Time, known: u32, ioprio: Ioprio) -> u32 {
        match self.queues.at(known) {
            Some(queue) if queue.coop || queue.merges_into != Handle::NONE => {
                self.move_or_part(now, known, ioprio)
            }
            _ => known,
        }
    }

    fn move_or_part(&mut self, now: Time, known: u32, ioprio: Ioprio) -> u32 {
        let Some(queue) = self.queues.at_mut(known) else {
            return NIL;
        };
        if queue.owners <= 1 {
            queue.coop = false;
            queue.split = false;
        } else if queue.split || queue.own_ioprio != ioprio {
            Stats::bump(&mut self.stats.coop_splits);
            self.disown(now, known);
            return NIL;
        }
        let target = self.end_of_chain(known);
        let alike = |queue: &Queue| queue.own_ioprio == ioprio;
        if target == known || !self.queues.at(target).is_some_and(alike) {
            if let Some(queue) = self.queues.at_mut(known) {
                queue.merges_into = Handle::NONE;
            }
            return known;
        }
        if let Some(queue) = self.queues.at_mut(target) {
            queue.owners = queue.owners.saturating_add(1);
            queue.coop = true;
        }
        if self.active == known {
            // Nobody comes back to the old queue: its slice goes on with the new one.
            self.pass_slice(now, target);
        }
        self.disown(now, known);
        target
    }

    /// Lets the slice of the active queue go on with queue `to`, which works close by.
    pub(super) fn pass_slice(&mut self, now: Time, to: u32) {
        let end = self.slice_bound(now);
        self.expire(now, false);
        self.activate(now, to);
        self.slice.bound = end;
    }

    /// Takes one process off a queue; nobody waits for one without any.
    pub(super) fn disown(&mut self, now: Time, index: u32) {
        let Some(queue) = self.queues.at_mut(index) else {
            return;
        };
        queue.owners = queue.owners.saturating_sub(1);
        if queue.owners == 0 && self.active == index {
            self.expire(now, false);
        }
        self.release_queue(index);
    }

    /// Lets the processes of a queue part, since there is no reason to share one on flash.
    pub(super) fn unmerge(&mut self, index: u32) {
        if let Some(queue) = self.queues.at_mut(index) {
            queue.merges_into = Handle::NONE;
            queue.split = queue.coop;
        }
    }

    /// Marks a shared queue that has turned seeky as one to leave (10).
    pub(super) fn note_parting(&mut self, index: u32) {
        if let Some(queue) = self.queues.at_mut(index) {
            queue.split |= queue.coop && queue.seek.is_seeky();
        }
    }
}

#[cfg_attr(
    CONFIG_RCFQ_KUNIT_TEST,
    kernel::macros::kunit_tests(rcfq_policy_cooperate)
)]
#[cfg(any(test, CONFIG_RCFQ_KUNIT_TEST))]
mod tests {

    use super::*;
    use crate::policy::id::ProcessId;
    use crate::policy::ioprio::Class;
    use crate::policy::testing::*;
    use crate::policy::time::Span;

    /// Returns the queue of a process.
    fn queue<M: Memory<u8>>(sched: &Scheduler<u8, M>, process: ProcessId) -> u32 {
        let index = sched.processes.find(process.handle()).unwrap_or(NIL);
        sched
            .processes
            .at(index)
            .map_or(NIL, |process| process.queue)
    }

    /// Lets `one` and `two` read next to each other, so that a merge is planned.
    fn meet<M: Memory<u8>>(sched: &mut Scheduler<u8, M>, one: ProcessId, two: ProcessId) {
        add(sched, ms(0), read(one, 1_000), 1);
        let (_, id) = dispatch(sched, ms(0));
        add(sched, ms(1), read(two, 1_008), 2);
        let _ = sched.complete(ms(2), id);
        // Not waited for: the other one goes on where it stopped.
        assert_eq!(sched.poll_at(), None);
        let (second, id) = dispatch(sched, ms(2));
        assert_eq!(second, 2);
        let _ = sched.complete(ms(3), id);
        assert_eq!(sched.stats().coop_merges, 1);
    }

    #[test]
    fn readers_of_one_area_become_one_queue() {
        scheduler!(sched, SPINNING);
        let one = sched.process(ms(0), ProcessId::NONE);
        let two = sched.process(ms(0), ProcessId::NONE);
        meet(&mut sched, one, two);
        assert!(queue(&sched, one) != queue(&sched, two));
        add(&mut sched, ms(4), read(one, 1_016), 3);
        assert_eq!(queue(&sched, one), queue(&sched, two));
        // Both in one slice, and the disk waits for either.
        assert_eq!(dispatch(&mut sched, ms(4)).0, 3);
        add(&mut sched, ms(5), read(two, 1_024), 4);
        assert_eq!(dispatch(&mut sched, ms(5)).0, 4);
        assert_eq!(sched.stats().slices, 2);
        assert_eq!(sched.check(), Ok(()));
        // They stay together when the slice is over, as long as they read on.
        sched.expire(ms(5), true);
        add(&mut sched, ms(6), read(one, 1_032), 5);
        assert_eq!(queue(&sched, one), queue(&sched, two));
        assert_eq!(sched.stats().coop_splits, 0);
    }

    #[test]
    fn a_slice_that_goes_on_with_another_queue_ends_no_later() {
        // Whether its clock runs already or not.
        for (ended, bound) in [(true, 102), (false, 107)] {
            scheduler!(sched, SPINNING);
            let one = sched.process(ms(0), ProcessId::NONE);
            let two = sched.process(ms(0), ProcessId::NONE);
            add(&mut sched, ms(0), read(one, 1_000), 1);
            let (_, id) = dispatch(&mut sched, ms(0));
            add(&mut sched, ms(1), read(two, 1_008), 2);
            if ended {
                let _ = sched.complete(ms(2), id);
            }
            assert_eq!(dispatch(&mut sched, ms(7)).0, 2);
            assert_eq!(sched.slice.end(), ms(bound));
        }
    }

    #[test]
    fn on_flash_nobody_shares_a_queue() {
        for move_together in [false, true] {
            scheduler!(sched, SPINNING);
            let one = sched.process(ms(0), ProcessId::NONE);
            let two = sched.process(ms(0), ProcessId::NONE);
            meet(&mut sched, one, two);
            if move_together {
                add(&mut sched, ms(4), read(one, 1_016), 3);
                assert_eq!(queue(&sched, one), queue(&sched, two));
            }
            let mut tunables = sched.tunables().clone();
            tunables.slice_idle = Span::ZERO;
            let _ = sched.set_tunables(ms(5), tunables);
            add(&mut sched, ms(6), read(one, 1_024), 4);
            add(&mut sched, ms(6), read(two, 1_032), 5);
            assert!(queue(&sched, one) != queue(&sched, two));
            assert_eq!(sched.check(), Ok(()));
        }
    }

    #[test]
    fn they_part_when_they_go_to_different_places() {
        scheduler!(sched, SPINNING);
        let one = sched.process(ms(0), ProcessId::NONE);
        let two = sched.process(ms(0), ProcessId::NONE);
        meet(&mut sched, one, two);
        let mut far = 1_000_000;
        let mut now = 4;
        while sched.stats().coop_splits == 0 && now < 2_000 {
            for (process, place) in [(one, far), (two, 5_000_000 + far)] {
                add(&mut sched, ms(now), read(process, place), 3);
                let (_, id) = dispatch(&mut sched, ms(now));
                now += 5;
                let _ = sched.complete(ms(now), id);
            }
            far += 8;
            // A slice ends now and then.
            if far % 64 == 0 {
                sched.expire(ms(now), false);
            }
        }
        assert_eq!(sched.stats().coop_splits, 1);
        add(&mut sched, ms(now), read(one, far), 5);
        add(&mut sched, ms(now), read(two, 5_000_000 + far), 6);
        assert!(queue(&sched, one) != queue(&sched, two));
        assert_eq!(sched.stats().coop_splits, 1);
        assert_eq!(sched.check(), Ok(()));
    }

    #[test]
    fn another_priority_leaves() {
        scheduler!(sched, SPINNING);
        let one = sched.process(ms(0), ProcessId::NONE);
        let two = sched.process(ms(0), ProcessId::NONE);
        meet(&mut sched, one, two);
        add(&mut sched, ms(4), read(one, 1_016), 3);
        add(
            &mut sched,
            ms(4),
            in_class(read(one, 1_024), Class::RealTime),
            4,
        );
        assert!(queue(&sched, one) != queue(&sched, two));
        assert_eq!(sched.stats().coop_splits, 1);
        assert_eq!(sched.check(), Ok(()));
        // Nor does one move that has changed meanwhile.
        scheduler!(other, SPINNING);
        let one = other.process(ms(0), ProcessId::NONE);
        let two = other.process(ms(0), ProcessId::NONE);
        meet(&mut other, one, two);
        add(
            &mut other,
            ms(4),
            in_class(read(one, 1_016), Class::Idle),
            3,
        );
        assert!(queue(&other, one) != queue(&other, two));
    }

    #[test]
    fn a_target_may_be_gone_when_its_turn_comes() {
        scheduler!(sched, SPINNING);
        let one = sched.process(ms(0), ProcessId::NONE);
        let two = sched.process(ms(0), ProcessId::NONE);
        meet(&mut sched, one, two);
        let _ = sched.process_exit(ms(4), two);
        assert_eq!(sched.check(), Ok(()));
        let own = queue(&sched, one);
        add(&mut sched, ms(5), read(one, 1_016), 3);
        assert_eq!(queue(&sched, one), own);
        assert_eq!(dispatch(&mut sched, ms(5)).0, 3);
        assert_eq!(sched.check(), Ok(()));
    }

    #[test]
    fn nobody_joins_a_queue_that_its_process_has_left() {
        scheduler!(sched, SPINNING);
        let one = sched.process(ms(0), ProcessId::NONE);
        let two = sched.process(ms(0), ProcessId::NONE);
        meet(&mut sched, one, two);
        add(&mut sched, ms(4), read(two, 1_016), 3);
        let (own, left) = (queue(&sched, one), queue(&sched, two));
        let _ = sched.process_exit(ms(4), two);
        add(&mut sched, ms(5), read(one, 1_024), 4);
        assert_eq!(queue(&sched, one), own);
        assert_eq!(sched.check(), Ok(()));
        // Nor is that planned, in either direction.
        sched.plan_merge(own, left);
        sched.plan_merge(left, own);
        assert_eq!(sched.stats().coop_merges, 1);
    }

    #[test]
    fn a_plan_stands_until_it_is_carried_out() {
        scheduler!(sched, SPINNING);
        let [one, two, three] = [1, 2, 3].map(|rq| {
            let process = sched.process(ms(0), ProcessId::NONE);
            add(&mut sched, ms(0), read(process, 0), rq);
            queue(&sched, process)
        });
        sched.plan_merge(one, two);
        sched.plan_merge(one, three);
        assert_eq!(sched.stats().coop_merges, 1);
        // Who is to move to the first goes straight to where that one goes.
        sched.plan_merge(three, one);
        assert_eq!(sched.stats().coop_merges, 2);
        assert_eq!(sched.end_of_chain(three), two);
        assert_eq!(sched.merge_target(three), Some(two));
    }
}
