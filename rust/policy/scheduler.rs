// SPDX-License-Identifier: GPL-2.0

//! The surface: events go in, decisions come out.
//!
//! Each function is an event of the block layer and delegates to the room that handles it. All of
//! them are O(log n), run under the caller's one lock, and neither sleep nor fail half-way. Those
//! whose outcome does not depend on the time take it all the same, so that every event carries it.
//! Source: ours (after sans-I/O protocol libraries); the events are those of CFQ 3 to 12.

use super::choice::Choice;
use super::group::Group;
use super::id::{
    ProcessId,
    RqId,
    NIL, //
};
use super::ioprio::Ioprio;
pub use super::kick::Kick;
use super::list::List;
use super::measure::Measure;
use super::memory::{
    Memory,
    SHARED_QUEUES, //
};
use super::near::Positions;
use super::precedence::Precedence;
use super::process::Clock;
use super::queue::Queue;
use super::request::{
    Arrival,
    Disk,
    Fifo,
    Owner,
    Sector, //
};
use super::seek::Newcomers;
use super::slab::Slab;
use super::slice::Slice;
use super::stats::Stats;
use super::time::{
    Span,
    Time, //
};
use super::tunables::Tunables;
use super::weight::Shares;
use super::workload::Workload;
use super::yielding::Credit;

/// What to do now.
#[derive(Debug, PartialEq, Eq)]
pub enum Decision<R> {
    /// Send this request to the driver.
    Dispatch {
        /// The request.
        rq: R,
        /// Its name, for the events to come.
        id: RqId,
    },
    /// Let the device wait for a request that is about to come, at most until `until`.
    Idle {
        /// When the wait is over; the same as [`Scheduler::poll_at`].
        until: Time,
    },
    /// Nothing to dispatch, or a completion has to come first.
    Nothing,
}

/// Why dispatch says no although requests are queued.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    /// It does not.
    None,
    /// The active queue is empty and worth waiting for: its next request, the timer, or the last
    /// completion ends this.
    Arrival,
    /// Some request has to complete first.
    Completion,
}

/// Counts over the whole device.
#[derive(Debug)]
pub(super) struct Device {
    /// Requests in queues.
    pub(super) queued: u32,
    /// Requests on the head list.
    pub(super) at_head: u32,
    /// Sync requests with the driver.
    pub(super) flying_sync: u32,
    /// Async requests with the driver.
    pub(super) flying_async: u32,
    /// The pieces of the async ones.
    pub(super) flying_pieces: u32,
    /// How many the driver is known to take at once; at least one.
    pub(super) taken: u32,
    /// How many may be with the driver for another one to pass; at least one.
    pub(super) passable: u32,
    /// Those of the sync ones that passed without being queued.
    pub(super) passed: u32,
    /// Busy queues.
    pub(super) busy: u32,
    /// Busy sync queues.
    pub(super) busy_sync: u32,
    /// End of the request dispatched last.
    pub(super) last_position: Sector,
    /// When a sync request last completed late; only kept on disks that seek.
    pub(super) last_delayed_sync: Time,
    /// When a sync request arrived last.
    pub(super) last_sync: Time,
}

impl Device {
    /// Returns the number of requests with the driver.
    #[inline]
    pub(super) fn flying(&self) -> u32 {
        self.flying_sync.saturating_add(self.flying_async)
    }
}

/// The scheduler of one device.
///
/// # Invariants
///
/// See `check`: while refusing with requests queued, a timer is set or a request is with the
/// driver; an empty queue is busy only while it is the active one.
#[derive(Debug)]
pub struct Scheduler<R, M: Memory<R>> {
    pub(super) requests: Slab<M::Requests>,
    pub(super) processes: Slab<M::Processes>,
    pub(super) queues: Slab<M::Queues>,
    pub(super) head: List<Fifo>,
    pub(super) clock: List<Clock>,
    /// Async queues by class and level, then the fallback; [`NIL`] until needed.
    pub(super) shared: [u32; SHARED_QUEUES as usize],
    pub(super) device: Device,
    pub(super) group: Group,
    pub(super) workload: Workload,
    /// The queue that owns the device, or [`NIL`].
    pub(super) active: u32,
    /// Whose request was first in this slice.
    pub(super) active_process: ProcessId,
    pub(super) slice: Slice,
    /// End of the wait for the active queue; [`Time::NEVER`] while not waiting.
    pub(super) idle_until: Time,
    pub(super) refusal: Refusal,
    pub(super) disk: Disk,
    pub(super) tunables: Tunables,
    pub(super) shares: Shares,
    pub(super) choice: Choice,
    pub(super) positions: Positions,
    pub(super) credit: Credit,
    pub(super) measure: Measure,
    pub(super) precedence: Precedence,
    pub(super) newcomers: Newcomers,
    pub(super) stats: Stats,
}

