// SPDX-License-Identifier: GPL-2.0

//! Which queue goes on where the head is: waiting sync queues, ordered by position.
//!
//! The order holds a copy of each position, so it is never stale, and does without the active
//! queue, whose position changes with every dispatch. Source: CFQ 4.4, 11.1; the copy and the
//! choice of the nearer neighbour are ours.

use super::id::NIL;
use super::ioprio::{
    Class,
    Level, //
};
use super::memory::Memory;
use super::queue::Queue;
use super::request::Sector;
use super::scheduler::Scheduler;
use super::slab::Slot;
use super::tree::{
    Ordered,
    Tree,
    TreeLinks, //
};

/// A queue whose next request is at most this far from the head is close to it, in sectors.
pub(super) const CLOSE: u64 = 8_192;

/// The order of queues by the position of their next request.
#[derive(Debug)]
pub(super) struct ByPosition;

/// Where a queue stands in that order: which tree it is on, and its key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Near {
    level: Level,
    position: Sector,
}

impl Ordered<ByPosition> for Queue {
    fn tree_links(&self) -> &TreeLinks {
        &self.near_links
    }

    fn tree_links_mut(&mut self) -> &mut TreeLinks {
        &mut self.near_links
    }

    fn precedes(&self, other: &Self) -> bool {
        position(self) < position(other)
    }
}

/// Returns the position that a queue stands at; the start of the disk if it stands nowhere.
fn position(queue: &Queue) -> Sector {
    queue.near.map_or(Sector::default(), |near| near.position)
}

/// The queues of each level by position.
#[derive(Debug)]
pub(super) struct Positions([Tree<ByPosition>; Level::COUNT]);

impl Positions {
    /// Makes the order of no queues.
    pub(super) const fn new() -> Self {
        Positions([const { Tree::new() }; Level::COUNT])
    }

    /// Returns the tree of a level.
    pub(super) fn of(&self, level: Level) -> Option<&Tree<ByPosition>> {
        self.0.get(level.index())
    }

    /// Returns whether all of them are sound. O(n).
    pub(super) fn is_sound(&self, slots: &[Slot<Queue>]) -> bool {
        self.0.iter().all(|tree| tree.is_sound::<Queue>(slots))
    }

    fn of_mut(&mut self, level: Level) -> Option<&mut Tree<ByPosition>> {
        self.0.get_mut(level.index())
    }
}

impl<R, M: Memory<R>> Scheduler<R, M> {
    /// Brings the place of a queue among the positions up to date.
    ///
    /// For after every change of its next request, its class, or whether it is active.
    #[inline]
    pub(super) fn reposition(&mut self, index: u32) {
        if !self.tunables.is_flash() {
            self.place_near(index);
        }
    }

    fn place_near(&mut self, index: u32) {
        let Some(queue) = self.queues.at(index) else {
            return;
        };
        let wanted = self.near_of(index, queue);
        if wanted == queue.near {
            return;
        }
        self.leave_positions(index);
        let Some(queue) = self.queues.at_mut(index) else {
            return;
        };
        queue.near = wanted;
        if let Some(tree) = wanted.and_then(|near| self.positions.of_mut(near.level)) {
            tree.insert::<Queue>(self.queues.slots_mut(), index);
        }
    }

    /// Brings the places of all queues up to date; on flash none has one, nor is one shared. O(n).
    pub(super) fn sort_positions(&mut self) {
        let flash = self.tunables.is_flash();
        for index in 0..self.queues.capacity() {
            if flash {
                self.leave_positions(index);
                self.unmerge(index);
            } else {
                self.place_near(index);
            }
        }
    }

    /// Takes a queue out of the order by position, if it is in it.
    pub(super) fn leave_positions(&mut self, index: u32) {
        let Some(near) = self.queues.at(index).and_then(|queue| queue.near) else {
            return;
        };
        if let Some(tree) = self.positions.of_mut(near.level) {
            tree.remove::<Queue>(self.queues.slots_mut(), index);
        }
        if let Some(queue) = self.queues.at_mut(index) {
            queue.near = None;
        }
    }

    /// Returns where a queue belongs in the order by position.
    pub(super) fn near_of(&self, index: u32, queue: &Queue) -> Option<Near> {
        let may_help = queue.sync
            && queue.is_busy()
            && queue.class() != Class::Idle
            && index != self.active
            && self.shared.last() != Some(&index);
        if !may_help {
            return None;
        }
        let next = self.requests.at(queue.next_rq)?;
        Some(Near {
            level: queue.own_ioprio.level,
            position: next.position,
        })
    }

    /// Returns whether a position is close to where the head is.
    pub(super) fn is_close(&self, position: Sector) -> bool {
        position.distance(self.device.last_position) <= CLOSE
    }

