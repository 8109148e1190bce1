// SPDX-License-Identifier: GPL-2.0

//! What came out of a run, as a table.

use crate::machine::Machine;
use crate::tally::Tally;
use std::fmt;

/// All processes of one kind.
#[derive(Clone, Debug)]
pub struct Row {
    /// The kind.
    pub kind: String,
    /// How many there were.
    pub tasks: usize,
    /// Their counts, added.
    pub tally: Tally,
    /// Bytes of the one with the fewest over bytes of the one with the most.
    pub fairness: f64,
}

/// The outcome of a run.
#[derive(Clone, Debug)]
pub struct Report {
    /// Name of the scheduler.
    pub sched: String,
    /// The kinds, in order of appearance.
    pub rows: Vec<Row>,
    /// Seconds of virtual time.
    pub seconds: f64,
    /// The hash of the event log.
    pub trace: u64,
    /// Counters of the scheduler.
    pub counters: Vec<(&'static str, u64)>,
}

impl Report {
    /// Sums a machine up.
    pub fn new(sched: &str, machine: &Machine) -> Self {
        let mut rows: Vec<Row> = Vec::new();
        for task in &machine.tasks {
            if rows.iter().all(|row| row.kind != task.kind) {
                let alike = || machine.tasks.iter().filter(|other| other.kind == task.kind);
                let mut tally = Tally::default();
                alike().for_each(|other| tally.add(&other.tally));
                let bytes = || alike().map(|other| other.tally.bytes);
                let (least, most) = (bytes().min(), bytes().max());
                rows.push(Row {
                    kind: task.kind.clone(),
                    tasks: alike().count(),
                    tally,
                    fairness: least.unwrap_or(0) as f64 / most.unwrap_or(0).max(1) as f64,
                });
            }
        }
        Report {
            sched: sched.to_owned(),
            rows,
            seconds: machine.now().max(1) as f64 / 1e9,
            trace: machine.trace(),
            counters: machine.elevator.counters(),
        }
    }

    /// Returns the row of a kind; an empty one if there is none.
    pub fn row(&self, kind: &str) -> Row {
        let found = self.rows.iter().find(|row| row.kind == kind);
        found.cloned().unwrap_or(Row {
            kind: kind.to_owned(),
            tasks: 0,
            tally: Tally::default(),
            fairness: 0.0,
        })
    }

    /// Returns megabytes (of a million) a second of a kind.
    pub fn rate(&self, kind: &str) -> f64 {
        self.row(kind).tally.bytes as f64 / self.seconds / 1e6
    }

    /// Returns the value of a counter.
    pub fn counter(&self, name: &str) -> u64 {
        let found = self.counters.iter().find(|counter| counter.0 == name);
        found.map_or(0, |counter| counter.1)
    }
}

/// The head of the table.
pub const HEAD: &str = "\
sched     kind         tasks    MiB/s      IOPS   mean ms    p99 ms    max ms  min/max\n";

impl fmt::Display for Report {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        for row in &self.rows {
            let mib = row.tally.bytes as f64 / self.seconds / 1_048_576.0;
            let iops = row.tally.ios as f64 / self.seconds;
            write!(to, "{:9} {:12} {:>5}", self.sched, row.kind, row.tasks)?;
            write!(to, " {mib:>8.2} {iops:>9.1}")?;
            match row.tally.latency() {
                Some(times) => times.iter().try_for_each(|ms| write!(to, " {ms:>9.3}"))?,
                None => write!(to, " {:>9} {:>9} {:>9}", "-", "-", "-")?,
            }
            if row.tasks > 1 {
                writeln!(to, " {:>8.2}", row.fairness)?;
            } else {
                writeln!(to, " {:>8}", "-")?;
            }
        }
        Ok(())
    }
}
