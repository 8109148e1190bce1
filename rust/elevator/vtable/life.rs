// SPDX-License-Identifier: GPL-2.0

//! Attaching and detaching an elevator.
//!
//! C source: [`block/blk-mq-sched.c`](srctree/block/blk-mq-sched.c),
//! [`block/blk-ioc.c`](srctree/block/blk-ioc.c)

use super::super::{
    icq::Icq,
    instance::Elevator,
    operations::Operations,
    queue::{
        FrozenQueue,
        HwCtx,
        RequestQueue, //
    }, //
};
use super::OperationsVTable;
use crate::bindings;
use core::ptr::null_mut;
use kernel::{
    error::from_result,
    prelude::*,
    types::ForeignOwnable, //
};

impl<T: Operations> OperationsVTable<T> {
    /// # Safety
    ///
    /// May only be called by the block layer, see [`OperationsVTable`]; the elevator of `q` may
    /// still be another one.
    pub(in super::super) unsafe extern "C" fn alloc_sched_data_callback(
        q: *mut bindings::request_queue,
    ) -> *mut c_void {
        // SAFETY: By the safety requirements.
        let queue = unsafe { RequestQueue::from_raw(q) };
        match KBox::pin_init(Elevator::<T>::new(queue), GFP_KERNEL) {
            Ok(elv) => elv.into_foreign(),
            // The core makes it ENOMEM.
            Err(_) => null_mut(),
        }
    }

    /// # Safety
    ///
    /// May only be called by the block layer, once, with the result of
    /// [`Self::alloc_sched_data_callback`] or what [`Self::init_sched_callback`] has set, when
    /// nothing can use the elevator any more.
    pub(in super::super) unsafe extern "C" fn free_sched_data_callback(data: *mut c_void) {
        // SAFETY: By the safety requirements it is the box made by one of these.
        drop(unsafe { Pin::<KBox<Elevator<T>>>::from_foreign(data) });
    }

    /// # Safety
    ///
    /// May only be called by the block layer, see [`OperationsVTable`], with the queue frozen and
    /// quiesced and `elevator_lock` held.
    pub(in super::super) unsafe extern "C" fn init_sched_callback(
        q: *mut bindings::request_queue,
        eq: *mut bindings::elevator_queue,
    ) -> c_int {
        // If the type was registered between the two times that the core has looked for it, it has
        // not called `alloc_sched_data`.
        // SAFETY: By the safety requirements.
        if unsafe { (*eq).elevator_data }.is_null() {
            // SAFETY: By the safety requirements. Allocating here does no I/O, as the task has
            // frozen a queue.
            let data = unsafe { Self::alloc_sched_data_callback(q) };
            if data.is_null() {
                return ENOMEM.to_errno();
            }
            // SAFETY: By the safety requirements; nobody else knows `eq` yet.
            unsafe { (*eq).elevator_data = data };
        }
        // SAFETY: The field is protected by `elevator_lock`.
        unsafe { (*q).elevator = eq.cast() };
        // A request of the former elevator would be a dangling pointer.
        // SAFETY: The queue is frozen, so nobody uses the field.
        unsafe { (*q).last_merge = null_mut() };
        // SAFETY: The elevator was just set, its tags are set up, and the rest by the safety
        // requirements.
        let queue = unsafe { FrozenQueue::from_raw(q) };
        queue.set_single_queue(false);
        queue.set_async_depth(queue.nr_requests());
        if T::HAS_INIT_SCHED {
            // SAFETY: `elevator_data` is set.
            T::init_sched(unsafe { Elevator::of_elevator_queue(eq) }, queue);
        }
        0
    }

    /// # Safety
    ///
    /// May only be called by the block layer, see [`OperationsVTable`], with the queue frozen and
    /// `elevator_lock` held. Not always with it quiesced, see `exit_hctx_callback`.
    pub(in super::super) unsafe extern "C" fn exit_sched_callback(
        eq: *mut bindings::elevator_queue,
    ) {
        // SAFETY: By the safety requirements.
        let elv = unsafe { Elevator::<T>::of_elevator_queue(eq) };
        // SAFETY: By the safety requirements; the tags are torn down after this.
        let queue = unsafe { FrozenQueue::from_raw(elv.queue().as_raw()) };
        if T::HAS_EXIT_SCHED {
            T::exit_sched(elv, queue);
        }
        queue.restore_writeback_throttling();
        // From here on nobody arms them: every callback needs an attached elevator.
        elv.stop_timers();
    }

