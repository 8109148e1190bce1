// SPDX-License-Identifier: GPL-2.0

//! Where sectors are on the platters, and how long the head takes to get there.
//!
//! Sectors are laid out along one spiral whose turns are shorter inside: that is what a disk with
//! well-chosen skews looks like to a host. The angle of the platters follows from the time.

/// Zones of one track length each.
const ZONES: u64 = 24;

/// A wait this close to a whole turn is rounding: the sector is just passing.
const SLACK_NS: u64 = 5_000;

/// The mechanical figures of a disk.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// Size in sectors.
    pub sectors: u64,
    /// Time of one turn.
    pub turn_ns: u64,
    /// Bytes a second at the first sector.
    pub outer_rate: u64,
    /// Bytes a second at the last sector.
    pub inner_rate: u64,
    /// What every seek takes, however short.
    pub settle_ns: u64,
    /// What a seek over the whole disk takes on top; others by the square root of their share.
    pub stroke_ns: u64,
}

#[derive(Clone, Copy, Debug)]
struct Zone {
    first: u64,
    per_track: u64,
}

/// The layout of a disk.
#[derive(Clone, Debug)]
pub struct Geometry {
    shape: Shape,
    zones: Vec<Zone>,
}

impl Geometry {
    /// Lays a disk out.
    pub fn new(shape: Shape) -> Self {
        let (outer, inner) = (shape.outer_rate as f64, shape.inner_rate as f64);
        let zone = |index| {
            let middle = (index as f64 + 0.5) / ZONES as f64;
            // Equal density: the square of the radius, and of the rate, falls with the position.
            let rate = (outer * outer - middle * (outer * outer - inner * inner)).sqrt();
            Zone {
                first: shape.sectors * index / ZONES,
                per_track: (rate * shape.turn_ns as f64 / 1e9 / 512.0) as u64,
            }
        };
        Geometry {
            shape,
            zones: (0..ZONES).map(zone).collect(),
        }
    }

    /// Returns the size in sectors.
    pub fn sectors(&self) -> u64 {
        self.shape.sectors
    }

    fn zone(&self, sector: u64) -> Zone {
        let behind = self.zones.partition_point(|zone| zone.first <= sector);
        self.zones[behind.max(1) - 1]
    }

    /// Returns whether one rate holds for both sectors.
    pub(crate) fn same_zone(&self, one: u64, other: u64) -> bool {
        self.zone(one).first == self.zone(other).first
    }

    /// Returns how long the head takes to pass so many sectors, from `sector` on.
    pub fn pass_ns(&self, sector: u64, sectors: u64) -> u64 {
        sectors * self.shape.turn_ns / self.zone(sector).per_track
    }

    /// Returns how many sectors the head passes in a time, from `sector` on.
    pub fn passed(&self, sector: u64, ns: u64) -> u64 {
        let sectors = u128::from(ns) * u128::from(self.zone(sector).per_track);
        (sectors / u128::from(self.shape.turn_ns)) as u64
    }

    /// Returns the time of a seek.
    pub fn seek_ns(&self, from: u64, to: u64) -> u64 {
        let distance = from.abs_diff(to);
        if distance < self.zone(from).per_track {
            return 0;
        }
        let share = distance as f64 / self.shape.sectors as f64;
        self.shape.settle_ns + (self.shape.stroke_ns as f64 * share.sqrt()) as u64
    }

    /// Returns how long after `now` the sector comes by under the head.
    pub fn turn_ns(&self, sector: u64, now: u64) -> u64 {
        let zone = self.zone(sector);
        let turn = self.shape.turn_ns;
        let angle = (sector - zone.first) % zone.per_track * turn / zone.per_track;
        match (angle + turn - now % turn) % turn {
            wait if turn - wait < SLACK_NS => 0,
            wait => wait,
        }
    }

    /// Returns the time from `now` until the head, now at `from`, can pass `to`.
    pub fn access_ns(&self, from: u64, to: u64, now: u64) -> u64 {
        let seek = self.seek_ns(from, to);
        seek + self.turn_ns(to, now + seek)
    }
}
