// SPDX-License-Identifier: GPL-2.0

//! What the device can do, as measured: whether it takes several requests at once, whether it
//! seeks at all, and whether it keeps writes in a cache of its own.
//!
//! The kernel's flag says "rotational" for arrays and virtual disks too, where waiting for one
//! queue keeps the rest of the device idle. Only reads of seeky queues are measured, since
//! others may hit what the drive has read ahead. Source: CFQ 9.1 for the depth, here over a sliding
//! window so that the answer can change; the seeks are ours.

use super::time::{
    Span,
    Time, //
};

/// Samples before the depth is judged (CFQ 2.3).
const WINDOW: u32 = 50;

/// Samples before an average counts.
const ENOUGH: u32 = 32;

/// No arm moves and no platter turns in less than this on average.
const NO_ARM: Span = Span::from_us(1_000);

/// What an arm takes at least; between the two the verdict stays.
const AN_ARM: Span = Span::from_us(2_000);

/// An array serves a far read among others in this part of the time that a lone one takes; a
/// single disk that sorts its queue gets to a half.
const ARRAY_GAIN: u64 = 3;

/// Below this gain it is no array any more.
const DISK_GAIN: u64 = 2;

/// Requests with the driver from which on reads count as "among others".
const AMONG: u32 = 4;

/// A write that went to the medium takes longer than this on average: half a turn and more, and a
/// whole one if it follows the one before.
const NO_MEDIUM: Span = Span::from_us(1_000);

/// So many of the last 32 writes have to be as fast for the cache to count.
const ABSORBED: u32 = 28;

/// A mean over the last few samples.
#[derive(Clone, Copy, Debug, Default)]
struct Average {
    samples: u32,
    mean: u64,
}

impl Average {
    fn add(&mut self, span: Span) {
        self.samples = self.samples.saturating_add(1);
        let weight = u64::from(self.samples.min(16));
        let rest = self.mean.saturating_mul(weight.saturating_sub(1));
        self.mean = rest
            .saturating_add(span.as_ns())
            .checked_div(weight)
            .unwrap_or(0);
    }

    fn get(self) -> Option<u64> {
        (self.samples >= ENOUGH).then_some(self.mean)
    }
}

/// What has been measured.
#[derive(Clone, Copy, Debug)]
pub(super) struct Measure {
    most: u32,
    samples: u32,
    /// Whether several requests are taken at once; `None` while unknown.
    reorders: Option<bool>,
    /// The far read that is alone with the driver: its slot, and since when.
    lone: Option<(u32, Time)>,
    /// When a far read last ended among others, with no pause since.
    among: Option<Time>,
    lone_reads: Average,
    gaps: Average,
    seekless: bool,
    /// It was called seekless for what it does at once, not for how fast it is.
    array: bool,
    /// Far reads of anybody since it was called seekless.
    doubts: Average,
    last_end: Time,
    /// The last 32 sync writes, a bit each: set if it was fast.
    writes: u32,
}

impl Measure {
    /// Depth from which on a device is taken to order requests itself (CFQ 2.3).
    pub(super) const DEEP: u32 = 5;

    /// Knows nothing yet.
    pub(super) const fn new() -> Self {
        const NOTHING: Average = Average {
            samples: 0,
            mean: 0,
        };
        Measure {
            most: 0,
            samples: 0,
            reorders: None,
            lone: None,
            among: None,
            lone_reads: NOTHING,
            gaps: NOTHING,
            seekless: false,
            array: false,
            doubts: NOTHING,
            last_end: Time::ZERO,
            writes: 0,
        }
    }

    /// Returns whether the device takes several requests at once; unknown counts as yes.
    #[inline]
    pub(super) fn reorders(&self) -> bool {
        self.reorders != Some(false)
    }

    /// Returns whether the device takes several requests at once, if that is known.
    pub(super) fn known_to_reorder(&self) -> Option<bool> {
        self.reorders
    }

    /// Returns whether the device was seen to serve requests in parallel or without seeking.
    #[inline]
    pub(super) fn is_seekless(&self) -> bool {
        self.seekless
    }

    /// Notes how long a sync write took, of `pieces` pieces in all that were with the driver.
    pub(super) fn wrote(&mut self, took: Span, pieces: u32) {
        let limit = NO_MEDIUM.as_ns().saturating_mul(u64::from(pieces));
        self.writes = self.writes.wrapping_shl(1) | u32::from(took.as_ns() < limit);
    }

