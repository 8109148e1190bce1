// SPDX-License-Identifier: GPL-2.0

//! What a process does, as a state machine: it is woken, or an I/O of it is done, and it acts.

pub mod buffered;
pub mod direct;
pub mod fork;
pub mod fsync;
pub mod writeback;

use crate::io::Io;
use crate::rng::Rng;
use crate::task::Spec;
use std::fmt::Debug;

/// What a process does at some instant.
#[derive(Debug)]
pub enum Action {
    /// Makes a request. All requests of one instant are one batch, as if plugged.
    Submit(Io),
    /// Wants to be woken after a time, with a word of its own.
    Wake(u64, u64),
    /// Wakes another task, with a word.
    Signal(usize, u64),
    /// Finished something that its user waits for, which took so long.
    Operation(u64),
    /// Starts another process.
    Fork(Box<Spec>),
    /// Goes; its requests stay.
    Exit,
}

/// What a process sees of the world, and its way to act on it.
#[derive(Debug)]
pub struct Ctx<'a> {
    /// The time.
    pub now: u64,
    /// The number of its task.
    pub me: usize,
    /// Random numbers.
    pub rng: &'a mut Rng,
    pub(crate) actions: &'a mut Vec<Action>,
}

impl Ctx<'_> {
    /// Does something.
    pub fn act(&mut self, action: Action) {
        self.actions.push(action);
    }
}

/// A process.
pub trait Program: Debug {
    /// It starts (`word` is 0), or what it waited for has come.
    fn wake(&mut self, ctx: &mut Ctx<'_>, word: u64);

    /// A request of it is done; it was made at `born`.
    fn done(&mut self, ctx: &mut Ctx<'_>, io: &Io, born: u64);
}
