// SPDX-License-Identifier: GPL-2.0

// E0505: A request is not looked at when the lock is released.

fn misuse(elv: &Elevator<Fifo>, rq: &Queued) -> Option<u64> {
    let guard = elv.lock();
    let request = rq.get(guard.held())?;
    drop(guard);
    Some(request.position())
}
