// SPDX-License-Identifier: GPL-2.0

//! The policy under test, spoken to as the kernel's glue does.

use super::Elevator;
use crate::io::Rq;
use rcfq_disks::{
    Op,
    Traits, //
};
use rcfq_policy::policy::{
    Arrival,
    Decision,
    Disk,
    Kick,
    Owner,
    Payload,
    ProcessId,
    ProcessSlot,
    QueueSlot,
    RequestSlot,
    RqId,
    Scheduler,
    Sector,
    Time,
    Tunables,
    SHARED_QUEUES, //
};
use std::iter::repeat_with;

/// As many as there can be tags.
const REQUESTS: usize = 1024;

/// More than any workload has at once, unless told so.
const PROCESSES: usize = 512;

type Lent = (Vec<RequestSlot<usize>>, Vec<ProcessSlot>, Vec<QueueSlot>);

/// Returns what the policy knows about a device.
pub fn disk(traits: Traits) -> Disk {
    Disk {
        rotational: traits.rotational,
        depth: traits.depth,
    }
}

/// The policy and the names that it gave.
#[derive(Debug)]
pub struct Rcfq {
    sched: Scheduler<usize, Lent>,
    processes: Vec<ProcessId>,
    names: Vec<RqId>,
    /// The request that has passed, until the driver takes it.
    passed: Option<usize>,
}

impl Rcfq {
    /// Makes a scheduler for a device.
    pub fn new(traits: Traits, tunables: Tunables) -> Self {
        let memory = (
            repeat_with(RequestSlot::new).take(REQUESTS).collect(),
            repeat_with(ProcessSlot::new).take(PROCESSES).collect(),
            repeat_with(QueueSlot::new)
                .take(PROCESSES + SHARED_QUEUES as usize)
                .collect(),
        );
        Rcfq {
            sched: Scheduler::new(Time::ZERO, memory, disk(traits), tunables),
            processes: Vec::new(),
            names: vec![RqId::NONE; REQUESTS],
            passed: None,
        }
    }

    /// Returns the policy.
    pub fn sched(&self) -> &Scheduler<usize, Lent> {
        &self.sched
    }
}

impl Elevator for Rcfq {
    fn insert(&mut self, now: u64, rq: &Rq) -> bool {
        let now = Time::from_ns(now);
        if rq.io.sync && !rq.io.head && self.passed.is_none() {
            if let Some(name) = self.sched.pass(now, rq.ioprio) {
                self.names[rq.id] = name;
                self.passed = Some(rq.id);
                return false;
            }
        }
        if self.processes.len() <= rq.task {
            self.processes.resize(rq.task + 1, ProcessId::NONE);
        }
        let process = self.sched.process(now, self.processes[rq.task]);
        self.processes[rq.task] = process;
        let arrival = Arrival {
            owner: Owner {
                process,
                sync: rq.io.sync,
                ioprio: rq.ioprio,
            },
            position: Sector::new(rq.io.sector),
            sectors: rq.io.sectors,
            write: rq.io.op != Op::Read,
            payload: Payload::Data,
            idle_hint: rq.io.idle_hint,
            prio: rq.io.prio,
            born: now,
        };
        let taken = if rq.io.head {
            self.sched.insert_head(now, arrival, rq.id)
        } else {
            self.sched.insert(now, arrival, rq.id)
        };
        match taken {
            Ok((name, kick)) => {
                self.names[rq.id] = name;
                kick == Kick::Run
            }
            // More slots than tags: a request that is lost here shows as a hang.
            Err(_) => false,
        }
    }

    fn dispatch(&mut self, now: u64) -> Option<usize> {
        if let Some(rq) = self.passed.take() {
            return Some(rq);
        }
        match self.sched.dispatch(Time::from_ns(now)) {
            Decision::Dispatch { rq, id } => {
                self.names[rq] = id;
                Some(rq)
            }
            Decision::Idle { .. } | Decision::Nothing => None,
        }
    }

    fn complete(&mut self, now: u64, id: usize) -> bool {
        self.sched.complete(Time::from_ns(now), self.names[id]) == Kick::Run
    }

    fn exit(&mut self, now: u64, task: usize) -> bool {
        let Some(process) = self.processes.get_mut(task) else {
            return false;
        };
        let process = std::mem::take(process);
        self.sched.process_exit(Time::from_ns(now), process) == Kick::Run
    }

    fn timer(&mut self, now: u64) -> bool {
        self.sched.timer(Time::from_ns(now)) == Kick::Run
    }

    fn poll_at(&self) -> Option<u64> {
        self.sched.poll_at().map(Time::as_ns)
    }

    fn has_work(&self) -> bool {
        self.passed.is_some() || self.sched.has_work()
    }

    fn queued(&self) -> usize {
        self.sched.queued() as usize + usize::from(self.passed.is_some())
    }

    fn check(&self) -> Result<(), String> {
        self.sched.check().map_err(str::to_owned)
    }

    fn counters(&self) -> Vec<(&'static str, u64)> {
        self.sched.stats().each().to_vec()
    }
}
