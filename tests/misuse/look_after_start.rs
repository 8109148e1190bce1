// SPDX-License-Identifier: GPL-2.0

// E0502: A request that was started belongs to the driver.

fn misuse(guard: &mut elevator::Guard<'_, Fifo>, rq: Queued) -> Option<(Dispatched, u64)> {
    let request = rq.get(guard.held())?;
    let started = guard.start(rq);
    Some((started, request.position()))
}
