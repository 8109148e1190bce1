// SPDX-License-Identifier: GPL-2.0

//! The bound on starvation, as the formula in Documentation/design.rst, under random loads.

use proptest::prelude::*;
use rcfq_model::{
    Machine,
    Pattern,
    Task,
    Timing, //
};
use rcfq_policy::policy::*;
use rcfq_properties::cases;

const MS: u64 = 1_000_000;

/// The longest slice: that of level 0.
const SLICE: u64 = 180;

/// What the disk may need for what it already has, in milliseconds.
const DRAIN: u64 = 500;

/// Somebody who keeps the disk busy.
fn busy() -> impl Strategy<Value = Task> {
    (
        0u64..64,
        1u32..9,
        any::<bool>(),
        0u64..12,
        0u8..8,
        any::<bool>(),
    )
        .prop_map(|(place, depth, seeks, think, level, writes)| Task {
            pattern: if seeks {
                Pattern::Random(20 << 20)
            } else {
                Pattern::Sequential
            },
            sectors: if seeks { 8 } else { 256 },
            depth,
            think: 1_000 + think * think * 100_000,
            write: writes,
            prio: think == 3,
            ioprio: Ioprio {
                class: Class::BestEffort,
                level: Level::new(level),
            },
            ..Task::reader(place << 26)
        })
}

fn run(patience: u64, depth: u32, mut tasks: Vec<Task>, low: Task) -> u64 {
    tasks.push(low);
    let last = tasks.len() - 1;
    let mut machine = Machine::new(Timing::SATA, depth, tasks);
    let mut tunables = machine.sched.tunables().clone();
    tunables.patience = Span::from_ms(patience);
    // The deadline of the request itself must not be what helps it.
    tunables.fifo_expire_async = Span::from_ms(4_294_967_295);
    let _ = machine.sched.set_tunables(Time::ZERO, tunables);
    machine.run(30_000);
    match &machine.tasks[last] {
        task if task.done == 0 => u64::MAX,
        task => task.worst / MS,
    }
}

proptest! {
    #![proptest_config(cases(48))]

    #[test]
    fn async_requests_are_served_within_the_bound(
        tasks in prop::collection::vec(busy(), 1..7),
        patience in 100u64..2_000,
        disk in prop::sample::select(vec![1u32, 4, 32]),
        depth in 1u32..9,
        level in 0u8..8,
    ) {
        let low = Task {
            depth,
            ioprio: Ioprio {
                class: Class::BestEffort,
                level: Level::new(level),
            },
            ..Task::writeback(1 << 40)
        };
        let worst = run(patience, disk, tasks, low);
        let turns = u64::from(depth).div_ceil(4);
        let bound = (patience + SLICE) * turns + DRAIN;
        prop_assert!(worst <= bound, "{worst} ms of {bound} ms");
    }

    #[test]
    fn the_idle_class_is_served_within_the_bound(
        tasks in prop::collection::vec(busy(), 1..7),
        patience in 100u64..2_000,
        disk in prop::sample::select(vec![1u32, 4, 32]),
        depth in 1u32..5,
    ) {
        let low = Task {
            depth,
            ioprio: Ioprio {
                class: Class::Idle,
                level: Level::WORST,
            },
            ..Task::seeker(1 << 40)
        };
        let worst = run(patience, disk, tasks, low);
        let bound = (patience + SLICE) * u64::from(depth) + DRAIN;
        prop_assert!(worst <= bound, "{worst} ms of {bound} ms");
    }
}

/// Without patience there is no bound: what the tests above show is not there by itself.
#[test]
fn without_patience_the_idle_class_waits_for_ever() {
    let tasks = (0..3)
        .map(|i| Task {
            depth: 4,
            ..Task::reader(i << 28)
        })
        .collect();
    let low = Task {
        ioprio: Ioprio {
            class: Class::Idle,
            level: Level::WORST,
        },
        ..Task::seeker(1 << 40)
    };
    assert_eq!(run(0, 32, tasks, low), u64::MAX);
}
