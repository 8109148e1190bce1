// SPDX-License-Identifier: GPL-2.0

//! Which request of the active queue goes out, whether it may now, and taking it out.
//!
//! Source: CFQ 8.1 to 8.3.

use super::id::{
    RqId,
    NIL, //
};
use super::ioprio::Class;
use super::memory::Memory;
use super::near::CLOSE;
use super::queue::Queue;
use super::request::State;
use super::scheduler::Scheduler;
use super::stats::Stats;
use super::time::Time;
use super::weight::fits;

impl<R, M: Memory<R>> Scheduler<R, M> {
    /// Returns the head of the active queue's fifo if its deadline is over; once per slice (8.3).
    #[inline]
    pub(super) fn expired_head(&mut self, now: Time) -> Option<u32> {
        if self.slice.fifo_checked {
            return None;
        }
        self.slice.fifo_checked = true;
        let head = self.queues.at(self.active)?.fifo.first();
        if self.requests.at(head)?.deadline > now {
            return None;
        }
        Stats::bump(&mut self.stats.fifo_expired);
        Some(head)
    }

    /// Returns the request that the active queue may send now.
    pub(super) fn may_give(&mut self, now: Time) -> Option<u32> {
        if self.slice.favour > 0 {
            return Some(self.queues.at(self.active)?.fifo.first());
        }
        if let Some(head) = self.expired_head(now) {
            self.slice.must_dispatch = true;
            return Some(head);
        }
        let queue = self.queues.at(self.active)?;
        let next = queue.next_rq;
        if self.slice.must_dispatch || self.may_dispatch(now, queue) {
            Some(next)
        } else {
            None
        }
    }

    /// Returns whether the driver has room for one more request of the active queue (8.2).
    fn may_dispatch(&self, now: Time, queue: &Queue) -> bool {
        let device = &self.device;
        if device.flying_async > 0 && self.is_worth_waiting() {
            return false;
        }
        if !queue.sync && device.flying_sync > 0 {
            return false;
        }
        let quantum = self.tunables.quantum;
        let mut limit = match queue.class() {
            Class::Idle => 1,
            Class::RealTime | Class::BestEffort => (quantum / 2).max(1),
        };
        if queue.dispatched >= limit {
            if queue.class() == Class::Idle {
                return false;
            }
            let alone_sync = queue.sync && device.busy_sync == 1;
            let each = self.tunables.slice_idle;
            let soon = self.slice.is_used_soon(now, each, queue.dispatched);
            if device.busy > 1 && soon && !alone_sync {
                return false;
            }
            limit = if device.busy == 1 || alone_sync {
                u32::MAX
            } else {
                quantum
            };
        }
        if !queue.sync && self.tunables.low_latency {
            limit = limit.min(self.async_depth(now));
            // A reader whose slice has just ended is about to come back: see who else is there
            // before the disk is given more.
            let about = now.saturating_since(device.last_sync) < self.tunables.slice_idle;
            if self.slice.is_new && about {
                limit = limit.min(1);
            }
        }
        queue.dispatched < limit
    }

    /// Returns how many async requests may be with the driver: one more for each sync slice since
    /// a sync request was last late (8.2, step 6).
    fn async_depth(&self, now: Time) -> u32 {
        let since = now.saturating_since(self.device.last_delayed_sync);
        fits(since, self.tunables.slice_sync).max(1)
    }

    /// Takes a queued request out of its queue's orders (4.5).
    #[inline]
    pub(super) fn take_out(&mut self, index: u32, goes_to_driver: bool) {
        let Some(request) = self.requests.at(index) else {
            return;
        };
        let (home, class) = (request.queue, request.class);
        let Some(queue) = self.queues.at_mut(home) else {
            return;
        };
        if request.sync {
            self.precedence.waits_no_more(queue.rank());
        }
        let slots = self.requests.slots_mut();
        queue.sort_out(slots, index, &self.choice, goes_to_driver);
        queue.fifo.remove(slots, index);
        queue.waits_no_more(class);
        self.device.queued = self.device.queued.saturating_sub(1);
        self.reposition(home);
    }

    /// Hands a request of the active queue over (8.1).
    #[inline]
    pub(super) fn give(&mut self, now: Time, index: u32) -> Option<(R, RqId)> {
        self.take_out(index, true);
        let request = self.requests.at(index)?;
        // Only what goes out counts as service: a queue may be active and get nothing.
        if let Some(queue) = self.queues.at(request.queue) {
            self.group.note_served(queue.class(), now);
        }
        if self.active_process.is_none() {
            self.active_process = request.process;
        }
        self.slice.spent = self.slice.spent.saturating_add(request.pieces());
        self.hand_over(now, index)
    }

