// SPDX-License-Identifier: GPL-2.0

//! Moving requests in and out under the lock: inserting, merging and dispatching.
//!
//! C source: [`block/elevator.c`](srctree/block/elevator.c),
//! [`block/blk-merge.c`](srctree/block/blk-merge.c)
//!
//! The core finds requests to merge with through a hash of the queued requests by their end, and
//! through `q->last_merge`. Both belong to the elevator, so everything that touches them is a
//! method of [`Guard`].

use super::{
    bio::{
        Bio,
        Merged,
        Submission, //
    },
    instance::{
        Elevator,
        Guard, //
    },
    list::{
        init_node,
        pop_front, //
    },
    operations::Operations,
    owned::{
        place,
        Dispatched,
        Incoming,
        Queued, //
    },
    request::Request, //
};
use crate::bindings;
use core::{
    cell::Cell,
    mem::MaybeUninit,
    ptr::{
        self,
        null_mut,
        NonNull, //
    },
};
use kernel::{
    current, //
    pr_err_once,
    prelude::*,
    sync::atomic::{
        Atomic,
        Relaxed, //
    },
};

/// How a bio is merged into a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Merge {
    /// At its end.
    Back,
    /// At its beginning.
    Front,
    /// Anywhere: the device takes many ranges in one discard.
    Discard,
}

impl Merge {
    pub(super) fn from_raw(raw: c_uint) -> Option<Self> {
        [Self::Back, Self::Front, Self::Discard]
            .into_iter()
            .find(|how| how.into_raw() == raw)
    }

    /// Returns how `bio` fits `rq`, like `blk_try_merge()`.
    pub(super) fn of(rq: &Request, bio: &Bio) -> Option<Self> {
        if rq.is_multi_range_discard() {
            Some(Self::Discard)
        } else if rq.position().wrapping_add(u64::from(rq.sectors())) == bio.position() {
            Some(Self::Back)
        } else if rq.position() == bio.end() {
            Some(Self::Front)
        } else {
            None
        }
    }

    /// Returns the value of `enum elv_merge`.
    pub(super) const fn into_raw(self) -> c_uint {
        let raw = match self {
            Self::Front => bindings::elv_merge::ELEVATOR_FRONT_MERGE,
            Self::Back => bindings::elv_merge::ELEVATOR_BACK_MERGE,
            Self::Discard => bindings::elv_merge::ELEVATOR_DISCARD_MERGE,
        };
        // CAST: From 1 to 3; the type depends on the compiler.
        raw.0 as c_uint
    }
}

/// The way of the nested callbacks to the data behind the lock.
///
/// `blk_mq_sched_try_merge()` and `blk_mq_sched_try_insert_merge()` are called with the lock held
/// and call back `allow_merge`, `request_merge`, `request_merged`, `requests_merged`,
/// `former_request` and `next_request`. Those cannot take the lock, and there must not be two
/// `&mut` to the data. So for the time of the C call the guard is mutably borrowed, and a pointer
/// derived from it is left here for the callbacks.
///
/// The core calls `allow_merge` from one more place: `blk_bio_list_merge()` looks for requests in
/// the software queues, which hold none that were prepared for an elevator. Nothing here relies on
/// that: a callback finds the pointer only if it runs on the task that has left it.
///
/// # Invariants
///
/// `owner` is 0, or the address of the task that is inside of [`Self::enter`]; that task holds the
/// lock with interrupts disabled. `locked` is only accessed by that task, and then valid for
/// everything.
pub(super) struct Nesting<T: Operations> {
    owner: Atomic<usize>,
    locked: Cell<*mut T::Locked>,
}

impl<T: Operations> Nesting<T> {
    pub(super) const fn new() -> Self {
        // INVARIANT: There is no owner.
        Self {
            owner: Atomic::new(0),
            locked: Cell::new(null_mut()),
        }
    }

    fn current_task() -> usize {
        current!().as_ptr() as usize
    }

    /// Calls `call`, whose callbacks may use [`Self::get`].
    fn enter<R>(guard: &mut Guard<'_, T>, call: impl FnOnce() -> R) -> R {
        let this = &guard.elevator().nesting;
        // INVARIANT: The guard shows that the current task holds the lock, so it is the only one
        // that can be here. The guard is borrowed until the end and not used before.
        this.locked.set(guard.as_ptr());
        this.owner.store(Self::current_task(), Relaxed);
        let result = call();
        this.owner.store(0, Relaxed);
        result
    }

