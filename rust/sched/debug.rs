// SPDX-License-Identifier: GPL-2.0

//! The files in the `sched/` folder of a queue in debugfs.

use super::Rcfq;
use crate::elevator::{
    DebugfsAttribute,
    Elevator, //
};
use kernel::{
    prelude::*,
    seq_file::SeqFile,
    seq_print, //
};

/// The files, for the block layer.
pub(super) const FILES: &[DebugfsAttribute<Rcfq>] = &[DebugfsAttribute {
    name: c"stats",
    show: stats,
}];

/// Prints the counters, one `name value` a line, and how many requests are where just now.
fn stats(elv: &Elevator<Rcfq>, file: &SeqFile) -> Result {
    // Copied, so that nothing is printed with interrupts disabled.
    let guard = elv.lock();
    let stats = guard.policy.stats().clone();
    let overflow = guard.overflow_count;
    let waiting = guard.first.len();
    let queued = guard.policy.queued();
    let in_driver = guard.policy.in_driver();
    let processes = guard.policy.processes();
    let reorders = guard.policy.reorders().map_or(-1, i32::from);
    let seekless = u32::from(guard.policy.is_seekless());
    drop(guard);
    for (name, value) in stats.each() {
        seq_print!(file, "{name} {value}\n");
    }
    seq_print!(file, "overflow {overflow}\n");
    seq_print!(file, "now_first {waiting}\n");
    seq_print!(file, "now_queued {queued}\n");
    seq_print!(file, "now_in_driver {in_driver}\n");
    seq_print!(file, "now_processes {processes}\n");
    seq_print!(file, "now_hw_tag {reorders}\n");
    seq_print!(file, "now_seekless {seekless}\n");
    Ok(())
}
