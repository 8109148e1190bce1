// SPDX-License-Identifier: GPL-2.0

//! Who owns a request, and who may look at it.
//!
//! A request is in one of three places, written down in its `fifo_time`, which the block layer
//! leaves to the elevator:
//!
//! - *out*: the elevator does not own it. It is being prepared, belongs to the driver or is being
//!   freed. Callbacks lend it as [`&Request`](Request).
//! - *loose*: it is owned through an [`Incoming`] or a [`Queued`].
//! - *listed*: it is owned by a [`RequestFifo`](super::RequestFifo), whose number is in
//!   `fifo_time`.
//!
//! One that is *loose* or *listed* may be *absorbed* as well: it was merged into another request
//! and should be freed, but the elevator did not give its [`Queued`] back. It is freed on the
//! attempt to dispatch it.
//!
//! The lock of the elevator protects all of a queued request, the mark of an absorbed one too,
//! except what its owner needs to pass it on without the lock: its place, see `place_of`, and the
//! links of the [`RequestFifo`](super::RequestFifo) that it is in.

use super::{
    instance::Held,
    request::Request, //
};
use crate::bindings;
use core::{
    marker::PhantomData,
    mem::{
        size_of,
        ManuallyDrop, //
    },
    ops::Deref,
    ptr::{
        null_mut,
        NonNull, //
    },
};
use kernel::{
    prelude::*,
    types::NotThreadSafe, //
};

/// The places of a request, see the head of this file.
pub(super) mod place {
    /// Not owned by the elevator.
    pub(in super::super) const OUT: u64 = 0;
    /// Owned through an `Incoming` or a `Queued`.
    pub(in super::super) const LOOSE: u64 = 1;
    /// The first number of a FIFO.
    pub(in super::super) const FIRST_FIFO: u64 = 2;
}

/// Returns where the place of a request is written down.
///
/// A FIFO may be asked for a request that its owner is just moving elsewhere, without the lock. So
/// it is read and written in one piece, by volatile accesses: as with `READ_ONCE()` and
/// `WRITE_ONCE()` that is no data race by the kernel's memory model, for a word of the machine.
/// (`Atomic` is the same, by a call of a C function.) No order is needed: that a request is in a
/// FIFO, and that it is not any more, is only written by those who have that FIFO.
///
/// # Safety
///
/// `rq` must point to a valid request.
#[inline]
pub(super) unsafe fn place_of(rq: *mut bindings::request) -> *mut u64 {
    const { assert!(size_of::<u64>() == size_of::<usize>()) };
    // SAFETY: The request is valid by the safety requirements.
    unsafe { &raw mut (*rq).fifo_time }
}

/// A request that was just handed over by the block layer, to be passed to
/// [`Guard::admit`](super::Guard::admit) or [`Guard::admit_next`](super::Guard::admit_next).
///
/// Until then nobody else knows it, so it can be used as a [`Request`] without the lock. Dropping
/// it is like dropping a [`Queued`].
///
/// # Invariants
///
/// Nobody else uses the request. It is not in the merge hash, and not *absorbed*.
#[must_use = "dropping an incoming request loses it"]
pub struct Incoming {
    rq: Queued,
    _not_thread_safe: NotThreadSafe,
}

impl Incoming {
    /// # Safety
    ///
    /// The block layer has handed the request `rq` over to the elevator; it is linked nowhere, and
    /// nobody else uses it.
    pub(super) unsafe fn from_raw(rq: NonNull<bindings::request>) -> Self {
        // INVARIANT: By the safety requirements, and the mark is cleared below.
        let this = Self {
            // SAFETY: By the safety requirements.
            rq: unsafe { Queued::from_raw(rq) },
            _not_thread_safe: NotThreadSafe,
        };
        this.set_absorbed(false);
        this
    }

    /// Lets others find it from now on.
    pub(super) fn into_queued(self) -> Queued {
        self.rq
    }
}

impl Deref for Incoming {
    type Target = Request;

    #[inline]
    fn deref(&self) -> &Request {
        // SAFETY: The request is valid, and nobody else uses it, by the type invariants.
        unsafe { Request::from_raw(self.rq.as_raw()) }
    }
}

