// SPDX-License-Identifier: GPL-2.0

//! A plain elevator with deadlines, by the rules that mq-deadline documents.
//!
//! Requests go upwards in batches of one direction. A batch is over after 16 requests or at the
//! end. The next one is of reads, unless writes had to stand back twice already, and starts with
//! the oldest request if that is late. Priorities are not taken into account.

use super::Elevator;
use crate::io::Rq;
use rcfq_disks::Op;
use std::collections::{
    BTreeMap,
    VecDeque, //
};

const BATCH: u32 = 16;
const STAND_BACK: u32 = 2;
const READ_EXPIRE: u64 = 500_000_000;
const WRITE_EXPIRE: u64 = 5_000_000_000;

/// The requests of one direction.
#[derive(Debug, Default)]
struct Side {
    /// By position; requests at the same one in order of arrival.
    sorted: BTreeMap<(u64, u64), usize>,
    /// By age: number, deadline, position, request.
    fifo: BTreeMap<u64, (u64, u64)>,
}

impl Side {
    fn is_empty(&self) -> bool {
        self.sorted.is_empty()
    }

    /// Returns the key of the next request upwards.
    fn upwards(&self, from: u64) -> Option<(u64, u64)> {
        self.sorted.range((from, 0)..).next().map(|(key, _)| *key)
    }

    /// Returns the key of the request with which a batch starts.
    fn first(&self, now: u64, from: u64) -> Option<(u64, u64)> {
        let (&number, &(deadline, sector)) = self.fifo.first_key_value()?;
        let oldest = (sector, number);
        if deadline <= now {
            return Some(oldest);
        }
        Some(self.upwards(from).unwrap_or(oldest))
    }

    fn take(&mut self, key: (u64, u64)) -> Option<usize> {
        self.fifo.remove(&key.1);
        self.sorted.remove(&key)
    }
}

/// The elevator.
#[derive(Debug, Default)]
pub struct Deadline {
    head: VecDeque<usize>,
    /// Reads, then writes.
    sides: [Side; 2],
    /// Position behind the last request of each side.
    behind: [u64; 2],
    ends: BTreeMap<usize, u64>,
    side: usize,
    batch: u32,
    stood_back: u32,
    number: u64,
}

impl Deadline {
    /// Starts a batch: its side and first request.
    fn turn(&mut self, now: u64) -> Option<(u64, u64)> {
        let [reads, writes] = [0, 1].map(|side: usize| !self.sides[side].is_empty());
        if reads && !(writes && self.stood_back >= STAND_BACK) {
            self.side = 0;
            self.stood_back += u32::from(writes);
        } else if writes {
            self.side = 1;
            self.stood_back = 0;
        }
        self.batch = 0;
        self.sides[self.side].first(now, self.behind[self.side])
    }
}

impl Elevator for Deadline {
    fn insert(&mut self, now: u64, rq: &Rq) -> bool {
        if rq.io.head {
            self.head.push_back(rq.id);
            return true;
        }
        let side = usize::from(rq.io.op != Op::Read);
        self.number += 1;
        let expire = [READ_EXPIRE, WRITE_EXPIRE][side];
        let key = (rq.io.sector, self.number);
        self.sides[side].sorted.insert(key, rq.id);
        self.sides[side]
            .fifo
            .insert(self.number, (now + expire, rq.io.sector));
        self.ends
            .insert(rq.id, rq.io.sector + u64::from(rq.io.sectors));
        true
    }

    fn dispatch(&mut self, now: u64) -> Option<usize> {
        if let Some(id) = self.head.pop_front() {
            return Some(id);
        }
        let next = self.sides[self.side].upwards(self.behind[self.side]);
        let key = match next.filter(|_| self.batch < BATCH) {
            Some(key) => key,
            None => self.turn(now)?,
        };
        self.batch += 1;
        let id = self.sides[self.side].take(key)?;
        if let Some(end) = self.ends.remove(&id) {
            self.behind[self.side] = end;
        }
        Some(id)
    }

    fn queued(&self) -> usize {
        self.head.len()
            + self
                .sides
                .iter()
                .map(|side| side.sorted.len())
                .sum::<usize>()
    }

    fn check(&self) -> Result<(), String> {
        if self
            .sides
            .iter()
            .any(|side| side.sorted.len() != side.fifo.len())
        {
            return Err("every request is in both orders".into());
        }
        Ok(())
    }
}
