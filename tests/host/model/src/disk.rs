// SPDX-License-Identifier: GPL-2.0

//! How long a disk takes.

use std::collections::VecDeque;

/// The nature of a disk.
#[derive(Clone, Copy, Debug)]
pub enum Timing {
    /// One request at a time, in the order received; any jump costs a seek.
    Seeking {
        /// Nanoseconds for a jump of whatever length.
        jump: u64,
        /// Nanoseconds for each sector.
        sector: u64,
    },
    /// So many requests at once, each taking the same time.
    Parallel {
        /// Nanoseconds for a request.
        request: u64,
        /// How many at once.
        ways: usize,
    },
}

impl Timing {
    /// A common disk of 7200 rpm.
    pub const SATA: Timing = Timing::Seeking {
        jump: 8_000_000,
        sector: 3_300,
    };

    /// A common flash disk.
    pub const FLASH: Timing = Timing::Parallel {
        request: 80_000,
        ways: 8,
    };
}

/// A request on its way through the disk.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Job {
    pub(crate) rq: u64,
    pub(crate) position: u64,
    pub(crate) sectors: u32,
}

/// A disk with a queue of its own.
#[derive(Debug)]
pub(crate) struct Disk {
    timing: Timing,
    depth: usize,
    head: u64,
    waiting: VecDeque<Job>,
    running: usize,
    busy_ns: u64,
}

impl Disk {
    pub(crate) fn new(timing: Timing, depth: usize) -> Self {
        Disk {
            timing,
            depth,
            head: 0,
            waiting: VecDeque::new(),
            running: 0,
            busy_ns: 0,
        }
    }

    /// Returns whether one more request fits in.
    pub(crate) fn has_room(&self) -> bool {
        self.waiting.len() + self.running < self.depth
    }

    /// Returns whether the disk has nothing to do.
    pub(crate) fn is_idle(&self) -> bool {
        self.running == 0 && self.waiting.is_empty()
    }

    /// Returns the time spent on requests so far.
    pub(crate) fn busy_ns(&self) -> u64 {
        self.busy_ns
    }

    /// Takes a request.
    pub(crate) fn submit(&mut self, job: Job) {
        self.waiting.push_back(job);
    }

    /// Starts the next request, if one may start: the request, and how long it takes.
    pub(crate) fn start(&mut self) -> Option<(Job, u64)> {
        let ways = match self.timing {
            Timing::Seeking { .. } => 1,
            Timing::Parallel { ways, .. } => ways,
        };
        if self.running >= ways {
            return None;
        }
        let job = self.waiting.pop_front()?;
        self.running += 1;
        let time = match self.timing {
            Timing::Seeking { jump, sector } => {
                let seek = if job.position == self.head { 0 } else { jump };
                seek + u64::from(job.sectors) * sector
            }
            Timing::Parallel { request, .. } => request,
        };
        self.head = job.position + u64::from(job.sectors);
        self.busy_ns += time;
        Some((job, time))
    }

    /// Ends a request.
    pub(crate) fn end(&mut self) {
        self.running -= 1;
    }
}
