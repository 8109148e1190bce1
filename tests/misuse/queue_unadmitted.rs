// SPDX-License-Identifier: GPL-2.0

// E0308: A FIFO holds what was admitted.

fn misuse(fifo: &mut RequestFifo, list: &mut RequestList<'_>) {
    while let Some(rq) = list.pop_front() {
        fifo.push_back(rq);
    }
}
