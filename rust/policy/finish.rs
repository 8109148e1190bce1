// SPDX-License-Identifier: GPL-2.0

//! A request leaves the driver: completed, given back, or freed without completion.
//!
//! Source: CFQ 9, 16.2 (points 3 and 8).

use super::id::{
    RqId,
    NIL, //
};
use super::ioprio::Class;
use super::measure::Measure;
use super::memory::Memory;
use super::queue::Queue;
use super::request::{
    Counted,
    Payload,
    Request,
    State, //
};
use super::scheduler::{
    Kick,
    Refusal,
    Scheduler, //
};
use super::stats::Stats;
use super::time::Time;

impl<R, M: Memory<R>> Scheduler<R, M> {
    /// Undoes the counting of a request as being with the driver.
    #[inline]
    fn landed(&mut self, counted: Counted) {
        let device = &mut self.device;
        let flying = if counted.sync {
            &mut device.flying_sync
        } else {
            device.flying_pieces = device.flying_pieces.saturating_sub(counted.pieces);
            &mut device.flying_async
        };
        *flying = flying.saturating_sub(1);
        let mut rank = counted.rank;
        if let Some(queue) = self.queues.at_mut(counted.queue) {
            queue.dispatched = queue.dispatched.saturating_sub(1);
            rank = queue.rank();
        }
        self.precedence.landed(rank, counted.sync);
    }

    /// Ends a refusal that something in the driver was the reason for.
    #[inline]
    pub(super) fn lift(&mut self) {
        if self.idle_until == Time::NEVER {
            self.refusal = Refusal::None;
        }
    }

    /// A dispatched request has ended.
    #[inline]
    pub(super) fn completed(&mut self, now: Time, id: RqId) -> Kick {
        if id == RqId::PASSED {
            Stats::bump(&mut self.stats.completed);
            return self.passed_left();
        }
        let Some(index) = self.requests.find(id.handle()) else {
            return Kick::None;
        };
        match self.requests.at(index).map(|request| request.state) {
            Some(State::Dispatched | State::Requeued) => {}
            _ => return Kick::None,
        }
        let Some(request) = self.requests.free(index) else {
            return Kick::None;
        };
        let was = self.refusal;
        Stats::bump(&mut self.stats.completed);
        if request.state == State::Dispatched {
            if self.tunables.is_flash() {
                self.landed(request.counted());
            } else {
                self.note_measure(now, index, &request);
                self.landed(request.counted());
                self.note_end(now, &request);
            }
            self.lift();
        }
        self.unbind(request.queue);
        self.settle(was)
    }

    /// Draws the conclusions from a completion on a disk that seeks (9, steps 3 and 5).
    fn note_end(&mut self, now: Time, request: &Request<R>) {
        let queue = self.queues.at(request.queue);
        if request.sync {
            if let Some(process) = self.processes.find(request.process.handle()) {
                if let Some(process) = self.processes.at_mut(process) {
                    process.think.ended(now);
                }
            }
            let tree = queue.map(|queue| match queue.is_busy() {
                true => queue.tree,
                false => self.tree_of(queue),
            });
            if let Some(tree) = tree.and_then(|tree| self.group.tree_mut(tree)) {
                tree.think.ended(now);
            }
            if now.saturating_since(request.born) >= self.tunables.fifo_expire_sync {
                self.device.last_delayed_sync = now;
            }
        }
        if request.queue != self.active {
            return;
        }
        let Some(queue) = self.queues.at(self.active) else {
            return;
        };
        let landed = queue.dispatched == 0;
        let (dry, idle_class) = (queue.is_empty(), queue.class() == Class::Idle);
        if request.sync && self.slice.is_plain() && self.slice.ran_at(request.sent) {
            self.credit.note_usual(now.saturating_since(request.sent));
        }
        self.pay_back(now, request.sent);
        self.start_clock(now);
        // A turn for those who have waited too long is as long as it was promised.
        if (self.slice.is_used(now) && self.slice.favour == 0) || idle_class {
            self.expire(now, true);
        } else if self.slice.interrupts && dry && landed {
            // It has to be paid for now, not when somebody comes next.
            self.expire(now, false);
        } else if request.sync && dry && self.close_cooperator() == NIL {
            self.arm_idle(now);
        }
    }

