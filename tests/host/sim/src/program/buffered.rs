// SPDX-License-Identifier: GPL-2.0

//! A process that reads a file through the page cache, which reads ahead for it.

use super::{
    Action,
    Ctx,
    Program, //
};
use crate::io::Io;
use std::collections::BTreeSet;

/// Windows that are read at once.
const WINDOWS: u64 = 2;

/// The process.
#[derive(Clone, Debug)]
pub struct Buffered {
    start: u64,
    window: u32,
    /// What it does with a window before it needs the next one.
    chew_ns: u64,
    asked: u64,
    eaten: u64,
    here: BTreeSet<u64>,
    chewing: bool,
    hungry_since: u64,
}

impl Buffered {
    /// Reads from a sector on by windows of so many, each used for a time.
    pub fn new(start: u64, window: u32, chew_ns: u64) -> Self {
        Buffered {
            start,
            window,
            chew_ns,
            asked: 0,
            eaten: 0,
            here: BTreeSet::new(),
            chewing: false,
            hungry_since: 0,
        }
    }

    fn go_on(&mut self, ctx: &mut Ctx<'_>) {
        if !self.chewing && self.here.remove(&self.eaten) {
            self.chewing = true;
            ctx.act(Action::Operation(ctx.now - self.hungry_since));
            ctx.act(Action::Wake(self.chew_ns, 1));
        }
        while self.asked < self.eaten + WINDOWS {
            let sector = self.start + self.asked * u64::from(self.window);
            ctx.act(Action::Submit(Io {
                tag: self.asked,
                ..Io::read(sector, self.window)
            }));
            self.asked += 1;
        }
    }
}

impl Program for Buffered {
    fn wake(&mut self, ctx: &mut Ctx<'_>, word: u64) {
        if word == 1 {
            self.chewing = false;
            self.eaten += 1;
        }
        self.hungry_since = ctx.now;
        self.go_on(ctx);
    }

    fn done(&mut self, ctx: &mut Ctx<'_>, io: &Io, _born: u64) {
        self.here.insert(io.tag);
        self.go_on(ctx);
    }
}
