// SPDX-License-Identifier: GPL-2.0

//! What users may rely on, shown by tasks on a model disk.

use rcfq_model::{
    Machine,
    Pattern,
    Task,
    Timing, //
};
use rcfq_policy::policy::*;

const MS: u64 = 1_000_000;

fn with_class(task: Task, class: Class, level: u8) -> Task {
    Task {
        ioprio: Ioprio {
            class,
            level: Level::new(level),
        },
        ..task
    }
}

fn with_level(task: Task, level: u8) -> Task {
    with_class(task, Class::BestEffort, level)
}

/// Two readers that work far from each other.
fn two_readers() -> Vec<Task> {
    vec![Task::reader(0), Task::reader(1 << 30)]
}

/// The lengths of runs in which one task had the disk, without the first and the last.
fn runs(machine: &Machine, task: usize) -> Vec<u64> {
    let mut runs = Vec::new();
    let mut start = 0;
    let mut owner = usize::MAX;
    for (when, who) in &machine.log {
        if *who != owner {
            if owner == task {
                runs.push(when - start);
            }
            (start, owner) = (*when, *who);
        }
    }
    runs.split_off(1.min(runs.len()))
}

fn share(machine: &Machine, task: usize) -> f64 {
    let all: u64 = machine.tasks.iter().map(Task::bytes).sum();
    machine.tasks[task].bytes() as f64 / all as f64
}

#[test]
fn equal_readers_share_a_spinning_disk_evenly() {
    for depth in [1, 32] {
        let mut machine = Machine::new(Timing::SATA, depth, two_readers());
        machine.run(10_000);
        assert!((share(&machine, 0) - 0.5).abs() < 0.02);
        // Nearly all of the time goes into reading, not into seeking.
        let alone = {
            let mut machine = Machine::new(Timing::SATA, depth, vec![Task::reader(0)]);
            machine.run(10_000);
            machine.tasks[0].bytes()
        };
        let together = machine.tasks[0].bytes() + machine.tasks[1].bytes();
        assert!(together * 100 > alone * 85);
    }
}

#[test]
fn the_kick_keeps_the_bandwidth_of_two_readers() {
    let run = |deaf| {
        let mut machine = Machine::new(Timing::SATA, 32, two_readers());
        machine.deaf = deaf;
        machine.run(10_000);
        let bytes = machine.tasks.iter().map(Task::bytes).sum::<u64>();
        (bytes, machine.sched.stats().clone())
    };
    let (kicked, stats) = run(false);
    assert!(stats.kick_busy > 1_000);
    assert!(stats.kick_large >= stats.kick_busy);
    assert!(stats.kicks >= stats.kick_busy);
    let (overlooked, _) = run(true);
    assert!(kicked > 3 * overlooked);
}

#[test]
fn slice_length_follows_level() {
    // Two queues of 100 ms each stay below the target latency: nominal slices.
    let nominal = [180, 160, 140, 120, 100, 80, 60, 40];
    for (level, slice) in (0u8..).zip(nominal) {
        let tasks = vec![
            with_level(Task::reader(0), level),
            with_level(Task::reader(1 << 30), 4),
        ];
        let mut machine = Machine::new(Timing::SATA, 32, tasks);
        machine.run(20_000);
        let runs = runs(&machine, 0);
        assert!(runs.len() > 20);
        let mean = runs.iter().sum::<u64>() / runs.len() as u64 / MS;
        // A run also holds the seek before the clock starts, and ends with a whole request.
        assert!((slice..slice + 14).contains(&mean), "{level}: {mean} ms");
    }
}

#[test]
fn better_levels_get_more() {
    let tasks = (0..8u8)
        .map(|level| with_level(Task::reader(u64::from(level) << 28), level))
        .collect();
    let mut machine = Machine::new(Timing::SATA, 32, tasks);
    machine.run(60_000);
    for pair in machine.tasks.windows(2) {
        assert!(pair[0].bytes() > pair[1].bytes());
    }
}

#[test]
fn low_latency_shortens_the_round() {
    let readers = || (0..10u64).map(|at| Task::reader(at << 28)).collect();
    let worst = |low_latency| {
        let mut machine = Machine::new(Timing::SATA, 32, readers());
        let mut tunables = machine.sched.tunables().clone();
        tunables.low_latency = low_latency;
        let _ = machine.sched.set_tunables(Time::ZERO, tunables);
        machine.run(30_000);
        machine
            .tasks
            .iter()
            .map(|task| task.worst)
            .max()
            .unwrap_or(0)
    };
    assert!(worst(true) < 700 * MS);
    assert!(worst(false) > 900 * MS);
}

