// SPDX-License-Identifier: GPL-2.0

//! A sample elevator: requests are dispatched in the order in which they come in.
//!
//! It shows the use of [`elevator`]. Bios and requests are appended to queued requests that end
//! where they start, unless the attribute `merges` is set to 0.

mod bindings;
pub mod elevator;

use core::fmt::Write as _;
use elevator::{
    attributes,
    Attribute,
    Attributes,
    Dispatched,
    Elevator,
    FrozenQueue,
    Held,
    HwCtx,
    Merged,
    Operations,
    Page,
    Queued,
    Registration,
    Request,
    RequestFifo,
    RequestList,
    RequestQueue,
    Submission, //
};
use kernel::{
    prelude::*,
    sync::atomic::{
        Atomic,
        Relaxed, //
    }, //
};

module! {
    type: FifoModule,
    name: "fifo_iosched",
    authors: ["The rcfq authors"],
    description: "Sample I/O scheduler: first in, first out",
    license: "GPL v2",
    alias: ["fifo-iosched"],
}

#[pin_data]
struct FifoModule {
    #[pin]
    _registration: Registration<Fifo>,
}

impl kernel::InPlaceModule for FifoModule {
    fn init(_module: &'static ThisModule) -> impl PinInit<Self, Error> {
        try_pin_init!(Self {
            _registration <- Registration::new(),
        })
    }
}

/// The elevator.
struct Fifo;

/// What is known without the lock.
struct Shared {
    queued: Atomic<usize>,
    merges: Atomic<bool>,
}

#[vtable]
impl Operations for Fifo {
    const NAME: &'static CStr = c"fifo";
    const ATTRIBUTES: &'static [Attribute<Self>] = attributes!(Self: c"merges");

    type Data = Shared;
    type Locked = RequestFifo;
    type HctxData = ();
    type IcqData = ();

    fn new_data(_queue: &RequestQueue) -> impl PinInit<Shared, Error> {
        Ok(Shared {
            queued: Atomic::new(0),
            merges: Atomic::new(true),
        })
    }

    fn new_locked(_queue: &RequestQueue) -> Result<RequestFifo> {
        Ok(RequestFifo::new())
    }

    fn init_sched(_elv: &Elevator<Self>, queue: &FrozenQueue) {
        // The order is that of the whole device.
        queue.set_single_queue(true);
    }

    fn bio_merge<'a>(
        elv: &Elevator<Self>,
        submission: Submission<'a>,
    ) -> Result<Merged<'a>, Submission<'a>> {
        if !elv.data().merges.load(Relaxed) {
            return Err(submission);
        }
        elv.lock().try_merge(submission)
    }

    fn requests_merged(
        elv: &Elevator<Self>,
        fifo: &mut RequestFifo,
        _held: Held<'_>,
        _rq: &Request,
        next: &Request,
    ) -> Option<Queued> {
        let next = fifo.remove(next);
        elv.data().queued.store(fifo.len(), Relaxed);
        next
    }

    fn insert_requests(
        elv: &Elevator<Self>,
        _hctx: &HwCtx,
        list: &mut RequestList<'_>,
        at_head: bool,
    ) {
        let mut fifo = elv.lock();
        while let Some(rq) = list.pop_front() {
            match fifo.admit(rq, at_head) {
                Some(rq) if at_head => fifo.push_front(rq),
                Some(rq) => fifo.push_back(rq),
                None => {}
            }
        }
        elv.data().queued.store(fifo.len(), Relaxed);
    }

    fn dispatch_request(elv: &Elevator<Self>, _hctx: &HwCtx) -> Option<Dispatched> {
        let mut fifo = elv.lock();
        let rq = fifo.pop_front()?;
        elv.data().queued.store(fifo.len(), Relaxed);
        Some(fifo.start(rq))
    }

    fn has_work(elv: &Elevator<Self>, _hctx: &HwCtx) -> bool {
        elv.data().queued.load(Relaxed) != 0
    }

    fn finish_request(_elv: &Elevator<Self>, _rq: &Request) {}
}

impl Attributes for Fifo {
    fn show(elv: &Elevator<Self>, _id: usize, page: &mut Page<'_>) -> Result {
        let merges = elv.data().merges.load(Relaxed);
        Ok(writeln!(page, "{}", u8::from(merges))?)
    }

    fn store(elv: &Elevator<Self>, _id: usize, text: &[u8]) -> Result {
        let merges = match text.trim_ascii() {
            b"0" => false,
            b"1" => true,
            _ => return Err(EINVAL),
        };
        elv.data().merges.store(merges, Relaxed);
        Ok(())
    }
}
