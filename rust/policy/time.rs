// SPDX-License-Identifier: GPL-2.0

//! Instants and durations in nanoseconds, always handed in by the caller.
//!
//! The policy has no clock. [`Time`] and [`Span`] saturate, since a clock that steps back or a
//! tunable at its limit must not turn into a huge wait; [`VTime`] wraps, since service keys only
//! ever compare with near neighbours. Source: ours (the split); CFQ section 4.3 (wrapping keys).

/// An instant of the block layer's clock, in nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Time(u64);

impl Time {
    /// The start of the clock; earlier than or equal to every other instant.
    pub const ZERO: Time = Time(0);

    /// An instant that is never reached.
    pub const NEVER: Time = Time(u64::MAX);

    /// Makes an instant from nanoseconds.
    #[inline]
    pub const fn from_ns(ns: u64) -> Self {
        Time(ns)
    }

    /// Returns the instant in nanoseconds.
    #[inline]
    pub const fn as_ns(self) -> u64 {
        self.0
    }

    /// Returns the time passed since `earlier`, or zero if `earlier` is later.
    #[inline]
    pub const fn saturating_since(self, earlier: Time) -> Span {
        Span(self.0.saturating_sub(earlier.0))
    }

    /// Returns the instant `span` later.
    #[inline]
    pub const fn saturating_add(self, span: Span) -> Time {
        Time(self.0.saturating_add(span.0))
    }

    /// Returns the instant `span` earlier.
    #[inline]
    pub const fn saturating_sub(self, span: Span) -> Time {
        Time(self.0.saturating_sub(span.0))
    }

    /// Returns `self - other` in nanoseconds with its sign, cut to the range of `i64`.
    #[inline]
    pub const fn signed_since(self, other: Time) -> i64 {
        if self.0 >= other.0 {
            Span(self.0.saturating_sub(other.0)).as_signed()
        } else {
            Span(other.0.saturating_sub(self.0))
                .as_signed()
                .saturating_neg()
        }
    }
}

/// A duration in nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Span(u64);

impl Span {
    /// No time at all.
    pub const ZERO: Span = Span(0);

    /// Makes a duration from nanoseconds.
    #[inline]
    pub const fn from_ns(ns: u64) -> Self {
        Span(ns)
    }

    /// Makes a duration from microseconds.
    #[inline]
    pub const fn from_us(us: u64) -> Self {
        Span(us.saturating_mul(1_000))
    }

    /// Makes a duration from milliseconds.
    #[inline]
    pub const fn from_ms(ms: u64) -> Self {
        Span(ms.saturating_mul(1_000_000))
    }

    /// Returns the duration in nanoseconds.
    #[inline]
    pub const fn as_ns(self) -> u64 {
        self.0
    }

    /// Returns whether the duration is zero.
    #[inline]
    pub const fn is_zero(self) -> bool {
        self.0 == 0
    }

    /// Returns the nanoseconds as a signed number, cut to the range of `i64`.
    #[inline]
    pub const fn as_signed(self) -> i64 {
        if self.0 > i64::MAX as u64 {
            i64::MAX
        } else {
            // CAST: the value fits, as compared above.
            self.0 as i64
        }
    }

    /// Returns the sum.
    #[inline]
    pub const fn saturating_add(self, other: Span) -> Span {
        Span(self.0.saturating_add(other.0))
    }

    /// Returns the difference, at least zero.
    #[inline]
    pub const fn saturating_sub(self, other: Span) -> Span {
        Span(self.0.saturating_sub(other.0))
    }

    /// Returns `factor` times the duration.
    #[inline]
    pub const fn saturating_mul(self, factor: u64) -> Span {
        Span(self.0.saturating_mul(factor))
    }
}

/// A key of the service order: wraps around and compares by signed difference.
///
/// Keys that are less than half the range (292 years) apart have a total order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct VTime(u64);

impl VTime {
    /// Makes the key that stands for the instant `at`.
    #[inline]
    pub const fn at(at: Time) -> Self {
        VTime(at.0)
    }

    /// Returns the key `ns` later (earlier if negative).
    #[inline]
    pub const fn wrapping_add(self, ns: i64) -> Self {
        VTime(self.0.wrapping_add_signed(ns))
    }

    /// Returns whether this key is served before `other`.
    #[inline]
    pub const fn is_before(self, other: VTime) -> bool {
        // CAST: the sign of the wrapped difference is the order.
        (self.0.wrapping_sub(other.0) as i64) < 0
    }
}

#[cfg_attr(CONFIG_RCFQ_KUNIT_TEST, kernel::macros::kunit_tests(rcfq_policy_time))]
#[cfg(any(test, CONFIG_RCFQ_KUNIT_TEST))]
mod tests {
    use super::*;

    #[test]
    fn a_clock_that_steps_back_yields_zero() {
        let early = Time::from_ns(5);
        let late = Time::from_ns(9);
        assert_eq!(late.as_ns(), 9);
        assert_eq!(late.saturating_since(early), Span::from_ns(4));
        assert_eq!(early.saturating_since(late), Span::ZERO);
        assert_eq!(early.signed_since(late), -4);
        assert_eq!(late.signed_since(early), 4);
    }

    #[test]
    fn the_ends_of_the_range_saturate() {
        assert_eq!(Time::NEVER.saturating_add(Span::from_ms(1)), Time::NEVER);
        assert_eq!(Time::ZERO.saturating_sub(Span::from_ms(1)), Time::ZERO);
        assert_eq!(Time::NEVER.signed_since(Time::ZERO), i64::MAX);
        assert_eq!(Time::ZERO.signed_since(Time::NEVER), -i64::MAX);
        assert_eq!(Span::from_ms(u64::MAX).as_ns(), u64::MAX);
    }

    #[test]
    fn keys_order_across_the_wrap() {
        let last = VTime::at(Time::from_ns(u64::MAX));
        let first = last.wrapping_add(1);
        assert!(last.is_before(first));
        assert!(!first.is_before(last));
        assert!(!first.is_before(first));
        assert!(VTime::at(Time::ZERO)
            .wrapping_add(-5)
            .is_before(VTime::at(Time::ZERO)));
    }
}
