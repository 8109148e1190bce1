// SPDX-License-Identifier: GPL-2.0

//! The smallest world in which the policy can live: tasks, a disk, a clock, and the block core.
//!
//! Nothing here is random and nothing reads a real clock, so every run is repeatable. The part of
//! the block core, [`Machine`], asks for requests only when the real one would: after an insertion,
//! after a kick, and when a full device has room again. Whoever relies on being polled hangs here.

pub mod bytes;
pub mod disk;
pub mod machine;
pub mod memory;
pub mod op;
pub mod task;
pub mod world;

pub use disk::Timing;
pub use machine::Machine;
pub use memory::{
    lent,
    Lent, //
};
pub use task::{
    Pattern,
    Task, //
};
