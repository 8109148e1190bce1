// SPDX-License-Identifier: GPL-2.0

//! The request queue, its hardware contexts and the allocation of requests.
//!
//! C header: [`include/linux/blkdev.h`](srctree/include/linux/blkdev.h)

use crate::bindings;
use core::ops::Deref;
use kernel::types::{
    NotThreadSafe,
    Opaque, //
};

/// A `struct request_queue`.
///
/// # Invariants
///
/// Wraps a valid queue of a blk-mq disk that exists at least as long as the reference.
#[repr(transparent)]
pub struct RequestQueue(Opaque<bindings::request_queue>);

// SAFETY: All methods only call C functions that may be called on any thread, or read fields that
// change under conditions given at the method.
unsafe impl Sync for RequestQueue {}

impl RequestQueue {
    /// # Safety
    ///
    /// `q` must point to a valid queue of a blk-mq disk that exists during `'a`.
    pub(super) unsafe fn from_raw<'a>(q: *mut bindings::request_queue) -> &'a Self {
        // SAFETY: `RequestQueue` is a transparent wrapper, and the pointer is valid during `'a` by
        // the safety requirements.
        // INVARIANT: By the safety requirements.
        unsafe { &*q.cast() }
    }

    #[inline]
    pub(super) const fn as_raw(&self) -> *mut bindings::request_queue {
        self.0.get()
    }

    fn tag_set(&self) -> *mut bindings::blk_mq_tag_set {
        // SAFETY: The queue is valid by the type invariant, and `tag_set` never changes.
        unsafe { (*self.as_raw()).tag_set }
    }

    fn disk(&self) -> *mut bindings::gendisk {
        // SAFETY: The queue is valid by the type invariant.
        unsafe { (*self.as_raw()).disk }
    }

    fn has_shared_tags(&self) -> bool {
        // SAFETY: A blk-mq queue has a tag set as long as it exists; the flag never changes.
        let flags = unsafe { (*self.tag_set()).flags };
        flags & bindings::BLK_MQ_F_TAG_HCTX_SHARED != 0
    }

    /// Runs the hardware queues that may have something to dispatch, or only the one of this CPU
    /// for a [single queue](FrozenQueue::set_single_queue) elevator.
    ///
    /// From atomic context `in_background` must be true: the work is left to kblockd then. Never
    /// call it with the elevator's lock held or from
    /// [`exit_icq`](super::Operations::exit_icq): it may take `queue_lock`.
    pub fn run_hw_queues(&self, in_background: bool) {
        // SAFETY: The queue is valid by the type invariant.
        unsafe { bindings::blk_mq_run_hw_queues(self.as_raw(), in_background) };
    }

    /// Does the device have a head to move (`queue/rotational`)?
    pub fn is_rotational(&self) -> bool {
        // SAFETY: The queue is valid by the type invariant.
        unsafe { bindings::blk_queue_rot(self.as_raw()) }
    }

    /// Returns the number of requests that may be allocated at once for each hardware queue, or in
    /// total if they share tags (`queue/nr_requests`).
    pub fn nr_requests(&self) -> u32 {
        // SAFETY: The queue is valid by the type invariant.
        let field = unsafe { &raw const (*self.as_raw()).nr_requests };
        // SAFETY: Points to a field of the queue. Like `READ_ONCE()`: it may change meanwhile.
        unsafe { field.read_volatile() }
    }

    /// Returns the depth that asynchronous requests should be limited to (`queue/async_depth`).
    pub fn async_depth(&self) -> u32 {
        // SAFETY: The queue is valid by the type invariant.
        let field = unsafe { &raw const (*self.as_raw()).async_depth };
        // SAFETY: Points to a field of the queue. Like `READ_ONCE()`: it may change meanwhile.
        unsafe { field.read_volatile() }
    }

    /// Returns the number of hardware queues.
    pub fn nr_hw_queues(&self) -> u32 {
        // SAFETY: The queue is valid by the type invariant.
        let field = unsafe { &raw const (*self.as_raw()).nr_hw_queues };
        // SAFETY: Points to a field of the queue. Like `READ_ONCE()`: it may change meanwhile.
        unsafe { field.read_volatile() }
    }

    /// Returns how many requests the device takes at once from each hardware queue, or in total if
    /// they share tags.
    pub fn hardware_depth(&self) -> u32 {
        // SAFETY: A blk-mq queue has a tag set as long as it exists.
        let field = unsafe { &raw const (*self.tag_set()).queue_depth };
        // SAFETY: Points to a field of the tag set. Like `READ_ONCE()`: it may change meanwhile.
        unsafe { field.read_volatile() }
    }