impl<R, M: Memory<R>> Scheduler<R, M> {
    /// Makes a scheduler with nothing queued, in lent memory.
    ///
    /// Without any queue slot every insertion is refused; with fewer than [`SHARED_QUEUES`] plus
    /// one per process, some share a queue.
    pub fn new(now: Time, memory: M, disk: Disk, tunables: Tunables) -> Self {
        let (requests, processes, queues) = memory.split();
        let mut queues = Slab::new(queues);
        let mut shared = [NIL; SHARED_QUEUES as usize];
        // Sync, but not worth waiting for: the processes behind it are unknown.
        let mut fallback = Queue::new(true, Ioprio::NORM);
        fallback.idle_window = false;
        if let (Ok(handle), Some(place)) = (queues.alloc(fallback), shared.last_mut()) {
            *place = handle.index;
        }
        Scheduler {
            requests: Slab::new(requests),
            processes: Slab::new(processes),
            queues,
            head: List::new(),
            clock: List::new(),
            shared,
            device: Device {
                queued: 0,
                at_head: 0,
                flying_sync: 0,
                flying_async: 0,
                flying_pieces: 0,
                taken: 1,
                passable: 1,
                passed: 0,
                busy: 0,
                busy_sync: 0,
                last_position: Sector::new(0),
                last_delayed_sync: now.saturating_sub(Span::from_ms(1_000)),
                last_sync: Time::ZERO,
            },
            group: Group::new(now),
            workload: Workload::new(),
            active: NIL,
            active_process: ProcessId::NONE,
            slice: Slice::new(),
            idle_until: Time::NEVER,
            refusal: Refusal::None,
            disk,
            shares: Shares::new(&tunables),
            choice: Choice::new(&tunables),
            tunables,
            positions: Positions::new(),
            credit: Credit::new(now),
            measure: Measure::new(),
            precedence: Precedence::new(),
            newcomers: Newcomers::default(),
            stats: Stats::default(),
        }
    }

    /// Returns `known` if that record is alive, else a new one.
    ///
    /// Never fails: when records run out, one that is idle is taken; if there is none,
    /// [`ProcessId::NONE`] comes back and the requests share the fallback queue.
    pub fn process(&mut self, now: Time, known: ProcessId) -> ProcessId {
        self.find_or_make_process(now, known)
    }

    /// Forgets a process; its requests stay and are served. Old names are ignored.
    pub fn process_exit(&mut self, now: Time, id: ProcessId) -> Kick {
        let was = self.refusal;
        if let Some(index) = self.processes.find(id.handle()) {
            self.forget_process(now, index);
        }
        self.settle(was)
    }

    /// Queues a request in order.
    ///
    /// # Errors
    ///
    /// Gives `rq` back if there is no request slot (or no queue slot at all).
    pub fn insert(&mut self, now: Time, arrival: Arrival, rq: R) -> Result<(RqId, Kick), R> {
        self.enqueue(now, &arrival, rq)
    }

    /// Queues a request before all others, first come first served; no queue accounts for it.
    ///
    /// # Errors
    ///
    /// Gives `rq` back if there is no request slot.
    pub fn insert_head(&mut self, _now: Time, arrival: Arrival, rq: R) -> Result<(RqId, Kick), R> {
        self.enqueue_head(&arrival, rq)
    }

    /// Chooses what to do now. At most one request a call; call again for more.
    pub fn dispatch(&mut self, now: Time) -> Decision<R> {
        self.decide(now)
    }

    /// Notes that the driver gave a dispatched request back. It keeps its slot and waits for
    /// [`reinsert`](Self::reinsert) or [`cancel`](Self::cancel).
    pub fn requeue(&mut self, _now: Time, id: RqId) -> Kick {
        self.given_back(id)
    }

