// SPDX-License-Identifier: GPL-2.0

//! Glue between the block layer and the policy.
//!
//! Every callback has the same shape: take the lock, put what has happened into the policy's words,
//! tell the policy, and [`conclude`]: publish whether there is work, set the timer, release the
//! lock, run the queues if the policy says so.
//!
//! # Contexts
//!
//! | callback | context | ends by |
//! | --- | --- | --- |
//! | `new_data`, `new_locked` | task, may sleep; the queue still works for the old elevator | |
//! | `init_sched`, `exit_sched`, `depth_updated` | task, may sleep without I/O; queue frozen | |
//! | `limit_depth`, `bio_merge` | the submitter, no locks, must not sleep | |
//! | `insert_requests` | task or kworker, no locks, must not sleep | run at once, or kick |
//! | `dispatch_request` | task or kworker, several CPUs, must not sleep | publish only |
//! | `completed_request`, `requeue_request`, `finish_request` | up to hard irq | kick, background |
//! | `has_work` | anywhere, any lock held | takes no lock |
//! | merge callbacks | under our own lock, called by our own calls | |
//! | `exit_icq` | io context's lock and maybe `queue_lock` held | kick by timer |
//! | `timer_expired` | hard interrupt | kick in background |
//!
//! # Locks
//!
//! There is one lock, that of the [`Elevator`], with interrupts disabled. It is innermost: the
//! locks of io contexts and `queue_lock` may be held when it is taken, and nothing is called under
//! it that takes another one but the timer's.
//!
//! # Where a request is
//!
//! Its private word 0 holds the policy's name for it from insertion until it is completed, absorbed
//! or freed. 0 means that the policy does not know it: never inserted (flushes, plug merges),
//! merged while being inserted, or without a slot. A request that passed, see
//! [`pass`](crate::policy::Scheduler::pass), waits outside of the policy and shares its name with
//! its like.

#![forbid(unsafe_code)]

mod convert;
mod debug;
mod memory;
mod merge;
mod process;
mod state;
mod tunables;

use self::{
    convert::{
        id_of,
        set_id, //
    },
    process::IcqData,
    state::{
        conclude,
        Shared,
        State, //
    },
};
use crate::elevator::{
    AllocData,
    Attribute,
    Bio,
    DebugfsAttribute,
    Dispatched,
    Elevator,
    FrozenQueue,
    Guard,
    Held,
    HwCtx,
    Icq,
    Merge,
    Merged,
    Operations,
    Opf,
    Queued,
    Request,
    RequestList,
    RequestQueue,
    Submission, //
};
use crate::policy::{
    Kick,
    RqId,
    Time, //
};
use kernel::prelude::*;

/// The elevator `rcfq`.
pub(crate) struct Rcfq;

impl Rcfq {
    /// Queues one request, which came with the name `known`.
    #[inline]
    fn insert(
        elv: &Elevator<Self>,
        guard: &mut Guard<'_, Self>,
        now: Time,
        known: RqId,
        mut rq: Queued,
        at_head: bool,
    ) -> Kick {
        let (state, held) = guard.split();
        if !known.is_none() {
            match state.policy.reinsert(now, known, rq) {
                Ok(kick) => return kick,
                Err(back) => rq = back,
            }
        }
        let Some(request) = rq.get(held) else {
            // Of another queue, which `start` reports.
            state.overflow(rq);
            return Kick::Run;
        };
        let process = process::of_request(elv, state, held, request, now);
        let arrival = convert::arrival(process, request);
        let inserted = if at_head {
            state.policy.insert_head(now, arrival, rq)
        } else {
            state.policy.insert(now, arrival, rq)
        };
        match inserted {
            Ok((id, kick)) => {
                set_id(request, id);
                kick
            }
            Err(rq) => {
                set_id(request, RqId::NONE);
                state.overflow(rq);
                // It goes out first, and what was tried may have ended a refusal.
                Kick::Run
            }
        }
    }

