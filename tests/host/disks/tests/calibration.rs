// SPDX-License-Identifier: GPL-2.0

//! The models against the figures of the disks.

use rcfq_disks::catalog::{
    HD103SJ,
    ONE_SEGMENT, //
};
use rcfq_disks::geometry::Geometry;
use rcfq_disks::spinning::Spinning;
use rcfq_disks::{
    named,
    Command,
    Device,
    Op, //
};

const SECOND: u64 = 1_000_000_000;

/// What the host takes from one command to the next.
const HOST_NS: u64 = 3_000;

/// A host that keeps commands going; where the next one goes is asked from `next`.
struct Host {
    disk: Box<dyn Device>,
    depth: u32,
    op: Op,
    sectors: u32,
}

impl Host {
    fn new(name: &str, depth: u32, op: Op, bytes: u32) -> Self {
        Host {
            disk: named(name).expect("a model").make(None),
            depth,
            op,
            sectors: bytes / 512,
        }
    }

    /// Runs for some seconds; returns commands a second and their mean time in milliseconds.
    fn run(mut self, seconds: u64, mut next: impl FnMut(u64) -> u64) -> (f64, f64) {
        let end = seconds * SECOND;
        let mut ready = vec![0u64; self.depth as usize];
        let mut born = vec![0u64; self.depth as usize];
        let (mut done, mut time, mut count, mut now) = (Vec::new(), 0, 0u64, 0);
        let mut issued = 0;
        while now < end {
            for id in 0..self.depth as usize {
                if ready[id] <= now {
                    let command = Command {
                        id: id as u64,
                        op: self.op,
                        sector: next(issued),
                        sectors: self.sectors,
                    };
                    self.disk.submit(now, command).expect("room");
                    issued += 1;
                    (born[id], ready[id]) = (now, u64::MAX);
                }
            }
            let host = ready.iter().copied().min().unwrap_or(u64::MAX);
            now = host.min(self.disk.next_event().unwrap_or(u64::MAX));
            self.disk.advance(now, &mut done);
            for id in done.drain(..) {
                count += 1;
                time += now - born[id as usize];
                ready[id as usize] = now + HOST_NS;
            }
        }
        let rate = count as f64 / seconds as f64;
        (rate, time as f64 / count as f64 / 1e6)
    }
}

fn anywhere(sectors: u64) -> impl FnMut(u64) -> u64 {
    let mut state = 1u64;
    move |_| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state % (sectors / 8 - 1) * 8
    }
}

fn near(value: f64, figure: f64, percent: f64) {
    let off = (value / figure - 1.0) * 100.0;
    println!("{value:.1} of {figure} ({off:+.1} %)");
    assert!(off.abs() <= percent, "{value} is not {figure}");
}

#[test]
fn seeks_take_what_the_data_sheet_says() {
    let geometry = Geometry::new(HD103SJ);
    let (mut one, mut other) = (anywhere(HD103SJ.sectors), anywhere(HD103SJ.sectors / 3 * 3));
    other(0);
    let count = 20_000u64;
    let sum: u64 = (0..count).map(|_| geometry.seek_ns(one(0), other(0))).sum();
    near(sum as f64 / count as f64 / 1e6, 8.9, 2.0);
}

#[test]
fn streams_run_at_the_rate_of_their_zone() {
    for name in ["hd103sj-1seg", "hd103sj-16seg"] {
        for (start, rate) in [(0, 140.0), (HD103SJ.sectors / 128 * 126, 70.0)] {
            let host = Host::new(name, 1, Op::Read, 128 * 1024);
            let (iops, _) = host.run(4, |index| start + index * 256);
            near(iops * 0.131_072, rate, 4.0);
        }
    }
}

#[test]
fn small_sequential_reads_run_on_read_ahead() {
    for name in ["hd103sj-1seg", "hd103sj-16seg"] {
        let (iops, _) = Host::new(name, 1, Op::Read, 4096).run(4, |index| index * 8);
        near(iops, 17_000.0, 5.0);
        let (iops, _) = Host::new(name, 1, Op::Read, 512).run(4, |index| index);
        assert!(iops > 17_000.0);
    }
}

#[test]
fn small_random_reads_take_a_seek_and_half_a_turn() {
    let host = Host::new("hd103sj-1seg", 1, Op::Read, 4096);
    let (single, latency) = host.run(60, anywhere(HD103SJ.sectors));
    near(latency, 8.9 + 8.333 / 2.0, 4.0);
    let host = Host::new("hd103sj-1seg", 32, Op::Read, 4096);
    let (queued, _) = host.run(60, anywhere(HD103SJ.sectors));
    let gain = queued / single;
    println!("queueing gains {gain:.2}: {single:.1} to {queued:.1}");
    assert!((1.8..2.6).contains(&gain));
}

#[test]
fn the_number_of_segments_decides_about_two_streams() {
    let two = |name| {
        let mut at = [0u64, HD103SJ.sectors / 2];
        let mut disk = named(name).expect("a model").make(None);
        let mut submit = |disk: &mut Box<dyn Device>, now, id: u64| {
            let sector = at[id as usize];
            at[id as usize] += 8;
            let command = Command {
                id,
                op: Op::Read,
                sector,
                sectors: 8,
            };
            disk.submit(now, command).expect("room");
        };
        submit(&mut disk, 0, 0);
        submit(&mut disk, 0, 1);
        let (mut now, mut count, mut done) = (0, 0u64, Vec::new());
        while now < 4 * SECOND {
            now = disk.next_event().expect("commands are inside");
            disk.advance(now, &mut done);
            for id in done.drain(..) {
                count += 1;
                submit(&mut disk, now, id);
            }
        }
        count / 4
    };
    let (one, sixteen) = (two("hd103sj-1seg"), two("hd103sj-16seg"));
    println!("{one} and {sixteen}");
    assert!((50..130).contains(&one));
    assert!((10_000..14_500).contains(&sixteen));
}

