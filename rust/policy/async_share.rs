// SPDX-License-Identifier: GPL-2.0

//! The share of async requests on flash, while sync ones are about.
//!
//! Writeback comes in thousands and nobody waits for any one of it; what a deep device has taken of
//! it, reads have to wait for. Source: ours, in place of CFQ 8.2 when `slice_idle` is 0.

use super::ioprio::Class;
use super::memory::Memory;
use super::precedence::Rank;
use super::scheduler::Scheduler;

/// Async requests may fill one part in this many of the device while sync ones are about, where a
/// large request counts by its pieces.
///
/// A quarter keeps writeback streaming on any disk that works in parallel, and leaves sync
/// requests a mostly free device; at 1 there would be no bound, and a large number would serialise
/// writeback.
const ASYNC_PART: u32 = 4;

impl<R, M: Memory<R>> Scheduler<R, M> {
    /// Returns whether async queues of `class` have to give way to sync requests of rank `best`, who
    /// are about: those of their class and of better ones.
    #[inline]
    pub(super) fn async_gives_way(&self, class: Class, best: Rank) -> bool {
        let part = (self.room() / ASYNC_PART).max(1);
        self.tunables.low_latency && self.device.flying_pieces >= part && best.counts_for(class)
    }
}

#[cfg_attr(
    CONFIG_RCFQ_KUNIT_TEST,
    kernel::macros::kunit_tests(rcfq_policy_async_share)
)]
#[cfg(any(test, CONFIG_RCFQ_KUNIT_TEST))]
mod tests {

    use crate::policy::id::ProcessId;
    use crate::policy::ioprio::Class;
    use crate::policy::scheduler::Kick;
    use crate::policy::testing::*;

    #[test]
    fn async_leaves_room_while_sync_is_about() {
        scheduler!(sched, FLASH);
        let one = sched.process(ms(9), ProcessId::NONE);
        add(&mut sched, ms(9), read(one, 0), 1);
        assert_eq!(dispatch(&mut sched, ms(9)).0, 1);
        add(&mut sched, ms(9), write(8), 2);
        add(&mut sched, ms(9), write(16), 3);
        add(&mut sched, ms(9), write(24), 4);
        // A quarter of a depth of eight.
        let (second, id) = dispatch(&mut sched, ms(9));
        assert_eq!(second, 2);
        assert_eq!(dispatch(&mut sched, ms(9)).0, 3);
        assert_eq!(dispatch(&mut sched, ms(9)).0, 0);
        assert!(!sched.has_work());
        let (_, kick) = insert(&mut sched, ms(9), read(one, 32), 5);
        assert_eq!(kick, Kick::Run);
        assert_eq!(dispatch(&mut sched, ms(9)).0, 5);
        assert_eq!(dispatch(&mut sched, ms(9)).0, 0);
        assert_eq!(sched.complete(ms(10), id), Kick::Run);
        assert_eq!(dispatch(&mut sched, ms(10)).0, 4);
        assert_eq!(sched.check(), Ok(()));
    }

    #[test]
    fn async_that_has_room_does_not_wait_for_what_holds_others() {
        scheduler!(sched, FLASH);
        let one = sched.process(ms(9), ProcessId::NONE);
        let two = sched.process(ms(9), ProcessId::NONE);
        add(&mut sched, ms(9), read(one, 0), 1);
        for rq in 2..4u8 {
            let low = in_class(read(two, u64::from(rq) * 8), Class::Idle);
            add(&mut sched, ms(9), low, rq);
        }
        for expected in [1, 2, 0] {
            assert_eq!(dispatch(&mut sched, ms(9)).0, expected);
        }
        // A quarter of eight; what has no room says nothing new.
        for (rq, kick) in [(4, Kick::Run), (5, Kick::Run), (6, Kick::None)] {
            let (_, given) = insert(&mut sched, ms(9), write(u64::from(rq) * 8), rq);
            assert_eq!(given, kick);
            if kick == Kick::Run {
                assert_eq!(dispatch(&mut sched, ms(9)).0, rq);
            }
            assert_eq!(dispatch(&mut sched, ms(9)).0, 0);
        }
        assert_eq!(sched.check(), Ok(()));
    }

    #[test]
    fn reads_of_a_worse_class_do_not_hold_writes() {
        scheduler!(sched, FLASH);
        let one = sched.process(ms(9), ProcessId::NONE);
        for rq in 1..3u8 {
            let low = in_class(read(one, u64::from(rq) * 8), Class::Idle);
            add(&mut sched, ms(9), low, rq);
        }
        for rq in 3..6u8 {
            add(&mut sched, ms(9), write(u64::from(rq) * 8), rq);
        }
        for expected in [3, 4, 5, 1] {
            assert_eq!(dispatch(&mut sched, ms(9)).0, expected);
        }
        assert_eq!(sched.check(), Ok(()));
    }

