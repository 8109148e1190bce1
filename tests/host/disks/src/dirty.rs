// SPDX-License-Identifier: GPL-2.0

//! What a write cache holds: which sectors the medium lacks.

use std::collections::BTreeMap;

/// Extents, none overlapping or touching another.
#[derive(Debug, Default)]
pub(crate) struct Dirty {
    /// First sector and the one behind the last.
    extents: BTreeMap<u64, u64>,
    sectors: u64,
}

impl Dirty {
    /// Returns the number of sectors.
    pub(crate) fn sectors(&self) -> u64 {
        self.sectors
    }

    /// Returns whether there is none.
    pub(crate) fn is_empty(&self) -> bool {
        self.extents.is_empty()
    }

    /// Adds sectors, which may be there already.
    pub(crate) fn add(&mut self, mut first: u64, mut end: u64) {
        while let Some((&start, &stop)) = self.extents.range(..=end).next_back() {
            if stop < first {
                break;
            }
            self.extents.remove(&start);
            self.sectors -= stop - start;
            first = first.min(start);
            end = end.max(stop);
        }
        self.extents.insert(first, end);
        self.sectors += end - first;
    }

    /// Returns whether all of these sectors are there.
    pub(crate) fn holds(&self, first: u64, end: u64) -> bool {
        let extent = self.extents.range(..=first).next_back();
        extent.is_some_and(|(_, &stop)| end <= stop)
    }

    /// Returns the starts of the next extents, upwards from a position and around.
    pub(crate) fn upwards(&self, from: u64) -> impl Iterator<Item = u64> + '_ {
        let above = self.extents.range(from..);
        let below = self.extents.range(..from);
        above.chain(below).map(|(&first, _)| first)
    }

    /// Takes at most so many sectors from the front of the extent that starts at `first`.
    pub(crate) fn take(&mut self, first: u64, most: u64) -> u64 {
        let Some(end) = self.extents.remove(&first) else {
            return 0;
        };
        let taken = most.min(end - first);
        if first + taken < end {
            self.extents.insert(first + taken, end);
        }
        self.sectors -= taken;
        taken
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn touching_extents_become_one() {
        let mut dirty = Dirty::default();
        dirty.add(8, 16);
        dirty.add(24, 32);
        dirty.add(16, 24);
        assert!(dirty.holds(8, 32) && !dirty.holds(8, 33) && !dirty.holds(7, 9));
        dirty.add(10, 12);
        assert_eq!(dirty.sectors(), 24);
        assert_eq!(dirty.upwards(9).collect::<Vec<_>>(), [8]);
        assert_eq!(dirty.take(8, 10), 10);
        assert_eq!(dirty.take(18, 100), 14);
        assert!(dirty.is_empty() && dirty.sectors() == 0);
    }
}