#[test]
fn class_order_is_kept() {
    for (timing, depth) in [(Timing::SATA, 32), (Timing::SATA, 1), (Timing::FLASH, 4)] {
        let tasks = vec![
            with_class(Task::reader(0), Class::Idle, 7),
            with_class(Task::reader(1 << 28), Class::BestEffort, 0),
            with_class(
                Task {
                    depth: 16,
                    ..Task::reader(1 << 29)
                },
                Class::RealTime,
                7,
            ),
        ];
        let mut machine = Machine::new(timing, depth, tasks);
        machine.run(20_000);
        let total = machine.log.len();
        let count = |task| machine.log.iter().filter(|entry| entry.1 == task).count();
        // Nobody starves, but lower classes get one request a second, no more.
        for low in [0, 1] {
            assert!((15..=25).contains(&count(low)), "{} of {total}", count(low));
        }
        assert!(total > 1_000);
    }
}

#[test]
fn no_class_waits_longer_than_its_patience_and_a_slice() {
    for timing in [Timing::SATA, Timing::FLASH] {
        let busy = Task {
            depth: 8,
            ..Task::reader(1 << 28)
        };
        let tasks = vec![
            with_class(Task::reader(0), Class::Idle, 7),
            with_class(Task::writeback(1 << 26), Class::BestEffort, 7),
            with_class(busy, Class::RealTime, 0),
        ];
        let mut machine = Machine::new(timing, 32, tasks);
        machine.run(60_000);
        let bound = 1_400 * MS;
        assert!(machine.tasks[0].worst < bound, "{}", machine.tasks[0].worst);
        assert!(machine.tasks[1].done >= 40);
    }
}

#[test]
fn sync_before_async() {
    let tasks = vec![Task::reader(0), Task::writeback(1 << 30)];
    let mut machine = Machine::new(Timing::SATA, 32, tasks);
    machine.run(20_000);
    assert!(share(&machine, 0) > 0.7, "{}", share(&machine, 0));
    assert!(machine.tasks[0].worst < 300 * MS);
    // The writer is held back, not locked out.
    assert!(share(&machine, 1) > 0.02, "{}", share(&machine, 1));
}

#[test]
fn async_is_never_locked_out() {
    for sync_depth in [1, 16] {
        let tasks = vec![
            Task {
                depth: sync_depth,
                ..Task::reader(0)
            },
            Task {
                depth: sync_depth,
                ..Task::seeker(1 << 29)
            },
            Task {
                depth: 4,
                ..Task::writeback(1 << 30)
            },
        ];
        let mut machine = Machine::new(Timing::SATA, 32, tasks);
        machine.run(60_000);
        let worst = machine.tasks[2].worst / MS;
        assert!(worst < 3_000, "{worst} ms");
        assert!(machine.tasks[2].done > 60);
    }
}

#[test]
fn a_lone_task_is_not_slowed_down() {
    for task in [
        Task::reader(0),
        Task::seeker(0),
        Task {
            depth: 32,
            ..Task::seeker(0)
        },
        with_class(Task::reader(0), Class::Idle, 7),
        Task::writeback(0),
    ] {
        let think = task.think;
        let mut machine = Machine::new(Timing::SATA, 32, vec![task]);
        machine.run(10_000);
        let thought = if machine.tasks[0].depth == 1 {
            machine.tasks[0].done * think
        } else {
            0
        };
        assert!(machine.busy() + thought > 9_900 * MS);
        assert_eq!(machine.gap(), 0);
    }
}

#[test]
fn idle_ends_in_time() {
    // The reader thinks for ever after its first requests; the other one must not wait for it
    // longer than slice_idle.
    let quits = Task {
        total: 3,
        ..Task::reader(0)
    };
    let other = Task {
        think: 30 * MS,
        total: 200,
        ..Task::seeker(1 << 30)
    };
    let mut machine = Machine::new(Timing::SATA, 32, vec![quits, other]);
    machine.run(20_000);
    assert_eq!(machine.tasks[1].done, 200);
    assert!(machine.sched.stats().idle_expired > 0);
    let service = 8 * MS + 8 * 3_300;
    let idle = 8 * MS;
    assert!(machine.tasks[1].worst <= service + idle + 2 * (8 * MS + 256 * 3_300));
}

#[test]
fn a_slow_thinker_is_not_waited_for() {
    let slow = Task {
        think: 40 * MS,
        ..Task::reader(0)
    };
    let mut machine = Machine::new(Timing::SATA, 32, vec![slow, Task::reader(1 << 30)]);
    machine.run(20_000);
    let slow = &machine.tasks[0];
    assert!(slow.done > 100);
    // After the first few, no wait is wasted on it.
    assert!(machine.sched.stats().idle_expired < 20);
    assert!(share(&machine, 1) > 0.6);
}