    /// Returns whether the device keeps sync writes in a cache, so that where they go is of no
    /// account. No longer if it is full: then most take as long as the medium.
    #[inline]
    pub(super) const fn absorbs_writes(&self) -> bool {
        self.writes.count_ones() >= ABSORBED
    }

    /// Notes that the request in slot `index` went to the driver, where `flying` others are.
    pub(super) fn went(&mut self, now: Time, index: u32, flying: u32, far: bool) {
        self.lone = (flying == 0 && far).then_some((index, now));
    }

    /// Lets go of what has begun: of requests that go to the driver from now on it is not told.
    pub(super) fn pause(&mut self) {
        self.lone = None;
        self.among = None;
    }

    /// Notes the end of a request; `flying` counts it still.
    pub(super) fn ended(&mut self, now: Time, index: u32, flying: u32, far: bool) {
        match self.lone.take() {
            Some((lone, since)) if lone == index => {
                self.lone_reads.add(now.saturating_since(since));
                self.judge();
            }
            other => self.lone = other,
        }
        if flying <= AMONG {
            self.among = None;
        } else if far {
            if let Some(last) = self.among.replace(now) {
                self.gaps.add(now.saturating_since(last));
                self.judge();
            }
        }
    }

    /// Revises the verdict that there is no arm by the far reads of anybody.
    ///
    /// What a cache of the drive has answered may have led to it, and where nobody is waited for
    /// there may be no lone read of a seeky queue any more.
    pub(super) fn doubt(&mut self, now: Time, sent: Time, jump: bool) {
        let since = self.last_end.max(sent);
        self.last_end = now;
        if !self.seekless || self.array || !jump {
            return;
        }
        self.doubts.add(now.saturating_since(since));
        let slow = |mean: u64| mean > AN_ARM.as_ns();
        if self.doubts.get().is_some_and(slow) {
            self.lone_reads = core::mem::take(&mut self.doubts);
            self.judge();
        }
    }

    fn judge(&mut self) {
        let Some(lone) = self.lone_reads.get() else {
            return;
        };
        let gain = |times: u64| {
            let gap = self.gaps.get();
            gap.is_some_and(|gap| lone >= gap.saturating_mul(times))
        };
        if lone < NO_ARM.as_ns() || gain(ARRAY_GAIN) {
            self.seekless = true;
            self.array = lone >= NO_ARM.as_ns();
        } else if lone > AN_ARM.as_ns() && !gain(DISK_GAIN) {
            self.seekless = false;
        }
    }

    /// Takes a sample of the depth, before a completion is counted (9.1).
    ///
    /// `kept_low` tells that the policy itself does not give more.
    pub(super) fn sample_depth(&mut self, queued: u32, flying: u32, kept_low: bool) {
        self.most = self.most.max(flying);
        if (queued <= Self::DEEP && flying <= Self::DEEP) || kept_low {
            return;
        }
        if self.samples < WINDOW {
            self.samples = self.samples.saturating_add(1);
            return;
        }
        self.reorders = Some(self.most >= Self::DEEP);
        self.samples = 0;
        self.most = 0;
    }
}

#[cfg_attr(
    CONFIG_RCFQ_KUNIT_TEST,
    kernel::macros::kunit_tests(rcfq_policy_measure)
)]
#[cfg(any(test, CONFIG_RCFQ_KUNIT_TEST))]
mod tests {
    use super::*;
    use crate::policy::testing::*;

    #[test]
    fn writes_that_are_fast_are_in_a_cache_until_it_is_full() {
        let mut measure = Measure::new();
        let mut wrote = |us, pieces| {
            measure.wrote(Span::from_us(us), pieces);
            measure.absorbs_writes()
        };
        for _ in 0..27 {
            assert!(!wrote(999, 1));
        }
        assert!(wrote(3_999, 4));
        for _ in 0..8 {
            assert!(wrote(999, 1));
        }
        for _ in 0..4 {
            assert!(wrote(1_000, 1));
        }
        assert!(!wrote(4_000, 4));
    }

