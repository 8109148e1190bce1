// SPDX-License-Identifier: GPL-2.0

//! A world that produces any event at any time, also what the block core never would.
//!
//! It knows what it handed in, so it notices when a request is lost, comes out twice or waits for
//! nothing. After every event all invariants are checked, the promise about kicks among them. The
//! events are chosen by proptest or, as bytes, by a fuzzer.

use crate::op::{
    Op,
    Whose,
    TASKS, //
};
use crate::{
    lent,
    Lent, //
};
use rcfq_policy::policy::*;
use std::collections::{
    BTreeMap,
    BTreeSet, //
};

/// When the world begins.
const START: Time = Time::from_ns(1_000);

/// What is known outside of the policy.
pub struct World {
    sched: Scheduler<u64, Lent>,
    now: Time,
    next: u64,
    /// When something was inserted last.
    inserted: Time,
    tasks: [ProcessId; TASKS],
    queued: BTreeMap<u64, RqId>,
    away: BTreeMap<u64, RqId>,
    back: BTreeMap<u64, RqId>,
    bounds: BTreeMap<u64, (u64, u32)>,
    ended: BTreeSet<u64>,
    refused: bool,
    capacity: usize,
    depth: usize,
    log: Vec<u64>,
}

impl World {
    /// Makes a world with too little of everything, so that each way out is taken.
    pub fn new(rotational: bool, depth: u32) -> Self {
        Self::with_room(rotational, depth, 20, 4, 8)
    }

    /// Makes a world with room for so many requests, processes and queues.
    pub fn with_room(
        rotational: bool,
        depth: u32,
        requests: usize,
        processes: usize,
        queues: usize,
    ) -> Self {
        let disk = Disk { rotational, depth };
        let tunables = Tunables::for_disk(disk);
        World {
            sched: Scheduler::new(START, lent(requests, processes, queues), disk, tunables),
            now: START,
            next: 1,
            inserted: Time::ZERO,
            tasks: [ProcessId::NONE; TASKS],
            queued: BTreeMap::new(),
            away: BTreeMap::new(),
            back: BTreeMap::new(),
            bounds: BTreeMap::new(),
            ended: BTreeSet::new(),
            refused: false,
            capacity: requests,
            depth: depth as usize,
            log: Vec::new(),
        }
    }

    fn process(&mut self, whose: Whose) -> ProcessId {
        match whose {
            Whose::Task(task) => {
                self.tasks[task] = self.sched.process(self.now, self.tasks[task]);
                self.tasks[task]
            }
            Whose::Name(raw) => ProcessId::from_raw(raw),
        }
    }

    fn pick(map: &BTreeMap<u64, RqId>, index: usize) -> Option<(u64, RqId)> {
        if map.is_empty() {
            return None;
        }
        map.iter().nth(index % map.len()).map(|(rq, id)| (*rq, *id))
    }

    /// Notes the kick of an event: whoever was refused must hear of it.
    fn heard(&mut self, kick: Kick) {
        if self.refused && self.sched.has_work() {
            assert_eq!(kick, Kick::Run, "a refusal ended without a kick");
        }
        if kick == Kick::Run {
            assert!(self.sched.has_work(), "a kick without work");
        }
    }

    fn end(&mut self, rq: u64) {
        assert!(self.ended.insert(rq), "a request ended twice");
        self.bounds.remove(&rq);
    }

    fn dispatch(&mut self) -> bool {
        match self.sched.dispatch(self.now) {
            Decision::Dispatch { rq, id } => {
                let known = self
                    .queued
                    .remove(&rq)
                    .expect("dispatched once, and queued");
                assert_eq!(known, id);
                self.away.insert(rq, id);
                self.log.push(rq);
                true
            }
            Decision::Idle { until } => {
                assert_eq!(self.sched.poll_at(), Some(until));
                assert!(!self.sched.has_work());
                false
            }
            Decision::Nothing => {
                assert!(!self.sched.has_work());
                assert!(self.sched.is_empty() || self.sched.in_driver() > 0);
                false
            }
        }
    }

