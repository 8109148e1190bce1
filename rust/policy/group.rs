// SPDX-License-Identifier: GPL-2.0

//! A group of queues: its service trees, and what it has been charged.
//!
//! There is one group, the root, so far; what a hierarchy needs per group lives here already.
//! Source: CFQ 1.3, 6.7, 14.

use super::id::NIL;
use super::ioprio::Class;
use super::queue::Queue;
use super::service::{
    Kind,
    ServiceTree,
    TreeIndex, //
};
use super::slab::Slot;
use super::think::ThinkTime;
use super::time::{
    Span,
    Time, //
};
use super::tree::Tree;
use super::weight::scale;

/// The fraction of the device that a group without competitors has (CFQ 2.3: 12 bits).
const WHOLE: u64 = 1 << 12;

/// A group of queues.
///
/// # Invariants
///
/// Bit `i` of `occupied` tells whether tree `i` has queues; `queues` is their number in all trees.
#[derive(Debug)]
pub(super) struct Group {
    trees: [ServiceTree; TreeIndex::COUNT],
    occupied: u8,
    /// Queues on any of the trees.
    pub(super) queues: u32,
    /// Decaying number of busy queues, for real time and for the others.
    average: [u32; 2],
    /// When each class was last served, or began to wait.
    served: [Time; 3],
    /// When async queues of real time and of the others last went before others for having waited,
    /// or began to wait. Not when they were last served: that may have been a single request.
    served_async: [Time; 2],
    /// What it has used, by weight. One group never competes: this is the room for a hierarchy.
    vdisktime: u64,
}

impl Group {
    /// Makes a group without queues.
    pub(super) fn new(now: Time) -> Self {
        Group {
            trees: core::array::from_fn(|_| ServiceTree {
                tree: Tree::new(),
                think: ThinkTime::new(now),
            }),
            occupied: 0,
            queues: 0,
            average: [0; 2],
            served: [now; 3],
            served_async: [now; 2],
            vdisktime: 0,
        }
    }

    /// Returns a tree.
    #[inline(always)]
    pub(super) fn tree(&self, index: TreeIndex) -> Option<&ServiceTree> {
        self.trees.get(index.index())
    }

    /// Returns a tree for change.
    #[inline(always)]
    pub(super) fn tree_mut(&mut self, index: TreeIndex) -> Option<&mut ServiceTree> {
        self.trees.get_mut(index.index())
    }

    /// Returns the number of queues on a tree.
    #[inline]
    pub(super) fn count(&self, index: TreeIndex) -> u32 {
        self.tree(index).map_or(0, |tree| tree.tree.len())
    }

    /// Returns the number of queues of a class.
    pub(super) fn busy(&self, class: Class) -> u32 {
        match class {
            Class::Idle => self.count(TreeIndex::of(Class::Idle, Kind::Sync)),
            Class::RealTime | Class::BestEffort => Kind::ALL
                .iter()
                .map(|kind| self.count(TreeIndex::of(class, *kind)))
                .fold(0, u32::saturating_add),
        }
    }

    /// Returns whether a tree has queues.
    #[inline(always)]
    pub(super) fn is_occupied(&self, index: TreeIndex) -> bool {
        self.occupied & bit(index) != 0
    }

    /// Returns whether a class has queues.
    #[inline(always)]
    pub(super) fn has(&self, class: Class) -> bool {
        self.occupied & mask(class) != 0
    }

    /// Puts a queue, whose key is set, on a tree.
    #[inline]
    pub(super) fn add(&mut self, index: TreeIndex, slots: &mut [Slot<Queue>], queue: u32) {
        if let Some(place) = self.tree_mut(index) {
            place.tree.insert::<Queue>(slots, queue);
            // INVARIANT: The tree has a member now, and one queue more is on a tree.
            self.occupied |= bit(index);
            self.queues = self.queues.saturating_add(1);
        }
    }

