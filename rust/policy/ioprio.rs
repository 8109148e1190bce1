// SPDX-License-Identifier: GPL-2.0

//! I/O priority: a class and a level in it, as `ionice` sets them.
//!
//! The caller has resolved "none" already (the block core derives it from nice). Source: CFQ 3.4.

/// The priority class. Between classes the order is strict, but for
/// [`Tunables::patience`](super::Tunables::patience).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// Served before everything else.
    RealTime,
    /// The normal class.
    BestEffort,
    /// Served when nobody else wants the device.
    Idle,
}

impl Class {
    /// Returns the place of the class in tables: real time 0, best effort 1, idle 2.
    #[inline]
    pub const fn index(self) -> usize {
        match self {
            Class::RealTime => 0,
            Class::BestEffort => 1,
            Class::Idle => 2,
        }
    }
}

/// The level inside a class: 0 is best, 7 is worst.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Level(u8);

impl Level {
    /// Number of levels.
    pub const COUNT: usize = 8;

    /// The best level.
    pub const BEST: Level = Level(0);

    /// The level in the middle, which the formulas are scaled to.
    pub const NORM: Level = Level(4);

    /// The worst level.
    pub const WORST: Level = Level(7);

    /// Makes a level from its number; numbers above 7 mean 7.
    #[inline]
    pub const fn new(level: u8) -> Self {
        if level > 7 {
            Level(7)
        } else {
            Level(level)
        }
    }

    /// Returns the number, 0 to 7.
    #[inline]
    pub const fn get(self) -> u8 {
        self.0
    }

    /// Returns the place of the level in tables.
    #[inline]
    pub const fn index(self) -> usize {
        // CAST: widening; `From` is not available in a `const fn`.
        self.0 as usize
    }
}

/// Class and level of one request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ioprio {
    /// The class.
    pub class: Class,
    /// The level; without meaning in the idle class.
    pub level: Level,
}

impl Ioprio {
    /// What a request without any preference gets.
    pub const NORM: Ioprio = Ioprio {
        class: Class::BestEffort,
        level: Level::NORM,
    };

    /// Returns the same priority with the level of the idle class fixed to the worst one.
    #[inline]
    pub const fn resolved(self) -> Self {
        match self.class {
            Class::Idle => Ioprio {
                class: Class::Idle,
                level: Level::WORST,
            },
            Class::RealTime | Class::BestEffort => self,
        }
    }

    /// Returns what this priority is worth for metadata, which others may wait for (CFQ 3.4).
    #[inline]
    pub(super) fn boosted(self) -> Self {
        match self.class {
            Class::Idle => Self::NORM,
            class => Ioprio {
                class,
                level: self.level.min(Level::NORM),
            },
        }
    }
}

impl Default for Ioprio {
    fn default() -> Self {
        Self::NORM
    }
}

#[cfg_attr(
    CONFIG_RCFQ_KUNIT_TEST,
    kernel::macros::kunit_tests(rcfq_policy_ioprio)
)]
#[cfg(any(test, CONFIG_RCFQ_KUNIT_TEST))]
mod tests {
    use super::*;

    #[test]
    fn levels_stay_in_range() {
        assert_eq!(Level::new(3).get(), 3);
        assert_eq!(Level::new(200), Level::WORST);
        assert!(Level::new(200).index() < Level::COUNT);
    }

    #[test]
    fn metadata_counts_at_least_as_the_middle_level_of_best_effort() {
        let of = |class, level| Ioprio {
            class,
            level: Level::new(level),
        };
        for (own, boosted) in [
            (of(Class::Idle, 7), Ioprio::NORM),
            (of(Class::BestEffort, 7), Ioprio::NORM),
            (of(Class::BestEffort, 1), of(Class::BestEffort, 1)),
            (of(Class::RealTime, 7), of(Class::RealTime, 4)),
        ] {
            assert_eq!(own.boosted(), boosted);
        }
    }

    #[test]
    fn the_idle_class_has_one_level() {
        let idle = Ioprio {
            class: Class::Idle,
            level: Level::BEST,
        };
        assert_eq!(idle.resolved().level, Level::WORST);
        assert_eq!(Ioprio::NORM.resolved(), Ioprio::NORM);
        assert!(Class::RealTime < Class::BestEffort);
    }
}