    /// Lets one event happen.
    pub fn apply(&mut self, op: &Op) {
        self.refused = !self.sched.has_work() && !self.sched.is_empty();
        match *op {
            Op::Insert {
                whose,
                sync,
                ioprio: (class, level),
                place,
                sectors,
                write,
                prio,
                head,
            } => {
                let process = self.process(whose);
                let class = match class {
                    0 => Class::RealTime,
                    1 => Class::BestEffort,
                    _ => Class::Idle,
                };
                let ioprio = Ioprio {
                    class,
                    level: Level::new(level),
                };
                let arrival = Arrival {
                    owner: Owner {
                        process,
                        sync,
                        ioprio,
                    },
                    position: Sector::new(place),
                    sectors,
                    write: write || !sync,
                    payload: match sectors {
                        513..=768 if write => Payload::Zeroes,
                        769.. if write => Payload::Nothing,
                        _ => Payload::Data,
                    },
                    idle_hint: prio,
                    prio,
                    born: self.now,
                };
                let fallback = self.sched.stats().fallback_used;
                let rq = self.next;
                self.next += 1;
                self.inserted = self.inserted.max(self.now);
                let result = if head {
                    self.sched.insert_head(self.now, arrival, rq)
                } else {
                    self.sched.insert(self.now, arrival, rq)
                };
                match result {
                    Ok((id, kick)) => {
                        assert_eq!(self.sched.request(id), Some(&rq));
                        self.queued.insert(rq, id);
                        self.bounds.insert(rq, (place, sectors));
                        self.heard(kick);
                        if sync && self.sched.tunables().is_flash() {
                            assert!(self.sched.has_work(), "flash refuses a sync request");
                        }
                        if !head && fallback == self.sched.stats().fallback_used {
                            assert!(self.sched.may_merge(arrival.owner, id));
                            let found = self
                                .sched
                                .front_candidate(arrival.owner, arrival.position)
                                .expect("a request starts there");
                            let found = *self.sched.request(found).expect("it is queued");
                            assert_eq!(self.bounds[&found].0, place);
                        }
                    }
                    Err(given_back) => {
                        assert_eq!(given_back, rq);
                        // Those that have passed need no slot.
                        let away = self.away.values().filter(|id| **id != RqId::PASSED);
                        let held = self.queued.len() + away.count() + self.back.len();
                        assert_eq!(held, self.capacity, "refused with room left");
                    }
                }
            }
            Op::Pass => {
                let room = self.away.len() < self.depth && self.queued.is_empty();
                // Betters are about for some time after they came.
                let quiet = self.now.saturating_since(self.inserted) >= Span::from_ms(5);
                let sure = room && quiet && self.away.is_empty();
                let id = self.sched.pass(self.now, Ioprio::NORM);
                let flash = self.sched.tunables().is_flash();
                assert!(id.is_none() || (flash && room));
                assert!(id.is_some() || !(flash && sure));
                self.sched.held_up(u32::from(self.next % 5 == 0));
                if let Some(id) = id {
                    self.away.insert(self.next, id);
                    self.log.push(self.next);
                    self.next += 1;
                }
            }
            Op::Dispatch(times) => {
                for _ in 0..times {
                    if !self.dispatch() {
                        break;
                    }
                }
            }
            Op::Complete(index) => {
                if let Some((rq, id)) = Self::pick(&self.away, index) {
                    self.away.remove(&rq);
                    self.end(rq);
                    let kick = self.sched.complete(self.now, id);
                    self.heard(kick);
                    if id != RqId::PASSED {
                        assert_eq!(self.sched.complete(self.now, id), Kick::None);
                    }
                }
            }
            Op::Requeue(index) => {
                if let Some((rq, id)) = Self::pick(&self.away, index) {
                    self.away.remove(&rq);
                    let kick = self.sched.requeue(self.now, id);
                    self.heard(kick);
                    if id == RqId::PASSED {
                        // It has no slot, and would come back as a new one.
                        self.end(rq);
                    } else {
                        self.back.insert(rq, id);
                    }
                }
            }
            Op::Reinsert(index) => {
                if let Some((rq, id)) = Self::pick(&self.back, index) {
                    self.back.remove(&rq);
                    self.queued.insert(rq, id);
                    let kick = self.sched.reinsert(self.now, id, rq).expect("it was away");
                    self.heard(kick);
                }
            }
            Op::Cancel(index) => {
                let maps = [&self.queued, &self.away, &self.back];
                let map = maps[index % 3];
                if let Some((rq, id)) = Self::pick(map, index / 3) {
                    let was_queued = self.queued.remove(&rq).is_some();
                    self.away.remove(&rq);
                    self.back.remove(&rq);
                    self.end(rq);
                    let (given, kick) = self.sched.cancel(self.now, id);
                    assert_eq!(given, was_queued.then_some(rq));
                    self.heard(kick);
                }
            }
            Op::Absorb(a, b) => {
                let (a, b) = (Self::pick(&self.queued, a), Self::pick(&self.queued, b));
                if let (Some((_, into)), Some((rq, gone))) = (a, b) {
                    if into != gone && self.sched.same_queue(into, gone) {
                        assert_eq!(self.sched.absorb(self.now, into, gone), Some(rq));
                        self.queued.remove(&rq);
                        self.end(rq);
                    }
                }
            }
            Op::Front(index, by) => {
                if let Some((rq, id)) = Self::pick(&self.queued, index) {
                    let bounds = self.bounds.get_mut(&rq).expect("it is known");
                    let by = u64::from(by).min(bounds.0);
                    bounds.0 -= by;
                    bounds.1 = bounds.1.saturating_add(by as u32);
                    self.sched
                        .moved(self.now, id, Sector::new(bounds.0), bounds.1);
                }
            }
            Op::Back(index, by) => {
                if let Some((rq, id)) = Self::pick(&self.queued, index) {
                    let bounds = self.bounds.get_mut(&rq).expect("it is known");
                    bounds.1 = bounds.1.saturating_add(by);
                    self.sched
                        .moved(self.now, id, Sector::new(bounds.0), bounds.1);
                }
            }
            Op::Probe(task, place) => {
                let owner = Owner {
                    process: self.tasks[task],
                    sync: true,
                    ioprio: Ioprio::NORM,
                };
                let found = self.sched.front_candidate(owner, Sector::new(place));
                if let Some(id) = found {
                    let rq = self.sched.request(id).expect("what is found is queued");
                    assert_eq!(self.bounds[rq].0, place);
                }
            }
            Op::Exit(task) => {
                let kick = self.sched.process_exit(self.now, self.tasks[task]);
                self.heard(kick);
            }
            Op::Timer => {
                let kick = self.sched.timer(self.now);
                self.heard(kick);
                if let Some(until) = self.sched.poll_at() {
                    assert!(until > self.now, "the timer left its own end standing");
                }
            }
            Op::Advance(us) => {
                self.now = self.now.saturating_add(Span::from_us(u64::from(us)));
            }
            Op::StepBack(us) => {
                self.now = self.now.saturating_sub(Span::from_us(u64::from(us)));
            }
            Op::Store(which, micro, value) => {
                let knob = KNOBS[which % KNOBS.len()].knob;
                let view = if micro { View::Micro } else { View::Plain };
                let mut tunables = self.sched.tunables().clone();
                if tunables.set(knob, view, value).is_ok() {
                    let kick = self.sched.set_tunables(self.now, tunables);
                    self.heard(kick);
                }
            }
            Op::Tune(which) => {
                let mut tunables = self.sched.tunables().clone();
                match which {
                    0 => tunables.slice_idle = Span::ZERO,
                    1 => tunables.slice_idle = Span::from_ms(8),
                    2 => tunables.quantum = 1,
                    3 => tunables.low_latency = !tunables.low_latency,
                    4 => tunables.slice_sync = Span::from_us(1),
                    _ => tunables.slice_sync = Span::from_ms(100),
                }
                let kick = self.sched.set_tunables(self.now, tunables);
                self.heard(kick);
            }
            Op::Grow => {
                if self.capacity < 40 {
                    self.capacity += 4;
                    let (larger, _, _) = lent(self.capacity, 0, 0);
                    let old = self.sched.grow_requests(larger).expect("it is larger");
                    assert_eq!(old.len(), self.capacity - 4);
                }
                let (smaller, _, _) = lent(3, 0, 0);
                assert!(self.sched.grow_requests(smaller).is_err());
            }
            Op::Stale(raw) => self.stale(RqId::from_raw(raw & 0xffff_ffff_0000_001f)),
        }
        self.check();
    }

