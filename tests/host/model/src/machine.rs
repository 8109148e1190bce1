// SPDX-License-Identifier: GPL-2.0

//! The block core around the policy, driven by events in virtual time.

use crate::disk::{
    Disk,
    Job,
    Timing, //
};
use crate::memory::{
    lent,
    Lent, //
};
use crate::task::Task;
use rcfq_policy::policy as api;
use rcfq_policy::policy::{
    Arrival,
    Decision,
    Kick,
    Owner,
    RqId,
    Scheduler,
    Sector,
    Time,
    Tunables, //
};
use std::cmp::Reverse;
use std::collections::{
    BinaryHeap,
    HashMap, //
};

/// What happens at some instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    /// The disk is done with a request.
    Done(u64),
    /// The policy's timer.
    Timer,
    /// A task makes its next request.
    Wake(usize),
    /// Somebody asks at last, where a kick was overlooked.
    Late,
}

/// A request under way.
#[derive(Clone, Copy, Debug)]
struct Flight {
    task: usize,
    born: u64,
    position: u64,
    sectors: u32,
    id: RqId,
}

/// A machine with one disk.
#[derive(Debug)]
pub struct Machine {
    /// The scheduler under test.
    pub sched: Scheduler<u64, Lent>,
    /// The tasks and what became of them.
    pub tasks: Vec<Task>,
    /// Every dispatch: when, and whose.
    pub log: Vec<(u64, usize)>,
    /// Whether an arrival that ends a refusal is overlooked, as if there were no kick.
    pub deaf: bool,
    now: u64,
    disk: Disk,
    events: BinaryHeap<Reverse<(u64, u64, Event)>>,
    flights: HashMap<u64, Flight>,
    next_rq: u64,
    next_event: u64,
    full: bool,
    gap: u64,
}

impl Machine {
    /// Builds a machine; nothing happens before [`run`](Self::run).
    pub fn new(timing: Timing, depth: u32, tasks: Vec<Task>) -> Self {
        let disk = api::Disk {
            rotational: matches!(timing, Timing::Seeking { .. }),
            depth,
        };
        let memory = lent(1024, 64, 96);
        let mut machine = Machine {
            sched: Scheduler::new(Time::ZERO, memory, disk, Tunables::for_disk(disk)),
            tasks,
            log: Vec::new(),
            deaf: false,
            now: 0,
            disk: Disk::new(timing, depth as usize),
            events: BinaryHeap::new(),
            flights: HashMap::new(),
            next_rq: 1,
            next_event: 0,
            full: false,
            gap: 0,
        };
        for task in 0..machine.tasks.len() {
            for _ in 0..machine.tasks[task].depth {
                machine.at(0, Event::Wake(task));
            }
        }
        machine
    }

    /// Runs for so many milliseconds more, or until nothing happens any more.
    ///
    /// # Panics
    ///
    /// If requests are queued and nothing would ever happen.
    pub fn run(&mut self, ms: u64) {
        let end = self.now + ms * 1_000_000;
        while let Some(Reverse((when, _, event))) = self.events.peek().copied() {
            if when > end {
                break;
            }
            self.events.pop();
            if self.disk.is_idle() && !self.sched.is_empty() {
                self.gap += when - self.now;
            }
            self.now = when;
            self.happen(event);
            self.arm();
        }
        assert!(
            !self.events.is_empty() || self.sched.is_empty(),
            "requests are queued, and nobody will ever ask for them"
        );
        if !self.events.is_empty() {
            self.now = end;
        }
    }

    /// Returns the virtual time, in nanoseconds.
    pub fn now(&self) -> u64 {
        self.now
    }

    /// Returns how long the disk had nothing to do while requests were queued.
    pub fn gap(&self) -> u64 {
        self.gap
    }

    /// Returns how long the disk has worked.
    pub fn busy(&self) -> u64 {
        self.disk.busy_ns()
    }

    fn time(&self) -> Time {
        Time::from_ns(self.now)
    }

    fn at(&mut self, when: u64, event: Event) {
        self.next_event += 1;
        self.events.push(Reverse((when, self.next_event, event)));
    }

    /// Sets the timer; an old setting that fires early does no harm.
    fn arm(&mut self) {
        if let Some(when) = self.sched.poll_at() {
            let known = self
                .events
                .iter()
                .any(|Reverse(event)| event.2 == Event::Timer && event.0 == when.as_ns());
            if !known {
                self.at(when.as_ns(), Event::Timer);
            }
        }
    }

    fn happen(&mut self, event: Event) {
        let now = self.time();
        match event {
            Event::Timer => {
                if self.sched.timer(now) == Kick::Run {
                    self.run_queue();
                }
            }
            Event::Done(rq) => {
                self.disk.end();
                let flight = self.flights.remove(&rq).expect("a flight ends once");
                let task = &mut self.tasks[flight.task];
                task.done += 1;
                task.worst = task.worst.max(self.now - flight.born);
                let think = task.think;
                let kick = self.sched.complete(now, flight.id);
                self.at(self.now + think, Event::Wake(flight.task));
                if kick == Kick::Run || std::mem::take(&mut self.full) {
                    self.run_queue();
                }
                self.turn();
            }
            Event::Wake(task) => self.submit(task),
            Event::Late => self.run_queue(),
        }
    }

    fn submit(&mut self, index: usize) {
        let now = self.time();
        let task = &mut self.tasks[index];
        if task.made >= task.total {
            return;
        }
        task.process = self.sched.process(now, task.process);
        let position = task.step();
        let rq = self.next_rq;
        self.next_rq += 1;
        let arrival = Arrival {
            owner: Owner {
                process: task.process,
                sync: task.sync,
                ioprio: task.ioprio,
            },
            position: Sector::new(position),
            sectors: task.sectors,
            write: task.write,
            payload: api::Payload::Data,
            idle_hint: false,
            prio: task.prio,
            born: now,
        };
        let sectors = task.sectors;
        let wait_end = self.sched.poll_at();
        let (id, kick) = self
            .sched
            .insert(now, arrival, rq)
            .expect("there is a slot for every request");
        self.flights.insert(
            rq,
            Flight {
                task: index,
                born: self.now,
                position,
                sectors,
                id,
            },
        );
        match wait_end {
            Some(until) if self.deaf && self.sched.poll_at().is_none() => {
                self.at(until.as_ns(), Event::Late);
            }
            _ if kick == Kick::Run || self.sched.has_work() => self.run_queue(),
            _ => {}
        }
    }

    /// What the core does when a hardware queue is run.
    fn run_queue(&mut self) {
        let now = self.time();
        while self.sched.has_work() {
            if !self.disk.has_room() {
                self.full = true;
                break;
            }
            match self.sched.dispatch(now) {
                Decision::Dispatch { rq, id } => {
                    let flight = self.flights.get_mut(&rq).expect("a known request");
                    flight.id = id;
                    self.log.push((self.now, flight.task));
                    self.disk.submit(Job {
                        rq,
                        position: flight.position,
                        sectors: flight.sectors,
                    });
                }
                Decision::Idle { .. } | Decision::Nothing => break,
            }
        }
        self.turn();
    }

    /// Lets the disk go on.
    fn turn(&mut self) {
        while let Some((job, time)) = self.disk.start() {
            self.at(self.now + time, Event::Done(job.rq));
        }
    }
}
