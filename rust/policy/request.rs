// SPDX-License-Identifier: GPL-2.0

//! What the policy may know about a request, and its slot.
//!
//! Everything here is a number: the request itself is an opaque handle `R` that the policy keeps
//! while the request is queued and gives back exactly once. Source: CFQ 1.2, 3.1, 4; the handle is
//! ours.

use super::id::{
    ProcessId,
    NIL, //
};
use super::ioprio::{
    Class,
    Ioprio, //
};
use super::list::{
    ListLinks,
    Listed, //
};
use super::precedence::Rank;
use super::time::Time;
use super::tree::{
    Ordered,
    TreeLinks, //
};

/// A position on the disk, in sectors of 512 bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Sector(u64);

impl Sector {
    /// Makes a position from its number.
    #[inline]
    pub const fn new(sector: u64) -> Self {
        Sector(sector)
    }

    /// Returns the number.
    #[inline]
    pub const fn get(self) -> u64 {
        self.0
    }

    /// Returns the position `sectors` further on.
    #[inline]
    pub const fn saturating_add(self, sectors: u32) -> Self {
        // CAST: widening; `From` is not available in a `const fn`.
        Sector(self.0.saturating_add(sectors as u64))
    }

    /// Returns the distance to `other`, in sectors, whichever comes first.
    #[inline]
    pub const fn distance(self, other: Sector) -> u64 {
        self.0.abs_diff(other.0)
    }
}

/// What has to be known about the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Disk {
    /// Whether seeks cost time.
    pub rotational: bool,
    /// How many requests the hardware takes at once (depth of its tag set).
    pub depth: u32,
}

impl Disk {
    /// Depth from which on a device may order requests itself (CFQ 2.3, `hw_tag`).
    const REORDERS: u32 = 5;

    /// Returns whether the device has room for several requests at once.
    #[inline]
    pub(super) const fn may_reorder(self) -> bool {
        self.depth >= Self::REORDERS
    }
}

/// Whose request it is: enough to find the queue that it belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Owner {
    /// The process record, or [`ProcessId::NONE`].
    pub process: ProcessId,
    /// Whether somebody waits for it: reads, and writes marked so.
    pub sync: bool,
    /// Class and level of this request.
    pub ioprio: Ioprio,
}

/// What the device has to move for a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Payload {
    /// What was read or is written.
    Data,
    /// Writing of zeroes: some devices write them all, others only note it, so how long that takes
    /// tells nothing.
    Zeroes,
    /// Nothing whatever the length, as for a discard.
    Nothing,
}

/// A request that arrives.
#[derive(Clone, Copy, Debug)]
pub struct Arrival {
    /// Whose it is.
    pub owner: Owner,
    /// First sector.
    pub position: Sector,
    /// Length in sectors.
    pub sectors: u32,
    /// Whether it writes.
    pub write: bool,
    /// What the device has to move for it.
    pub payload: Payload,
    /// Whether the submitter announces more of the kind (`REQ_IDLE`).
    pub idle_hint: bool,
    /// Whether it is metadata (`REQ_PRIO`).
    pub prio: bool,
    /// When it was made.
    pub born: Time,
}

impl Arrival {
    /// Returns whether this is a write whose submitter waits and will not go on: fsync, the
    /// journal and the like (CFQ 5.3).
    #[inline]
    pub(super) const fn is_awaited_write(&self) -> bool {
        self.owner.sync && self.write && !self.idle_hint
    }
}

/// Where a request is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// In its queue's sort tree and fifo.
    Queued,
    /// On the list that goes before all queues.
    AtHead,
    /// With the driver.
    Dispatched,
    /// Given back by the driver and with the block core; not counted anywhere.
    Requeued,
}

/// A request of more sectors than this counts as several in the limits of async ones (ours).
///
/// A drive takes large writes into its cache in no time, and empties it in the slices of others.
const PIECE: u32 = 256;

/// What a request with the driver counts as.
#[derive(Clone, Copy, Debug)]
pub(super) struct Counted {
    pub(super) sync: bool,
    pub(super) rank: Rank,
    pub(super) pieces: u32,
    pub(super) queue: u32,
}

/// A request as the policy sees it.
///
/// # Invariants
///
/// `rq` is there exactly in the states `State::Queued` and `State::AtHead`. In the state
/// `State::Queued`, `queue` is a live queue.
#[derive(Debug)]
pub struct Request<R> {
    pub(super) rq: Option<R>,
    pub(super) position: Sector,
    pub(super) deadline: Time,
    pub(super) born: Time,
    /// When it went to the driver.
    pub(super) sent: Time,
    pub(super) process: ProcessId,
    pub(super) sectors: u32,
    /// [`NIL`] if it was inserted at the head: then no queue accounts for it.
    pub(super) queue: u32,
    pub(super) sort: TreeLinks,
    pub(super) fifo: ListLinks,
    pub(super) state: State,
    /// What it counts as if no queue accounts for it.
    pub(super) rank: Rank,
    pub(super) sync: bool,
    pub(super) prio: bool,
    pub(super) write: bool,
    pub(super) payload: Payload,
    /// The class that it came with, whatever its queue gets.
    pub(super) class: Class,
    /// A read far from the request dispatched before it; see `measure`.
    pub(super) jump: bool,
    /// The same by a seeky queue.
    pub(super) far: bool,
}

