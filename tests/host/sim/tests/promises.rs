// SPDX-License-Identifier: GPL-2.0

//! What users may rely on, on disks that behave like real ones.

use rcfq_sim::{
    Report,
    Run, //
};

const DISK: &str = "hd103sj-1seg";

/// Runs a workload with some changes.
fn with(workload: &str, disk: &str, change: impl Fn(&mut Run)) -> Report {
    let mut run = Run::new(workload, disk);
    change(&mut run);
    run.report().expect("it runs")
}

/// Rate of so many readers, in MB/s.
fn readers(tasks: u64, change: impl Fn(&mut Run)) -> f64 {
    let report = with("readers", DISK, |run| {
        run.tasks = Some(tasks);
        change(run);
    });
    report.rate("reader")
}

#[test]
fn equal_readers_get_equal_time() {
    // Many readers over a longer time: a window holds one slice more or less.
    for (tasks, seconds) in [(2, 3), (3, 3), (4, 3), (6, 9), (8, 9)] {
        for depth in [1, 32] {
            let mut run = Run::new("readers", DISK);
            (run.tasks, run.disk_depth) = (Some(tasks), Some(depth));
            let mut machine = run.machine().expect("it is known");
            let mut held = |seconds: u64| -> Vec<u64> {
                machine.run(seconds * 1_000_000_000).expect("it runs");
                let tasks = machine.tasks.iter();
                tasks.map(|task| task.tally.held_ns).collect()
            };
            let times: Vec<_> = {
                let before = held(1);
                let after = held(1 + seconds);
                after
                    .iter()
                    .zip(before)
                    .map(|(now, then)| now - then)
                    .collect()
            };
            println!("{tasks} at depth {depth}: {times:?}");
            let mean = times.iter().sum::<u64>() as f64 / tasks as f64;
            for time in &times {
                let off = (*time as f64 / mean - 1.0).abs();
                assert!(off < 0.1, "{tasks} at depth {depth}: {times:?}");
            }
        }
    }
}

#[test]
fn readers_far_apart_keep_the_rate_of_one() {
    let block = |run: &mut Run| run.block = Some(32 * 1024);
    let one = readers(1, block);
    // Four change twice as often: their slices are scaled to the target latency.
    for (tasks, share) in [(2, 0.85), (4, 0.8)] {
        let all = readers(tasks, block);
        assert!(all >= share * one, "{tasks}: {all} of {one}");
        let overlooked = readers(tasks, |run| {
            block(run);
            run.switches.no_kick = true;
        });
        assert!(overlooked < 0.05 * one, "{tasks}: {overlooked} of {one}");
    }
}

#[test]
fn there_is_no_dent_in_small_reads() {
    let rate = |tasks| with("dd-readers", DISK, |run| run.tasks = Some(tasks)).rate("reader");
    let one = rate(1);
    for tasks in 2..=8 {
        assert!(rate(tasks) > 0.75 * one, "{tasks}");
    }
}

#[test]
fn longer_slices_give_more_throughput() {
    let rate = |slice: u64| {
        readers(4, |run| {
            run.set = vec![format!("slice_sync={slice}"), "low_latency=0".into()];
        })
    };
    let rates = [10, 30, 100, 300].map(rate);
    println!("{rates:?}");
    for pair in rates.windows(2) {
        assert!(pair[1] > pair[0], "{rates:?}");
    }
    // A slice of 100 ms and a change of about 13 ms.
    let one = readers(1, |_| {});
    assert!((0.8..0.95).contains(&(rates[2] / one)), "{rates:?}");
}

#[test]
fn flash_is_used_to_its_limit() {
    for (disk, limit) in [("cloud-ssd", 29_000.0), ("sata-ssd", 21_500.0)] {
        let iops = |idle: &str| {
            let report = with("aio", disk, |run| {
                run.ms = 3_000;
                run.set.extend((!idle.is_empty()).then(|| idle.to_owned()));
            });
            report.row("aio").tally.ios as f64 / report.seconds
        };
        assert!(iops("") > 0.97 * limit, "{disk}");
        // Whoever has more at once than the device takes loses little by turns; else a lot.
        let turns = iops("slice_idle=8");
        println!("{disk}: {turns} with slice_idle=8");
        assert!(turns < 1.02 * limit);
    }
}

