// SPDX-License-Identifier: GPL-2.0

//! The way of a request through the elevator.
//!
//! C source: [`block/blk-mq.c`](srctree/block/blk-mq.c),
//! [`block/blk-mq-sched.c`](srctree/block/blk-mq-sched.c)

use super::super::{
    icq::Icq,
    instance::Elevator,
    list::RequestList,
    operations::Operations,
    owned::Dispatched,
    queue::{
        AllocData,
        HwCtx, //
    },
    request::{
        Opf,
        Request, //
    }, //
};
use super::OperationsVTable;
use crate::bindings;
use core::ptr::null_mut;

impl<T: Operations> OperationsVTable<T> {
    /// # Safety
    ///
    /// May only be called by the block layer, see [`OperationsVTable`].
    pub(in super::super) unsafe extern "C" fn limit_depth_callback(
        opf: bindings::blk_opf_t,
        data: *mut bindings::blk_mq_alloc_data,
    ) {
        // SAFETY: By the safety requirements.
        let q = unsafe { (*data).q };
        // SAFETY: By the safety requirements.
        let elv = unsafe { Elevator::of_queue(q) };
        // SAFETY: By the safety requirements.
        let data = unsafe { AllocData::from_raw(data) };
        T::limit_depth(elv, Opf::new(opf), data);
    }

    /// # Safety
    ///
    /// May only be called by the block layer, see [`OperationsVTable`], for a request that is not
    /// used yet.
    pub(in super::super) unsafe extern "C" fn prepare_request_callback(rq: *mut bindings::request) {
        // SAFETY: By the safety requirements.
        let request = unsafe { Request::from_raw(rq) };
        let icq = if Icq::<T>::IS_USED {
            // SAFETY: The queue is valid, and `q_usage_counter` is held for the request.
            unsafe { bindings::ioc_find_get_icq(request.queue_ptr()) }
        } else {
            null_mut()
        };
        // SAFETY: By the safety requirements.
        unsafe { (*rq).elv.icq = icq };
        request.set_private::<0>(0);
        request.set_private::<1>(0);
        request.set_out();
        if T::HAS_PREPARE_REQUEST {
            // SAFETY: By the safety requirements.
            let elv = unsafe { Elevator::of_queue(request.queue_ptr()) };
            T::prepare_request(elv, request);
        }
    }

    /// # Safety
    ///
    /// May only be called by the block layer, see [`OperationsVTable`], once for a request on which
    /// [`Self::prepare_request_callback`] was called.
    pub(in super::super) unsafe extern "C" fn finish_request_callback(rq: *mut bindings::request) {
        // SAFETY: By the safety requirements.
        let request = unsafe { Request::from_raw(rq) };
        // SAFETY: By the safety requirements.
        let elv = unsafe { Elevator::<T>::of_queue(request.queue_ptr()) };
        T::finish_request(elv, request);
        if Icq::<T>::IS_USED {
            // SAFETY: By the safety requirements.
            let icq = unsafe { (*rq).elv.icq };
            if !icq.is_null() {
                // SAFETY: As above.
                unsafe { (*rq).elv.icq = null_mut() };
                // SAFETY: The reference to its I/O context keeps the icq.
                let ioc = unsafe { (*icq).ioc };
                // SAFETY: The reference was taken by `prepare_request_callback`. The lock is not
                // held here.
                unsafe { bindings::put_io_context(ioc) };
            }
        }
    }

    /// # Safety
    ///
    /// May only be called by the block layer, see [`OperationsVTable`]; the requests on the list
    /// are passed on.
    pub(in super::super) unsafe extern "C" fn insert_requests_callback(
        hctx: *mut bindings::blk_mq_hw_ctx,
        list: *mut bindings::list_head,
        flags: bindings::blk_insert_t,
    ) {
        // SAFETY: By the safety requirements.
        let hctx = unsafe { HwCtx::from_raw(hctx) };
        let q = hctx.queue_ptr();
        // SAFETY: The requests on the list hold the queue, so it is not frozen.
        unsafe { bindings::elv_hold(q) };
        // SAFETY: By the safety requirements, and since the queue is held.
        let elv = unsafe { Elevator::of_queue(q) };
        let at_head = flags & bindings::BLK_MQ_INSERT_AT_HEAD != 0;
        // SAFETY: By the safety requirements, and this is the call for `hctx`.
        let mut list = unsafe { RequestList::from_raw(list, hctx, at_head) };
        T::insert_requests(elv, hctx, &mut list, at_head);
        // Nobody else takes them. Each one reports itself.
        while let Some(rq) = list.pop_front() {
            drop(rq);
        }
        // SAFETY: Held above. Neither the elevator nor the context is used any more.
        unsafe { bindings::elv_release(q) };
    }

    /// # Safety
    ///
    /// May only be called by the block layer, see [`OperationsVTable`].
    pub(in super::super) unsafe extern "C" fn dispatch_request_callback(
        hctx: *mut bindings::blk_mq_hw_ctx,
    ) -> *mut bindings::request {
        // SAFETY: By the safety requirements.
        let hctx = unsafe { HwCtx::from_raw(hctx) };
        // SAFETY: By the safety requirements.
        let elv = unsafe { Elevator::of_queue(hctx.queue_ptr()) };
        T::dispatch_request(elv, hctx).map_or(null_mut(), Dispatched::into_raw)
    }

    /// # Safety
    ///
    /// May only be called by the block layer, see [`OperationsVTable`].
    pub(in super::super) unsafe extern "C" fn has_work_callback(
        hctx: *mut bindings::blk_mq_hw_ctx,
    ) -> bool {
        // SAFETY: By the safety requirements.
        let hctx = unsafe { HwCtx::from_raw(hctx) };
        // SAFETY: By the safety requirements.
        let elv = unsafe { Elevator::of_queue(hctx.queue_ptr()) };
        T::has_work(elv, hctx)
    }

    /// # Safety
    ///
    /// May only be called by the block layer, see [`OperationsVTable`].
    pub(in super::super) unsafe extern "C" fn completed_request_callback(
        rq: *mut bindings::request,
        now: bindings::u64_,
    ) {
        // SAFETY: By the safety requirements.
        let rq = unsafe { Request::from_raw(rq) };
        // SAFETY: By the safety requirements.
        let elv = unsafe { Elevator::of_queue(rq.queue_ptr()) };
        T::completed_request(elv, rq, now);
    }

    /// # Safety
    ///
    /// May only be called by the block layer, see [`OperationsVTable`].
    pub(in super::super) unsafe extern "C" fn requeue_request_callback(rq: *mut bindings::request) {
        // SAFETY: By the safety requirements.
        let rq = unsafe { Request::from_raw(rq) };
        // SAFETY: By the safety requirements.
        let elv = unsafe { Elevator::of_queue(rq.queue_ptr()) };
        T::requeue_request(elv, rq);
    }
}
