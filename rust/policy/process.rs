// SPDX-License-Identifier: GPL-2.0

//! The record of one process on this device: how it thinks, what priority it last had, its queue.
//!
//! "Process" stands for an io context. Records are lent slots, so when they run out the least
//! recently used idle one is taken (approximately: a clock with one bit). Source: CFQ 1.4, 3.7;
//! eviction: ours.

use super::id::{
    ProcessId,
    NIL, //
};
use super::ioprio::{
    Class,
    Ioprio, //
};
use super::list::{
    ListLinks,
    Listed, //
};
use super::memory::Memory;
use super::queue::Queue;
use super::request::Owner;
use super::scheduler::Scheduler;
use super::stats::Stats;
use super::think::ThinkTime;
use super::time::Time;

/// Records looked at before eviction gives up; keeps it O(1).
const EVICTION_TRIES: u32 = 16;

/// A process that has used this device.
///
/// # Invariants
///
/// `queue` is `NIL` or a live sync queue that counts this record as an owner. It may lag behind a
/// merge that is planned until the next request.
#[derive(Debug)]
pub struct Process {
    pub(super) think: ThinkTime,
    pub(super) queue: u32,
    /// Used since the eviction clock last passed.
    pub(super) used: bool,
    links: ListLinks,
}

/// The ring of the eviction clock.
#[derive(Debug)]
pub(super) struct Clock;

impl Listed<Clock> for Process {
    fn list_links(&self) -> &ListLinks {
        &self.links
    }

    fn list_links_mut(&mut self) -> &mut ListLinks {
        &mut self.links
    }
}

impl<R, M: Memory<R>> Scheduler<R, M> {
    /// Returns `known` if that record is alive, else a new one, else [`ProcessId::NONE`].
    pub(super) fn find_or_make_process(&mut self, now: Time, known: ProcessId) -> ProcessId {
        if self.processes.find(known.handle()).is_some() {
            return known;
        }
        let record = Process {
            think: ThinkTime::new(now),
            queue: NIL,
            used: true,
            links: ListLinks::NONE,
        };
        let handle = match self.processes.alloc(record) {
            Ok(handle) => handle,
            Err(record) => {
                if !self.evict(now) {
                    return ProcessId::NONE;
                }
                match self.processes.alloc(record) {
                    Ok(handle) => handle,
                    Err(_) => return ProcessId::NONE,
                }
            }
        };
        self.clock
            .push_back(self.processes.slots_mut(), handle.index);
        Stats::bump(&mut self.stats.processes_created);
        ProcessId::new(handle)
    }

    /// Frees one idle record; recently used ones get a second chance.
    fn evict(&mut self, now: Time) -> bool {
        let mut spare = NIL;
        for _ in 0..EVICTION_TRIES {
            let candidate = self.clock.first();
            let Some(process) = self.processes.at_mut(candidate) else {
                break;
            };
            let used = core::mem::replace(&mut process.used, false);
            let idle = self
                .queues
                .at(process.queue)
                .is_none_or(|queue| queue.requests == 0 && !queue.is_busy());
            if idle && !used {
                spare = candidate;
                break;
            }
            if idle && spare == NIL {
                spare = candidate;
            }
            let slots = self.processes.slots_mut();
            self.clock.remove(slots, candidate);
            self.clock.push_back(slots, candidate);
        }
        if spare == NIL {
            return false;
        }
        Stats::bump(&mut self.stats.processes_evicted);
        self.forget_process(now, spare);
        true
    }

    /// Drops the record in slot `index` and its hold on its queue (3.7).
    pub(super) fn forget_process(&mut self, now: Time, index: u32) {
        let slots = self.processes.slots_mut();
        self.clock.remove(slots, index);
        let Some(process) = self.processes.free(index) else {
            return;
        };
        self.disown(now, process.queue);
    }

    /// Frees a queue that nobody needs any more.
    #[inline]
    pub(super) fn release_queue(&mut self, queue: u32) {
        if self.queues.at(queue).is_some_and(Queue::is_dead) && self.active != queue {
            self.queues.free(queue);
        }
    }