    /// Takes a request that was given back, to go before all queues.
    ///
    /// # Errors
    ///
    /// Gives `rq` back if `id` names no request that is away: insert it as a new one then.
    pub fn reinsert(&mut self, _now: Time, id: RqId, rq: R) -> Result<Kick, R> {
        self.take_back(id, rq)
    }

    /// Notes the end of a dispatched request and frees its slot.
    ///
    /// Names of requests that are not with the driver are ignored.
    pub fn complete(&mut self, now: Time, id: RqId) -> Kick {
        self.completed(now, id)
    }

    /// Forgets a request that is freed without completion, and returns it if it was queued.
    pub fn cancel(&mut self, _now: Time, id: RqId) -> (Option<R>, Kick) {
        self.cancelled(id)
    }

    /// Returns a queued request.
    pub fn request(&self, id: RqId) -> Option<&R> {
        let index = self.requests.find(id.handle())?;
        self.requests.at(index)?.rq.as_ref()
    }

    /// Notes that a request has grown by a merge: its first sector and length now.
    pub fn moved(&mut self, _now: Time, id: RqId, position: Sector, sectors: u32) {
        self.grown(id, position, sectors);
    }

    /// Forgets the queued request `gone`, which was merged into `into`, and returns it.
    ///
    /// `into` takes over the earlier of the two deadlines and fifo places.
    pub fn absorb(&mut self, _now: Time, into: RqId, gone: RqId) -> Option<R> {
        self.absorbed(into, gone)
    }

    /// Returns a request in `owner`'s queue that starts at `end`: a bio that ends there can grow
    /// it at its front.
    pub fn front_candidate(&self, owner: Owner, end: Sector) -> Option<RqId> {
        self.starting_at(&owner, end)
    }

    /// Returns the request before `id` in its queue, by position.
    pub fn former(&self, id: RqId) -> Option<RqId> {
        self.neighbour(id, false)
    }

    /// Returns the request after `id` in its queue, by position.
    pub fn latter(&self, id: RqId) -> Option<RqId> {
        self.neighbour(id, true)
    }

    /// Returns whether `owner`'s I/O may grow request `id`: only in its own queue.
    pub fn may_merge(&self, owner: Owner, id: RqId) -> bool {
        self.belongs_to(&owner, id)
    }

    /// Returns whether two requests are queued in the same queue.
    pub fn same_queue(&self, a: RqId, b: RqId) -> bool {
        self.share_queue(a, b)
    }

    /// Ends the wait that is over at `now`. Early and late calls are harmless.
    pub fn timer(&mut self, now: Time) -> Kick {
        self.wait_over(now)
    }

    /// Returns when to call [`timer`](Self::timer); `None` if no timer is needed.
    #[inline]
    pub fn poll_at(&self) -> Option<Time> {
        if self.idle_until == Time::NEVER {
            None
        } else {
            Some(self.idle_until)
        }
    }

    /// Returns whether [`dispatch`](Self::dispatch) is expected to yield a request.
    ///
    /// False while refusing; the event that ends the refusal returns [`Kick::Run`].
    #[inline]
    pub fn has_work(&self) -> bool {
        self.device.at_head > 0 || (self.device.queued > 0 && self.refusal == Refusal::None)
    }

