// SPDX-License-Identifier: GPL-2.0

// E0621: The witness of a callback is void when it returns, and so is what it gave.

fn misuse<'a>(rq: &'a Queued, held: Held<'_>) -> Option<&'a Request> {
    rq.get(held)
}
