// SPDX-License-Identifier: GPL-2.0

//! A process that writes small files and waits until they are safe, and the journal behind it.
//!
//! As ext4 does it: the data first, by the process. Then the journal, another process, writes its
//! blocks, flushes the device, writes the commit record, and flushes again. Only then the process
//! goes on.

use super::{
    Action,
    Ctx,
    Program, //
};
use crate::io::Io;

/// Blocks of a transaction besides the commit record, in sectors.
const BLOCKS: u32 = 40;

/// The commit record, in sectors.
const RECORD: u32 = 8;

/// The process.
#[derive(Clone, Debug)]
pub struct Fsync {
    /// First sector of where its files are.
    pub start: u64,
    /// Over how many sectors they are spread.
    pub span: u64,
    /// Sectors of a file.
    pub sectors: u32,
    /// Pause between two files.
    pub think_ns: u64,
    /// The task of the journal.
    pub journal: usize,
    /// When the present file was begun.
    pub begun: u64,
}

/// What the journal says to whom waits for it.
const SAFE: u64 = 2;

impl Program for Fsync {
    fn wake(&mut self, ctx: &mut Ctx<'_>, word: u64) {
        if word == SAFE {
            ctx.act(Action::Operation(ctx.now - self.begun));
            ctx.act(Action::Wake(self.think_ns, 1));
            return;
        }
        self.begun = ctx.now;
        let step = u64::from(self.sectors);
        let place = ctx.rng.below(self.span / step) * step;
        ctx.act(Action::Submit(Io::write(self.start + place, self.sectors)));
    }

    fn done(&mut self, ctx: &mut Ctx<'_>, _io: &Io, _born: u64) {
        // 0 is the start of a task.
        ctx.act(Action::Signal(self.journal, ctx.me as u64 + 1));
    }
}

/// What the journal has to do next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Step {
    #[default]
    Rest,
    Blocks,
    FirstFlush,
    Record,
    LastFlush,
}

/// The journal.
#[derive(Clone, Debug, Default)]
pub struct Journal {
    start: u64,
    size: u64,
    at: u64,
    step: Step,
    /// Tasks in the present transaction.
    inside: Vec<usize>,
    /// Tasks for the next one.
    next: Vec<usize>,
}

impl Journal {
    /// Writes around in so many sectors from `start` on.
    pub fn new(start: u64, size: u64) -> Self {
        Journal {
            start,
            size,
            ..Journal::default()
        }
    }

    /// Writes the next sectors of the journal.
    fn write(&mut self, ctx: &mut Ctx<'_>, sectors: u32, head: bool) {
        if self.at + u64::from(sectors) > self.size {
            self.at = 0;
        }
        ctx.act(Action::Submit(Io {
            // "More will come", but it is metadata: see rust/sched/convert.rs.
            idle_hint: false,
            head,
            ..Io::write(self.start + self.at, sectors)
        }));
        self.at += u64::from(sectors);
    }

    fn begin(&mut self, ctx: &mut Ctx<'_>) {
        if self.step == Step::Rest && !self.next.is_empty() {
            self.inside = std::mem::take(&mut self.next);
            self.step = Step::Blocks;
            self.write(ctx, BLOCKS, false);
        }
    }
}

impl Program for Journal {
    fn wake(&mut self, ctx: &mut Ctx<'_>, word: u64) {
        if let Some(task) = word.checked_sub(1) {
            self.next.push(task as usize);
            self.begin(ctx);
        }
    }

    fn done(&mut self, ctx: &mut Ctx<'_>, _io: &Io, _born: u64) {
        self.step = match self.step {
            Step::Rest => Step::Rest,
            Step::Blocks => {
                ctx.act(Action::Submit(Io::flush()));
                Step::FirstFlush
            }
            Step::FirstFlush => {
                // The write inside a flush sequence goes before all others.
                self.write(ctx, RECORD, true);
                Step::Record
            }
            Step::Record => {
                ctx.act(Action::Submit(Io::flush()));
                Step::LastFlush
            }
            Step::LastFlush => {
                for task in std::mem::take(&mut self.inside) {
                    ctx.act(Action::Signal(task, SAFE));
                }
                Step::Rest
            }
        };
        self.begin(ctx);
    }
}
