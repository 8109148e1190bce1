// SPDX-License-Identifier: GPL-2.0

//! The events that may happen in a [`World`](crate::world::World).

/// Number of tasks that the world has.
pub const TASKS: usize = 6;

/// Whose request it is.
#[derive(Clone, Copy, Debug)]
pub enum Whose {
    /// A task's; it gets a process record if it has none.
    Task(usize),
    /// That of a name which may be old or made up.
    Name(u64),
}

/// An event. A number that chooses a request is taken modulo those that there are.
#[derive(Clone, Debug)]
pub enum Op {
    /// A request arrives.
    Insert {
        /// Whose it is.
        whose: Whose,
        /// Whether somebody waits for it.
        sync: bool,
        /// Class, from 0 for real time to 2 for idle, and level.
        ioprio: (u8, u8),
        /// First sector.
        place: u64,
        /// Length.
        sectors: u32,
        /// Whether it writes.
        write: bool,
        /// Whether it is metadata, and announces more.
        prio: bool,
        /// Whether it goes before all others.
        head: bool,
    },
    /// A sync request arrives that may pass without being queued.
    Pass,
    /// The driver asks so many times, until it gets nothing.
    Dispatch(u8),
    /// A request ends.
    Complete(usize),
    /// The driver gives a request back.
    Requeue(usize),
    /// A request that was given back returns.
    Reinsert(usize),
    /// A request, in whatever state, is freed.
    Cancel(usize),
    /// The second request is merged into the first.
    Absorb(usize, usize),
    /// A request grows downwards by so many sectors.
    Front(usize, u32),
    /// A request grows upwards by so many sectors.
    Back(usize, u32),
    /// A task looks for a request that starts at this sector.
    Probe(usize, u64),
    /// A task exits.
    Exit(usize),
    /// The timer fires, in time or not.
    Timer,
    /// So many microseconds pass.
    Advance(u32),
    /// The clock steps back by so many microseconds.
    StepBack(u32),
    /// A tunable changes to a chosen value.
    Tune(u8),
    /// A number is written to the file of a knob, or to its twin.
    Store(usize, bool, u64),
    /// The depth of the queue grows, or an attempt to shrink it is refused.
    Grow,
    /// All events with a name that may mean nothing.
    Stale(u64),
}
