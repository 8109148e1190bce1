// SPDX-License-Identifier: GPL-2.0

//! What all models have in common: commands in, completions out.

use std::fmt::Debug;

/// What a command does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    /// Reads.
    Read,
    /// Writes; may be acknowledged from a cache.
    Write,
    /// Writes and is done when the medium has it.
    WriteThrough,
    /// Is done when the medium has all that was acknowledged before. Position without meaning.
    Flush,
}

/// A command of the host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Command {
    /// Chosen by the host; given back when the command is done.
    pub id: u64,
    /// What to do.
    pub op: Op,
    /// First sector.
    pub sector: u64,
    /// Length in sectors.
    pub sectors: u32,
}

impl Command {
    /// Returns the sector behind the last one.
    pub fn end(&self) -> u64 {
        self.sector + u64::from(self.sectors)
    }

    /// Returns the number of bytes moved.
    pub fn bytes(&self) -> u64 {
        u64::from(self.sectors) * 512
    }
}

/// The device holds as many commands as it can.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Full;

/// What a host knows about a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Traits {
    /// Whether it says that it rotates.
    pub rotational: bool,
    /// Whether writes are lost without a flush.
    pub write_cache: bool,
    /// Commands that it takes at once.
    pub depth: u32,
    /// Size in sectors.
    pub sectors: u64,
}

/// A disk.
pub trait Device: Debug + Send {
    /// Returns what the host knows about it.
    fn traits(&self) -> Traits;

    /// Hands a command over at `now`, which never goes back from call to call.
    ///
    /// # Errors
    ///
    /// [`Full`]: nothing happened; try again after the next completion.
    fn submit(&mut self, now: u64, command: Command) -> Result<(), Full>;

    /// Returns when to call [`advance`](Self::advance) next; `None` while nothing is to be done.
    fn next_event(&self) -> Option<u64>;

    /// Lets time pass until `now` and adds the commands that are done to `done`, in their order.
    fn advance(&mut self, now: u64, done: &mut Vec<u64>);
}
