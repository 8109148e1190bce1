// SPDX-License-Identifier: GPL-2.0

//! A FIFO that owns its requests.

use super::{
    list::{
        init_node,
        node_of,
        request_of, //
    },
    request::{
        state,
        Queued,
        Request, //
    },
};
use crate::bindings;
use core::ptr::{
    null_mut,
    NonNull, //
};
use kernel::sync::atomic::{
    Atomic,
    Relaxed, //
};

/// The number of the next FIFO to be created. It is never used up: one a nanosecond would last for
/// centuries.
static NEXT_NUMBER: Atomic<u64> = Atomic::new(state::FIRST_FIFO);

/// A FIFO of requests that needs no memory: they are linked through their `queuelist`.
///
/// All operations take constant time. Meant to live in
/// [`Operations::Locked`](super::Operations::Locked).
///
/// # Invariants
///
/// - `first` and `last` are the ends of a doubly linked list of requests owned by the FIFO, where a
///   null pointer ends the list on both sides; they are both null if it is empty.
/// - These requests, and no others, are *listed* with `number`, which no other FIFO has.
pub struct RequestFifo {
    first: *mut bindings::list_head,
    last: *mut bindings::list_head,
    len: usize,
    number: u64,
}

// SAFETY: The requests do not depend on the thread that inserted them.
unsafe impl Send for RequestFifo {}

impl RequestFifo {
    /// Creates an empty FIFO.
    pub fn new() -> Self {
        // INVARIANT: The FIFO is empty, and the number was never used before.
        Self {
            first: null_mut(),
            last: null_mut(),
            len: 0,
            number: NEXT_NUMBER.fetch_add(1u64, Relaxed),
        }
    }

    /// Returns the number of requests in it.
    pub const fn len(&self) -> usize {
        self.len
    }

    /// Is it empty?
    pub const fn is_empty(&self) -> bool {
        self.first.is_null()
    }

    /// Takes over the ownership of a request and returns its list node, still unlinked.
    fn adopt(&mut self, rq: Queued) -> *mut bindings::list_head {
        rq.set_place(self.number);
        self.len = self.len.wrapping_add(1);
        // SAFETY: A `Queued` owns a valid request.
        unsafe { node_of(rq.into_raw().as_ptr()) }
    }

    /// Appends a request.
    pub fn push_back(&mut self, rq: Queued) {
        let node = self.adopt(rq);
        // SAFETY: The request is owned by the FIFO now.
        unsafe { (*node).next = null_mut() };
        // SAFETY: As above.
        unsafe { (*node).prev = self.last };
        if self.last.is_null() {
            self.first = node;
        } else {
            // SAFETY: `last` is in the FIFO by the type invariant.
            unsafe { (*self.last).next = node };
        }
        // INVARIANT: The request is linked on both sides, and `adopt` has set its state.
        self.last = node;
    }

    /// Prepends a request.
    pub fn push_front(&mut self, rq: Queued) {
        let node = self.adopt(rq);
        // SAFETY: The request is owned by the FIFO now.
        unsafe { (*node).prev = null_mut() };
        // SAFETY: As above.
        unsafe { (*node).next = self.first };
        if self.first.is_null() {
            self.last = node;
        } else {
            // SAFETY: `first` is in the FIFO by the type invariant.
            unsafe { (*self.first).prev = node };
        }
        // INVARIANT: The request is linked on both sides, and `adopt` has set its state.
        self.first = node;
    }

    /// Takes the oldest request out.
    pub fn pop_front(&mut self) -> Option<Queued> {
        if self.first.is_null() {
            return None;
        }
        // SAFETY: `first` is in the FIFO by the type invariant.
        Some(unsafe { self.unlink(self.first) })
    }

    /// Takes `rq` out if it is in this FIFO.
    pub fn remove(&mut self, rq: &Request) -> Option<Queued> {
        if rq.place() != self.number {
            return None;
        }
        // SAFETY: The reference is to a valid request.
        let node = unsafe { node_of(rq.as_raw()) };
        // SAFETY: By the type invariant no request has the number as its state but those in the
        // FIFO.
        Some(unsafe { self.unlink(node) })
    }

    /// # Safety
    ///
    /// `node` must be the list node of a request in this FIFO.
    unsafe fn unlink(&mut self, node: *mut bindings::list_head) -> Queued {
        // SAFETY: The node is valid by the safety requirements.
        let prev = unsafe { (*node).prev };
        // SAFETY: As above.
        let next = unsafe { (*node).next };
        if prev.is_null() {
            self.first = next;
        } else {
            // SAFETY: A neighbour is in the FIFO by the type invariant.
            unsafe { (*prev).next = next };
        }
        if next.is_null() {
            self.last = prev;
        } else {
            // SAFETY: A neighbour is in the FIFO by the type invariant.
            unsafe { (*next).prev = prev };
        }
        self.len = self.len.wrapping_sub(1);
        // SAFETY: The node is valid by the safety requirements.
        unsafe { init_node(node) };
        // SAFETY: It is the node of a request, by the safety requirements.
        let rq = unsafe { request_of(node) };
        // SAFETY: The request is not in the middle of an allocation at address 0.
        let rq = unsafe { NonNull::new_unchecked(rq) };
        // SAFETY: The request was owned by the FIFO and is linked nowhere now.
        unsafe { Request::from_raw(rq.as_ptr()) }.set_place(state::LOOSE);
        // SAFETY: As above. The state was just set.
        unsafe { Queued::from_raw(rq) }
    }
}

impl Default for RequestFifo {
    fn default() -> Self {
        Self::new()
    }
}

impl Drop for RequestFifo {
    fn drop(&mut self) {
        // Each one reports itself.
        while let Some(rq) = self.pop_front() {
            drop(rq);
        }
    }
}
