// SPDX-License-Identifier: GPL-2.0

//! A request arrives.
//!
//! Source: CFQ 4 and 5.

use super::id::{
    RqId,
    NIL, //
};
use super::memory::Memory;
use super::request::{
    Arrival,
    Request,
    State, //
};
use super::scheduler::{
    Kick,
    Refusal,
    Scheduler, //
};
use super::slab::at;
use super::stats::Stats;
use super::time::Time;

impl<R, M: Memory<R>> Scheduler<R, M> {
    /// Queues a request in order.
    #[inline]
    pub(super) fn enqueue(
        &mut self,
        now: Time,
        arrival: &Arrival,
        rq: R,
    ) -> Result<(RqId, Kick), R> {
        let was = self.refusal;
        let owner = &arrival.owner;
        let index = self.queue_for(now, owner, arrival.prio);
        let Some(queue) = self.queues.at(index) else {
            return Err(rq);
        };
        let (rank, class) = (queue.rank(), queue.class());
        let mut request = Request::new(arrival, State::Queued, rq);
        request.queue = index;
        request.deadline = now.saturating_add(self.tunables.fifo_expire(owner.sync));
        let handle = match self.requests.alloc(request) {
            Ok(handle) => handle,
            // A record just made gives its request back; it always holds one.
            Err(Request { rq: Some(rq), .. }) => return Err(rq),
            Err(_) => return Ok((RqId::NONE, Kick::None)),
        };
        if arrival.is_awaited_write() {
            self.note_awaited(index);
        }
        self.link(now, index, handle.index);
        Stats::bump(&mut self.stats.inserted);
        if owner.sync {
            self.device.last_sync = now;
            self.precedence.arrived(now, rank, index);
            self.precedence.waits(rank);
        }
        if self.tunables.is_flash() {
            // It is seldom among those that are refused there; if it is, dispatch says so again.
            let best = match owner.sync {
                true => None,
                false => self.precedence.best(now),
            };
            let held = best.is_some_and(|best| self.async_gives_way(class, best));
            if !held {
                self.refusal = Refusal::None;
            }
        } else if owner.sync {
            let process = self.processes.find(owner.process.handle());
            self.update_idling(now, index, process.unwrap_or(NIL), arrival);
        }
        if index == self.active {
            self.wait_hit(arrival.sectors);
        } else {
            self.maybe_preempt(now, index, arrival);
        }
        Ok((RqId::new(handle), self.settle(was)))
    }

    /// Puts a request, whose record is complete, into its queue, and the queue among the busy.
    #[inline]
    fn link(&mut self, now: Time, index: u32, rq: u32) {
        let Some(queue) = self.queues.at_mut(index) else {
            return;
        };
        let slots = self.requests.slots_mut();
        if let Some(request) = at(slots, rq) {
            queue.waits(request.class);
        }
        queue.fifo.push_back(slots, rq);
        queue.sort_in(slots, rq, &self.choice, self.device.last_position);
        queue.requests = queue.requests.saturating_add(1);
        self.device.queued = self.device.queued.saturating_add(1);
        if !queue.is_busy() {
            self.make_busy(now, index);
        }
        self.reposition(index);
    }

    /// Queues a request before all others.
    pub(super) fn enqueue_head(&mut self, arrival: &Arrival, rq: R) -> Result<(RqId, Kick), R> {
        let handle = match self
            .requests
            .alloc(Request::new(arrival, State::AtHead, rq))
        {
            Ok(handle) => handle,
            Err(Request { rq: Some(rq), .. }) => return Err(rq),
            Err(_) => return Ok((RqId::NONE, Kick::None)),
        };
        self.push_head(handle.index);
        Stats::bump(&mut self.stats.inserted_head);
        Ok((RqId::new(handle), self.head_kick()))
    }

    /// Puts a request on the head list.
    pub(super) fn push_head(&mut self, index: u32) {
        self.head.push_back(self.requests.slots_mut(), index);
        self.device.at_head = self.device.at_head.saturating_add(1);
    }

    /// Returns the kick for a request on the head list: nothing holds those up.
    pub(super) fn head_kick(&mut self) -> Kick {
        Stats::bump(&mut self.stats.kicks);
        Kick::Run
    }
}
