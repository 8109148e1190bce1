// SPDX-License-Identifier: GPL-2.0

// E0277: What is kept behind the lock was admitted: only `Queued` may be sent.

fn send<T: Send>(_it: T) {}

fn misuse(rq: elevator::Incoming) {
    send(rq);
}
