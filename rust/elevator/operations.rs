// SPDX-License-Identifier: GPL-2.0

//! What an elevator implements.
//!
//! C header: [`block/elevator.h`](srctree/block/elevator.h)

use super::{
    attrs::Attribute,
    bio::{
        Bio,
        Merged,
        Submission, //
    },
    debugfs::DebugfsAttribute,
    icq::Icq,
    instance::{
        Elevator,
        Held, //
    },
    list::RequestList,
    merge::Merge,
    owned::{
        Dispatched,
        Queued, //
    },
    queue::{
        AllocData,
        FrozenQueue,
        HwCtx,
        RequestQueue, //
    },
    request::{
        Opf,
        Request, //
    },
};
use kernel::{
    error::VTABLE_DEFAULT_ERROR,
    prelude::*,
    types::ForeignOwnable, //
};
use pin_init::Zeroable;

/// An I/O scheduler for block devices.
///
/// The methods are those of `struct elevator_mq_ops`, in its order, with two differences: creating
/// the per-queue data is split from attaching it ([`new_data`](Self::new_data),
/// [`new_locked`](Self::new_locked)), and there is a timer
/// ([`timer_expired`](Self::timer_expired)). The [module documentation](super) has the table of
/// contexts: what may sleep and which locks are held.
///
/// `elv` is always the instance of the queue in question. The methods that have the arguments
/// `locked` and `held` are called by the block layer from within [`Guard::try_merge`] and
/// [`Guard::admit`], with the lock of the instance held; they must not take it again.
///
/// [`Guard::try_merge`]: super::Guard::try_merge
/// [`Guard::admit`]: super::Guard::admit
#[vtable]
pub trait Operations: Sized + 'static {
    /// The name users write into `queue/scheduler`: at most 15 characters, and not beginning with
    /// `none`.
    const NAME: &'static CStr;

    /// A second name the elevator answers to.
    const ALIAS: Option<&'static CStr> = None;

    /// The files in `queue/iosched/`, made by the macro `attributes!`.
    const ATTRIBUTES: &'static [Attribute<Self>] = &[];

    /// The files in the `sched/` folder of the queue in debugfs.
    const DEBUGFS: &'static [DebugfsAttribute<Self>] = &[];

    /// Per-queue data that is reached without the lock.
    type Data: Send + Sync;

    /// Per-queue data behind the lock of the [`Elevator`].
    type Locked: Send + Unpin;

    /// Per-hctx data, made by [`init_hctx`](Self::init_hctx). `()` if there is none.
    type HctxData: ForeignOwnable + Send + Sync;

    /// Data per I/O context and queue, see [`Icq`]. `()` if there is none; the block layer then
    /// does not track I/O contexts for this elevator.
    type IcqData: Zeroable + Send;

    /// Creates the data for a queue that is about to get this elevator.
    ///
    /// May sleep. The queue is in use by another elevator, or by none; do not trust its
    /// `nr_requests` yet, see [`RequestQueue::default_scheduler_tags`].
    ///
    /// # Errors
    ///
    /// An error refuses the switch. This is the place to fail.
    fn new_data(queue: &RequestQueue) -> impl PinInit<Self::Data, Error>;

    /// Creates the data behind the lock, under the conditions of [`new_data`](Self::new_data).
    ///
    /// The value is moved into place: what is large belongs behind a pointer.
    ///
    /// # Errors
    ///
    /// An error refuses the switch.
    fn new_locked(queue: &RequestQueue) -> Result<Self::Locked>;

    /// The elevator is being attached to `queue`.
    ///
    /// The queue is frozen and quiesced, `nr_requests` is that of the new elevator, and
    /// `async_depth` equals it. May sleep, without I/O. Cannot fail: the block layer does not undo
    /// a switch properly from here (see the [module documentation](super#faults-of-the-c-side)).
    fn init_sched(_elv: &Elevator<Self>, _queue: &FrozenQueue) {
        build_error!(VTABLE_DEFAULT_ERROR)
    }

    /// The elevator is being detached from `queue`.
    ///
    /// The queue is frozen, no request is left and every [`Icq`] is gone. It is also quiesced, but
    /// for [one case](super#faults-of-the-c-side). May sleep, without I/O. After this the timer is
    /// stopped and writeback throttling is as it was before; the data is dropped later, when the
    /// files in sysfs and debugfs are gone too.
    fn exit_sched(_elv: &Elevator<Self>, _queue: &FrozenQueue) {
        build_error!(VTABLE_DEFAULT_ERROR)
    }

    /// Creates the data of a hardware context, after [`init_sched`](Self::init_sched) and under the
    /// same conditions.
    ///
    /// # Errors
    ///
    /// An error leaves the queue without an elevator, and the C side in a poor state: avoid it.
    fn init_hctx(_elv: &Elevator<Self>, _hctx: &HwCtx, _index: u32) -> Result<Self::HctxData> {
        build_error!(VTABLE_DEFAULT_ERROR)
    }

    /// Takes the data of a hardware context back, before [`exit_sched`](Self::exit_sched). Without
    /// this method it is just dropped.
    fn exit_hctx(_elv: &Elevator<Self>, _hctx: &HwCtx, _index: u32, _data: Self::HctxData) {
        build_error!(VTABLE_DEFAULT_ERROR)
    }

    /// `nr_requests` or `async_depth` of the queue was changed by the user.
    ///
    /// The queue is frozen, but not quiesced. May sleep, without I/O. An elevator with
    /// [`limit_depth`](Self::limit_depth) has to call [`FrozenQueue::set_min_shallow_depth`] here
    /// and in [`init_sched`](Self::init_sched).
    fn depth_updated(_elv: &Elevator<Self>, _queue: &FrozenQueue) {
        build_error!(VTABLE_DEFAULT_ERROR)
    }

    /// May `bio` become a part of `rq`? Without this method: always.
    fn allow_merge(
        _elv: &Elevator<Self>,
        _locked: &mut Self::Locked,
        _held: Held<'_>,
        _rq: &Request,
        _bio: &Bio,
    ) -> bool {
        build_error!(VTABLE_DEFAULT_ERROR)
    }

    /// Tries to merge a bio with a queued request, usually by one call of [`Guard::try_merge`], and
    /// returns what that returns; or `submission`, to have a request of its own made for the bio.
    ///
    /// Called in the context of the task that submits the bio, without locks.
    ///
    /// # Errors
    ///
    /// The submission itself, if it was not merged.
    ///
    /// [`Guard::try_merge`]: super::Guard::try_merge
    fn bio_merge<'a>(
        _elv: &Elevator<Self>,
        _submission: Submission<'a>,
    ) -> Result<Merged<'a>, Submission<'a>> {
        build_error!(VTABLE_DEFAULT_ERROR)
    }

    /// Looks for a queued request that starts where `bio` ends.
    ///
    /// The core has looked for one that ends where `bio` starts before. Whether the two may be
    /// merged at all is checked by the abstraction; only requests of this queue made mergeable by
    /// [`Guard::admit`] are taken.
    ///
    /// [`Guard::admit`]: super::Guard::admit
    fn request_merge<'a>(
        _elv: &Elevator<Self>,
        _locked: &mut Self::Locked,
        _held: Held<'a>,
        _bio: &Bio,
    ) -> Option<&'a Request> {
        build_error!(VTABLE_DEFAULT_ERROR)
    }

    /// A bio was merged into `rq`: it has grown, and starts earlier after a [`Merge::Front`].
    ///
    /// Not called for merged discards, nor if [`requests_merged`](Self::requests_merged) is called
    /// instead.
    fn request_merged(
        _elv: &Elevator<Self>,
        _locked: &mut Self::Locked,
        _held: Held<'_>,
        _rq: &Request,
        _how: Merge,
    ) {
        build_error!(VTABLE_DEFAULT_ERROR)
    }

    /// `next` was appended to `rq` and is going away.
    ///
    /// If `next` is queued, it must be taken out and be returned. It is not if it is just being
    /// inserted by [`Guard::admit`]; then the answer is [`None`]. An elevator without this method
    /// gets neither requests merged with each other nor insert merges.
    ///
    /// [`Guard::admit`]: super::Guard::admit
    fn requests_merged(
        _elv: &Elevator<Self>,
        _locked: &mut Self::Locked,
        _held: Held<'_>,
        _rq: &Request,
        _next: &Request,
    ) -> Option<Queued> {
        build_error!(VTABLE_DEFAULT_ERROR)
    }

    /// Limits how many requests may be allocated for an operation, by
    /// [`AllocData::set_shallow_depth`].
    ///
    /// Called in the context of the task that submits the I/O, before the request exists. Must not
    /// sleep (io_uring's `NOWAIT`). Not called for flushes and passthrough.
    fn limit_depth(_elv: &Elevator<Self>, _opf: Opf, _data: &mut AllocData) {
        build_error!(VTABLE_DEFAULT_ERROR)
    }

    /// A request was allocated and may be inserted later.
    ///
    /// Its private words are zero and its icq is set. It may also be freed without ever being
    /// inserted. Avoid sleeping.
    fn prepare_request(_elv: &Elevator<Self>, _rq: &Request) {
        build_error!(VTABLE_DEFAULT_ERROR)
    }

    /// A prepared request is being freed: after it was completed, after it was merged away, or
    /// without ever having been inserted.
    ///
    /// Any context up to hard interrupts. The lock is not held.
    fn finish_request(elv: &Elevator<Self>, rq: &Request);

    /// Takes over new requests.
    ///
    /// Every request must be popped off `list`, offered to [`Guard::admit`] (or
    /// [`Guard::admit_next`]) and, if it was not merged, be kept until it is dispatched. With
    /// `at_head` set the requests are to be dispatched before all others: data of flush sequences
    /// and requests that were [given back](Self::requeue_request) by the driver; the latter come
    /// without another [`prepare_request`](Self::prepare_request).
    ///
    /// Task context, interrupts enabled, no locks, must not sleep. The task may be allowed to run
    /// the queue at the end, see [`RequestList::direct`].
    ///
    /// [`Guard::admit`]: super::Guard::admit
    /// [`Guard::admit_next`]: super::Guard::admit_next
    fn insert_requests(
        elv: &Elevator<Self>,
        hctx: &HwCtx,
        list: &mut RequestList<'_>,
        at_head: bool,
    );

    /// Hands the next request to the driver, through [`Guard::start`].
    ///
    /// It need not belong to `hctx`. Called on several CPUs at once, in task context with
    /// interrupts enabled, must not sleep. [`None`] while [`has_work`](Self::has_work) is true is
    /// asked again in 3 ms; an elevator that refuses to dispatch should say so in `has_work` and
    /// run the queues itself when the reason is gone.
    ///
    /// [`Guard::start`]: super::Guard::start
    fn dispatch_request(elv: &Elevator<Self>, hctx: &HwCtx) -> Option<Dispatched>;

    /// Is there something to dispatch?
    ///
    /// Any context, any locks held, possibly that of the elevator: look at atomics only. The block
    /// layer dispatches nothing while this is false, so unlike in C it is not optional.
    fn has_work(elv: &Elevator<Self>, hctx: &HwCtx) -> bool;

    /// A dispatched request was completed by the device, at time `now` (see [`now`](super::now)).
    ///
    /// Hard or soft interrupt or task. [`finish_request`](Self::finish_request) follows, possibly
    /// not at once.
    fn completed_request(_elv: &Elevator<Self>, _rq: &Request, _now: u64) {
        build_error!(VTABLE_DEFAULT_ERROR)
    }

    /// The driver gave a dispatched request back. It is going to be inserted again, or to be
    /// dispatched by the core without asking.
    ///
    /// Hard interrupt or task.
    fn requeue_request(_elv: &Elevator<Self>, _rq: &Request) {
        build_error!(VTABLE_DEFAULT_ERROR)
    }

    /// The queued request before `rq` on the disk, for merging `rq` into it.
    fn former_request<'a>(
        _elv: &Elevator<Self>,
        _locked: &mut Self::Locked,
        _held: Held<'a>,
        _rq: &Request,
    ) -> Option<&'a Request> {
        build_error!(VTABLE_DEFAULT_ERROR)
    }

    /// The queued request after `rq` on the disk, for merging it into `rq`.
    fn next_request<'a>(
        _elv: &Elevator<Self>,
        _locked: &mut Self::Locked,
        _held: Held<'a>,
        _rq: &Request,
    ) -> Option<&'a Request> {
        build_error!(VTABLE_DEFAULT_ERROR)
    }

    /// An I/O context does its first I/O on this queue. The data of `icq` is zero.
    ///
    /// Called with `queue_lock` and the lock of the I/O context held, interrupts disabled.
    fn init_icq(_elv: &Elevator<Self>, _icq: &Icq<Self>) {
        build_error!(VTABLE_DEFAULT_ERROR)
    }

    /// The last task of an I/O context is gone, or the elevator is being detached.
    ///
    /// Requests of `icq` may still be in flight. No destructor runs on the data of `icq`, so what
    /// it owns must be taken out here. Called with the lock of the I/O context and maybe
    /// `queue_lock` held, interrupts disabled: use [`Elevator::kick`], never
    /// [`RequestQueue::run_hw_queues`], which may take `queue_lock`.
    fn exit_icq(_elv: &Elevator<Self>, _icq: &Icq<Self>) {
        build_error!(VTABLE_DEFAULT_ERROR)
    }

    /// The timer set by [`Elevator::arm_timer`] has expired.
    ///
    /// Hard interrupt. The timer is not armed any more and may be armed again from here.
    fn timer_expired(_elv: &Elevator<Self>) {
        build_error!(VTABLE_DEFAULT_ERROR)
    }
}
