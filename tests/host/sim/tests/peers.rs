// SPDX-License-Identifier: GPL-2.0

//! Where simpler schedulers are good, rcfq is hardly worse.

use rcfq_sim::{
    Report,
    Run, //
};

const DISK: &str = "hd103sj-1seg";

/// Runs a workload under a scheduler, with some changes.
fn under(sched: &str, workload: &str, disk: &str, change: impl Fn(&mut Run)) -> Report {
    let mut run = Run::new(workload, disk);
    run.sched = sched.to_owned();
    change(&mut run);
    run.report().expect("it runs")
}

#[test]
fn fsync_beside_readers_takes_little_longer_than_with_deadlines() {
    let mean = |sched| {
        let report = under(sched, "fsync", DISK, |run| run.ms = 30_000);
        report
            .row("fsync")
            .tally
            .latency()
            .map_or(f64::MAX, |times| times[0])
    };
    let (rcfq, deadline) = (mean("rcfq"), mean("deadline"));
    println!("{rcfq} ms, {deadline} ms");
    assert!(rcfq <= 1.5 * deadline);
}

#[test]
fn writers_need_not_take_turns_at_a_cache() {
    // Eight of them fill it, and take turns now and then.
    for (tasks, part) in [(2, 0.97), (4, 0.97), (8, 0.9)] {
        let rate = |sched: &str| {
            let report = under(sched, "writers", DISK, |run| {
                (run.tasks, run.block) = (Some(tasks), Some(4096));
            });
            report.rate("writer")
        };
        let (ours, theirs) = (rate("rcfq"), rate("deadline"));
        println!("{tasks}: {ours} {theirs}");
        assert!(ours > part * theirs, "{tasks} writers: {ours} of {theirs}");
    }
}

#[test]
fn a_writer_beside_readers_keeps_his_turn() {
    let report = under("rcfq", "mixed", DISK, |run| run.block = Some(4096));
    let alone = under("rcfq", "writers", DISK, |run| {
        (run.tasks, run.block) = (Some(1), Some(4096));
    });
    let (writer, readers) = (report.rate("writer"), report.rate("reader"));
    let alone = alone.rate("writer");
    assert!(writer > 0.25 * alone, "{writer} of {alone}");
    assert!(readers > 0.5 * alone, "{readers} of {alone}");
}

#[test]
fn readers_of_one_stream_keep_the_rate_of_one() {
    let rate = |tasks| {
        let report = under("rcfq", "alternating", DISK, |run| run.tasks = Some(tasks));
        report.rate("alternating")
    };
    let (one, two) = (rate(1), rate(2));
    println!("{two} of {one}");
    assert!(two >= 0.9 * one);
}

/// So many that the device can choose, and long enough for it to be known that they seek.
fn seekers(run: &mut Run) {
    run.tasks = Some(32);
    run.ms = 40_000;
}

#[test]
fn an_array_is_used_in_parallel() {
    let iops = |sched| {
        let report = under(sched, "seekers", "raid8", seekers);
        report.row("seeker").tally.ios as f64
    };
    let (rcfq, noop) = (iops("rcfq"), iops("noop"));
    println!("{rcfq} of {noop}");
    assert!(rcfq >= 0.9 * noop);
}

#[test]
fn command_queueing_serves_random_readers() {
    let iops = |sched| {
        let report = under(sched, "seekers", DISK, seekers);
        report.row("seeker").tally.ios as f64
    };
    let (rcfq, noop) = (iops("rcfq"), iops("noop"));
    println!("{rcfq} of {noop}");
    assert!(rcfq >= 0.9 * noop);
}

#[test]
fn metadata_leaves_readers_their_slices() {
    let rate = |sched| under(sched, "metadata", DISK, |_| {}).rate("reader");
    let (rcfq, deadline) = (rate("rcfq"), rate("deadline"));
    println!("{rcfq} of {deadline}");
    assert!(rcfq >= deadline);
}
