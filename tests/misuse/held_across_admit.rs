// SPDX-License-Identifier: GPL-2.0

// E0499: A new request is merged in `admit`, so a witness from before it is void.

fn misuse(guard: &mut elevator::Guard<'_, Fifo>, rq: elevator::Incoming) -> Option<u64> {
    let (_fifo, held) = guard.split();
    let rq = guard.admit(rq, false)?;
    Some(rq.get(held)?.position())
}
