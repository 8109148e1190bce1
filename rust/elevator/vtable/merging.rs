// SPDX-License-Identifier: GPL-2.0

//! Callbacks about merging.
//!
//! C source: [`block/blk-merge.c`](srctree/block/blk-merge.c)
//!
//! All but `bio_merge` are called from within methods of `Guard`, with the lock held; see
//! `Nesting`.

use super::super::{
    bio::{
        Bio,
        Submission, //
    },
    instance::{
        Elevator,
        Held, //
    },
    merge::{
        self,
        Merge, //
    },
    operations::Operations,
    request::Request, //
};
use super::OperationsVTable;
use crate::bindings;
use core::ptr::{
    null_mut,
    NonNull, //
};
use kernel::prelude::*;

/// `ELEVATOR_NO_MERGE`.
const NO_MERGE: c_int = 0;

impl<T: Operations> OperationsVTable<T> {
    /// # Safety
    ///
    /// May only be called by the block layer, see [`OperationsVTable`].
    pub(in super::super) unsafe extern "C" fn allow_merge_callback(
        q: *mut bindings::request_queue,
        rq: *mut bindings::request,
        bio: *mut bindings::bio,
    ) -> bool {
        // SAFETY: By the safety requirements.
        let elv = unsafe { Elevator::of_queue(q) };
        // SAFETY: C code has called us, so no result of an earlier call is in use.
        let Some((locked, held)) = (unsafe { elv.nested() }) else {
            // Not asked from `Guard`: the request is none that the elevator could judge.
            return false;
        };
        // SAFETY: By the safety requirements; the lock is held.
        let rq = unsafe { Request::from_raw(rq) };
        // SAFETY: By the safety requirements.
        T::allow_merge(elv, locked, held, rq, unsafe { Bio::from_raw(bio) })
    }

    /// # Safety
    ///
    /// May only be called by the block layer, see [`OperationsVTable`].
    pub(in super::super) unsafe extern "C" fn bio_merge_callback(
        q: *mut bindings::request_queue,
        bio: *mut bindings::bio,
        nr_segs: c_uint,
    ) -> bool {
        // SAFETY: By the safety requirements.
        let elv = unsafe { Elevator::of_queue(q) };
        // SAFETY: By the safety requirements.
        let bio = unsafe { NonNull::new_unchecked(bio) };
        // SAFETY: By the safety requirements; `blk_mq_submit_bio()` holds a reference to
        // `q_usage_counter`. The only submission of this call is made here, and `bio_merge`, which
        // is written for every lifetime, cannot give it another one.
        let submission = unsafe { Submission::from_raw(bio, q, nr_segs) };
        T::bio_merge(elv, submission).is_ok()
    }

    /// # Safety
    ///
    /// May only be called by the block layer, see [`OperationsVTable`].
    pub(in super::super) unsafe extern "C" fn request_merge_callback(
        q: *mut bindings::request_queue,
        result: *mut *mut bindings::request,
        raw_bio: *mut bindings::bio,
    ) -> c_int {
        // SAFETY: By the safety requirements.
        let bio = unsafe { Bio::from_raw(raw_bio) };
        // SAFETY: By the safety requirements.
        let elv = unsafe { Elevator::of_queue(q) };
        // SAFETY: C code has called us, so no result of an earlier call is in use.
        let candidate = unsafe { elv.nested() }
            .and_then(|(locked, held)| T::request_merge(elv, locked, held, bio))
            .filter(|rq| rq.is_hashed() && rq.queue_ptr() == q)
            .map(Request::as_raw);
        // Here the borrow of the data behind the lock has ended: the next call asks `allow_merge`.
        // SAFETY: The request is queued in this queue, whose lock is held. The rest by the safety
        // requirements.
        let candidate = candidate.filter(|rq| unsafe { bindings::elv_bio_merge_ok(*rq, raw_bio) });
        let Some(rq) = candidate else {
            return NO_MERGE;
        };
        // SAFETY: By the safety requirements.
        unsafe { *result = rq };
        // SAFETY: As above.
        let how = Merge::of(unsafe { Request::from_raw(rq) }, bio);
        // CAST: From 0 to 3.
        how.map_or(NO_MERGE, |how| how.into_raw() as c_int)
    }

    /// The C side calls this through `rust_helper_elv_request_merged()`.
    ///
    /// # Safety
    ///
    /// May only be called by the block layer, see [`OperationsVTable`].
    pub(in super::super) unsafe extern "C" fn request_merged_callback(
        q: *mut bindings::request_queue,
        rq: *mut bindings::request,
        how: c_uint,
    ) {
        if !T::HAS_REQUEST_MERGED {
            return;
        }
        // SAFETY: By the safety requirements.
        let elv = unsafe { Elevator::of_queue(q) };
        // SAFETY: C code has called us, so no result of an earlier call is in use.
        let nested = unsafe { elv.nested() };
        if let (Some((locked, held)), Some(how)) = (nested, Merge::from_raw(how)) {
            // SAFETY: By the safety requirements; the lock is held.
            T::request_merged(elv, locked, held, unsafe { Request::from_raw(rq) }, how);
        }
    }

    /// # Safety
    ///
    /// May only be called by the block layer, see [`OperationsVTable`].
    pub(in super::super) unsafe extern "C" fn requests_merged_callback(
        q: *mut bindings::request_queue,
        rq: *mut bindings::request,
        next: *mut bindings::request,
    ) {
        // SAFETY: By the safety requirements.
        let elv = unsafe { Elevator::<T>::of_queue(q) };
        // SAFETY: This is the callback that the function is for.
        unsafe { merge::requests_merged(elv, rq, next) };
    }

    /// Asks for a neighbour of `rq`.
    ///
    /// # Safety
    ///
    /// As for the callbacks.
    unsafe fn neighbour(
        q: *mut bindings::request_queue,
        rq: *mut bindings::request,
        find: for<'a> fn(&Elevator<T>, &mut T::Locked, Held<'a>, &Request) -> Option<&'a Request>,
    ) -> *mut bindings::request {
        // SAFETY: By the safety requirements.
        let elv = unsafe { Elevator::of_queue(q) };
        // SAFETY: C code has called us, so no result of an earlier call is in use.
        let nested = unsafe { elv.nested() };
        // SAFETY: By the safety requirements; the lock is held.
        let request = unsafe { Request::from_raw(rq) };
        nested
            .and_then(|(locked, held)| find(elv, locked, held, request))
            // The core does not ask for the queue, would merge any two discards, and moves the
            // request in its hash.
            .filter(|other| other.is_hashed() && other.queue_ptr() == q && other.as_raw() != rq)
            .map_or(null_mut(), Request::as_raw)
    }

    /// # Safety
    ///
    /// May only be called by the block layer, see [`OperationsVTable`].
    pub(in super::super) unsafe extern "C" fn former_request_callback(
        q: *mut bindings::request_queue,
        rq: *mut bindings::request,
    ) -> *mut bindings::request {
        // SAFETY: By the safety requirements.
        unsafe { Self::neighbour(q, rq, T::former_request) }
    }

    /// # Safety
    ///
    /// May only be called by the block layer, see [`OperationsVTable`].
    pub(in super::super) unsafe extern "C" fn next_request_callback(
        q: *mut bindings::request_queue,
        rq: *mut bindings::request,
    ) -> *mut bindings::request {
        // SAFETY: By the safety requirements.
        unsafe { Self::neighbour(q, rq, T::next_request) }
    }
}
