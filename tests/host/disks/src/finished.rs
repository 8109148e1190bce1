// SPDX-License-Identifier: GPL-2.0

//! Commands whose end is known and lies ahead.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Ends of commands, the earliest first, in order of decision where they coincide.
#[derive(Debug, Default)]
pub(crate) struct Finished {
    heap: BinaryHeap<Reverse<(u64, u64, u64)>>,
    count: u64,
}

impl Finished {
    /// Notes that a command ends at `when`.
    pub(crate) fn push(&mut self, when: u64, id: u64) {
        self.count += 1;
        self.heap.push(Reverse((when, self.count, id)));
    }

    /// Returns the next end.
    pub(crate) fn next(&self) -> Option<u64> {
        self.heap.peek().map(|Reverse(entry)| entry.0)
    }

    /// Takes a command that has ended by `now`.
    pub(crate) fn pop(&mut self, now: u64) -> Option<u64> {
        if self.next()? > now {
            return None;
        }
        self.heap.pop().map(|Reverse(entry)| entry.2)
    }
}
