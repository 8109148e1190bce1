// SPDX-License-Identifier: GPL-2.0

//! What I/O priority is worth on flash: the worse leave most of the device to their betters.
//!
//! Whatever a deep device has taken, it serves in an order of its own. So priority has to count
//! before: while sync requests of a better class or level are about, the others may fill a part of
//! the device only. Source: ours; CFQ has nothing of the kind when `slice_idle` is 0, and others
//! either send no worse request at all meanwhile or let the device wait for the better one.

use super::ioprio::Class;
use super::memory::Memory;
use super::precedence::Rank;
use super::queue::Queue;
use super::scheduler::Scheduler;

/// All classes below one that is about may fill one part in this many of the device together.
///
/// A better process that sends one request at a time then meets a nearly free device, and a deep
/// one gets most of it; but what is left over is used.
const CLASS_PART: u32 = 8;

/// A queue of a worse level may fill one part in this many, and less by the ratio of the slices.
///
/// So a queue of the best level that fills half of the device gets its share by slices. If it wants
/// more than the device takes, some of its requests wait, and turns see to the shares.
const LEVEL_PART: u64 = 2;

/// A device is taken to have room for so many until it was seen to take more.
const USUAL_DEPTH: u32 = 32;

impl<R, M: Memory<R>> Scheduler<R, M> {
    /// Returns how many requests the device is taken to have room for.
    ///
    /// Some say that they take thousands (the tags of a host, of which a disk gets a few, or an
    /// NVMe queue), and never do.
    #[inline]
    pub(super) fn room(&self) -> u32 {
        self.device.taken.max(USUAL_DEPTH).min(self.disk.depth)
    }

    /// Returns whether all of `class` have to give way to those of rank `best`, who are about.
    ///
    /// Then some request is with the driver, so a completion ends it. So it is with a queue below.
    #[inline]
    pub(super) fn class_gives_way(&self, class: Class, best: Rank) -> bool {
        if !best.is_above(class) {
            return false;
        }
        let part = match class {
            Class::Idle => 1,
            Class::RealTime | Class::BestEffort => (self.room() / CLASS_PART).max(1),
        };
        self.precedence.flying_from(class) >= part
    }

    /// Returns whether `queue` has to give way to those of rank `best`, who are about, if they are
    /// of the same class.
    #[inline]
    pub(super) fn level_gives_way(&self, queue: &Queue, best: Rank) -> bool {
        let own = queue.rank();
        if best >= own || best.is_above(queue.class()) {
            return false;
        }
        let room = u64::from(self.room());
        let slice = |level| self.shares.of(queue.sync, level).slice.as_ns();
        let all = slice(best.level()).saturating_mul(LEVEL_PART);
        let part = room.saturating_mul(slice(own.level())).checked_div(all);
        u64::from(queue.dispatched) >= part.unwrap_or(1).max(1)
    }
}

#[cfg_attr(CONFIG_RCFQ_KUNIT_TEST, kernel::macros::kunit_tests(rcfq_policy_parts))]
#[cfg(any(test, CONFIG_RCFQ_KUNIT_TEST))]
mod tests {

    use crate::policy::id::{
        ProcessId,
        RqId, //
    };
    use crate::policy::ioprio::{
        Class,
        Ioprio, //
    };
    use crate::policy::scheduler::Kick;
    use crate::policy::testing::*;

    /// A disk deep enough for parts of several requests.
    const DEEP: crate::policy::Disk = flash(16);

    #[test]
    fn a_worse_class_fills_a_part_of_the_device() {
        scheduler!(sched, DEEP);
        let one = sched.process(ms(9), ProcessId::NONE);
        let two = sched.process(ms(9), ProcessId::NONE);
        let urgent = in_class(read(one, 0), Class::RealTime);
        let urgent = add(&mut sched, ms(9), urgent, 1);
        let mut ids = [RqId::NONE; 4];
        for (rq, id) in (2u8..).zip(&mut ids) {
            *id = add(&mut sched, ms(9), read(two, u64::from(rq) * 8), rq);
        }
        // An eighth of sixteen.
        for expected in [1, 2, 3, 0] {
            assert_eq!(dispatch(&mut sched, ms(9)).0, expected);
        }
        assert!(!sched.has_work());
        assert_eq!(sched.check(), Ok(()));
        let [first, second, ..] = ids;
        assert_eq!(sched.complete(ms(9), first), Kick::Run);
        assert_eq!(dispatch(&mut sched, ms(9)).0, 4);
        assert_eq!(dispatch(&mut sched, ms(9)).0, 0);
        // The better class keeps its place for a moment.
        assert_eq!(sched.complete(ms(10), urgent), Kick::Run);
        assert_eq!(dispatch(&mut sched, ms(10)).0, 0);
        assert_eq!(sched.complete(ms(14), second), Kick::Run);
        assert_eq!(dispatch(&mut sched, ms(14)).0, 5);
        assert_eq!(sched.check(), Ok(()));
    }

