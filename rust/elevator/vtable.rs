// SPDX-License-Identifier: GPL-2.0

//! The callbacks of the C side.
//!
//! C header: [`block/elevator.h`](srctree/block/elevator.h)

use super::{
    bio::Bio,
    icq::Icq,
    instance::Elevator,
    list::RequestList,
    merge::{
        self,
        Merge, //
    },
    operations::Operations,
    queue::{
        AllocData,
        FrozenQueue,
        HwCtx,
        RequestQueue, //
    },
    request::{
        state,
        Dispatched,
        Opf,
        Request, //
    },
};
use crate::bindings;
use core::{
    marker::PhantomData,
    ptr::null_mut, //
};
use kernel::{
    error::from_result,
    prelude::*,
    types::ForeignOwnable, //
};

/// The `struct elevator_mq_ops` of `T`.
///
/// For all callbacks: the pointers that the core passes are valid during the call, and those to
/// queues, hardware contexts, requests and icqs are of a queue with the elevator `T`. The elevator
/// is not detached during a call, except by `exit_sched_callback`.
pub(super) struct OperationsVTable<T: Operations>(PhantomData<T>);

impl<T: Operations> OperationsVTable<T> {
    /// # Safety
    ///
    /// May only be called by the block layer, see [`OperationsVTable`]; the elevator of `q` may
    /// still be another one.
    unsafe extern "C" fn alloc_sched_data_callback(q: *mut bindings::request_queue) -> *mut c_void {
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
    unsafe extern "C" fn free_sched_data_callback(data: *mut c_void) {
        // SAFETY: By the safety requirements it is the box made by one of these.
        drop(unsafe { Pin::<KBox<Elevator<T>>>::from_foreign(data) });
    }

    /// # Safety
    ///
    /// May only be called by the block layer, see [`OperationsVTable`], with the queue frozen and
    /// quiesced and `elevator_lock` held.
    unsafe extern "C" fn init_sched_callback(
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
    /// quiesced and `elevator_lock` held.
    unsafe extern "C" fn exit_sched_callback(eq: *mut bindings::elevator_queue) {
        // SAFETY: By the safety requirements.
        let elv = unsafe { Elevator::<T>::of_elevator_queue(eq) };
        if T::HAS_EXIT_SCHED {
            // SAFETY: By the safety requirements; the tags are torn down after this.
            T::exit_sched(elv, unsafe { FrozenQueue::from_raw(elv.queue().as_raw()) });
        }
        // From here on nobody arms them: every callback needs an attached elevator.
        elv.stop_timers();
    }

    /// # Safety
    ///
    /// May only be called by the block layer, see [`OperationsVTable`], once for `hctx` after
    /// [`Self::init_sched_callback`].
    unsafe extern "C" fn init_hctx_callback(
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
    unsafe extern "C" fn exit_hctx_callback(hctx: *mut bindings::blk_mq_hw_ctx, index: c_uint) {
        // SAFETY: By the safety requirements.
        let data = unsafe { (*hctx).sched_data };
        // SAFETY: As above.
        unsafe { (*hctx).sched_data = null_mut() };
        // SAFETY: `init_hctx_callback` has set it, and nobody borrows it as the queue is quiesced.
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
    unsafe extern "C" fn depth_updated_callback(q: *mut bindings::request_queue) {
        // SAFETY: By the safety requirements.
        let elv = unsafe { Elevator::of_queue(q) };
        // SAFETY: By the safety requirements.
        T::depth_updated(elv, unsafe { FrozenQueue::from_raw(q) });
    }

    /// # Safety
    ///
    /// May only be called by the block layer, see [`OperationsVTable`].
    unsafe extern "C" fn allow_merge_callback(
        q: *mut bindings::request_queue,
        rq: *mut bindings::request,
        bio: *mut bindings::bio,
    ) -> bool {
        // SAFETY: By the safety requirements.
        let elv = unsafe { Elevator::of_queue(q) };
        // SAFETY: C code has called us, so no result of an earlier call is in use.
        let Some(locked) = (unsafe { elv.nesting.get() }) else {
            // Not asked from `Guard`: the request is none that the elevator could judge.
            return false;
        };
        // SAFETY: By the safety requirements; the lock is held.
        let rq = unsafe { Request::from_raw(rq) };
        // SAFETY: By the safety requirements.
        T::allow_merge(elv, locked, rq, unsafe { Bio::from_raw(bio) })
    }

    /// # Safety
    ///
    /// May only be called by the block layer, see [`OperationsVTable`].
    unsafe extern "C" fn bio_merge_callback(
        q: *mut bindings::request_queue,
        bio: *mut bindings::bio,
        nr_segs: c_uint,
    ) -> bool {
        // SAFETY: By the safety requirements.
        let elv = unsafe { Elevator::of_queue(q) };
        // SAFETY: By the safety requirements; `blk_mq_submit_bio()` holds a reference to
        // `q_usage_counter`.
        T::bio_merge(elv, unsafe { Bio::from_raw(bio) }, nr_segs)
    }

    /// # Safety
    ///
    /// May only be called by the block layer, see [`OperationsVTable`].
    unsafe extern "C" fn request_merge_callback(
        q: *mut bindings::request_queue,
        result: *mut *mut bindings::request,
        raw_bio: *mut bindings::bio,
    ) -> c_int {
        // SAFETY: By the safety requirements.
        let bio = unsafe { Bio::from_raw(raw_bio) };
        // SAFETY: By the safety requirements.
        let elv = unsafe { Elevator::of_queue(q) };
        // SAFETY: C code has called us, so no result of an earlier call is in use.
        let candidate = unsafe { elv.nesting.get() }
            .and_then(|locked| T::request_merge(elv, locked, bio))
            .filter(|rq| rq.is_hashed())
            .map(Request::as_raw);
        // Here the borrow of the data behind the lock has ended: the next call asks `allow_merge`.
        // SAFETY: The request is queued, and the lock is held. The rest by the safety requirements.
        let candidate = candidate.filter(|rq| unsafe { bindings::elv_bio_merge_ok(*rq, raw_bio) });
        let Some(rq) = candidate else {
            return Merge::into_raw(None);
        };
        // SAFETY: By the safety requirements.
        unsafe { *result = rq };
        // SAFETY: As above.
        Merge::into_raw(Merge::of(unsafe { Request::from_raw(rq) }, bio))
    }

    /// The C side calls this through `rust_helper_elv_request_merged()`.
    ///
    /// # Safety
    ///
    /// May only be called by the block layer, see [`OperationsVTable`].
    pub(super) unsafe extern "C" fn request_merged_callback(
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
        let locked = unsafe { elv.nesting.get() };
        if let (Some(locked), Some(how)) = (locked, Merge::from_raw(how)) {
            // SAFETY: By the safety requirements; the lock is held.
            T::request_merged(elv, locked, unsafe { Request::from_raw(rq) }, how);
        }
    }

    /// # Safety
    ///
    /// May only be called by the block layer, see [`OperationsVTable`].
    unsafe extern "C" fn requests_merged_callback(
        q: *mut bindings::request_queue,
        rq: *mut bindings::request,
        next: *mut bindings::request,
    ) {
        // SAFETY: By the safety requirements.
        let elv = unsafe { Elevator::<T>::of_queue(q) };
        // SAFETY: This is the callback that the function is for.
        unsafe { merge::requests_merged(elv, rq, next) };
    }

    /// # Safety
    ///
    /// May only be called by the block layer, see [`OperationsVTable`].
    unsafe extern "C" fn limit_depth_callback(
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
    unsafe extern "C" fn prepare_request_callback(rq: *mut bindings::request) {
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
        request.set_state(state::OUT);
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
    unsafe extern "C" fn finish_request_callback(rq: *mut bindings::request) {
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
    /// May only be called by the block layer, see [`OperationsVTable`]; the requests on the list are
    /// passed on.
    unsafe extern "C" fn insert_requests_callback(
        hctx: *mut bindings::blk_mq_hw_ctx,
        list: *mut bindings::list_head,
        flags: bindings::blk_insert_t,
    ) {
        // SAFETY: By the safety requirements.
        let hctx = unsafe { HwCtx::from_raw(hctx) };
        // SAFETY: By the safety requirements.
        let elv = unsafe { Elevator::of_queue(hctx.queue_ptr()) };
        // SAFETY: By the safety requirements.
        let mut list = unsafe { RequestList::from_raw(list) };
        T::insert_requests(
            elv,
            hctx,
            &mut list,
            flags & bindings::BLK_MQ_INSERT_AT_HEAD != 0,
        );
        // Nobody else takes them. Each one reports itself.
        while let Some(rq) = list.pop_front() {
            drop(rq);
        }
    }

    /// # Safety
    ///
    /// May only be called by the block layer, see [`OperationsVTable`].
    unsafe extern "C" fn dispatch_request_callback(
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
    unsafe extern "C" fn has_work_callback(hctx: *mut bindings::blk_mq_hw_ctx) -> bool {
        // SAFETY: By the safety requirements.
        let hctx = unsafe { HwCtx::from_raw(hctx) };
        // SAFETY: By the safety requirements.
        let elv = unsafe { Elevator::of_queue(hctx.queue_ptr()) };
        T::has_work(elv, hctx)
    }

    /// # Safety
    ///
    /// May only be called by the block layer, see [`OperationsVTable`].
    unsafe extern "C" fn completed_request_callback(
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
    unsafe extern "C" fn requeue_request_callback(rq: *mut bindings::request) {
        // SAFETY: By the safety requirements.
        let rq = unsafe { Request::from_raw(rq) };
        // SAFETY: By the safety requirements.
        let elv = unsafe { Elevator::of_queue(rq.queue_ptr()) };
        T::requeue_request(elv, rq);
    }

    /// Asks for a neighbour of `rq`.
    ///
    /// # Safety
    ///
    /// As for the callbacks.
    unsafe fn neighbour(
        q: *mut bindings::request_queue,
        rq: *mut bindings::request,
        find: for<'a> fn(&Elevator<T>, &'a mut T::Locked, &Request) -> Option<&'a Request>,
    ) -> *mut bindings::request {
        // SAFETY: By the safety requirements.
        let elv = unsafe { Elevator::of_queue(q) };
        // SAFETY: C code has called us, so no result of an earlier call is in use.
        let locked = unsafe { elv.nesting.get() };
        // SAFETY: By the safety requirements; the lock is held.
        let request = unsafe { Request::from_raw(rq) };
        locked
            .and_then(|locked| find(elv, locked, request))
            // The core would merge any two discards, and moves the request in its hash.
            .filter(|other| other.is_hashed() && other.as_raw() != rq)
            .map_or(null_mut(), Request::as_raw)
    }

    /// # Safety
    ///
    /// May only be called by the block layer, see [`OperationsVTable`].
    unsafe extern "C" fn former_request_callback(
        q: *mut bindings::request_queue,
        rq: *mut bindings::request,
    ) -> *mut bindings::request {
        // SAFETY: By the safety requirements.
        unsafe { Self::neighbour(q, rq, T::former_request) }
    }

    /// # Safety
    ///
    /// May only be called by the block layer, see [`OperationsVTable`].
    unsafe extern "C" fn next_request_callback(
        q: *mut bindings::request_queue,
        rq: *mut bindings::request,
    ) -> *mut bindings::request {
        // SAFETY: By the safety requirements.
        unsafe { Self::neighbour(q, rq, T::next_request) }
    }

    /// # Safety
    ///
    /// May only be called by the block layer, see [`OperationsVTable`].
    unsafe extern "C" fn init_icq_callback(icq: *mut bindings::io_cq) {
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
    unsafe extern "C" fn exit_icq_callback(icq: *mut bindings::io_cq) {
        // SAFETY: By the safety requirements.
        let q = unsafe { (*icq).q };
        // SAFETY: By the safety requirements. Detaching the elevator begins with
        // `ioc_clear_queue()`, which waits for the lock of the I/O context that is held here.
        let elv = unsafe { Elevator::of_queue(q) };
        // SAFETY: By the safety requirements.
        T::exit_icq(elv, unsafe { Icq::from_raw(icq) });
    }

    pub(super) const VTABLE: bindings::elevator_mq_ops = bindings::elevator_mq_ops {
        init_sched: Some(Self::init_sched_callback),
        exit_sched: Some(Self::exit_sched_callback),
        init_hctx: if T::HAS_INIT_HCTX {
            Some(Self::init_hctx_callback)
        } else {
            None
        },
        exit_hctx: if T::HAS_INIT_HCTX {
            Some(Self::exit_hctx_callback)
        } else {
            None
        },
        depth_updated: if T::HAS_DEPTH_UPDATED {
            Some(Self::depth_updated_callback)
        } else {
            None
        },
        alloc_sched_data: Some(Self::alloc_sched_data_callback),
        free_sched_data: Some(Self::free_sched_data_callback),
        allow_merge: if T::HAS_ALLOW_MERGE {
            Some(Self::allow_merge_callback)
        } else {
            None
        },
        bio_merge: if T::HAS_BIO_MERGE {
            Some(Self::bio_merge_callback)
        } else {
            None
        },
        request_merge: if T::HAS_REQUEST_MERGE {
            Some(Self::request_merge_callback)
        } else {
            None
        },
        request_merged: if T::HAS_REQUEST_MERGED {
            Some(bindings::elv_request_merged)
        } else {
            None
        },
        // The core merges requests with each other only on behalf of these three; without the
        // first, there is no way to tell the elevator.
        requests_merged: if T::HAS_REQUESTS_MERGED {
            Some(Self::requests_merged_callback)
        } else {
            None
        },
        former_request: if T::HAS_REQUESTS_MERGED && T::HAS_FORMER_REQUEST {
            Some(Self::former_request_callback)
        } else {
            None
        },
        next_request: if T::HAS_REQUESTS_MERGED && T::HAS_NEXT_REQUEST {
            Some(Self::next_request_callback)
        } else {
            None
        },
        limit_depth: if T::HAS_LIMIT_DEPTH {
            Some(Self::limit_depth_callback)
        } else {
            None
        },
        prepare_request: Some(Self::prepare_request_callback),
        finish_request: Some(Self::finish_request_callback),
        insert_requests: Some(Self::insert_requests_callback),
        dispatch_request: Some(Self::dispatch_request_callback),
        has_work: Some(Self::has_work_callback),
        completed_request: if T::HAS_COMPLETED_REQUEST {
            Some(Self::completed_request_callback)
        } else {
            None
        },
        requeue_request: if T::HAS_REQUEUE_REQUEST {
            Some(Self::requeue_request_callback)
        } else {
            None
        },
        init_icq: if Icq::<T>::IS_USED && T::HAS_INIT_ICQ {
            Some(Self::init_icq_callback)
        } else {
            None
        },
        exit_icq: if Icq::<T>::IS_USED && T::HAS_EXIT_ICQ {
            Some(Self::exit_icq_callback)
        } else {
            None
        },
    };
}
