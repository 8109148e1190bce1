// SPDX-License-Identifier: GPL-2.0

//! Waiting for the next request of the active queue, or not.
//!
//! Source: CFQ 5.1 to 5.4, 7. Ours: any request of the awaited queue ends the wait,
//! and a wait never outlasts the slice.

use super::ioprio::Class;
use super::memory::Memory;
use super::request::Arrival;
use super::scheduler::{
    Kick,
    Refusal,
    Scheduler, //
};
use super::stats::Stats;
use super::time::{
    Span,
    Time, //
};

/// Longest wait, unless `target_latency` is longer.
///
/// Far above any wait that pays on a disk; without it settings could stop the disk for days.
const MAX_WAIT: Span = Span::from_ms(1_000);

/// Requests queued at once that make a queue deep (CFQ 2.3).
const DEEP: u32 = 4;

/// Requests of more sectors than this are larger than a page.
const PAGE_SECTORS: u32 = 8;

impl<R, M: Memory<R>> Scheduler<R, M> {
    /// Returns whether it pays to wait for the next request of the active queue (7.1).
    pub(super) fn is_worth_waiting(&self) -> bool {
        let Some(queue) = self.queues.at(self.active) else {
            return false;
        };
        if self.tunables.is_flash() || queue.class() == Class::Idle || self.slice.interrupts {
            return false;
        }
        let unknown = queue.seek.noted() == 0 && self.newcomers.are_seeky();
        if queue.idle_window && !self.is_parallel() && !unknown {
            return true;
        }
        // A process in the middle of an fsync waits for another one, see `yielding`.
        if queue.yields && self.device.busy > 1 {
            return false;
        }
        // Only the last one of a tree is waited for. A reader that has just turned out to be seeky
        // is on the tree of the sequential ones still, but must not hold up the seeky ones.
        let becomes = self.tree_of(queue);
        let alone = becomes == queue.tree || !self.group.is_occupied(becomes);
        let Some(tree) = self.group.tree(queue.tree) else {
            return false;
        };
        queue.sync
            && alone
            && tree.tree.len() == 1
            && !tree.think.is_longer_than(self.tunables.slice_idle)
    }

    /// Returns whether waiting for a single queue is pointless, since the device either does not
    /// seek or does several things at once.
    pub(super) fn is_parallel(&self) -> bool {
        if self.disk.rotational {
            self.tunables.slice_idle_auto && self.measure.is_seekless()
        } else {
            self.disk.may_reorder() && self.measure.reorders()
        }
    }

    /// Starts to wait for the active queue, which has just run dry, if that pays (7.2).
    pub(super) fn arm_idle(&mut self, now: Time) {
        if self.idle_until != Time::NEVER || self.is_parallel() || !self.is_worth_waiting() {
            return;
        }
        let Some(queue) = self.queues.at(self.active) else {
            return;
        };
        if queue.dispatched > 0 {
            return;
        }
        let process = self.processes.find(self.active_process.handle());
        let Some(process) = process.and_then(|index| self.processes.at(index)) else {
            return;
        };
        let left = self.slice.left(now);
        if process.think.mean().is_some_and(|mean| left < mean) {
            return;
        }
        // Slice and wait may be set to days; whoever comes meanwhile must not wait for so long.
        let longest = self.tunables.target_latency.max(MAX_WAIT);
        let wait = self.tunables.slice_idle.min(longest);
        self.idle_until = now.saturating_add(wait).min(self.slice.end());
        self.refusal = Refusal::Arrival;
        Stats::bump(&mut self.stats.idle_armed);
    }

    /// Ends the wait because a request of the active queue has come (5.4).
    pub(super) fn wait_hit(&mut self, sectors: u32) {
        if self.idle_until != Time::NEVER {
            self.idle_until = Time::NEVER;
            Stats::bump(&mut self.stats.idle_hit);
            let large = sectors > PAGE_SECTORS;
            let busy = self.device.busy > 1;
            if large {
                Stats::bump(&mut self.stats.kick_large);
            }
            if busy {
                Stats::bump(&mut self.stats.kick_busy);
            }
            // Whatever the depth rules say, what was waited for is served.
            self.slice.must_dispatch = !large && !busy;
        }
        if self.refusal == Refusal::Arrival {
            self.refusal = Refusal::None;
        }
    }

