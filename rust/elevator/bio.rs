// SPDX-License-Identifier: GPL-2.0

//! A bio that may be merged with a queued request.
//!
//! C header: [`include/linux/bio.h`](srctree/include/linux/bio.h)

use super::{
    ioprio::Ioprio,
    request::Opf, //
};
use crate::bindings;
use kernel::types::{
    NotThreadSafe,
    Opaque, //
};

/// A `struct bio` that is being submitted by the current task.
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
