// SPDX-License-Identifier: GPL-2.0

//! Lists of requests that come from C and go to C: the insert list and the requests to be freed.

use super::{
    owned::Incoming,
    queue::{
        Direct,
        HwCtx, //
    },
    request::Request, //
};
use crate::bindings;
use core::{
    marker::PhantomData,
    mem::offset_of,
    ptr::{
        null_mut,
        NonNull, //
    },
};
use kernel::types::NotThreadSafe;

/// Makes the list node of a request, or the head of a list, an empty list.
///
/// # Safety
///
/// `node` must be valid for writes.
pub(super) unsafe fn init_node(node: *mut bindings::list_head) {
    // SAFETY: Valid by the safety requirements.
    unsafe { (*node).next = node };
    // SAFETY: Valid by the safety requirements.
    unsafe { (*node).prev = node };
}

/// Returns the list node of a request.
///
/// # Safety
///
/// `rq` must point to a valid request.
pub(super) unsafe fn node_of(rq: *mut bindings::request) -> *mut bindings::list_head {
    // SAFETY: The request is valid by the safety requirements, so the field is inside of it.
    unsafe { rq.byte_add(offset_of!(bindings::request, __bindgen_anon_1)) }.cast()
}

/// Returns the request of a list node.
///
/// # Safety
///
/// `node` must be the list node of a valid request.
pub(super) unsafe fn request_of(node: *mut bindings::list_head) -> *mut bindings::request {
    // SAFETY: By the safety requirements the node is inside of a request.
    unsafe { node.byte_sub(offset_of!(bindings::request, __bindgen_anon_1)) }.cast()
}

/// Returns the link of a request in a singly linked list (`rq_next`).
///
/// # Safety
///
/// `rq` must point to a valid request.
unsafe fn link_of(rq: *mut bindings::request) -> *mut *mut bindings::request {
    // SAFETY: By the safety requirements. The link shares its place with the list node.
    unsafe { node_of(rq) }.cast()
}

/// Takes the first request off a C list of requests.
///
/// # Safety
///
/// `head` must be the head of a valid list of valid requests that nobody else uses.
pub(super) unsafe fn pop_front(
    head: *mut bindings::list_head,
) -> Option<NonNull<bindings::request>> {
    // SAFETY: The head is valid by the safety requirements.
    let node = unsafe { (*head).next };
    if node == head {
        return None;
    }
    // SAFETY: A node of the list is valid.
    let next = unsafe { (*node).next };
    // SAFETY: The head is valid.
    unsafe { (*head).next = next };
    // SAFETY: `next` is a node of the list, or the head.
    unsafe { (*next).prev = head };
    // SAFETY: A node of the list is valid.
    unsafe { init_node(node) };
    // SAFETY: All nodes but the head belong to requests.
    NonNull::new(unsafe { request_of(node) })
}

/// The requests handed to [`insert_requests`](super::Operations::insert_requests).
///
/// # Invariants
///
/// - `head` is the head of a valid list of requests that the elevator is to own, and that nobody
///   else uses during `'a`.
/// - During `'a` the current task is in a call of `insert_requests` for `hctx`, with that
///   `at_head`.
pub struct RequestList<'a> {
    head: *mut bindings::list_head,
    hctx: &'a HwCtx,
    at_head: bool,
    _borrow: PhantomData<&'a mut bindings::list_head>,
    _not_thread_safe: NotThreadSafe,
}

impl<'a> RequestList<'a> {
    /// # Safety
    ///
    /// The invariants of the type hold for the arguments.
    pub(super) unsafe fn from_raw(
        head: *mut bindings::list_head,
        hctx: &'a HwCtx,
        at_head: bool,
    ) -> Self {
        // INVARIANT: By the safety requirements.
        Self {
            head,
            hctx,
            at_head,
            _borrow: PhantomData,
            _not_thread_safe: NotThreadSafe,
        }
    }

    /// Is the list empty?
    #[inline]
    pub fn is_empty(&self) -> bool {
        // SAFETY: The head is valid by the type invariant.
        let first = unsafe { (*self.head).next };
        first == self.head
    }

    /// Returns the first request, which stays on the list.
    #[inline]
    pub fn first(&self) -> Option<&Request> {
        if self.is_empty() {
            return None;
        }
        // SAFETY: The head is valid by the type invariant.
        let node = unsafe { (*self.head).next };
        // SAFETY: All nodes but the head belong to requests.
        let rq = unsafe { request_of(node) };
        // SAFETY: The request is valid as long as it is on the list, which is borrowed.
        Some(unsafe { Request::from_raw(rq) })
    }

    /// Returns the right to run the queue at once, at the end of
    /// [`insert_requests`](super::Operations::insert_requests).
    ///
    /// Given to a task that submits a request outside of a plug and, without an elevator, would
    /// hand it to the driver from where it is now. The block layer would wake up a kworker for it.
    /// Not for the head, not for what a plug held, whatever it is flushed for (the core runs the
    /// queue then), not in atomic contexts, not for drivers that sleep, and not while the queue is
    /// stopped.
    ///
    /// No other callback has it: in [`dispatch_request`](super::Operations::dispatch_request) it
    /// would call that again, and again.
    #[inline]
    pub fn direct(&self) -> Option<Direct<'a>> {
        if self.at_head {
            return None;
        }
        // SAFETY: By the type invariant.
        unsafe { self.hctx.direct() }
    }

    /// Takes the first request off the list.
    pub fn pop_front(&mut self) -> Option<Incoming> {
        // SAFETY: By the type invariant.
        let rq = unsafe { pop_front(self.head) }?;
        // SAFETY: By the type invariant the elevator is to own it, and nobody else used it on the
        // list, which it was taken off.
        Some(unsafe { Incoming::from_raw(rq) })
    }
}

/// Requests that were merged away, to be freed when the lock is released.
///
/// # Invariants
///
/// `first` is null, or the first of a chain of requests, linked by `rq_next`, that are owned by the
/// list.
pub(super) struct FreeList {
    first: *mut bindings::request,
}

impl FreeList {
    pub(super) const fn new() -> Self {
        // INVARIANT: An empty list.
        Self { first: null_mut() }
    }

    /// Adds a request.
    ///
    /// # Safety
    ///
    /// The caller owns the request, which is linked nowhere, and may free it.
    pub(super) unsafe fn push(&mut self, rq: NonNull<bindings::request>) {
        // SAFETY: The caller owns the request.
        let link = unsafe { link_of(rq.as_ptr()) };
        // SAFETY: As above.
        unsafe { link.write(self.first) };
        // INVARIANT: The caller passes the request on to the list.
        self.first = rq.as_ptr();
    }
}

impl Drop for FreeList {
    #[inline]
    fn drop(&mut self) {
        while !self.first.is_null() {
            let rq = self.first;
            // SAFETY: The request is owned by the list.
            let link = unsafe { link_of(rq) };
            // SAFETY: As above; `push` has written the link.
            self.first = unsafe { link.read() };
            // SAFETY: The request is owned by the list.
            let node = unsafe { node_of(rq) };
            // SAFETY: As above.
            unsafe { init_node(node) };
            // SAFETY: The list may free it, by the requirements of `push`. The lock of the elevator
            // was released before, see `Guard`; the C side calls `finish_request`, which takes it.
            unsafe { bindings::blk_mq_free_request(rq) };
        }
    }
}