    /// Returns the data behind the lock if the caller was called by [`Self::enter`].
    ///
    /// # Safety
    ///
    /// The result of an earlier call must not be in use any more.
    pub(super) unsafe fn get<'a>(&'a self) -> Option<&'a mut T::Locked> {
        // An interrupt cannot get here on behalf of the owner: it has interrupts disabled. Nobody
        // but the current task can store its address.
        if self.owner.load(Relaxed) != Self::current_task() {
            return None;
        }
        // SAFETY: By the type invariant, as the current task is the owner. Nobody else has a
        // reference: the guard is borrowed, and the rest by the safety requirements.
        Some(unsafe { &mut *self.locked.get() })
    }
}

impl<T: Operations> Elevator<T> {
    /// Does this elevator want merging at all?
    const MERGES: bool = T::HAS_BIO_MERGE || T::HAS_REQUESTS_MERGED;

    /// Takes a request out of the merge hash.
    ///
    /// # Safety
    ///
    /// The lock must be held and `rq` be a request of this queue.
    pub(super) unsafe fn unhash(&self, rq: *mut bindings::request) {
        let q = self.queue().as_raw();
        // SAFETY: The hash is protected by the lock, which is held.
        unsafe { bindings::elv_rqhash_del(q, rq) };
        // SAFETY: The queue is valid, and the field is protected by the lock.
        if unsafe { (*q).last_merge } == rq {
            // SAFETY: As above.
            unsafe { (*q).last_merge = null_mut() };
        }
    }
}

/// Says in the log that the elevator mixes up its queues.
#[cold]
fn report_foreign() {
    pr_err!("elevator: bug: a request or a bio of another queue was passed\n");
}

