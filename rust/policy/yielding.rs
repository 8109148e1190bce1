// SPDX-License-Identifier: GPL-2.0

//! What somebody waits for, fsync, the journal, metadata, does not wait for a round of readers.
//!
//! An fsync is a chain of short writes by several tasks, each of which starts when the one before
//! has ended; if each waited for its turn, it would take as many rounds. So such a request interrupts
//! the slice of a reader at once, as long as a *credit* of device time lasts; then its queue
//! waits for its turn like others. No time is spent on waiting for more of them either. Source: ours,
//! in place of the yield that was proposed for CFQ (16.1, point 6).

use super::ioprio::Class;
use super::memory::Memory;
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

/// One part in this many of the time may go to interruptions.
///
/// Measured on the model of a disk, beside four and eight readers: an fsync then takes no longer
/// than under mq-deadline, and the readers get twice as much. At 4 it is all for the fsync.
const PART: u64 = 6;

/// Credit that can be saved up, as a multiple of `slice_idle`: a chain of five seeks and back.
const SAVED: u64 = 12;

/// The most that the way back costs, as a multiple of `slice_idle`: the last write, a flush and
/// the seeks.
const BACK: u64 = 8;

/// The credit for interruptions.
#[derive(Clone, Copy, Debug)]
pub(super) struct Credit {
    /// Device time left at `since`, in nanoseconds; negative while overdrawn.
    left: i64,
    since: Time,
    /// When an interruption was over whose way back is not paid for yet.
    back: Option<Time>,
    /// Requests with the driver then: they come before the way back.
    ahead: u64,
    /// What a request takes in the middle of a reader's slice, if nothing is in its way.
    usual: Span,
}

impl Credit {
    /// Starts without any.
    pub(super) const fn new(now: Time) -> Self {
        Credit {
            left: 0,
            since: now,
            back: None,
            ahead: 0,
            usual: Span::ZERO,
        }
    }

    /// Takes a request in the middle of a reader's slice as an example of what one takes.
    ///
    /// Falls fast and rises slowly, for some have met a flush on their way.
    pub(super) fn note_usual(&mut self, took: Span) {
        let (usual, took) = (self.usual.as_ns(), took.as_ns());
        let usual = if usual == 0 {
            took
        } else if took < usual {
            took.saturating_add(usual) / 2
        } else {
            usual.saturating_add(took.saturating_sub(usual) / 512)
        };
        self.usual = Span::from_ns(usual);
    }

    /// Adds what has come in since the last call; `idle` is what one seek is taken to cost.
    fn refill(&mut self, now: Time, idle: Span) {
        let earned = now.saturating_since(self.since).as_ns() / PART;
        let most = idle.saturating_mul(SAVED).as_signed();
        self.left = self
            .left
            .saturating_add(Span::from_ns(earned).as_signed())
            .min(most);
        // What a clock that steps back has counted already counts once.
        self.since = self.since.max(now);
    }

    /// Takes an interruption of length `took` off, which is over now.
    fn charge(&mut self, now: Time, took: Span, idle: Span, ahead: u32) {
        self.charge_back(now, idle);
        self.left = self.left.saturating_sub(took.as_signed());
        self.back = Some(now);
        self.ahead = u64::from(ahead);
    }

    /// Takes the way back off, which is over now: somebody else's request has ended, or the next
    /// interruption began.
    fn charge_back(&mut self, now: Time, idle: Span) {
        if let Some(back) = self.back.take() {
            let most = idle.saturating_mul(BACK.max(self.ahead));
            // The next request would have taken its time anyway.
            let cost = now
                .saturating_since(back)
                .min(most)
                .saturating_sub(self.usual);
            self.left = self.left.saturating_sub(cost.as_signed());
        }
    }
}

impl<R, M: Memory<R>> Scheduler<R, M> {
    /// Notes that queue `index` gets a write that somebody waits for; its place may depend on it.
    pub(super) fn note_awaited(&mut self, index: u32) {
        if let Some(queue) = self.queues.at_mut(index) {
            queue.idle_window = false;
            queue.yields = true;
        }
    }

    /// Returns whether a request of queue `new` may interrupt the active queue: a reader.
    pub(super) fn may_interrupt(&mut self, now: Time, new: u32) -> bool {
        let (Some(active), Some(new)) = (self.queues.at(self.active), self.queues.at(new)) else {
            return false;
        };
        let due = self.slice.is_plain()
            && self.kind_of(active) == Kind::Sync
            && new.class() == active.class();
        due && self.has_credit(now)
    }

    /// Returns the queue that interrupts the round now, if one is to.
    pub(super) fn interrupting(&mut self, now: Time, class: Class) -> Option<u32> {
        let readers = TreeIndex::of(class, Kind::Sync);
        if class == Class::Idle || !self.group.is_occupied(readers) {
            return None;
        }
        let first = self.group.first(TreeIndex::of(class, Kind::SyncNoidle));
        let waits = self.queues.at(first)?.yields;
        (waits && self.has_credit(now)).then_some(first)
    }