    /// Hands the first request of the head list over.
    pub(super) fn give_head(&mut self, now: Time) -> Option<(R, RqId)> {
        let index = self.head.first();
        if index == NIL {
            return None;
        }
        self.head.remove(self.requests.slots_mut(), index);
        self.device.at_head = self.device.at_head.saturating_sub(1);
        self.hand_over(now, index)
    }

    /// Counts a request, which is in no order any more, as being with the driver.
    #[inline]
    fn hand_over(&mut self, now: Time, index: u32) -> Option<(R, RqId)> {
        let id = RqId::new(self.requests.handle(index)?);
        if !self.tunables.is_flash() {
            self.note_start(now, index);
        }
        let request = self.requests.at_mut(index)?;
        request.state = State::Dispatched;
        request.sent = now;
        let rq = request.rq.take()?;
        self.device.last_position = request.end();
        if request.sync {
            self.device.flying_sync = self.device.flying_sync.saturating_add(1);
        } else {
            self.device.flying_async = self.device.flying_async.saturating_add(1);
            self.device.flying_pieces = self.device.flying_pieces.saturating_add(request.pieces());
        }
        let mut rank = request.rank;
        if let Some(queue) = self.queues.at_mut(request.queue) {
            queue.dispatched = queue.dispatched.saturating_add(1);
            rank = queue.rank();
        }
        self.precedence.sent(rank, request.sync);
        let flying = self.device.flying();
        self.device.taken = self.device.taken.max(flying);
        self.device.passable = self.device.passable.max(flying);
        if flying >= self.room() {
            self.precedence.filled();
        }
        Stats::bump(&mut self.stats.dispatched);
        Some((rq, id))
    }

    /// Tells `measure` of a request that goes to the driver.
    fn note_start(&mut self, now: Time, index: u32) {
        let (head, flying) = (self.device.last_position, self.device.flying());
        let Some(request) = self.requests.at_mut(index) else {
            return;
        };
        let seeky = self
            .queues
            .at(request.queue)
            .is_some_and(|queue| queue.seek.is_seeky());
        request.jump = !request.write && request.position.distance(head) > CLOSE;
        request.far = seeky && request.jump;
        let far = request.far;
        self.measure.went(now, index, flying, far);
    }
}

#[cfg_attr(CONFIG_RCFQ_KUNIT_TEST, kernel::macros::kunit_tests(rcfq_policy_give))]
#[cfg(any(test, CONFIG_RCFQ_KUNIT_TEST))]
mod tests {

    use crate::policy::id::ProcessId;
    use crate::policy::ioprio::Class;
    use crate::policy::near::CLOSE;
    use crate::policy::scheduler::{
        Decision,
        Kick, //
    };
    use crate::policy::testing::*;

    #[test]
    fn an_expired_request_goes_first_and_the_sweep_goes_on_from_there() {
        scheduler!(sched, SPINNING);
        let one = sched.process(ms(0), ProcessId::NONE);
        add(&mut sched, ms(0), read(one, 5_000), 1);
        add(&mut sched, ms(100), read(one, 0), 2);
        add(&mut sched, ms(100), read(one, 5_008), 3);
        assert_eq!(dispatch(&mut sched, ms(125)).0, 1);
        assert_eq!(dispatch(&mut sched, ms(125)).0, 3);
        // Looked at once a slice.
        assert_eq!(dispatch(&mut sched, ms(300)).0, 2);
        assert_eq!(sched.stats().fifo_expired, 1);
    }

    #[test]
    fn requests_go_out_in_the_order_of_the_disk() {
        scheduler!(sched, SPINNING);
        let one = sched.process(ms(0), ProcessId::NONE);
        for (rq, position) in [(1, 300), (2, 100), (3, 200)] {
            add(&mut sched, ms(0), read(one, position), rq);
        }
        for expected in [2, 3, 1] {
            assert_eq!(dispatch(&mut sched, ms(0)).0, expected);
        }
    }

    #[test]
    fn async_depth_grows_with_the_time_since_a_late_sync_request() {
        scheduler!(sched, SPINNING);
        for rq in 1..6u8 {
            add(&mut sched, ms(0), write(u64::from(rq) * 8), rq);
        }
        let (first, id) = dispatch(&mut sched, ms(50));
        assert_eq!(first, 1);
        assert_eq!(sched.dispatch(ms(50)), Decision::Nothing);
        assert!(!sched.has_work());
        assert_eq!(sched.complete(ms(60), id), Kick::Run);
        for expected in [2, 3, 0] {
            assert_eq!(dispatch(&mut sched, ms(210)).0, expected);
        }
        assert_eq!(sched.check(), Ok(()));
    }

