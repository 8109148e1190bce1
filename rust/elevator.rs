// SPDX-License-Identifier: GPL-2.0

//! Elevators: I/O schedulers for blk-mq block devices.
//!
//! C header: [`block/elevator.h`](srctree/block/elevator.h)
//!
//! An elevator stands between the requests that tasks submit and the hardware queues of a device.
//! It keeps the requests, lets later ones be merged with them, and says which one is next. This
//! module has what a driver for the block layer's elevator interface needs; it knows nothing about
//! how to choose. It is not related to `kernel::block::mq`, which is for drivers of block devices.
//!
//! # Implementing an elevator
//!
//! - Implement [`Operations`] for a type, which is only a name. Required are
//!   [`new_data`](Operations::new_data), [`new_locked`](Operations::new_locked),
//!   [`insert_requests`](Operations::insert_requests),
//!   [`dispatch_request`](Operations::dispatch_request),
//!   [`has_work`](Operations::has_work) and [`finish_request`](Operations::finish_request).
//! - Have a [`Registration`] in the struct of the module, initialised last. As long as it exists,
//!   users can write the name of the elevator into `/sys/block/*/queue/scheduler`.
//! - For every queue that gets the elevator there is an [`Elevator`], which holds what the
//!   implementation needs: [`Operations::Data`], shared by everybody, and [`Operations::Locked`],
//!   behind the one lock. [`Elevator::lock`] returns a [`Guard`], through which requests come in
//!   ([`Guard::admit`]), are merged ([`Guard::try_merge`]) and go out ([`Guard::start`]).
//! - Optional: merging; a [timer](Elevator::arm_timer); files in sysfs ([`Attributes`]) and in
//!   debugfs ([`DebugfsAttribute`]); data per I/O context ([`Icq`]) and per
//!   [hardware context](Elevator::hctx_data).
//!
//! # Ownership of requests
//!
//! The C side tells by convention who owns a request. Here it is a type:
//!
//! - [`Incoming`] is a request that comes out of the [`RequestList`] of
//!   [`insert_requests`](Operations::insert_requests). Nobody else knows it yet. It is given to
//!   [`Guard::admit`], where it may be merged with an older one.
//! - [`Queued`] is what [`Guard::admit`] makes of it: a request that the elevator owns and can keep
//!   anywhere. It cannot be copied, and ends as [`Dispatched`], or by being returned from
//!   [`requests_merged`](Operations::requests_merged). Losing either in another way is reported in
//!   the log. A [`RequestFifo`] owns many.
//! - [`Submission`] is a bio that may still be merged, for the time of
//!   [`bio_merge`](Operations::bio_merge). [`Guard::try_merge`] takes it and gives it back, or
//!   makes it [`Merged`]: then nobody can look at the bio any more, which may be freed already.
//! - [`Request`] is borrowed. Callbacks lend requests they do not hand over, and an [`Incoming`] can
//!   be used as one.
//! - [`Held`] is the proof that the elevator's lock is held. The block layer merges into queued
//!   requests under that lock, and another CPU may have it: so what a [`Queued`] stands for is only
//!   [lent](Queued::get) to those who have the lock, as long as they do, and not across a call that
//!   merges. The data of an [`Icq`] is behind the same lock.
//!
//! Everything about a request that the elevator wants to find again must be kept elsewhere, or in
//! its two [private words](Request::private).
//!
//! # Contexts
//!
//! "frozen" means that the queue has no requests and `elevator_lock` is held.
//!
//! | method | context | sleep |
//! |---|---|---|
//! | `new_data`, `new_locked` | task | yes |
//! | `init_sched`, `init_hctx` | task, frozen and quiesced | yes, no I/O |
//! | `exit_sched`, `exit_hctx` | task, frozen, quiesced but for the case below | yes, no I/O |
//! | `depth_updated` | task, frozen | yes, no I/O |
//! | `limit_depth` | submitting task | no |
//! | `prepare_request` | submitting task or kworker | avoid |
//! | `bio_merge` | submitting task | no |
//! | `allow_merge`, `request_merge`, `request_merged`, `requests_merged`, `former_request`, `next_request` | inside of `Guard::try_merge` or `Guard::admit`, the elevator's lock held | no |
//! | `insert_requests`, `dispatch_request` | task or kworker, no locks, several CPUs | no |
//! | `has_work` | any, any locks | no |
//! | `completed_request`, `finish_request`, `requeue_request` | any up to hard interrupt | no |
//! | `init_icq` | task, `queue_lock` and `ioc->lock` held | no |
//! | `exit_icq` | task, `ioc->lock` and maybe `queue_lock` held | no |
//! | `timer_expired` | hard interrupt | no |
//! | `Attributes::show`, `Attributes::store` | task, the elevator's `sysfs_lock` held | yes, no I/O |
//! | `DebugfsAttribute::show` | task, `elevator_lock` held | yes, no allocation |
//!
//! The lock of an [`Elevator`] nests inside of all others that are mentioned here.
//!
//! # Faults of the C side
//!
//! The elevator code of Linux 7.3 has weak places that this module takes care of:
//!
//! - If a type is registered while somebody writes its name to `queue/scheduler`,
//!   `alloc_sched_data` may not be called. The data is created by `init_sched` then. (In that case
//!   it is leaked if the switch fails after that for lack of memory.)
//! - A failing `init_sched` or `init_hctx` leaves the former elevator's files behind, so that later
//!   switches fail. So [`Operations::init_sched`] cannot fail.
//! - The files in debugfs exist longer than the elevator is attached; see [`DebugfsAttribute`].
//! - A file in debugfs that is held open keeps a pointer to its description, but not the module. A
//!   small table is leaked for each registration because of this.
//! - Discards of many ranges that are insert merged in a chain are freed without telling the
//!   elevator. [`Guard::admit`] does not offer them.
//!
//! And two that it cannot do anything about:
//!
//! - If the folder in sysfs cannot be made, `elv_exit_and_release()` detaches the elevator again
//!   with the queue frozen, but not quiesced. There is no request, but somebody may run the queue at
//!   that moment, and then [`has_work`](Operations::has_work) or
//!   [`dispatch_request`](Operations::dispatch_request) is called with data that is being dropped.
//!   It is the same for elevators in C.
//! - If the number of hardware queues is changed and there is not enough memory for the new data of
//!   all queues of the device, `blk_mq_alloc_sched_res_batch()` gives back what it has got without
//!   naming the type (`ctx->type` is not set yet). So `free_sched_data` is not called, and what
//!   [`new_data`](Operations::new_data) has made is leaked.
//!
//! # What is not enforced
//!
//! No unsafe code is asked of an elevator, but two rules are only written down:
//!
//! - The [`Registration`] is the last thing of the module's initialisation that can fail, and is
//!   not dropped before the module's end.
//! - What may not sleep, do I/O or take a lock again, by the table above, does not.
//!
//! # Limits
//!
//! - The type needs `CONFIG_BLK_ICQ`, which in 7.3 only BFQ selects.
//! - No cgroup policies, no debugfs files of hardware contexts, no blktrace messages.
//! - No access to the `rb_node` of a request, where [`RequestFifo`] has its links: order requests
//!   in structures of your own.
//!
//! # Example
//!
//! A FIFO without merging. A module adds its `Registration`, see
//! [`fifo_main.rs`](srctree/rust/fifo_main.rs).
//!
//! ```ignore
//! use elevator::*;
//! use kernel::{
//!     prelude::*,
//!     sync::atomic::{
//!         Atomic,
//!         Relaxed, //
//!     }, //
//! };
//!
//! struct Fifo;
//!
//! #[vtable]
//! impl elevator::Operations for Fifo {
//!     const NAME: &'static CStr = c"fifo";
//!
//!     type Data = Atomic<usize>;
//!     type Locked = RequestFifo;
//!     type HctxData = ();
//!     type IcqData = ();
//!
//!     fn new_data(_queue: &RequestQueue) -> impl PinInit<Atomic<usize>, Error> {
//!         Ok(Atomic::new(0))
//!     }
//!
//!     fn new_locked(_queue: &RequestQueue) -> Result<RequestFifo> {
//!         Ok(RequestFifo::new())
//!     }
//!
//!     fn insert_requests(
//!         elv: &Elevator<Self>,
//!         _hctx: &HwCtx,
//!         list: &mut RequestList<'_>,
//!         at_head: bool,
//!     ) {
//!         let mut fifo = elv.lock();
//!         while let Some(rq) = list.pop_front() {
//!             if let Some(rq) = fifo.admit(rq, at_head) {
//!                 if at_head {
//!                     fifo.push_front(rq);
//!                 } else {
//!                     fifo.push_back(rq);
//!                 }
//!             }
//!         }
//!         elv.data().store(fifo.len(), Relaxed);
//!     }
//!
//!     fn dispatch_request(elv: &Elevator<Self>, _hctx: &HwCtx) -> Option<Dispatched> {
//!         let mut fifo = elv.lock();
//!         let rq = fifo.pop_front()?;
//!         elv.data().store(fifo.len(), Relaxed);
//!         Some(fifo.start(rq))
//!     }
//!
//!     fn has_work(elv: &Elevator<Self>, _hctx: &HwCtx) -> bool {
//!         elv.data().load(Relaxed) != 0
//!     }
//!
//!     fn finish_request(_elv: &Elevator<Self>, _rq: &Request) {}
//! }
//! ```

