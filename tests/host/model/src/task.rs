// SPDX-License-Identifier: GPL-2.0

//! What tasks do: a loop of "read (or write) here, think, go on".

use rcfq_policy::policy::{
    Ioprio,
    ProcessId, //
};

/// Where the next request goes.
#[derive(Clone, Copy, Debug)]
pub enum Pattern {
    /// Right behind the last one, from the start on.
    Sequential,
    /// Anywhere in so many sectors from the start on.
    Random(u64),
}

/// A task and what became of it.
#[derive(Clone, Debug)]
pub struct Task {
    /// Where it works.
    pub start: u64,
    /// How it goes on.
    pub pattern: Pattern,
    /// Length of each request.
    pub sectors: u32,
    /// Requests kept going at once.
    pub depth: u32,
    /// Nanoseconds from a completion to the next request.
    pub think: u64,
    /// Whether it writes.
    pub write: bool,
    /// Whether it waits for its requests.
    pub sync: bool,
    /// Whether they are metadata.
    pub prio: bool,
    /// Its priority.
    pub ioprio: Ioprio,
    /// How many requests it makes in all.
    pub total: u64,
    /// Requests made.
    pub made: u64,
    /// Requests completed.
    pub done: u64,
    /// Longest time from making a request to its completion.
    pub worst: u64,
    /// Its record at the scheduler.
    pub process: ProcessId,
    /// Where its random sequence is; not 0.
    pub seed: u64,
}

impl Task {
    /// A task that reads one sequential stream of large requests, one at a time, without end.
    pub fn reader(start: u64) -> Self {
        Task {
            start,
            pattern: Pattern::Sequential,
            sectors: 256,
            depth: 1,
            think: 20_000,
            write: false,
            sync: true,
            prio: false,
            ioprio: Ioprio::NORM,
            total: u64::MAX,
            made: 0,
            done: 0,
            worst: 0,
            process: ProcessId::NONE,
            seed: start | 1,
        }
    }

    /// A task that writes a sequential stream in the background, many requests at a time.
    pub fn writeback(start: u64) -> Self {
        Task {
            depth: 32,
            think: 1_000,
            write: true,
            sync: false,
            ..Task::reader(start)
        }
    }

    /// A task that reads small pieces anywhere in the 10 GiB from its start.
    pub fn seeker(start: u64) -> Self {
        Task {
            pattern: Pattern::Random(20 << 20),
            sectors: 8,
            ..Task::reader(start)
        }
    }

    /// Returns the number of bytes moved.
    pub fn bytes(&self) -> u64 {
        self.done * u64::from(self.sectors) * 512
    }

    /// Returns the position of the next request and steps on.
    pub(crate) fn step(&mut self) -> u64 {
        let made = self.made;
        self.made += 1;
        match self.pattern {
            Pattern::Sequential => self.start + made * u64::from(self.sectors),
            Pattern::Random(span) => {
                // Xorshift: a fixed sequence for each start.
                self.seed ^= self.seed << 13;
                self.seed ^= self.seed >> 7;
                self.seed ^= self.seed << 17;
                self.start + self.seed % span / 8 * 8
            }
        }
    }
}