    /// Returns the queue for a request of `owner`, makes it if need be, and notes the priority.
    ///
    /// Metadata (`prio`) is worth more, until the next request that is none. A worse class has to
    /// wait until what came with a better one has gone: the priority is that of the request, and
    /// workers send those of many.
    #[inline]
    pub(super) fn queue_for(&mut self, now: Time, owner: &Owner, prio: bool) -> u32 {
        let own = owner.ioprio.resolved();
        if !owner.sync {
            return self.shared_queue(own);
        }
        let ioprio = if prio { own.boosted() } else { own };
        let Some(index) = self.processes.find(owner.process.handle()) else {
            return self.fallback_queue();
        };
        let Some(process) = self.processes.at_mut(index) else {
            return self.fallback_queue();
        };
        process.used = true;
        let known = process.queue;
        let present = self.present_queue(now, known, own);
        if let Some(queue) = self.queues.at(present) {
            let changed = queue.ioprio != ioprio || queue.own_ioprio != own;
            if changed && !queue.holds_better(own.class) {
                self.set_ioprio(now, present, ioprio, own);
            }
            if present != known {
                self.set_queue(index, present);
            }
            return present;
        }
        let queue = match self.queues.alloc(Queue::new(true, own)) {
            Ok(handle) => handle.index,
            Err(_) => NIL,
        };
        self.set_queue(index, queue);
        if queue == NIL {
            return self.fallback_queue();
        }
        if prio {
            self.set_ioprio(now, queue, ioprio, own);
        }
        queue
    }

    /// Notes the queue of the process in slot `index`.
    fn set_queue(&mut self, index: u32, queue: u32) {
        if let Some(process) = self.processes.at_mut(index) {
            process.queue = queue;
        }
    }

    /// Returns the queue that `owner`'s requests are in, if there is one already.
    pub(super) fn queue_of(&self, owner: &Owner) -> Option<u32> {
        let queue = if !owner.sync {
            let slot = shared_slot(owner.ioprio.resolved());
            self.shared.get(slot).copied()
        } else {
            match self.processes.find(owner.process.handle()) {
                Some(index) => self.processes.at(index).map(|process| process.queue),
                None => self.shared.last().copied(),
            }
        };
        queue.filter(|queue| *queue != NIL)
    }

    /// Returns the async queue of a class and level.
    fn shared_queue(&mut self, ioprio: Ioprio) -> u32 {
        let slot = shared_slot(ioprio);
        let known = self.shared.get(slot).copied().unwrap_or(NIL);
        if known != NIL {
            return known;
        }
        match self.queues.alloc(Queue::new(false, ioprio)) {
            Ok(handle) => {
                if let Some(place) = self.shared.get_mut(slot) {
                    *place = handle.index;
                }
                handle.index
            }
            Err(_) => self.fallback_queue(),
        }
    }

    /// Returns the queue of those who have none; [`NIL`] if no queue was lent at all.
    fn fallback_queue(&mut self) -> u32 {
        Stats::bump(&mut self.stats.fallback_used);
        self.shared.last().copied().unwrap_or(NIL)
    }

    /// Takes over a changed priority of a sync queue; a waiting one moves to its new place at once.
    fn set_ioprio(&mut self, now: Time, index: u32, ioprio: Ioprio, own: Ioprio) {
        let Some(queue) = self.queues.at_mut(index) else {
            return;
        };
        let resorted = queue.ioprio.class != ioprio.class && queue.is_busy();
        let was = queue.rank();
        queue.ioprio = ioprio;
        queue.own_ioprio = own;
        if was != queue.rank() {
            let (ranks, queued, flying) = ([was, queue.rank()], queue.queued(), queue.dispatched);
            self.precedence.moves(index, ranks, queued, flying);
        }
        if resorted && self.active != index {
            self.resort(now, index);
        }
        self.reposition(index);
    }
}

/// Returns the place of an async queue in the table of shared queues (3.2).
#[inline]
fn shared_slot(ioprio: Ioprio) -> usize {
    match ioprio.class {
        Class::RealTime => ioprio.level.index(),
        Class::BestEffort => ioprio.level.index().saturating_add(8),
        Class::Idle => 16,
    }
}

#[cfg_attr(
    CONFIG_RCFQ_KUNIT_TEST,
    kernel::macros::kunit_tests(rcfq_policy_process)
)]
#[cfg(any(test, CONFIG_RCFQ_KUNIT_TEST))]
mod tests {

    use super::*;
    use crate::policy::ioprio::Level;
    use crate::policy::scheduler::Kick;
    use crate::policy::slab::Slot;
    use crate::policy::testing::*;
    use crate::policy::tunables::Tunables;

