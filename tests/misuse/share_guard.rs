// SPDX-License-Identifier: GPL-2.0

// E0277: Another thread with the guard could make a witness of its own.

fn share<T: Sync>(_it: &T) {}

fn misuse(guard: &elevator::Guard<'_, Fifo>) {
    share(guard);
}
