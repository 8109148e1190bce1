// SPDX-License-Identifier: GPL-2.0

//! Requests that grow, and requests that are merged into a neighbour.
//!
//! Source: CFQ 12. Bios grow requests of their own queue only; for whole requests the core decides.

use super::id::RqId;
use super::memory::Memory;
use super::request::{
    BySector,
    Owner,
    Request,
    Sector,
    State, //
};
use super::scheduler::Scheduler;
use super::stats::Stats;
use super::time::Time;
use super::tree::Tree;

impl<R, M: Memory<R>> Scheduler<R, M> {
    /// Returns the slot of a request that is in its queue, and the request.
    #[inline]
    fn in_queue(&self, id: RqId) -> Option<(u32, &Request<R>)> {
        let index = self.requests.find(id.handle())?;
        let request = self.requests.at(index)?;
        if request.state == State::Queued {
            Some((index, request))
        } else {
            None
        }
    }

    /// Takes the new bounds of a request over, and re-sorts it if it starts elsewhere now.
    pub(super) fn grown(&mut self, id: RqId, position: Sector, sectors: u32) {
        let Some(index) = self.requests.find(id.handle()) else {
            return;
        };
        let Some(request) = self.requests.at_mut(index) else {
            return;
        };
        request.sectors = sectors;
        if request.position == position {
            Stats::bump(&mut self.stats.merged_back);
            return;
        }
        Stats::bump(&mut self.stats.merged_front);
        if request.state != State::Queued {
            request.position = position;
            return;
        }
        let home = request.queue;
        let Some(queue) = self.queues.at_mut(home) else {
            return;
        };
        let slots = self.requests.slots_mut();
        queue.sort_out(slots, index, &self.choice, false);
        if let Some(request) = self.requests.at_mut(index) {
            request.position = position;
        }
        let slots = self.requests.slots_mut();
        queue.sort_in(slots, index, &self.choice, self.device.last_position);
        self.reposition(home);
    }

    /// Takes out a request that was merged into another one.
    pub(super) fn absorbed(&mut self, into: RqId, gone: RqId) -> Option<R> {
        let (gone_index, gone_request) = self.in_queue(gone)?;
        let (index, deadline) = (gone_request.queue, gone_request.deadline);
        if let Some((into_index, into_request)) = self.in_queue(into) {
            if into_request.queue == index && into_index != gone_index {
                let earlier = deadline < into_request.deadline;
                self.inherit(index, into_index, gone_index, earlier.then_some(deadline));
            }
        }
        self.take_out(gone_index, false);
        let rq = self.requests.free(gone_index)?.rq;
        Stats::bump(&mut self.stats.absorbed);
        self.unbind(index);
        rq
    }

    /// Gives request `into` what `gone` is first in: place and deadline in the fifo, if `deadline`
    /// is the earlier one, and the next turn.
    fn inherit(&mut self, index: u32, into: u32, gone: u32, deadline: Option<Time>) {
        let Some(queue) = self.queues.at_mut(index) else {
            return;
        };
        if queue.next_rq == gone {
            queue.next_rq = into;
        }
        let Some(deadline) = deadline else {
            return;
        };
        let slots = self.requests.slots_mut();
        queue.fifo.remove(slots, into);
        queue.fifo.insert_before(slots, into, gone);
        if let Some(request) = self.requests.at_mut(into) {
            request.deadline = deadline;
        }
    }

    /// Ends the tie between a queue and a request whose slot was freed.
    #[inline]
    pub(super) fn unbind(&mut self, index: u32) {
        let Some(queue) = self.queues.at_mut(index) else {
            return;
        };
        queue.requests = queue.requests.saturating_sub(1);
        let dry = queue.is_busy() && queue.is_empty();
        if dry && self.active != index {
            self.make_unbusy(index);
        }
        self.release_queue(index);
    }

    /// Returns a request in `owner`'s queue that starts at `end`.
    pub(super) fn starting_at(&self, owner: &Owner, end: Sector) -> Option<RqId> {
        let queue = self.queues.at(self.queue_of(owner)?)?;
        let found = queue
            .sort
            .find(self.requests.slots(), |request: &Request<R>| {
                request.position.cmp(&end)
            })?;
        self.requests.handle(found).map(RqId::new)
    }

    /// Returns the neighbour of a request by position.
    pub(super) fn neighbour(&self, id: RqId, after: bool) -> Option<RqId> {
        let (index, _) = self.in_queue(id)?;
        let slots = self.requests.slots();
        let near = if after {
            Tree::<BySector>::next(slots, index)
        } else {
            Tree::<BySector>::prev(slots, index)
        };
        self.requests.handle(near).map(RqId::new)
    }

    /// Returns whether a request is in `owner`'s queue.
    pub(super) fn belongs_to(&self, owner: &Owner, id: RqId) -> bool {
        match self.in_queue(id) {
            Some((_, request)) => self.queue_of(owner) == Some(request.queue),
            None => false,
        }
    }

    /// Returns whether two requests are in one queue.
    pub(super) fn share_queue(&self, a: RqId, b: RqId) -> bool {
        match (self.in_queue(a), self.in_queue(b)) {
            (Some((_, a)), Some((_, b))) => a.queue == b.queue,
            _ => false,
        }
    }
}

#[cfg_attr(CONFIG_RCFQ_KUNIT_TEST, kernel::macros::kunit_tests(rcfq_policy_merge))]
#[cfg(any(test, CONFIG_RCFQ_KUNIT_TEST))]
mod tests {

