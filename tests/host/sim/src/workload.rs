// SPDX-License-Identifier: GPL-2.0

//! The workloads, by name.

use crate::io::Io;
use crate::program::buffered::Buffered;
use crate::program::direct::{
    Direct,
    Pattern, //
};
use crate::program::fork::Forker;
use crate::program::fsync::{
    Fsync,
    Journal, //
};
use crate::program::writeback::Writeback;
use crate::task::Spec;
use rcfq_policy::policy::Class;

/// What a workload is made for.
#[derive(Clone, Copy, Debug)]
pub struct Scene {
    /// Size of the disk in sectors.
    pub sectors: u64,
    /// Number of processes, where that can be chosen.
    pub tasks: u64,
    /// Sectors of a request, where that can be chosen.
    pub block: Option<u32>,
    /// Requests at once of each process, where that can be chosen.
    pub depth: Option<u32>,
    /// Pause from one request to the next, where that can be chosen.
    pub think_ns: Option<u64>,
}

impl Scene {
    /// Returns the start of one of so many areas, far from each other.
    fn area(&self, index: u64, of: u64) -> u64 {
        self.sectors / (of + 1) * (index + 1) / 8 * 8
    }

    /// A process that does one request after the other.
    fn direct(&self, pattern: Pattern, io: Io, block: u32) -> Direct {
        let io = Io {
            sectors: self.block.unwrap_or(block),
            ..io
        };
        let one = Direct::new(pattern, io);
        Direct {
            depth: self.depth.unwrap_or(one.depth),
            think_ns: self.think_ns.unwrap_or(one.think_ns),
            ..one
        }
    }

    fn reader(&self, index: u64, of: u64, block: u32) -> Direct {
        let start = Pattern::Sequential(self.area(index, of));
        self.direct(start, Io::read(0, 0), block)
    }

    fn seeker(&self) -> Direct {
        self.direct(Pattern::Random(0, self.sectors), Io::read(0, 0), 8)
    }

    fn buffered(&self, index: u64, of: u64) -> Buffered {
        let chew = self.think_ns.unwrap_or(50_000);
        Buffered::new(self.area(index, of), self.block.unwrap_or(256), chew)
    }

    fn many(&self, kind: &str, make: impl Fn(u64) -> Direct) -> Vec<Spec> {
        (0..self.tasks)
            .map(|index| Spec::new(kind, make(index)))
            .collect()
    }

    /// Two readers that take turns in one stream of blocks.
    fn alternating(&self, until: u64) -> Vec<Spec> {
        let of = self.tasks;
        self.many("alternating", |index| {
            let pattern = Pattern::Alternate {
                start: self.area(0, 1),
                index,
                of,
                until,
                then: self.area(index, of),
            };
            self.direct(pattern, Io::read(0, 0), 128)
        })
    }
}

/// A set of processes.
#[derive(Clone, Copy, Debug)]
pub struct Workload {
    /// Its name.
    pub name: &'static str,
    /// What it is, in a line.
    pub about: &'static str,
    /// The number of processes, unless chosen.
    pub tasks: u64,
    make: fn(&Scene) -> Vec<Spec>,
}

impl Workload {
    /// Makes the processes.
    pub fn make(&self, scene: &Scene) -> Vec<Spec> {
        (self.make)(scene)
    }
}

/// Returns a workload by its name.
pub fn named(name: &str) -> Option<Workload> {
    WORKLOADS.into_iter().find(|workload| workload.name == name)
}

macro_rules! workloads {
    ($($name:literal $tasks:literal $about:literal $make:expr;)+) => {
        /// All workloads.
        pub const WORKLOADS: [Workload; [$($name),+].len()] = [
            $(Workload { name: $name, about: $about, tasks: $tasks, make: $make }),+
        ];
    };
}