impl<R> Request<R> {
    /// Makes the record of a new arrival that is nowhere yet.
    #[inline]
    pub(super) fn new(arrival: &Arrival, state: State, rq: R) -> Self {
        Request {
            rq: Some(rq),
            position: arrival.position,
            deadline: Time::NEVER,
            born: arrival.born,
            sent: Time::ZERO,
            process: arrival.owner.process,
            sectors: arrival.sectors,
            queue: NIL,
            sort: TreeLinks::NONE,
            fifo: ListLinks::NONE,
            state,
            rank: Rank::of(arrival.owner.ioprio),
            sync: arrival.owner.sync,
            prio: arrival.prio,
            write: arrival.write,
            payload: arrival.payload,
            class: arrival.owner.ioprio.class,
            jump: false,
            far: false,
        }
    }

    /// Returns how many requests it counts as where async ones are limited.
    #[inline]
    pub(super) const fn pieces(&self) -> u32 {
        if matches!(self.payload, Payload::Nothing) {
            return 1;
        }
        (self.sectors.saturating_sub(1) / PIECE).saturating_add(1)
    }

    /// Returns what it counts as while it is with the driver.
    #[inline]
    pub(super) const fn counted(&self) -> Counted {
        Counted {
            sync: self.sync,
            rank: self.rank,
            pieces: self.pieces(),
            queue: self.queue,
        }
    }

    /// Returns the first sector behind the request.
    #[inline]
    pub(super) fn end(&self) -> Sector {
        self.position.saturating_add(self.sectors)
    }
}

/// The order of requests by position.
#[derive(Debug)]
pub(super) struct BySector;

impl<R> Ordered<BySector> for Request<R> {
    #[inline(always)]
    fn tree_links(&self) -> &TreeLinks {
        &self.sort
    }

    #[inline(always)]
    fn tree_links_mut(&mut self) -> &mut TreeLinks {
        &mut self.sort
    }

    #[inline(always)]
    fn precedes(&self, other: &Self) -> bool {
        self.position < other.position
    }
}

/// The order of requests by arrival: a queue's fifo, or the head list.
#[derive(Debug)]
pub(super) struct Fifo;

impl<R> Listed<Fifo> for Request<R> {
    #[inline(always)]
    fn list_links(&self) -> &ListLinks {
        &self.fifo
    }

    #[inline(always)]
    fn list_links_mut(&mut self) -> &mut ListLinks {
        &mut self.fifo
    }
}

#[cfg_attr(
    CONFIG_RCFQ_KUNIT_TEST,
    kernel::macros::kunit_tests(rcfq_policy_request)
)]
#[cfg(any(test, CONFIG_RCFQ_KUNIT_TEST))]
mod tests {
    use super::*;

    fn arrival(sync: bool, write: bool, idle_hint: bool) -> Arrival {
        Arrival {
            owner: Owner {
                process: ProcessId::NONE,
                sync,
                ioprio: Ioprio::NORM,
            },
            position: Sector::new(100),
            sectors: 8,
            write,
            payload: Payload::Data,
            idle_hint,
            prio: false,
            born: Time::ZERO,
        }
    }

    #[test]
    fn large_ones_count_by_pieces_unless_they_move_no_data() {
        for (sectors, payload, pieces) in [
            (256, Payload::Data, 1),
            (257, Payload::Data, 2),
            (257, Payload::Zeroes, 2),
            (1 << 21, Payload::Nothing, 1),
        ] {
            let mut arrival = arrival(false, true, false);
            (arrival.sectors, arrival.payload) = (sectors, payload);
            let request = Request::new(&arrival, State::Queued, 0u8);
            assert_eq!(request.pieces(), pieces);
        }
    }

    #[test]
    fn only_sync_writes_without_the_hint_are_awaited() {
        let awaited = |sync, write, hint| arrival(sync, write, hint).is_awaited_write();
        assert!(awaited(true, true, false));
        assert!(!awaited(true, true, true));
        assert!(!awaited(true, false, false));
        assert!(!awaited(false, true, false));
    }

    #[test]
    fn positions_saturate() {
        let request = Request::new(&arrival(true, false, false), State::Queued, 0u8);
        assert_eq!(request.end(), Sector::new(108));
        assert_eq!(Sector::new(u64::MAX).saturating_add(8).get(), u64::MAX);
        assert_eq!(Sector::new(5).distance(Sector::new(9)), 4);
        assert_eq!(Sector::new(9).distance(Sector::new(5)), 4);
    }
}