    /// Tells `measure` of the request in slot `index`, which is still counted as with the driver.
    fn note_measure(&mut self, now: Time, index: u32, request: &Request<R>) {
        let (queued, flying) = (self.device.queued, self.device.flying());
        let kept_low = self.queues.at(self.active).is_some_and(|queue| {
            let all = queue.dispatched.saturating_add(queue.queued());
            queue.idle_window && all < Measure::DEEP && flying < Measure::DEEP
        });
        self.measure.sample_depth(queued, flying, kept_low);
        self.measure.ended(now, index, flying, request.far);
        self.measure.doubt(now, request.sent, request.jump);
        if request.sync && request.write && request.payload == Payload::Data {
            let took = now.saturating_since(request.sent);
            self.measure
                .wrote(took, request.pieces().saturating_mul(flying));
        }
    }

    /// The driver has given a request back.
    pub(super) fn given_back(&mut self, id: RqId) -> Kick {
        if id == RqId::PASSED {
            // It has no slot to come back to.
            Stats::bump(&mut self.stats.requeued);
            Stats::bump(&mut self.stats.cancelled);
            return self.passed_left();
        }
        let Some(index) = self.requests.find(id.handle()) else {
            return Kick::None;
        };
        let Some(request) = self.requests.at_mut(index) else {
            return Kick::None;
        };
        if request.state != State::Dispatched {
            return Kick::None;
        }
        request.state = State::Requeued;
        let counted = request.counted();
        let was = self.refusal;
        Stats::bump(&mut self.stats.requeued);
        self.landed(counted);
        self.lift();
        self.settle(was)
    }

    /// A request that was given back is inserted again.
    pub(super) fn take_back(&mut self, id: RqId, rq: R) -> Result<Kick, R> {
        // Some paths of the block core skip the requeue event. The kick of one that had passed may
        // go: the caller inserts it, and runs the queue.
        let kick = self.given_back(id);
        let Some(index) = self.requests.find(id.handle()) else {
            return Err(rq);
        };
        let Some(request) = self.requests.at_mut(index) else {
            return Err(rq);
        };
        if request.state != State::Requeued {
            return Err(rq);
        }
        request.state = State::AtHead;
        request.rq = Some(rq);
        self.push_head(index);
        Ok(self.head_kick().or(kick))
    }

    /// A request is freed, in whatever state it is.
    pub(super) fn cancelled(&mut self, id: RqId) -> (Option<R>, Kick) {
        if id == RqId::PASSED {
            Stats::bump(&mut self.stats.cancelled);
            return (None, self.passed_left());
        }
        let Some(index) = self.requests.find(id.handle()) else {
            return (None, Kick::None);
        };
        let Some(request) = self.requests.at(index) else {
            return (None, Kick::None);
        };
        let was = self.refusal;
        match request.state {
            State::Queued => {
                let queue = request.queue;
                self.take_out(index, false);
                if queue == self.active && self.queues.at(queue).is_some_and(Queue::is_empty) {
                    // The next queue may have better reasons to be served.
                    self.lift();
                }
            }
            State::AtHead => self.take_off_head(index),
            State::Dispatched => {
                let counted = request.counted();
                self.landed(counted);
                self.lift();
            }
            State::Requeued => {}
        }
        let Some(request) = self.requests.free(index) else {
            return (None, Kick::None);
        };
        Stats::bump(&mut self.stats.cancelled);
        self.unbind(request.queue);
        (request.rq, self.settle(was))
    }

    /// Takes a request off the head list.
    fn take_off_head(&mut self, index: u32) {
        self.head.remove(self.requests.slots_mut(), index);
        self.device.at_head = self.device.at_head.saturating_sub(1);
    }
}

