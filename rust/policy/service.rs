// SPDX-License-Identifier: GPL-2.0

//! The service trees: who is next among the queues of one class and kind.
//!
//! Source: CFQ 4.3, 4.6. The offset of a key counts the other queues, here also
//! for a queue that was on no tree (CFQ counts one fewer then, and can go below zero).

use super::ioprio::Class;
use super::memory::Memory;
use super::queue::{
    ByKey,
    Queue, //
};
use super::scheduler::Scheduler;
use super::think::ThinkTime;
use super::time::{
    Span,
    Time,
    VTime, //
};
use super::tree::Tree;

/// The most that other queues set one back (ours; CFQ knows no bound).
///
/// With very many queues, or slices once set very long, keys would lie minutes ahead, and
/// newcomers would go first until then.
const MAX_LAG: Span = Span::from_ms(2_000);

/// What sets a queue of the idle class back (CFQ 2.3).
const IDLE_DELAY: Span = Span::from_ms(200);

/// How far before the present a preempting queue is put (CFQ 4.3: before the first queue).
const FRONT_LEAD: i64 = -1_000_000_000;

/// The kind of a queue, in the order in which ties between trees are broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Nobody waits for its requests.
    Async,
    /// Sync, but waiting for the next request does not pay.
    SyncNoidle,
    /// Sync, and worth waiting for.
    Sync,
}

impl Kind {
    pub(super) const ALL: [Kind; 3] = [Kind::Async, Kind::SyncNoidle, Kind::Sync];
}

/// Names a service tree of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TreeIndex(u8);

impl TreeIndex {
    /// Number of trees of a group.
    pub(super) const COUNT: usize = 7;

    /// No tree.
    pub(super) const NONE: TreeIndex = TreeIndex(u8::MAX);

    /// Returns the tree of a class and kind; the idle class has a single one.
    #[inline(always)]
    pub(super) const fn of(class: Class, kind: Kind) -> Self {
        match (class, kind) {
            (Class::BestEffort, Kind::Async) => TreeIndex(0),
            (Class::BestEffort, Kind::SyncNoidle) => TreeIndex(1),
            (Class::BestEffort, Kind::Sync) => TreeIndex(2),
            (Class::RealTime, Kind::Async) => TreeIndex(3),
            (Class::RealTime, Kind::SyncNoidle) => TreeIndex(4),
            (Class::RealTime, Kind::Sync) => TreeIndex(5),
            (Class::Idle, _) => TreeIndex(6),
        }
    }

    /// Returns the place in tables.
    #[inline(always)]
    pub(super) const fn index(self) -> usize {
        // CAST: widening; `From` is not available in a `const fn`.
        self.0 as usize
    }
}

/// The queues of one class and kind.
#[derive(Debug)]
pub(super) struct ServiceTree {
    pub(super) tree: Tree<ByKey>,
    /// How its queues think, taken together.
    pub(super) think: ThinkTime,
}

impl<R, M: Memory<R>> Scheduler<R, M> {
    /// Returns the kind of a queue as it is now; it may be on the tree of another one still.
    #[inline]
    pub(super) fn kind_of(&self, queue: &Queue) -> Kind {
        if !queue.sync {
            Kind::Async
        } else if queue.idle_window && !self.tunables.is_flash() {
            Kind::Sync
        } else {
            Kind::SyncNoidle
        }
    }

    /// Returns the tree that a queue belongs on now.
    #[inline]
    pub(super) fn tree_of(&self, queue: &Queue) -> TreeIndex {
        TreeIndex::of(queue.class(), self.kind_of(queue))
    }

    /// Adds a queue that has got its first request to the busy ones.
    #[inline]
    pub(super) fn make_busy(&mut self, now: Time, index: u32) {
        let Some(queue) = self.queues.at(index) else {
            return;
        };
        // A class that had nothing to do has not been waiting; a queue that is only put elsewhere
        // does not pass here.
        if !self.group.has(queue.class()) {
            self.group.note_served(queue.class(), now);
        }
        if !queue.sync && !self.group.is_occupied(self.tree_of(queue)) {
            self.group.note_async(queue.class(), now);
        }
        self.device.busy = self.device.busy.saturating_add(1);
        if queue.sync {
            self.device.busy_sync = self.device.busy_sync.saturating_add(1);
        }
        self.place(now, index);
    }

