// SPDX-License-Identifier: GPL-2.0

//! A bio that is being submitted, and may be merged with a queued request.
//!
//! C header: [`include/linux/bio.h`](srctree/include/linux/bio.h)

use super::{
    ioprio::Ioprio,
    request::Opf, //
};
use crate::bindings;
use core::{
    marker::PhantomData,
    ptr::NonNull, //
};
use kernel::types::{
    NotThreadSafe,
    Opaque, //
};

/// A `struct bio` that is being submitted by the current task.
///
/// Only ever lent: by a [`Submission`], or for the time of a callback.
///
/// # Invariants
///
/// Wraps a valid `struct bio` which the current task is submitting to a queue that uses a Rust
/// elevator, with a reference to `q_usage_counter` held.
#[repr(transparent)]
pub struct Bio {
    raw: Opaque<bindings::bio>,
    _not_thread_safe: NotThreadSafe,
}

impl Bio {
    /// # Safety
    ///
    /// The type invariants hold for `bio` during `'a`.
    pub(super) unsafe fn from_raw<'a>(bio: *mut bindings::bio) -> &'a Self {
        // SAFETY: `Bio` is a transparent wrapper, and the pointer is valid during `'a` by the
        // safety requirements.
        // INVARIANT: By the safety requirements.
        unsafe { &*bio.cast() }
    }

    pub(super) const fn as_raw(&self) -> *mut bindings::bio {
        self.raw.get()
    }

    /// Returns its first sector, in units of 512 bytes.
    pub fn position(&self) -> u64 {
        // SAFETY: The bio is valid by the type invariant.
        unsafe { (*self.as_raw()).bi_iter.bi_sector }
    }

    /// Returns the first sector after it.
    pub fn end(&self) -> u64 {
        // SAFETY: The bio is valid by the type invariant.
        unsafe { bindings::bio_end_sector(self.as_raw()) }
    }

    /// Returns its length in sectors of 512 bytes.
    pub fn sectors(&self) -> u32 {
        // SAFETY: The bio is valid by the type invariant.
        unsafe { bindings::bio_sectors(self.as_raw()) }
    }

    /// Returns its operation and flags.
    pub fn opf(&self) -> Opf {
        // SAFETY: The bio is valid by the type invariant.
        Opf::new(unsafe { (*self.as_raw()).bi_opf })
    }

    /// Returns its priority.
    pub fn ioprio(&self) -> Ioprio {
        // SAFETY: The bio is valid by the type invariant.
        Ioprio::from_raw(unsafe { (*self.as_raw()).bi_ioprio })
    }
}

/// The lifetime of one call of [`bio_merge`](super::Operations::bio_merge), invariant: no other one
/// can take its place.
type Brand<'a> = PhantomData<fn(&'a ()) -> &'a ()>;

/// The right to merge a bio that the current task submits, which comes with
/// [`bio_merge`](super::Operations::bio_merge).
///
/// There is one for a bio, it cannot be copied, and [`Guard::try_merge`] takes it and gives it back
/// only if the bio was not merged. So no bio is merged twice, and nobody looks at one that was:
/// once the lock is released, another CPU can complete the request that it is a part of, and free
/// it. Nor can the answer of `bio_merge` be wrong: "not merged" is the submission itself, "merged"
/// is a [`Merged`].
///
/// ```ignore
/// match elv.lock().try_merge(submission) {
///     Ok(merged) => Ok(merged), // Here there is neither a submission nor a bio any more.
///     Err(submission) => {
///         let _position = submission.bio().position();
///         Err(submission)
///     }
/// }
/// ```
///
/// [`Guard::try_merge`]: super::Guard::try_merge
///
/// # Invariants
///
/// The invariants of [`Bio`] hold for `bio`, which is being submitted to `queue`, has `nr_segs`
/// segments and was not merged. There is no other `Submission<'a>`, and no [`Merged<'a>`](Merged).
#[must_use = "`bio_merge` has to return it"]
pub struct Submission<'a> {
    bio: NonNull<bindings::bio>,
    queue: *mut bindings::request_queue,
    nr_segs: u32,
    _brand: Brand<'a>,
    _not_thread_safe: NotThreadSafe,
}

impl<'a> Submission<'a> {
    /// # Safety
    ///
    /// The type invariants hold, as long as the bio is not merged; `'a` is that of a call of
    /// `bio_merge` which this is made for.
    pub(super) unsafe fn from_raw(
        bio: NonNull<bindings::bio>,
        queue: *mut bindings::request_queue,
        nr_segs: u32,
    ) -> Self {
        // INVARIANT: By the safety requirements.
        Self {
            bio,
            queue,
            nr_segs,
            _brand: PhantomData,
            _not_thread_safe: NotThreadSafe,
        }
    }

    /// Returns the bio.
    #[inline]
    pub fn bio(&self) -> &Bio {
        // SAFETY: By the type invariant, as long as the submission is borrowed, as it cannot be
        // merged then.
        unsafe { Bio::from_raw(self.bio.as_ptr()) }
    }

    #[inline]
    pub(super) const fn queue_ptr(&self) -> *mut bindings::request_queue {
        self.queue
    }

    #[inline]
    pub(super) const fn nr_segs(&self) -> u32 {
        self.nr_segs
    }

    /// Turns it into the answer that its bio was merged.
    ///
    /// # Safety
    ///
    /// The bio was merged.
    #[inline]
    pub(super) unsafe fn into_merged(self) -> Merged<'a> {
        // INVARIANT: By the safety requirements; this was the only `Submission<'a>`.
        Merged(PhantomData)
    }
}

/// The answer of [`bio_merge`](super::Operations::bio_merge) that the bio was merged.
///
/// Made by [`Guard::try_merge`](super::Guard::try_merge) only, out of the [`Submission`] of the
/// same call: one that was made in another call, for another bio, has another type.
///
/// # Invariants
///
/// The bio of the `Submission<'a>` was merged.
#[must_use = "`bio_merge` has to return it"]
pub struct Merged<'a>(Brand<'a>);
