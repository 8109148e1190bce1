// SPDX-License-Identifier: GPL-2.0

//! Who is about: the best class and level of the sync requests that wait, are with the driver, or
//! came a moment ago. What the others may have of a flash device meanwhile is in `parts`.
//!
//! A queue counts by the rank that it has now, whatever its requests came with: all that it has is
//! served so, and a queue must not be held back by itself. Source: ours.

use super::id::NIL;
use super::ioprio::{
    Class,
    Ioprio,
    Level, //
};
use super::time::{
    Span,
    Time, //
};

/// How long after a sync request arrived its like are taken to be about.
///
/// Longer than the pauses of a reader that computes a little; short enough that a single read does
/// not slow others down for noticeable time.
const LINGERS: Span = Span::from_ms(5);

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

    /// Returns whether those of this rank are of `class` or of a better one.
    #[inline]
    pub(super) const fn counts_for(self, class: Class) -> bool {
        self.index() < Self::first_of(class).saturating_add(Level::COUNT)
    }

    /// Returns whether those of this rank are of a better class than `class`.
    #[inline]
    pub(super) const fn is_above(self, class: Class) -> bool {
        self.index() < Self::first_of(class)
    }

    /// Returns the level.
    #[inline]
    pub(super) fn level(self) -> Level {
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
    /// In which queue; [`NIL`] if in none.
    by: [u32; RANKS],
    /// When one arrived last that was not of this queue.
    others: [Time; RANKS],
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
            by: [NIL; RANKS],
            others: [Time::ZERO; RANKS],
            crowded: false,
            about: 0,
        }
    }

    /// Notes that a sync request has arrived, in `queue` if in any.
    #[inline]
    pub(super) fn arrived(&mut self, now: Time, rank: Rank, queue: u32) {
        let at = rank.index();
        let last = self.arrived.get_mut(at).zip(self.by.get_mut(at));
        if let (Some((arrived, by)), Some(others)) = (last, self.others.get_mut(at)) {
            if *by != queue {
                (*by, *others) = (queue, *arrived);
            }
            *arrived = now.max(*arrived);
        }
        self.about |= rank.bit();
    }

    /// Lets all that a sync queue has count as `to` from now on, `from` no more: `queued`
    /// requests, and `flying` ones with the driver.
    pub(super) fn moves(&mut self, queue: u32, [from, to]: [Rank; 2], queued: u32, flying: u32) {
        for (table, count) in [(&mut self.queued, queued), (&mut self.sync, flying)] {
            if let Some(old) = table.get_mut(from.index()) {
                *old = old.saturating_sub(count);
            }
            if let Some(new) = table.get_mut(to.index()) {
                *new = new.saturating_add(count);
            }
        }
        self.about |= to.bit();
        // It does not linger where it is no more, or it would hold itself back.
        let at = from.index();
        let last = self.arrived.get_mut(at).zip(self.by.get_mut(at));
        if let (Some((arrived, by)), Some(others)) = (last, self.others.get(at)) {
            if *by == queue {
                let last = core::mem::replace(arrived, *others);
                *by = NIL;
                self.arrived(last, to, queue);
            }
        }
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
    pub(super) fn flying_from(&self, class: Class) -> u32 {
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

#[cfg_attr(
    CONFIG_RCFQ_KUNIT_TEST,
    kernel::macros::kunit_tests(rcfq_policy_precedence)
)]
#[cfg(any(test, CONFIG_RCFQ_KUNIT_TEST))]
mod tests {

    use super::*;
    use crate::policy::testing::*;

    #[test]
    fn ranks_follow_class_and_level() {
        let of = |class, level| Rank::of(ioprio(class, level));
        assert!(of(Class::RealTime, 7) < of(Class::BestEffort, 0));
        assert!(of(Class::BestEffort, 3) < Rank::NORM);
        assert!(Rank::NORM < of(Class::BestEffort, 5));
        assert!(of(Class::BestEffort, 7) < of(Class::Idle, 0));
        assert_eq!(of(Class::Idle, 0), of(Class::Idle, 7));
        assert_eq!(of(Class::BestEffort, 6).level(), Level::new(6));
        let (last, first) = (of(Class::RealTime, 7), of(Class::BestEffort, 0));
        assert!(last.is_above(Class::BestEffort) && !first.is_above(Class::BestEffort));
        assert!(last.counts_for(Class::RealTime) && !first.counts_for(Class::RealTime));
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
        who.arrived(ms(10), last, NIL);
        who.sent(last, true);
        who.arrived(ms(10), first, NIL);
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
    fn a_queue_takes_along_what_it_has() {
        let [first, last] = [Class::RealTime, Class::Idle].map(|class| Rank::of(ioprio(class, 0)));
        let mut who = Precedence::new();
        for _ in 0..4 {
            who.arrived(ms(10), first, 1);
            who.waits(first);
        }
        who.waits_no_more(first);
        who.sent(first, true);
        who.moves(1, [first, last], 2, 1);
        assert_eq!((who.of(first), who.of(last)), ([0, 0, 1], [1, 0, 2]));
        who.moves(2, [first, last], 1, 0);
        assert_eq!((who.of(first), who.of(last)), ([0, 0, 0], [1, 0, 3]));
        assert_eq!(who.best(ms(11)), Some(last));
    }

    #[test]
    fn a_queue_lingers_where_it_has_moved_and_others_where_they_are() {
        let [first, last] = [Class::RealTime, Class::Idle].map(|class| Rank::of(ioprio(class, 0)));
        let mut who = Precedence::new();
        who.arrived(ms(10), first, 1);
        who.arrived(ms(11), first, 2);
        who.moves(2, [first, last], 0, 0);
        assert_eq!(who.best(ms(14)), Some(first));
        assert_eq!(who.best(ms(15)), Some(last));
        assert_eq!(who.best(ms(16)), None);
        // The last one that came stays if another one goes.
        who.arrived(ms(20), first, 3);
        who.arrived(ms(21), first, NIL);
        who.moves(3, [first, last], 0, 0);
        assert_eq!(who.best(ms(25)), Some(first));
        assert_eq!(who.best(ms(26)), None);
        // One that was alone leaves nobody.
        who.arrived(ms(30), first, 4);
        who.arrived(ms(31), first, 4);
        who.moves(4, [first, last], 0, 0);
        assert_eq!(who.best(ms(32)), Some(last));
    }
}
