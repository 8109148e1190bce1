// SPDX-License-Identifier: GPL-2.0

//! Raw names of the elevator's C interface.
//!
//! Everything [`kernel::bindings`] knows comes from there, so that `struct request` and friends are
//! the same types for this crate and for the `kernel` crate. Only what it lacks, most of it from
//! the private header [`block/elevator.h`](srctree/block/elevator.h), is generated here. A
//! definition of this module takes precedence over one of the same name in [`kernel::bindings`];
//! that is wanted for `struct elevator_queue`, which is opaque there.

#![allow(
    clippy::all,
    clippy::cast_lossless,
    clippy::multiple_unsafe_ops_per_block,
    clippy::ptr_as_ptr,
    clippy::ref_as_ptr,
    clippy::undocumented_unsafe_blocks,
    dead_code,
    improper_ctypes,
    missing_docs,
    non_camel_case_types,
    non_snake_case,
    non_upper_case_globals,
    unreachable_pub,
    unsafe_op_in_unsafe_fn
)]

pub(crate) use kernel::bindings::*;
use pin_init::MaybeZeroable;

include!(concat!(env!("RCFQ_OBJ"), "/bindings/bindings_generated.rs"));
include!(concat!(
    env!("RCFQ_OBJ"),
    "/bindings/bindings_helpers_generated.rs"
));
