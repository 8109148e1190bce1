// SPDX-License-Identifier: GPL-2.0

//! A FIFO that owns its requests.

use super::{
    owned::{
        place,
        Queued, //
    },
    request::Request, //
};
use crate::bindings;
use core::{
    mem::{
        align_of,
        offset_of,
        size_of, //
    },
    ptr::{
        null_mut,
        NonNull, //
    },
};
use kernel::sync::atomic::{
    Atomic,
    Relaxed, //
};

/// The number of the next FIFO to be created. It is never used up: one a nanosecond would last for
/// centuries.
static NEXT_NUMBER: Atomic<u64> = Atomic::new(place::FIRST_FIFO);

/// The neighbours of a request in a FIFO, null at the ends.
#[repr(C)]
struct Links {
    prev: *mut bindings::request,
    next: *mut bindings::request,
}

/// Returns where a FIFO keeps the links of a request: in its `rb_node`.
///
/// Not in its `queuelist`, though that is a list node already: the core puts a request that it has
/// merged away on a list of its own, whether the elevator has given it back or not.
///
/// # Safety
///
/// `rq` must point to a valid request.
unsafe fn links_of(rq: *mut bindings::request) -> *mut Links {
    const {
        // `rb_left` is not the FIFO's, see `Request::is_absorbed`.
        assert!(size_of::<Links>() <= offset_of!(bindings::rb_node, rb_left));
        assert!(align_of::<Links>() <= align_of::<bindings::rb_node>());
    };
    let at = const { offset_of!(bindings::request, __bindgen_anon_3.rb_node) };
    // SAFETY: The request is valid by the safety requirements, so the field is inside of it.
    unsafe { rq.byte_add(at) }.cast()
}

/// A FIFO of requests that needs no memory: they are linked through their `rb_node`, which is the
/// scheduler's own.
///
/// All operations take constant time. Like a [`Queued`] it may be anywhere, not only in
/// [`Operations::Locked`](super::Operations::Locked).
///
/// # Invariants
///
/// - `first` and `last` are the ends of a doubly linked list of requests owned by the FIFO, where a
///   null pointer ends the list on both sides; they are both null if it is empty.
/// - These requests, and no others, are *listed* with `number`, which no other FIFO has. Nobody
///   else uses their links: the core initialises the `rb_node` before `prepare_request` and then
///   leaves it to the elevator; what a driver keeps in the same place (`special_vec`) is gone
///   before the request is inserted again, see `struct request`.
pub struct RequestFifo {
    first: *mut bindings::request,
    last: *mut bindings::request,
    len: usize,
    number: u64,
}

// SAFETY: As for `Queued`.
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

    /// Takes over the ownership of a request, still unlinked.
    fn adopt(&mut self, rq: Queued) -> *mut bindings::request {
        self.len = self.len.wrapping_add(1);
        rq.into_raw(self.number).as_ptr()
    }

    /// Appends a request.
    pub fn push_back(&mut self, rq: Queued) {
        let last = self.last;
        let rq = self.adopt(rq);
        // SAFETY: A `Queued` owns a valid request.
        let links = unsafe { links_of(rq) };
        // SAFETY: The request is owned by the FIFO now, and so are its links.
        unsafe {
            links.write(Links {
                prev: last,
                next: null_mut(),
            })
        };
        if last.is_null() {
            self.first = rq;
        } else {
            // SAFETY: `last` is in the FIFO by the type invariant.
            let links = unsafe { links_of(last) };
            // SAFETY: As above.
            unsafe { (*links).next = rq };
        }
        // INVARIANT: The request is linked on both sides, and `adopt` has set its place.
        self.last = rq;
    }

    /// Prepends a request.
    pub fn push_front(&mut self, rq: Queued) {
        let first = self.first;
        let rq = self.adopt(rq);
        // SAFETY: A `Queued` owns a valid request.
        let links = unsafe { links_of(rq) };
        // SAFETY: The request is owned by the FIFO now, and so are its links.
        unsafe {
            links.write(Links {
                prev: null_mut(),
                next: first,
            })
        };
        if first.is_null() {
            self.last = rq;
        } else {
            // SAFETY: `first` is in the FIFO by the type invariant.
            let links = unsafe { links_of(first) };
            // SAFETY: As above.
            unsafe { (*links).prev = rq };
        }
        // INVARIANT: The request is linked on both sides, and `adopt` has set its place.
        self.first = rq;
    }

    /// Takes the oldest request out.
    pub fn pop_front(&mut self) -> Option<Queued> {
        let first = NonNull::new(self.first)?;
        // SAFETY: `first` is in the FIFO by the type invariant.
        Some(unsafe { self.unlink(first) })
    }

    /// Takes `rq` out if it is in this FIFO.
    pub fn remove(&mut self, rq: &Request) -> Option<Queued> {
        if rq.place() != self.number {
            return None;
        }
        let rq = NonNull::new(rq.as_raw())?;
        // SAFETY: By the type invariant no request has the number as its place but those in the
        // FIFO.
        Some(unsafe { self.unlink(rq) })
    }

    /// # Safety
    ///
    /// `rq` must be a request in this FIFO.
    unsafe fn unlink(&mut self, rq: NonNull<bindings::request>) -> Queued {
        // SAFETY: The request is valid by the safety requirements.
        let links = unsafe { links_of(rq.as_ptr()) };
        // SAFETY: The links are the FIFO's by the type invariant; it has written them.
        let Links { prev, next } = unsafe { links.read() };
        if prev.is_null() {
            self.first = next;
        } else {
            // SAFETY: A neighbour is in the FIFO by the type invariant.
            let links = unsafe { links_of(prev) };
            // SAFETY: As above.
            unsafe { (*links).next = next };
        }
        if next.is_null() {
            self.last = prev;
        } else {
            // SAFETY: A neighbour is in the FIFO by the type invariant.
            let links = unsafe { links_of(next) };
            // SAFETY: As above.
            unsafe { (*links).prev = prev };
        }
        self.len = self.len.wrapping_sub(1);
        // SAFETY: The request was owned by the FIFO, and it is linked nowhere now.
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