impl<T: Operations> Guard<'_, T> {
    /// Is `q`, the queue of something that was passed, this one? If not, says so in the log.
    fn check_queue(&self, q: *mut bindings::request_queue) -> bool {
        let same = q == self.elevator().queue().as_raw();
        if !same {
            report_foreign();
        }
        same
    }

    /// Takes in a new request from the insert list.
    ///
    /// [`None`] means that it was merged into a queued request and is going to be freed. Otherwise
    /// the request is returned to be queued. Bios and other requests can be merged with it from
    /// here on, unless it is to be dispatched `at_head`, so now it takes the lock to look at it.
    pub fn admit(&mut self, rq: Incoming, at_head: bool) -> Option<Queued> {
        if !self.check_queue(rq.queue_ptr()) {
            return Some(rq.into_queued());
        }
        let rq = if T::HAS_REQUESTS_MERGED {
            self.try_insert_merge(rq)?
        } else {
            rq
        };
        // SAFETY: The request is valid. The tracepoint only looks at it.
        unsafe { bindings::trace_block_rq_insert(rq.as_raw()) };
        if Elevator::<T>::MERGES && !at_head && !rq.is_hashed() && rq.is_mergeable() {
            let q = self.elevator().queue().as_raw();
            // SAFETY: The hash is protected by the lock, the request is of this queue and not in
            // the hash.
            unsafe { bindings::elv_rqhash_add(q, rq.as_raw()) };
            // SAFETY: The queue is valid, and the field is protected by the lock.
            if unsafe { (*q).last_merge }.is_null() {
                // SAFETY: As above.
                unsafe { (*q).last_merge = rq.as_raw() };
            }
        }
        Some(rq.into_queued())
    }

    /// Takes in a new request that is to be dispatched next, before anything could be merged with
    /// it; in place of [`admit`](Self::admit).
    #[inline]
    pub fn admit_next(&mut self, rq: Incoming) -> Queued {
        if self.check_queue(rq.queue_ptr()) {
            // SAFETY: The request is valid. The tracepoint only looks at it.
            unsafe { bindings::trace_block_rq_insert(rq.as_raw()) };
        }
        rq.into_queued()
    }

    /// Tries to append a new request to a queued one, and that to another one, and so on.
    fn try_insert_merge(&mut self, rq: Incoming) -> Option<Incoming> {
        // Merging discards of many ranges, `elv_attempt_insert_merge()` may go on from `rq` to
        // queued requests, but does not tell the elevator that they are gone. Such discards are
        // only merged bio by bio.
        if rq.is_multi_range_discard() {
            return Some(rq);
        }
        let q = self.elevator().queue().as_raw();
        let raw = rq.as_raw();
        let mut free = MaybeUninit::<bindings::list_head>::uninit();
        let free = free.as_mut_ptr();
        // SAFETY: The head is valid for writes.
        unsafe { init_node(free) };
        let merged = Nesting::enter(self, || {
            // SAFETY: The lock that protects the hash and the queued requests is held, the request
            // is owned and of this queue, and the list is empty.
            unsafe { bindings::blk_mq_sched_try_insert_merge(q, raw, free) }
        });
        if !merged {
            return Some(rq);
        }
        let _ = rq.into_queued().into_raw(place::OUT);
        // SAFETY: The C function has put requests on the list that are to be freed. None of them is
        // in another one: a `Queued` is not, and a FIFO has its own links.
        while let Some(gone) = unsafe { pop_front(free) } {
            // SAFETY: As above.
            unsafe { self.release(gone) };
        }
        None
    }

    /// Tries to merge the bio of `submission` with a queued request.
    ///
    /// For [`Operations::bio_merge`], which returns the result. This calls back those methods of
    /// [`Operations`] that have the arguments `locked` and `held`.
    ///
    /// # Errors
    ///
    /// The submission, if its bio was not merged.
    pub fn try_merge<'b>(
        &mut self,
        submission: Submission<'b>,
    ) -> Result<Merged<'b>, Submission<'b>> {
        let q = submission.queue_ptr();
        if !self.check_queue(q) {
            return Err(submission);
        }
        let bio = submission.bio().as_raw();
        let nr_segs = submission.nr_segs();
        let mut gone: *mut bindings::request = null_mut();
        let merged = Nesting::enter(self, || {
            // SAFETY: The lock that protects the hash and the queued requests is held, and by the
            // invariants of `Submission` the bio was not merged and is being submitted to this
            // queue with that many segments.
            unsafe { bindings::blk_mq_sched_try_merge(q, bio, nr_segs, &raw mut gone) }
        });
        if let Some(gone) = NonNull::new(gone) {
            // SAFETY: The C function has left the request to be freed.
            unsafe { self.release(gone) };
        }
        if !merged {
            return Err(submission);
        }
        // SAFETY: As the C function says.
        Ok(unsafe { submission.into_merged() })
    }

    /// Frees a request that was merged into another one when the lock is released.
    ///
    /// # Safety
    ///
    /// The core has merged the request into another one and expects it to be freed.
    unsafe fn release(&mut self, gone: NonNull<bindings::request>) {
        // SAFETY: The request is valid, and the lock is held.
        let rq = unsafe { Request::from_raw(gone.as_ptr()) };
        if rq.place() == place::OUT {
            // SAFETY: The elevator does not own the request any more, so it is up to us.
            unsafe { self.freed.push(gone) };
            return;
        }
        pr_err_once!("elevator: bug: a request that was merged away was not given back\n");
        // Its owner has it still, in a FIFO maybe, and brings it to `start` in the end.
        rq.set_absorbed(true);
        // SAFETY: The lock is held, and the request is of this queue.
        unsafe { self.elevator().unhash(gone.as_ptr()) };
    }

    /// Makes a queued request ready for the driver, to be returned by
    /// [`Operations::dispatch_request`]. From here on nothing can be merged with it.
    pub fn start(&mut self, rq: Queued) -> Dispatched {
        let Some(request) = rq.get(self.held()) else {
            report_foreign();
            drop(rq);
            // SAFETY: There is no request.
            return unsafe { Dispatched::from_raw(None) };
        };
        // SAFETY: The lock is held, and the request is of this queue.
        unsafe { self.elevator().unhash(request.as_raw()) };
        let absorbed = request.is_absorbed();
        let raw = rq.into_raw(place::OUT);
        if absorbed {
            // SAFETY: See `release`; the elevator has given the request back now.
            unsafe { self.freed.push(raw) };
            // SAFETY: There is no request.
            return unsafe { Dispatched::from_raw(None) };
        }
        // SAFETY: The request is valid, and nobody else uses it.
        unsafe { (*raw.as_ptr()).rq_flags |= bindings::RQF_STARTED };
        // SAFETY: The request was owned as `Queued`, linked nowhere, was taken out of the hash, and
        // its place was just set.
        unsafe { Dispatched::from_raw(Some(raw)) }
    }
}

/// Takes `next` out of the elevator after the core has appended it to `rq`.
///
/// # Safety
///
/// To be called by `requests_merged_callback` with the instance of the queue of both requests.
pub(super) unsafe fn requests_merged<T: Operations>(
    elv: &Elevator<T>,
    rq: *mut bindings::request,
    next: *mut bindings::request,
) {
    // SAFETY: No result of an earlier call is in use: C code has called us.
    let Some((locked, held)) = (unsafe { elv.nested() }) else {
        return;
    };
    // SAFETY: The request is valid, and the lock is held.
    let rq = unsafe { Request::from_raw(rq) };
    // SAFETY: As above.
    let gone = unsafe { Request::from_raw(next) };
    let queued = T::requests_merged(elv, locked, held, rq, gone);
    // SAFETY: The lock is held, and the request is of this queue.
    unsafe { elv.unhash(next) };
    match queued {
        Some(queued) if ptr::eq(queued.as_raw(), next) => {
            let _ = queued.into_raw(place::OUT);
        }
        // Something else was given back: this reports it.
        other => drop(other),
    }
}
