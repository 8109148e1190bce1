// SPDX-License-Identifier: GPL-2.0

//! A flash disk: commands pass a link one by one, then wait for a channel.

use crate::device::{
    Command,
    Device,
    Full,
    Op,
    Traits, //
};
use crate::finished::Finished;

/// The figures of a flash disk.
#[derive(Clone, Copy, Debug)]
pub struct Config {
    /// Size in sectors.
    pub sectors: u64,
    /// Commands taken at once.
    pub depth: u32,
    /// Commands worked on at once.
    pub channels: usize,
    /// What a read takes in its channel.
    pub read_ns: u64,
    /// What a write takes in its channel.
    pub write_ns: u64,
    /// What a flush takes.
    pub flush_ns: u64,
    /// By how much these vary, up and down, in percent.
    pub spread: u64,
    /// What every command takes on the link.
    pub command_ns: u64,
    /// Bytes a second on the link.
    pub link_rate: u64,
}

/// A flash disk.
#[derive(Debug)]
pub struct Flash {
    config: Config,
    channels: Vec<u64>,
    link_free: u64,
    finished: Finished,
    inside: u32,
    dice: u64,
}

impl Flash {
    /// Makes a disk at rest.
    pub fn new(config: Config) -> Self {
        Flash {
            config,
            channels: vec![0; config.channels.max(1)],
            link_free: 0,
            finished: Finished::default(),
            inside: 0,
            dice: 0,
        }
    }

    /// Varies a time; the same sequence for each disk.
    fn vary(&mut self, ns: u64) -> u64 {
        self.dice = self
            .dice
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let spread = self.config.spread.min(100);
        ns * (100 - spread) / 100 + ns * (2 * spread) / 100 * (self.dice >> 44) / (1 << 20)
    }
}

impl Device for Flash {
    fn traits(&self) -> Traits {
        Traits {
            rotational: false,
            write_cache: self.config.flush_ns > 0,
            depth: self.config.depth,
            sectors: self.config.sectors,
        }
    }

    fn submit(&mut self, now: u64, command: Command) -> Result<(), Full> {
        if self.inside >= self.config.depth {
            return Err(Full);
        }
        self.inside += 1;
        let transfer = command.bytes() * 1_000_000_000 / self.config.link_rate;
        let start = now.max(self.link_free) + self.config.command_ns + transfer;
        self.link_free = start;
        let end = if command.op == Op::Flush {
            // After all that is under way.
            let last = self.channels.iter().copied().max().unwrap_or(0);
            start.max(last) + self.config.flush_ns
        } else {
            let nominal = match command.op {
                Op::Read => self.config.read_ns,
                _ => self.config.write_ns,
            };
            let ns = self.vary(nominal);
            let free = (0..self.channels.len()).min_by_key(|&index| self.channels[index]);
            let channel = &mut self.channels[free.unwrap_or(0)];
            *channel = start.max(*channel) + ns;
            *channel
        };
        self.finished.push(end, command.id);
        Ok(())
    }

    fn next_event(&self) -> Option<u64> {
        self.finished.next()
    }

    fn advance(&mut self, now: u64, done: &mut Vec<u64>) {
        while let Some(id) = self.finished.pop(now) {
            self.inside -= 1;
            done.push(id);
        }
    }
}