    #[test]
    fn an_idle_record_is_taken_when_none_is_free() {
        scheduler!(sched, SPINNING);
        let one = sched.process(ms(0), ProcessId::NONE);
        let two = sched.process(ms(0), ProcessId::NONE);
        let three = sched.process(ms(0), ProcessId::NONE);
        add(&mut sched, ms(0), read(one, 0), 1);
        add(&mut sched, ms(0), read(three, 8), 2);
        let four = sched.process(ms(1), ProcessId::NONE);
        assert!(!four.is_none());
        assert_eq!(sched.process(ms(1), one), one);
        assert_eq!(sched.process(ms(1), three), three);
        assert_eq!(sched.stats().processes_evicted, 1);
        // The evicted one starts anew, if there is room.
        add(&mut sched, ms(1), read(four, 16), 3);
        assert_eq!(sched.process(ms(1), two), ProcessId::NONE);
        assert_eq!(sched.check(), Ok(()));
    }

    /// Takes all records, with the last one used last.
    fn crowd<M: Memory<u8>>(sched: &mut Scheduler<u8, M>) -> [ProcessId; 3] {
        let _ = sched.process(ms(0), ProcessId::NONE);
        let two = sched.process(ms(0), ProcessId::NONE);
        let three = sched.process(ms(0), ProcessId::NONE);
        // The first one makes room; all others lose what they were made with.
        let four = sched.process(ms(0), ProcessId::NONE);
        [two, three, four]
    }

    /// Returns the class that the requests of a process are served in.
    fn class_of<M: Memory<u8>>(sched: &Scheduler<u8, M>, process: ProcessId) -> Option<Class> {
        let index = sched.processes.find(process.handle())?;
        let process = sched.processes.at(index)?;
        sched.queues.at(process.queue).map(Queue::class)
    }

    #[test]
    fn what_came_with_a_better_class_is_not_taken_down_with_the_next_one() {
        for disk in [SPINNING, FLASH] {
            scheduler!(sched, disk);
            let worker = sched.process(ms(0), ProcessId::NONE);
            let other = sched.process(ms(0), ProcessId::NONE);
            let idle = |position| in_class(read(worker, position), Class::Idle);
            add(&mut sched, ms(0), idle(0), 1);
            assert_eq!(class_of(&sched, worker), Some(Class::Idle));
            // A better one takes all with it.
            let better = add(&mut sched, ms(0), read(worker, 8), 2);
            add(&mut sched, ms(0), idle(16), 3);
            assert_eq!(class_of(&sched, worker), Some(Class::BestEffort));
            assert_eq!(sched.check(), Ok(()));
            assert_eq!(sched.cancel(ms(0), better).0, Some(2));
            assert_eq!(class_of(&sched, worker), Some(Class::BestEffort));
            add(&mut sched, ms(0), idle(24), 4);
            assert_eq!(class_of(&sched, worker), Some(Class::Idle));
            // So another process is served first.
            add(&mut sched, ms(0), read(other, 90_000), 5);
            assert_eq!(dispatch(&mut sched, ms(0)).0, 5);
            assert_eq!(sched.check(), Ok(()));
        }
    }

    #[test]
    fn a_record_used_lately_gets_a_second_chance() {
        scheduler!(sched, SPINNING);
        let [two, three, _] = crowd(&mut sched);
        let id = add(&mut sched, ms(1), read(two, 0), 1);
        assert_eq!(sched.cancel(ms(1), id).0, Some(1));
        assert!(!sched.process(ms(2), ProcessId::NONE).is_none());
        assert!(sched.processes.find(two.handle()).is_some());
        assert!(sched.processes.find(three.handle()).is_none());
    }

    #[test]
    fn a_record_whose_requests_are_in_the_device_or_waited_for_is_not_taken() {
        for waited_for in [false, true] {
            scheduler!(sched, SPINNING);
            let [two, three, _] = crowd(&mut sched);
            add(&mut sched, ms(1), read(two, 0), 1);
            let (_, id) = dispatch(&mut sched, ms(1));
            if waited_for {
                let _ = sched.complete(ms(1), id);
                assert!(sched.poll_at().is_some());
            } else {
                sched.expire(ms(1), false);
            }
            let index = sched.processes.find(two.handle()).unwrap_or(NIL);
            if let Some(two) = sched.processes.at_mut(index) {
                two.used = false;
            }
            assert!(!sched.process(ms(2), ProcessId::NONE).is_none());
            assert!(sched.processes.find(two.handle()).is_some());
            assert!(sched.processes.find(three.handle()).is_none());
        }
    }