/// A request that the elevator owns.
///
/// The block layer expects it back exactly once: as [`Dispatched`], or from
/// [`requests_merged`](super::Operations::requests_merged). Dropping it loses the request, and with
/// it the task that waits for it; that is a bug of the elevator and reported in the log.
///
/// # The lock
///
/// The block layer finds the request and merges others into it, or it into others, whenever
/// somebody holds the lock of the elevator. So it may be kept and passed on anywhere, but to
/// [look at it](Self::get) takes a [`Held`], which shows that the lock is held here.
///
/// # Invariants
///
/// The request is owned by the elevator and linked nowhere, neither by its `queuelist` nor by the
/// links of a FIFO, and there is no other `Queued` for it. It is *loose*, and may be *absorbed*.
#[must_use = "dropping a queued request loses it"]
pub struct Queued(NonNull<bindings::request>);

// SAFETY: The request does not depend on the thread that inserted it. Without the lock only fields
// are used that nobody writes, that are the owner's alone, or the place.
unsafe impl Send for Queued {}

impl Queued {
    /// Makes it *loose*.
    ///
    /// # Safety
    ///
    /// The elevator owns the request `rq`, it is linked nowhere, and there is no other `Queued` for
    /// it.
    pub(super) unsafe fn from_raw(rq: NonNull<bindings::request>) -> Self {
        // INVARIANT: By the safety requirements, and the place is set below.
        let this = Self(rq);
        this.set_place(place::LOOSE);
        this
    }

    /// Gives up the ownership without giving the request back; `place` is its new place.
    pub(super) fn into_raw(self, place: u64) -> NonNull<bindings::request> {
        self.set_place(place);
        ManuallyDrop::new(self).0
    }

    #[inline]
    pub(super) const fn as_raw(&self) -> *mut bindings::request {
        self.0.as_ptr()
    }

    fn set_place(&self, new: u64) {
        // SAFETY: The request is valid by the type invariant.
        let place = unsafe { place_of(self.as_raw()) };
        // SAFETY: As above, the owner says where it is, and the access is volatile.
        unsafe { place.write_volatile(new) };
    }

    /// Returns the request, for as long as the lock is held; [`None`] if that lock is not the one
    /// of its queue's elevator.
    ///
    /// The reference does not depend on `self`: it may be used when the request has been put where
    /// it is to be kept.
    #[inline]
    pub fn get<'a>(&self, held: Held<'a>) -> Option<&'a Request> {
        // SAFETY: The request is valid by the type invariant, and `q` does not change while the
        // elevator owns it.
        let q = unsafe { (*self.as_raw()).q };
        if q != held.queue_ptr() {
            return None;
        }
        // SAFETY: The elevator owns the request by the type invariant. Others give it back or write
        // to it only with the lock held, and by the invariants of `Held` the lock is held by this
        // context during `'a`, in which neither happens.
        Some(unsafe { Request::from_raw(self.as_raw()) })
    }
}

impl Drop for Queued {
    #[cold]
    fn drop(&mut self) {
        // SAFETY: The request is valid by the type invariant, and `internal_tag` does not change
        // while the elevator owns it.
        let tag = unsafe { (*self.as_raw()).internal_tag };
        pr_err!("elevator: bug: a queued request was dropped (scheduler tag {tag})\n");
    }
}

/// A request on its way to the driver, made by [`Guard::start`](super::Guard::start).
///
/// # Invariants
///
/// If there is a request, it is linked nowhere, not in the merge hash, and it is *out*.
#[must_use = "dropping a dispatched request loses it"]
pub struct Dispatched {
    rq: Option<NonNull<bindings::request>>,
    _not_thread_safe: PhantomData<NotThreadSafe>,
}

impl Dispatched {
    /// # Safety
    ///
    /// The request, if there is one, meets the invariants and is owned by the caller.
    pub(super) unsafe fn from_raw(rq: Option<NonNull<bindings::request>>) -> Self {
        // INVARIANT: By the safety requirements.
        Self {
            rq,
            _not_thread_safe: PhantomData,
        }
    }

    /// Gives the request to C; null if there is none.
    pub(super) fn into_raw(self) -> *mut bindings::request {
        let this = ManuallyDrop::new(self);
        this.rq.map_or(null_mut(), NonNull::as_ptr)
    }
}

impl Drop for Dispatched {
    #[cold]
    fn drop(&mut self) {
        if self.rq.is_some() {
            pr_err!("elevator: bug: a dispatched request was dropped\n");
        }
    }
}
