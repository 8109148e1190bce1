// SPDX-License-Identifier: GPL-2.0

//! A spinning disk: one arm, command queueing, read-ahead, a write cache.
//!
//! - A read that the cache holds costs the command and the transfer. Whatever the arm has read
//!   last, it reads on from there until there is something else to do.
//! - Of the commands that need the arm the one that it reaches first is next, unless one has
//!   waited for too long.
//! - Writes are acknowledged while the write cache has room. They go to the medium upwards from the
//!   arm's position, a nearby one first, after a rest without reads; and in turn with reads when
//!   the cache is nearly full.
//! - A flush is a barrier, as in SATA: it waits for all before it, and all after it wait.

use crate::ahead::{
    Ahead,
    Meeting, //
};
use crate::device::{
    Command,
    Device,
    Full,
    Op,
    Traits, //
};
use crate::dirty::Dirty;
use crate::finished::Finished;
use crate::geometry::{
    Geometry,
    Shape, //
};
use std::collections::VecDeque;

/// Extents of the write cache among which the nearest is chosen.
const NEXT_EXTENTS: usize = 4;

/// Most sectors written from the cache in one go.
const WRITE_RUN: u64 = 4096;

/// The figures of a spinning disk.
#[derive(Clone, Copy, Debug)]
pub struct Config {
    /// Its mechanics.
    pub shape: Shape,
    /// Commands taken at once; 1 is a disk without command queueing.
    pub depth: u32,
    /// What every command takes besides arm and link.
    pub command_ns: u64,
    /// Bytes a second between host and cache.
    pub link_rate: u64,
    /// Segments of the read cache.
    pub segments: usize,
    /// Sectors of each.
    pub segment_sectors: u64,
    /// Sectors that the arm reads ahead of a stream, whoever else waits.
    pub stay_sectors: u64,
    /// Sectors of the write cache; 0 for none.
    pub write_cache_sectors: u64,
    /// For how long nobody must have read before writes are taken to the medium.
    pub write_rest_ns: u64,
    /// A command that has waited for so long is next.
    pub age_limit_ns: u64,
}

/// A command that waits for the arm.
#[derive(Clone, Copy, Debug)]
struct Waiting {
    command: Command,
    since: u64,
}

/// A spinning disk.
#[derive(Debug)]
pub struct Spinning {
    config: Config,
    geometry: Geometry,
    ahead: Ahead,
    dirty: Dirty,
    /// Sectors on their way from the write cache to the medium.
    writing: u64,
    /// Whether the last thing that the arm did was to write from the cache.
    wrote: bool,
    waiting: Vec<Waiting>,
    /// Writes that found the cache full.
    stalled: VecDeque<Command>,
    flush: Option<u64>,
    /// Commands behind the flush.
    held: VecDeque<Command>,
    finished: Finished,
    inside: u32,
    arm_free: u64,
    arm_at: u64,
    link_free: u64,
    last_read: Option<u64>,
}

impl Spinning {
    /// Makes a disk at rest, its caches empty.
    pub fn new(config: Config) -> Self {
        Spinning {
            geometry: Geometry::new(config.shape),
            ahead: Ahead::new(config.segments, config.segment_sectors),
            dirty: Dirty::default(),
            writing: 0,
            wrote: false,
            waiting: Vec::new(),
            stalled: VecDeque::new(),
            flush: None,
            held: VecDeque::new(),
            finished: Finished::default(),
            inside: 0,
            arm_free: 0,
            arm_at: 0,
            link_free: 0,
            last_read: None,
            config,
        }
    }

    /// Returns the layout.
    pub fn geometry(&self) -> &Geometry {
        &self.geometry
    }

    /// Ends a command whose data is there for the link at `ready`, having come at `now`.
    fn transfer(&mut self, now: u64, ready: u64, command: &Command) {
        let whole = command.bytes() * 1_000_000_000 / self.config.link_rate;
        // Data that comes from the medium has been passed on but for the last page.
        let tail = command.bytes().min(4096) * 1_000_000_000 / self.config.link_rate;
        let end = (now.max(self.link_free) + whole).max(ready + tail);
        self.link_free = end;
        self.finished.push(end + self.config.command_ns, command.id);
    }