    /// Names that mean nothing (any more) change nothing.
    fn stale(&mut self, id: RqId) {
        if self.sched.request(id).is_some()
            || self.away.values().any(|known| *known == id)
            || self.back.values().any(|known| *known == id)
        {
            return;
        }
        let before = format!("{:?}", self.sched.stats());
        assert_eq!(self.sched.complete(self.now, id), Kick::None);
        assert_eq!(self.sched.requeue(self.now, id), Kick::None);
        assert_eq!(self.sched.reinsert(self.now, id, 7), Err(7));
        assert_eq!(self.sched.cancel(self.now, id), (None, Kick::None));
        assert_eq!(self.sched.absorb(self.now, id, id), None);
        assert_eq!(self.sched.latter(id), None);
        assert!(!self.sched.same_queue(id, id));
        let kick = self
            .sched
            .process_exit(self.now, ProcessId::from_raw(id.to_raw() | (1 << 40)));
        assert_eq!(kick, Kick::None);
        assert_eq!(before, format!("{:?}", self.sched.stats()));
    }

    fn check(&self) {
        assert_eq!(self.sched.check(), Ok(()));
        assert_eq!(self.sched.queued() as usize, self.queued.len());
        assert_eq!(self.sched.in_driver() as usize, self.away.len());
        let refusing = !self.sched.has_work() && !self.sched.is_empty();
        if refusing {
            let wakes = self.sched.poll_at().is_some() || self.sched.in_driver() > 0;
            assert!(wakes, "refusing, and nothing will ever end it");
            if self.sched.tunables().is_flash() {
                assert!(self.sched.in_driver() > 0, "flash left idle");
            }
        }
        for (rq, id) in &self.queued {
            assert_eq!(self.sched.request(*id), Some(rq));
            for (near, back) in [
                (self.sched.latter(*id), Scheduler::former as fn(&_, _) -> _),
                (self.sched.former(*id), Scheduler::latter),
            ] {
                if let Some(near) = near {
                    assert_eq!(back(&self.sched, near), Some(*id));
                    assert!(self.sched.same_queue(near, *id));
                }
            }
        }
    }

