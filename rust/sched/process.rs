// SPDX-License-Identifier: GPL-2.0

//! Which process a request belongs to: the policy's record of it, remembered in the io_cq.

use super::{
    state::State,
    Rcfq, //
};
use crate::elevator::{
    Bio,
    Elevator,
    Held,
    Icq,
    Request, //
};
use crate::policy::{
    Kick,
    ProcessId,
    Time, //
};
use core::cell::Cell;
use kernel::prelude::*;

/// What rcfq keeps for an io context on a queue. All zero is a process never seen.
#[derive(Clone, Copy, Zeroable)]
pub(crate) struct IcqData {
    /// The raw form of a [`ProcessId`].
    process: u64,
    /// Not 0 when the io context is gone. Its last requests may still arrive, and get no record:
    /// nobody would say when that can be dropped.
    exited: u64,
}

impl IcqData {
    /// Returns the record, as far as it is known.
    #[inline]
    fn process(self) -> ProcessId {
        ProcessId::from_raw(self.process)
    }

    /// Returns the record, and makes one if there is none yet.
    #[inline]
    fn find(this: &Cell<Self>, state: &mut State, now: Time) -> ProcessId {
        let data = this.get();
        if data.exited != 0 {
            return ProcessId::NONE;
        }
        let process = state.policy.process(now, data.process());
        this.set(Self {
            process: process.to_raw(),
            ..data
        });
        process
    }

    /// Drops the record for good.
    fn exit(this: &Cell<Self>, state: &mut State, now: Time) -> Kick {
        let data = this.replace(Self {
            process: ProcessId::NONE.to_raw(),
            exited: 1,
        });
        state.policy.process_exit(now, data.process())
    }
}

/// Returns the record of the process that `rq` belongs to.
///
/// Not that of the current task: requests are inserted by workers too.
#[inline]
pub(super) fn of_request(
    elv: &Elevator<Rcfq>,
    state: &mut State,
    held: Held<'_>,
    rq: &Request,
    now: Time,
) -> ProcessId {
    match elv.icq(rq).and_then(|icq| icq.data(held)) {
        Some(data) => IcqData::find(data, state, now),
        None => ProcessId::NONE,
    }
}

/// Returns the record of the process that submits `bio`, if it has one yet.
pub(super) fn of_submitter(elv: &Elevator<Rcfq>, held: Held<'_>, bio: &Bio) -> ProcessId {
    match elv.bio_icq(bio).and_then(|icq| icq.data(held)) {
        Some(data) => data.get().process(),
        None => ProcessId::NONE,
    }
}

/// Ends the record of an io context.
pub(super) fn exit(state: &mut State, held: Held<'_>, icq: &Icq<Rcfq>, now: Time) -> Kick {
    match icq.data(held) {
        Some(data) => IcqData::exit(data, state, now),
        None => Kick::None,
    }
}