    /// Takes a command in.
    fn admit(&mut self, now: u64, command: Command) {
        match command.op {
            _ if self.flush.is_some() => self.held.push_back(command),
            Op::Flush => self.flush = Some(command.id),
            Op::Write if self.config.write_cache_sectors > 0 => self.cache(now, command),
            Op::Write | Op::WriteThrough => self.wait(now, command),
            Op::Read => {
                self.last_read = Some(now);
                if !self.read_cached(now, &command) {
                    self.wait(now, command);
                }
            }
        }
    }

    fn wait(&mut self, now: u64, command: Command) {
        self.waiting.push(Waiting {
            command,
            since: now,
        });
    }

    fn cache_room(&self) -> u64 {
        let used = self.dirty.sectors() + self.writing;
        self.config.write_cache_sectors.saturating_sub(used)
    }

    fn cache(&mut self, now: u64, command: Command) {
        let empty = self.dirty.is_empty() && self.writing == 0;
        if !self.stalled.is_empty() || (u64::from(command.sectors) > self.cache_room() && !empty) {
            self.stalled.push_back(command);
            return;
        }
        self.dirty.add(command.sector, command.end());
        self.ahead.overwrite(command.sector, command.end());
        self.transfer(now, now, &command);
    }

    /// Serves a read without moving the arm, if that is possible.
    fn read_cached(&mut self, now: u64, command: &Command) -> bool {
        let (first, end) = (command.sector, command.end());
        let ready = if self.dirty.holds(first, end) {
            now
        } else {
            match self.ahead.meet(&self.geometry, now, first, end) {
                Meeting::Hit => now,
                Meeting::Coming(when) if self.waiting.is_empty() || when <= self.arm_free => {
                    self.arm_free = self.arm_free.max(when);
                    when
                }
                _ => return false,
            }
        };
        self.ahead.take(&self.geometry, now, first, end);
        self.transfer(now, ready, command);
        true
    }

    /// Lets the arm begin something at `now`, when it is free; returns whether it did.
    fn turn_to(&mut self, now: u64) -> bool {
        self.writing = 0;
        while let Some(command) = self.stalled.pop_front() {
            if u64::from(command.sectors) > self.cache_room() && !self.dirty.is_empty() {
                self.stalled.push_front(command);
                break;
            }
            self.dirty.add(command.sector, command.end());
            self.ahead.overwrite(command.sector, command.end());
            self.transfer(now, now, &command);
        }
        if self.is_full() && !self.wrote {
            return self.write_back(now);
        }
        if !self.waiting.is_empty() {
            self.wrote = false;
            self.serve_next(now);
            return true;
        }
        if let Some(id) = self.flush {
            if self.dirty.is_empty() && self.stalled.is_empty() {
                self.flush = None;
                self.finished.push(now + self.config.command_ns, id);
                for command in std::mem::take(&mut self.held) {
                    self.admit(now, command);
                }
                return true;
            }
            return self.write_back(now);
        }
        let rested = self.rest_over().is_some_and(|when| when <= now);
        (rested || self.is_full()) && self.write_back(now)
    }

    /// Returns whether the write cache needs room more than readers need the arm.
    fn is_full(&self) -> bool {
        !self.dirty.is_empty()
            && (!self.stalled.is_empty()
                || self.dirty.sectors() * 4 > self.config.write_cache_sectors * 3)
    }

    /// Returns when writes may go to the medium although nobody is in need.
    fn rest_over(&self) -> Option<u64> {
        if self.dirty.is_empty() {
            return None;
        }
        let rest = self.config.write_rest_ns;
        Some(self.last_read.map_or(0, |last| last + rest))
    }