    /// Serves everything that is left, without ever asking while refused.
    pub fn drain(&mut self) {
        let back: Vec<u64> = self.back.keys().copied().collect();
        for _ in back {
            self.apply(&Op::Reinsert(0));
        }
        for _ in 0..100_000 {
            if self.sched.has_work() {
                assert!(self.dispatch() || !self.sched.has_work());
            } else if !self.away.is_empty() {
                self.apply(&Op::Complete(0));
            } else if let Some(until) = self.sched.poll_at() {
                self.now = self.now.max(until);
                self.apply(&Op::Timer);
            } else {
                break;
            }
            self.check();
        }
        assert!(self.sched.is_empty() && self.queued.is_empty() && self.away.is_empty());
        assert_eq!(self.ended.len() as u64 + self.lost(), self.next - 1);
        let stats = self.sched.stats();
        assert_eq!(
            stats.inserted + stats.inserted_head,
            stats.completed + stats.cancelled + stats.absorbed
        );
        assert_eq!(
            stats.idle_armed,
            stats.idle_hit + stats.idle_expired + stats.idle_cut
        );
    }

    /// What came out, in this order.
    pub fn log(&self) -> &[u64] {
        &self.log
    }

    /// Returns the policy's counters.
    pub fn stats(&self) -> &Stats {
        self.sched.stats()
    }

    /// Requests that were refused at insertion.
    fn lost(&self) -> u64 {
        let stats = self.sched.stats();
        self.next - 1 - stats.inserted - stats.inserted_head
    }
}
