// SPDX-License-Identifier: GPL-2.0

//! How long somebody thinks between the end of one request and the next one.
//!
//! A decaying average over about eight samples, in integers. Source: CFQ 1.5, 5.1.

use super::time::{
    Span,
    Time, //
};
use super::weight::mean;

/// The weight of one sample.
const ONE: u64 = 256;

/// Weight from which on the mean counts: the third sample.
const VALID: u64 = 80;

/// The record of one thinker: a process, or all the queues of a service tree.
#[derive(Clone, Copy, Debug)]
pub(super) struct ThinkTime {
    last_end: Time,
    samples: u64,
    total: u64,
    mean: Span,
}

impl ThinkTime {
    /// Starts a record at `now`.
    pub(super) const fn new(now: Time) -> Self {
        ThinkTime {
            last_end: now,
            samples: 0,
            total: 0,
            mean: Span::ZERO,
        }
    }

    /// Notes that a request has ended.
    #[inline]
    pub(super) fn ended(&mut self, now: Time) {
        self.last_end = now;
    }

    /// Notes that a request has come; gaps above twice `cap` count as that.
    pub(super) fn came(&mut self, now: Time, cap: Span) {
        let gap = now
            .saturating_since(self.last_end)
            .min(cap.saturating_mul(2));
        self.samples = self.samples.saturating_mul(7).saturating_add(ONE) / 8;
        self.total = self
            .total
            .saturating_mul(7)
            .saturating_add(gap.as_ns().saturating_mul(ONE))
            / 8;
        self.mean = Span::from_ns(mean(self.total, self.samples));
    }

    /// Returns the mean, if there are enough samples.
    #[inline]
    pub(super) fn mean(&self) -> Option<Span> {
        if self.samples > VALID {
            Some(self.mean)
        } else {
            None
        }
    }

    /// Returns whether the thinker is known to take longer than `limit`.
    #[inline]
    pub(super) fn is_longer_than(&self, limit: Span) -> bool {
        self.mean().is_some_and(|mean| mean > limit)
    }
}

#[cfg_attr(CONFIG_RCFQ_KUNIT_TEST, kernel::macros::kunit_tests(rcfq_policy_think))]
#[cfg(any(test, CONFIG_RCFQ_KUNIT_TEST))]
mod tests {
    use super::*;

    const CAP: Span = Span::from_ms(8);

    /// Adds one sample.
    fn sample(think: &mut ThinkTime, now: &mut Time, gap: Span) {
        think.ended(*now);
        *now = now.saturating_add(gap);
        think.came(*now, CAP);
    }

    #[test]
    fn the_mean_follows_the_formula() {
        let mut now = Time::from_ns(1_000);
        let mut think = ThinkTime::new(now);
        let expected = [
            (32, 32_000_000, 1_000_004),
            (60, 60_000_000, 1_000_002),
            (84, 84_500_000, 1_005_953),
            (105, 105_937_500, 1_008_929),
            (123, 124_695_312, 1_013_784),
            (139, 141_108_398, 1_015_169),
        ];
        for (samples, total, mean) in expected {
            sample(&mut think, &mut now, Span::from_ms(1));
            assert_eq!(think.samples, samples);
            assert_eq!(think.total, total);
            assert_eq!(think.mean, Span::from_ns(mean));
        }
        for _ in 0..200 {
            sample(&mut think, &mut now, Span::from_ms(1));
        }
        assert!(!think.is_longer_than(think.mean));
        assert_eq!(think.samples, 249);
        assert_eq!(think.mean, Span::from_ns(1_028_112));
    }

    #[test]
    fn long_gaps_turn_idling_off_and_short_ones_on_again() {
        let mut now = Time::from_ns(1_000);
        let mut think = ThinkTime::new(now);
        let expected = [
            (50_000, 16_000_004, false),
            (50_000, 16_000_002, false),
            (50_000, 16_095_239, true),
            (100, 11_297_144, true),
            (100, 8_464_431, true),
            (100, 6_576_866, false),
        ];
        for (gap, mean, long) in expected {
            sample(&mut think, &mut now, Span::from_us(gap));
            assert_eq!(think.mean, Span::from_ns(mean));
            assert_eq!(think.is_longer_than(CAP), long);
        }
    }
}