    fn has_credit(&mut self, now: Time) -> bool {
        let idle = self.tunables.slice_idle;
        self.credit.refill(now, idle);
        self.credit.left > 0
    }

    /// Returns whether the credit of the interruption that is under way is used up.
    pub(super) fn is_overdrawn(&self, now: Time) -> bool {
        self.slice.interrupts && self.slice.lasts(now).as_signed() > self.credit.left
    }

    /// Makes `queue` the active one, as an interruption.
    pub(super) fn interrupt(&mut self, now: Time, queue: u32) {
        self.credit.charge_back(now, self.tunables.slice_idle);
        self.activate(now, queue);
        self.slice.interrupts = true;
        Stats::bump(&mut self.stats.interruptions);
    }

    /// Pays for the slice that ends, if it was an interruption.
    pub(super) fn pay(&mut self, now: Time) {
        if self.slice.interrupts {
            let idle = self.tunables.slice_idle;
            let ahead = self.device.flying();
            self.credit.charge(now, self.slice.lasts(now), idle, ahead);
        }
    }

    /// Pays for the way back from an interruption, now that a request of a usual slice has ended
    /// that was `sent` afterwards.
    pub(super) fn pay_back(&mut self, now: Time, sent: Time) {
        let after = self.credit.back.is_some_and(|back| sent >= back);
        if after && !self.slice.interrupts {
            self.credit.charge_back(now, self.tunables.slice_idle);
        }
    }
}

#[cfg_attr(
    CONFIG_RCFQ_KUNIT_TEST,
    kernel::macros::kunit_tests(rcfq_policy_yielding)
)]
#[cfg(any(test, CONFIG_RCFQ_KUNIT_TEST))]
mod tests {

    use super::*;
    use crate::policy::id::ProcessId;
    use crate::policy::ioprio::Level;
    use crate::policy::request::Arrival;
    use crate::policy::testing::*;

    fn fsync(process: ProcessId, position: u64) -> Arrival {
        Arrival {
            write: true,
            ..read(process, position)
        }
    }

    #[test]
    fn a_write_that_somebody_waits_for_interrupts_a_reader_once() {
        scheduler!(sched, SPINNING);
        let one = sched.process(ms(500), ProcessId::NONE);
        let two = sched.process(ms(500), ProcessId::NONE);
        add(&mut sched, ms(500), read(one, 0), 1);
        add(&mut sched, ms(500), read(one, 8), 2);
        add(&mut sched, ms(500), read(one, 16), 3);
        assert_eq!(dispatch(&mut sched, ms(500)).0, 1);
        add(&mut sched, ms(501), fsync(two, 900_000), 4);
        let (fourth, id) = dispatch(&mut sched, ms(501));
        assert_eq!(fourth, 4);
        assert_eq!(sched.stats().interruptions, 1);
        // It is not waited for afterwards: the reader goes on.
        assert_eq!(dispatch(&mut sched, ms(501)).0, 2);
        let _ = sched.complete(ms(502), id);
        assert_eq!(sched.poll_at(), None);
        assert_eq!(sched.check(), Ok(()));
    }

    #[test]
    fn between_slices_it_goes_before_readers_if_there_is_credit() {
        for (now, readers, awaited, first) in [
            (500, true, true, 2),
            (500, true, false, 1),
            (0, true, true, 1),
            (500, false, true, 2),
        ] {
            scheduler!(sched, SPINNING);
            let one = sched.process(ms(0), ProcessId::NONE);
            let two = sched.process(ms(0), ProcessId::NONE);
            if readers {
                add(&mut sched, ms(now), read(one, 0), 1);
            }
            if awaited {
                let mut arrival = fsync(two, 900_000);
                arrival.owner.ioprio.level = Level::WORST;
                add(&mut sched, ms(now), arrival, 2);
            } else {
                // Nor is it worth waiting for, but nobody waits for it.
                add(&mut sched, ms(now), read(ProcessId::NONE, 900_000), 2);
            }
            assert_eq!(dispatch(&mut sched, ms(now)).0, first);
            let interrupts = readers && first == 2;
            assert_eq!(sched.stats().interruptions, u64::from(interrupts));
        }
    }

    #[test]
    fn an_interruption_ends_and_is_paid_for_when_its_credit_is_used_up() {
        scheduler!(sched, SPINNING);
        let one = sched.process(ms(0), ProcessId::NONE);
        let two = sched.process(ms(0), ProcessId::NONE);
        add(&mut sched, ms(60), read(one, 0), 1);
        add(&mut sched, ms(60), read(one, 8), 2);
        let (_, before) = dispatch(&mut sched, ms(60));
        for rq in 3..6u8 {
            let position = 900_000 + u64::from(rq) * 8;
            add(&mut sched, ms(60), fsync(two, position), rq);
        }
        // There are 10 ms.
        assert_eq!(dispatch(&mut sched, ms(60)).0, 3);
        assert_eq!(dispatch(&mut sched, ms(70)).0, 4);
        let (rq, after) = dispatch(&mut sched, ms(72));
        assert_eq!(rq, 2);
        assert_eq!(sched.stats().interruptions, 1);
        // What came in during these 12 ms pays for the last two.
        assert_eq!(sched.credit.left, 0);
        // The way back is over with the first request that was sent afterwards.
        let _ = sched.complete(ms(75), before);
        assert_eq!(sched.credit.left, 0);
        let _ = sched.complete(ms(82), after);
        assert_eq!(sched.credit.left, -10_000_000);
    }