    #[test]
    fn the_idle_class_has_one_request_beside_others() {
        for (class, beside) in [(Class::BestEffort, 0), (Class::Idle, 4)] {
            scheduler!(sched, DEEP);
            let one = sched.process(ms(9), ProcessId::NONE);
            let two = sched.process(ms(9), ProcessId::NONE);
            add(&mut sched, ms(9), in_class(read(one, 0), class), 1);
            for rq in 3..5u8 {
                let low = in_class(read(two, u64::from(rq) * 8), Class::Idle);
                add(&mut sched, ms(9), low, rq);
            }
            for expected in [1, 3, beside] {
                assert_eq!(dispatch(&mut sched, ms(9)).0, expected);
            }
        }
    }

    #[test]
    fn a_worse_level_fills_a_part_by_its_slice() {
        scheduler!(sched, FLASH);
        let ids = [0, 1, 2].map(|_| sched.process(ms(9), ProcessId::NONE));
        let at = |process: usize, level, position| {
            let process = ids.get(process).copied().unwrap_or(ProcessId::NONE);
            let mut arrival = read(process, position);
            arrival.owner.ioprio = ioprio(Class::BestEffort, level);
            arrival
        };
        let best = add(&mut sched, ms(9), at(0, 0, 0), 1);
        for rq in 2..5u8 {
            add(&mut sched, ms(9), at(1, 4, u64::from(rq) * 8), rq);
        }
        // 8 * 100 / (2 * 180) = 2, while the best level is about.
        for expected in [1, 2, 3, 0] {
            assert_eq!(dispatch(&mut sched, ms(9)).0, expected);
        }
        // Another queue has a part of its own, and goes before the one that is held.
        let (id, kick) = insert(&mut sched, ms(9), at(2, 7, 900), 7);
        assert_eq!(kick, Kick::Run);
        assert_eq!(dispatch(&mut sched, ms(9)).0, 7);
        assert_eq!(dispatch(&mut sched, ms(9)).0, 0);
        assert_eq!(sched.check(), Ok(()));
        // Until the best one is gone.
        let _ = sched.complete(ms(90), id);
        assert_eq!(dispatch(&mut sched, ms(90)).0, 0);
        assert_eq!(sched.complete(ms(90), best), Kick::Run);
        assert_eq!(dispatch(&mut sched, ms(90)).0, 4);
        assert_eq!(sched.check(), Ok(()));
    }

    #[test]
    fn a_queue_of_several_levels_is_not_held_by_itself() {
        let at = |worker, rq: u8, level| {
            let mut arrival = read(worker, u64::from(rq) * 8);
            arrival.owner.ioprio = ioprio(Class::BestEffort, level);
            arrival
        };
        // Whether they wait or are with the driver when the last one comes.
        for at_once in [false, true] {
            scheduler!(sched, FLASH);
            let worker = sched.process(ms(9), ProcessId::NONE);
            for (rq, level) in [(1, 0), (2, 0), (3, 0), (4, 0), (5, 7)] {
                add(&mut sched, ms(9), at(worker, rq, level), rq);
                if at_once {
                    assert_eq!(dispatch(&mut sched, ms(9)).0, rq);
                }
                assert_eq!(sched.check(), Ok(()));
            }
            for rq in (1..6).filter(|_| !at_once) {
                assert_eq!(dispatch(&mut sched, ms(9)).0, rq);
            }
            assert_eq!(sched.check(), Ok(()));
        }
    }

    #[test]
    fn metadata_does_not_speak_for_a_queue_that_is_of_the_idle_class_again() {
        scheduler!(sched, DEEP);
        let [one, two] = [0, 1].map(|_| sched.process(ms(9), ProcessId::NONE));
        let mut arrival = in_class(read(one, 0), Class::Idle);
        arrival.prio = true;
        add(&mut sched, ms(9), arrival, 1);
        arrival.prio = false;
        arrival.position = crate::policy::Sector::new(8);
        add(&mut sched, ms(9), arrival, 2);
        // Nobody is better than the idle class now.
        for rq in 3..6u8 {
            let low = in_class(read(two, u64::from(rq) * 800), Class::Idle);
            add(&mut sched, ms(9), low, rq);
        }
        for _ in 1..6 {
            assert_ne!(dispatch(&mut sched, ms(9)).0, 0);
        }
        assert_eq!(sched.check(), Ok(()));
    }