    /// Returns a queue that goes on close to where the active one stopped, or [`NIL`].
    pub(super) fn close_cooperator(&self) -> u32 {
        let Some(active) = self.queues.at(self.active) else {
            return NIL;
        };
        let alone = self.group.queues <= 1 || self.shared.last() == Some(&self.active);
        let goes_on = active.sync && active.class() != Class::Idle && active.is_stream();
        if alone || !goes_on {
            return NIL;
        }
        let Some(tree) = self.positions.of(active.own_ioprio.level) else {
            return NIL;
        };
        let head = self.device.last_position;
        let (below, above) = tree.around(self.queues.slots(), |queue: &Queue| {
            position(queue).cmp(&head)
        });
        let distance = |index: u32| {
            let queue = self.queues.at(index)?;
            let fits = queue.class() == active.class() && queue.is_stream();
            let distance = position(queue).distance(head);
            (fits && distance <= CLOSE).then_some(distance)
        };
        match (distance(below), distance(above)) {
            (Some(back), Some(ahead)) if back < ahead => below,
            (_, Some(_)) => above,
            (Some(_), None) => below,
            (None, None) => NIL,
        }
    }
}

#[cfg_attr(CONFIG_RCFQ_KUNIT_TEST, kernel::macros::kunit_tests(rcfq_policy_near))]
#[cfg(any(test, CONFIG_RCFQ_KUNIT_TEST))]
mod tests {

    use super::*;
    use crate::policy::id::{
        ProcessId,
        RqId, //
    };
    use crate::policy::request::Arrival;
    use crate::policy::testing::*;

    /// Lets one process stop at sector 100 008 while another one waits with `arrival`; returns
    /// whether the other one is found to be close.
    fn found(arrival: impl Fn(Arrival) -> Arrival) -> bool {
        found_after(|arrival| arrival, arrival)
    }

    /// The same for what the first process did.
    fn found_after(
        first: impl Fn(Arrival) -> Arrival,
        arrival: impl Fn(Arrival) -> Arrival,
    ) -> bool {
        scheduler!(sched, SPINNING);
        let one = sched.process(ms(0), ProcessId::NONE);
        let two = sched.process(ms(0), ProcessId::NONE);
        // It has more to do: who has run dry may have lost its turn.
        let [request, more] = [100_000, 100_700].map(|position| first(read(one, position)));
        // Late async requests are not preempted.
        let now = ms(if request.owner.sync { 0 } else { 250 });
        add(&mut sched, ms(0), request, 1);
        add(&mut sched, ms(0), more, 3);
        assert_eq!(dispatch(&mut sched, now).0, 1);
        add(&mut sched, now, arrival(read(two, 0)), 2);
        assert_eq!(sched.check(), Ok(()));
        sched.close_cooperator() != NIL
    }

    #[test]
    fn close_means_4_mib_either_way() {
        for (position, close) in [
            (100_008, true),
            (100_008 + 8_192, true),
            (100_008 + 8_193, false),
            (100_008 - 8_192, true),
            (100_008 - 8_193, false),
        ] {
            let at = |arrival| Arrival {
                position: Sector::new(position),
                ..arrival
            };
            assert_eq!(found(at), close);
        }
    }

    #[test]
    fn only_sync_queues_of_the_same_class_and_level_help() {
        let here = |arrival| Arrival {
            position: Sector::new(100_008),
            ..arrival
        };
        assert!(found(here));
        assert!(!found(|arrival| in_class(here(arrival), Class::Idle)));
        assert!(!found(|arrival| Arrival {
            write: true,
            ..here(arrival)
        }));
        assert!(!found(|arrival| {
            let mut arrival = here(arrival);
            arrival.owner.ioprio.level = Level::BEST;
            arrival
        }));
        assert!(!found(|arrival| {
            let mut arrival = here(arrival);
            arrival.owner.sync = false;
            arrival
        }));
    }

    #[test]
    fn nobody_goes_on_for_an_fsync_or_async_or_unknown_processes() {
        let here = |arrival| Arrival {
            position: Sector::new(100_008),
            ..arrival
        };
        assert!(found_after(|arrival| arrival, here));
        assert!(!found_after(
            |arrival| Arrival {
                write: true,
                ..arrival
            },
            here
        ));
        assert!(!found_after(
            |mut arrival| {
                arrival.owner.process = ProcessId::NONE;
                arrival
            },
            here
        ));
        assert!(!found_after(|arrival| write(arrival.position.get()), here));
    }

    /// Returns the queue that a request is in.
    fn home<M: Memory<u8>>(sched: &Scheduler<u8, M>, id: RqId) -> u32 {
        let index = sched.requests.find(id.handle()).unwrap_or(NIL);
        sched
            .requests
            .at(index)
            .map_or(NIL, |request| request.queue)
    }

    #[test]
    fn the_nearer_of_two_is_taken() {
        scheduler!(sched, SPINNING);
        let one = sched.process(ms(0), ProcessId::NONE);
        let two = sched.process(ms(0), ProcessId::NONE);
        let three = sched.process(ms(0), ProcessId::NONE);
        add(&mut sched, ms(0), read(one, 100_000), 1);
        assert_eq!(dispatch(&mut sched, ms(0)).0, 1);
        add(&mut sched, ms(0), read(two, 100_500), 2);
        let near = add(&mut sched, ms(0), read(three, 99_900), 3);
        assert_eq!(sched.close_cooperator(), home(&sched, near));
        // As far ahead as the other one is behind: the sweep goes on.
        let ahead = add(&mut sched, ms(0), read(two, 100_116), 4);
        assert_eq!(sched.close_cooperator(), home(&sched, ahead));
        assert_eq!(sched.check(), Ok(()));
    }
}