#[cfg_attr(
    CONFIG_RCFQ_KUNIT_TEST,
    kernel::macros::kunit_tests(rcfq_policy_finish)
)]
#[cfg(any(test, CONFIG_RCFQ_KUNIT_TEST))]
mod tests {

    use super::*;
    use crate::policy::id::ProcessId;
    use crate::policy::testing::*;

    #[test]
    fn only_data_tells_of_a_cache_for_writes() {
        for payload in [Payload::Data, Payload::Zeroes, Payload::Nothing] {
            scheduler!(sched, SPINNING);
            let one = sched.process(ms(0), ProcessId::NONE);
            for _ in 0..32 {
                let mut arrival = read(one, 0);
                (arrival.write, arrival.payload) = (true, payload);
                add(&mut sched, ms(0), arrival, 1);
                let (_, id) = dispatch(&mut sched, ms(0));
                let _ = sched.complete(ms(0), id);
            }
            let absorbs = sched.measure.absorbs_writes();
            assert_eq!(absorbs, payload == Payload::Data);
        }
    }

    #[test]
    fn a_request_given_back_goes_before_all_others() {
        scheduler!(sched, SPINNING);
        let one = sched.process(ms(0), ProcessId::NONE);
        add(&mut sched, ms(0), read(one, 0), 1);
        let (_, id) = dispatch(&mut sched, ms(0));
        add(&mut sched, ms(0), read(one, 8), 2);
        let _ = sched.requeue(ms(1), id);
        assert_eq!(sched.in_driver(), 0);
        assert_eq!(sched.queued(), 1);
        assert_eq!(sched.reinsert(ms(2), id, 1), Ok(Kick::Run));
        assert_eq!(dispatch(&mut sched, ms(2)), (1, id));
        assert_eq!(sched.check(), Ok(()));
        let _ = sched.complete(ms(3), id);
        assert_eq!(sched.reinsert(ms(4), id, 1), Err(1));
    }

    #[test]
    fn a_request_can_be_freed_in_every_state() {
        scheduler!(sched, SPINNING);
        let one = sched.process(ms(0), ProcessId::NONE);
        assert_eq!(sched.processes(), 1);
        assert!(!sched.has_work());
        let queued = add(&mut sched, ms(0), read(one, 0), 1);
        assert!(sched.has_work());
        assert!(!sched.is_empty());
        assert_eq!(sched.cancel(ms(0), queued), (Some(1), Kick::None));
        let head = sched.insert_head(ms(0), read(one, 0), 2);
        let head = head.map_or(RqId::NONE, |(id, _)| id);
        assert_eq!(sched.cancel(ms(0), head).0, Some(2));
        add(&mut sched, ms(0), read(one, 0), 3);
        let (_, away) = dispatch(&mut sched, ms(0));
        assert_eq!(sched.in_driver(), 1);
        assert_eq!(sched.cancel(ms(0), away).0, None);
        add(&mut sched, ms(0), read(one, 0), 4);
        let (_, back) = dispatch(&mut sched, ms(0));
        let _ = sched.requeue(ms(0), back);
        assert_eq!(sched.cancel(ms(0), back).0, None);
        assert_eq!(sched.cancel(ms(0), back), (None, Kick::None));
        assert!(sched.is_empty());
        assert_eq!(sched.in_driver(), 0);
        assert_eq!(sched.stats().cancelled, 4);
        assert_eq!(sched.check(), Ok(()));
    }

    #[test]
    fn a_late_sync_request_costs_the_writers_their_depth() {
        for (born, writes) in [(875, [2, 0]), (876, [2, 3])] {
            scheduler!(sched, SPINNING);
            let one = sched.process(ms(1_000), ProcessId::NONE);
            let mut arrival = read(one, 0);
            arrival.born = ms(born);
            add(&mut sched, ms(1_000), arrival, 1);
            let (_, id) = dispatch(&mut sched, ms(1_000));
            let _ = sched.process_exit(ms(1_000), one);
            let _ = sched.complete(ms(1_000), id);
            add(&mut sched, ms(1_050), write(8), 2);
            add(&mut sched, ms(1_050), write(16), 3);
            for expected in writes {
                assert_eq!(dispatch(&mut sched, ms(1_050)).0, expected);
            }
        }
    }

