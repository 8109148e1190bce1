// SPDX-License-Identifier: GPL-2.0

//! Which process a request belongs to: the policy's record of it, remembered in the io_cq.

use super::{
    state::State,
    Rcfq, //
};
use crate::elevator::{
    Elevator,
    Guard,
    Icq,
    Request, //
};
use crate::policy::{
    Kick,
    ProcessId,
    Time, //
};
use kernel::prelude::*;

/// What rcfq keeps for an io context on a queue. All zero is a process never seen.
#[derive(Zeroable)]
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
    pub(super) fn process(&self) -> ProcessId {
        ProcessId::from_raw(self.process)
    }

    /// Returns the record, and makes one if there is none yet.
    #[inline]
    fn find(&mut self, state: &mut State, now: Time) -> ProcessId {
        if self.exited != 0 {
            return ProcessId::NONE;
        }
        let process = state.policy.process(now, self.process());
        self.process = process.to_raw();
        process
    }

    /// Drops the record for good.
    fn exit(&mut self, state: &mut State, now: Time) -> Kick {
        let process = self.process();
        *self = Self {
            process: ProcessId::NONE.to_raw(),
            exited: 1,
        };
        state.policy.process_exit(now, process)
    }
}

/// Returns the record of the process that `rq` belongs to.
///
/// Not that of the current task: requests are inserted by workers too.
#[inline]
pub(super) fn of_request(
    elv: &Elevator<Rcfq>,
    guard: &mut Guard<'_, Rcfq>,
    rq: &Request,
    now: Time,
) -> ProcessId {
    match elv.icq(rq).and_then(|icq| guard.icq(icq)) {
        Some((state, data)) => data.find(state, now),
        None => ProcessId::NONE,
    }
}

/// Ends the record of an io context.
pub(super) fn exit(guard: &mut Guard<'_, Rcfq>, icq: &Icq<Rcfq>, now: Time) -> Kick {
    match guard.icq(icq) {
        Some((state, data)) => data.exit(state, now),
        None => Kick::None,
    }
}
