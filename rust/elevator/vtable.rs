// SPDX-License-Identifier: GPL-2.0

//! The table of callbacks for the C side.
//!
//! C header: [`block/elevator.h`](srctree/block/elevator.h)

mod life;
mod merging;
mod requests;

use super::{
    icq::Icq,
    operations::Operations, //
};
use crate::bindings;
use core::marker::PhantomData;

/// The `struct elevator_mq_ops` of `T`.
///
/// For all callbacks: the pointers that the core passes are valid during the call, and those to
/// queues, hardware contexts, requests and icqs are of a queue with the elevator `T`. The elevator
/// is not detached during a call, except by `exit_sched_callback`; where the core does not see to
/// that itself, see `insert_requests_callback`, and where nothing can, "Faults of the C side".
pub(super) struct OperationsVTable<T: Operations>(PhantomData<T>);

impl<T: Operations> OperationsVTable<T> {
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