    #[test]
    fn a_disk_that_is_given_little_is_not_called_unable_to_take_more() {
        for (requests, flying, waited_for, reorders) in [
            (4, 4, true, None),
            (5, 4, true, Some(false)),
            (4, 5, true, Some(true)),
            (4, 4, false, Some(false)),
        ] {
            scheduler!(sched, SPINNING);
            let one = sched.process(ms(0), ProcessId::NONE);
            let process = if waited_for { one } else { ProcessId::NONE };
            for rq in 0..requests {
                add(&mut sched, ms(0), read(process, u64::from(rq) * 8), rq);
            }
            let _ = dispatch(&mut sched, ms(0));
            // As if there were others.
            sched.device.flying_sync = flying;
            sched.device.queued = 9;
            let request = Request::new(&read(process, 0), State::Dispatched, 0u8);
            for _ in 0..51 {
                sched.note_measure(ms(1), 0, &request);
            }
            assert_eq!(sched.reorders(), reorders);
        }
    }

    #[test]
    fn a_cancel_changes_who_is_next_only_if_it_was_that_one() {
        for (cancelled, next) in [(0, 2), (2, 1)] {
            scheduler!(sched, SPINNING);
            let one = sched.process(ms(0), ProcessId::NONE);
            let mut ids = [RqId::NONE; 3];
            for ((rq, position), id) in [(1, 8), (2, 40), (3, 1_000)].into_iter().zip(&mut ids) {
                *id = add(&mut sched, ms(0), read(one, position), rq);
            }
            let id = ids.get(cancelled).copied().unwrap_or_default();
            assert!(sched.cancel(ms(0), id).0.is_some());
            assert_eq!(dispatch(&mut sched, ms(0)).0, next);
        }
    }

    #[test]
    fn what_a_refusal_does_not_depend_on_may_be_cancelled_without_a_kick() {
        scheduler!(sched, SPINNING);
        assert!(sched
            .insert_head(ms(0), read(ProcessId::NONE, 0), 1)
            .is_ok());
        let (_, id) = dispatch(&mut sched, ms(0));
        let one = add(&mut sched, ms(0), write(0), 2);
        add(&mut sched, ms(0), write(8), 3);
        let idle = add(&mut sched, ms(0), in_class(write(0), Class::Idle), 4);
        assert_eq!(dispatch(&mut sched, ms(0)).0, 0);
        assert_eq!(sched.cancel(ms(1), one), (Some(2), Kick::None));
        assert_eq!(sched.cancel(ms(1), idle), (Some(4), Kick::None));
        assert!(!sched.has_work());
        assert_eq!(sched.complete(ms(2), id), Kick::Run);
        assert_eq!(dispatch(&mut sched, ms(2)).0, 3);
    }

    #[test]
    fn a_queue_outlives_its_process() {
        scheduler!(sched, SPINNING);
        let one = sched.process(ms(0), ProcessId::NONE);
        add(&mut sched, ms(0), read(one, 0), 1);
        add(&mut sched, ms(0), read(one, 8), 2);
        let (_, id) = dispatch(&mut sched, ms(0));
        let _ = sched.process_exit(ms(1), one);
        assert_eq!(sched.processes(), 0);
        let _ = sched.complete(ms(2), id);
        let (second, id) = dispatch(&mut sched, ms(2));
        assert_eq!(second, 2);
        let _ = sched.complete(ms(3), id);
        assert_eq!(dispatch(&mut sched, ms(3)).0, 0);
        sched.expire(ms(3), false);
        // Only that of those without a record is left.
        assert_eq!(sched.queues.len(), 1);
        assert_eq!(sched.check(), Ok(()));
    }
}
