// SPDX-License-Identifier: GPL-2.0

//! Which service tree is served: the class, then the kind, and for how long.
//!
//! Source: CFQ 6.4, 6.5. The order is strict but for the tunable `patience`, which is ours: CFQ
//! lets a lower class, and async requests beside sync ones, wait for ever. Ours is also that a sync
//! kind has no second term before the other one had its own: in CFQ a single queue that comes first
//! takes its whole kind past one that waits already, for another round.

use super::id::NIL;
use super::ioprio::Class;
use super::memory::Memory;
use super::request::Request;
use super::scheduler::Scheduler;
use super::service::{
    Kind,
    TreeIndex, //
};
use super::stats::Stats;
use super::time::{
    Span,
    Time, //
};
use super::tunables::Tunables;
use super::weight::scale;

/// Async requests served at a time for those that have waited too long (ours).
///
/// A few at once, since the sync requests with the driver and the way there and back are paid for
/// only once.
const ASYNC_BATCH: u32 = 4;

/// The shortest run of slices of one kind (CFQ 2.3: two ticks; ours: of 250 Hz).
const MIN_WORKLOAD: Span = Span::from_ms(8);

/// The longest one, whatever `target_latency` says (ours): the other kinds have to wait for it.
const MAX_WORKLOAD: Span = Span::from_ms(2_000);

/// What is being served.
#[derive(Debug)]
pub(super) struct Workload {
    class: Class,
    real_time: Term,
    best_effort: Term,
}

/// The kind that a class serves, and until when it does.
#[derive(Clone, Copy, Debug)]
struct Term {
    kind: Kind,
    expires: Time,
    /// The sync kind that had the last term; async ones in between do not count.
    sync: Option<Kind>,
}

impl Term {
    const NONE: Term = Term {
        kind: Kind::Async,
        expires: Time::ZERO,
        sync: None,
    };

    /// Returns the term of `kind` that follows this one.
    fn followed_by(self, kind: Kind, expires: Time) -> Term {
        let sync = match kind {
            Kind::Async => self.sync,
            Kind::SyncNoidle | Kind::Sync => Some(kind),
        };
        Term {
            kind,
            expires,
            sync,
        }
    }
}

impl Workload {
    pub(super) const fn new() -> Self {
        Workload {
            class: Class::BestEffort,
            real_time: Term::NONE,
            best_effort: Term::NONE,
        }
    }

    /// Returns the kind that is served; the idle class has none of its own.
    pub(super) fn kind(&self) -> Kind {
        self.term(self.class).kind
    }

    fn term(&self, class: Class) -> Term {
        match class {
            Class::RealTime => self.real_time,
            Class::BestEffort | Class::Idle => self.best_effort,
        }
    }

    fn begin(&mut self, class: Class, term: Term) {
        match class {
            Class::RealTime => self.real_time = term,
            Class::BestEffort | Class::Idle => self.best_effort = term,
        }
    }

    /// Forces a new choice of the kind.
    pub(super) fn cut(&mut self) {
        self.real_time.expires = Time::ZERO;
        self.best_effort.expires = Time::ZERO;
    }
}

impl<R, M: Memory<R>> Scheduler<R, M> {
    /// Returns the best class that has busy queues.
    #[inline]
    pub(super) fn best_class(&self) -> Option<Class> {
        [Class::RealTime, Class::BestEffort, Class::Idle]
            .into_iter()
            .find(|class| self.group.has(*class))
    }

    /// Returns a class below `class` that has waited too long.
    #[inline]
    pub(super) fn starved_class(&self, now: Time, class: Class) -> Option<Class> {
        let patience = self.tunables.patience;
        if patience.is_zero() {
            return None;
        }
        [Class::BestEffort, Class::Idle].into_iter().find(|lower| {
            *lower > class && self.group.has(*lower) && self.group.waited(*lower, now) >= patience
        })
    }

    /// Returns whether async queues of `class` have waited too long.
    fn is_async_starved(&self, now: Time, class: Class) -> bool {
        let patience = self.tunables.patience;
        !patience.is_zero() && self.group.async_waited(class, now) >= patience
    }

    /// Returns the tree of `class` whose first queue comes first; ties go to the earlier kind.
    #[inline]
    fn first_tree(&self, class: Class) -> Option<(Kind, u32)> {
        let mut best: Option<(Kind, u32)> = None;
        for kind in Kind::ALL {
            let tree = TreeIndex::of(class, kind);
            if !self.group.is_occupied(tree) {
                continue;
            }
            let index = self.group.first(tree);
            let Some(queue) = self.queues.at(index) else {
                continue;
            };
            let earlier = best
                .and_then(|(_, index)| self.queues.at(index))
                .is_none_or(|first| queue.key.is_before(first.key));
            if earlier {
                best = Some((kind, index));
            }
        }
        best
    }

