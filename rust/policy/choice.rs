// SPDX-License-Identifier: GPL-2.0

//! Which of two requests of a queue is the better one, given where the head is.
//!
//! A short way back is taken, at a price; a long one is a new sweep. Source: CFQ 4.1.

use super::request::{
    Request,
    Sector, //
};
use super::slab::{
    at,
    Slot, //
};
use super::tunables::Tunables;

/// The prices of going backward.
#[derive(Clone, Copy, Debug)]
pub(super) struct Choice {
    /// Farthest backward distance, in sectors.
    max_back: u64,
    /// Price of one sector backward, in sectors forward.
    penalty: u64,
}

impl Choice {
    /// Takes the prices from the tunables.
    pub(super) fn new(tunables: &Tunables) -> Self {
        Choice {
            max_back: u64::from(tunables.back_seek_max).saturating_mul(2),
            penalty: u64::from(tunables.back_seek_penalty),
        }
    }

    /// Returns what it costs to go from `head` to `position`, or `None` if that is a new sweep.
    #[inline]
    fn cost(&self, position: Sector, head: Sector) -> Option<u64> {
        let distance = position.distance(head);
        if position >= head {
            Some(distance)
        } else if distance <= self.max_back {
            Some(distance.saturating_mul(self.penalty))
        } else {
            None
        }
    }

    /// Returns the better of the requests `a` and `b`; either may be missing.
    #[inline]
    pub(super) fn better<R>(
        &self,
        slots: &[Slot<Request<R>>],
        a: u32,
        b: u32,
        head: Sector,
    ) -> u32 {
        let (Some(first), Some(second)) = (at(slots, a), at(slots, b)) else {
            return if at(slots, a).is_none() { b } else { a };
        };
        if first.sync != second.sync {
            return if first.sync { a } else { b };
        }
        if first.prio != second.prio {
            return if first.prio { a } else { b };
        }
        let (near, far) = (first.position, second.position);
        let first_wins = match (self.cost(near, head), self.cost(far, head)) {
            (Some(_), None) => true,
            (None, Some(_)) => false,
            // A new sweep starts at the lower end.
            (None, None) => near <= far,
            (Some(one), Some(other)) if one == other => near >= far,
            (Some(one), Some(other)) => one < other,
        };
        if first_wins {
            a
        } else {
            b
        }
    }
}

#[cfg_attr(
    CONFIG_RCFQ_KUNIT_TEST,
    kernel::macros::kunit_tests(rcfq_policy_choice)
)]
#[cfg(any(test, CONFIG_RCFQ_KUNIT_TEST))]
mod tests {
    use super::*;
    use crate::policy::id::{
        ProcessId,
        NIL, //
    };
    use crate::policy::ioprio::Ioprio;
    use crate::policy::request::{
        Arrival,
        Disk,
        Owner,
        Payload,
        State, //
    };
    use crate::policy::slab::Slab;
    use crate::policy::time::Time;

    /// Returns which of the two is chosen: 0 or 1.
    fn chosen(a: (u64, bool, bool), b: (u64, bool, bool), head: u64) -> u32 {
        let mut room = [Slot::new(), Slot::new()];
        let mut slab = Slab::new(&mut room[..]);
        for (position, sync, prio) in [a, b] {
            let arrival = Arrival {
                owner: Owner {
                    process: ProcessId::NONE,
                    sync,
                    ioprio: Ioprio::NORM,
                },
                position: Sector::new(position),
                sectors: 8,
                write: !sync,
                payload: Payload::Data,
                idle_hint: false,
                prio,
                born: Time::ZERO,
            };
            if slab
                .alloc(Request::new(&arrival, State::Queued, ()))
                .is_err()
            {
                return NIL;
            }
        }
        let choice = Choice::new(&Tunables::for_disk(Disk {
            rotational: true,
            depth: 1,
        }));
        choice.better(slab.slots(), 0, 1, Sector::new(head))
    }

    fn nearer(a: u64, b: u64) -> u64 {
        let plain = |position| (position, true, false);
        match chosen(plain(a), plain(b), 1_000_000) {
            0 => a,
            _ => b,
        }
    }

    #[test]
    fn a_short_way_back_costs_double() {
        assert_eq!(nearer(1_000_100, 999_960), 999_960);
        assert_eq!(nearer(999_960, 1_000_100), 999_960);
        assert_eq!(nearer(1_000_080, 999_960), 1_000_080);
        assert_eq!(nearer(999_960, 1_000_080), 1_000_080);
    }

    #[test]
    fn a_long_way_back_is_a_new_sweep_from_the_lower_end() {
        assert_eq!(nearer(900_000, 1_500_000), 1_500_000);
        assert_eq!(nearer(900_000, 800_000), 800_000);
        assert_eq!(nearer(800_000, 900_000), 800_000);
        // The farthest way back that is none: 32768 sectors.
        assert_eq!(nearer(967_232, 1_500_000), 967_232);
        assert_eq!(nearer(967_231, 1_500_000), 1_500_000);
    }

    #[test]
    fn sync_goes_before_metadata_and_both_before_distance() {
        let near_async = (1_000_000, false, true);
        let far_sync = (2_000_000, true, false);
        assert_eq!(chosen(near_async, far_sync, 1_000_000), 1);
        assert_eq!(chosen(far_sync, near_async, 1_000_000), 0);
        let far_prio = (3_000_000, true, true);
        assert_eq!(chosen(far_sync, far_prio, 1_000_000), 1);
    }

    #[test]
    fn a_missing_request_never_wins() {
        let room: [Slot<Request<()>>; 0] = [];
        let choice = Choice {
            max_back: 0,
            penalty: 1,
        };
        assert_eq!(choice.better(&room, NIL, NIL, Sector::new(0)), NIL);
    }
}
