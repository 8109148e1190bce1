// SPDX-License-Identifier: GPL-2.0

//! From level to share: nominal slices and quotas, and every division by a variable.
//!
//! The tables are computed when a tunable changes, so the hot path only looks up. `u64` division
//! is why the module needs a 64-bit machine. Source: CFQ 6.5, 6.7, 8.5; quotas on flash: ours.

use super::ioprio::{
    Class,
    Level, //
};
use super::time::Span;
use super::tunables::Tunables;

/// A fifth of the base slice is one level's worth (CFQ 2.3).
const SLICE_SCALE: u64 = 5;

/// Returns `total / samples`, rounded a little up as CFQ does (5.1), or 0 for no samples.
#[inline]
pub(super) fn mean(total: u64, samples: u64) -> u64 {
    total.saturating_add(128).checked_div(samples).unwrap_or(0)
}

/// Returns `span * share / whole`, or `span` if there is no whole.
#[inline]
pub(super) fn scale(span: Span, share: u64, whole: u64) -> Span {
    let ns = span.as_ns();
    // Both are cut by as many bits as the product would overflow: the ratio stays.
    let bits = u64::BITS.saturating_sub(share.leading_zeros());
    let cut = bits.saturating_sub(ns.leading_zeros());
    let (share, whole) = match whole {
        0 => return span,
        _ => (shifted(share, cut), shifted(whole, cut).max(1)),
    };
    match ns.saturating_mul(share).checked_div(whole) {
        Some(ns) => Span::from_ns(ns),
        None => span,
    }
}

/// Returns `value` without its last `bits` bits.
#[inline]
fn shifted(value: u64, bits: u32) -> u64 {
    value.checked_shr(bits).unwrap_or(0)
}

/// Returns how many times `part` fits into `span`, cut to `u32`; the maximum if `part` is zero.
#[inline]
pub(super) fn fits(span: Span, part: Span) -> u32 {
    span.as_ns()
        .checked_div(part.as_ns())
        .and_then(|count| u32::try_from(count).ok())
        .unwrap_or(u32::MAX)
}

/// What one level of sync or async queues is worth.
#[derive(Clone, Copy, Debug)]
pub(super) struct Share {
    /// Nominal slice (6.7).
    pub(super) slice: Span,
    /// How far behind a queue of the best level it is put, per other queue (4.3).
    pub(super) lag: Span,
    /// Requests per turn on flash.
    pub(super) quota: u32,
    /// Requests per slice of an async queue when others wait (8.5); no limit for sync ones.
    pub(super) limit: u32,
}

const NOTHING: Share = Share {
    slice: Span::ZERO,
    lag: Span::ZERO,
    quota: 1,
    limit: 1,
};

/// The shares of all levels.
#[derive(Debug)]
pub(super) struct Shares {
    sync: [Share; Level::COUNT],
    async_: [Share; Level::COUNT],
}

impl Shares {
    /// Computes the tables.
    pub(super) fn new(tunables: &Tunables) -> Self {
        let mut shares = Shares {
            sync: [NOTHING; Level::COUNT],
            async_: [NOTHING; Level::COUNT],
        };
        let best = nominal(tunables.slice_sync, 0);
        for (table, is_sync) in [(&mut shares.sync, true), (&mut shares.async_, false)] {
            for (share, level) in table.iter_mut().zip(0u32..) {
                *share = compute(tunables, is_sync, level, best);
            }
        }
        shares
    }

    /// Returns the share of a level.
    #[inline]
    pub(super) fn of(&self, sync: bool, level: Level) -> &Share {
        let table = if sync { &self.sync } else { &self.async_ };
        table.get(level.index()).unwrap_or(&NOTHING)
    }

    /// Returns the number of requests per turn on flash.
    #[inline]
    pub(super) fn quota(&self, sync: bool, class: Class, level: Level) -> u32 {
        match class {
            Class::Idle => 1,
            Class::RealTime | Class::BestEffort => self.of(sync, level).quota,
        }
    }
}

