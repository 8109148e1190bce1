// SPDX-License-Identifier: GPL-2.0

//! Several disks behind one controller, striped.

use crate::device::{
    Command,
    Device,
    Full,
    Op,
    Traits, //
};
use crate::spinning::{
    Config,
    Spinning, //
};
use std::collections::{
    HashMap,
    VecDeque, //
};

/// A striped array that says that it rotates.
#[derive(Debug)]
pub struct Array {
    members: Vec<Spinning>,
    waiting: Vec<VecDeque<Command>>,
    stripe: u64,
    depth: u32,
    sectors: u64,
    /// Parts still missing of each command.
    parts: HashMap<u64, u32>,
}

impl Array {
    /// Makes an array of equal disks, striped by so many sectors, that takes so many commands.
    pub fn new(count: usize, member: Config, stripe: u64, depth: u32) -> Self {
        let members: Vec<_> = (0..count).map(|_| Spinning::new(member)).collect();
        let size = member.shape.sectors / stripe * stripe;
        Array {
            waiting: vec![VecDeque::new(); count],
            stripe,
            depth,
            sectors: size * count as u64,
            members,
            parts: HashMap::new(),
        }
    }

    /// Hands on what the members have room for.
    fn feed(&mut self, now: u64) {
        for (member, waiting) in self.members.iter_mut().zip(&mut self.waiting) {
            while let Some(command) = waiting.front() {
                if member.submit(now, *command).is_err() {
                    break;
                }
                waiting.pop_front();
            }
        }
    }

    /// Cuts a command at the borders of stripes.
    fn cut(&mut self, command: Command) -> u32 {
        let count = self.members.len() as u64;
        if command.op == Op::Flush {
            for waiting in &mut self.waiting {
                waiting.push_back(command);
            }
            return count as u32;
        }
        let mut parts = 0;
        let mut sector = command.sector;
        while sector < command.end() {
            let stripe = sector / self.stripe;
            let end = command.end().min((stripe + 1) * self.stripe);
            let place = (stripe % count) as usize;
            self.waiting[place].push_back(Command {
                sector: stripe / count * self.stripe + sector % self.stripe,
                sectors: (end - sector) as u32,
                ..command
            });
            parts += 1;
            sector = end;
        }
        parts
    }
}

impl Device for Array {
    fn traits(&self) -> Traits {
        Traits {
            rotational: true,
            write_cache: self
                .members
                .iter()
                .any(|member| member.traits().write_cache),
            depth: self.depth,
            sectors: self.sectors,
        }
    }

    fn submit(&mut self, now: u64, command: Command) -> Result<(), Full> {
        if self.parts.len() >= self.depth as usize {
            return Err(Full);
        }
        let parts = self.cut(command);
        self.parts.insert(command.id, parts);
        self.feed(now);
        Ok(())
    }

    fn next_event(&self) -> Option<u64> {
        self.members.iter().filter_map(Device::next_event).min()
    }

    fn advance(&mut self, now: u64, done: &mut Vec<u64>) {
        // One event at a time, so that a member with room again gets its next command in time.
        while let Some(when) = self.next_event().filter(|&when| when <= now) {
            let mut ended = Vec::new();
            for member in &mut self.members {
                member.advance(when, &mut ended);
            }
            for id in ended {
                let Some(left) = self.parts.get_mut(&id) else {
                    continue;
                };
                *left -= 1;
                if *left == 0 {
                    self.parts.remove(&id);
                    done.push(id);
                }
            }
            self.feed(when);
        }
    }
}