    /// Ends the wait if it is over at `now` (7.3).
    pub(super) fn wait_over(&mut self, now: Time) -> Kick {
        if self.idle_until == Time::NEVER || now < self.idle_until {
            return Kick::None;
        }
        let was = self.refusal;
        self.idle_until = Time::NEVER;
        Stats::bump(&mut self.stats.idle_expired);
        if let Some(queue) = self.queues.at_mut(self.active) {
            queue.deep = false;
        }
        self.expire(now, false);
        self.settle(was)
    }

    /// Takes a new request of a sync queue into account: does waiting pay still? (5.1 to 5.3)
    pub(super) fn update_idling(&mut self, now: Time, index: u32, process: u32, arrival: &Arrival) {
        let cap = self.tunables.slice_idle;
        let Some(queue) = self.queues.at_mut(index) else {
            return;
        };
        if let Some(tree) = self.group.tree_mut(queue.tree) {
            tree.think.came(now, cap);
        }
        let (position, sectors) = (arrival.position, arrival.sectors);
        queue.seek.note(position, sectors, self.disk.rotational);
        self.newcomers.age(now);
        if queue.seek.noted() == 1 {
            self.newcomers.note(now, queue.seek.is_seeky());
        }
        queue.deep |= queue.queued() >= DEEP && queue.class() != Class::Idle;
        queue.yields = arrival.is_awaited_write();
        let Some(process) = self.processes.at_mut(process) else {
            return;
        };
        process.think.came(now, cap);
        let shallow_seeks = queue.seek.is_seeky() && !queue.deep;
        // What a cache of the drive takes costs no seek: writers need not take turns.
        let absorbed = arrival.write && self.measure.absorbs_writes();
        if queue.yields || shallow_seeks || absorbed || queue.class() == Class::Idle {
            queue.idle_window = false;
        } else if let Some(mean) = process.think.mean() {
            // One slow process must not cost those who share the queue their slice.
            queue.idle_window = mean <= cap || (queue.coop && queue.idle_window);
        }
    }
}

#[cfg_attr(CONFIG_RCFQ_KUNIT_TEST, kernel::macros::kunit_tests(rcfq_policy_idle))]
#[cfg(any(test, CONFIG_RCFQ_KUNIT_TEST))]
mod tests {

    use super::*;
    use crate::policy::id::ProcessId;
    use crate::policy::request::Disk;
    use crate::policy::scheduler::Decision;
    use crate::policy::testing::*;

    #[test]
    fn the_disk_waits_for_the_next_request_of_a_reader() {
        scheduler!(sched, SPINNING);
        let one = sched.process(ms(0), ProcessId::NONE);
        let two = sched.process(ms(0), ProcessId::NONE);
        add(&mut sched, ms(0), read(one, 0), 1);
        add(&mut sched, ms(0), read(two, 90_000), 2);
        let (first, id) = dispatch(&mut sched, ms(0));
        assert_eq!(first, 1);
        assert_eq!(sched.complete(ms(5), id), Kick::None);
        assert_eq!(sched.poll_at(), Some(ms(13)));
        assert!(!sched.has_work());
        let until = ms(13);
        let expected = Decision::Idle { until };
        assert_eq!(sched.dispatch(ms(6)), expected);
        // The busy queue kick: another queue is busy, so the wait ends at once.
        let (_, kick) = insert(&mut sched, ms(7), read(one, 8), 3);
        assert_eq!(kick, Kick::Run);
        assert_eq!(sched.poll_at(), None);
        assert_eq!(dispatch(&mut sched, ms(7)).0, 3);
        assert_eq!(sched.stats().kick_busy, 1);
        assert_eq!(sched.stats().kick_large, 0);
        assert_eq!(sched.check(), Ok(()));
    }