    /// Lets new requests pass, as long as they are sync ones and nothing is in their way. Returns
    /// whether any did.
    ///
    /// What has passed before must be with the driver: if that takes less than the policy counts
    /// on, the rest is to be put in order.
    #[inline]
    fn pass(guard: &mut Guard<'_, Self>, list: &mut RequestList<'_>) -> bool {
        let mut any = false;
        if !guard.first.is_empty() {
            let held = u32::try_from(guard.first.len()).unwrap_or(u32::MAX);
            guard.policy.held_up(held);
            return any;
        }
        while let Some(rq) = list.first() {
            if !rq.opf().is_sync() || !id_of(rq).is_none() {
                break;
            }
            let (born, ioprio) = (convert::born(rq), convert::ioprio(rq.ioprio()));
            let Some(id) = guard.policy.pass(born, ioprio) else {
                break;
            };
            if let Some(rq) = list.pop_front() {
                set_id(&rq, id);
                let rq = guard.admit_next(rq);
                guard.first.push_back(rq);
                any = true;
            }
        }
        any
    }

    /// Gets slots for as many requests as there may be now.
    ///
    /// Without memory the old ones stay, and requests beyond them are sent in plain order.
    fn fit_to_depth(elv: &Elevator<Self>, queue: &FrozenQueue) {
        let tags = queue.scheduler_tags();
        if tags <= elv.lock().capacity {
            return;
        }
        let Ok(larger) = memory::requests(tags) else {
            pr_warn!("no memory for {tags} requests, some will not be sorted\n");
            return;
        };
        let mut guard = elv.lock();
        let spare = match guard.policy.grow_requests(larger) {
            Ok(old) => {
                guard.capacity = tags;
                old
            }
            Err(unfit) => unfit,
        };
        drop(guard);
        drop(spare);
    }
}

#[vtable]
impl Operations for Rcfq {
    const NAME: &'static CStr = c"rcfq";
    const ATTRIBUTES: &'static [Attribute<Self>] = tunables::TABLE;
    const DEBUGFS: &'static [DebugfsAttribute<Self>] = debug::FILES;

    type Data = Shared;
    type Locked = State;
    type HctxData = ();
    type IcqData = IcqData;

    fn new_data(_queue: &RequestQueue) -> impl PinInit<Shared, Error> {
        Ok(Shared::new())
    }

    fn new_locked(queue: &RequestQueue) -> Result<State> {
        State::new(queue)
    }

    fn init_sched(elv: &Elevator<Self>, queue: &FrozenQueue) {
        // The order of requests is that of the device, not of a hardware context.
        queue.set_single_queue(true);
        // Both would hold back the same writes.
        queue.disable_writeback_throttling();
        // A quarter of the requests, but at least one of several, is out of reach of asynchronous
        // writes.
        let depth = queue.nr_requests();
        queue.set_async_depth(depth.saturating_sub((depth / 4).max(1)).max(1));
        Self::depth_updated(elv, queue);
    }

    fn exit_sched(elv: &Elevator<Self>, _queue: &FrozenQueue) {
        if !elv.lock().is_empty() {
            pr_err!("bug: requests were left behind\n");
        }
    }

    fn depth_updated(elv: &Elevator<Self>, queue: &FrozenQueue) {
        queue.set_min_shallow_depth(queue.async_depth());
        Self::fit_to_depth(elv, queue);
    }

    fn allow_merge(
        _elv: &Elevator<Self>,
        state: &mut State,
        _held: Held<'_>,
        rq: &Request,
        _bio: &Bio,
    ) -> bool {
        merge::allow(state, rq)
    }