    use super::*;
    use crate::policy::id::ProcessId;
    use crate::policy::testing::*;

    #[test]
    fn the_heir_takes_place_and_deadline() {
        scheduler!(sched, SPINNING);
        let one = sched.process(ms(0), ProcessId::NONE);
        let old = add(&mut sched, ms(0), read(one, 8), 1);
        let other = add(&mut sched, ms(5), read(one, 90_000), 2);
        let heir = add(&mut sched, ms(9), read(one, 0), 3);
        assert_eq!(sched.latter(heir), Some(old));
        assert_eq!(sched.former(old), Some(heir));
        assert_eq!(sched.latter(other), None);
        assert!(sched.same_queue(heir, old));
        assert_eq!(sched.request(old), Some(&1));
        assert_eq!(sched.absorb(ms(10), heir, old), Some(1));
        sched.moved(ms(10), heir, Sector::new(0), 16);
        assert_eq!(sched.request(old), None);
        // Expired now, and first in the fifo.
        assert_eq!(dispatch(&mut sched, ms(126)).0, 3);
        assert_eq!(sched.stats().fifo_expired, 1);
        assert_eq!(sched.check(), Ok(()));
    }

    #[test]
    fn the_heir_takes_the_next_turn_only_if_it_was_that_of_the_other() {
        // The request at 8 is the next one.
        for (into, gone, next) in [(1_000, 8, 1_000), (40, 1_000, 8)] {
            scheduler!(sched, SPINNING);
            let one = sched.process(ms(0), ProcessId::NONE);
            let [mut heir, mut other] = [RqId::NONE; 2];
            for (rq, position) in [(1, 8), (2, 40), (3, 1_000)] {
                let id = add(&mut sched, ms(0), read(one, position), rq);
                if position == into {
                    heir = id;
                } else if position == gone {
                    other = id;
                }
            }
            assert!(sched.absorb(ms(0), heir, other).is_some());
            let _ = dispatch(&mut sched, ms(0));
            assert_eq!(sched.device.last_position, Sector::new(next + 8));
            assert_eq!(sched.check(), Ok(()));
        }
    }

    #[test]
    fn an_heir_does_not_move_back_in_the_fifo() {
        scheduler!(sched, SPINNING);
        let one = sched.process(ms(0), ProcessId::NONE);
        let into = add(&mut sched, ms(0), read(one, 90_000), 1);
        add(&mut sched, ms(0), read(one, 0), 2);
        let gone = add(&mut sched, ms(0), read(one, 90_008), 3);
        assert_eq!(sched.absorb(ms(0), into, gone), Some(3));
        assert_eq!(dispatch(&mut sched, ms(125)).0, 1);
    }

    #[test]
    fn a_request_of_another_queue_inherits_nothing() {
        scheduler!(sched, SPINNING);
        let one = sched.process(ms(0), ProcessId::NONE);
        let two = sched.process(ms(0), ProcessId::NONE);
        let gone = add(&mut sched, ms(0), read(one, 8), 1);
        add(&mut sched, ms(0), read(one, 90_000), 2);
        let into = add(&mut sched, ms(9), read(two, 0), 3);
        assert_eq!(sched.absorb(ms(10), into, gone), Some(1));
        assert_eq!(sched.check(), Ok(()));
        assert_eq!(dispatch(&mut sched, ms(126)).0, 2);
    }

    #[test]
    fn only_the_own_queue_merges() {
        scheduler!(sched, SPINNING);
        let one = sched.process(ms(0), ProcessId::NONE);
        let two = sched.process(ms(0), ProcessId::NONE);
        let mine = add(&mut sched, ms(0), read(one, 8), 1);
        let theirs = add(&mut sched, ms(0), read(two, 16), 2);
        assert!(sched.may_merge(read(one, 0).owner, mine));
        assert!(!sched.may_merge(read(two, 0).owner, mine));
        assert!(!sched.may_merge(write(0).owner, mine));
        assert!(!sched.same_queue(mine, theirs));
        let candidate = sched.front_candidate(read(two, 8).owner, Sector::new(16));
        assert_eq!(candidate, Some(theirs));
        assert_eq!(
            sched.front_candidate(read(one, 8).owner, Sector::new(16)),
            None
        );
    }

    #[test]
    fn requests_at_one_place_stand_in_the_order_of_arrival() {
        scheduler!(sched, SPINNING);
        let one = sched.process(ms(0), ProcessId::NONE);
        let first = add(&mut sched, ms(0), read(one, 8), 1);
        let second = add(&mut sched, ms(0), read(one, 8), 2);
        assert_eq!(sched.latter(first), Some(second));
        assert_eq!(sched.former(second), Some(first));
        assert_eq!(sched.former(first), None);
    }

    #[test]
    fn growth_at_the_front_sorts_again() {
        scheduler!(sched, SPINNING);
        let one = sched.process(ms(0), ProcessId::NONE);
        let low = add(&mut sched, ms(0), read(one, 100), 1);
        let high = add(&mut sched, ms(0), read(one, 200), 2);
        sched.moved(ms(0), high, Sector::new(90), 118);
        assert_eq!(sched.latter(high), Some(low));
        assert_eq!(sched.stats().merged_front, 1);
        assert_eq!(sched.check(), Ok(()));
    }
}