    /// Takes a queue off the tree that it is on.
    #[inline]
    pub(super) fn remove(&mut self, index: TreeIndex, slots: &mut [Slot<Queue>], queue: u32) {
        if let Some(place) = self.tree_mut(index) {
            place.tree.remove::<Queue>(slots, queue);
            // INVARIANT: One queue fewer is on a tree; perhaps it was the last of this one.
            if place.tree.is_empty() {
                self.occupied &= !bit(index);
            }
            self.queues = self.queues.saturating_sub(1);
        }
    }

    /// Returns the first queue of a tree, or [`NIL`].
    #[inline(always)]
    pub(super) fn first(&self, index: TreeIndex) -> u32 {
        self.tree(index).map_or(NIL, |tree| tree.tree.first())
    }

    /// Notes that a class is served, or begins to wait, at `now`.
    #[inline]
    pub(super) fn note_served(&mut self, class: Class, now: Time) {
        if let Some(served) = self.served.get_mut(class.index()) {
            *served = now;
        }
    }

    /// Returns how long a class has waited.
    #[inline]
    pub(super) fn waited(&self, class: Class, now: Time) -> Span {
        self.served
            .get(class.index())
            .map_or(Span::ZERO, |served| now.saturating_since(*served))
    }

    /// Notes that async queues of a class go before others, or begin to wait, at `now`.
    #[inline]
    pub(super) fn note_async(&mut self, class: Class, now: Time) {
        if let Some(served) = self.served_async.get_mut(class.index()) {
            *served = now;
        }
    }

    /// Returns how long async queues of a class have waited; zero for a class without any.
    pub(super) fn async_waited(&self, class: Class, now: Time) -> Span {
        match self.served_async.get(class.index()) {
            Some(served) if self.is_occupied(TreeIndex::of(class, Kind::Async)) => {
                now.saturating_since(*served)
            }
            _ => Span::ZERO,
        }
    }

    /// Returns the average number of busy queues of a class; the idle class has none of its own.
    pub(super) fn average(&self, class: Class) -> u32 {
        let [real_time, others] = self.average;
        match class {
            Class::RealTime => real_time,
            Class::BestEffort | Class::Idle => others,
        }
    }

    /// Charges the group for a slice: nanoseconds, or requests on flash (13, 14.6).
    #[inline]
    pub(super) fn charge(&mut self, amount: u64) {
        self.vdisktime = self.vdisktime.wrapping_add(virtual_charge(amount, WHOLE));
    }

    /// Adds a sample to the average and returns it (6.7).
    pub(super) fn sample_average(&mut self, class: Class) -> u32 {
        let class = match class {
            Class::RealTime => Class::RealTime,
            Class::BestEffort | Class::Idle => Class::BestEffort,
        };
        let new = next_average(self.average(class), self.busy(class));
        let [real_time, others] = &mut self.average;
        match class {
            Class::RealTime => *real_time = new,
            Class::BestEffort | Class::Idle => *others = new,
        }
        new
    }

    /// Returns whether the trees are sound and the counts agree with them. O(n).
    pub(super) fn is_sound(&self, slots: &[Slot<Queue>]) -> bool {
        let sound = self.trees.iter().all(|tree| tree.tree.is_sound(slots));
        let members = self.trees.iter().map(|tree| tree.tree.len());
        let occupied = self
            .trees
            .iter()
            .zip(0u32..)
            .filter(|(tree, _)| !tree.tree.is_empty())
            .fold(0u8, |bits, (_, place)| bits | 1u8.wrapping_shl(place));
        sound && members.fold(0, u32::saturating_add) == self.queues && occupied == self.occupied
    }
}

/// Rises at once, falls slowly, and all the way (ours; CFQ's rounding keeps it up by two, 16.1).
fn next_average(average: u32, busy: u32) -> u32 {
    let rounding = if average > busy { 0 } else { 2 };
    average
        .max(busy)
        .saturating_mul(3)
        .saturating_add(average.min(busy))
        .saturating_add(rounding)
        / 4
}

/// Returns what using `amount` (nanoseconds, or requests on flash) adds to the virtual time of a
/// group that has `fraction` of the device, of [`WHOLE`] (14.4, 14.6).
#[inline]
fn virtual_charge(amount: u64, fraction: u64) -> u64 {
    let scaled = Span::from_ns(amount).saturating_mul(WHOLE);
    if fraction == WHOLE {
        return scaled.as_ns();
    }
    scale(scaled, WHOLE, fraction).as_ns()
}

