// SPDX-License-Identifier: GPL-2.0

//! Memory for the policy, from the heap.

use rcfq_policy::policy::{
    ProcessSlot,
    QueueSlot,
    RequestSlot, //
};

/// What is lent to a scheduler whose requests are known by number.
pub type Lent = (
    Vec<RequestSlot<u64>>,
    Vec<ProcessSlot>,
    Vec<QueueSlot>, //
);

/// Allocates room for so many requests, processes and queues.
pub fn lent(requests: usize, processes: usize, queues: usize) -> Lent {
    (
        std::iter::repeat_with(RequestSlot::new)
            .take(requests)
            .collect(),
        std::iter::repeat_with(ProcessSlot::new)
            .take(processes)
            .collect(),
        std::iter::repeat_with(QueueSlot::new)
            .take(queues)
            .collect(),
    )
}
