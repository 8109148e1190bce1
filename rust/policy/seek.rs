// SPDX-License-Identifier: GPL-2.0

//! Whether a queue jumps about: a history of its last 32 requests, one bit each.
//!
//! On disks that do not seek, a bit tells a small request from a large one. Source: CFQ 1.2, 5.2;
//! ours for short histories.

use super::request::Sector;
use super::time::{
    Span,
    Time, //
};

/// A request farther than this from the end of the one before is a seek, in sectors.
const FAR: u64 = 800;

/// A request shorter than this is a small one, in sectors.
const SMALL: u32 = 64;

/// More seeks than this in the history make a queue seeky.
const MANY: u32 = 4;

/// A history of fewer requests than this is judged by its majority (ours).
///
/// Each new process was waited for through its first six requests otherwise. With 32 random
/// readers that made two seconds in which a disk that sorts its commands had one at a time.
const YOUNG: u8 = 10;

/// The history of one queue.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct SeekHistory {
    bits: u32,
    /// Bits noted, up to [`YOUNG`].
    noted: u8,
    end: Option<Sector>,
}

impl SeekHistory {
    /// Notes a request.
    #[inline]
    pub(super) fn note(&mut self, position: Sector, sectors: u32, rotational: bool) {
        let seek = if rotational {
            let end = self.end.replace(position.saturating_add(sectors));
            // The first one has nothing to be far from.
            let Some(end) = end else {
                return;
            };
            position.distance(end) > FAR
        } else {
            sectors < SMALL
        };
        self.bits = self.bits.wrapping_shl(1) | u32::from(seek);
        self.noted = self.noted.saturating_add(1).min(YOUNG);
    }

    /// Returns how many bits it has, which is one less than requests on disks that seek; no more
    /// than a few are counted.
    #[inline]
    pub(super) const fn noted(self) -> u8 {
        self.noted
    }

    /// Returns whether the queue jumps about.
    #[inline]
    pub(super) fn is_seeky(self) -> bool {
        let seeks = self.bits.count_ones();
        seeks > MANY || (self.noted < YOUNG && seeks.saturating_mul(2) > u32::from(self.noted))
    }
}

/// So many newcomers in a row that turned out to be seeky are a crowd (ours).
const CROWD: u8 = 3;

/// For how long after the last one they tell what the next one is going to be.
const CROWD_LASTS: Span = Span::from_ms(1_000);

/// How the newest queues turned out, which tells whether to wait for those of whom nothing is known
/// yet. Source: ours.
///
/// Where many random readers start at once, the disk would wait for each of them in turn.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Newcomers {
    seeky: u8,
    last: Time,
}

impl Newcomers {
    /// Notes what the second request of a queue has shown.
    #[inline]
    pub(super) fn note(&mut self, now: Time, seeky: bool) {
        self.seeky = match seeky {
            true => self.seeky.saturating_add(1).min(CROWD),
            false => 0,
        };
        self.last = now;
    }

    /// Forgets what is no news any more.
    #[inline]
    pub(super) fn age(&mut self, now: Time) {
        if now.saturating_since(self.last) >= CROWD_LASTS {
            self.seeky = 0;
        }
    }

    /// Returns whether a newcomer is likely to jump about.
    #[inline]
    pub(super) const fn are_seeky(self) -> bool {
        self.seeky == CROWD
    }
}

#[cfg_attr(CONFIG_RCFQ_KUNIT_TEST, kernel::macros::kunit_tests(rcfq_policy_seek))]
#[cfg(any(test, CONFIG_RCFQ_KUNIT_TEST))]
mod tests {
    use super::*;
    use crate::policy::id::ProcessId;
    use crate::policy::ioprio::Class;
    use crate::policy::testing::*;

    #[test]
    fn five_far_requests_of_the_last_32_make_a_queue_seeky() {
        let mut history = SeekHistory::default();
        // The first one has nothing to be far from, and 800 sectors are not far.
        let mut end = 1_000_000;
        history.note(Sector::new(end), 8, true);
        end += 8;
        for _ in 0..10 {
            history.note(Sector::new(end + 800), 8, true);
            end += 808;
        }
        for _ in 0..4 {
            history.note(Sector::new(end + 801), 8, true);
            end += 809;
        }
        assert!(!history.is_seeky());
        history.note(Sector::new(end - 801), 8, true);
        assert!(history.is_seeky());
        end = end - 801 + 8;
        for _ in 0..27 {
            history.note(Sector::new(end), 8, true);
            end += 8;
        }
        assert!(history.is_seeky());
        history.note(Sector::new(end), 8, true);
        assert!(!history.is_seeky());
    }