    /// # Safety
    ///
    /// May only be called by the block layer, see [`OperationsVTable`], once for `hctx` after
    /// [`Self::init_sched_callback`].
    pub(in super::super) unsafe extern "C" fn init_hctx_callback(
        hctx: *mut bindings::blk_mq_hw_ctx,
        index: c_uint,
    ) -> c_int {
        from_result(|| {
            // SAFETY: By the safety requirements.
            let ctx = unsafe { HwCtx::from_raw(hctx) };
            // SAFETY: By the safety requirements.
            let elv = unsafe { Elevator::<T>::of_queue(ctx.queue_ptr()) };
            let data = T::init_hctx(elv, ctx, index)?;
            // SAFETY: The field is the elevator's, and nobody else uses it.
            unsafe { (*hctx).sched_data = data.into_foreign() };
            Ok(0)
        })
    }

    /// # Safety
    ///
    /// May only be called by the block layer, see [`OperationsVTable`], once for `hctx` after
    /// [`Self::init_hctx_callback`] was successful.
    pub(in super::super) unsafe extern "C" fn exit_hctx_callback(
        hctx: *mut bindings::blk_mq_hw_ctx,
        index: c_uint,
    ) {
        // SAFETY: By the safety requirements.
        let data = unsafe { (*hctx).sched_data };
        // SAFETY: As above.
        unsafe { (*hctx).sched_data = null_mut() };
        // SAFETY: `init_hctx_callback` has set it. Nobody borrows it: the queue is frozen, so there
        // is no request, and quiesced, so it is not being run. But `elv_exit_and_release()` does
        // not quiesce it: then the core frees all of the elevator while the queue may be run, which
        // nothing here can make up for, see "Faults of the C side".
        let data = unsafe { T::HctxData::from_foreign(data) };
        if T::HAS_EXIT_HCTX {
            // SAFETY: By the safety requirements.
            let ctx = unsafe { HwCtx::from_raw(hctx) };
            // SAFETY: By the safety requirements.
            let elv = unsafe { Elevator::<T>::of_queue(ctx.queue_ptr()) };
            T::exit_hctx(elv, ctx, index, data);
        }
    }

    /// # Safety
    ///
    /// May only be called by the block layer, see [`OperationsVTable`], with the queue frozen and
    /// `elevator_lock` held.
    pub(in super::super) unsafe extern "C" fn depth_updated_callback(
        q: *mut bindings::request_queue,
    ) {
        // SAFETY: By the safety requirements.
        let elv = unsafe { Elevator::of_queue(q) };
        // SAFETY: By the safety requirements.
        T::depth_updated(elv, unsafe { FrozenQueue::from_raw(q) });
    }

    /// # Safety
    ///
    /// May only be called by the block layer, see [`OperationsVTable`].
    pub(in super::super) unsafe extern "C" fn init_icq_callback(icq: *mut bindings::io_cq) {
        // SAFETY: By the safety requirements.
        let q = unsafe { (*icq).q };
        // SAFETY: By the safety requirements.
        let elv = unsafe { Elevator::of_queue(q) };
        // SAFETY: By the safety requirements; the core passes zeroed memory of the right size.
        T::init_icq(elv, unsafe { Icq::from_raw(icq) });
    }

    /// # Safety
    ///
    /// May only be called by the block layer, see [`OperationsVTable`].
    pub(in super::super) unsafe extern "C" fn exit_icq_callback(icq: *mut bindings::io_cq) {
        // SAFETY: By the safety requirements.
        let q = unsafe { (*icq).q };
        // SAFETY: By the safety requirements. Detaching the elevator begins with
        // `ioc_clear_queue()`, which waits for the lock of the I/O context that is held here.
        let elv = unsafe { Elevator::of_queue(q) };
        // SAFETY: By the safety requirements.
        T::exit_icq(elv, unsafe { Icq::from_raw(icq) });
    }
}
