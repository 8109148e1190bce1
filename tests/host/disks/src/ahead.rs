// SPDX-License-Identifier: GPL-2.0

//! The read cache: segments, one of which the head may be filling.
//!
//! Filling needs no events: how far it has come follows from the time.

use crate::geometry::Geometry;

/// A reader this little ahead of the head is met by waiting.
const NEAR: u64 = 256;

/// A piece of the medium that is held.
#[derive(Clone, Copy, Debug, Default)]
struct Segment {
    first: u64,
    end: u64,
    /// End of what the host read last.
    used: u64,
    /// When it was used, counted in uses.
    stamp: u64,
}

/// The segment under the head.
#[derive(Clone, Copy, Debug)]
struct Filling {
    index: usize,
    from: u64,
    since: u64,
    /// Where it stops until the host has read more.
    limit: u64,
}

/// How a read meets the cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Meeting {
    /// All is there.
    Hit,
    /// The head is about to pass the last of it, at this time.
    Coming(u64),
    /// It goes on where a segment ends.
    Sequel,
    /// It has nothing to do with what is held.
    Miss,
}

/// The segments.
#[derive(Debug)]
pub(crate) struct Ahead {
    segments: Vec<Segment>,
    size: u64,
    filling: Option<Filling>,
    uses: u64,
}

impl Ahead {
    /// Makes so many empty segments of so many sectors.
    pub(crate) fn new(count: usize, size: u64) -> Self {
        Ahead {
            segments: vec![Segment::default(); count],
            size,
            filling: None,
            uses: 0,
        }
    }

    /// Returns when the filling head passes `sector`.
    fn passes(&self, geometry: &Geometry, filling: Filling, sector: u64) -> u64 {
        filling.since + geometry.pass_ns(filling.from, sector.saturating_sub(filling.from)) + 1
    }

    /// Brings the segment that is being filled up to date.
    fn catch_up(&mut self, geometry: &Geometry, now: u64) {
        let Some(filling) = self.filling else {
            return;
        };
        let passed = geometry.passed(filling.from, now.saturating_sub(filling.since));
        let segment = &mut self.segments[filling.index];
        segment.end = segment.end.max((filling.from + passed).min(filling.limit));
        segment.first = segment.first.max(segment.end.saturating_sub(self.size));
    }

    /// Takes the head away, if it is filling; returns where it has got to.
    pub(crate) fn leave(&mut self, geometry: &Geometry, now: u64) -> Option<u64> {
        self.catch_up(geometry, now);
        let filling = self.filling.take()?;
        Some(self.segments[filling.index].end)
    }

    fn place(&self, sector: u64) -> Option<usize> {
        let near = |index: usize| match self.filling {
            Some(filling) if filling.index == index => NEAR,
            _ => 0,
        };
        let holds = |(index, segment): (usize, &Segment)| {
            segment.end > 0 && (segment.first..=segment.end + near(index)).contains(&sector)
        };
        self.segments.iter().enumerate().position(holds)
    }

    /// Tells how a read would meet the cache, and changes nothing that matters.
    pub(crate) fn meet(&mut self, geometry: &Geometry, now: u64, first: u64, end: u64) -> Meeting {
        self.catch_up(geometry, now);
        let Some(index) = self.place(first) else {
            return Meeting::Miss;
        };
        if end <= self.segments[index].end {
            return Meeting::Hit;
        }
        match self.filling {
            Some(filling) if filling.index == index && end - first <= self.size => {
                let here = self.segments[index].end;
                if here < filling.limit {
                    return Meeting::Coming(self.passes(geometry, filling, end));
                }
                // It has paused, and the sector has gone by.
                let wait = geometry.turn_ns(here, now);
                Meeting::Coming(now + wait + geometry.pass_ns(here, end - here))
            }
            _ => Meeting::Sequel,
        }
    }

    /// Notes that the host reads what it met as a hit or coming.
    pub(crate) fn take(&mut self, geometry: &Geometry, now: u64, first: u64, end: u64) {
        let Some(index) = self.place(first) else {
            return;
        };
        self.uses += 1;
        let (uses, size) = (self.uses, self.size);
        let segment = &mut self.segments[index];
        segment.stamp = uses;
        segment.used = segment.used.max(end);
        let (here, limit) = (segment.end, (segment.used + size).min(geometry.sectors()));
        let Some(filling) = self.filling.as_mut().filter(|now| now.index == index) else {
            return;
        };
        if here < filling.limit {
            filling.limit = limit;
            if !geometry.same_zone(filling.from, here) {
                filling.since += geometry.pass_ns(filling.from, here - filling.from);
                filling.from = here;
            }
        } else if end > here || limit.saturating_sub(here) >= size / 4 {
            *filling = Filling {
                index,
                from: here,
                since: now + geometry.turn_ns(here, now),
                limit,
            };
        }
    }

    /// Notes a read from the medium that ends at `done`; the head fills on from there.
    pub(crate) fn fill(&mut self, geometry: &Geometry, first: u64, end: u64, done: u64) {
        let known = self.place(first);
        let oldest = (0..self.segments.len()).min_by_key(|&index| self.segments[index].stamp);
        let Some(index) = known.or(oldest) else {
            return;
        };
        self.uses += 1;
        let start = match known {
            Some(_) => self.segments[index]
                .first
                .max(end.saturating_sub(self.size)),
            None => first,
        };
        self.segments[index] = Segment {
            first: start,
            end,
            used: end,
            stamp: self.uses,
        };
        self.filling = Some(Filling {
            index,
            from: end,
            since: done,
            limit: (end + self.size).min(geometry.sectors()),
        });
    }

    /// Returns when the head has filled so many sectors more, or all that it may.
    pub(crate) fn filled(&self, geometry: &Geometry, sectors: u64) -> Option<u64> {
        let filling = self.filling?;
        let goal = (filling.from + sectors).min(filling.limit);
        Some(self.passes(geometry, filling, goal))
    }

    /// Forgets what is overwritten.
    pub(crate) fn overwrite(&mut self, first: u64, end: u64) {
        for index in 0..self.segments.len() {
            let segment = &mut self.segments[index];
            if segment.first < end && first < segment.end {
                *segment = Segment::default();
                if self.filling.is_some_and(|filling| filling.index == index) {
                    self.filling = None;
                }
            }
        }
    }
}
