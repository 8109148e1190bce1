// SPDX-License-Identifier: GPL-2.0

//! Processes that bypass the page cache: so many requests at once, each followed by the next.

use super::{
    Action,
    Ctx,
    Program, //
};
use crate::io::Io;

/// What a process needs to make a request.
pub const CPU_NS: u64 = 3_000;

/// Where the next request goes.
#[derive(Clone, Copy, Debug)]
pub enum Pattern {
    /// Right behind the last one, from this sector on.
    Sequential(u64),
    /// Anywhere in so many sectors, from this sector on.
    Random(u64, u64),
    /// Every so many-th block of a stream; from the given number of blocks on alone elsewhere.
    Alternate {
        /// Where the stream starts.
        start: u64,
        /// Which of the readers this is.
        index: u64,
        /// How many readers share the stream.
        of: u64,
        /// After how many blocks it goes its own way.
        until: u64,
        /// And where to.
        then: u64,
    },
}

/// The process.
#[derive(Clone, Debug)]
pub struct Direct {
    /// Where.
    pub pattern: Pattern,
    /// The request to repeat; its position is of no meaning.
    pub io: Io,
    /// Requests at once.
    pub depth: u32,
    /// From one request to the next.
    pub think_ns: u64,
    /// After so many it goes.
    pub total: u64,
    /// Requests made.
    pub made: u64,
    /// Requests done.
    pub done: u64,
}

impl Direct {
    /// One request at a time, without end.
    pub fn new(pattern: Pattern, io: Io) -> Self {
        Direct {
            pattern,
            io,
            depth: 1,
            think_ns: CPU_NS,
            total: u64::MAX,
            made: 0,
            done: 0,
        }
    }

    fn next(&mut self, ctx: &mut Ctx<'_>) {
        if self.made >= self.total {
            return;
        }
        let length = u64::from(self.io.sectors);
        let sector = match self.pattern {
            Pattern::Sequential(start) => start + self.made * length,
            Pattern::Random(start, span) => {
                let step = length.max(8);
                start + ctx.rng.below(span / step) * step
            }
            Pattern::Alternate {
                start,
                index,
                of,
                until,
                ..
            } if self.made < until => start + (self.made * of + index) * length,
            Pattern::Alternate { until, then, .. } => then + (self.made - until) * length,
        };
        self.made += 1;
        ctx.act(Action::Submit(Io { sector, ..self.io }));
    }
}

impl Program for Direct {
    fn wake(&mut self, ctx: &mut Ctx<'_>, word: u64) {
        let count = if word == 0 { self.depth } else { 1 };
        for _ in 0..count {
            self.next(ctx);
        }
    }

    fn done(&mut self, ctx: &mut Ctx<'_>, _io: &Io, born: u64) {
        self.done += 1;
        ctx.act(Action::Operation(ctx.now - born));
        if self.done >= self.total {
            ctx.act(Action::Exit);
        } else {
            ctx.act(Action::Wake(self.think_ns, 1));
        }
    }
}