#[test]
fn writes_are_cached() {
    let host = Host::new("hd103sj-1seg", 1, Op::Write, 4096);
    let (iops, _) = host.run(4, |index| index * 8);
    assert!((12_000.0..18_000.0).contains(&iops), "{iops}");
    let host = Host::new("hd103sj-1seg", 1, Op::WriteThrough, 4096);
    let (iops, _) = host.run(4, |index| index * 8);
    near(iops, 120.0, 2.0);
    // More than the cache takes: the medium's rate, small writes sorted.
    let host = Host::new("hd103sj-1seg", 32, Op::Write, 128 * 1024);
    let (iops, _) = host.run(10, |index| index * 256);
    near(iops * 0.131_072, 137.0, 6.0);
    let host = Host::new("hd103sj-1seg", 32, Op::Write, 4096);
    let (iops, _) = host.run(60, anywhere(HD103SJ.sectors));
    assert!((200.0..500.0).contains(&iops), "{iops}");
}

#[test]
fn a_flush_waits_for_the_cache() {
    let mut disk = Spinning::new(ONE_SEGMENT);
    let command = |id, op, sector| Command {
        id,
        op,
        sector,
        sectors: 8,
    };
    let ops = [
        (1, Op::Write, 1 << 20),
        (2, Op::Write, 1 << 30),
        (3, Op::Flush, 0),
        (4, Op::Read, 1 << 29),
    ];
    for (id, op, sector) in ops {
        disk.submit(0, command(id, op, sector)).expect("room");
    }
    let (mut done, mut ends) = (Vec::new(), Vec::new());
    while let Some(now) = disk.next_event() {
        disk.advance(now, &mut done);
        ends.extend(done.drain(..).map(|id| (id, now)));
    }
    assert_eq!(
        ends.iter().map(|end| end.0).collect::<Vec<_>>(),
        [1, 2, 3, 4]
    );
    assert!(ends[1].1 < 200_000);
    assert!((5_000_000..40_000_000).contains(&ends[2].1), "{ends:?}");
    assert!(ends[3].1 > ends[2].1 + 1_000_000);
}

#[test]
fn flash_reaches_its_rate_at_depth() {
    let host = Host::new("cloud-ssd", 128, Op::Read, 4096);
    near(host.run(2, anywhere(1 << 30)).0, 29_000.0, 2.0);
    let host = Host::new("cloud-ssd", 1, Op::Read, 4096);
    near(host.run(4, anywhere(1 << 30)).1, 1.0, 5.0);
    let host = Host::new("sata-ssd", 32, Op::Read, 4096);
    near(host.run(2, anywhere(1 << 28)).0, 21_500.0, 2.0);
    let host = Host::new("sata-ssd", 1, Op::Read, 4096);
    assert!(host.run(2, anywhere(1 << 28)).1 < 0.2);
}

#[test]
fn an_array_works_in_parallel() {
    let sectors = HD103SJ.sectors * 7;
    let host = Host::new("raid8", 1, Op::Read, 4096);
    let (single, _) = host.run(30, anywhere(sectors));
    let host = Host::new("raid8", 64, Op::Read, 4096);
    let (queued, _) = host.run(30, anywhere(sectors));
    println!("{single:.1} to {queued:.1}");
    assert!((6.0..20.0).contains(&(queued / single)));
    let host = Host::new("raid8", 16, Op::Read, 512 * 1024);
    let (iops, _) = host.run(4, |index| index * 1024);
    assert!(iops * 0.524 > 500.0, "{iops}");
}

#[test]
fn a_full_device_says_so() {
    for model in rcfq_disks::MODELS {
        let mut disk = model.make(Some(1));
        let command = Command {
            id: 1,
            op: Op::Read,
            sector: 4096,
            sectors: 8,
        };
        assert!(disk.submit(0, command).is_ok());
        assert!(disk.submit(0, command).is_err(), "{}", model.name);
        let mut done = Vec::new();
        while let Some(now) = disk.next_event() {
            disk.advance(now, &mut done);
        }
        assert_eq!(done, [1]);
    }
}

#[test]
fn a_late_caller_loses_nothing() {
    for model in rcfq_disks::MODELS {
        let done = |late: bool| {
            let mut disk = model.make(None);
            let mut place = anywhere(1 << 28);
            for id in 0..24 {
                let op = [Op::Read, Op::Write, Op::Read, Op::Flush][id as usize % 4];
                let command = Command {
                    id,
                    op,
                    sector: place(id),
                    sectors: 64,
                };
                disk.submit(0, command).expect("room");
            }
            let mut done = Vec::new();
            while let Some(now) = disk.next_event() {
                disk.advance(if late { 60 * SECOND } else { now }, &mut done);
            }
            done
        };
        assert_eq!(done(false).len(), 24);
        assert_eq!(done(false), done(true), "{}", model.name);
    }
}
