// SPDX-License-Identifier: GPL-2.0

//! The same options and seed give the same run, and every run keeps the invariants.

use rcfq_sim::workload::WORKLOADS;
use rcfq_sim::{
    elevator,
    Run, //
};

/// All disks: the workloads are short here, so that each meets each.
fn runs(ms: u64) -> impl Iterator<Item = Run> {
    WORKLOADS.into_iter().flat_map(move |workload| {
        rcfq_disks::MODELS.into_iter().map(move |disk| Run {
            ms,
            ..Run::new(workload.name, disk.name)
        })
    })
}

#[test]
fn every_run_can_be_repeated() {
    for run in runs(200) {
        for kind in elevator::KINDS {
            let run = Run {
                sched: kind.name.into(),
                ..run.clone()
            };
            let [one, other] = [&run, &run].map(|run| run.report().expect("it runs"));
            assert_eq!(one.trace, other.trace, "{run:?}");
            assert_eq!(one.counters, other.counters);
            for (one, other) in one.rows.iter().zip(&other.rows) {
                assert_eq!(one.tally, other.tally);
            }
        }
    }
}

#[test]
fn the_seed_makes_a_difference() {
    let trace = |seed| {
        let mut run = Run::new("seekers", "hd103sj-1seg");
        (run.seed, run.ms) = (seed, 300);
        run.report().expect("it runs").trace
    };
    assert_ne!(trace(1), trace(2));
    assert_eq!(trace(2), trace(2));
}

#[test]
fn invariants_hold_after_every_event() {
    for mut run in runs(120) {
        run.switches.check = true;
        for (depth, seed) in [(None, 1), (Some(1), 2)] {
            (run.disk_depth, run.seed) = (depth, seed);
            assert_eq!(run.report().map(|_| ()), Ok(()), "{run:?}");
        }
    }
}

#[test]
fn switches_keep_the_invariants() {
    for (no_kick, no_tree_idling) in [(true, false), (false, true), (true, true)] {
        for workload in ["readers", "noidle-mix", "forks", "fsync"] {
            let mut run = Run::new(workload, "hd103sj-1seg");
            run.ms = 1_000;
            run.switches.check = true;
            run.switches.no_kick = no_kick;
            run.switches.no_tree_idling = no_tree_idling;
            assert_eq!(run.report().map(|_| ()), Ok(()), "{run:?}");
        }
    }
}

#[test]
fn knobs_at_their_ends_keep_the_invariants() {
    for info in rcfq_policy::policy::KNOBS {
        for value in [info.min, info.max] {
            for workload in ["readers", "writeback", "forks"] {
                let mut run = Run::new(workload, "hd103sj-1seg");
                run.ms = 400;
                run.switches.check = true;
                run.set = vec![format!("{}={value}", info.name)];
                assert_eq!(run.report().map(|_| ()), Ok(()), "{run:?}");
            }
        }
    }
}

#[test]
fn what_is_not_known_is_named() {
    let said = |change: fn(&mut Run)| {
        let mut run = Run::new("readers", "hd103sj-1seg");
        run.ms = 10;
        change(&mut run);
        run.report().map(|_| ()).expect_err("it must be refused")
    };
    assert!(said(|run| run.workload = "none".into()).contains("'none'"));
    assert!(said(|run| run.disk = "tape".into()).contains("'tape'"));
    assert!(said(|run| run.sched = "cfq".into()).contains("'cfq'"));
    assert!(said(|run| run.set = vec!["slice_idle".into()]).contains("NAME=VALUE"));
    assert!(said(|run| run.set = vec!["slice=1".into()]).contains("'slice'"));
    assert!(said(|run| run.set = vec!["quantum=0".into()]).contains("within 1"));
    assert!(said(|run| run.set = vec!["quantum=x".into()]).contains("not a number"));
    assert!(said(|run| run.block = Some(100)).contains("512"));
    assert!(said(|run| run.tasks = Some(0)).contains("at least 1"));
}