#[inline(always)]
const fn bit(index: TreeIndex) -> u8 {
    // CAST: widening; `From` is not available in a `const fn`.
    1u8.wrapping_shl(index.index() as u32)
}

#[inline(always)]
const fn mask(class: Class) -> u8 {
    bit(TreeIndex::of(class, Kind::Async))
        | bit(TreeIndex::of(class, Kind::SyncNoidle))
        | bit(TreeIndex::of(class, Kind::Sync))
}

#[cfg_attr(CONFIG_RCFQ_KUNIT_TEST, kernel::macros::kunit_tests(rcfq_policy_group))]
#[cfg(any(test, CONFIG_RCFQ_KUNIT_TEST))]
mod tests {
    use super::*;
    use crate::policy::ioprio::Ioprio;
    use crate::policy::slab::Slab;
    use crate::policy::time::VTime;

    #[test]
    fn the_average_rises_at_once_and_falls_slowly() {
        let busy = [1, 4, 4, 4, 1, 1, 1, 0, 0];
        let expected = [1, 3, 4, 4, 3, 2, 1, 0, 0];
        let mut average = 0;
        for (busy, expected) in busy.iter().zip(expected) {
            average = next_average(average, *busy);
            assert_eq!(average, expected);
        }
    }

    #[test]
    fn real_time_has_an_average_of_its_own() {
        let mut room = [const { Slot::new() }; 4];
        let mut slab = Slab::new(&mut room[..]);
        let mut group = Group::new(Time::ZERO);
        for (queue, class) in (0u32..).zip([
            Class::BestEffort,
            Class::BestEffort,
            Class::BestEffort,
            Class::RealTime,
        ]) {
            assert!(slab.alloc(Queue::new(true, Ioprio::NORM)).is_ok());
            let tree = TreeIndex::of(class, Kind::Sync);
            group.add(tree, slab.slots_mut(), queue);
        }
        assert_eq!(group.sample_average(Class::BestEffort), 2);
        assert_eq!(group.sample_average(Class::Idle), 3);
        assert_eq!(group.average(Class::RealTime), 0);
        assert_eq!(group.sample_average(Class::RealTime), 1);
        let averages = [Class::RealTime, Class::BestEffort, Class::Idle];
        assert_eq!(averages.map(|class| group.average(class)), [1, 3, 3]);
    }

    #[test]
    fn a_charge_counts_by_weight() {
        assert_eq!(virtual_charge(100_000_000, WHOLE), 409_600_000_000);
        assert_eq!(virtual_charge(100_000_000, WHOLE / 2), 819_200_000_000);
        assert_eq!(virtual_charge(16, WHOLE / 2), 131_072);
        let mut group = Group::new(Time::ZERO);
        group.charge(16);
        assert_eq!(group.vdisktime, 16 << 12);
    }

    #[test]
    fn queues_leave_in_the_order_of_their_keys() {
        let mut room = [Slot::new(), Slot::new(), Slot::new()];
        let mut slab = Slab::new(&mut room[..]);
        let mut group = Group::new(Time::ZERO);
        let tree = TreeIndex::of(Class::BestEffort, Kind::Sync);
        for (index, key) in (0u32..).zip([30, 10, 20]) {
            let mut queue = Queue::new(true, Ioprio::NORM);
            queue.key = VTime::at(Time::from_ns(key));
            assert!(slab.alloc(queue).is_ok());
            let slots = slab.slots_mut();
            group.add(tree, slots, index);
        }
        assert!(group.has(Class::BestEffort));
        assert!(!group.has(Class::Idle));
        assert_eq!(group.busy(Class::BestEffort), 3);
        for expected in [1, 2, 0] {
            assert!(group.is_sound(slab.slots()));
            assert_eq!(group.first(tree), expected);
            group.remove(tree, slab.slots_mut(), expected);
        }
        assert!(!group.has(Class::BestEffort));
        assert_eq!(group.first(tree), NIL);
    }
}
