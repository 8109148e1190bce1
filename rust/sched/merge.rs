// SPDX-License-Identifier: GPL-2.0

//! Merging: which bio may grow which request, and what the policy has to learn of it.
//!
//! A bio only joins a request of its own queue. Whole requests that are merged while they are
//! inserted are not offered for a decision by the core; the joint request stays where it is.
//!
//! All but [`bio`] are called by the block layer from within [`Guard::try_merge`] and
//! [`Guard::admit`], with the lock held (CFQ 12).
//!
//! [`Guard::try_merge`]: crate::elevator::Guard::try_merge
//! [`Guard::admit`]: crate::elevator::Guard::admit

use super::{
    convert::{
        self,
        id_of,
        set_id, //
    },
    process,
    state::State,
    Rcfq, //
};
use crate::elevator::{
    Bio,
    Elevator,
    Held,
    Merged,
    Queued,
    Request,
    Submission, //
};
use crate::policy::{
    RqId,
    Sector, //
};

/// Tries to merge a bio; returns its submission if it was not.
pub(super) fn bio<'a>(
    elv: &Elevator<Rcfq>,
    submission: Submission<'a>,
) -> Result<Merged<'a>, Submission<'a>> {
    // Most bios of a device that keeps up find nothing queued: no lock for them.
    if !elv.data().holds_requests() {
        return Err(submission);
    }
    let bio = submission.bio();
    let mut guard = elv.lock();
    let process = process::of_submitter(elv, guard.held(), bio);
    guard.merging = Some(convert::bio_owner(process, bio));
    let result = guard.try_merge(submission);
    guard.merging = None;
    result
}

/// May the bio that is being merged become a part of `rq`? Only in its owner's queue.
pub(super) fn allow(state: &State, rq: &Request) -> bool {
    match state.merging {
        Some(owner) => state.policy.may_merge(owner, id_of(rq)),
        None => false,
    }
}

/// Returns a request of the bio's owner that starts where the bio ends.
pub(super) fn front<'a>(state: &State, held: Held<'a>, bio: &Bio) -> Option<&'a Request> {
    let id = state
        .policy
        .front_candidate(state.merging?, Sector::new(bio.end()))?;
    request(state, held, id)
}

/// Tells the policy that `rq` has grown.
pub(super) fn grown(state: &mut State, rq: &Request) {
    state.policy.moved(
        convert::now(),
        id_of(rq),
        Sector::new(rq.position()),
        rq.sectors(),
    );
}

/// Tells the policy that `next` was appended to `rq`; returns `next` if it was queued.
pub(super) fn absorbed(state: &mut State, rq: &Request, next: &Request) -> Option<Queued> {
    let (into, gone) = (id_of(rq), id_of(next));
    let queued = if state.policy.request(gone).is_some() {
        set_id(next, RqId::NONE);
        state.policy.absorb(convert::now(), into, gone)
    } else {
        // Not queued: it is on its way in, or has no slot.
        state.first.remove(next)
    };
    grown(state, rq);
    queued
}

/// Returns the neighbour of `rq` on the disk, in its queue.
pub(super) fn neighbour<'a>(
    state: &State,
    held: Held<'a>,
    rq: &Request,
    after: bool,
) -> Option<&'a Request> {
    let id = id_of(rq);
    let id = if after {
        state.policy.latter(id)
    } else {
        state.policy.former(id)
    };
    request(state, held, id?)
}

fn request<'a>(state: &State, held: Held<'a>, id: RqId) -> Option<&'a Request> {
    state.policy.request(id)?.get(held)
}