workloads! {
    "readers" 4 "sequential O_DIRECT readers of 128 KiB, one request at a time, far apart"
        |scene| scene.many("reader", |index| scene.reader(index, scene.tasks, 256));
    "dd-readers" 2 "the same with 4 KiB (choose --block 512 for dd's default)"
        |scene| scene.many("reader", |index| scene.reader(index, scene.tasks, 8));
    "buffered" 4 "sequential readers through the page cache: two windows of 128 KiB ahead"
        |scene| (0..scene.tasks)
            .map(|index| Spec::new("buffered", scene.buffered(index, scene.tasks)))
            .collect();
    "seekers" 4 "random readers of 4 KiB, one request at a time"
        |scene| scene.many("seeker", |_| scene.seeker())
            .into_iter().map(Spec::seeky).collect();
    "aio" 10 "random readers of 4 KiB, 64 requests at once each"
        |scene| {
            let scene = Scene { depth: scene.depth.or(Some(64)), ..*scene };
            scene.many("aio", |_| scene.seeker()).into_iter().map(Spec::seeky).collect()
        };
    "noidle-mix" 2 "random readers of 4 KiB beside one sequential reader of 128 KiB"
        |scene| {
            let mut specs: Vec<_> = scene.many("seeker", |_| scene.seeker())
                .into_iter().map(Spec::seeky).collect();
            specs.push(Spec::new("reader", scene.reader(0, 1, 256)));
            specs
        };
    "noidle-write" 4 "random readers of 4 KiB beside one buffered writer"
        |scene| {
            let mut specs: Vec<_> = scene.many("seeker", |_| scene.seeker())
                .into_iter().map(Spec::seeky).collect();
            specs.push(Spec::new("writer", Writeback::new(scene.area(0, 1), 1 << 18)));
            specs
        };
    "writers" 2 "sequential O_DIRECT writers of 128 KiB, one request at a time"
        |scene| scene.many("writer", |index| {
            let start = Pattern::Sequential(scene.area(index, scene.tasks));
            scene.direct(start, Io { idle_hint: true, ..Io::write(0, 0) }, 256)
        });
    "mixed" 2 "sequential readers of 128 KiB beside a sequential O_DIRECT writer"
        |scene| {
            let of = scene.tasks + 1;
            let mut specs = scene.many("reader", |index| scene.reader(index, of, 256));
            let start = Pattern::Sequential(scene.area(scene.tasks, of));
            let io = Io { idle_hint: true, ..Io::write(0, 0) };
            specs.push(Spec::new("writer", scene.direct(start, io, 256)));
            specs
        };
    "writeback" 2 "sequential readers of 128 KiB beside one buffered writer"
        |scene| {
            let of = scene.tasks + 1;
            let mut specs = scene.many("reader", |index| scene.reader(index, of, 256));
            let writer = Writeback::new(scene.area(scene.tasks, of), 1 << 18);
            specs.push(Spec::new("writer", writer));
            specs
        };
    "fsync" 4 "buffered readers beside a process that writes and fsyncs files of 64 KiB"
        |scene| {
            let of = scene.tasks + 1;
            let mut specs: Vec<_> = (0..scene.tasks)
                .map(|index| Spec::new("buffered", scene.buffered(index, of)))
                .collect();
            let start = scene.area(scene.tasks, of);
            specs.push(Spec::new("fsync", Fsync {
                start,
                span: 1 << 21,
                sectors: 128,
                think_ns: 10_000_000,
                journal: specs.len() + 1,
                begun: 0,
            }));
            specs.push(Spec::new("journal", Journal::new(start + (1 << 22), 1 << 18)));
            specs
        };
    "alternating" 2 "readers that take turns in one stream of 64 KiB blocks"
        |scene| scene.alternating(u64::MAX);
    "diverging" 2 "the same, each going its own way after 2000 blocks"
        |scene| scene.alternating(2_000);
    "metadata" 3 "readers of 128 KiB beside one of small pieces marked as metadata"
        |scene| {
            let mut specs = scene.many("reader", |index| scene.reader(index, scene.tasks, 256));
            let mut seeker = scene.seeker();
            seeker.io.prio = true;
            seeker.think_ns = 1_000_000;
            specs.push(Spec::new("metadata", seeker).seeky());
            specs
        };
    "forks" 1 "a reader beside a storm of 100 children a second that read 20 pieces each"
        |scene| {
            let mut specs = scene.many("reader", |index| scene.reader(index, scene.tasks, 256));
            specs.push(Spec::new("parent", Forker {
                start: 0,
                span: 1 << 21,
                every_ns: 10_000_000,
                reads: 20,
                children: 500,
            }));
            specs
        };
    "classes" 1 "readers of RT, BE 0, BE 4, BE 7 and IDLE, so many of each"
        |scene| {
            let kinds = [
                ("rt", Class::RealTime, 4),
                ("be0", Class::BestEffort, 0),
                ("be4", Class::BestEffort, 4),
                ("be7", Class::BestEffort, 7),
                ("idle", Class::Idle, 7),
            ];
            let mut specs = Vec::new();
            for (place, (kind, class, level)) in (0..).zip(kinds) {
                specs.extend(
                    scene.many(kind, |index| scene.reader(place * scene.tasks + index,
                        5 * scene.tasks, 256))
                        .into_iter().map(|spec| spec.with_ioprio(class, level)),
                );
            }
            specs
        };
    "levels" 1 "readers of BE 0 to BE 7, so many of each"
        |scene| {
            let mut specs = Vec::new();
            for (place, level) in (0..8u64).zip(0u8..) {
                specs.extend(
                    scene.many(&format!("be{level}"), |index| scene.reader(
                        place * scene.tasks + index, 8 * scene.tasks, 256))
                        .into_iter().map(|spec| spec.with_ioprio(Class::BestEffort, level)),
                );
            }
            specs
        };
    "startup" 5 "a program that starts: small reads with pauses, beside readers and a writer"
        |scene| {
            let of = scene.tasks + 1;
            let mut specs: Vec<_> = (0..scene.tasks)
                .map(|index| Spec::new("buffered", scene.buffered(index, of)))
                .collect();
            let here = scene.area(scene.tasks, of);
            specs.push(Spec::new("writer", Writeback::new(here + (1 << 24), 1 << 18)));
            let mut program = Direct::new(Pattern::Random(here, 1 << 21), Io::read(0, 32));
            program.think_ns = 500_000;
            specs.push(Spec::new("startup", program).seeky());
            specs
        };
}
