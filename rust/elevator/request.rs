// SPDX-License-Identifier: GPL-2.0

//! Requests as an elevator sees them.
//!
//! C header: [`include/linux/blk-mq.h`](srctree/include/linux/blk-mq.h)
//!
//! Unlike `kernel::block::mq::Request`, which a driver uses and which expects the data of a Rust
//! driver behind the request, these types make no assumption about the driver.
//!
//! Who owns a request is told in `owned.rs`.

use super::{
    ioprio::Ioprio,
    owned::{
        place,
        place_of, //
    }, //
};
use crate::bindings;
use core::mem::offset_of;
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
/// from that context; its place and the links of a FIFO excepted.
#[repr(transparent)]
pub struct Request {
    raw: Opaque<bindings::request>,
    _not_thread_safe: NotThreadSafe,
}

impl Request {
    /// # Safety
    ///
    /// `rq` must point to a valid request of a queue that uses a Rust elevator, and no other
    /// context may write to it during `'a`, but to its place and the links of a FIFO.
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

    /// Returns its place.
    #[inline]
    pub(super) fn place(&self) -> u64 {
        // SAFETY: The request is valid by the type invariant.
        let place = unsafe { place_of(self.as_raw()) };
        // SAFETY: As above, and the access is volatile.
        unsafe { place.read_volatile() }
    }

    /// Notes that the elevator does not own it.
    #[inline]
    pub(super) fn set_out(&self) {
        // SAFETY: The request is valid by the type invariant.
        let place = unsafe { place_of(self.as_raw()) };
        // SAFETY: As above, and the access is volatile.
        unsafe { place.write_volatile(place::OUT) };
    }

    /// Returns where the mark of an absorbed request is: in that word of its `rb_node` which is no
    /// link of a FIFO.
    fn mark(&self) -> *mut usize {
        let at = const { offset_of!(bindings::request, __bindgen_anon_3.rb_node.rb_left) };
        // SAFETY: The request is valid by the type invariant, so the field is inside of it.
        unsafe { self.as_raw().byte_add(at) }.cast()
    }

    /// Was it merged away, without having been given back?
    #[inline]
    pub(super) fn is_absorbed(&self) -> bool {
        // SAFETY: No other context writes to it by the type invariant. It was set when the elevator
        // got the request.
        unsafe { self.mark().read() != 0 }
    }

    /// Sets whether it was.
    #[inline]
    pub(super) fn set_absorbed(&self, absorbed: bool) {
        // SAFETY: No other context uses it by the type invariant.
        unsafe { self.mark().write(usize::from(absorbed)) };
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