    /// Makes the next queue active and returns it; [`NIL`] if none is busy.
    pub(super) fn choose(&mut self, now: Time) -> u32 {
        let Some(class) = self.best_class() else {
            return NIL;
        };
        if let Some(starved) = self.starved_class(now, class) {
            return self.favour(now, starved);
        }
        if self.is_async_starved(now, class) {
            let queue = self.group.first(TreeIndex::of(class, Kind::Async));
            self.activate_favoured(now, queue, ASYNC_BATCH);
            self.group.note_async(class, now);
            return queue;
        }
        if let Some(queue) = self.interrupting(now, class) {
            self.interrupt(now, queue);
            return queue;
        }
        let queue = match class {
            Class::Idle => self.group.first(TreeIndex::of(Class::Idle, Kind::Sync)),
            Class::RealTime | Class::BestEffort => {
                let kind = self.choose_kind(now, class);
                self.group.first(TreeIndex::of(class, kind))
            }
        };
        self.activate(now, queue);
        self.insist(now);
        queue
    }

    /// Lets an async queue have its turn undisturbed, if its oldest request is late (ours).
    ///
    /// Sync requests, which preempt it at any time otherwise, would leave it one request a turn.
    /// The limits of its slice and of its depth stay, so that it does not fill a write cache that
    /// the disk has to empty in the turns of others.
    fn insist(&mut self, now: Time) {
        let Some(queue) = self.queues.at(self.active) else {
            return;
        };
        let late = |request: &Request<R>| request.deadline <= now;
        if !queue.sync && self.requests.at(queue.fifo.first()).is_some_and(late) {
            self.slice.insists = true;
        }
    }

    /// Makes a queue of a starved class active, for a single request; [`NIL`] if it has none.
    fn favour(&mut self, now: Time, class: Class) -> u32 {
        let Some((_, queue)) = self.first_tree(class) else {
            return NIL;
        };
        self.activate_favoured(now, queue, 1);
        queue
    }

    /// Makes a queue active for so many requests, which go out whatever the rules say.
    pub(super) fn activate_favoured(&mut self, now: Time, queue: u32, requests: u32) {
        self.activate(now, queue);
        self.slice.favour = requests;
        self.slice.must_dispatch = true;
        Stats::bump(&mut self.stats.favours);
    }

    /// Keeps the workload going, or starts the one that comes first (6.4); returns its kind.
    fn choose_kind(&mut self, now: Time, class: Class) -> Kind {
        self.workload.class = class;
        let term = self.workload.term(class);
        let occupied = self.group.is_occupied(TreeIndex::of(class, term.kind));
        if occupied && now <= term.expires {
            return term.kind;
        }
        let kind = match self.first_tree(class) {
            Some((kind, _)) => kind,
            None => Kind::SyncNoidle,
        };
        let expires = if term.sync == Some(kind) {
            // One queue at a time, as long as it comes before all others.
            Time::ZERO
        } else {
            now.saturating_add(self.workload_length(class, kind))
        };
        self.workload.begin(class, term.followed_by(kind, expires));
        kind
    }

    /// Returns how long a workload may run (6.5).
    fn workload_length(&self, class: Class, kind: Kind) -> Span {
        let asyncs = [Class::RealTime, Class::BestEffort]
            .iter()
            .map(|class| self.group.count(TreeIndex::of(*class, Kind::Async)))
            .fold(0, u32::saturating_add);
        let counts = Counts {
            queues: self.group.count(TreeIndex::of(class, kind)),
            all: self.group.average(class).max(self.group.busy(class)),
            asyncs,
            busy: self.device.busy,
        };
        part_of_round(&self.tunables, kind, &counts)
    }
}

/// How many queues there are.
struct Counts {
    /// Of the kind and class in question.
    queues: u32,
    /// Of the class, on average or now.
    all: u32,
    /// Async ones of all classes.
    asyncs: u32,
    /// In all.
    busy: u32,
}

