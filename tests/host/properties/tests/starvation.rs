// SPDX-License-Identifier: GPL-2.0

//! Nobody waits for ever: loads that once kept somebody waiting, and how long they may now.

use rcfq_model::{
    lent,
    Lent,
    Machine,
    Pattern,
    Task,
    Timing, //
};
use rcfq_policy::policy::*;

const MS: u64 = 1_000_000;

fn tune(machine: &mut Machine, change: impl Fn(&mut Tunables)) {
    let mut tunables = machine.sched.tunables().clone();
    change(&mut tunables);
    let _ = machine
        .sched
        .set_tunables(Time::from_ns(machine.now()), tunables);
}

/// A scheduler of a disk that seeks, without a machine around it.
fn bare(change: impl Fn(&mut Tunables)) -> Scheduler<u64, Lent> {
    let disk = Disk {
        rotational: true,
        depth: 32,
    };
    let mut tunables = Tunables::for_disk(disk);
    change(&mut tunables);
    Scheduler::new(Time::ZERO, lent(64, 16, 64), disk, tunables)
}

/// A small request that somebody waits for.
fn arrival(process: ProcessId, sector: u64, write: bool) -> Arrival {
    Arrival {
        owner: Owner {
            process,
            sync: true,
            ioprio: Ioprio::NORM,
        },
        position: Sector::new(sector),
        sectors: 8,
        write,
        payload: Payload::Data,
        idle_hint: false,
        prio: false,
        born: Time::ZERO,
    }
}

/// The longest that a request of these tasks took, or has been waiting, in milliseconds.
///
/// A task with nothing completed in a second is taken to have waited for ever.
fn worst(machine: &Machine, tasks: impl Iterator<Item = usize>) -> u64 {
    tasks
        .map(|task| match &machine.tasks[task] {
            task if task.done == 0 => u64::MAX,
            task => task.worst / MS,
        })
        .max()
        .unwrap_or(u64::MAX)
}

/// A task that writes small pieces here and there and waits for each, like a small database.
fn fsyncer(start: u64) -> Task {
    Task {
        pattern: Pattern::Random(20 << 20),
        sectors: 8,
        write: true,
        think: 100_000,
        ..Task::reader(start)
    }
}

#[test]
fn writers_who_wait_do_not_push_each_other_out() {
    for (depth, writers) in [(1, 3), (1, 8), (32, 40)] {
        let tasks = (0..writers).map(|i| fsyncer(i << 28)).collect();
        let mut machine = Machine::new(Timing::SATA, depth, tasks);
        machine.run(60_000);
        println!(
            "{depth} {writers} {:?} {:#?}",
            machine
                .tasks
                .iter()
                .map(|t| (t.done, t.worst / MS))
                .collect::<Vec<_>>(),
            machine.sched.stats()
        );
        assert!(worst(&machine, 0..machine.tasks.len()) < 10_000);
        let most = machine.tasks.iter().map(|task| task.done).max();
        let least = machine.tasks.iter().map(|task| task.done).min();
        assert!(least
            .zip(most)
            .is_some_and(|(least, most)| least * 4 > most));
    }
}

#[test]
fn thinking_readers_do_not_push_each_other_out() {
    let thinker = |i: u64| Task {
        think: 12 * MS,
        ..Task::seeker(i << 28)
    };
    let mut machine = Machine::new(Timing::SATA, 1, (0..8).map(thinker).collect());
    machine.run(60_000);
    assert!(worst(&machine, 0..8) < 5_000);
}

#[test]
fn metadata_does_not_lock_plain_readers_out() {
    for depth in [1, 32] {
        for count in [2, 3] {
            let mut tasks: Vec<_> = (0..count)
                .map(|i| Task {
                    sectors: 16,
                    think: 50_000,
                    prio: true,
                    ..Task::seeker(i << 28)
                })
                .collect();
            tasks.push(Task::reader(9 << 28));
            tasks.push(Task::reader(10 << 28));
            let all = tasks.len();
            let mut machine = Machine::new(Timing::SATA, depth, tasks);
            machine.run(60_000);
            assert!(worst(&machine, all - 2..all) < 5_000);
        }
    }
}

