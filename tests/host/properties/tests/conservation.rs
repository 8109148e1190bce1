// SPDX-License-Identifier: GPL-2.0

//! Random events, in any order that the block core may produce and some that it should not.
//!
//! After every event all invariants are checked, the promise about kicks among them.

use proptest::prelude::*;
use rcfq_model::{
    lent,
    Lent, //
};
use rcfq_policy::policy::*;
use std::collections::{
    BTreeMap,
    BTreeSet, //
};

const TASKS: usize = 6;

#[derive(Clone, Debug)]
enum Op {
    Insert {
        task: usize,
        sync: bool,
        ioprio: (u8, u8),
        place: u64,
        sectors: u32,
        write: bool,
        prio: bool,
        head: bool,
    },
    Dispatch(u8),
    Complete(usize),
    Requeue(usize),
    Reinsert(usize),
    Cancel(usize),
    Absorb(usize, usize),
    Front(usize, u32),
    Back(usize, u32),
    Exit(usize),
    Timer,
    Advance(u32),
    Tune(u8),
    Grow,
    Stale(u64),
}

fn op() -> impl Strategy<Value = Op> {
    let insert = (
        (0..TASKS, any::<bool>(), (0u8..3, 0u8..8), 0u64..64),
        (1u32..40, any::<bool>(), any::<bool>(), 0u8..8),
    )
        .prop_map(
            |((task, sync, ioprio, place), (sectors, write, prio, head))| Op::Insert {
                task,
                sync,
                ioprio,
                place,
                sectors,
                write,
                prio,
                head: head == 0,
            },
        );
    let place = any::<u16>().prop_map(usize::from);
    prop_oneof![
        12 => insert,
        12 => (1u8..4).prop_map(Op::Dispatch),
        8 => place.clone().prop_map(Op::Complete),
        1 => place.clone().prop_map(Op::Requeue),
        1 => place.clone().prop_map(Op::Reinsert),
        1 => place.clone().prop_map(Op::Cancel),
        1 => (place.clone(), place.clone()).prop_map(|(a, b)| Op::Absorb(a, b)),
        1 => (place.clone(), 1u32..20).prop_map(|(a, by)| Op::Front(a, by)),
        1 => (place, 1u32..20).prop_map(|(a, by)| Op::Back(a, by)),
        1 => (0..TASKS).prop_map(Op::Exit),
        3 => Just(Op::Timer),
        6 => (1u32..20_000).prop_map(Op::Advance),
        1 => (0u32..3_000_000).prop_map(Op::Advance),
        1 => (0u8..6).prop_map(Op::Tune),
        1 => Just(Op::Grow),
        1 => any::<u64>().prop_map(Op::Stale),
    ]
}

/// What the world outside knows.
struct World {
    sched: Scheduler<u64, Lent>,
    now: Time,
    next: u64,
    tasks: [ProcessId; TASKS],
    queued: BTreeMap<u64, RqId>,
    away: BTreeMap<u64, RqId>,
    back: BTreeMap<u64, RqId>,
    bounds: BTreeMap<u64, (u64, u32)>,
    ended: BTreeSet<u64>,
    refused: bool,
    capacity: usize,
    log: Vec<u64>,
}

impl World {
    fn new(rotational: bool, depth: u32) -> Self {
        let disk = Disk { rotational, depth };
        let tunables = Tunables::for_disk(disk);
        World {
            // Too few of everything, so that each way out is taken.
            sched: Scheduler::new(Time::from_ns(1_000), lent(20, 4, 8), disk, tunables),
            now: Time::from_ns(1_000),
            next: 1,
            tasks: [ProcessId::NONE; TASKS],
            queued: BTreeMap::new(),
            away: BTreeMap::new(),
            back: BTreeMap::new(),
            bounds: BTreeMap::new(),
            ended: BTreeSet::new(),
            refused: false,
            capacity: 20,
            log: Vec::new(),
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
        let had_work = self.sched.has_work();
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
                let _ = had_work;
                false
            }
        }
    }

    fn apply(&mut self, op: &Op) {
        self.refused = !self.sched.has_work() && !self.sched.is_empty();
        match *op {
            Op::Insert {
                task,
                sync,
                ioprio: (class, level),
                place,
                sectors,
                write,
                prio,
                head,
            } => {
                self.tasks[task] = self.sched.process(self.now, self.tasks[task]);
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
                        process: self.tasks[task],
                        sync,
                        ioprio,
                    },
                    position: Sector::new(place * 8),
                    sectors,
                    write: write || !sync,
                    idle_hint: prio,
                    prio,
                    born: self.now,
                };
                let fallback = self.sched.stats().fallback_used;
                let rq = self.next;
                self.next += 1;
                let result = if head {
                    self.sched.insert_head(self.now, arrival, rq)
                } else {
                    self.sched.insert(self.now, arrival, rq)
                };
                match result {
                    Ok((id, kick)) => {
                        assert_eq!(self.sched.request(id), Some(&rq));
                        self.queued.insert(rq, id);
                        self.bounds.insert(rq, (place * 8, sectors));
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
                            assert_eq!(self.bounds[&found].0, place * 8);
                        }
                    }
                    Err(given_back) => {
                        assert_eq!(given_back, rq);
                        let held = self.queued.len() + self.away.len() + self.back.len();
                        assert_eq!(held, self.capacity, "refused with room left");
                    }
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
                    assert_eq!(self.sched.complete(self.now, id), Kick::None);
                }
            }
            Op::Requeue(index) => {
                if let Some((rq, id)) = Self::pick(&self.away, index) {
                    self.away.remove(&rq);
                    self.back.insert(rq, id);
                    let kick = self.sched.requeue(self.now, id);
                    self.heard(kick);
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
                    bounds.1 += by as u32;
                    self.sched
                        .moved(self.now, id, Sector::new(bounds.0), bounds.1);
                }
            }
            Op::Back(index, by) => {
                if let Some((rq, id)) = Self::pick(&self.queued, index) {
                    let bounds = self.bounds.get_mut(&rq).expect("it is known");
                    bounds.1 += by;
                    self.sched
                        .moved(self.now, id, Sector::new(bounds.0), bounds.1);
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
    fn drain(&mut self) {
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
    }

    /// Requests that were refused at insertion.
    fn lost(&self) -> u64 {
        let stats = self.sched.stats();
        self.next - 1 - stats.inserted - stats.inserted_head
    }
}

proptest! {
    #![proptest_config(rcfq_properties::cases(1500))]

    #[test]
    fn every_request_comes_out_exactly_once(
        rotational in any::<bool>(),
        depth in prop_oneof![Just(1u32), Just(4), Just(32)],
        ops in prop::collection::vec(op(), 1..160),
    ) {
        let mut world = World::new(rotational, depth);
        for op in &ops {
            world.apply(op);
        }
        world.drain();
        let stats = world.sched.stats().clone();
        prop_assert_eq!(
            stats.inserted + stats.inserted_head,
            stats.completed + stats.cancelled + stats.absorbed
        );
        prop_assert_eq!(
            stats.idle_armed,
            stats.idle_hit + stats.idle_expired + stats.idle_cut
        );
    }

    #[test]
    fn same_input_same_output(
        rotational in any::<bool>(),
        ops in prop::collection::vec(op(), 1..120),
    ) {
        let run = || {
            let mut world = World::new(rotational, 32);
            for op in &ops {
                world.apply(op);
            }
            world.drain();
            (world.log, world.sched.stats().clone())
        };
        prop_assert_eq!(run(), run());
    }
}