/// Returns the part of a round that the queues of one kind get (6.5).
fn part_of_round(tunables: &Tunables, kind: Kind, counts: &Counts) -> Span {
    let round = tunables.target_latency;
    let slice = scale(round, u64::from(counts.queues), u64::from(counts.all));
    let slice = match kind {
        Kind::Async => {
            let fair = scale(round, u64::from(counts.asyncs), u64::from(counts.busy));
            let (part, whole) = (tunables.slice_async, tunables.slice_sync);
            scale(slice.min(fair), part.as_ns(), whole.as_ns())
        }
        Kind::SyncNoidle | Kind::Sync => {
            // A long wait for one queue must not become a long time for its whole kind.
            slice.max(tunables.slice_idle.saturating_mul(2).min(round))
        }
    };
    slice.clamp(MIN_WORKLOAD, MAX_WORKLOAD)
}

#[cfg_attr(
    CONFIG_RCFQ_KUNIT_TEST,
    kernel::macros::kunit_tests(rcfq_policy_workload)
)]
#[cfg(any(test, CONFIG_RCFQ_KUNIT_TEST))]
mod tests {

    use super::*;
    use crate::policy::id::ProcessId;
    use crate::policy::ioprio::Level;
    use crate::policy::scheduler::Kick;
    use crate::policy::testing::*;

    #[test]
    fn a_low_class_gets_one_request_when_its_patience_is_over() {
        scheduler!(sched, FLASH);
        let one = sched.process(ms(0), ProcessId::NONE);
        let two = sched.process(ms(0), ProcessId::NONE);
        add(&mut sched, ms(0), in_class(read(one, 0), Class::Idle), 1);
        add(&mut sched, ms(0), in_class(read(one, 8), Class::Idle), 2);
        add(&mut sched, ms(0), read(two, 90_000), 3);
        add(&mut sched, ms(0), read(two, 90_008), 4);
        add(&mut sched, ms(0), read(two, 90_016), 5);
        assert_eq!(dispatch(&mut sched, ms(999)).0, 3);
        // Only between turns: the quota of the active queue is eight.
        assert_eq!(dispatch(&mut sched, ms(1_000)).0, 4);
        assert_eq!(dispatch(&mut sched, ms(1_000)).0, 5);
        add(
            &mut sched,
            ms(1_000),
            in_class(read(ProcessId::NONE, 0), Class::RealTime),
            6,
        );
        let (next, id) = dispatch(&mut sched, ms(1_000));
        assert_eq!(next, 1);
        assert_eq!(dispatch(&mut sched, ms(1_000)).0, 6);
        // The others are still with the driver.
        assert_eq!(dispatch(&mut sched, ms(1_001)).0, 0);
        assert_eq!(sched.complete(ms(1_001), id), Kick::Run);
        assert_eq!(dispatch(&mut sched, ms(1_001)).0, 2);
        assert_eq!(sched.check(), Ok(()));
    }

    #[test]
    fn workload_slices_follow_the_number_of_queues() {
        scheduler!(sched, SPINNING);
        let one = sched.process(ms(0), ProcessId::NONE);
        let two = sched.process(ms(0), ProcessId::NONE);
        add(&mut sched, ms(0), read(one, 0), 1);
        add(&mut sched, ms(0), read(two, 8), 2);
        add(&mut sched, ms(0), write(16), 3);
        let length = |kind| sched.workload_length(Class::BestEffort, kind);
        assert_eq!(length(Kind::Sync), Span::from_ms(200));
        // A third of the round, scaled by 40 to 100.
        assert_eq!(length(Kind::Async), Span::from_ms(40));
        // At least two idle times.
        assert_eq!(length(Kind::SyncNoidle), Span::from_ms(16));
    }

    #[test]
    fn async_requests_that_wait_too_long_go_out_oldest_first() {
        for patience in [1_000, 0] {
            scheduler!(sched, SPINNING);
            let mut tunables = sched.tunables().clone();
            tunables.patience = Span::from_ms(patience);
            let _ = sched.set_tunables(ms(0), tunables);
            let one = sched.process(ms(0), ProcessId::NONE);
            add(&mut sched, ms(0), read(one, 0), 9);
            let (_, id) = dispatch(&mut sched, ms(0));
            for (rq, position) in [(1, 900), (2, 100), (3, 800), (4, 200), (5, 700)] {
                add(&mut sched, ms(1), write(position), rq);
            }
            let _ = sched.complete(ms(1_002), id);
            let _ = sched.timer(ms(1_200));
            add(&mut sched, ms(1_200), read(one, 8), 8);
            if patience == 0 {
                let _ = dispatch(&mut sched, ms(1_200));
                assert_eq!(sched.stats().favours, 0);
                continue;
            }
            // Then the disk is drained for the reader.
            for expected in [1, 2, 3, 4, 0] {
                assert_eq!(dispatch(&mut sched, ms(1_200)).0, expected);
            }
            assert_eq!(sched.stats().favours, 1);
            assert_eq!(sched.check(), Ok(()));
        }
    }

