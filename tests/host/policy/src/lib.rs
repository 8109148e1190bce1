// SPDX-License-Identifier: GPL-2.0

//! The policy of rcfq as a crate of its own, so that it can be tested on the host.
//!
//! The source is the very one that the kernel module mounts, at the same path in the crate.

#![no_std]
// What could panic in a kernel; a test may.
#![cfg_attr(
    not(test),
    warn(
        clippy::arithmetic_side_effects,
        clippy::expect_used,
        clippy::indexing_slicing,
        clippy::panic
    )
)]

#[path = "../../../../rust/policy/mod.rs"]
pub mod policy;