    /// Serves one of the waiting commands: the oldest if it is too old, else the nearest.
    fn serve_next(&mut self, now: u64) {
        let oldest = (0..self.waiting.len()).min_by_key(|&index| self.waiting[index].since);
        let too_old = |index: &usize| {
            let since = self.waiting[*index].since;
            now.saturating_sub(since) > self.config.age_limit_ns
        };
        let next = match oldest.filter(too_old) {
            Some(index) => index,
            None => (0..self.waiting.len())
                .min_by_key(|&index| self.reach(now, index))
                .unwrap_or(0),
        };
        let Waiting { command, .. } = self.waiting.remove(next);
        let (first, end) = (command.sector, command.end());
        let meeting = self.ahead.meet(&self.geometry, now, first, end);
        if command.op == Op::Read {
            match meeting {
                Meeting::Hit | Meeting::Coming(_) => {
                    let when = match meeting {
                        Meeting::Coming(when) => when,
                        _ => now,
                    };
                    self.ahead.take(&self.geometry, now, first, end);
                    self.arm_free = when;
                    return self.transfer(now, when, &command);
                }
                Meeting::Sequel | Meeting::Miss => {}
            }
        }
        let sequel = meeting == Meeting::Sequel;
        let done = self.pass(now, first, end);
        match command.op {
            Op::Read => {
                self.ahead.fill(&self.geometry, first, end, done);
                if sequel && self.config.stay_sectors > 0 {
                    let stay = self.ahead.filled(&self.geometry, self.config.stay_sectors);
                    self.arm_free = stay.unwrap_or(done);
                }
            }
            _ => self.ahead.overwrite(first, end),
        }
        self.transfer(now, done, &command);
    }

    /// Returns how far in time the arm is from a waiting command.
    fn reach(&mut self, now: u64, index: usize) -> u64 {
        let command = self.waiting[index].command;
        if command.op == Op::Read {
            let end = command.sector + 1;
            match self.ahead.meet(&self.geometry, now, command.sector, end) {
                Meeting::Hit => return 0,
                Meeting::Coming(when) => return when.saturating_sub(now),
                Meeting::Sequel | Meeting::Miss => {}
            }
        }
        self.geometry.access_ns(self.arm_at, command.sector, now)
    }

    /// Moves the arm over these sectors; returns when it has passed them.
    fn pass(&mut self, now: u64, first: u64, end: u64) -> u64 {
        if let Some(here) = self.ahead.leave(&self.geometry, now) {
            self.arm_at = here;
        }
        let start = now + self.geometry.access_ns(self.arm_at, first, now);
        let done = start + self.geometry.pass_ns(first, end - first);
        self.arm_at = end;
        self.arm_free = done;
        done
    }

    /// Takes some of the write cache to the medium; returns whether there is any.
    fn write_back(&mut self, now: u64) -> bool {
        if let Some(here) = self.ahead.leave(&self.geometry, now) {
            self.arm_at = here;
        }
        let (geometry, arm_at) = (&self.geometry, self.arm_at);
        let next = self.dirty.upwards(arm_at).take(NEXT_EXTENTS);
        let Some(first) = next.min_by_key(|&first| geometry.access_ns(arm_at, first, now)) else {
            return false;
        };
        self.writing = self.dirty.take(first, WRITE_RUN);
        self.wrote = true;
        self.pass(now, first, first + self.writing);
        true
    }

    /// Returns when the arm begins the next thing, if nothing else comes.
    fn next_turn(&self) -> Option<u64> {
        let at_once = !self.waiting.is_empty()
            || self.flush.is_some()
            || !self.stalled.is_empty()
            || self.is_full();
        if at_once {
            return Some(self.arm_free);
        }
        self.rest_over().map(|when| when.max(self.arm_free))
    }

    /// Lets the arm do all that it begins by `now`.
    fn catch_up(&mut self, now: u64) {
        while let Some(when) = self.next_turn().filter(|&when| when <= now) {
            if !self.turn_to(when) {
                break;
            }
        }
    }
}

impl Device for Spinning {
    fn traits(&self) -> Traits {
        Traits {
            rotational: true,
            write_cache: self.config.write_cache_sectors > 0,
            depth: self.config.depth,
            sectors: self.geometry.sectors(),
        }
    }

    fn submit(&mut self, now: u64, command: Command) -> Result<(), Full> {
        self.catch_up(now);
        if self.inside >= self.config.depth {
            return Err(Full);
        }
        self.inside += 1;
        self.admit(now, command);
        // An arm at rest begins now, not when it came to rest.
        self.arm_free = self.arm_free.max(now);
        Ok(())
    }

    fn next_event(&self) -> Option<u64> {
        match (self.finished.next(), self.next_turn()) {
            (Some(end), Some(turn)) => Some(end.min(turn)),
            (end, turn) => end.or(turn),
        }
    }

    fn advance(&mut self, now: u64, done: &mut Vec<u64>) {
        self.catch_up(now);
        while let Some(id) = self.finished.pop(now) {
            self.inside -= 1;
            done.push(id);
        }
    }
}
