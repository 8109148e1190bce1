// SPDX-License-Identifier: GPL-2.0

//! What I/O priority is worth on flash: the worse leave most of the device to their betters.
//!
//! Whatever a deep device has taken, it serves in an order of its own. So priority has to count
//! before: while sync requests of a better class or level are about, the others may fill a part of
//! the device only. Source: ours; CFQ has nothing of the kind when `slice_idle` is 0, and others
//! either send no worse request at all meanwhile or let the device wait for the better one.

use super::ioprio::{
    Class,
    Ioprio,
    Level, //
};
use super::memory::Memory;
use super::queue::Queue;
use super::scheduler::Scheduler;
use super::time::{
    Span,
    Time, //
};

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

/// How long after a sync request arrived its like are taken to be about.
///
/// Longer than the pauses of a reader that computes a little; short enough that a single read does
/// not slow others down for noticeable time.
pub(super) const LINGERS: Span = Span::from_ms(5);

/// Number of ranks.
const RANKS: usize = 3 * Level::COUNT;

/// Class and level in one number: the smaller, the better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Rank(u8);

impl Rank {
    /// That of requests without any preference.
    pub(super) const NORM: Rank = Rank::of(Ioprio::NORM);

    /// Returns the rank of a priority.
    #[inline]
    pub(super) const fn of(ioprio: Ioprio) -> Self {
        let ioprio = ioprio.resolved();
        // CAST: below RANKS, which is 24.
        Rank(Self::first_of(ioprio.class).saturating_add(ioprio.level.index()) as u8)
    }

    /// Returns the place of the best rank of a class.
    #[inline]
    const fn first_of(class: Class) -> usize {
        class.index().saturating_mul(Level::COUNT)
    }

    /// Returns the place of the rank in tables.
    #[inline]
    const fn index(self) -> usize {
        // CAST: widening; `From` is not available in a `const fn`.
        self.0 as usize
    }

    /// Returns the level.
    #[inline]
    fn level(self) -> Level {
        Level::new(self.0 % 8)
    }

    /// Returns the bit of the rank in a set.
    #[inline]
    const fn bit(self) -> u32 {
        1u32.wrapping_shl(self.0 as u32)
    }
}

/// Who is about.
#[derive(Debug)]
pub(super) struct Precedence {
    /// Sync requests with the driver.
    sync: [u32; RANKS],
    /// Async requests with the driver.
    async_: [u32; RANKS],
    /// Sync requests that wait in their queues.
    queued: [u32; RANKS],
    /// When a sync request arrived last.
    arrived: [Time; RANKS],
    /// The device was full, and since then some of the best have had to wait.
    crowded: bool,
    /// The set of ranks whose sync requests may be about; those not in it are not.
    about: u32,
}

impl Precedence {
    /// Nobody is about.
    pub(super) const fn new() -> Self {
        Precedence {
            sync: [0; RANKS],
            async_: [0; RANKS],
            queued: [0; RANKS],
            arrived: [Time::ZERO; RANKS],
            crowded: false,
            about: 0,
        }
    }

    /// Notes that a sync request has arrived.
    #[inline]
    pub(super) fn arrived(&mut self, now: Time, rank: Rank) {
        if let Some(arrived) = self.arrived.get_mut(rank.index()) {
            *arrived = now.max(*arrived);
        }
        self.about |= rank.bit();
    }

    /// Notes that the device is full.
    #[inline]
    pub(super) fn filled(&mut self) {
        self.crowded = true;
    }

    /// Returns whether the best have to wait because the device is full.
    #[inline]
    pub(super) fn is_crowded(&mut self, best: Rank) -> bool {
        let waits = |count: &u32| *count > 0;
        self.crowded &= self.queued.get(best.index()).is_some_and(waits);
        self.crowded
    }

    /// Notes that a sync request waits in its queue.
    #[inline]
    pub(super) fn waits(&mut self, rank: Rank) {
        if let Some(queued) = self.queued.get_mut(rank.index()) {
            *queued = queued.saturating_add(1);
        }
    }

    /// Notes that a sync request has left its queue.
    #[inline]
    pub(super) fn waits_no_more(&mut self, rank: Rank) {
        if let Some(queued) = self.queued.get_mut(rank.index()) {
            *queued = queued.saturating_sub(1);
        }
    }

    #[inline]
    fn flying(&mut self, rank: Rank, sync: bool) -> Option<&mut u32> {
        let flying = match sync {
            true => &mut self.sync,
            false => &mut self.async_,
        };
        flying.get_mut(rank.index())
    }

    /// Notes that a request goes to the driver.
    #[inline]
    pub(super) fn sent(&mut self, rank: Rank, sync: bool) {
        if let Some(flying) = self.flying(rank, sync) {
            *flying = flying.saturating_add(1);
        }
        if sync {
            self.about |= rank.bit();
        }
    }

    /// Notes that a request has left the driver.
    #[inline]
    pub(super) fn landed(&mut self, rank: Rank, sync: bool) {
        if let Some(flying) = self.flying(rank, sync) {
            *flying = flying.saturating_sub(1);
        }
    }

