// SPDX-License-Identifier: GPL-2.0

//! The simulator, for people.

use clap::Parser;
use rcfq_sim::{
    elevator,
    history,
    plot,
    report,
    workload,
    Report,
    Run,
    Switches, //
};
use std::io::{
    self,
    Write, //
};
use std::path::PathBuf;
use std::process::ExitCode;

/// Runs processes on a modelled disk under rcfq, in virtual time.
///
/// The same options and seed give the same run, to the last event.
#[derive(Debug, Parser)]
#[command(name = "rcfq-sim", version, after_help = EXAMPLES)]
struct Options {
    /// What runs; --list shows all
    #[arg(long, short, default_value = "readers")]
    workload: String,
    /// On which disk
    #[arg(long, short, default_value = "hd103sj-1seg")]
    disk: String,
    /// Under which scheduler
    #[arg(long, short, default_value = "rcfq")]
    sched: String,
    /// Under all schedulers, side by side
    #[arg(long, conflicts_with = "sched")]
    compare: bool,
    /// A tunable of rcfq; may be repeated
    #[arg(long, value_name = "NAME=VALUE")]
    set: Vec<String>,
    /// Seed of all randomness
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Virtual time to run
    #[arg(long, value_name = "S", default_value_t = 10.0)]
    seconds: f64,
    /// Number of processes of the workload's main kind
    #[arg(long, value_name = "N")]
    tasks: Option<u64>,
    /// Length of a request
    #[arg(long, value_name = "BYTES")]
    block: Option<u32>,
    /// Requests that a process makes at once
    #[arg(long, value_name = "N")]
    iodepth: Option<u32>,
    /// Pause of a process from one request to the next
    #[arg(long, value_name = "US")]
    think: Option<u64>,
    /// Requests that the disk takes at once; 1 is no command queueing
    #[arg(long, value_name = "N")]
    disk_depth: Option<u32>,
    /// Requests that the block layer holds at once (nr_requests)
    #[arg(long, value_name = "N")]
    tags: Option<usize>,
    /// Write a picture of the table
    #[arg(long, value_name = "FILE.svg")]
    plot: Option<PathBuf>,
    /// Show the scheduler's counters too
    #[arg(long)]
    stats: bool,
    /// Check all invariants after every event (slow)
    #[arg(long)]
    check: bool,
    /// Overlook the kick, to see what it is for
    #[arg(long)]
    no_kick: bool,
    /// Do not wait behind processes that read here and there
    #[arg(long)]
    no_tree_idling: bool,
    /// Show workloads, disks, schedulers
    #[arg(long)]
    list: bool,
    /// Show the results for which CFQ is remembered, on the models
    #[arg(long)]
    history: bool,
}

const EXAMPLES: &str = "\
Examples:
  rcfq-sim --list
  rcfq-sim --workload dd-readers --tasks 4 --block 512
  rcfq-sim -w noidle-mix --set slice_idle=0 --stats
  rcfq-sim -w fsync --compare --plot fsync.svg";

fn list() -> String {
    let mut text = String::from("workloads\n");
    for entry in workload::WORKLOADS {
        text += &format!("  {:14} {} [{}]\n", entry.name, entry.about, entry.tasks);
    }
    text += "disks\n";
    for entry in rcfq_disks::MODELS {
        text += &format!("  {:14} {}\n", entry.name, entry.about);
    }
    text += "schedulers\n";
    for entry in elevator::KINDS {
        text += &format!("  {:14} {}\n", entry.name, entry.about);
    }
    text + "In brackets: number of processes of the main kind, see --tasks.\n"
}

fn simulate(options: &Options) -> Result<String, String> {
    if !(0.001..=100_000.0).contains(&options.seconds) {
        return Err("--seconds must be within 0.001 and 100000".into());
    }
    let scheds: Vec<&str> = if options.compare {
        elevator::KINDS.iter().map(|kind| kind.name).collect()
    } else {
        vec![&options.sched]
    };
    let mut reports: Vec<Report> = Vec::new();
    for sched in scheds {
        let run = Run {
            workload: options.workload.clone(),
            disk: options.disk.clone(),
            sched: sched.to_owned(),
            disk_depth: options.disk_depth,
            set: options.set.clone(),
            tasks: options.tasks,
            block: options.block,
            depth: options.iodepth,
            think_us: options.think,
            seed: options.seed,
            ms: (options.seconds * 1e3) as u64,
            switches: Switches {
                check: options.check,
                tags: options.tags,
                no_kick: options.no_kick,
                no_tree_idling: options.no_tree_idling,
            },
        };
        reports.push(run.report()?);
    }
    let title = format!(
        "{} on {}, {} s, seed {}",
        options.workload, options.disk, options.seconds, options.seed
    );
    let mut text = format!("{title}\n\n{}", report::HEAD);
    for report in &reports {
        text += &format!("{report}");
    }
    text += "\n";
    for report in &reports {
        text += &format!("{:9} trace {:016x}\n", report.sched, report.trace);
        if options.stats {
            for (name, value) in &report.counters {
                text += &format!("  {name:20} {value:>12}\n");
            }
        }
    }
    if let Some(path) = &options.plot {
        plot::draw(path, &title, &reports)
            .map_err(|why| format!("cannot write {}: {why}", path.display()))?;
        text += &format!("plot in {}\n", path.display());
    }
    Ok(text)
}

/// Prints; whoever reads only the beginning (`| head`) may do so.
fn print(text: &str) -> Result<(), String> {
    match io::stdout().write_all(text.as_bytes()) {
        Err(why) if why.kind() != io::ErrorKind::BrokenPipe => Err(format!("cannot write: {why}")),
        _ => Ok(()),
    }
}

fn main() -> ExitCode {
    let options = Options::parse();
    let text = if options.list {
        Ok(list())
    } else if options.history {
        history::tell()
    } else {
        simulate(&options)
    };
    match text.and_then(|text| print(&text)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(what) => {
            eprintln!("rcfq-sim: {what}");
            ExitCode::from(2)
        }
    }
}