    /// Removes an empty queue from the busy ones (4.6).
    #[inline]
    pub(super) fn make_unbusy(&mut self, index: u32) {
        self.unplace(index);
        self.reposition(index);
        self.device.busy = self.device.busy.saturating_sub(1);
        if self.queues.at(index).is_some_and(|queue| queue.sync) {
            self.device.busy_sync = self.device.busy_sync.saturating_sub(1);
        }
    }

    /// Puts a busy queue back behind those that it has to wait for.
    #[inline]
    pub(super) fn resort(&mut self, now: Time, index: u32) {
        self.unplace(index);
        self.place(now, index);
    }

    /// Puts a preempting queue before all others of its kind.
    pub(super) fn place_in_front(&mut self, now: Time, index: u32) {
        self.unplace(index);
        let Some(queue) = self.queues.at(index) else {
            return;
        };
        let tree = self.tree_of(queue);
        // Not relative to the present first, as in CFQ: then each newcomer would go before
        // everybody who waits already, and the first of them might wait for ever.
        self.place_at(index, tree, VTime::at(now).wrapping_add(FRONT_LEAD));
    }

    /// Puts a queue on its tree, by its level and residual.
    #[inline]
    fn place(&mut self, now: Time, index: u32) {
        let Some(queue) = self.queues.at(index) else {
            return;
        };
        let tree = self.tree_of(queue);
        let key = VTime::at(now);
        let key = if queue.class() == Class::Idle {
            key.wrapping_add(IDLE_DELAY.as_signed())
        } else if self.tunables.is_flash() {
            // Quotas do the weighting there; the order is a plain round.
            key
        } else {
            let lag = self.shares.of(queue.sync, queue.ioprio.level).lag;
            let others = u64::from(self.group.queues);
            let offset = lag.saturating_mul(others).as_signed();
            let offset = offset.saturating_sub(queue.resid);
            key.wrapping_add(offset.min(MAX_LAG.as_signed()))
        };
        if let Some(queue) = self.queues.at_mut(index) {
            queue.resid = 0;
        }
        self.place_at(index, tree, key);
    }

    #[inline]
    fn place_at(&mut self, index: u32, tree: TreeIndex, key: VTime) {
        let Some(queue) = self.queues.at_mut(index) else {
            return;
        };
        queue.tree = tree;
        queue.key = key;
        self.group.add(tree, self.queues.slots_mut(), index);
    }

    /// Takes a queue off its tree.
    #[inline]
    fn unplace(&mut self, index: u32) {
        let Some(queue) = self.queues.at_mut(index) else {
            return;
        };
        let tree = core::mem::replace(&mut queue.tree, TreeIndex::NONE);
        self.group.remove(tree, self.queues.slots_mut(), index);
    }
}

#[cfg_attr(
    CONFIG_RCFQ_KUNIT_TEST,
    kernel::macros::kunit_tests(rcfq_policy_service)
)]
#[cfg(any(test, CONFIG_RCFQ_KUNIT_TEST))]
mod tests {

    use super::super::id::NIL;
    use super::*;
    use crate::policy::id::{
        ProcessId,
        RqId, //
    };
    use crate::policy::ioprio::Level;
    use crate::policy::testing::*;

    /// Returns the key of a request's queue, in nanoseconds after the start.
    fn key<M: Memory<u8>>(sched: &Scheduler<u8, M>, id: RqId) -> Option<VTime> {
        let rq = sched.requests.find(id.handle())?;
        let queue = sched.requests.at(rq)?.queue;
        Some(sched.queues.at(queue)?.key)
    }

    fn at(ns: i64) -> Option<VTime> {
        Some(VTime::at(Time::ZERO).wrapping_add(ns))
    }

    const MS: i64 = 1_000_000;