    #[test]
    fn where_the_best_have_to_wait_turns_decide() {
        // Above its part of 8 * 40 / (2 * 120) the worse one goes on if the device was full, until
        // none of the best waits.
        for (full, order) in [(false, [1, 4, 2, 3, 0]), (true, [1, 4, 2, 5, 3])] {
            scheduler!(sched, FLASH);
            let mut tunables = sched.tunables().clone();
            tunables.quantum = 1;
            let _ = sched.set_tunables(ms(9), tunables);
            let one = sched.process(ms(9), ProcessId::NONE);
            let two = sched.process(ms(9), ProcessId::NONE);
            for rq in 1..4u8 {
                let mut arrival = read(one, u64::from(rq) * 8);
                arrival.owner.ioprio = ioprio(Class::BestEffort, 3);
                add(&mut sched, ms(9), arrival, rq);
                let mut arrival = read(two, u64::from(rq) * 800);
                arrival.owner.ioprio = ioprio(Class::BestEffort, 7);
                add(&mut sched, ms(9), arrival, rq + 3);
            }
            if full {
                sched.precedence.filled();
            }
            for expected in order {
                assert_eq!(dispatch(&mut sched, ms(9)).0, expected);
            }
            assert_eq!(dispatch(&mut sched, ms(9)).0, 0);
            assert_eq!(sched.check(), Ok(()));
        }
    }

    #[test]
    fn a_device_that_promises_thousands_is_taken_for_what_it_was_seen_to_take() {
        for (depth, taken, room) in [(8, 1, 8), (1_000, 1, 32), (1_000, 64, 64), (48, 64, 48)] {
            scheduler!(sched, flash(depth));
            sched.device.taken = taken;
            assert_eq!(sched.room(), room);
        }
    }

    #[test]
    fn in_a_worse_class_levels_are_not_held_by_the_better_one() {
        scheduler!(sched, flash(32));
        let one = sched.process(ms(9), ProcessId::NONE);
        let two = sched.process(ms(9), ProcessId::NONE);
        let mut urgent = read(one, 0);
        urgent.owner.ioprio = ioprio(Class::RealTime, 0);
        add(&mut sched, ms(9), urgent, 1);
        for rq in 2..7u8 {
            let mut arrival = read(two, u64::from(rq) * 8);
            arrival.owner.ioprio = ioprio(Class::BestEffort, 7);
            add(&mut sched, ms(9), arrival, rq);
        }
        // An eighth of 32, not 32 * 40 / (2 * 180).
        for expected in [1, 2, 3, 4, 5, 0] {
            assert_eq!(dispatch(&mut sched, ms(9)).0, expected);
        }
    }

    #[test]
    fn equals_do_not_hold_each_other() {
        scheduler!(sched, FLASH);
        let one = sched.process(ms(9), ProcessId::NONE);
        for rq in 1..6u8 {
            let arrival = in_class(read(one, u64::from(rq) * 8), Class::Idle);
            add(&mut sched, ms(9), arrival, rq);
        }
        for expected in 1..6u8 {
            assert_eq!(dispatch(&mut sched, ms(9)).0, expected);
        }
    }

    #[test]
    fn nothing_worse_passes_while_betters_are_about() {
        scheduler!(sched, DEEP);
        sched.device.passable = 8;
        let one = sched.process(ms(9), ProcessId::NONE);
        assert!(sched.pass(ms(9), Ioprio::NORM).is_some());
        let urgent = ioprio(Class::RealTime, 4);
        assert_eq!(sched.pass(ms(9), urgent), None);
        add(
            &mut sched,
            ms(9),
            in_class(read(one, 0), Class::RealTime),
            1,
        );
        let (_, id) = dispatch(&mut sched, ms(9));
        assert_eq!(sched.pass(ms(20), Ioprio::NORM), None);
        let _ = sched.complete(ms(21), id);
        assert!(sched.pass(ms(21), Ioprio::NORM).is_some());
        assert_eq!(sched.check(), Ok(()));
    }
}
