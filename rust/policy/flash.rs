// SPDX-License-Identifier: GPL-2.0

//! Turns on flash: a quota of requests each, nobody waits, the device never runs dry.
//!
//! Refused are only those above their share of the device: async requests while sync ones are about,
//! and the worse while their betters are (see `precedence`). Then some request is with the driver,
//! so a completion ends it. Source: ours, in place of CFQ
//! 6.2 and 8.2 when `slice_idle` is 0 (CFQ 13 changes only the charge and keeps time slices).

use super::id::RqId;
use super::ioprio::Class;
use super::memory::Memory;
use super::precedence::Rank;
use super::queue::{
    ByKey,
    Queue, //
};
use super::scheduler::{
    Refusal,
    Scheduler, //
};
use super::service::{
    Kind,
    TreeIndex, //
};
use super::slice::Slice;
use super::time::Time;
use super::tree::Tree;

/// Who may be sent now.
#[derive(Clone, Copy)]
struct Room {
    /// Classes below this rank have to give way, above their part of the device, and async
    /// requests above their share.
    best: Option<Rank>,
    /// And so have levels below this one. None if the best wait for the device, for then turns see
    /// to the shares: held below its part a queue would get less than its own.
    level: Option<Rank>,
}

impl<R, M: Memory<R>> Scheduler<R, M> {
    /// Takes the next request by turns.
    #[inline]
    pub(super) fn next_on_flash(&mut self, now: Time) -> Option<(R, RqId)> {
        self.refusal = Refusal::None;
        let best = self.precedence.best(now);
        let room = Room {
            best,
            level: best.filter(|best| !self.precedence.is_crowded(*best)),
        };
        if !self.turn_goes_on(now, room) {
            self.expire(now, false);
            if !self.choose_on_flash(now, room) {
                self.refusal = Refusal::Completion;
                return None;
            }
        }
        let next = match self.expired_head(now) {
            Some(head) => head,
            // The oldest: others near by could come before it for ever.
            None if self.slice.favour > 0 => self.queues.at(self.active)?.fifo.first(),
            None => self.queues.at(self.active)?.next_rq,
        };
        let given = self.give(now, next);
        self.slice.dispatched = self.slice.dispatched.saturating_add(1);
        if self.slice.favour > 0 {
            self.expire(now, false);
        }
        given
    }

    /// Returns whether the active queue may send one more.
    ///
    /// A turn ends with its quota, or with the time of a slice: on slow flash, or with a large
    /// `quantum`, the others would wait too long. A queue that is alone starts its next turn.
    #[inline]
    fn turn_goes_on(&mut self, now: Time, room: Room) -> bool {
        let Some(queue) = self.queues.at(self.active) else {
            return false;
        };
        let class = queue.class();
        let held = room
            .best
            .is_some_and(|best| self.class_gives_way(class, best));
        if queue.is_empty() || held || !self.has_room(queue, room) {
            return false;
        }
        let level = queue.ioprio.level;
        let quota = self.shares.quota(queue.sync, class, level);
        let slice = self.shares.of(queue.sync, level).slice;
        if self.slice.dispatched < quota && self.slice.lasts(now) < slice {
            return true;
        }
        if self.device.busy > 1 {
            return false;
        }
        self.slice = Slice::begin(now);
        true
    }

    /// Returns the first queue of a class that the device has room for.
    ///
    /// A queue that the walk passes by has requests with the driver, so there are not more of them
    /// than the device takes, or is one of the few async ones.
    #[inline]
    fn first_with_room(&self, class: Class, room: Room) -> Option<u32> {
        let mut first: Option<(u32, &Queue)> = None;
        for kind in Kind::ALL {
            let mut index = self.group.first(TreeIndex::of(class, kind));
            while let Some(queue) = self.queues.at(index) {
                if first.is_some_and(|(_, first)| !queue.key.is_before(first.key)) {
                    break;
                }
                if self.has_room(queue, room) {
                    first = Some((index, queue));
                    break;
                }
                index = Tree::<ByKey>::next::<Queue>(self.queues.slots(), index);
            }
        }
        first.map(|(index, _)| index)
    }

    /// Returns whether the device has room for one more request of `queue`, as far as others of
    /// its class are concerned.
    #[inline]
    fn has_room(&self, queue: &Queue, room: Room) -> bool {
        let behind_sync = |best| !queue.sync && self.async_gives_way(queue.class(), best);
        let behind_level = |best| self.level_gives_way(queue, best);
        !(room.best.is_some_and(behind_sync) || room.level.is_some_and(behind_level))
    }