    #[test]
    fn the_depth_is_judged_by_the_51st_sample_and_again() {
        let mut measure = Measure::new();
        for _ in 0..50 {
            measure.sample_depth(6, 2, false);
            assert_eq!(measure.reorders, None);
        }
        // Too little load, or kept low: no sample.
        measure.sample_depth(5, 4, false);
        measure.sample_depth(9, 2, true);
        assert!(measure.reorders());
        measure.sample_depth(6, 2, false);
        assert!(!measure.reorders());
        for _ in 0..51 {
            measure.sample_depth(6, 5, false);
        }
        assert!(measure.reorders());
        for _ in 0..51 {
            measure.sample_depth(6, 1, false);
        }
        assert!(!measure.reorders());
    }

    /// Lets so many lone far reads of a length end.
    fn lone(measure: &mut Measure, reads: u32, us: u64) {
        for _ in 0..reads {
            measure.went(ms(0), 1, 0, true);
            measure.ended(Time::from_ns(us * 1_000), 1, 1, true);
        }
    }

    #[test]
    fn a_device_without_an_arm_is_noticed_and_an_arm_too() {
        let mut measure = Measure::new();
        lone(&mut measure, 31, 100);
        assert!(!measure.is_seekless());
        lone(&mut measure, 1, 100);
        assert!(measure.is_seekless());
        // Between the two bounds nothing changes.
        lone(&mut measure, 200, 1_500);
        assert!(measure.is_seekless());
        lone(&mut measure, 200, 13_000);
        assert!(!measure.is_seekless());
    }

    #[test]
    fn a_read_that_gets_company_is_not_measured() {
        let mut measure = Measure::new();
        for _ in 0..100 {
            measure.went(ms(0), 1, 0, true);
            measure.went(ms(0), 2, 1, true);
            measure.ended(ms(0), 1, 2, true);
            measure.ended(ms(0), 2, 1, true);
        }
        assert_eq!(measure.lone_reads.samples, 0);
        assert!(!measure.is_seekless());
    }

    #[test]
    fn what_began_before_a_time_without_measuring_is_not_measured() {
        scheduler!(sched, SPINNING);
        let seeking = sched.tunables().clone();
        sched.measure.went(ms(0), 1, 0, true);
        sched.measure.among = Some(ms(0));
        let mut flash = seeking.clone();
        flash.slice_idle = Span::ZERO;
        let _ = sched.set_tunables(ms(0), flash);
        let _ = sched.set_tunables(ms(0), seeking);
        sched.measure.ended(ms(900), 1, 1, true);
        assert_eq!(sched.measure.lone_reads.samples, 0);
        assert_eq!(sched.measure.among, None);
    }

    #[test]
    fn an_array_is_noticed_by_what_it_does_at_once() {
        for (gap, array) in [(7, false), (4, true)] {
            let mut measure = Measure::new();
            lone(&mut measure, 40, 13_000);
            for end in 0..40 {
                measure.ended(ms(end * gap), 1, 5, true);
                // Others in between, and pauses, do not count.
                measure.ended(ms(end * gap), 1, 5, false);
            }
            assert_eq!(measure.is_seekless(), array);
        }
    }

    #[test]
    fn what_a_cache_answered_is_revised_by_readers_who_pay_for_seeks() {
        let mut measure = Measure::new();
        lone(&mut measure, 40, 200);
        assert!(measure.is_seekless());
        for read in 0..40 {
            // Two streams in turns: each request is a jump, none is seeky.
            measure.doubt(ms(10 * read + 9), ms(10 * read), true);
        }
        assert!(!measure.is_seekless());
        // An array is allowed to be slow.
        let mut measure = Measure::new();
        lone(&mut measure, 40, 13_000);
        for end in 0..40 {
            measure.ended(ms(end * 3), 1, 5, true);
        }
        assert!(measure.is_seekless());
        for read in 0..40 {
            measure.doubt(ms(10 * read + 5), ms(10 * read), true);
        }
        assert!(measure.is_seekless());
    }

    #[test]
    fn reads_that_go_on_where_the_head_is_revise_nothing() {
        let mut measure = Measure::new();
        lone(&mut measure, 40, 200);
        for read in 0..40 {
            measure.doubt(ms(10 * read + 9), ms(10 * read), false);
        }
        assert!(measure.is_seekless());
    }

    #[test]
    fn the_end_of_another_request_is_not_that_of_the_lone_one() {
        let mut measure = Measure::new();
        measure.went(ms(0), 1, 0, true);
        measure.ended(ms(1), 2, 2, true);
        assert_eq!(measure.lone_reads.samples, 0);
        measure.ended(ms(7), 1, 1, true);
        assert_eq!(measure.lone_reads.mean, 7_000_000);
    }
}