mod attrs;
mod bio;
mod debugfs;
mod fifo;
mod icq;
mod instance;
mod ioprio;
mod list;
mod merge;
mod operations;
mod owned;
mod queue;
mod registration;
mod request;
mod timer;
mod vtable;

pub use self::{
    attrs::{
        attributes,
        Attribute,
        Attributes,
        Page, //
    },
    bio::{
        Bio,
        Merged,
        Submission, //
    },
    debugfs::DebugfsAttribute,
    fifo::RequestFifo,
    icq::Icq,
    instance::{
        Elevator,
        Guard,
        Held, //
    },
    ioprio::{
        Ioprio,
        IoprioClass, //
    },
    list::RequestList,
    merge::Merge,
    operations::Operations,
    owned::{
        Dispatched,
        Incoming,
        Queued, //
    },
    queue::{
        AllocData,
        Direct,
        FrozenQueue,
        HwCtx,
        RequestQueue, //
    },
    registration::Registration,
    request::{
        Op,
        Opf,
        Request, //
    }, //
};

/// Returns the current time of the block layer: nanoseconds of the monotonic clock.
///
/// While the current task has a plug, the time is that of its first use.
#[inline]
pub fn now() -> u64 {
    // SAFETY: May be called in any context.
    unsafe { crate::bindings::blk_time_get_ns() }
}
