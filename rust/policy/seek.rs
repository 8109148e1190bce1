// SPDX-License-Identifier: GPL-2.0

//! Whether a queue jumps about: a history of its last 32 requests, one bit each.
//!
//! On disks that do not seek, a bit tells a small request from a large one. Source: CFQ 1.2, 5.2;
//! ours for short histories.

use super::request::Sector;

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

    /// Returns whether the queue jumps about.
    #[inline]
    pub(super) fn is_seeky(self) -> bool {
        let seeks = self.bits.count_ones();
        seeks > MANY || (self.noted < YOUNG && seeks.saturating_mul(2) > u32::from(self.noted))
    }
}

#[cfg_attr(CONFIG_RCFQ_KUNIT_TEST, kernel::macros::kunit_tests(rcfq_policy_seek))]
#[cfg(any(test, CONFIG_RCFQ_KUNIT_TEST))]
mod tests {
    use super::*;

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
