// SPDX-License-Identifier: GPL-2.0

//! Models of disks: what they would take how long for.
//!
//! Each one is a state machine without a clock, a thread or data: commands go in with the time at
//! which they come, [`Device::next_event`] tells when to look again, and [`Device::advance`] gives
//! the commands that are done. Times are in nanoseconds, positions in sectors of 512 bytes. The
//! same calls give the same answers. A late caller loses nothing: the models compute with the
//! times at which things were due.
//!
//! Source: ours; figures of the disks from their data sheets and from published measurements, see
//! [`catalog`] and the calibration tests.

mod ahead;
pub mod array;
pub mod catalog;
pub mod device;
mod dirty;
mod finished;
pub mod flash;
pub mod geometry;
pub mod spinning;

pub use catalog::{
    named,
    Model,
    MODELS, //
};
pub use device::{
    Command,
    Device,
    Full,
    Op,
    Traits, //
};
