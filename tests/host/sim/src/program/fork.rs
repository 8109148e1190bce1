// SPDX-License-Identifier: GPL-2.0

//! A process that starts others, one after another, without waiting for them.

use super::direct::{
    Direct,
    Pattern, //
};
use super::{
    Action,
    Ctx,
    Program, //
};
use crate::io::Io;
use crate::task::Spec;

/// The parent.
#[derive(Clone, Debug)]
pub struct Forker {
    /// First sector of where the children read.
    pub start: u64,
    /// In how many sectors.
    pub span: u64,
    /// From one child to the next.
    pub every_ns: u64,
    /// Reads of each child.
    pub reads: u64,
    /// Children in all.
    pub children: u64,
}

impl Program for Forker {
    fn wake(&mut self, ctx: &mut Ctx<'_>, _word: u64) {
        if self.children == 0 {
            return ctx.act(Action::Exit);
        }
        self.children -= 1;
        let pattern = if self.children % 2 == 0 {
            Pattern::Random(self.start, self.span)
        } else {
            Pattern::Sequential(self.start + ctx.rng.below(self.span))
        };
        let child = Direct {
            total: self.reads,
            ..Direct::new(pattern, Io::read(0, 8))
        };
        ctx.act(Action::Fork(Box::new(Spec::new("child", child))));
        ctx.act(Action::Wake(self.every_ns, 1));
    }

    fn done(&mut self, _ctx: &mut Ctx<'_>, _io: &Io, _born: u64) {}
}