    /// Makes the next queue active, if one may be.
    #[inline]
    fn choose_on_flash(&mut self, now: Time, room: Room) -> bool {
        let Some(class) = self.best_class() else {
            return false;
        };
        if let Some(starved) = self.starved_class(now, class) {
            let level = None;
            if let Some(queue) = self.first_with_room(starved, Room { level, ..room }) {
                self.activate_favoured(now, queue, 1);
                return true;
            }
        }
        for class in [Class::RealTime, Class::BestEffort, Class::Idle] {
            if !self.group.has(class) {
                continue;
            }
            if room
                .best
                .is_some_and(|best| self.class_gives_way(class, best))
            {
                break;
            }
            if let Some(queue) = self.first_with_room(class, room) {
                self.activate(now, queue);
                return true;
            }
        }
        false
    }
}

#[cfg_attr(CONFIG_RCFQ_KUNIT_TEST, kernel::macros::kunit_tests(rcfq_policy_flash))]
#[cfg(any(test, CONFIG_RCFQ_KUNIT_TEST))]
mod tests {

    use crate::policy::id::ProcessId;
    use crate::policy::ioprio::Class;
    use crate::policy::scheduler::Kick;
    use crate::policy::testing::*;

    #[test]
    fn a_queue_that_runs_dry_is_not_waited_for() {
        scheduler!(sched, FLASH);
        let one = sched.process(ms(0), ProcessId::NONE);
        let two = sched.process(ms(0), ProcessId::NONE);
        add(&mut sched, ms(0), read(one, 0), 1);
        add(&mut sched, ms(0), read(two, 90_000), 2);
        let (first, id) = dispatch(&mut sched, ms(0));
        assert_eq!(first, 1);
        assert_eq!(dispatch(&mut sched, ms(0)).0, 2);
        assert_eq!(sched.complete(ms(1), id), Kick::None);
        assert_eq!(sched.poll_at(), None);
        assert!(sched.is_empty());
    }

    #[test]
    fn within_a_turn_the_nearest_comes_first() {
        scheduler!(sched, FLASH);
        let one = sched.process(ms(0), ProcessId::NONE);
        add(&mut sched, ms(0), read(one, 90_000), 1);
        add(&mut sched, ms(0), read(one, 8), 2);
        for expected in [2, 1] {
            assert_eq!(dispatch(&mut sched, ms(0)).0, expected);
        }
    }

    #[test]
    fn a_starved_class_is_not_held_by_its_writes() {
        scheduler!(sched, FLASH);
        let [one, two] = [0, 1].map(|_| sched.process(ms(0), ProcessId::NONE));
        add(&mut sched, ms(0), in_class(write(0), Class::Idle), 1);
        add(&mut sched, ms(0), in_class(read(one, 8), Class::Idle), 2);
        for rq in 3..5u8 {
            add(&mut sched, ms(0), write(u64::from(rq) * 800), rq);
        }
        for rq in 5..7u8 {
            add(&mut sched, ms(0), read(two, u64::from(rq) * 800), rq);
        }
        for expected in [3, 4, 5] {
            assert_eq!(dispatch(&mut sched, ms(0)).0, expected);
        }
        assert_eq!(dispatch(&mut sched, ms(1_000)).0, 2);
        assert_eq!(sched.check(), Ok(()));
    }

    #[test]
    fn a_starved_class_gets_its_oldest_request() {
        scheduler!(sched, flash(16));
        let mut tunables = sched.tunables().clone();
        tunables.fifo_expire_sync = ms(9_000).saturating_since(ms(0));
        let _ = sched.set_tunables(ms(0), tunables);
        let [one, two] = [0, 1].map(|_| sched.process(ms(0), ProcessId::NONE));
        for (rq, position) in [(1, 90_000), (2, 16)] {
            let low = in_class(read(two, position), Class::Idle);
            add(&mut sched, ms(0), low, rq);
        }
        add(&mut sched, ms(0), read(one, 0), 3);
        add(&mut sched, ms(0), read(one, 8), 4);
        for (now, expected) in [(0, 3), (1_000, 1), (1_000, 4)] {
            assert_eq!(dispatch(&mut sched, ms(now)).0, expected);
        }
    }

