// SPDX-License-Identifier: GPL-2.0

// E0599: A queued request is not a `Request`: others may be writing to it.

fn misuse(rq: &Queued) -> u64 {
    rq.position()
}
