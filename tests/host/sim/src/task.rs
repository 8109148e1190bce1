// SPDX-License-Identifier: GPL-2.0

//! Processes: what they are to do, and what has become of them.

use crate::program::Program;
use crate::tally::Tally;
use rcfq_policy::policy::{
    Class,
    Ioprio,
    Level, //
};

/// A process that is to start.
#[derive(Debug)]
pub struct Spec {
    /// The kind that it is counted under.
    pub kind: String,
    /// What it does.
    pub program: Box<dyn Program>,
    /// Its priority.
    pub ioprio: Ioprio,
    /// Whether it reads here and there; see `Switches::no_tree_idling`.
    pub seeky: bool,
    /// When it starts.
    pub start_ns: u64,
}

impl Spec {
    /// A process of the middle level that starts at once.
    pub fn new(kind: &str, program: impl Program + 'static) -> Self {
        Spec {
            kind: kind.to_owned(),
            program: Box::new(program),
            ioprio: Ioprio::NORM,
            seeky: false,
            start_ns: 0,
        }
    }

    /// The same with a priority.
    pub fn with_ioprio(self, class: Class, level: u8) -> Self {
        Spec {
            ioprio: Ioprio {
                class,
                level: Level::new(level),
            },
            ..self
        }
    }

    /// The same, reading here and there.
    pub fn seeky(self) -> Self {
        Spec {
            seeky: true,
            ..self
        }
    }
}

/// A process.
#[derive(Debug)]
pub struct Task {
    /// The kind that it is counted under.
    pub kind: String,
    /// Its priority.
    pub ioprio: Ioprio,
    /// Whether it reads here and there.
    pub seeky: bool,
    /// What has become of it.
    pub tally: Tally,
    pub(crate) program: Option<Box<dyn Program>>,
}

impl From<Spec> for Task {
    fn from(spec: Spec) -> Self {
        Task {
            kind: spec.kind,
            ioprio: spec.ioprio,
            seeky: spec.seeky,
            tally: Tally::default(),
            program: Some(spec.program),
        }
    }
}
