// SPDX-License-Identifier: GPL-2.0

//! The block core between processes, scheduler and disk, driven by events in virtual time.
//!
//! Requests need a tag from submission to completion; there are twice as many as the host takes at
//! once, and writes that nobody waits for may have three quarters. Flushes pass the scheduler by.
//! There is no merging: processes make requests of the size that would come out of it.

use crate::elevator::Elevator;
use crate::io::{
    Io,
    Rq, //
};
use crate::program::{
    Action,
    Ctx,
    Program, //
};
use crate::rng::Rng;
use crate::task::{
    Spec,
    Task, //
};
use rcfq_disks::{
    Command,
    Device,
    Op, //
};
use std::cmp::Reverse;
use std::collections::{
    BinaryHeap,
    VecDeque, //
};
use std::mem::take;

/// So many events without any time passing are no progress.
const STUCK: u32 = 1_000_000;

/// What is set at the block core, and what only a simulator can do.
#[derive(Clone, Copy, Debug, Default)]
pub struct Switches {
    /// Check all invariants after every event.
    pub check: bool,
    /// Overlook that an arrival ends the wait for it if others are queued: no busy-queue kick.
    pub no_kick: bool,
    /// Another number of tags (`nr_requests`).
    pub tags: Option<usize>,
    /// End at once any wait that begins with the last request of a process that seeks.
    pub no_tree_idling: bool,
}

/// What happens at some instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    /// A task is woken, with a word.
    Wake(usize, u64),
    /// Somebody asks at last, where a kick was overlooked.
    Late,
}

#[derive(Clone, Copy, Debug)]
struct Flight {
    rq: Rq,
    born: u64,
}

/// A machine with one disk.
#[derive(Debug)]
pub struct Machine {
    /// The scheduler.
    pub elevator: Box<dyn Elevator>,
    /// The tasks, those that have gone too.
    pub tasks: Vec<Task>,
    disk: Box<dyn Device>,
    switches: Switches,
    rng: Rng,
    now: u64,
    events: BinaryHeap<Reverse<(u64, u64, Event)>>,
    event: u64,
    flights: Vec<Option<Flight>>,
    free: Vec<usize>,
    async_tags: usize,
    async_used: usize,
    /// Requests without a tag: those waited for, and others.
    tagless: [VecDeque<(Rq, u64)>; 2],
    bypass: VecDeque<usize>,
    full: bool,
    inside: usize,
    /// Whose request was done last.
    holder: usize,
    hash: u64,
}

impl Machine {
    /// Builds a machine; nothing happens before [`run`](Self::run).
    pub fn new(
        disk: Box<dyn Device>,
        elevator: Box<dyn Elevator>,
        tasks: Vec<Spec>,
        switches: Switches,
        seed: u64,
    ) -> Self {
        // A disk whose own depth is lower still sits behind a host that takes 32.
        let own = 2 * disk.traits().depth.clamp(32, 128) as usize;
        let tags = switches.tags.unwrap_or(own).clamp(1, 1024);
        let mut machine = Machine {
            elevator,
            tasks: Vec::new(),
            disk,
            switches,
            rng: Rng::new(seed),
            now: 0,
            events: BinaryHeap::new(),
            event: 0,
            flights: vec![None; tags],
            free: (0..tags).rev().collect(),
            async_tags: (tags * 3 / 4).max(1),
            async_used: 0,
            tagless: [VecDeque::new(), VecDeque::new()],
            bypass: VecDeque::new(),
            full: false,
            inside: 0,
            holder: usize::MAX,
            hash: 0xcbf2_9ce4_8422_2325,
        };
        for spec in tasks {
            machine.start(spec);
        }
        machine
    }

    /// Returns the time.
    pub fn now(&self) -> u64 {
        self.now
    }

    /// Returns a number that two runs share if they had the same events.
    pub fn trace(&self) -> u64 {
        self.hash
    }