    fn bio_merge<'a>(
        elv: &Elevator<Self>,
        submission: Submission<'a>,
    ) -> Result<Merged<'a>, Submission<'a>> {
        merge::bio(elv, submission)
    }

    fn request_merge<'a>(
        _elv: &Elevator<Self>,
        state: &mut State,
        held: Held<'a>,
        bio: &Bio,
    ) -> Option<&'a Request> {
        merge::front(state, held, bio)
    }

    fn request_merged(
        _elv: &Elevator<Self>,
        state: &mut State,
        _held: Held<'_>,
        rq: &Request,
        _how: Merge,
    ) {
        merge::grown(state, rq);
    }

    fn requests_merged(
        _elv: &Elevator<Self>,
        state: &mut State,
        _held: Held<'_>,
        rq: &Request,
        next: &Request,
    ) -> Option<Queued> {
        merge::absorbed(state, rq, next)
    }

    fn limit_depth(elv: &Elevator<Self>, opf: Opf, data: &mut AllocData) {
        if !opf.is_sync() {
            data.set_shallow_depth(elv.queue().async_depth());
        }
    }

    fn finish_request(elv: &Elevator<Self>, rq: &Request) {
        let id = id_of(rq);
        if id.is_none() {
            return;
        }
        // Freed without completion: it had been given back by the driver and was merged on its
        // return, or has failed before its second start.
        set_id(rq, RqId::NONE);
        let mut guard = elv.lock();
        let (queued, kick) = guard.policy.cancel(convert::now(), id);
        conclude(guard, kick);
        // Nobody but this elevator may free a queued request: dropping it says so in the log.
        drop(queued);
    }

    fn insert_requests(
        elv: &Elevator<Self>,
        _hctx: &HwCtx,
        list: &mut RequestList<'_>,
        at_head: bool,
    ) {
        let direct = list.direct();
        let mut guard = elv.lock();
        let all = guard.first.is_empty();
        let mut eager = !at_head && Self::pass(&mut guard, list);
        let mut kick = Kick::None;
        if !list.is_empty() {
            let now = convert::now();
            let (mut sync, mut write) = (false, false);
            while let Some(rq) = list.pop_front() {
                let (opf, known) = (rq.opf(), id_of(&rq));
                if let Some(rq) = guard.admit(rq, at_head) {
                    (sync, write) = (opf.is_sync(), opf.is_write());
                    kick = kick.or(Self::insert(elv, &mut guard, now, known, rq, at_head));
                }
            }
            eager = eager || (all && guard.policy.is_eager(sync, write));
        }
        match direct {
            Some(direct) if eager => {
                conclude(guard, Kick::None);
                direct.run();
            }
            _ => conclude(guard, kick),
        }
    }

    fn dispatch_request(elv: &Elevator<Self>, _hctx: &HwCtx) -> Option<Dispatched> {
        let mut guard = elv.lock();
        let next = guard.next();
        state::publish(&mut guard);
        next.map(|rq| guard.start(rq))
    }

    fn has_work(elv: &Elevator<Self>, _hctx: &HwCtx) -> bool {
        elv.data().has_work()
    }

    fn completed_request(elv: &Elevator<Self>, rq: &Request, now: u64) {
        let id = id_of(rq);
        if id.is_none() {
            return;
        }
        set_id(rq, RqId::NONE);
        let mut guard = elv.lock();
        let kick = guard.policy.complete(Time::from_ns(now), id);
        conclude(guard, kick);
    }

    fn requeue_request(elv: &Elevator<Self>, rq: &Request) {
        let id = id_of(rq);
        if id.is_none() {
            return;
        }
        let mut guard = elv.lock();
        if id == RqId::PASSED {
            set_id(rq, RqId::NONE);
        }
        let kick = guard.policy.requeue(convert::now(), id);
        conclude(guard, kick);
    }

    fn former_request<'a>(
        _elv: &Elevator<Self>,
        state: &mut State,
        held: Held<'a>,
        rq: &Request,
    ) -> Option<&'a Request> {
        merge::neighbour(state, held, rq, false)
    }

    fn next_request<'a>(
        _elv: &Elevator<Self>,
        state: &mut State,
        held: Held<'a>,
        rq: &Request,
    ) -> Option<&'a Request> {
        merge::neighbour(state, held, rq, true)
    }

    fn exit_icq(elv: &Elevator<Self>, icq: &Icq<Self>) {
        let mut guard = elv.lock();
        let (state, held) = guard.split();
        let kick = process::exit(state, held, icq, convert::now());
        state::publish(&mut guard);
        drop(guard);
        if kick == Kick::Run {
            elv.kick();
        }
    }

    fn timer_expired(elv: &Elevator<Self>) {
        let mut guard = elv.lock();
        let kick = guard.timer_expired();
        conclude(guard, kick);
    }
}
