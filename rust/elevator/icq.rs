// SPDX-License-Identifier: GPL-2.0

//! Data of an I/O context on a queue.
//!
//! C header: [`include/linux/iocontext.h`](srctree/include/linux/iocontext.h)
//!
//! The block layer allocates a `struct io_cq` for every pair of an I/O context and a queue at the
//! first request, zeroed and as large as the elevator asks for. An I/O context belongs to a task,
//! or to several that were cloned with `CLONE_IO`.
//!
//! A request with an icq holds a reference to the I/O context from
//! [`prepare_request`](Operations::prepare_request) to after
//! [`finish_request`](Operations::finish_request). The icq stays in place as long as there is such
//! a reference and the elevator is attached, also after [`exit_icq`](Operations::exit_icq). A
//! request whose icq could not be allocated has none.

use super::{
    instance::{
        Elevator,
        Held, //
    },
    operations::Operations,
    request::Request,
    AllocData,
    Bio, //
};
use crate::bindings;
use core::{
    cell::Cell,
    mem::size_of, //
};
use kernel::{
    current,
    types::Opaque, //
};

/// A `struct io_cq` with the elevator's data behind it.
///
/// The data is reached through [`data`](Self::data).
///
/// # Invariants
///
/// - Wraps a valid `struct io_cq` that was allocated by the block layer for a queue with the
///   elevator `T`, and exists at least as long as the reference.
/// - `data` is only accessed with the lock of the elevator of that queue held.
#[repr(C)]
pub struct Icq<T: Operations> {
    icq: Opaque<bindings::io_cq>,
    data: Cell<T::IcqData>,
}

impl<T: Operations> Icq<T> {
    /// Does the elevator want to have an icq?
    pub(super) const IS_USED: bool = size_of::<T::IcqData>() != 0;

    /// # Safety
    ///
    /// `icq` must point to a valid `struct io_cq` of a queue with the elevator `T`, and it must
    /// exist during `'a`.
    pub(super) unsafe fn from_raw<'a>(icq: *mut bindings::io_cq) -> &'a Self {
        // SAFETY: `Registration` has set `icq_size` and `icq_align` so that `Self` fits, and the
        // memory was zeroed, which is valid for `IcqData`. The rest by the safety requirements.
        // INVARIANT: By the safety requirements.
        unsafe { &*icq.cast() }
    }

    fn queue_ptr(&self) -> *mut bindings::request_queue {
        // SAFETY: The icq is valid by the type invariant, and `q` does not change.
        unsafe { (*self.icq.get()).q }
    }

    /// Returns the elevator's data, for as long as the lock is held; [`None`] if that lock is not
    /// the one of the elevator that the icq belongs to.
    #[inline]
    pub fn data<'a>(&'a self, held: Held<'a>) -> Option<&'a Cell<T::IcqData>> {
        // By the invariants of `Held` nobody else can get here for the same queue.
        (self.queue_ptr() == held.queue_ptr()).then_some(&self.data)
    }
}

impl<T: Operations> Elevator<T> {
    /// Returns the icq of a request of this queue.
    #[inline]
    pub fn icq<'a>(&'a self, rq: &'a Request) -> Option<&'a Icq<T>> {
        if !Icq::<T>::IS_USED || !rq.is_prepared() || rq.queue_ptr() != self.queue().as_raw() {
            return None;
        }
        // SAFETY: The request is valid by the invariants of `Request`.
        let icq = unsafe { (*rq.as_raw()).elv.icq };
        if icq.is_null() {
            return None;
        }
        // SAFETY: The request was prepared, so `prepare_request_callback` has set the icq, whose
        // I/O context it holds a reference to, for this queue with elevator `T`. `exit_sched` is
        // not called as long as there is a request.
        Some(unsafe { Icq::from_raw(icq) })
    }

    /// Returns the icq of the task that submits `bio` to this queue, if it has one yet.
    pub fn bio_icq<'a>(&'a self, _bio: &'a Bio) -> Option<&'a Icq<T>> {
        // SAFETY: By the invariants of `Bio` the current task is submitting I/O to a queue with
        // this type of elevator, which the caller got together with `self`.
        unsafe { self.current_icq() }
    }

    /// Returns the icq of the task that allocates a request of this queue, if it has one yet.
    pub fn alloc_icq<'a>(&'a self, _data: &'a AllocData) -> Option<&'a Icq<T>> {
        // SAFETY: By the invariants of `AllocData` the current task is submitting I/O to a queue
        // with this type of elevator.
        unsafe { self.current_icq() }
    }

    /// # Safety
    ///
    /// The current task must be submitting I/O and hold a reference to `q_usage_counter` of a
    /// queue, so that the elevator of it stays during `'a`.
    unsafe fn current_icq<'a>(&'a self) -> Option<&'a Icq<T>> {
        if !Icq::<T>::IS_USED {
            return None;
        }
        let task = current!().as_ptr();
        // SAFETY: The current task is valid, and its I/O context is not taken away by others.
        let ioc = unsafe { (*task).io_context };
        if ioc.is_null() {
            return None;
        }
        // SAFETY: The current task has an I/O context, and the queue is valid.
        let icq = unsafe { bindings::ioc_lookup_icq(self.queue().as_raw()) };
        if icq.is_null() {
            return None;
        }
        // SAFETY: The icq is that of the current task, which has a reference to the I/O context,
        // and of this queue, whose elevator is not detached during `'a`.
        Some(unsafe { Icq::from_raw(icq) })
    }
}