    /// Runs until `end`, or until nothing happens any more.
    ///
    /// # Errors
    ///
    /// Tells which invariant is broken, or that requests are stuck.
    pub fn run(&mut self, end: u64) -> Result<(), String> {
        let mut standing = 0;
        while let Some(when) = self.next_event().filter(|&when| when <= end) {
            standing = if when > self.now { 0 } else { standing + 1 };
            if standing > STUCK {
                return Err(self.broken("time does not pass"));
            }
            self.now = self.now.max(when);
            self.step();
            if self.switches.check {
                self.check()?;
            }
        }
        self.check()?;
        if self.next_event().is_some() {
            self.now = end;
        }
        let waiting = self
            .flights
            .iter()
            .flatten()
            .map(|flight| (flight.rq.task, flight.born));
        let tagless = self
            .tagless
            .iter()
            .flatten()
            .map(|(rq, born)| (rq.task, *born));
        for (task, born) in waiting.chain(tagless) {
            self.tasks[task].tally.left(self.now, born);
        }
        Ok(())
    }

    fn broken(&self, what: &str) -> String {
        format!("at {} ns: {what}", self.now)
    }

    /// Checks what must hold between two events.
    fn check(&self) -> Result<(), String> {
        self.elevator.check().map_err(|what| self.broken(&what))?;
        let tagged = self.flights.iter().flatten().count();
        if tagged != self.elevator.queued() + self.bypass.len() + self.inside {
            return Err(self.broken("a request is lost"));
        }
        let queued = self.elevator.queued() + self.bypass.len() > 0;
        if queued && self.inside == 0 && !self.is_promised() {
            return Err(self.broken("requests are queued, and nobody will ever ask for them"));
        }
        if self.inside > 0 && self.disk.next_event().is_none() {
            return Err(self.broken("the disk has commands and will never be done"));
        }
        Ok(())
    }

    /// Returns whether the scheduler will be asked, with the disk empty.
    fn is_promised(&self) -> bool {
        self.elevator.poll_at().is_some()
            || self.events.iter().any(|event| event.0 .2 == Event::Late)
    }

    fn next_event(&self) -> Option<u64> {
        let event = self.events.peek().map(|Reverse(event)| event.0);
        let others = [self.disk.next_event(), self.elevator.poll_at()];
        event.into_iter().chain(others.into_iter().flatten()).min()
    }

    /// Lets the one next thing happen.
    fn step(&mut self) {
        let due = |when: Option<u64>| when.is_some_and(|when| when <= self.now);
        if due(self.disk.next_event()) {
            let mut done = Vec::new();
            self.disk.advance(self.now, &mut done);
            for id in done {
                self.complete(id as usize);
            }
        } else if due(self.elevator.poll_at()) {
            self.note([1, 0, 0]);
            if self.elevator.timer(self.now) {
                self.run_queue();
            }
        } else if let Some(Reverse((_, _, event))) = self.events.pop() {
            match event {
                Event::Wake(task, word) => self.go_on(task, |program, ctx| program.wake(ctx, word)),
                Event::Late => self.run_queue(),
            }
        }
    }

    fn at(&mut self, when: u64, event: Event) {
        self.event += 1;
        self.events.push(Reverse((when, self.event, event)));
    }

    fn start(&mut self, spec: Spec) {
        let task = self.tasks.len();
        self.at(self.now + spec.start_ns, Event::Wake(task, 0));
        self.tasks.push(spec.into());
    }

    /// Adds to the hash of the event log (FNV-1a, by words).
    fn note(&mut self, words: [u64; 3]) {
        for word in [self.now].into_iter().chain(words) {
            self.hash = (self.hash ^ word).wrapping_mul(0x0000_0100_0000_01b3);
            self.hash ^= self.hash >> 29;
        }
    }

