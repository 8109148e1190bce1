// SPDX-License-Identifier: GPL-2.0

//! Requests as an elevator sees them.
//!
//! C header: [`include/linux/blk-mq.h`](srctree/include/linux/blk-mq.h)
//!
//! Unlike `kernel::block::mq::Request`, which a driver uses and which expects the data of a Rust
//! driver behind the request, these types make no assumption about the driver.
//!
//! A request is in one of these states, written down in its `fifo_time`, which the block layer
//! leaves to the elevator:
//!
//! - *out*: the elevator does not own it. It is being prepared, belongs to the driver or is being
//!   freed. Callbacks lend it as [`&Request`](Request).
//! - *loose*: it is owned through a [`Queued`].
//! - *listed*: it is owned by a [`RequestFifo`](super::RequestFifo), whose number is in
//!   `fifo_time`.
//! - *absorbed*, beside *loose* or *listed*: it was merged into another request and should be
//!   freed, but the elevator did not give its [`Queued`] back. It is freed on the attempt to
//!   dispatch it.

use super::ioprio::Ioprio;
use crate::bindings;
use core::{
    marker::PhantomData,
    mem::ManuallyDrop,
    ops::Deref,
    ptr::NonNull, //
};
use kernel::{
    prelude::*,
    types::{
        NotThreadSafe,
        Opaque, //
    },
};

/// Operation and flags of a bio or a request (`blk_opf_t`).
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Opf(bindings::blk_opf_t);

/// The operations an elevator may want to tell apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Op {
    /// `REQ_OP_READ`.
    Read,
    /// `REQ_OP_WRITE`.
    Write,
    /// `REQ_OP_FLUSH`, which never reaches an elevator's queues.
    Flush,
    /// `REQ_OP_DISCARD`.
    Discard,
    /// `REQ_OP_SECURE_ERASE`.
    SecureErase,
    /// `REQ_OP_WRITE_ZEROES`.
    WriteZeroes,
    /// Anything else: zone management, for example.
    Other,
}

impl Opf {
    pub(super) const fn new(opf: bindings::blk_opf_t) -> Self {
        Self(opf)
    }

    /// Returns the operation.
    pub fn op(self) -> Op {
        match self.0 & bindings::REQ_OP_MASK {
            bindings::req_op_REQ_OP_READ => Op::Read,
            bindings::req_op_REQ_OP_WRITE => Op::Write,
            bindings::req_op_REQ_OP_FLUSH => Op::Flush,
            bindings::req_op_REQ_OP_DISCARD => Op::Discard,
            bindings::req_op_REQ_OP_SECURE_ERASE => Op::SecureErase,
            bindings::req_op_REQ_OP_WRITE_ZEROES => Op::WriteZeroes,
            _ => Op::Other,
        }
    }

    /// Is somebody waiting for it? True for reads, and for writes with `REQ_SYNC`, `REQ_FUA` or
    /// `REQ_PREFLUSH`.
    #[inline]
    pub fn is_sync(self) -> bool {
        // SAFETY: `op_is_sync()` only looks at its argument.
        unsafe { bindings::op_is_sync(self.0) }
    }

    /// Does it go to the device? True for everything but reads.
    #[inline]
    pub fn is_write(self) -> bool {
        // SAFETY: `op_is_write()` only looks at its argument.
        unsafe { bindings::op_is_write(self.0) }
    }

    /// Is it `REQ_IDLE`: the submitter says that more I/O will follow?
    #[inline]
    pub const fn is_idle_hint(self) -> bool {
        self.0 & bindings::REQ_IDLE != 0
    }

    /// Is it `REQ_META`: metadata of a file system?
    #[inline]
    pub const fn is_meta(self) -> bool {
        self.0 & bindings::REQ_META != 0
    }

    /// Is it `REQ_PRIO`: a boost in priority was asked for?
    #[inline]
    pub const fn is_prio(self) -> bool {
        self.0 & bindings::REQ_PRIO != 0
    }
}

/// A `struct request`, borrowed.
///
/// # Invariants
///
/// Wraps a valid `struct request` of a queue that uses a Rust elevator. For the lifetime of a
/// reference nobody writes to it but the context that holds the reference, and C functions called
/// from that context.
#[repr(transparent)]
pub struct Request {
    raw: Opaque<bindings::request>,
    _not_thread_safe: NotThreadSafe,
}

impl Request {
    /// # Safety
    ///
    /// `rq` must point to a valid request of a queue that uses a Rust elevator, and no other
    /// context may write to it during `'a`.
    pub(super) unsafe fn from_raw<'a>(rq: *mut bindings::request) -> &'a Self {
        // SAFETY: `Request` is a transparent wrapper, and the pointer is valid during `'a` by the
        // safety requirements.
        // INVARIANT: By the safety requirements.
        unsafe { &*rq.cast() }
    }

