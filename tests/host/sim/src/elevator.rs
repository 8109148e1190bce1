// SPDX-License-Identifier: GPL-2.0

//! What the machine asks a scheduler, and the schedulers that can be compared.

pub mod deadline;
pub mod noop;
pub mod rcfq;

use crate::io::Rq;
use rcfq_disks::Traits;
use rcfq_policy::policy::Tunables;
use std::fmt::Debug;

/// A scheduler. Where an event returns true, the hardware queue has to be run.
///
/// By default it never waits: no event but an insertion matters to it.
pub trait Elevator: Debug {
    /// Takes a request.
    fn insert(&mut self, now: u64, rq: &Rq) -> bool;

    /// Gives the number of the next request, or none for now.
    fn dispatch(&mut self, now: u64) -> Option<usize>;

    /// Notes that the device is done with a request.
    fn complete(&mut self, _now: u64, _id: usize) -> bool {
        false
    }

    /// Notes that a process has gone.
    fn exit(&mut self, _now: u64, _task: usize) -> bool {
        false
    }

    /// The time of [`poll_at`](Self::poll_at) has come.
    fn timer(&mut self, _now: u64) -> bool {
        false
    }

    /// When it wants to be woken.
    fn poll_at(&self) -> Option<u64> {
        None
    }

    /// Whether it is worth asking for a request.
    fn has_work(&self) -> bool {
        self.queued() > 0
    }

    /// Number of requests that it holds.
    fn queued(&self) -> usize;

    /// Checks its invariants.
    ///
    /// # Errors
    ///
    /// Tells which one is broken.
    fn check(&self) -> Result<(), String> {
        Ok(())
    }

    /// Counters worth showing.
    fn counters(&self) -> Vec<(&'static str, u64)> {
        Vec::new()
    }
}

/// A scheduler that can be chosen.
#[derive(Clone, Copy, Debug)]
pub struct Kind {
    /// Its name.
    pub name: &'static str,
    /// What it is, in a line.
    pub about: &'static str,
}

/// The schedulers.
pub const KINDS: [Kind; 3] = [
    Kind {
        name: "rcfq",
        about: "the policy under test",
    },
    Kind {
        name: "deadline",
        about: "sorted batches of 16, expiry 500 ms and 5 s, as mq-deadline by default",
    },
    Kind {
        name: "noop",
        about: "first come, first served",
    },
];

/// Makes a scheduler by name; only rcfq has tunables.
pub fn named(name: &str, traits: Traits, tunables: &Tunables) -> Option<Box<dyn Elevator>> {
    match name {
        "rcfq" => Some(Box::new(rcfq::Rcfq::new(traits, tunables.clone()))),
        "deadline" => Some(Box::new(deadline::Deadline::default())),
        "noop" => Some(Box::new(noop::Noop::default())),
        _ => None,
    }
}