    #[test]
    fn one_kind_goes_on_until_its_time_is_over() {
        // That of two of three queues: 200 ms of the round.
        for (now, next) in [(200, 3), (201, 2)] {
            scheduler!(sched, SPINNING);
            let one = sched.process(ms(0), ProcessId::NONE);
            let two = sched.process(ms(0), ProcessId::NONE);
            add(&mut sched, ms(0), read(one, 0), 1);
            add(&mut sched, ms(0), read(ProcessId::NONE, 9_000_000), 2);
            add(&mut sched, ms(0), read(two, 900_000), 3);
            assert_eq!(dispatch(&mut sched, ms(0)).0, 1);
            let _ = sched.process_exit(ms(0), one);
            assert_eq!(dispatch(&mut sched, ms(now)).0, next);
        }
    }

    #[test]
    fn a_kind_has_no_second_term_while_the_other_one_waits() {
        for between in [None, Some(Kind::Async), Some(Kind::Sync)] {
            scheduler!(sched, SPINNING);
            let one = sched.process(ms(0), ProcessId::NONE);
            let two = sched.process(ms(0), ProcessId::NONE);
            add(&mut sched, ms(0), read(one, 0), 1);
            assert_eq!(dispatch(&mut sched, ms(0)).0, 1);
            if between == Some(Kind::Async) {
                let mut first = write(5_000);
                first.owner.ioprio.level = Level::BEST;
                add(&mut sched, ms(0), first, 5);
            }
            add(&mut sched, ms(0), read(two, 900_000), 2);
            add(&mut sched, ms(0), read(ProcessId::NONE, 9_000_000), 3);
            // The term of the sync queues is over, but one of them comes before the noidle one.
            add(&mut sched, ms(300), read(one, 8), 4);
            sched.expire(ms(301), false);
            if between == Some(Kind::Sync) {
                let urgent = sched.process(ms(301), ProcessId::NONE);
                let urgent = in_class(read(urgent, 5_000), Class::RealTime);
                add(&mut sched, ms(301), urgent, 5);
            }
            if between.is_some() {
                assert_eq!(dispatch(&mut sched, ms(301)).0, 5);
                sched.expire(ms(302), false);
            }
            for expected in [2, 3] {
                assert_eq!(dispatch(&mut sched, ms(303)).0, expected);
                sched.expire(ms(303), false);
            }
            assert_eq!(sched.check(), Ok(()));
        }
    }

    #[test]
    fn a_batch_of_starved_async_requests_is_not_preempted() {
        scheduler!(sched, SPINNING);
        let one = sched.process(ms(0), ProcessId::NONE);
        add(&mut sched, ms(0), write(0), 1);
        add(&mut sched, ms(0), write(8), 2);
        let mut tunables = sched.tunables().clone();
        // Late requests would be a reason of their own.
        tunables.fifo_expire_async = Span::from_ms(9_000);
        let _ = sched.set_tunables(ms(0), tunables);
        assert_eq!(dispatch(&mut sched, ms(1_000)).0, 1);
        add(&mut sched, ms(1_000), read(one, 90_000), 3);
        assert_eq!(sched.stats().preemptions, 0);
        assert_eq!(dispatch(&mut sched, ms(1_000)).0, 2);
    }

    #[test]
    fn an_async_queue_whose_requests_are_late_keeps_its_turn() {
        for (now, preemptions, next) in [(249, 1, 0), (250, 0, 2)] {
            scheduler!(sched, SPINNING);
            let one = sched.process(ms(0), ProcessId::NONE);
            add(&mut sched, ms(0), write(0), 1);
            add(&mut sched, ms(0), write(8), 2);
            assert_eq!(dispatch(&mut sched, ms(now)).0, 1);
            add(&mut sched, ms(now), read(one, 90_000), 3);
            assert_eq!(sched.stats().preemptions, preemptions);
            assert_eq!(dispatch(&mut sched, ms(now + 9)).0, next);
        }
    }

    #[test]
    fn a_round_is_divided_by_the_number_of_queues() {
        let tunables = Tunables::for_disk(SPINNING);
        let us = |kind, queues| {
            let counts = Counts {
                queues,
                all: 7,
                asyncs: 1,
                busy: 7,
            };
            part_of_round(&tunables, kind, &counts).as_ns() / 1_000
        };
        assert_eq!(us(Kind::Sync, 4), 171_428);
        assert_eq!(us(Kind::SyncNoidle, 2), 85_714);
        assert_eq!(us(Kind::Async, 1), 17_142);
    }
}