    #[test]
    fn if_all_that_are_looked_at_were_used_lately_one_is_taken_all_the_same() {
        let mut requests = [const { Slot::new() }; 1];
        let mut processes = [const { Slot::new() }; EVICTION_TRIES as usize + 1];
        let mut queues = [const { Slot::new() }; 1];
        let mut sched = Scheduler::<u8, _>::new(
            ms(0),
            (&mut requests[..], &mut processes[..], &mut queues[..]),
            SPINNING,
            Tunables::for_disk(SPINNING),
        );
        for _ in 0..EVICTION_TRIES + 2 {
            assert!(!sched.process(ms(0), ProcessId::NONE).is_none());
        }
        assert_eq!(sched.stats().processes_evicted, 1);
    }

    #[test]
    fn metadata_lifts_a_queue_for_the_moment_and_its_own_priority_is_kept() {
        scheduler!(sched, SPINNING);
        let one = sched.process(ms(0), ProcessId::NONE);
        let low = ioprio(Class::BestEffort, 7);
        for (own, prio, counts) in [
            (low, false, low),
            (low, true, Ioprio::NORM),
            (low, false, low),
            (low, true, Ioprio::NORM),
            (Ioprio::NORM, false, Ioprio::NORM),
        ] {
            let mut arrival = read(one, 0);
            arrival.owner.ioprio = own;
            arrival.prio = prio;
            let id = add(&mut sched, ms(0), arrival, 1);
            let queue = sched.queue_of(&arrival.owner).unwrap_or(NIL);
            let known = sched
                .queues
                .at(queue)
                .map(|one| (one.ioprio, one.own_ioprio));
            assert_eq!(known, Some((counts, own)));
            assert_eq!(sched.cancel(ms(0), id).0, Some(1));
        }
    }

    #[test]
    fn a_new_level_does_not_move_a_queue_that_waits() {
        scheduler!(sched, SPINNING);
        let one = sched.process(ms(0), ProcessId::NONE);
        let two = sched.process(ms(0), ProcessId::NONE);
        add(&mut sched, ms(0), read(one, 0), 1);
        add(&mut sched, ms(0), read(two, 90_000), 2);
        let mut arrival = read(one, 8);
        arrival.owner.ioprio.level = Level::WORST;
        add(&mut sched, ms(5), arrival, 3);
        assert_eq!(dispatch(&mut sched, ms(5)).0, 1);
        assert_eq!(sched.check(), Ok(()));
    }

    #[test]
    fn a_new_class_moves_nothing_that_does_not_wait() {
        for class in [Class::BestEffort, Class::RealTime] {
            scheduler!(sched, SPINNING);
            let one = sched.process(ms(0), ProcessId::NONE);
            add(&mut sched, ms(0), read(one, 0), 1);
            let (_, id) = dispatch(&mut sched, ms(0));
            let _ = sched.complete(ms(0), id);
            let _ = sched.timer(ms(9));
            let mut arrival = read(one, 8);
            arrival.owner.ioprio = ioprio(class, 0);
            add(&mut sched, ms(9), arrival, 1);
            assert_eq!(sched.check(), Ok(()));
            assert_eq!(dispatch(&mut sched, ms(9)).0, 1);
        }
    }

    #[test]
    fn without_a_record_requests_share_the_fallback_queue() {
        scheduler!(sched, SPINNING);
        add(&mut sched, ms(0), read(ProcessId::NONE, 0), 1);
        add(&mut sched, ms(0), read(ProcessId::NONE, 8), 2);
        assert_eq!(sched.stats().fallback_used, 2);
        let (first, id) = dispatch(&mut sched, ms(0));
        assert_eq!(first, 1);
        assert_eq!(sched.complete(ms(1), id), Kick::None);
        assert_eq!(dispatch(&mut sched, ms(1)).0, 2);
        assert_eq!(sched.check(), Ok(()));
    }

    #[test]
    fn a_new_class_counts_from_the_next_request_on() {
        scheduler!(sched, SPINNING);
        let one = sched.process(ms(0), ProcessId::NONE);
        let two = sched.process(ms(0), ProcessId::NONE);
        add(&mut sched, ms(0), read(one, 0), 1);
        add(&mut sched, ms(0), read(two, 90_000), 2);
        add(
            &mut sched,
            ms(0),
            in_class(read(two, 90_008), Class::RealTime),
            3,
        );
        assert_eq!(dispatch(&mut sched, ms(0)).0, 2);
        assert_eq!(sched.check(), Ok(()));
    }
}
