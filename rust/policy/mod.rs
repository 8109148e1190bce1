// SPDX-License-Identifier: GPL-2.0

//! The policy: which request goes to the device next, and when to let the device wait.
//!
//! Pure: it names only `core`, has no clock, allocates nothing and cannot panic. Events go in with
//! the time at which they happened, decisions come out; the same events give the same decisions.
//! All state sits behind one `&mut` [`Scheduler`], so the caller's one lock is the only lock.
//!
//! # Vocabulary
//!
//! - A *request* is *queued*, then *dispatched* to the driver, then *completed*. It may be
//!   *requeued* (the driver gave it back), *absorbed* by a neighbour, or *cancelled*.
//! - A *queue* holds the sync requests of one process, or the async requests of one class and
//!   level. It is *busy* while it is on a service tree.
//! - A *service tree* orders the queues of one class and kind by *key*: the instant that a queue is
//!   put off to. A *workload* is a run of slices on one service tree.
//! - The *active* queue owns the device for a *slice*; the clock of the slice starts with the first
//!   completion. *Expiring* it puts it back, with a *residual* for time unused or overdrawn.
//! - A queue that ran dry may *idle*: the device waits a moment for its next request, since that
//!   is likely to be near, and the *think time* says how likely it is to come soon.
//! - Queues that read the same area *cooperate*: their processes move to one of them. What others
//!   wait for (an fsync, the journal, metadata) *interrupts* a reader, against a *credit*.
//! - On *flash* (`slice_idle` is 0) nothing waits: a turn ends after a *quota* of requests.
//! - *Refusing*: requests are queued, and dispatch says no. A *kick* is the answer of an event that
//!   ends the refusal; the caller runs the hardware queues then. Nothing relies on being polled.
//!
//! # States of the active queue
//!
//! ```text
//!                    choose              first completion
//!   +-----------+  (activate)   +-------+               +---------+
//!   | no active | ------------> |  new  | ------------> | running | <-------------+
//!   |   queue   |               +-------+               +---------+               |
//!   +-----------+                   |                    |       | last one done,  | request
//!        ^                          | preempted,         |       | worth waiting   | comes
//!        |                          | ran dry,           |       v                 | (kick)
//!        |                          | owner exits        |   +---------+           |
//!        |                          v                    |   | waiting | ----------+
//!        |  residual, charge   +---------+  slice used,  |   +---------+
//!        +-------------------- | expired | <-------------+        |
//!                              +---------+                        |
//!                                   ^   timer, preempted, exits   |
//!                                   +-----------------------------+
//! ```
//!
//! In *waiting* the device may be empty while other queues are busy; `poll_at` then tells when that
//! ends. Requests inserted at the head pass by all of this.
//!
//! # Rooms
//!
//! Structures: [`time`], [`id`], `slab`, `list`, `tree`, [`memory`]. What is scheduled:
//! [`request`], [`queue`], [`process`], `group`, `service`, `near`. Decisions: `choice`,
//! `workload`, `select`, `flash`, `passing`, `precedence`,
//! `parts`, `async_share`, `give`, `slice`, `idle`, `preempt`, `yielding`, `cooperate`.
//! Events: `insert`, `merge`, `finish`. Numbers: [`ioprio`], `weight`, `think`, `seek`, `measure`,
//! [`tunables`], [`stats`]. Surface: [`scheduler`].
//!
//! Source: the behaviour of CFQ; comments name its parts. Deviations are called "ours".

// The kernel's test macro generates unsafe code, so test builds cannot forbid it.
#![cfg_attr(not(CONFIG_RCFQ_KUNIT_TEST), forbid(unsafe_code))]

mod async_share;
mod check;
mod choice;
mod cooperate;
mod finish;
mod flash;
mod give;
mod group;
pub mod id;
mod idle;
mod insert;
pub mod ioprio;
mod kick;
mod list;
mod measure;
pub mod memory;
mod merge;
mod near;
mod parts;
mod passing;
mod precedence;
mod preempt;
pub mod process;
pub mod queue;
pub mod request;
pub mod scheduler;
mod seek;
mod select;
mod service;
mod slab;
mod slice;
pub mod stats;
#[cfg(any(test, CONFIG_RCFQ_KUNIT_TEST))]
mod testing;
mod think;
pub mod time;
mod tree;
mod tree_check;
mod tree_search;
pub mod tunables;
mod weight;
mod workload;
mod yielding;

pub use self::id::{
    ProcessId,
    RqId, //
};
pub use self::ioprio::{
    Class,
    Ioprio,
    Level, //
};
pub use self::memory::{
    Memory,
    ProcessSlot,
    QueueSlot,
    RequestSlot,
    SHARED_QUEUES, //
};
pub use self::request::{
    Arrival,
    Disk,
    Owner,
    Payload,
    Sector, //
};
pub use self::scheduler::{
    Decision,
    Kick,
    Scheduler, //
};
pub use self::slab::Slot;
pub use self::stats::Stats;
pub use self::time::{
    Span,
    Time, //
};
pub use self::tunables::{
    Knob,
    KnobInfo,
    Refused,
    Tunables,
    Unit,
    View,
    KNOBS, //
};