#[test]
fn a_long_slice_idle_does_not_lock_writeback_out() {
    for idle in [8, 1_000, 10_000, 4_294_967_295] {
        let tasks = vec![
            Task::reader(0),
            Task::reader(1 << 28),
            Task::writeback(1 << 29),
        ];
        let mut machine = Machine::new(Timing::SATA, 32, tasks);
        tune(&mut machine, |tunables| {
            tunables.slice_idle = Span::from_ms(idle);
        });
        machine.run(60_000);
        assert!(worst(&machine, 2..3) < 10_000);
    }
}

#[test]
fn a_process_that_never_comes_back_does_not_stop_the_disk() {
    let mut sched = bare(|tunables| {
        tunables.slice_idle = Span::from_ms(4_294_967_295);
        tunables.slice_sync = Span::from_ms(4_294_967_295);
        tunables.low_latency = false;
    });
    let one = sched.process(Time::ZERO, ProcessId::NONE);
    let other = sched.process(Time::ZERO, ProcessId::NONE);
    let _ = sched.insert(Time::ZERO, arrival(one, 0, false), 1);
    let Decision::Dispatch { id, .. } = sched.dispatch(Time::ZERO) else {
        unreachable!("one request is queued")
    };
    let _ = sched.complete(Time::from_ns(8 * MS), id);
    let _ = sched.insert(Time::from_ns(9 * MS), arrival(other, 1 << 30, false), 2);
    let wake = sched.poll_at();
    assert!(wake.is_some_and(|wake| wake <= Time::from_ns(1_008 * MS)));
    assert_eq!(sched.timer(Time::from_ns(1_008 * MS)), Kick::Run);
}

#[test]
fn a_burst_of_low_levels_is_served_as_it_drains() {
    let mut tasks = vec![Task::reader(1 << 40), Task::reader(1 << 41)];
    for i in 0..40 {
        tasks.push(Task {
            total: 1,
            ioprio: Ioprio {
                class: Class::BestEffort,
                level: Level::new(7),
            },
            ..Task::seeker(i << 28)
        });
    }
    let mut machine = Machine::new(Timing::SATA, 32, tasks);
    machine.run(60_000);
    assert!(worst(&machine, 2..42) < 8_000);
}

#[test]
fn slices_set_long_for_a_while_leave_no_trace() {
    let mut tasks = vec![Task::reader(0), Task::reader(1 << 28)];
    for i in 0..3 {
        tasks.push(Task {
            depth: 4,
            ..Task::seeker(i << 30)
        });
    }
    let mut machine = Machine::new(Timing::SATA, 32, tasks);
    tune(&mut machine, |tunables| {
        tunables.slice_sync = Span::from_ms(100_000);
    });
    machine.run(1_000);
    tune(&mut machine, |tunables| {
        tunables.slice_sync = Span::from_ms(100);
    });
    let before: Vec<_> = machine.tasks.iter().map(|task| task.done).collect();
    machine.run(30_000);
    for (task, before) in machine.tasks.iter().zip(before) {
        assert!(task.done > before + 50);
    }
}

#[test]
fn long_slices_are_scaled_right() {
    let mut machine = Machine::new(
        Timing::SATA,
        32,
        vec![Task::reader(0), Task::reader(1 << 30)],
    );
    tune(&mut machine, |tunables| {
        tunables.slice_sync = Span::from_ms(20_000);
        tunables.target_latency = Span::from_ms(10_000);
    });
    machine.run(60_000);
    let slices = machine.sched.stats().slices;
    assert!((8..=20).contains(&slices));
}

#[test]
fn the_idle_class_gets_what_is_promised() {
    let idle = Ioprio {
        class: Class::Idle,
        level: Level::WORST,
    };
    for depth in [1, 32] {
        let mut tasks: Vec<_> = (0..3)
            .map(|i| Task {
                think: 12 * MS,
                depth: 2,
                ..Task::seeker(i << 30)
            })
            .collect();
        tasks.push(Task {
            ioprio: idle,
            ..Task::writeback(1 << 29)
        });
        let mut machine = Machine::new(Timing::SATA, depth, tasks);
        // Its own deadline must not be what helps it.
        tune(&mut machine, |tunables| {
            tunables.fifo_expire_async = Span::from_ms(4_294_967_295);
        });
        machine.run(60_000);
        assert!(machine.tasks[3].done >= 25);
    }
}