    /// Returns whether nothing is queued. Requests may still be with the driver.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.queued() == 0
    }

    /// Returns the number of queued requests.
    #[inline]
    pub fn queued(&self) -> u32 {
        self.device.queued.saturating_add(self.device.at_head)
    }

    /// Returns the number of requests with the driver.
    #[inline]
    pub fn in_driver(&self) -> u32 {
        self.device.flying()
    }

    /// Returns the number of process records in use.
    #[inline]
    pub fn processes(&self) -> u32 {
        self.processes.len()
    }

    /// Returns whether the device was seen to take several requests at once; `None` if unknown.
    pub fn reorders(&self) -> Option<bool> {
        self.measure.known_to_reorder()
    }

    /// Returns whether the device was seen not to seek, whatever it calls itself.
    pub fn is_seekless(&self) -> bool {
        self.measure.is_seekless()
    }

    /// Changes the tunables. The present slice ends, so that no old value lingers. O(n) if that
    /// turns waiting on or off altogether.
    pub fn set_tunables(&mut self, now: Time, tunables: Tunables) -> Kick {
        let was = self.refusal;
        self.expire(now, false);
        self.workload.cut();
        self.shares = Shares::new(&tunables);
        self.choice = Choice::new(&tunables);
        let flash = self.tunables.is_flash();
        self.tunables = tunables;
        if flash != self.tunables.is_flash() {
            self.sort_positions();
            self.measure.pause();
        }
        self.refusal = Refusal::None;
        self.settle(was)
    }

    /// Returns the tunables.
    #[inline]
    pub fn tunables(&self) -> &Tunables {
        &self.tunables
    }

    /// Returns the counters.
    #[inline]
    pub fn stats(&self) -> &Stats {
        &self.stats
    }

    /// Moves to a larger slice of request slots and returns the old one, to be freed outside the
    /// lock. Names stay valid. O(n), for when the queue depth changes.
    ///
    /// # Errors
    ///
    /// Gives `larger` back if it has fewer slots than the present one.
    pub fn grow_requests(&mut self, larger: M::Requests) -> Result<M::Requests, M::Requests> {
        self.requests.grow(larger)
    }

    /// Ends an event: asks for a kick if dispatch was refusing before it and is not any more.
    #[inline]
    pub(super) fn settle(&mut self, was: Refusal) -> Kick {
        if was != Refusal::None && self.refusal == Refusal::None && self.device.queued > 0 {
            Stats::bump(&mut self.stats.kicks);
            Kick::Run
        } else {
            Kick::None
        }
    }
}

#[cfg_attr(
    CONFIG_RCFQ_KUNIT_TEST,
    kernel::macros::kunit_tests(rcfq_policy_scheduler)
)]
#[cfg(any(test, CONFIG_RCFQ_KUNIT_TEST))]
mod tests {

    use super::*;
    use crate::policy::testing::*;

    #[test]
    fn requests_at_the_head_pass_everything() {
        scheduler!(sched, SPINNING);
        let one = sched.process(ms(0), ProcessId::NONE);
        add(&mut sched, ms(0), read(one, 0), 1);
        let (_, id) = dispatch(&mut sched, ms(0));
        let _ = sched.complete(ms(1), id);
        assert!(sched.poll_at().is_some());
        let head = sched.insert_head(ms(2), read(ProcessId::NONE, 90_000), 7);
        assert_eq!(head.map(|(_, kick)| kick), Ok(Kick::Run));
        assert!(sched.has_work());
        assert_eq!(dispatch(&mut sched, ms(2)).0, 7);
        assert!(sched.poll_at().is_some());
        assert_eq!(sched.check(), Ok(()));
    }

    #[test]
    fn a_full_scheduler_gives_the_request_back() {
        scheduler!(sched, FLASH);
        for rq in 1..7u8 {
            assert!(sched.insert(ms(9), write(u64::from(rq)), rq).is_ok());
        }
        assert_eq!(sched.insert(ms(9), write(99), 9), Err(9));
        assert_eq!(sched.insert_head(ms(9), write(99), 9), Err(9));
        assert_eq!(sched.queued(), 6);
        for rq in 1..7u8 {
            assert_eq!(dispatch(&mut sched, ms(9)).0, rq);
        }
        assert!(sched.is_empty());
        assert_eq!(sched.check(), Ok(()));
    }

    #[test]
    fn new_tunables_end_a_wait() {
        scheduler!(sched, SPINNING);
        let one = sched.process(ms(0), ProcessId::NONE);
        let two = sched.process(ms(0), ProcessId::NONE);
        add(&mut sched, ms(0), read(one, 0), 1);
        add(&mut sched, ms(0), read(two, 90_000), 2);
        let (_, id) = dispatch(&mut sched, ms(0));
        let _ = sched.complete(ms(1), id);
        let mut tunables = sched.tunables().clone();
        tunables.slice_idle = Span::ZERO;
        assert_eq!(sched.set_tunables(ms(2), tunables), Kick::Run);
        assert_eq!(sched.poll_at(), None);
        assert_eq!(dispatch(&mut sched, ms(2)).0, 2);
    }
}