    #[test]
    fn a_better_class_cuts_a_turn() {
        scheduler!(sched, FLASH);
        let one = sched.process(ms(0), ProcessId::NONE);
        let two = sched.process(ms(0), ProcessId::NONE);
        add(&mut sched, ms(0), read(one, 0), 1);
        add(&mut sched, ms(0), read(one, 8), 2);
        assert_eq!(dispatch(&mut sched, ms(0)).0, 1);
        // Its own class does not.
        add(&mut sched, ms(1), read(ProcessId::NONE, 50_000), 4);
        assert_eq!(sched.stats().preemptions, 0);
        add(
            &mut sched,
            ms(1),
            in_class(read(two, 90_000), Class::RealTime),
            3,
        );
        assert_eq!(sched.stats().preemptions, 1);
        let (next, id) = dispatch(&mut sched, ms(1));
        assert_eq!(next, 3);
        let _ = sched.complete(ms(1), id);
        for (now, expected) in [(5, 0), (6, 4), (6, 2)] {
            assert_eq!(dispatch(&mut sched, ms(now)).0, expected);
        }
    }

    #[test]
    fn a_starved_class_gets_a_single_request() {
        // Deep enough for two of a worse class.
        scheduler!(sched, flash(16));
        let one = sched.process(ms(0), ProcessId::NONE);
        let two = sched.process(ms(0), ProcessId::NONE);
        for (rq, position) in [(1, 0), (2, 8), (3, 16)] {
            let arrival = in_class(read(two, position), Class::RealTime);
            add(&mut sched, ms(0), arrival, rq);
        }
        add(&mut sched, ms(0), read(one, 90_000), 4);
        add(&mut sched, ms(0), read(one, 90_008), 5);
        for (now, expected) in [(0, 1), (1_000, 4), (1_000, 2), (1_000, 3), (1_000, 5)] {
            assert_eq!(dispatch(&mut sched, ms(now)).0, expected);
        }
    }

    #[test]
    fn a_turn_ends_after_its_quota() {
        scheduler!(sched, FLASH);
        let mut tunables = sched.tunables().clone();
        tunables.quantum = 2;
        let _ = sched.set_tunables(ms(0), tunables);
        let one = sched.process(ms(0), ProcessId::NONE);
        let two = sched.process(ms(0), ProcessId::NONE);
        for rq in 1..4u8 {
            add(&mut sched, ms(0), read(one, u64::from(rq)), rq);
        }
        add(&mut sched, ms(0), read(two, 90_000), 9);
        for expected in [1, 2, 9, 3] {
            assert_eq!(dispatch(&mut sched, ms(0)).0, expected);
        }
    }

    #[test]
    fn a_lone_queue_still_honours_deadlines() {
        scheduler!(sched, FLASH);
        let mut tunables = sched.tunables().clone();
        tunables.quantum = 1;
        let _ = sched.set_tunables(ms(0), tunables);
        let one = sched.process(ms(0), ProcessId::NONE);
        add(&mut sched, ms(0), read(one, 0), 1);
        assert_eq!(dispatch(&mut sched, ms(0)).0, 1);
        add(&mut sched, ms(0), read(one, 90_000), 2);
        add(&mut sched, ms(200), read(one, 8), 3);
        assert_eq!(dispatch(&mut sched, ms(200)).0, 2);
        assert_eq!(sched.stats().fifo_expired, 1);
        // In a new turn, for which it was not put back.
        assert_eq!(sched.stats().slices, 1);
    }

    #[test]
    fn a_turn_ends_after_the_time_of_a_slice() {
        scheduler!(sched, FLASH);
        let one = sched.process(ms(0), ProcessId::NONE);
        let two = sched.process(ms(0), ProcessId::NONE);
        add(&mut sched, ms(0), read(one, 0), 1);
        add(&mut sched, ms(0), read(one, 8), 2);
        add(&mut sched, ms(0), read(one, 16), 3);
        add(&mut sched, ms(0), read(two, 90_000), 9);
        assert_eq!(dispatch(&mut sched, ms(0)).0, 1);
        assert_eq!(dispatch(&mut sched, ms(99)).0, 2);
        assert_eq!(dispatch(&mut sched, ms(100)).0, 9);
        assert_eq!(dispatch(&mut sched, ms(100)).0, 3);
    }
}
