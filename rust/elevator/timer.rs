// SPDX-License-Identifier: GPL-2.0

//! The timers of an elevator.
//!
//! C header: [`include/linux/hrtimer.h`](srctree/include/linux/hrtimer.h)
//!
//! `kernel::time::hrtimer` ties an armed timer to a handle that owns a reference to the data, and
//! dropping the handle waits for the handler. Neither fits an elevator: it arms its timer under the
//! lock that the handler takes, and its data is freed by the block layer. So there is one timer in
//! every [`Elevator`], which is stopped when the elevator is detached.

use super::{
    instance::Elevator,
    operations::Operations, //
};
use crate::bindings;
use core::mem::offset_of;
use kernel::{
    prelude::*,
    types::Opaque, //
};

/// A high resolution timer on the monotonic clock that expires once.
///
/// # Invariants
///
/// The timer is initialised.
#[pin_data(PinnedDrop)]
#[repr(transparent)]
pub(super) struct Timer {
    #[pin]
    raw: Opaque<bindings::hrtimer>,
}

// SAFETY: The functions used on an hrtimer may be called on any CPU; it has a lock of its own.
unsafe impl Send for Timer {}
// SAFETY: As above.
unsafe impl Sync for Timer {}

type Handler = unsafe extern "C" fn(*mut bindings::hrtimer) -> bindings::hrtimer_restart;

impl Timer {
    /// Creates a timer that calls `handler`.
    ///
    /// # Safety
    ///
    /// It must be sound to call `handler` with the timer, any time after it was armed and before it
    /// is stopped or dropped, in hard interrupt context.
    pub(super) unsafe fn new(handler: Handler) -> impl PinInit<Self> {
        pin_init!(Self {
            // INVARIANT: Initialised here.
            raw <- Opaque::ffi_init(move |slot| {
                // SAFETY: The slot is valid for writes and pinned.
                unsafe {
                    bindings::hrtimer_setup(
                        slot,
                        Some(handler),
                        // CAST: A small constant.
                        bindings::CLOCK_MONOTONIC as bindings::clockid_t,
                        bindings::hrtimer_mode_HRTIMER_MODE_ABS,
                    )
                }
            }),
        })
    }

    /// Arms the timer to expire at `at` nanoseconds. If it is armed already, the time is changed.
    #[inline]
    pub(super) fn arm(&self, at: u64) {
        let at = i64::try_from(at).unwrap_or(i64::MAX);
        // SAFETY: The timer is initialised by the type invariant.
        unsafe {
            bindings::hrtimer_start_range_ns(
                self.raw.get(),
                at,
                0,
                bindings::hrtimer_mode_HRTIMER_MODE_ABS,
            )
        };
    }

    /// Disarms the timer, without waiting for a handler that is running.
    #[inline]
    pub(super) fn disarm(&self) {
        // SAFETY: The timer is initialised by the type invariant.
        unsafe { bindings::hrtimer_try_to_cancel(self.raw.get()) };
    }

    /// Disarms the timer and waits until its handler has ended. May sleep.
    pub(super) fn stop(&self) {
        // SAFETY: The timer is initialised by the type invariant.
        unsafe { bindings::hrtimer_cancel(self.raw.get()) };
    }
}

#[pinned_drop]
impl PinnedDrop for Timer {
    fn drop(self: Pin<&mut Self>) {
        self.stop();
    }
}

/// Calls [`Operations::timer_expired`].
///
/// # Safety
///
/// `timer` must be that of an [`Elevator<T>`] which is attached to its queue.
pub(super) unsafe extern "C" fn timer_callback<T: Operations>(
    timer: *mut bindings::hrtimer,
) -> bindings::hrtimer_restart {
    // SAFETY: By the safety requirements.
    let elv: *const Elevator<T> = unsafe { timer.byte_sub(offset_of!(Elevator<T>, timer)) }.cast();
    if T::HAS_TIMER_EXPIRED {
        // SAFETY: By the safety requirements.
        T::timer_expired(unsafe { &*elv });
    }
    bindings::hrtimer_restart::HRTIMER_NORESTART
}

/// Runs the queues, for [`Elevator::kick`].
///
/// # Safety
///
/// `timer` must be the kick timer of an [`Elevator<T>`] which is attached to its queue.
pub(super) unsafe extern "C" fn kick_callback<T: Operations>(
    timer: *mut bindings::hrtimer,
) -> bindings::hrtimer_restart {
    // SAFETY: By the safety requirements.
    let elv: *const Elevator<T> = unsafe { timer.byte_sub(offset_of!(Elevator<T>, kick)) }.cast();
    // SAFETY: By the safety requirements.
    let elv = unsafe { &*elv };
    elv.queue().run_hw_queues(true);
    bindings::hrtimer_restart::HRTIMER_NORESTART
}