    #[test]
    fn writes_of_a_better_class_end_the_refusal_of_worse_ones() {
        scheduler!(sched, FLASH);
        let one = sched.process(ms(9), ProcessId::NONE);
        add(&mut sched, ms(9), in_class(read(one, 0), Class::Idle), 1);
        for rq in 2..5u8 {
            let low = in_class(write(u64::from(rq) * 8), Class::Idle);
            add(&mut sched, ms(9), low, rq);
        }
        for expected in [1, 2, 3, 0] {
            assert_eq!(dispatch(&mut sched, ms(9)).0, expected);
        }
        let (_, kick) = insert(&mut sched, ms(9), write(800), 6);
        assert_eq!(kick, Kick::Run);
        assert_eq!(dispatch(&mut sched, ms(9)).0, 6);
    }

    #[test]
    fn large_async_requests_count_by_their_pieces() {
        scheduler!(sched, FLASH);
        let one = sched.process(ms(9), ProcessId::NONE);
        add(&mut sched, ms(9), read(one, 0), 1);
        assert_eq!(dispatch(&mut sched, ms(9)).0, 1);
        for rq in 2..5u8 {
            let mut large = write(u64::from(rq) * 1024);
            large.sectors = 257;
            add(&mut sched, ms(9), large, rq);
        }
        let (first, id) = dispatch(&mut sched, ms(9));
        assert_eq!(first, 2);
        assert_eq!(dispatch(&mut sched, ms(9)).0, 0);
        assert_eq!(sched.complete(ms(10), id), Kick::Run);
        assert_eq!(dispatch(&mut sched, ms(10)).0, 3);
        assert_eq!(dispatch(&mut sched, ms(10)).0, 0);
        assert_eq!(sched.check(), Ok(()));
    }

    #[test]
    fn async_leaves_room_on_a_device_that_promises_thousands() {
        scheduler!(sched, flash(4_000));
        let one = sched.process(ms(9), ProcessId::NONE);
        add(&mut sched, ms(9), read(one, 0), 1);
        assert_eq!(dispatch(&mut sched, ms(9)).0, 1);
        for rq in 2..5u8 {
            let mut large = write(u64::from(rq) * 2048);
            large.sectors = 1024;
            add(&mut sched, ms(9), large, rq);
        }
        // A quarter of 32, in pieces of 128 KiB.
        for expected in [2, 3, 0] {
            assert_eq!(dispatch(&mut sched, ms(9)).0, expected);
        }
        sched.device.taken = 64;
        assert_eq!(dispatch(&mut sched, ms(9)).0, 4);
    }

    #[test]
    fn a_read_in_the_device_is_about_however_long_it_takes() {
        scheduler!(sched, FLASH);
        let one = sched.process(ms(9), ProcessId::NONE);
        add(&mut sched, ms(9), read(one, 0), 1);
        let (_, id) = dispatch(&mut sched, ms(9));
        for rq in 2..5u8 {
            add(&mut sched, ms(90), write(u64::from(rq) * 8), rq);
        }
        for expected in [2, 3, 0] {
            assert_eq!(dispatch(&mut sched, ms(90)).0, expected);
        }
        assert_eq!(sched.complete(ms(91), id), Kick::Run);
        assert_eq!(dispatch(&mut sched, ms(91)).0, 4);
    }

    #[test]
    fn a_reader_is_about_for_a_moment_after_its_last_read() {
        scheduler!(sched, FLASH);
        let one = sched.process(ms(9), ProcessId::NONE);
        add(&mut sched, ms(9), read(one, 0), 1);
        let (_, id) = dispatch(&mut sched, ms(9));
        let _ = sched.complete(ms(9), id);
        for rq in 2..5u8 {
            add(&mut sched, ms(9), write(u64::from(rq) * 8), rq);
        }
        for (now, expected) in [(13, 2), (13, 3), (13, 0), (14, 4)] {
            assert_eq!(dispatch(&mut sched, ms(now)).0, expected);
        }
    }

    #[test]
    fn a_read_that_waits_for_its_turn_is_about() {
        scheduler!(sched, FLASH);
        let one = sched.process(ms(9), ProcessId::NONE);
        for rq in 2..5u8 {
            add(&mut sched, ms(9), write(u64::from(rq) * 8), rq);
        }
        add(&mut sched, ms(9), read(one, 0), 1);
        for expected in [2, 3, 1, 0] {
            assert_eq!(dispatch(&mut sched, ms(90)).0, expected);
        }
    }
}
