// SPDX-License-Identifier: GPL-2.0

//! The results for which CFQ is remembered, on the models.
//!
//! The figures beside are published ones of other machines, kernels and disks. What can be
//! reproduced is their shape.

use crate::run::Run;

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

/// Returns the rates of the sequential and of the random readers.
fn mix(waiting: Waiting, sched: &str, block: Option<u32>) -> Result<[f64; 2], String> {
    let mut run = Run::new("noidle-mix", "hd103sj-1seg");
    run.block = block;
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
    Ok(format!("{}\n{}", tell_readers()?, tell_mix()?))
}

const READERS: &str = "\
1. O_DIRECT readers (32 KiB, one request at a time) on hd103sj-1seg, 10 s, MB/s

readers   rcfq   of one   then   without the kick   of one   then
";

const READERS_NOTE: &str = "
'then': CFQ in a good kernel, and in one that had lost the kick. In the simulator the
kick is there, but overlooked while others are queued: the wait lasts until its timer,
8 ms for each request. The block size is chosen so that this gives about the 3.7.
";

fn tell_readers() -> Result<String, String> {
    let mut text = READERS.to_owned();
    let one = [readers(1, false)?, readers(1, true)?];
    for (tasks, good, broken) in [(1, 109.1, 107.6), (2, 78.1, 3.7), (4, 75.0, 3.7)] {
        let [with, without] = [readers(tasks, false)?, readers(tasks, true)?];
        let [share, left] = [with / one[0], without / one[1]];
        text += &format!(
            "{tasks:>7} {with:>6.1} {share:>8.2} {good:>6.1} {without:>18.1} {left:>8.2} {broken:>6.1}\n"
        );
    }
    Ok(text + READERS_NOTE)
}

const MIX: &str = "\
2. Two random readers (4 KiB) beside one sequential reader, NCQ 32, MB/s

                                      sequential          sequential
                                        of 4 KiB   random   of 128 KiB   random
";

const MIX_NOTE: &str = "
Then, with two random readers on a device with NCQ: 0.4 MB/s for the sequential reader
before CFQ waited at the end of the service tree of random readers, and 101 after. That
was a fast device, this is a disk: compare the factor, not the figures. The policy has no
switch for this wait alone: the second line ends by force each wait that begins with the
last request of a random reader, the third turns all waiting off.
";

fn tell_mix() -> Result<String, String> {
    let rows = [
        ("rcfq", Waiting::Always, "rcfq"),
        (
            "rcfq, no waiting behind random ones",
            Waiting::NotBehindSeekers,
            "rcfq",
        ),
        ("rcfq, slice_idle=0", Waiting::Never, "rcfq"),
        ("deadline", Waiting::Always, "deadline"),
    ];
    let mut text = MIX.to_owned();
    for (name, waiting, sched) in rows {
        let [small, beside_small] = mix(waiting, sched, Some(4096))?;
        let [large, beside_large] = mix(waiting, sched, None)?;
        text += &format!(
            "{name:36} {small:>11.2} {beside_small:>8.2} {large:>12.2} {beside_large:>8.2}\n"
        );
    }
    Ok(text + MIX_NOTE)
}