    #[test]
    fn a_short_history_is_judged_by_its_majority() {
        let mut history = SeekHistory::default();
        let mut place = 0;
        let mut jump = |history: &mut SeekHistory, by: u64| {
            place += by;
            history.note(Sector::new(place), 8, true);
            history.is_seeky()
        };
        assert!(!jump(&mut history, 0));
        assert!(jump(&mut history, 900_000));
        assert!(!jump(&mut history, 8));
        assert!(jump(&mut history, 900_000));
        assert!(!jump(&mut history, 8));
        for _ in 0..5 {
            assert!(!jump(&mut history, 8));
        }
        // From the tenth on four of 32 are few.
        assert!(!jump(&mut history, 900_000));
        assert!(!jump(&mut history, 900_000));
        assert!(jump(&mut history, 900_000));
    }

    #[test]
    fn newcomers_are_taken_for_what_the_last_ones_were() {
        let mut newcomers = Newcomers::default();
        for count in 0..3 {
            assert!(!newcomers.are_seeky());
            newcomers.note(ms(count), true);
        }
        newcomers.age(ms(1_001));
        assert!(newcomers.are_seeky());
        newcomers.note(ms(1_001), true);
        newcomers.age(ms(2_000));
        assert!(newcomers.are_seeky());
        newcomers.age(ms(2_001));
        assert!(!newcomers.are_seeky());
        for _ in 0..3 {
            newcomers.note(ms(2_001), true);
        }
        newcomers.note(ms(2_001), false);
        newcomers.note(ms(2_001), true);
        assert!(!newcomers.are_seeky());
    }

    #[test]
    fn one_more_of_a_crowd_of_seeky_readers_is_not_waited_for() {
        for (crowd, waits) in [(true, false), (false, true)] {
            scheduler!(sched, SPINNING);
            for _ in 0..3 {
                sched.newcomers.note(ms(0), crowd);
            }
            let one = sched.process(ms(0), ProcessId::NONE);
            let two = sched.process(ms(0), ProcessId::NONE);
            add(&mut sched, ms(0), read(one, 0), 1);
            add(&mut sched, ms(0), read(two, 90_000), 2);
            let (rq, id) = dispatch(&mut sched, ms(0));
            assert_eq!(rq, 1);
            let _ = sched.complete(ms(5), id);
            assert_eq!(sched.poll_at().is_some(), waits);
            let (_, id) = dispatch(&mut sched, ms(13));
            let _ = sched.complete(ms(20), id);
            // It was none of them.
            add(&mut sched, ms(20), read(two, 90_008), 3);
            let (_, id) = dispatch(&mut sched, ms(20));
            let _ = sched.complete(ms(21), id);
            assert!(sched.poll_at().is_some());
            assert!(!sched.newcomers.are_seeky());
        }
    }

    #[test]
    fn a_deep_queue_is_worth_waiting_for_though_it_seeks() {
        for (depth, class, deep) in [
            (3, Class::BestEffort, false),
            (4, Class::BestEffort, true),
            (4, Class::Idle, false),
        ] {
            scheduler!(sched, SPINNING);
            let one = sched.process(ms(0), ProcessId::NONE);
            for step in 0..3u64 {
                add(
                    &mut sched,
                    ms(step),
                    in_class(read(one, step * 8), class),
                    1,
                );
                let (_, id) = dispatch(&mut sched, ms(step));
                let _ = sched.complete(ms(step), id);
            }
            for rq in 0..depth {
                let far = read(one, u64::from(rq + 1) * 1_000_000);
                add(&mut sched, ms(5), in_class(far, class), rq);
            }
            let (_, _) = dispatch(&mut sched, ms(5));
            let queue = sched.queues.at(sched.active);
            assert_eq!(queue.map(|queue| queue.deep), Some(deep));
            assert_eq!(queue.map(|queue| queue.idle_window), Some(deep));
        }
    }

    #[test]
    fn where_nothing_seeks_small_requests_count() {
        let mut history = SeekHistory::default();
        for _ in 0..4 {
            history.note(Sector::new(0), 63, false);
            history.note(Sector::new(9_000_000), 64, false);
            history.note(Sector::new(9_000_000), 64, false);
        }
        assert!(!history.is_seeky());
        history.note(Sector::new(0), 63, false);
        assert!(history.is_seeky());
    }
}
