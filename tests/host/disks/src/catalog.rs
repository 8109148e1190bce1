// SPDX-License-Identifier: GPL-2.0

//! The disks that are modelled, by name.

use crate::array::Array;
use crate::device::Device;
use crate::flash::{
    self,
    Flash, //
};
use crate::geometry::Shape;
use crate::spinning::{
    self,
    Spinning, //
};

/// A model in the catalogue.
#[derive(Clone, Copy, Debug)]
pub struct Model {
    /// Its name.
    pub name: &'static str,
    /// What it is, in a line.
    pub about: &'static str,
    make: fn(Option<u32>) -> Box<dyn Device>,
}

impl Model {
    /// Makes a disk at rest; `depth` is for another depth than its own.
    pub fn make(&self, depth: Option<u32>) -> Box<dyn Device> {
        (self.make)(depth)
    }
}

/// All models.
pub const MODELS: [Model; 5] = [
    Model {
        name: "hd103sj-1seg",
        about: "1 TB, 7200 rpm, SATA, NCQ 32; read-ahead for one stream, so the scheduler decides",
        make: |depth| spinning_with(ONE_SEGMENT, depth),
    },
    Model {
        name: "hd103sj-16seg",
        about: "the same with read-ahead for 16 streams: the drive forgives",
        make: |depth| spinning_with(SIXTEEN_SEGMENTS, depth),
    },
    Model {
        name: "raid8",
        about: "8 of hd103sj-1seg, striped by 64 KiB, depth 128; says that it rotates",
        make: |depth| Box::new(Array::new(8, ONE_SEGMENT, 128, depth.unwrap_or(128))),
    },
    Model {
        name: "cloud-ssd",
        about: "flash over a network, 29 000 IOPS at depth, 1 ms; depth 128",
        make: |depth| flash_with(CLOUD_SSD, depth),
    },
    Model {
        name: "sata-ssd",
        about: "SATA flash disk, 21 500 IOPS at depth 32, 0.15 ms",
        make: |depth| flash_with(SATA_SSD, depth),
    },
];

/// Returns a model by its name.
pub fn named(name: &str) -> Option<Model> {
    MODELS.into_iter().find(|model| model.name == name)
}

/// A common disk of its time. Mean seek: 0.8 + 15.19 * 8/15 = 8.9 ms.
pub const HD103SJ: Shape = Shape {
    sectors: 1_953_525_168,
    turn_ns: 8_333_333,
    outer_rate: 141_000_000,
    inner_rate: 69_000_000,
    settle_ns: 800_000,
    stroke_ns: 15_190_000,
};

/// It, with read-ahead for one stream.
pub const ONE_SEGMENT: spinning::Config = spinning::Config {
    shape: HD103SJ,
    depth: 32,
    command_ns: 42_000,
    link_rate: 300_000_000,
    segments: 1,
    segment_sectors: 4096,
    stay_sectors: 0,
    write_cache_sectors: 32_768,
    write_rest_ns: 10_000_000,
    age_limit_ns: 1_000_000_000,
};

/// It, with read-ahead for 16 streams; having found one it reads a whole segment.
pub const SIXTEEN_SEGMENTS: spinning::Config = spinning::Config {
    segments: 16,
    segment_sectors: 2048,
    stay_sectors: 2048,
    ..ONE_SEGMENT
};

/// Flash over a network, its rate limited by contract.
pub const CLOUD_SSD: flash::Config = flash::Config {
    sectors: 1 << 30,
    depth: 128,
    channels: 32,
    read_ns: 950_000,
    write_ns: 1_000_000,
    flush_ns: 1_000_000,
    spread: 10,
    command_ns: 25_300,
    link_rate: 450_000_000,
};

/// A flash disk behind SATA; its controller is what limits small commands.
pub const SATA_SSD: flash::Config = flash::Config {
    sectors: 500_118_192,
    depth: 32,
    channels: 10,
    read_ns: 100_000,
    write_ns: 60_000,
    flush_ns: 700_000,
    spread: 20,
    command_ns: 38_000,
    link_rate: 500_000_000,
};

fn spinning_with(config: spinning::Config, depth: Option<u32>) -> Box<dyn Device> {
    Box::new(Spinning::new(spinning::Config {
        depth: depth.unwrap_or(config.depth),
        ..config
    }))
}

fn flash_with(config: flash::Config, depth: Option<u32>) -> Box<dyn Device> {
    Box::new(Flash::new(flash::Config {
        depth: depth.unwrap_or(config.depth),
        ..config
    }))
}