    /// Returns how many requests can exist at once under this elevator.
    ///
    /// Right in [`init_sched`](super::Operations::init_sched) and
    /// [`depth_updated`](super::Operations::depth_updated), where it may have grown.
    pub fn scheduler_tags(&self) -> u32 {
        if self.has_shared_tags() {
            self.nr_requests()
        } else {
            self.nr_requests().saturating_mul(self.nr_hw_queues())
        }
    }

    /// Returns what [`scheduler_tags`](Self::scheduler_tags) is going to be after a switch to
    /// another elevator.
    ///
    /// For [`new_data`](super::Operations::new_data). If the number of hardware queues is being
    /// changed, this is still the old one.
    pub fn default_scheduler_tags(&self) -> u32 {
        // SAFETY: A blk-mq queue has a tag set as long as it exists.
        let per_queue = unsafe { bindings::blk_mq_default_nr_requests(self.tag_set()) };
        if self.has_shared_tags() {
            per_queue
        } else {
            // SAFETY: As above; `nr_hw_queues` changes under `update_nr_hwq_lock` only.
            per_queue.saturating_mul(unsafe { (*self.tag_set()).nr_hw_queues })
        }
    }

    /// Returns a number that no other queue has while this one exists.
    pub fn id(&self) -> i32 {
        // SAFETY: The queue is valid by the type invariant, and `id` never changes.
        unsafe { (*self.as_raw()).id }
    }
}

/// A queue that is frozen: no request is in flight and none can be allocated.
///
/// # Invariants
///
/// The queue is frozen, and the current task holds its `elevator_lock`. The queue has a Rust
/// elevator, whose scheduler tags are set up.
#[repr(transparent)]
pub struct FrozenQueue(RequestQueue);

impl FrozenQueue {
    /// # Safety
    ///
    /// The invariants of this type and of [`RequestQueue`] hold for `q` during `'a`.
    pub(super) unsafe fn from_raw<'a>(q: *mut bindings::request_queue) -> &'a Self {
        // SAFETY: A transparent wrapper, and the pointer is valid during `'a` by the safety
        // requirements.
        // INVARIANT: By the safety requirements.
        unsafe { &*q.cast() }
    }

    /// Chooses whether a single hardware queue, that of the current CPU, is asked for requests of
    /// all.
    ///
    /// An elevator that orders the requests of the whole device wants this; several hardware queues
    /// would only fight for its lock. The default is to ask all of them.
    pub fn set_single_queue(&self, single: bool) {
        if single {
            // SAFETY: The queue is valid by the type invariant.
            unsafe { bindings::blk_queue_flag_set(bindings::QUEUE_FLAG_SQ_SCHED, self.as_raw()) };
        } else {
            // SAFETY: The queue is valid by the type invariant.
            unsafe { bindings::blk_queue_flag_clear(bindings::QUEUE_FLAG_SQ_SCHED, self.as_raw()) };
        }
    }

    /// Sets the value users see in `queue/async_depth`; it limits nothing by itself.
    pub fn set_async_depth(&self, depth: u32) {
        // SAFETY: The queue is valid and the current task holds the lock of the field, by the type
        // invariant.
        unsafe { (*self.as_raw()).async_depth = depth };
    }

    /// Announces the smallest depth that [`AllocData::set_shallow_depth`] will be called with.
    ///
    /// The tag allocator wakes waiters in batches no larger than this.
    pub fn set_min_shallow_depth(&self, depth: u32) {
        // SAFETY: The queue is valid and has scheduler tags by the type invariant.
        unsafe { bindings::blk_mq_set_min_shallow_depth(self.as_raw(), depth) };
    }

    /// Switches writeback throttling off, until this elevator is detached; for elevators that hold
    /// back asynchronous writes themselves.
    pub fn disable_writeback_throttling(&self) {
        // SAFETY: The queue is valid by the type invariant.
        unsafe {
            bindings::blk_queue_flag_set(bindings::QUEUE_FLAG_DISABLE_WBT_DEF, self.as_raw())
        };
        // SAFETY: A queue whose elevator is being changed has a disk. The function may sleep, which
        // is allowed where the queue is frozen.
        unsafe { bindings::wbt_disable_default(self.disk()) };
    }

    /// Undoes [`disable_writeback_throttling`](Self::disable_writeback_throttling), if it was
    /// called.
    pub(super) fn restore_writeback_throttling(&self) {
        // SAFETY: The queue is valid by the type invariant.
        let field = unsafe { &raw const (*self.as_raw()).queue_flags };
        // SAFETY: Points to a field of the queue. Like `test_bit()`: other bits may change
        // meanwhile, this one only with `elevator_lock` held.
        let flags = unsafe { field.read_volatile() };
        if flags & (1 << bindings::QUEUE_FLAG_DISABLE_WBT_DEF) == 0 {
            return;
        }
        // SAFETY: The queue is valid by the type invariant.
        unsafe {
            bindings::blk_queue_flag_clear(bindings::QUEUE_FLAG_DISABLE_WBT_DEF, self.as_raw())
        };
        // SAFETY: As in `disable_writeback_throttling`.
        unsafe { bindings::wbt_enable_default(self.disk()) };
    }
}