    #[test]
    fn a_reader_that_turns_out_to_be_seeky_joins_the_others() {
        scheduler!(sched, SPINNING);
        let one = sched.process(ms(0), ProcessId::NONE);
        let two = sched.process(ms(0), ProcessId::NONE);
        for step in 0..3u64 {
            add(&mut sched, ms(step * 10), read(one, step * 1_000_000), 1);
            let (rq, id) = dispatch(&mut sched, ms(step * 10));
            assert_eq!(rq, 1);
            let _ = sched.complete(ms(step * 10 + 9), id);
        }
        // Nobody comes for the rest of the first turn.
        let _ = sched.timer(ms(39));
        add(&mut sched, ms(40), read(two, 50_000_000), 2);
        let (rq, id) = dispatch(&mut sched, ms(40));
        assert_eq!(rq, 2);
        add(&mut sched, ms(45), read(one, 90_000_000), 1);
        let _ = sched.complete(ms(50), id);
        add(&mut sched, ms(50), read(two, 70_000_000), 3);
        assert_eq!(dispatch(&mut sched, ms(50)).0, 3);
        // Two is still on the tree where it began, and alone there; but it is seeky, like one.
        assert_eq!(dispatch(&mut sched, ms(50)).0, 1);
        assert_eq!(sched.check(), Ok(()));
    }

    #[test]
    fn a_wait_in_vain_ends_in_time() {
        scheduler!(sched, SPINNING);
        let one = sched.process(ms(0), ProcessId::NONE);
        let two = sched.process(ms(0), ProcessId::NONE);
        add(&mut sched, ms(0), read(one, 0), 1);
        add(&mut sched, ms(0), read(two, 90_000), 2);
        let (_, id) = dispatch(&mut sched, ms(0));
        assert_eq!(sched.complete(ms(5), id), Kick::None);
        assert_eq!(sched.timer(ms(12)), Kick::None);
        assert_eq!(sched.timer(ms(13)), Kick::Run);
        assert_eq!(sched.poll_at(), None);
        assert_eq!(dispatch(&mut sched, ms(13)).0, 2);
        assert_eq!(sched.stats().idle_expired, 1);
        assert_eq!(sched.timer(ms(14)), Kick::None);
    }

    #[test]
    fn nobody_waits_for_a_process_that_has_gone() {
        scheduler!(sched, SPINNING);
        let one = sched.process(ms(0), ProcessId::NONE);
        let two = sched.process(ms(0), ProcessId::NONE);
        add(&mut sched, ms(0), read(one, 0), 1);
        add(&mut sched, ms(0), read(two, 90_000), 2);
        let (_, id) = dispatch(&mut sched, ms(0));
        assert_eq!(sched.complete(ms(5), id), Kick::None);
        assert_eq!(sched.process_exit(ms(6), one), Kick::Run);
        assert_eq!(dispatch(&mut sched, ms(6)).0, 2);
        assert_eq!(sched.stats().idle_cut, 1);
        assert_eq!(sched.check(), Ok(()));
    }

    #[test]
    fn fsync_writes_turn_waiting_off() {
        scheduler!(sched, SPINNING);
        let one = sched.process(ms(0), ProcessId::NONE);
        let two = sched.process(ms(0), ProcessId::NONE);
        let mut fsync = read(one, 0);
        fsync.write = true;
        add(&mut sched, ms(0), fsync, 1);
        add(&mut sched, ms(0), read(two, 90_000), 2);
        let (_, id) = dispatch(&mut sched, ms(0));
        let _ = sched.complete(ms(5), id);
        // It went on the tree of those that are worth waiting for, where it is not alone.
        assert_eq!(sched.poll_at(), None);
        assert_eq!(dispatch(&mut sched, ms(5)).0, 2);
    }

    /// Serves one request of a process.
    fn serve_one<M: Memory<u8>>(
        sched: &mut Scheduler<u8, M>,
        process: ProcessId,
        position: u64,
        now: u64,
    ) {
        add(sched, ms(now), read(process, position), 1);
        let (rq, id) = dispatch(sched, ms(now));
        assert_eq!(rq, 1);
        let _ = sched.complete(ms(now), id);
    }

    #[test]
    fn there_is_one_wait_at_the_end_of_those_not_worth_waiting_for() {
        for other_seeker in [false, true] {
            scheduler!(sched, SPINNING);
            let one = sched.process(ms(0), ProcessId::NONE);
            let two = sched.process(ms(0), ProcessId::NONE);
            for at in 0..6 {
                serve_one(&mut sched, one, at * 90_000, at);
            }
            let _ = sched.timer(ms(13));
            add(&mut sched, ms(13), read(one, 600_000), 1);
            let (_, id) = dispatch(&mut sched, ms(13));
            add(&mut sched, ms(13), read(two, 9_000_000), 2);
            if other_seeker {
                add(&mut sched, ms(13), read(ProcessId::NONE, 5_000_000), 3);
            }
            let _ = sched.complete(ms(14), id);
            assert_eq!(sched.poll_at().is_some(), !other_seeker);
        }
    }

