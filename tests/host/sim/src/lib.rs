// SPDX-License-Identifier: GPL-2.0

//! The policy in a world that can be repeated: scripted processes on modelled disks, virtual time.
//!
//! [`Machine`] is the block core. It asks an [`Elevator`] for requests only when the real one would:
//! after insertions, after a kick, and when a full device has room again. Whoever relies on being
//! polled hangs here, and is told so. A [`Program`] is what a process does; a [`Workload`] is a set
//! of them. All randomness comes from one seed, so a run can be repeated to the last event; the
//! hash of its event log is in the [`Report`].
//!
//! Source: ours.

pub mod elevator;
pub mod history;
pub mod io;
pub mod machine;
pub mod plot;
pub mod program;
pub mod report;
pub mod rng;
pub mod run;
pub mod tally;
pub mod task;
pub mod workload;

pub use elevator::Elevator;
pub use io::Io;
pub use machine::{
    Machine,
    Switches, //
};
pub use program::{
    Ctx,
    Program, //
};
pub use report::Report;
pub use rng::Rng;
pub use run::Run;
pub use task::{
    Spec,
    Task, //
};
pub use workload::Workload;