    #[inline]
    pub(super) const fn as_raw(&self) -> *mut bindings::request {
        self.raw.get()
    }

    #[inline]
    pub(super) fn queue_ptr(&self) -> *mut bindings::request_queue {
        // SAFETY: The request is valid by the type invariant.
        unsafe { (*self.as_raw()).q }
    }

    #[inline]
    pub(super) fn flags(&self) -> bindings::req_flags_t {
        // SAFETY: The request is valid by the type invariant.
        unsafe { (*self.as_raw()).rq_flags }
    }

    #[inline]
    pub(super) fn is_hashed(&self) -> bool {
        self.flags() & bindings::RQF_HASHED != 0
    }

    #[inline]
    pub(super) fn state(&self) -> u64 {
        // SAFETY: The request is valid by the type invariant.
        unsafe { (*self.as_raw()).fifo_time }
    }

    #[inline]
    pub(super) fn set_state(&self, state: u64) {
        // SAFETY: The request is valid by the type invariant, and no other context uses it; if it
        // may be merged with, that is the rule for `Queued`.
        unsafe { (*self.as_raw()).fifo_time = state };
    }

    /// Returns where it is: the state without the mark of an absorbed request.
    #[inline]
    pub(super) fn place(&self) -> u64 {
        self.state() & !state::ABSORBED
    }

    /// Was it merged away, without having been given back?
    #[inline]
    pub(super) fn is_absorbed(&self) -> bool {
        self.state() & state::ABSORBED != 0
    }

    /// Changes where it is.
    #[inline]
    pub(super) fn set_place(&self, place: u64) {
        self.set_state(place | (self.state() & state::ABSORBED));
    }

    /// Was [`prepare_request`](super::Operations::prepare_request) called for it, and not yet
    /// [`finish_request`](super::Operations::finish_request)?
    #[inline]
    pub fn is_prepared(&self) -> bool {
        self.flags() & bindings::RQF_USE_SCHED != 0
    }

    /// Returns its first sector, in units of 512 bytes.
    #[inline]
    pub fn position(&self) -> u64 {
        // SAFETY: The request is valid by the type invariant.
        unsafe { bindings::blk_rq_pos(self.as_raw()) }
    }

    /// Returns its length in sectors of 512 bytes.
    #[inline]
    pub fn sectors(&self) -> u32 {
        // SAFETY: The request is valid by the type invariant.
        unsafe { bindings::blk_rq_sectors(self.as_raw()) }
    }

    /// Returns its length in bytes.
    #[inline]
    pub fn bytes(&self) -> u32 {
        // SAFETY: The request is valid by the type invariant.
        unsafe { bindings::blk_rq_bytes(self.as_raw()) }
    }

    /// Returns its operation and flags.
    #[inline]
    pub fn opf(&self) -> Opf {
        // SAFETY: The request is valid by the type invariant.
        Opf(unsafe { (*self.as_raw()).cmd_flags })
    }

    /// Returns its priority; class [`None`](super::IoprioClass::None) if it has no bio or nobody
    /// set one.
    #[inline]
    pub fn ioprio(&self) -> Ioprio {
        // SAFETY: The request is valid by the type invariant.
        Ioprio::from_raw(unsafe { bindings::req_get_ioprio(self.as_raw()) })
    }

    /// Returns when it was allocated, in the time of [`now`](super::now).
    ///
    /// It may be 0 if nobody needs the times of this queue, and is that of the older one after a
    /// merge.
    #[inline]
    pub fn start_time_ns(&self) -> u64 {
        // SAFETY: The request is valid by the type invariant.
        unsafe { (*self.as_raw()).start_time_ns }
    }

    /// May other requests or bios be merged with it?
    #[inline]
    pub fn is_mergeable(&self) -> bool {
        // SAFETY: The request is valid by the type invariant.
        unsafe { bindings::rq_mergeable(self.as_raw()) }
    }

    /// Is it a discard on a device that takes many ranges in one command, so that any two of them
    /// can be merged?
    pub(super) fn is_multi_range_discard(&self) -> bool {
        // SAFETY: The request is valid by the type invariant.
        unsafe { bindings::blk_discard_mergable(self.as_raw()) }
    }

    /// Returns one of the two words that the elevator may use as it likes. Both are 0 in
    /// [`prepare_request`](super::Operations::prepare_request).
    #[inline]
    pub fn private<const N: usize>(&self) -> usize {
        const { assert!(N < 2, "a request has two private words") };
        // SAFETY: The request is valid by the type invariant.
        unsafe { (*self.as_raw()).elv.priv_[N] as usize }
    }