impl Deref for FrozenQueue {
    type Target = RequestQueue;

    fn deref(&self) -> &RequestQueue {
        &self.0
    }
}

/// A hardware context (`struct blk_mq_hw_ctx`).
///
/// # Invariants
///
/// Wraps a valid hardware context that exists at least as long as the reference.
#[repr(transparent)]
pub struct HwCtx(Opaque<bindings::blk_mq_hw_ctx>);

impl HwCtx {
    /// # Safety
    ///
    /// `hctx` must point to a valid hardware context that exists during `'a`.
    pub(super) unsafe fn from_raw<'a>(hctx: *mut bindings::blk_mq_hw_ctx) -> &'a Self {
        // SAFETY: `HwCtx` is a transparent wrapper, and the pointer is valid during `'a` by the
        // safety requirements.
        // INVARIANT: By the safety requirements.
        unsafe { &*hctx.cast() }
    }

    #[inline]
    pub(super) const fn as_raw(&self) -> *mut bindings::blk_mq_hw_ctx {
        self.0.get()
    }

    #[inline]
    pub(super) fn queue_ptr(&self) -> *mut bindings::request_queue {
        // SAFETY: The context is valid by the type invariant, and `queue` does not change.
        unsafe { (*self.as_raw()).queue }
    }

    /// For [`RequestList::direct`](super::RequestList::direct).
    ///
    /// # Safety
    ///
    /// The current task must be in [`insert_requests`](super::Operations::insert_requests) for this
    /// context, not for the head, and stay there during `'a`.
    #[inline]
    pub(super) unsafe fn direct<'a>(&'a self) -> Option<Direct<'a>> {
        // SAFETY: The context is valid by the type invariant; for the rest any context will do.
        if unsafe { bindings::elv_is_direct(self.as_raw()) } {
            // INVARIANT: Just checked, and by the safety requirements.
            Some(Direct {
                hctx: self,
                _not_thread_safe: NotThreadSafe,
            })
        } else {
            None
        }
    }

    /// Returns its number in the queue.
    pub fn index(&self) -> u32 {
        // SAFETY: The context is valid by the type invariant, and `queue_num` does not change.
        unsafe { (*self.as_raw()).queue_num }
    }
}

/// The right to run a hardware queue in the current task, given by
/// [`RequestList::direct`](super::RequestList::direct).
///
/// # Invariants
///
/// During `'a` the current task is in `insert_requests` for `hctx`, and may call the driver.
pub struct Direct<'a> {
    hctx: &'a HwCtx,
    _not_thread_safe: NotThreadSafe,
}

impl Direct<'_> {
    /// Runs the queue: dispatches what there is, and calls the driver.
    ///
    /// To be the last thing that [`insert_requests`](super::Operations::insert_requests) does, with
    /// no lock held. Does nothing if there is no work, and leaves it to kblockd on a CPU that is
    /// not one of this queue's.
    pub fn run(self) {
        // SAFETY: The context is valid by its type invariant. The task may call the driver by ours.
        unsafe { bindings::blk_mq_run_hw_queue(self.hctx.as_raw(), false) };
    }
}

/// The allocation of a request, as [`limit_depth`](super::Operations::limit_depth) sees it.
///
/// # Invariants
///
/// Wraps a valid `struct blk_mq_alloc_data`, which the current task uses to allocate a request for
/// a queue that uses a Rust elevator.
#[repr(transparent)]
pub struct AllocData(Opaque<bindings::blk_mq_alloc_data>);

impl AllocData {
    /// # Safety
    ///
    /// The type invariants hold for `data` during `'a`, and nobody else uses it.
    pub(super) unsafe fn from_raw<'a>(data: *mut bindings::blk_mq_alloc_data) -> &'a mut Self {
        // SAFETY: `AllocData` is a transparent wrapper, and the pointer is valid during `'a` by the
        // safety requirements.
        // INVARIANT: By the safety requirements.
        unsafe { &mut *data.cast() }
    }

    /// Lets the request be allocated only while fewer than `depth` others of its hardware queue
    /// exist. 0, the default, is no limit.
    pub fn set_shallow_depth(&mut self, depth: u32) {
        // SAFETY: Valid by the type invariant.
        unsafe { (*self.0.get()).shallow_depth = depth };
    }
}
