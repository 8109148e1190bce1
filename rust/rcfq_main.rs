// SPDX-License-Identifier: GPL-2.0

//! rcfq: a blk-mq I/O scheduler in the manner of CFQ.
//!
//! Four layers, each of which may name only those below it:
//!
//! - [`sched`]: glue. It implements [`elevator::Operations`] by asking the policy, without unsafe
//!   code.
//! - [`policy`]: pure. Which request is next, for how long, and whether to wait. Names only `core`,
//!   so that it is tested in user space too.
//! - [`elevator`]: safe abstraction of the block layer's elevator interface, for any scheduler.
//! - `bindings`: the raw names of that interface.
//!
//! The unsafe code of the module is in the last two.

#![crate_name = "rcfq"]

mod bindings;
pub mod elevator;
pub mod policy;
mod sched;

use kernel::prelude::*;

module! {
    type: RcfqModule,
    name: "rcfq_iosched",
    authors: ["The rcfq developers"],
    description: "Fair queuing I/O scheduler with time slices and I/O priorities",
    license: "GPL",
    alias: ["rcfq-iosched"],
}

#[pin_data]
struct RcfqModule {
    #[pin]
    _registration: elevator::Registration<sched::Rcfq>,
}

impl kernel::InPlaceModule for RcfqModule {
    fn init(_module: &'static ThisModule) -> impl PinInit<Self, Error> {
        try_pin_init!(Self {
            _registration <- elevator::Registration::new(),
        })
    }
}