    /// Sets one of the private words.
    #[inline]
    pub fn set_private<const N: usize>(&self, value: usize) {
        const { assert!(N < 2, "a request has two private words") };
        // SAFETY: The request is valid by the type invariant, and no other context uses it.
        unsafe { (*self.as_raw()).elv.priv_[N] = value as *mut c_void };
    }
}

/// A request that the elevator owns.
///
/// The block layer handed it over by [`insert_requests`](super::Operations::insert_requests), and
/// expects it back exactly once: as [`Dispatched`], or from
/// [`requests_merged`](super::Operations::requests_merged). Dropping it loses the request, and with
/// it the task that waits for it; that is a bug of the elevator and reported in the log.
///
/// # The lock
///
/// After [`Guard::admit`](super::Guard::admit) the block layer finds the request and merges others
/// into it, or it into others, whenever somebody holds the lock of the elevator. So from then on
/// until [`Guard::start`](super::Guard::start) it must be used, and be moved in and out of a
/// [`RequestFifo`](super::RequestFifo), with that lock held only. It is if it is kept in
/// [`Operations::Locked`](super::Operations::Locked) and does not leave the
/// [`Guard`](super::Guard). **This is not enforced**: the type can be sent elsewhere, into the data
/// of a hardware context for example, where looking at it would be a data race.
///
/// # Invariants
///
/// - The request is owned by the elevator, its `queuelist` and `rb_node` are linked nowhere, and
///   there is no other `Queued` for it. It is *loose*, and may be *absorbed*.
/// - If it is in the merge hash, it is only used with the lock of the elevator held, by the rule
///   above.
#[must_use = "dropping a queued request loses it"]
pub struct Queued(NonNull<bindings::request>);

// SAFETY: The request does not depend on the thread that inserted it. That the threads take turns
// is the rule above.
unsafe impl Send for Queued {}

/// The states of a request, see the head of this file.
pub(super) mod state {
    /// Not owned by the elevator.
    pub(in super::super) const OUT: u64 = 0;
    /// Owned through a `Queued`.
    pub(in super::super) const LOOSE: u64 = 1;
    /// The first number of a FIFO.
    pub(in super::super) const FIRST_FIFO: u64 = 2;
    /// A mark beside one of the others: merged away.
    pub(in super::super) const ABSORBED: u64 = 1 << 63;
}

impl Queued {
    /// # Safety
    ///
    /// The elevator owns the request `rq`, it is linked nowhere, and there is no other `Queued` for
    /// it. It is *loose*.
    pub(super) unsafe fn from_raw(rq: NonNull<bindings::request>) -> Self {
        // INVARIANT: By the safety requirements.
        Self(rq)
    }

    /// Gives up the ownership without giving the request back.
    pub(super) fn into_raw(self) -> NonNull<bindings::request> {
        ManuallyDrop::new(self).0
    }
}

impl Deref for Queued {
    type Target = Request;

    #[inline]
    fn deref(&self) -> &Request {
        // SAFETY: By the type invariant the request is valid and the elevator's own. C code that
        // writes to it does so under the lock, in calls made by this crate; if it can find the
        // request, the lock is held here, by the type invariant again.
        unsafe { Request::from_raw(self.0.as_ptr()) }
    }
}

impl Drop for Queued {
    #[cold]
    fn drop(&mut self) {
        pr_err!(
            "elevator: bug: a queued request was dropped (sector {}, {} sectors)\n",
            self.position(),
            self.sectors()
        );
    }
}

/// A request on its way to the driver, made by [`Guard::start`](super::Guard::start).
///
/// # Invariants
///
/// If there is a request, it is linked nowhere, not in the merge hash, and its state is *out*.
#[must_use = "dropping a dispatched request loses it"]
pub struct Dispatched {
    rq: Option<NonNull<bindings::request>>,
    _not_thread_safe: PhantomData<NotThreadSafe>,
}

impl Dispatched {
    /// # Safety
    ///
    /// The request, if there is one, meets the invariants and is owned by the caller.
    pub(super) unsafe fn from_raw(rq: Option<NonNull<bindings::request>>) -> Self {
        // INVARIANT: By the safety requirements.
        Self {
            rq,
            _not_thread_safe: PhantomData,
        }
    }

    /// Gives the request to C; null if there is none.
    pub(super) fn into_raw(self) -> *mut bindings::request {
        let this = ManuallyDrop::new(self);
        this.rq.map_or(core::ptr::null_mut(), NonNull::as_ptr)
    }
}

impl Drop for Dispatched {
    #[cold]
    fn drop(&mut self) {
        if self.rq.is_some() {
            pr_err!("elevator: bug: a dispatched request was dropped\n");
        }
    }
}
