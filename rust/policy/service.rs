// SPDX-License-Identifier: GPL-2.0

//! The service trees: who is next among the queues of one class and kind.
//!
//! Source: CFQ 4.3, 4.6. The offset of a key counts the other queues, here also
//! for a queue that was on no tree (CFQ counts one fewer then, and can go below zero).

use super::id::NIL;
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

/// What sets a queue of the idle class back (CFQ 2.3).
const IDLE_DELAY: Span = Span::from_ms(200);

/// How far before the first queue a preempting one is put (CFQ 4.3).
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
        let first = self.group.tree(tree).map_or(NIL, |tree| tree.tree.first());
        let key = match self.queues.at(first) {
            Some(first) => first.key,
            None => VTime::at(now),
        };
        self.place_at(now, index, tree, key.wrapping_add(FRONT_LEAD));
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
            key.wrapping_add(offset.saturating_sub(queue.resid))
        };
        if let Some(queue) = self.queues.at_mut(index) {
            queue.resid = 0;
        }
        self.place_at(now, index, tree, key);
    }

    #[inline]
    fn place_at(&mut self, now: Time, index: u32, tree: TreeIndex, key: VTime) {
        let Some(queue) = self.queues.at_mut(index) else {
            return;
        };
        queue.tree = tree;
        queue.key = key;
        self.group
            .add(now, tree, queue.class(), self.queues.slots_mut(), index);
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
