// SPDX-License-Identifier: GPL-2.0

// none: What the others begin with, done properly; so that they are refused for what they say.

fn keeps_in_order(guard: &mut elevator::Guard<'_, Fifo>, list: &mut RequestList<'_>) -> u64 {
    let mut last = 0;
    while let Some(rq) = list.pop_front() {
        let position = rq.position();
        let Some(rq) = guard.admit(rq, false) else {
            continue;
        };
        let (fifo, held) = guard.split();
        let request = rq.get(held);
        fifo.push_back(rq);
        last = request.map_or(position, |request| request.position());
    }
    last
}

fn keeps_elsewhere(elv: &Elevator<Fifo>, rq: Queued) -> Option<u64> {
    fn send<T: Send>(it: T) -> T {
        it
    }
    let rq = send(rq);
    let guard = elv.lock();
    let position = rq.get(guard.held())?.position();
    drop(guard);
    let mut fifo = RequestFifo::new();
    fifo.push_back(rq);
    send(fifo);
    Some(position)
}