#[test]
fn nobody_waits_for_flash() {
    let report = with("aio", "cloud-ssd", |run| run.ms = 1_000);
    assert_eq!(report.counter("idle_armed"), 0);
    assert_eq!(report.counter("dispatch_idle"), 0);
    let fair = report.row("aio").fairness;
    assert!(fair > 0.9, "{fair}");
}

#[test]
fn writes_in_the_background_go_on_beside_readers() {
    for (disk, tasks) in [(DISK, 1), (DISK, 4), ("sata-ssd", 4)] {
        let report = with("writeback", disk, |run| {
            (run.tasks, run.ms) = (Some(tasks), 20_000);
        });
        let writer = report.row("writer").tally;
        // Not how long a request waits: there may be many before it.
        let gap = writer.gap_ns / 1_000_000;
        println!("{disk} with {tasks}: {} writes, gap {gap} ms", writer.ios);
        assert!(gap < 2_500, "{gap}");
        if disk == DISK && tasks > 1 {
            let (reads, writes) = (report.rate("reader"), report.rate("writer"));
            assert!(reads > writes, "{reads} {writes}");
        }
    }
}

#[test]
fn a_program_that_starts_has_a_turn_in_every_round() {
    for seed in 1..=3 {
        let report = with("startup", DISK, |run| {
            (run.seed, run.ms) = (seed, 20_000);
        });
        let longest = report.row("startup").tally.worst_ns / 1_000_000;
        // One of target_latency, and the slice in which it is over.
        assert!(longest < 300 + 100, "seed {seed}: {longest} ms");
    }
}

#[test]
fn classes_come_in_order() {
    let report = with("classes", DISK, |run| run.ms = 20_000);
    let rates = ["rt", "be0", "be4", "be7"].map(|kind| report.rate(kind));
    assert!(rates.windows(2).all(|pair| pair[0] > pair[1]), "{rates:?}");
    assert!(rates[0] > 20.0 * rates[1], "{rates:?}");
    // Nobody starves.
    let idle = report.row("idle").tally;
    assert!(idle.ios >= 10);
    assert!(idle.worst_ns < 3_000_000_000, "{}", idle.worst_ns);
}

#[test]
fn better_levels_get_more() {
    let report = with("levels", DISK, |run| run.ms = 20_000);
    let rates: Vec<_> = (0..8)
        .map(|level| report.rate(&format!("be{level}")))
        .collect();
    assert!(rates.windows(2).all(|pair| pair[0] > pair[1]), "{rates:?}");
}

#[test]
fn a_sequential_reader_lives_beside_random_ones() {
    let rate = |setting: &str| {
        let report = with("noidle-mix", DISK, |run| {
            run.set
                .extend((!setting.is_empty()).then(|| setting.to_owned()));
        });
        report.rate("reader")
    };
    let (waiting, not) = (rate(""), rate("slice_idle=0"));
    assert!(waiting > 5.0 * not, "{waiting} {not}");
}

#[test]
fn a_lone_reader_is_not_slowed_down() {
    for workload in ["readers", "dd-readers", "buffered", "seekers", "writers"] {
        let rate = |sched: &str| {
            let report = with(workload, DISK, |run| {
                run.tasks = Some(1);
                run.sched = sched.into();
            });
            report.rows.iter().map(|row| row.tally.bytes).sum::<u64>() as f64
        };
        assert!(rate("rcfq") > 0.99 * rate("noop"), "{workload}");
    }
}

#[test]
fn children_that_exit_leave_nothing_behind() {
    let report = with("forks", DISK, |run| {
        (run.ms, run.disk_depth) = (120_000, Some(1));
    });
    let children = report.row("child");
    assert_eq!((children.tasks, children.tally.ios), (500, 10_000));
    assert!(children.fairness == 1.0);
}
