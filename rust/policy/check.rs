// SPDX-License-Identifier: GPL-2.0

//! All invariants, checked from scratch. O(n); for tests.
//!
//! Source: ours.

use super::id::NIL;
use super::memory::Memory;
use super::precedence::{
    Precedence,
    Rank, //
};
use super::queue::Queue;
use super::request::{
    Request,
    State, //
};
use super::scheduler::{
    Refusal,
    Scheduler, //
};
use super::time::Time;

impl<R, M: Memory<R>> Scheduler<R, M> {
    /// Checks all invariants.
    ///
    /// # Errors
    ///
    /// Names the first invariant found broken.
    pub fn check(&self) -> Result<(), &'static str> {
        self.check_counts()?;
        self.check_refusal()?;
        if !self.group.is_sound(self.queues.slots()) {
            return Err("service trees are sound");
        }
        if !self
            .head
            .is_sound(self.requests.slots(), self.device.at_head)
        {
            return Err("the head list is sound");
        }
        if !self
            .clock
            .is_sound(self.processes.slots(), self.processes.len())
        {
            return Err("every process record is on the clock");
        }
        if !self.positions.is_sound(self.queues.slots()) {
            return Err("the orders by position are sound");
        }
        for index in 0..self.queues.capacity() {
            if let Some(queue) = self.queues.at(index) {
                self.check_queue(index, queue)?;
            }
        }
        Ok(())
    }

    fn check_counts(&self) -> Result<(), &'static str> {
        let [mut queued, mut at_head, mut sync, mut async_, mut pieces] = [0u32; 5];
        let slots = 0..self.requests.capacity();
        for request in slots.filter_map(|index| self.requests.at(index)) {
            if request.state == State::Dispatched && !request.sync {
                pieces = pieces.saturating_add(request.pieces());
            }
            let count = match request.state {
                State::Queued => &mut queued,
                State::AtHead => &mut at_head,
                State::Dispatched if request.sync => &mut sync,
                State::Dispatched => &mut async_,
                State::Requeued => continue,
            };
            *count = count.saturating_add(1);
            let held = matches!(request.state, State::Queued | State::AtHead);
            if held != request.rq.is_some() {
                return Err("the handle is held exactly while queued");
            }
        }
        let device = &self.device;
        if pieces != device.flying_pieces {
            return Err("pieces in the driver are counted");
        }
        if (queued, at_head) != (device.queued, device.at_head) {
            return Err("queued requests are counted");
        }
        sync = sync.saturating_add(device.passed);
        if (sync, async_) != (device.flying_sync, device.flying_async) {
            return Err("requests in the driver are counted");
        }
        self.check_precedence()?;
        let busy = |sync_only: bool| {
            (0..self.queues.capacity())
                .filter_map(|index| self.queues.at(index))
                .filter(|queue| queue.is_busy() && (queue.sync || !sync_only))
                .fold(0u32, |count, _| count.saturating_add(1))
        };
        if (busy(false), busy(true)) != (device.busy, device.busy_sync) {
            return Err("busy queues are counted");
        }
        Ok(())
    }

    fn check_precedence(&self) -> Result<(), &'static str> {
        let rank_of = |request: &Request<R>| {
            let queue = self.queues.at(request.queue);
            queue.map_or(request.rank, Queue::rank)
        };
        for rank in Precedence::ranks() {
            let slots = 0..self.requests.capacity();
            let count = |state: State, sync: bool| {
                slots
                    .clone()
                    .filter_map(|index| self.requests.at(index))
                    .filter(|request| request.state == state)
                    .filter(|request| rank_of(request) == rank && request.sync == sync)
                    .fold(0u32, |count, _| count.saturating_add(1))
            };
            let passed = match rank {
                Rank::NORM => self.device.passed,
                _ => 0,
            };
            let expected = [
                count(State::Dispatched, true).saturating_add(passed),
                count(State::Dispatched, false),
                count(State::Queued, true),
            ];
            if self.precedence.of(rank) != expected {
                return Err("requests are counted by rank");
            }
        }
        Ok(())
    }

    fn check_refusal(&self) -> Result<(), &'static str> {
        let waiting = self.idle_until != Time::NEVER;
        if waiting {
            let active = self.queues.at(self.active);
            if self.refusal != Refusal::Arrival || !active.is_some_and(Queue::is_empty) {
                return Err("waiting is for the active, empty queue");
            }
        }
        let refusing = self.refusal != Refusal::None && self.device.queued > 0;
        if refusing && !waiting && self.device.flying() == 0 {
            return Err("refusing always has a wake-up");
        }
        Ok(())
    }

    fn check_queue(&self, index: u32, queue: &Queue) -> Result<(), &'static str> {
        let slots = self.requests.slots();
        if !queue.sort.is_sound::<Request<R>>(slots) {
            return Err("the order by position is sound");
        }
        if !queue.fifo.is_sound::<Request<R>>(slots, queue.queued()) {
            return Err("the fifo holds what the order holds");
        }
        let requests = || {
            (0..self.requests.capacity())
                .filter_map(|slot| self.requests.at(slot))
                .filter(|request| request.queue == index)
        };
        let count = |state: State| {
            requests()
                .filter(|request| request.state == state)
                .fold(0u32, |count, _| count.saturating_add(1))
        };
        let bound = requests().fold(0u32, |count, _| count.saturating_add(1));
        if bound != queue.requests
            || count(State::Queued) != queue.queued()
            || count(State::Dispatched) != queue.dispatched
        {
            return Err("a queue counts its requests");
        }
        let mut waiting = [0u32; 3];
        for request in requests().filter(|request| request.state == State::Queued) {
            if let Some(count) = waiting.get_mut(request.class.index()) {
                *count = count.saturating_add(1);
            }
        }
        if waiting != queue.waiting {
            return Err("a queue counts its requests by class");
        }
        let next = self.requests.at(queue.next_rq);
        let elected = next.is_some_and(|next| next.queue == index && next.state == State::Queued);
        if elected == queue.is_empty() || (queue.next_rq == NIL) != queue.is_empty() {
            return Err("the next request is a queued one");
        }
        let near = if self.tunables.is_flash() {
            None
        } else {
            self.near_of(index, queue)
        };
        if queue.near != near {
            return Err("a queue is in its place by position");
        }
        let active = self.active == index;
        if queue.is_dead() && !active {
            return Err("a queue without use is freed");
        }
        if queue.is_empty() && queue.is_busy() && !active {
            return Err("only the active queue is busy and empty");
        }
        if !queue.is_empty() && !queue.is_busy() {
            return Err("a queue with requests is busy");
        }
        Ok(())
    }
}
