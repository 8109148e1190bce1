// SPDX-License-Identifier: GPL-2.0

//! One queue: its requests in both orders, its priority, its place among the queues.
//!
//! Knows nothing of other queues, slices or the device. Source: CFQ 1.2, 4.5.

use super::choice::Choice;
use super::id::{
    Handle,
    NIL, //
};
use super::ioprio::{
    Class,
    Ioprio, //
};
use super::list::List;
use super::near::Near;
use super::precedence::Rank;
use super::request::{
    BySector,
    Fifo,
    Request,
    Sector, //
};
use super::seek::SeekHistory;
use super::service::TreeIndex;
use super::slab::{
    at,
    Slot, //
};
use super::time::VTime;
use super::tree::{
    Ordered,
    Tree,
    TreeLinks, //
};

/// A queue of requests that are served together.
///
/// # Invariants
///
/// `sort` and `fifo` hold the same requests. `next_rq` is one of them, or `NIL` if there are
/// none. `requests` counts those and all others whose slots name this queue. `tree` is set exactly
/// while the queue is busy, that is on a service tree. `near` is set exactly while the queue is in
/// the order by position, and tells where; an active queue never is.
#[derive(Debug)]
pub struct Queue {
    pub(super) sort: Tree<BySector>,
    pub(super) fifo: List<Fifo>,
    /// The request to dispatch next.
    pub(super) next_rq: u32,
    /// Requests bound to this queue, in whatever state.
    pub(super) requests: u32,
    /// Requests with the driver.
    pub(super) dispatched: u32,
    /// Queued requests by the class that they came with.
    pub(super) waiting: [u32; 3],
    /// Processes that send their requests here; a shared queue counts as one of its own.
    pub(super) owners: u32,
    /// The priority that counts now.
    pub(super) ioprio: Ioprio,
    /// The priority without what metadata adds to it for the moment (CFQ 3.4).
    pub(super) own_ioprio: Ioprio,
    /// The service tree that the queue is on.
    pub(super) tree: TreeIndex,
    pub(super) links: TreeLinks,
    pub(super) key: VTime,
    /// Unused (positive) or overdrawn time of the last slice, in nanoseconds (CFQ 10).
    pub(super) resid: i64,
    pub(super) near: Option<Near>,
    pub(super) near_links: TreeLinks,
    /// The queue that the processes of this one are set to move to (CFQ 11.2).
    pub(super) merges_into: Handle,
    pub(super) seek: SeekHistory,
    pub(super) sync: bool,
    /// Whether it pays to wait for the next request of this queue.
    pub(super) idle_window: bool,
    /// Many requests were queued at once, so that seeks do not speak against waiting (CFQ 5.3).
    pub(super) deep: bool,
    /// Another queue's processes have moved here (CFQ 11.3).
    pub(super) coop: bool,
    /// Its processes are to part (CFQ 11.4).
    pub(super) split: bool,
    /// Its last request was a write that somebody waits for, see `yielding`.
    pub(super) yields: bool,
}

impl Queue {
    /// Makes an empty queue with one owner.
    pub(super) fn new(sync: bool, ioprio: Ioprio) -> Self {
        Queue {
            sort: Tree::new(),
            fifo: List::new(),
            next_rq: NIL,
            requests: 0,
            dispatched: 0,
            waiting: [0; 3],
            owners: 1,
            ioprio,
            own_ioprio: ioprio,
            tree: TreeIndex::NONE,
            links: TreeLinks::NONE,
            key: VTime::default(),
            resid: 0,
            near: None,
            near_links: TreeLinks::NONE,
            merges_into: Handle::NONE,
            seek: SeekHistory::default(),
            sync,
            idle_window: sync,
            deep: false,
            coop: false,
            split: false,
            yields: false,
        }
    }

    /// Returns the priority class.
    #[inline(always)]
    pub(super) fn class(&self) -> Class {
        self.ioprio.class
    }

