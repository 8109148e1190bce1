// SPDX-License-Identifier: GPL-2.0

//! The memory that the policy works in, allocated before the queue is frozen.

use crate::elevator::Queued;
use crate::policy::{
    ProcessSlot,
    QueueSlot,
    RequestSlot,
    SHARED_QUEUES, //
};
use kernel::prelude::*;

/// Process records of a device, at least.
///
/// More processes than that may do I/O; the least recently used record makes room, and its process
/// starts anew with an unknown think time. 1024 records are about 200 KiB.
const PROCESSES_MIN: u32 = 1024;

/// Process records of a device, at most, whatever its number of scheduler tags.
const PROCESSES_MAX: u32 = 4096;

/// Slots for requests, one for each scheduler tag.
pub(super) type Requests = KVVec<RequestSlot<Queued>>;

/// The slots of a device.
pub(super) type Slots = (Requests, KVVec<ProcessSlot>, KVVec<QueueSlot>);

fn slots<T: Default>(count: u32) -> Result<KVVec<T>> {
    // CAST: `usize` has 64 bits (`Kconfig`).
    let count = count as usize;
    let mut slots = KVVec::with_capacity(count, GFP_KERNEL)?;
    for _ in 0..count {
        slots.push(T::default(), GFP_KERNEL)?;
    }
    Ok(slots)
}

/// Allocates slots for `tags` requests. May sleep.
///
/// # Errors
///
/// `ENOMEM`.
pub(super) fn requests(tags: u32) -> Result<Requests> {
    slots(tags)
}

/// Allocates all slots of a device with `tags` scheduler tags. May sleep.
///
/// A process needs its record as long as it has requests, so with twice as many records as tags at
/// least half of them can be taken for somebody else.
///
/// # Errors
///
/// `ENOMEM`.
pub(super) fn device(tags: u32) -> Result<Slots> {
    let processes = tags.saturating_mul(2).clamp(PROCESSES_MIN, PROCESSES_MAX);
    Ok((
        requests(tags)?,
        slots(processes)?,
        slots(processes.saturating_add(SHARED_QUEUES))?,
    ))
}