    #[test]
    fn each_other_queue_puts_a_worse_level_further_back() {
        scheduler!(sched, SPINNING);
        let one = sched.process(ms(0), ProcessId::NONE);
        let two = sched.process(ms(0), ProcessId::NONE);
        let first = add(&mut sched, ms(5), read(one, 0), 1);
        assert_eq!(key(&sched, first), at(5 * MS));
        let mut low = read(two, 0);
        low.owner.ioprio.level = Level::WORST;
        let second = add(&mut sched, ms(5), low, 2);
        assert_eq!(key(&sched, second), at((5 + 140) * MS));
        let third = add(&mut sched, ms(5), write(0), 3);
        assert_eq!(key(&sched, third), at((5 + 2 * 140) * MS));
        let idle = add(&mut sched, ms(5), in_class(write(0), Class::Idle), 4);
        assert_eq!(key(&sched, idle), at(205 * MS));
    }

    #[test]
    fn unused_time_brings_the_next_turn_forward() {
        scheduler!(sched, SPINNING);
        let one = sched.process(ms(0), ProcessId::NONE);
        let two = sched.process(ms(0), ProcessId::NONE);
        add(&mut sched, ms(0), read(one, 0), 1);
        let (_, away) = dispatch(&mut sched, ms(0));
        let left = add(&mut sched, ms(0), read(one, 8), 2);
        let _ = sched.complete(ms(10), away);
        // Of 100 ms from 10 on, 70 are left; one other queue puts it back by 80.
        let mut better = in_class(read(two, 0), Class::RealTime);
        better.owner.ioprio.level = Level::BEST;
        let first = add(&mut sched, ms(40), better, 3);
        assert_eq!(key(&sched, left), at((40 + 80 - 70) * MS));
        assert_eq!(
            key(&sched, first),
            at(40 * MS).map(|key| key.wrapping_add(FRONT_LEAD))
        );
        // It counts once.
        let queue = sched.requests.at(1).map_or(NIL, |request| request.queue);
        assert_eq!(sched.queues.at(queue).map(|queue| queue.resid), Some(0));
    }

    #[test]
    fn time_overdrawn_puts_the_next_turn_off() {
        scheduler!(sched, SPINNING);
        let one = sched.process(ms(0), ProcessId::NONE);
        add(&mut sched, ms(0), read(one, 0), 1);
        add(&mut sched, ms(0), read(one, 8), 2);
        let (_, first) = dispatch(&mut sched, ms(0));
        let (_, second) = dispatch(&mut sched, ms(0));
        let _ = sched.complete(ms(10), first);
        let left = add(&mut sched, ms(10), read(one, 16), 3);
        // The clock started at 10, and the slice of 100 ms is exceeded by 20.
        let _ = sched.complete(ms(130), second);
        assert_eq!(sched.stats().slices_timed_out, 1);
        assert_eq!(key(&sched, left), at((130 + 20) * MS));
    }

    #[test]
    fn who_begins_to_wait_has_not_waited_before() {
        scheduler!(sched, SPINNING);
        let one = sched.process(ms(0), ProcessId::NONE);
        let two = sched.process(ms(0), ProcessId::NONE);
        add(&mut sched, ms(5_000), read(one, 90_000), 3);
        add(
            &mut sched,
            ms(5_000),
            in_class(read(two, 0), Class::Idle),
            1,
        );
        add(&mut sched, ms(5_000), write(0), 2);
        let (_, id) = dispatch(&mut sched, ms(5_000));
        assert_eq!(sched.stats().favours, 0);
        let _ = sched.complete(ms(5_001), id);
        // Nor does it begin anew when others come.
        add(&mut sched, ms(5_900), in_class(write(0), Class::Idle), 4);
        let mut other = write(8);
        other.owner.ioprio.level = Level::WORST;
        add(&mut sched, ms(5_900), other, 5);
        let _ = sched.timer(ms(5_900));
        add(&mut sched, ms(5_900), read(one, 90_008), 6);
        assert_eq!(dispatch(&mut sched, ms(6_000)).0, 1);
        assert_eq!(dispatch(&mut sched, ms(6_000)).0, 2);
        assert_eq!(sched.stats().favours, 2);
    }

    #[test]
    fn on_flash_the_order_is_a_plain_round() {
        scheduler!(sched, FLASH);
        let one = sched.process(ms(0), ProcessId::NONE);
        let mut low = read(one, 0);
        low.owner.ioprio.level = Level::WORST;
        let first = add(&mut sched, ms(5), low, 1);
        let second = add(&mut sched, ms(6), write(0), 2);
        assert_eq!(key(&sched, first), at(5 * MS));
        assert_eq!(key(&sched, second), at(6 * MS));
    }
}
