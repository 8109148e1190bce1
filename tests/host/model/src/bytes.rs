// SPDX-License-Identifier: GPL-2.0

//! Events from bytes, so that a fuzzer can invent and mutate them.
//!
//! Any bytes are some sequence of events. A change of this reading makes the stored corpus mean
//! something else: it stays valid, but worth less.

use super::op::{
    Op,
    Whose,
    TASKS, //
};
use super::world::World;

/// Reads numbers from bytes until they run out.
struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*first)
    }

    fn number(&mut self, bytes: usize) -> Option<u64> {
        (0..bytes).try_fold(0, |value, _| Some((value << 8) | u64::from(self.byte()?)))
    }

    fn index(&mut self) -> Option<usize> {
        self.byte().map(usize::from)
    }

    /// Small numbers matter most, but the largest ones must come too: a byte, shifted.
    fn wide(&mut self, bits: u32) -> Option<u64> {
        let (value, shift) = (u64::from(self.byte()?), u32::from(self.byte()?));
        Some(value.rotate_left(shift % bits) & (u64::MAX >> (64 - bits)))
    }

    fn insert(&mut self) -> Option<Op> {
        let (who, flags, ioprio) = (self.index()?, self.byte()?, self.byte()?);
        Some(Op::Insert {
            whose: match who % (TASKS + 1) {
                TASKS => Whose::Name(self.number(8)?),
                task => Whose::Task(task),
            },
            sync: flags & 1 != 0,
            write: flags & 2 != 0,
            prio: flags & 4 != 0,
            head: flags & 0x38 == 0x38,
            ioprio: (ioprio % 3, ioprio / 3 % 8),
            // Near places for merging, or any place at all.
            place: if flags & 0x40 == 0 {
                self.number(1)? * 8
            } else {
                self.wide(64)?
            },
            sectors: if flags & 0x80 == 0 {
                u32::from(self.byte()?)
            } else {
                self.wide(32)? as u32
            },
        })
    }

    fn op(&mut self) -> Option<Op> {
        Some(match self.byte()? % 40 {
            0..=9 => self.insert()?,
            10..=16 => Op::Dispatch(self.byte()? % 4 + 1),
            17..=22 => Op::Complete(self.index()?),
            23 => Op::Requeue(self.index()?),
            24 => Op::Reinsert(self.index()?),
            25 => Op::Cancel(self.index()?),
            26 => Op::Absorb(self.index()?, self.index()?),
            27 => Op::Front(self.index()?, self.wide(32)? as u32),
            28 => Op::Back(self.index()?, self.wide(32)? as u32),
            29 => Op::Probe(self.index()? % TASKS, self.number(1)? * 8),
            30 => Op::Exit(self.index()? % TASKS),
            31 => Op::Timer,
            32 => Op::Pass,
            33 => Op::Advance(self.number(1)? as u32),
            34 => Op::Advance(self.number(2)? as u32),
            35 => Op::Advance(self.wide(32)? as u32),
            36 => Op::StepBack(self.wide(32)? as u32),
            37 => Op::Store(self.index()?, self.byte()? & 1 != 0, self.wide(64)?),
            38 => Op::Grow,
            _ => Op::Stale(self.number(8)?),
        })
    }
}

/// Lets the events that `bytes` stand for happen in a new world, and serves what is left.
///
/// # Panics
///
/// If the policy breaks a promise.
pub fn play(bytes: &[u8]) {
    let mut reader = Reader(bytes);
    let Some((disk, room)) = reader.byte().zip(reader.byte()) else {
        return;
    };
    let depth = [1, 4, 5, 32][usize::from(disk >> 1) % 4];
    let (requests, processes) = (usize::from(room >> 3) + 1, usize::from(room & 7));
    // At least the fallback queue; at most one for everybody.
    let queues = usize::from(disk >> 3) + 1;
    let mut world = World::with_room(disk & 1 != 0, depth, requests, processes, queues);
    while let Some(op) = reader.op() {
        world.apply(&op);
    }
    world.drain();
}