    /// Returns the best rank of the sync requests that are about.
    #[inline]
    pub(super) fn best(&mut self, now: Time) -> Option<Rank> {
        while self.about != 0 {
            // CAST: below 32.
            let rank = Rank(self.about.trailing_zeros() as u8);
            let [flying, _, queued] = self.of(rank);
            let arrived = self.arrived.get(rank.index()).copied();
            let lingers = arrived.is_some_and(|last| now.saturating_since(last) < LINGERS);
            if flying > 0 || queued > 0 || lingers {
                return Some(rank);
            }
            self.about &= !rank.bit();
        }
        None
    }

    /// Returns the number of requests of `class` and of those below it with the driver.
    fn flying_from(&self, class: Class) -> u32 {
        let from = Rank::first_of(class);
        let all = self.sync.iter().skip(from);
        all.chain(self.async_.iter().skip(from))
            .fold(0, |sum, count| sum.saturating_add(*count))
    }

    /// Returns how many requests of a rank are with the driver, sync and async ones, and how many
    /// sync ones wait.
    #[inline]
    pub(super) fn of(&self, rank: Rank) -> [u32; 3] {
        [&self.sync, &self.async_, &self.queued]
            .map(|table| table.get(rank.index()).copied().unwrap_or(0))
    }

    /// Returns all ranks.
    pub(super) fn ranks() -> impl Iterator<Item = Rank> {
        (0u8..).take(RANKS).map(Rank)
    }
}

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
        if best.index() >= Rank::first_of(class) {
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
        let own = Rank::of(queue.ioprio);
        if best >= own || best.index() < Rank::first_of(queue.class()) {
            return false;
        }
        let room = u64::from(self.room());
        let slice = |level| self.shares.of(queue.sync, level).slice.as_ns();
        let all = slice(best.level()).saturating_mul(LEVEL_PART);
        let part = room.saturating_mul(slice(own.level())).checked_div(all);
        u64::from(queue.dispatched) >= part.unwrap_or(1).max(1)
    }
}

#[cfg_attr(
    CONFIG_RCFQ_KUNIT_TEST,
    kernel::macros::kunit_tests(rcfq_policy_precedence)
)]
#[cfg(any(test, CONFIG_RCFQ_KUNIT_TEST))]
mod tests {

    use super::*;
    use crate::policy::id::{
        ProcessId,
        RqId, //
    };
    use crate::policy::scheduler::Kick;
    use crate::policy::testing::*;

    /// A disk deep enough for parts of several requests.
    const DEEP: crate::policy::Disk = crate::policy::Disk {
        rotational: false,
        depth: 16,
    };

    #[test]
    fn ranks_follow_class_and_level() {
        let of = |class, level| Rank::of(ioprio(class, level));
        assert!(of(Class::RealTime, 7) < of(Class::BestEffort, 0));
        assert!(of(Class::BestEffort, 3) < Rank::NORM);
        assert!(Rank::NORM < of(Class::BestEffort, 5));
        assert!(of(Class::BestEffort, 7) < of(Class::Idle, 0));
        assert_eq!(of(Class::Idle, 0), of(Class::Idle, 7));
        assert_eq!(of(Class::BestEffort, 6).level(), Level::new(6));
        assert_eq!(Precedence::ranks().last(), Some(of(Class::Idle, 7)));
    }

    #[test]
    fn the_best_is_about_while_in_the_driver_and_for_a_moment() {
        let mut who = Precedence::new();
        let (first, last) = (
            Rank::of(ioprio(Class::RealTime, 0)),
            Rank::of(ioprio(Class::Idle, 0)),
        );
        assert_eq!(who.best(ms(0)), None);
        who.arrived(ms(10), last);
        who.sent(last, true);
        who.arrived(ms(10), first);
        assert_eq!(who.best(ms(14)), Some(first));
        assert_eq!(who.best(ms(15)), Some(last));
        who.sent(first, true);
        assert_eq!(who.best(ms(99)), Some(first));
        who.landed(first, true);
        who.waits(first);
        assert_eq!(who.best(ms(99)), Some(first));
        who.waits_no_more(first);
        assert_eq!(who.best(ms(99)), Some(last));
        who.landed(last, true);
        assert_eq!(who.best(ms(99)), None);
        who.sent(first, false);
        assert_eq!(who.best(ms(99)), None);
        assert_eq!(who.of(first), [0, 1, 0]);
    }

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
    fn where_the_best_have_to_wait_turns_decide() {
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
        sched.precedence.filled();
        // Above its part of 8 * 40 / (2 * 120) the worse one goes on, then is held.
        for expected in [1, 4, 2, 5, 3, 0] {
            assert_eq!(dispatch(&mut sched, ms(9)).0, expected);
        }
        assert_eq!(sched.check(), Ok(()));
    }

    #[test]
    fn a_device_that_promises_thousands_is_taken_for_what_it_was_seen_to_take() {
        for (depth, taken, room) in [(8, 1, 8), (1_000, 1, 32), (1_000, 64, 64), (48, 64, 48)] {
            let disk = crate::policy::Disk {
                rotational: false,
                depth,
            };
            scheduler!(sched, disk);
            sched.device.taken = taken;
            assert_eq!(sched.room(), room);
        }
    }

    #[test]
    fn in_a_worse_class_levels_are_not_held_by_the_better_one() {
        let disk = crate::policy::Disk {
            rotational: false,
            depth: 32,
        };
        scheduler!(sched, disk);
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
        sched.device.taken = 8;
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