    #[test]
    fn a_writer_starts_with_one_request_if_a_reader_was_there_a_moment_ago() {
        for (now, next) in [(5_007, 0), (5_008, 3)] {
            scheduler!(sched, SPINNING);
            let one = sched.process(ms(5_000), ProcessId::NONE);
            let mut arrival = read(one, 0);
            arrival.born = ms(5_000);
            add(&mut sched, ms(5_000), arrival, 1);
            let (_, id) = dispatch(&mut sched, ms(5_000));
            let _ = sched.process_exit(ms(5_000), one);
            let _ = sched.complete(ms(5_000), id);
            add(&mut sched, ms(5_000), write(8), 2);
            add(&mut sched, ms(5_000), write(16), 3);
            assert_eq!(dispatch(&mut sched, ms(now)).0, 2);
            assert_eq!(dispatch(&mut sched, ms(now)).0, next);
        }
    }

    #[test]
    fn async_does_not_start_while_sync_is_with_the_driver() {
        scheduler!(sched, SPINNING);
        assert!(sched
            .insert_head(ms(0), read(ProcessId::NONE, 0), 1)
            .is_ok());
        let (_, id) = dispatch(&mut sched, ms(0));
        let gone = add(&mut sched, ms(0), write(0), 2);
        add(&mut sched, ms(0), in_class(write(0), Class::Idle), 3);
        assert_eq!(dispatch(&mut sched, ms(0)).0, 0);
        assert!(!sched.has_work());
        // Whatever takes the reason away ends the refusal.
        assert_eq!(sched.cancel(ms(1), gone), (Some(2), Kick::Run));
        assert_eq!(dispatch(&mut sched, ms(1)).0, 0);
        assert_eq!(sched.complete(ms(2), id), Kick::Run);
        assert_eq!(dispatch(&mut sched, ms(2)).0, 3);
    }

    #[test]
    fn quantum_bounds_what_one_of_several_queues_has_with_the_driver() {
        scheduler!(sched, SPINNING);
        let mut tunables = sched.tunables().clone();
        tunables.quantum = 3;
        let _ = sched.set_tunables(ms(0), tunables);
        let one = sched.process(ms(0), ProcessId::NONE);
        let two = sched.process(ms(0), ProcessId::NONE);
        for rq in 1..6u8 {
            add(&mut sched, ms(0), read(one, u64::from(rq) * 8), rq);
        }
        add(&mut sched, ms(0), read(two, 90_000), 9);
        // Half of it before the first completion, all of it afterwards.
        let (first, id) = dispatch(&mut sched, ms(0));
        assert_eq!(first, 1);
        assert_eq!(dispatch(&mut sched, ms(0)).0, 0);
        assert_eq!(sched.complete(ms(1), id), Kick::Run);
        for expected in [2, 3, 4, 0] {
            assert_eq!(dispatch(&mut sched, ms(1)).0, expected);
        }
        assert_eq!(sched.check(), Ok(()));
    }

    #[test]
    fn a_lone_writer_may_fill_the_device() {
        scheduler!(sched, SPINNING);
        let mut tunables = sched.tunables().clone();
        tunables.quantum = 2;
        tunables.low_latency = false;
        let _ = sched.set_tunables(ms(0), tunables);
        for rq in 1..6u8 {
            add(&mut sched, ms(0), write(u64::from(rq) * 8), rq);
        }
        for expected in [1, 2, 3, 4, 5, 0] {
            assert_eq!(dispatch(&mut sched, ms(0)).0, expected);
        }
    }

    #[test]
    fn only_far_reads_tell_whether_the_disk_has_an_arm() {
        // A drive takes writes into its cache in no time, and may have read what is close.
        for (write, distance, seekless) in [
            (false, CLOSE + 1, true),
            (false, CLOSE, false),
            (true, CLOSE + 1, false),
        ] {
            scheduler!(sched, SPINNING);
            let one = sched.process(ms(0), ProcessId::NONE);
            for at in 0..60 {
                let mut arrival = read(one, at * (8 + distance));
                arrival.write = write;
                add(&mut sched, ms(at), arrival, 1);
                let (_, id) = dispatch(&mut sched, ms(at));
                let _ = sched.complete(ms(at), id);
            }
            assert_eq!(sched.is_seekless(), seekless);
        }
    }
}
