// SPDX-License-Identifier: GPL-2.0

//! The files in `queue/iosched/`: one for each knob of the policy, and the twins in microseconds.

use super::{
    convert,
    state,
    Rcfq, //
};
use crate::elevator::{
    attributes,
    Attribute,
    Attributes,
    Elevator,
    Page, //
};
use crate::policy::{
    Knob,
    Refused,
    View, //
};
use core::fmt::Write;
use kernel::prelude::*;

macro_rules! files {
    ($($name:literal $knob:ident $view:ident,)+) => {
        /// The files, for the block layer.
        pub(super) const TABLE: &[Attribute<Rcfq>] =
            attributes!(Rcfq: $($name),+);

        /// What each file is a view of, by its place in the table.
        const FILES: &[(Knob, View)] = &[$((Knob::$knob, View::$view)),+];
    };
}

files! {
    c"quantum"           Quantum         Plain,
    c"fifo_expire_sync"  FifoExpireSync  Plain,
    c"fifo_expire_async" FifoExpireAsync Plain,
    c"back_seek_max"     BackSeekMax     Plain,
    c"back_seek_penalty" BackSeekPenalty Plain,
    c"slice_sync"        SliceSync       Plain,
    c"slice_sync_us"     SliceSync       Micro,
    c"slice_async"       SliceAsync      Plain,
    c"slice_async_us"    SliceAsync      Micro,
    c"slice_async_rq"    SliceAsyncRq    Plain,
    c"slice_idle"        SliceIdle       Plain,
    c"slice_idle_us"     SliceIdle       Micro,
    c"group_idle"        GroupIdle       Plain,
    c"group_idle_us"     GroupIdle       Micro,
    c"low_latency"       LowLatency      Plain,
    c"target_latency"    TargetLatency   Plain,
    c"target_latency_us" TargetLatency   Micro,
    c"patience"          Patience        Plain,
    c"slice_idle_auto"   SliceIdleAuto   Plain,
}

fn file(id: usize) -> Result<(Knob, View)> {
    FILES.get(id).copied().ok_or(ENOENT)
}

impl Attributes for Rcfq {
    fn show(elv: &Elevator<Self>, id: usize, page: &mut Page<'_>) -> Result {
        let (knob, view) = file(id)?;
        let value = elv.lock().policy.tunables().get(knob, view);
        writeln!(page, "{value}").map_err(|_| EINVAL)
    }

    fn store(elv: &Elevator<Self>, id: usize, text: &[u8]) -> Result {
        let (knob, view) = file(id)?;
        let mut guard = elv.lock();
        let mut tunables = guard.policy.tunables().clone();
        tunables
            .store(knob, view, text)
            .map_err(|refused| match refused {
                Refused::Invalid => EINVAL,
                Refused::OutOfRange => ERANGE,
            })?;
        let kick = guard.policy.set_tunables(convert::now(), tunables);
        state::conclude(guard, kick);
        Ok(())
    }
}