    #[test]
    fn a_slow_thinker_is_waited_for_only_until_that_is_known() {
        scheduler!(sched, SPINNING);
        let one = sched.process(ms(0), ProcessId::NONE);
        for (now, waits) in [(0, true), (30, true), (60, false)] {
            serve_one(&mut sched, one, now, now);
            assert_eq!(sched.poll_at().is_some(), waits);
        }
    }

    #[test]
    fn a_lone_fsync_is_waited_for_since_that_costs_nothing() {
        scheduler!(sched, SPINNING);
        let one = sched.process(ms(0), ProcessId::NONE);
        let mut fsync = read(one, 0);
        fsync.write = true;
        add(&mut sched, ms(0), fsync, 1);
        let (_, id) = dispatch(&mut sched, ms(0));
        let _ = sched.complete(ms(5), id);
        assert_eq!(sched.poll_at(), Some(ms(13)));
    }

    #[test]
    fn the_disk_is_drained_for_a_reader_but_not_for_the_idle_class() {
        for (class, next) in [(Class::BestEffort, 0), (Class::Idle, 2)] {
            scheduler!(sched, SPINNING);
            let one = sched.process(ms(0), ProcessId::NONE);
            assert!(sched.insert_head(ms(0), write(0), 1).is_ok());
            assert_eq!(dispatch(&mut sched, ms(0)).0, 1);
            add(&mut sched, ms(0), in_class(read(one, 0), class), 2);
            assert_eq!(dispatch(&mut sched, ms(0)).0, next);
        }
    }

    #[test]
    fn metadata_that_interrupts_is_not_waited_for() {
        scheduler!(sched, SPINNING);
        let one = sched.process(ms(500), ProcessId::NONE);
        let two = sched.process(ms(500), ProcessId::NONE);
        add(&mut sched, ms(500), read(one, 0), 1);
        add(&mut sched, ms(500), read(one, 8), 2);
        assert_eq!(dispatch(&mut sched, ms(500)).0, 1);
        let mut metadata = read(two, 900_000);
        metadata.prio = true;
        add(&mut sched, ms(501), metadata, 3);
        assert_eq!(dispatch(&mut sched, ms(501)).0, 3);
        assert_eq!(sched.stats().interruptions, 1);
        assert_eq!(dispatch(&mut sched, ms(501)).0, 2);
    }

    #[test]
    fn nobody_is_waited_for_on_a_disk_that_was_seen_not_to_seek() {
        for auto in [true, false] {
            scheduler!(sched, SPINNING);
            let mut tunables = sched.tunables().clone();
            tunables.slice_idle_auto = auto;
            let _ = sched.set_tunables(ms(0), tunables);
            let one = sched.process(ms(0), ProcessId::NONE);
            let two = sched.process(ms(0), ProcessId::NONE);
            for at in 0..60 {
                serve_one(&mut sched, one, at * 90_000, at);
            }
            assert!(sched.is_seekless());
            let _ = sched.process_exit(ms(60), one);
            serve_one(&mut sched, two, 0, 60);
            assert_eq!(sched.poll_at().is_none(), auto);
        }
    }

    #[test]
    fn where_nothing_rotates_waiting_needs_a_device_that_takes_one_at_a_time() {
        for (depth, waits) in [(1, true), (8, false)] {
            let disk = Disk { depth, ..FLASH };
            scheduler!(sched, disk);
            let mut tunables = sched.tunables().clone();
            tunables.slice_idle = Span::from_ms(8);
            let _ = sched.set_tunables(ms(0), tunables);
            let one = sched.process(ms(0), ProcessId::NONE);
            serve_one(&mut sched, one, 0, 0);
            assert_eq!(sched.poll_at().is_some(), waits);
        }
    }

