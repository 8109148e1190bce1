// SPDX-License-Identifier: GPL-2.0

//! The memory that the caller lends: three slices of slots, allocated before any lock is taken.
//!
//! The policy never allocates and never frees. Any triple of things that dereference to slices
//! will do: kernel vectors, `Vec`s on the host, borrowed arrays in unit tests. Source: ours.

use super::process::Process;
use super::queue::Queue;
use super::request::Request;
use super::slab::Slot;
use core::ops::DerefMut;

/// Room for one request; the caller lends one per scheduler tag.
pub type RequestSlot<R> = Slot<Request<R>>;

/// Room for one process record.
pub type ProcessSlot = Slot<Process>;

/// Room for one queue. Lend one per process record, and [`SHARED_QUEUES`] more.
pub type QueueSlot = Slot<Queue>;

/// Queues that belong to no process: async ones of RT and BE by level, one of IDLE, the fallback.
pub const SHARED_QUEUES: u32 = 18;

/// The lent slices.
pub trait Memory<R> {
    /// Slots for requests.
    type Requests: DerefMut<Target = [RequestSlot<R>]>;
    /// Slots for process records.
    type Processes: DerefMut<Target = [ProcessSlot]>;
    /// Slots for queues.
    type Queues: DerefMut<Target = [QueueSlot]>;

    /// Hands the three slices over.
    fn split(self) -> (Self::Requests, Self::Processes, Self::Queues);
}

impl<R, A, B, C> Memory<R> for (A, B, C)
where
    A: DerefMut<Target = [RequestSlot<R>]>,
    B: DerefMut<Target = [ProcessSlot]>,
    C: DerefMut<Target = [QueueSlot]>,
{
    type Requests = A;
    type Processes = B;
    type Queues = C;

    fn split(self) -> (A, B, C) {
        self
    }
}
