// SPDX-License-Identifier: GPL-2.0

//! What is counted for each process.

/// The counts of a process, or of several.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tally {
    /// Bytes moved.
    pub bytes: u64,
    /// Requests completed.
    pub ios: u64,
    /// Time between completions of it without another's in between: the device was its own.
    pub held_ns: u64,
    /// The longest time from one completion to the next, or from or to the end of a run.
    pub gap_ns: u64,
    /// The last completion.
    pub last_ns: u64,
    /// The longest time from making a request to its end, or until now.
    pub worst_ns: u64,
    /// Times of what its user waits for.
    pub operations: Vec<u64>,
}

impl Tally {
    /// Adds another one's counts.
    pub fn add(&mut self, other: &Tally) {
        self.bytes += other.bytes;
        self.ios += other.ios;
        self.held_ns += other.held_ns;
        self.worst_ns = self.worst_ns.max(other.worst_ns);
        self.gap_ns = self.gap_ns.max(other.gap_ns);
        self.last_ns = self.last_ns.max(other.last_ns);
        self.operations.extend_from_slice(&other.operations);
    }

    /// Notes a request that was made at `born` and is done.
    pub fn done(&mut self, now: u64, born: u64, bytes: u64) {
        self.ios += 1;
        self.bytes += bytes;
        self.worst_ns = self.worst_ns.max(now - born);
        self.gap_ns = self.gap_ns.max(now - self.last_ns);
        self.last_ns = now;
    }

    /// Notes a request that was made at `born` and is not done when a run ends.
    pub fn left(&mut self, now: u64, born: u64) {
        self.worst_ns = self.worst_ns.max(now - born);
        self.gap_ns = self.gap_ns.max(now - self.last_ns);
    }

    /// Returns mean, 99th percentile and maximum of the operations, in milliseconds.
    pub fn latency(&self) -> Option<[f64; 3]> {
        let mut sorted = self.operations.clone();
        sorted.sort_unstable();
        let count = sorted.len();
        let max = *sorted.last()?;
        let late = sorted[(count * 99 / 100).min(count - 1)];
        let sum: u128 = sorted.iter().map(|&time| u128::from(time)).sum();
        let mean = sum as f64 / count as f64;
        Some([mean / 1e6, late as f64 / 1e6, max as f64 / 1e6])
    }
}