    #[test]
    fn a_wait_is_not_prolonged() {
        scheduler!(sched, SPINNING);
        let one = sched.process(ms(0), ProcessId::NONE);
        add(&mut sched, ms(0), read(one, 0), 1);
        add(&mut sched, ms(0), read(one, 8), 2);
        let (_, back) = dispatch(&mut sched, ms(0));
        let (_, id) = dispatch(&mut sched, ms(0));
        let _ = sched.requeue(ms(1), back);
        let _ = sched.complete(ms(1), id);
        assert_eq!(sched.poll_at(), Some(ms(9)));
        assert!(sched.reinsert(ms(2), back, 1).is_ok());
        assert_eq!(dispatch(&mut sched, ms(2)).0, 1);
        let _ = sched.complete(ms(5), back);
        assert_eq!(sched.poll_at(), Some(ms(9)));
        assert_eq!(sched.stats().idle_armed, 1);
    }

    #[test]
    fn a_small_request_that_was_waited_for_goes_out_whatever_is_in_the_device() {
        for (sectors, busy, next) in [(8, false, 3), (9, false, 0), (8, true, 0)] {
            scheduler!(sched, SPINNING);
            let one = sched.process(ms(0), ProcessId::NONE);
            let two = sched.process(ms(0), ProcessId::NONE);
            serve_one(&mut sched, one, 0, 1);
            assert!(sched.insert_head(ms(1), write(0), 1).is_ok());
            assert_eq!(dispatch(&mut sched, ms(1)).0, 1);
            if busy {
                add(&mut sched, ms(1), read(two, 900_000), 2);
            }
            let mut arrival = read(one, 8);
            arrival.sectors = sectors;
            add(&mut sched, ms(2), arrival, 3);
            assert_eq!(sched.stats().idle_hit, 1);
            assert_eq!(sched.stats().kick_large, u64::from(sectors > 8));
            assert_eq!(sched.stats().kick_busy, u64::from(busy));
            assert_eq!(dispatch(&mut sched, ms(2)).0, next);
        }
    }

    /// Serves one request of a process of the worst level, whose slice is 40 ms.
    fn serve<M: Memory<u8>>(
        sched: &mut Scheduler<u8, M>,
        process: ProcessId,
        from: u64,
        to: u64,
    ) -> u8 {
        let mut arrival = read(process, from);
        arrival.owner.ioprio.level = crate::policy::Level::WORST;
        add(sched, ms(from), arrival, 1);
        let (rq, id) = dispatch(sched, ms(from));
        let _ = sched.complete(ms(to), id);
        rq
    }

    #[test]
    fn a_wait_never_outlasts_the_slice() {
        scheduler!(sched, SPINNING);
        let one = sched.process(ms(0), ProcessId::NONE);
        assert_eq!(serve(&mut sched, one, 0, 5), 1);
        assert_eq!(sched.poll_at(), Some(ms(13)));
        // The clock started at 5.
        assert_eq!(serve(&mut sched, one, 6, 40), 1);
        assert_eq!(sched.poll_at(), Some(ms(45)));
        assert_eq!(sched.timer(ms(45)), Kick::None);
        assert_eq!(sched.check(), Ok(()));
    }

    #[test]
    fn a_thinker_who_would_come_after_the_slice_is_not_waited_for() {
        scheduler!(sched, SPINNING);
        let one = sched.process(ms(0), ProcessId::NONE);
        let two = sched.process(ms(0), ProcessId::NONE);
        add(&mut sched, ms(0), read(two, 90_000), 2);
        assert_eq!(dispatch(&mut sched, ms(0)).0, 2);
        let _ = sched.process_exit(ms(0), two);
        for (from, to) in [(5, 6), (11, 12), (17, 18), (23, 24)] {
            assert_eq!(serve(&mut sched, one, from, to), 1);
            assert!(sched.poll_at().is_some());
        }
        // It thinks for 5 ms, and 4 are left of the slice that ends at 46.
        assert_eq!(serve(&mut sched, one, 29, 42), 1);
        assert_eq!(sched.poll_at(), None);
        let index = sched.processes.find(one.handle()).unwrap_or_default();
        for (more, waits) in [(1, false), (0, true)] {
            let mut arrival = read(one, 100);
            arrival.owner.ioprio.level = crate::policy::Level::WORST;
            add(&mut sched, ms(42), arrival, 1);
            let (_, id) = dispatch(&mut sched, ms(42));
            let think = sched.processes.at(index).and_then(|one| one.think.mean());
            let end = sched.slice.end().saturating_sub(think.unwrap_or_default());
            let _ = sched.complete(end.saturating_add(Span::from_ns(more)), id);
            assert_eq!(sched.poll_at().is_some(), waits);
        }
    }
}