/// What the tasks from `first` on do in so many milliseconds.
fn done_in(machine: &mut Machine, first: usize, ms: u64) -> u64 {
    let sum = |machine: &Machine| {
        machine.tasks[first..]
            .iter()
            .map(|task| task.done)
            .sum::<u64>()
    };
    let before = sum(machine);
    machine.run(ms);
    sum(machine) - before
}

#[test]
fn a_target_latency_set_long_for_a_while_leaves_no_trace() {
    let tasks = vec![
        Task::reader(0),
        Task::reader(1 << 28),
        Task::seeker(1 << 30),
    ];
    let mut machine = Machine::new(Timing::SATA, 32, tasks);
    tune(&mut machine, |tunables| {
        tunables.target_latency = Span::from_ms(1_000_000);
    });
    // Not even meanwhile does a kind wait for ever.
    assert!(done_in(&mut machine, 2, 30_000) > 20);
    tune(&mut machine, |tunables| {
        tunables.target_latency = Span::from_ms(300);
    });
    assert!(done_in(&mut machine, 2, 30_000) > 500);
}

#[test]
fn a_quiet_time_costs_an_fsyncer_nothing() {
    let served = |pause: u64| {
        let mut sched = bare(|_| {});
        let ms = |ms: u64| Time::from_ns(ms * MS);
        let (one, two) = (
            sched.process(ms(1_000), ProcessId::NONE),
            sched.process(ms(1_000), ProcessId::NONE),
        );
        let mut now = 1_000;
        for (process, write, then) in [(one, false, 1), (two, true, pause), (one, false, 1)] {
            let _ = sched.insert(ms(now), arrival(process, now << 20, write), now);
            if let Decision::Dispatch { id, .. } = sched.dispatch(ms(now)) {
                let _ = sched.complete(ms(now + 5), id);
            }
            now += 5 + then;
        }
        // A reader at work is interrupted again, two seconds later.
        let three = sched.process(ms(now + 2_000), ProcessId::NONE);
        for rq in 0..3 {
            let _ = sched.insert(ms(now + 2_000), arrival(three, rq * 8, false), rq);
        }
        let _ = sched.dispatch(ms(now + 2_000));
        let _ = sched.insert(ms(now + 2_001), arrival(two, 1 << 30, true), 9);
        let _ = sched.dispatch(ms(now + 2_001));
        sched.stats().interruptions
    };
    assert_eq!(served(1), 2);
    assert_eq!(served(1), served(3_600_000));
}

#[test]
fn a_neighbour_who_syncs_does_not_take_the_slice_away() {
    let near = |start: u64| Task {
        pattern: Pattern::Random(1_400),
        ..Task::seeker(start)
    };
    let run = |with: bool| {
        let mut tasks: Vec<_> = (0..4).map(|i| near(i << 28)).collect();
        if with {
            tasks.push(Task {
                pattern: Pattern::Random(1_400),
                write: true,
                think: 20 * MS,
                ..Task::seeker(4_000)
            });
        }
        let mut machine = Machine::new(Timing::SATA, 1, tasks);
        machine.run(30_000);
        (machine.tasks[0].done, machine.sched.stats().coop_merges)
    };
    let (alone, _) = run(false);
    let (beside, merges) = run(true);
    assert_eq!(merges, 0);
    assert!(beside * 10 > alone * 6, "{beside} of {alone}");
}

#[test]
fn many_fsyncers_leave_a_reader_its_disk() {
    let run = |fsyncers: u64| {
        let mut tasks = vec![Task::reader(1 << 40), Task::reader(1 << 41)];
        tasks.extend((0..fsyncers).map(|i| fsyncer(i << 28)));
        let mut machine = Machine::new(Timing::SATA, 32, tasks);
        machine.run(30_000);
        machine.tasks[0].done + machine.tasks[1].done
    };
    // Without interruptions the kinds would share the time as their queues are many.
    assert!(run(40) * 40 > run(0), "{} of {}", run(40), run(0));
}
