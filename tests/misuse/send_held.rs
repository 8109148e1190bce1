// SPDX-License-Identifier: GPL-2.0

// E0277: The lock is held by one context, so its witness stays there.

fn send<T: Send>(_it: T) {}

fn misuse(guard: &elevator::Guard<'_, Fifo>) {
    send(guard.held());
}
