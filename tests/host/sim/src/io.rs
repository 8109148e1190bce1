// SPDX-License-Identifier: GPL-2.0

//! What a process asks of the block layer.

use rcfq_disks::Op;
use rcfq_policy::policy::Ioprio;

/// One request, as its process makes it.
#[derive(Clone, Copy, Debug)]
pub struct Io {
    /// What to do.
    pub op: Op,
    /// First sector.
    pub sector: u64,
    /// Length in sectors.
    pub sectors: u32,
    /// Whether somebody waits for it.
    pub sync: bool,
    /// Whether more of the kind is announced.
    pub idle_hint: bool,
    /// Whether it is metadata.
    pub prio: bool,
    /// Whether it goes before all others: the write between two flushes.
    pub head: bool,
    /// Given back with the completion.
    pub tag: u64,
}

impl Io {
    /// A read that its process waits for.
    pub fn read(sector: u64, sectors: u32) -> Self {
        Io {
            op: Op::Read,
            sector,
            sectors,
            sync: true,
            idle_hint: false,
            prio: false,
            head: false,
            tag: 0,
        }
    }

    /// A write that its process waits for, as `fsync` makes it.
    pub fn write(sector: u64, sectors: u32) -> Self {
        Io {
            op: Op::Write,
            ..Io::read(sector, sectors)
        }
    }

    /// A flush of the device's cache.
    pub fn flush() -> Self {
        Io {
            op: Op::Flush,
            ..Io::read(0, 0)
        }
    }

    /// Returns the number of bytes.
    pub fn bytes(&self) -> u64 {
        u64::from(self.sectors) * 512
    }
}

/// A request at the elevator.
#[derive(Clone, Copy, Debug)]
pub struct Rq {
    /// Its number, small and used again.
    pub id: usize,
    /// The process that made it.
    pub task: usize,
    /// The priority of that process.
    pub ioprio: Ioprio,
    /// What it asks for.
    pub io: Io,
}