    /// Lets a process act.
    fn go_on(&mut self, task: usize, act: impl FnOnce(&mut dyn Program, &mut Ctx<'_>)) {
        let Some(program) = self.tasks[task].program.as_mut() else {
            return;
        };
        let mut actions = Vec::new();
        let mut ctx = Ctx {
            now: self.now,
            me: task,
            rng: &mut self.rng,
            actions: &mut actions,
        };
        act(program.as_mut(), &mut ctx);
        let mut run = false;
        let mut deaf = None;
        for action in actions {
            match action {
                Action::Submit(io) => {
                    let rq = Rq {
                        id: 0,
                        task,
                        ioprio: self.tasks[task].ioprio,
                        io,
                    };
                    let wait_end = self.elevator.poll_at();
                    run |= self.submit(rq, self.now);
                    let others = self.elevator.queued() > 1;
                    if self.switches.no_kick && others && self.elevator.poll_at().is_none() {
                        deaf = deaf.or(wait_end);
                    }
                }
                Action::Wake(after, word) => self.at(self.now + after, Event::Wake(task, word)),
                Action::Signal(other, word) => self.at(self.now, Event::Wake(other, word)),
                Action::Operation(ns) => self.tasks[task].tally.operations.push(ns),
                Action::Fork(spec) => self.start(*spec),
                Action::Exit => {
                    self.tasks[task].program = None;
                    run |= self.elevator.exit(self.now, task);
                }
            }
        }
        match deaf {
            Some(until) => self.at(until, Event::Late),
            None if run => self.run_queue(),
            None => {}
        }
    }

    /// Inserts a request if it can have a tag; returns whether to run the queue.
    fn submit(&mut self, rq: Rq, born: u64) -> bool {
        let sync = rq.io.sync;
        if !sync && self.async_used >= self.async_tags {
            self.tagless[1].push_back((rq, born));
            return false;
        }
        let Some(id) = self.free.pop() else {
            self.tagless[usize::from(!sync)].push_back((rq, born));
            return false;
        };
        self.async_used += usize::from(!sync);
        let rq = Rq { id, ..rq };
        self.flights[id] = Some(Flight { rq, born });
        self.note([2, rq.task as u64, rq.io.sector]);
        if rq.io.op == Op::Flush {
            self.bypass.push_back(id);
            return true;
        }
        self.elevator.insert(self.now, &rq) || self.elevator.has_work()
    }

    fn complete(&mut self, id: usize) {
        let Some(Flight { rq, born }) = self.flights[id].take() else {
            return;
        };
        self.inside -= 1;
        self.note([3, rq.task as u64, rq.io.sector]);
        let mut run = take(&mut self.full);
        if rq.io.op != Op::Flush {
            run |= self.elevator.complete(self.now, id);
            run |= self.hurry(rq.task);
        }
        self.free.push(id);
        self.async_used -= usize::from(!rq.io.sync);
        for kind in [0, 1] {
            if let Some((rq, born)) = self.tagless[kind].pop_front() {
                run |= self.submit(rq, born);
            }
        }
        if run {
            self.run_queue();
        }
        let tally = &mut self.tasks[rq.task].tally;
        if std::mem::replace(&mut self.holder, rq.task) == rq.task {
            tally.held_ns += self.now - tally.last_ns;
        }
        tally.done(self.now, born, rq.io.bytes());
        self.go_on(rq.task, |program, ctx| program.done(ctx, &rq.io, born));
    }

    /// Ends a wait that has just begun for a process that seeks, if that is switched on.
    fn hurry(&mut self, task: usize) -> bool {
        if !self.switches.no_tree_idling || !self.tasks[task].seeky {
            return false;
        }
        let wait = self.elevator.poll_at();
        wait.is_some_and(|until| self.elevator.timer(until))
    }

    /// What the core does when a hardware queue is run.
    fn run_queue(&mut self) {
        while !self.bypass.is_empty() || self.elevator.has_work() {
            if self.inside >= self.disk.traits().depth as usize {
                self.full = true;
                return;
            }
            let next = self.bypass.pop_front();
            let Some(id) = next.or_else(|| self.elevator.dispatch(self.now)) else {
                return;
            };
            let Some(Flight { rq, .. }) = self.flights[id] else {
                return;
            };
            self.note([4, rq.task as u64, rq.io.sector]);
            self.inside += 1;
            let Io {
                op,
                sector,
                sectors,
                ..
            } = rq.io;
            let sent = self.disk.submit(
                self.now,
                Command {
                    id: id as u64,
                    op,
                    sector,
                    sectors,
                },
            );
            debug_assert!(sent.is_ok(), "the disk is never asked for too much");
        }
    }
}