    /// Returns the rank that all of the queue counts by, see `precedence`.
    #[inline(always)]
    pub(super) fn rank(&self) -> Rank {
        Rank::of(self.ioprio)
    }

    /// Returns the number of queued requests.
    #[inline(always)]
    pub(super) fn queued(&self) -> u32 {
        self.sort.len()
    }

    /// Returns whether nothing is queued; requests may still be with the driver.
    #[inline(always)]
    pub(super) fn is_empty(&self) -> bool {
        self.sort.is_empty()
    }

    /// Counts a request of `class` that is queued.
    #[inline]
    pub(super) fn waits(&mut self, class: Class) {
        if let Some(waiting) = self.waiting.get_mut(class.index()) {
            *waiting = waiting.saturating_add(1);
        }
    }

    /// Counts a request of `class` that is queued no more.
    #[inline]
    pub(super) fn waits_no_more(&mut self, class: Class) {
        if let Some(waiting) = self.waiting.get_mut(class.index()) {
            *waiting = waiting.saturating_sub(1);
        }
    }

    /// Returns whether a request of a better class than `class` is queued.
    #[inline]
    pub(super) fn holds_better(&self, class: Class) -> bool {
        let mut better = self.waiting.iter().take(class.index());
        better.any(|count| *count > 0)
    }

    /// Returns whether the queue is on a service tree.
    #[inline(always)]
    pub(super) fn is_busy(&self) -> bool {
        self.tree != TreeIndex::NONE
    }

    /// Returns whether the queue goes on where it is: it neither jumps about, nor does its process
    /// wait for another one in between.
    #[inline]
    pub(super) fn is_stream(&self) -> bool {
        !self.seek.is_seeky() && !self.yields
    }

    /// Returns whether nobody needs the queue any more.
    #[inline]
    pub(super) fn is_dead(&self) -> bool {
        self.owners == 0 && self.requests == 0
    }

    /// Puts request `rq` in by position and re-elects the next request (4, steps 3 and 5).
    #[inline]
    pub(super) fn sort_in<R>(
        &mut self,
        slots: &mut [Slot<Request<R>>],
        rq: u32,
        choice: &Choice,
        head: Sector,
    ) {
        self.sort.insert(slots, rq);
        self.next_rq = choice.better(slots, self.next_rq, rq, head);
    }

    /// Takes request `rq` out of the order by position and re-elects the next request.
    ///
    /// If `rq` `goes_to` the driver, the search starts from it, even if it was not the next one.
    #[inline]
    pub(super) fn sort_out<R>(
        &mut self,
        slots: &mut [Slot<Request<R>>],
        rq: u32,
        choice: &Choice,
        goes_to_driver: bool,
    ) {
        if goes_to_driver || self.next_rq == rq {
            self.next_rq = self.successor(slots, rq, choice);
        }
        self.sort.remove(slots, rq);
    }

    /// Returns what to dispatch after `rq` (4.2).
    #[inline]
    fn successor<R>(&self, slots: &[Slot<Request<R>>], rq: u32, choice: &Choice) -> u32 {
        if self.sort.len() <= 1 {
            return NIL;
        }
        let prev = Tree::<BySector>::prev(slots, rq);
        let next = match Tree::<BySector>::next(slots, rq) {
            NIL => self.sort.first(),
            next => next,
        };
        let next = if next == rq { NIL } else { next };
        let head = at(slots, rq).map_or(Sector::default(), |request| request.position);
        choice.better(slots, next, prev, head)
    }
}

/// The order of queues by service key.
#[derive(Debug)]
pub(super) struct ByKey;

impl Ordered<ByKey> for Queue {
    #[inline(always)]
    fn tree_links(&self) -> &TreeLinks {
        &self.links
    }

    #[inline(always)]
    fn tree_links_mut(&mut self) -> &mut TreeLinks {
        &mut self.links
    }

    #[inline(always)]
    fn precedes(&self, other: &Self) -> bool {
        self.key.is_before(other.key)
    }
}
