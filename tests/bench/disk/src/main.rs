// SPDX-License-Identifier: GPL-2.0

//! A modelled disk as `/dev/ublkbN`, for measurements in a guest that counts instructions.
//!
//! The models know when a command would be done, and nothing of data; the kernel's ublk driver
//! makes a block device of a process that answers its commands. See `tests/host/disks` for the
//! former.

mod data;
mod device;
mod options;
mod queue;
mod server;
mod system;

use clap::Parser;
use options::Options;
use std::error::Error;
use std::io::{
    stdout,
    Write, //
};
use std::process::ExitCode;

fn run(options: &Options) -> Result<(), Box<dyn Error>> {
    let mut out = stdout();
    if options.list {
        for model in rcfq_disks::MODELS {
            writeln!(out, "{:14} {}", model.name, model.about)?;
        }
        return Ok(());
    }
    let (disk, size) = options.disk()?;
    device::present(disk, size, options, |path| {
        writeln!(out, "{path}").and_then(|()| out.flush())
    })
}

fn main() -> ExitCode {
    let result = match Options::try_parse() {
        Ok(options) => run(&options).map_err(|error| error.to_string()),
        Err(error) if !error.use_stderr() => error.exit(),
        Err(error) => {
            let text = error.to_string();
            let line = text.lines().next().unwrap_or_default();
            Err(line.trim_start_matches("error: ").to_owned())
        }
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("rcfq-disk: {error}");
            ExitCode::FAILURE
        }
    }
}
