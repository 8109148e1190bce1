// SPDX-License-Identifier: GPL-2.0

//! The results for which CFQ is remembered, on the models.
//!
//! The figures beside are published ones of other machines, kernels and disks. What can be
//! reproduced is their shape.

use crate::run::Run;
use std::fmt::Write;

/// Block of the readers. The disk waits 8 ms for each where the kick is missing.
const BLOCK: u32 = 32 * 1024;

fn readers(tasks: u64, no_kick: bool) -> Result<f64, String> {
    let mut run = Run::new("readers", "hd103sj-1seg");
    run.tasks = Some(tasks);
    run.block = Some(BLOCK);
    run.switches.no_kick = no_kick;
    Ok(run.report()?.rate("reader"))
}

/// How the sequential reader of the mix is to be waited for.
#[derive(Clone, Copy, Debug)]
enum Waiting {
    Always,
    NotBehindSeekers,
    Never,
}

fn mix(waiting: Waiting, sched: &str) -> Result<[f64; 2], String> {
    let mut run = Run::new("noidle-mix", "hd103sj-1seg");
    run.sched = sched.to_owned();
    match waiting {
        Waiting::Always => {}
        Waiting::NotBehindSeekers => run.switches.no_tree_idling = true,
        Waiting::Never => run.set.push("slice_idle=0".into()),
    }
    let report = run.report()?;
    Ok([report.rate("reader"), report.rate("seeker")])
}

/// Runs everything and words the outcome.
///
/// # Errors
///
/// If a promise is broken on the way.
pub fn tell() -> Result<String, String> {
    let mut text = String::new();
    let mut line = |words: String| {
        // Writing to a string does not fail.
        let _ = writeln!(text, "{words}");
    };
    line("1. O_DIRECT readers (32 KiB, one request at a time) on hd103sj-1seg, 10 s, MB/s".into());
    line(String::new());
    line("readers   rcfq   of one   then   without the kick   of one   then".into());
    let one = [readers(1, false)?, readers(1, true)?];
    let then = [(1, 109.1, 107.6), (2, 78.1, 3.7), (4, 75.0, 3.7)];
    for (tasks, good, broken) in then {
        let [with, without] = [readers(tasks, false)?, readers(tasks, true)?];
        line(format!(
            "{tasks:>7} {with:>6.1} {:>8.2} {good:>6.1} {without:>18.1} {:>8.2} {broken:>6.1}",
            with / one[0],
            without / one[1],
        ));
    }
    line(String::new());
    line(
        "'then': CFQ in a good kernel, and in one that had lost the kick. In the simulator".into(),
    );
    line("the kick is there, but overlooked, so each wait lasts until its timer.".into());
    line(String::new());
    line(
        "2. Two random readers (4 KiB) beside one sequential reader (128 KiB), NCQ 32, MB/s".into(),
    );
    line(String::new());
    line("                                      sequential   random".into());
    let rows = [
        ("rcfq", Waiting::Always, "rcfq"),
        (
            "rcfq, no waiting behind random ones",
            Waiting::NotBehindSeekers,
            "rcfq",
        ),
        ("rcfq, slice_idle=0", Waiting::Never, "rcfq"),
        ("deadline", Waiting::Never, "deadline"),
    ];
    for (name, waiting, sched) in rows {
        let [sequential, random] = if sched == "rcfq" {
            mix(waiting, sched)?
        } else {
            mix(Waiting::Always, sched)?
        };
        line(format!("{name:36} {sequential:>11.2} {random:>8.2}"));
    }
    line(String::new());
    line("Then, with two random readers on a device with NCQ: 0.4 MB/s for the sequential".into());
    line(
        "reader before CFQ waited at the end of the service tree of random readers, and 101".into(),
    );
    line(
        "after. That was a fast device, this is a disk: compare the factor, not the figures."
            .into(),
    );
    Ok(text)
}
