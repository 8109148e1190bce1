// SPDX-License-Identifier: GPL-2.0

// E0502: Merging writes to requests, so none is looked at meanwhile.

fn misuse<'a>(
    guard: &mut elevator::Guard<'_, Fifo>,
    rq: &Queued,
    submission: Submission<'a>,
) -> Option<u64> {
    let request = rq.get(guard.held())?;
    let _merged = guard.try_merge(submission);
    Some(request.position())
}