#[test]
fn flash_never_leaves_the_device_idle() {
    let tasks = vec![
        Task::seeker(0),
        Task {
            depth: 32,
            ..Task::seeker(1 << 28)
        },
        Task::writeback(1 << 29),
        with_class(Task::seeker(1 << 30), Class::Idle, 7),
    ];
    let mut machine = Machine::new(Timing::FLASH, 32, tasks);
    machine.run(2_000);
    assert_eq!(machine.gap(), 0);
    assert_eq!(machine.sched.stats().idle_armed, 0);
    assert_eq!(machine.sched.stats().dispatch_idle, 0);
}

#[test]
fn flash_shares_by_level() {
    let busy = |start, level| {
        with_level(
            Task {
                depth: 32,
                think: 1_000,
                ..Task::seeker(start)
            },
            level,
        )
    };
    let tasks = vec![busy(0, 0), busy(1 << 28, 4), busy(1 << 29, 7)];
    let mut machine = Machine::new(Timing::FLASH, 16, tasks);
    machine.run(4_000);
    let done: Vec<f64> = machine.tasks.iter().map(|task| task.done as f64).collect();
    // Quotas 14, 8 and 3.
    assert!((done[0] / done[1] - 14.0 / 8.0).abs() < 0.1, "{done:?}");
    assert!((done[1] / done[2] - 8.0 / 3.0).abs() < 0.2, "{done:?}");
}

/// Requests done by processes of these priorities on a disk with room for all of theirs: nothing
/// would have to wait for its turn.
fn done_on_roomy_flash(ioprios: &[(Class, u8)]) -> Vec<f64> {
    let tasks = (0u64..).zip(ioprios).map(|(place, (class, level))| {
        let task = Task {
            depth: 16,
            think: 1_000,
            ..Task::seeker(place << 28)
        };
        with_class(task, *class, *level)
    });
    let mut machine = Machine::new(Timing::FLASH, 64, tasks.collect());
    machine.run(2_000);
    machine.tasks.iter().map(|task| task.done as f64).collect()
}

#[test]
fn flash_gives_a_better_class_most_and_others_something() {
    let alone = done_on_roomy_flash(&[(Class::BestEffort, 4)])[0];
    let ioprios = [
        (Class::RealTime, 4),
        (Class::BestEffort, 4),
        (Class::Idle, 7),
    ];
    let done = done_on_roomy_flash(&ioprios);
    // 16 and 4 with the disk: what is not known to be more is taken for 32.
    assert!(done[0] > 0.7 * alone, "{done:?} of {alone}");
    assert!(done[1] > 0.1 * alone, "{done:?} of {alone}");
    // Normal requests wait all the time; the idle class has what its patience gives it.
    assert!(done[2] >= 1.0, "{done:?} of {alone}");
    assert!(
        done.iter().sum::<f64>() > 0.95 * alone,
        "{done:?} of {alone}"
    );
    let done = done_on_roomy_flash(&ioprios[1..]);
    assert!(done[0] > 0.9 * alone, "{done:?} of {alone}");
    assert!(done[1] > 0.03 * alone, "{done:?} of {alone}");
}

#[test]
fn flash_shares_by_level_also_where_nobody_has_to_wait() {
    let ioprios = [0, 4, 7].map(|level| (Class::BestEffort, level));
    let done = done_on_roomy_flash(&ioprios);
    assert!(done[0] > 1.6 * done[1], "{done:?}");
    assert!(done[1] > 2.0 * done[2], "{done:?}");
    let equal = done_on_roomy_flash(&[(Class::BestEffort, 3); 3]);
    assert!(equal[0] < 1.05 * equal[2], "{equal:?}");
    assert!(
        done.iter().sum::<f64>() > 0.95 * equal.iter().sum::<f64>(),
        "{done:?}"
    );
}

#[test]
fn flash_keeps_most_of_the_device_for_sync() {
    let tasks = vec![
        Task {
            depth: 64,
            ..Task::writeback(0)
        },
        Task {
            pattern: Pattern::Random(1 << 20),
            ..Task::seeker(1 << 28)
        },
    ];
    let mut machine = Machine::new(Timing::FLASH, 8, tasks);
    machine.run(4_000);
    // At most two writes (a quarter of eight) are with the disk when a read comes.
    let reader = &machine.tasks[1];
    assert!(reader.done * (80_000 + 20_000) > 3_500 * MS);
    let mut alone = Machine::new(Timing::FLASH, 8, vec![machine.tasks[0].clone()]);
    alone.tasks[0].made = 0;
    alone.tasks[0].done = 0;
    alone.run(4_000);
    assert!(alone.busy() > 7 * 4_000 * MS);
}

#[test]
fn a_run_is_repeatable() {
    let run = || {
        let tasks = vec![
            Task::reader(0),
            Task::seeker(1 << 28),
            Task::writeback(1 << 29),
            with_class(Task::seeker(1 << 30), Class::RealTime, 3),
        ];
        let mut machine = Machine::new(Timing::SATA, 32, tasks);
        machine.run(3_000);
        (machine.log, machine.sched.stats().clone())
    };
    assert_eq!(run(), run());
}
