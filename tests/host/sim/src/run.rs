// SPDX-License-Identifier: GPL-2.0

//! One run: which workload, on which disk, under which scheduler, how long.

use crate::elevator::{
    self,
    rcfq, //
};
use crate::machine::{
    Machine,
    Switches, //
};
use crate::report::Report;
use crate::workload::{
    self,
    Scene, //
};
use rcfq_policy::policy::{
    Refused,
    Tunables,
    View,
    KNOBS, //
};

/// Everything that decides about a run.
#[derive(Clone, Debug)]
pub struct Run {
    /// Name of the workload.
    pub workload: String,
    /// Name of the disk.
    pub disk: String,
    /// Name of the scheduler.
    pub sched: String,
    /// Another depth of the disk.
    pub disk_depth: Option<u32>,
    /// Tunables as `name=value`.
    pub set: Vec<String>,
    /// Another number of processes.
    pub tasks: Option<u64>,
    /// Another length of requests, in bytes.
    pub block: Option<u32>,
    /// Another number of requests at once of each process.
    pub depth: Option<u32>,
    /// Another pause between requests, in microseconds.
    pub think_us: Option<u64>,
    /// The seed.
    pub seed: u64,
    /// How long, in milliseconds.
    pub ms: u64,
    /// What only a simulator can do.
    pub switches: Switches,
}

impl Run {
    /// Ten seconds of a workload on a disk under rcfq.
    pub fn new(workload: &str, disk: &str) -> Self {
        Run {
            workload: workload.to_owned(),
            disk: disk.to_owned(),
            sched: "rcfq".to_owned(),
            disk_depth: None,
            set: Vec::new(),
            tasks: None,
            block: None,
            depth: None,
            think_us: None,
            seed: 1,
            ms: 10_000,
            switches: Switches::default(),
        }
    }

    /// Builds the machine.
    ///
    /// # Errors
    ///
    /// Tells what is not known or not allowed.
    pub fn machine(&self) -> Result<Machine, String> {
        let workload = workload::named(&self.workload)
            .ok_or_else(|| format!("no workload is called '{}'; see --list", self.workload))?;
        let model = rcfq_disks::named(&self.disk)
            .ok_or_else(|| format!("no disk is called '{}'; see --list", self.disk))?;
        if self.disk_depth == Some(0) || self.depth == Some(0) || self.tasks == Some(0) {
            return Err("numbers of requests and tasks must be at least 1".into());
        }
        if self.tasks > Some(10_000) || self.depth > Some(4096) {
            return Err("at most 10000 tasks and 4096 requests at once".into());
        }
        let block = match self.block {
            Some(bytes) if bytes == 0 || bytes % 512 != 0 || bytes > 1 << 20 => {
                return Err("--block must be a multiple of 512, at most 1048576".into());
            }
            block => block.map(|bytes| bytes / 512),
        };
        let disk = model.make(self.disk_depth);
        let traits = disk.traits();
        let mut tunables = Tunables::for_disk(rcfq::disk(traits));
        for setting in &self.set {
            set(&mut tunables, setting)?;
        }
        let elevator = elevator::named(&self.sched, traits, &tunables)
            .ok_or_else(|| format!("no scheduler is called '{}'; see --list", self.sched))?;
        let specs = workload.make(&Scene {
            sectors: traits.sectors,
            tasks: self.tasks.unwrap_or(workload.tasks),
            block,
            depth: self.depth,
            think_ns: self.think_us.map(|us| us.saturating_mul(1_000)),
        });
        Ok(Machine::new(
            disk,
            elevator,
            specs,
            self.switches,
            self.seed,
        ))
    }

    /// Runs it.
    ///
    /// # Errors
    ///
    /// Tells what is not known or not allowed, or which promise was broken.
    pub fn report(&self) -> Result<Report, String> {
        let mut machine = self.machine()?;
        machine
            .run(self.ms.saturating_mul(1_000_000))
            .map_err(|what| format!("{what} (--seed {})", self.seed))?;
        Ok(Report::new(&self.sched, &machine))
    }
}

/// Sets one tunable, by the name of its file.
fn set(tunables: &mut Tunables, setting: &str) -> Result<(), String> {
    let (name, value) = setting
        .split_once('=')
        .ok_or_else(|| format!("'{setting}' is not NAME=VALUE"))?;
    let known = KNOBS.iter().find_map(|info| {
        let micro = info.us_twin == Some(name);
        let view = if micro { View::Micro } else { View::Plain };
        (micro || info.name == name).then_some((info.knob, view))
    });
    let (knob, view) = known.ok_or_else(|| {
        let names: Vec<_> = KNOBS.iter().map(|info| info.name).collect();
        format!(
            "no tunable is called '{name}'; there are {}",
            names.join(", ")
        )
    })?;
    let info = knob.info();
    tunables
        .store(knob, view, value.as_bytes())
        .map_err(|why| match why {
            Refused::Invalid => format!("{name}: '{value}' is not a number"),
            Refused::OutOfRange => {
                format!("{name}: {value} is not within {} to {}", info.min, info.max)
            }
        })
}
