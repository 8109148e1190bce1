// SPDX-License-Identifier: GPL-2.0

//! A process that writes a file through the page cache, and the flusher behind it.

use super::{
    Action,
    Ctx,
    Program, //
};
use crate::io::Io;

/// What one `write` call adds, in sectors.
const CALL: u64 = 2048;

/// What such a call takes while there is room.
const CALL_NS: u64 = 500_000;

/// What one request of the flusher writes, in sectors.
const REQUEST: u32 = 1024;

/// Requests of the flusher at once.
const AT_ONCE: u64 = 64;

/// The two of them.
#[derive(Clone, Debug)]
pub struct Writeback {
    start: u64,
    /// Sectors that may be dirty; from half of it on the flusher works.
    limit: u64,
    dirty: u64,
    written: u64,
    flying: u64,
    flushing: bool,
    blocked_since: Option<u64>,
}

impl Writeback {
    /// Writes from a sector on, with so many sectors dirty at most.
    pub fn new(start: u64, limit: u64) -> Self {
        Writeback {
            start,
            limit: limit.max(2 * CALL),
            dirty: 0,
            written: 0,
            flying: 0,
            flushing: false,
            blocked_since: None,
        }
    }

    fn flush(&mut self, ctx: &mut Ctx<'_>) {
        let request = u64::from(REQUEST);
        self.flushing |= self.dirty > self.limit / 2;
        while self.flushing && self.flying < AT_ONCE {
            if self.dirty < (self.flying + 1) * request {
                self.flushing = self.dirty > self.limit / 2;
                break;
            }
            ctx.act(Action::Submit(Io {
                sync: false,
                ..Io::write(self.start + self.written, REQUEST)
            }));
            self.written += request;
            self.flying += 1;
        }
    }

    fn call(&mut self, ctx: &mut Ctx<'_>) {
        if self.dirty + CALL > self.limit {
            self.blocked_since.get_or_insert(ctx.now);
            return;
        }
        self.dirty += CALL;
        let since = self.blocked_since.take().unwrap_or(ctx.now);
        ctx.act(Action::Operation(ctx.now - since + CALL_NS));
        ctx.act(Action::Wake(CALL_NS, 1));
    }
}

impl Program for Writeback {
    fn wake(&mut self, ctx: &mut Ctx<'_>, _word: u64) {
        self.call(ctx);
        self.flush(ctx);
    }

    fn done(&mut self, ctx: &mut Ctx<'_>, _io: &Io, _born: u64) {
        self.flying -= 1;
        self.dirty -= u64::from(REQUEST);
        if self.blocked_since.is_some() {
            self.call(ctx);
        }
        self.flush(ctx);
    }
}