    #[test]
    fn the_credit_is_earned_and_used_up() {
        let idle = Span::from_ms(8);
        let mut credit = Credit::new(ms(0));
        credit.refill(ms(0), idle);
        assert_eq!(credit.left, 0);
        credit.refill(ms(60), idle);
        assert_eq!(credit.left, 10_000_000);
        credit.charge(ms(60), Span::from_ms(5), idle, 1);
        assert_eq!(credit.left, 5_000_000);
        credit.usual = Span::from_ms(1);
        credit.charge_back(ms(69), idle);
        credit.charge_back(ms(70), idle);
        assert_eq!(credit.left, -3_000_000);
        credit.refill(ms(20), idle);
        assert_eq!(credit.left, -3_000_000);
        // A way back of more than eight times the idle time was none.
        credit.charge(ms(70), Span::ZERO, idle, 1);
        credit.charge_back(ms(5_000), idle);
        assert_eq!(credit.left, -66_000_000);
        credit.refill(ms(10_000), idle);
        assert_eq!(credit.left, 96_000_000);
    }

    #[test]
    fn without_credit_or_in_another_class_it_waits_for_its_turn() {
        for (class, now) in [(Class::BestEffort, 0), (Class::Idle, 500)] {
            scheduler!(sched, SPINNING);
            let one = sched.process(ms(0), ProcessId::NONE);
            let two = sched.process(ms(0), ProcessId::NONE);
            add(&mut sched, ms(now), read(one, 0), 1);
            add(&mut sched, ms(now), read(one, 8), 2);
            assert_eq!(dispatch(&mut sched, ms(now)).0, 1);
            add(&mut sched, ms(now), in_class(fsync(two, 900_000), class), 4);
            assert_eq!(dispatch(&mut sched, ms(now)).0, 2);
            assert_eq!(sched.stats().interruptions, 0);
        }
    }

    #[test]
    fn the_usual_time_is_that_of_a_read_in_the_middle_of_a_slice() {
        scheduler!(sched, SPINNING);
        let one = sched.process(ms(500), ProcessId::NONE);
        let two = sched.process(ms(500), ProcessId::NONE);
        add(&mut sched, ms(500), read(one, 0), 1);
        let (_, id) = dispatch(&mut sched, ms(500));
        let _ = sched.complete(ms(512), id);
        // That one had to go there first.
        assert_eq!(sched.credit.usual, Span::ZERO);
        add(&mut sched, ms(512), read(one, 8), 2);
        let (_, id) = dispatch(&mut sched, ms(512));
        let _ = sched.complete(ms(515), id);
        assert_eq!(sched.credit.usual, Span::from_ms(3));
        // What an interruption writes says nothing about readers.
        add(&mut sched, ms(516), fsync(two, 900_000), 3);
        add(&mut sched, ms(516), fsync(two, 900_008), 4);
        for now in [516, 517] {
            let (_, id) = dispatch(&mut sched, ms(now));
            let _ = sched.complete(ms(now + 1), id);
        }
        assert_eq!(sched.stats().interruptions, 1);
        assert_eq!(sched.stats().completed, 4);
        assert_eq!(sched.credit.usual, Span::from_ms(3));
    }

    #[test]
    fn the_usual_time_is_a_lower_bound_that_follows() {
        let mut credit = Credit::new(ms(0));
        credit.note_usual(Span::from_ms(4));
        assert_eq!(credit.usual, Span::from_ms(4));
        credit.note_usual(Span::from_ms(68));
        assert_eq!(credit.usual, Span::from_us(4_125));
        credit.note_usual(Span::from_us(1_125));
        assert_eq!(credit.usual, Span::from_us(2_625));
        for _ in 0..20 {
            credit.note_usual(Span::from_ms(1));
        }
        assert!(credit.usual < Span::from_us(1_010));
    }

    #[test]
    fn time_that_passes_twice_is_earned_once() {
        let mut credit = Credit::new(ms(0));
        let idle = ms(8).saturating_since(ms(0));
        credit.refill(ms(60), idle);
        let earned = credit.left;
        for now in [20, 60] {
            credit.refill(ms(now), idle);
        }
        assert_eq!(credit.left, earned);
        credit.refill(ms(66), idle);
        assert_eq!(credit.left, earned + 1_000_000);
    }
}