/// Returns the slice of `level` around `base`, which is that of level 4 (6.7).
fn nominal(base: Span, level: u32) -> Span {
    let step = base.as_ns() / SLICE_SCALE;
    let best = base.as_ns().saturating_add(step.saturating_mul(4));
    Span::from_ns(best.saturating_sub(step.saturating_mul(u64::from(level))))
}

fn compute(tunables: &Tunables, sync: bool, level: u32, best: Span) -> Share {
    let base = if sync {
        tunables.slice_sync
    } else {
        tunables.slice_async
    };
    let slice = nominal(base, level);
    let limit = if sync {
        u32::MAX
    } else {
        tunables
            .slice_async_rq
            .saturating_mul(2)
            .saturating_mul(8u32.saturating_sub(level))
    };
    let quota = u64::from(tunables.quantum)
        .saturating_mul(slice.as_ns())
        .checked_div(tunables.slice_sync.as_ns())
        .and_then(|quota| u32::try_from(quota).ok())
        .unwrap_or(u32::MAX);
    Share {
        slice,
        lag: best.saturating_sub(slice),
        quota: quota.min(limit).max(1),
        limit,
    }
}

#[cfg_attr(
    CONFIG_RCFQ_KUNIT_TEST,
    kernel::macros::kunit_tests(rcfq_policy_weight)
)]
#[cfg(any(test, CONFIG_RCFQ_KUNIT_TEST))]
mod tests {
    use super::*;
    use crate::policy::request::Disk;

    fn shares() -> Shares {
        Shares::new(&Tunables::for_disk(Disk {
            rotational: true,
            depth: 32,
        }))
    }

    #[test]
    fn nominal_slices_and_lags_follow_the_level() {
        let shares = shares();
        let sync = [180, 160, 140, 120, 100, 80, 60, 40];
        let async_ = [72, 64, 56, 48, 40, 32, 24, 16];
        let behind = [108, 116, 124, 132, 140, 148, 156, 164];
        for level in 0..8u8 {
            let at = usize::from(level);
            let share = *shares.of(true, Level::new(level));
            assert_eq!(sync.get(at).copied(), Some(share.slice.as_ns() / 1_000_000));
            assert_eq!(share.lag, Span::from_ms(u64::from(level) * 20));
            let share = *shares.of(false, Level::new(level));
            assert_eq!(
                async_.get(at).copied(),
                Some(share.slice.as_ns() / 1_000_000)
            );
            assert_eq!(behind.get(at).copied(), Some(share.lag.as_ns() / 1_000_000));
        }
    }

    #[test]
    fn async_limits_and_quotas_follow_the_level() {
        let shares = shares();
        let limits = [32, 28, 24, 20, 16, 12, 8, 4];
        let quotas = [14, 12, 11, 9, 8, 6, 4, 3];
        let async_quotas = [5, 5, 4, 3, 3, 2, 1, 1];
        for level in 0..8u8 {
            let at = usize::from(level);
            let level = Level::new(level);
            assert_eq!(limits.get(at).copied(), Some(shares.of(false, level).limit));
            assert_eq!(
                quotas.get(at).copied(),
                Some(shares.quota(true, Class::BestEffort, level))
            );
            assert_eq!(
                async_quotas.get(at).copied(),
                Some(shares.quota(false, Class::BestEffort, level))
            );
        }
        assert_eq!(shares.quota(true, Class::Idle, Level::BEST), 1);
    }

    #[test]
    fn extreme_tunables_do_not_overflow() {
        let mut tunables = Tunables::for_disk(Disk {
            rotational: false,
            depth: 1,
        });
        tunables.quantum = u32::MAX;
        tunables.slice_async_rq = u32::MAX;
        tunables.slice_sync = Span::from_ns(1);
        tunables.slice_async = Span::from_ms(u64::from(u32::MAX));
        let shares = Shares::new(&tunables);
        assert!(shares.of(false, Level::BEST).quota >= 1);
        assert_eq!(shares.of(false, Level::WORST).lag, Span::ZERO);
        assert_eq!(fits(Span::from_ms(5), Span::ZERO), u32::MAX);
        assert_eq!(scale(Span::from_ms(5), 3, 0), Span::from_ms(5));
        assert_eq!(mean(100, 0), 0);
    }
}
