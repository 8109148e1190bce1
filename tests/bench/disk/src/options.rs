// SPDX-License-Identifier: GPL-2.0

//! The command line.

use clap::Parser;
use rcfq_disks::Device;

/// The blocks that the disk has inside; its size is a multiple of them.
pub const BLOCK: u64 = 4096;

/// Shows a modelled disk as /dev/ublkbN until it gets SIGTERM or SIGINT.
///
/// The device's path is printed when it can be used.
#[derive(Debug, Parser)]
#[command(name = "rcfq-disk", version, after_help = EXAMPLES)]
pub struct Options {
    /// Which disk; --list shows all
    #[arg(required_unless_present = "list")]
    model: Option<String>,
    /// Only the start of the disk: a number with K, M, G or T
    #[arg(long, value_name = "SIZE", value_parser = size)]
    size: Option<u64>,
    /// Commands that it takes at once, if other than the model's
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=4096))]
    depth: Option<u16>,
    /// Number of the device; the lowest that is free otherwise
    #[arg(long, value_name = "N")]
    pub id: Option<u16>,
    /// Keep in memory what is written; without it all reads give zeroes
    #[arg(long)]
    pub keep: bool,
    /// Nanoseconds by which completions are given early; see server.rs
    #[arg(long, value_name = "NS", hide = true, default_value_t = crate::server::LEAD_NS)]
    pub lead: u64,
    /// Show the disks
    #[arg(long)]
    pub list: bool,
}

const EXAMPLES: &str = "\
Examples:
  rcfq-disk --list
  rcfq-disk hd103sj-1seg --size 64G
  rcfq-disk sata-ssd --size 2G --keep";

impl Options {
    /// Makes the disk; returns it with its size in bytes.
    pub fn disk(&self) -> Result<(Box<dyn Device>, u64), String> {
        let name = self.model.as_deref().unwrap_or_default();
        let model = rcfq_disks::named(name)
            .ok_or_else(|| format!("no disk is called '{name}': --list shows all"))?;
        let disk = model.make(self.depth.map(u32::from));
        let whole = disk.traits().sectors * 512 / BLOCK * BLOCK;
        let size = self.size.unwrap_or(whole);
        if size > whole {
            return Err(format!(
                "{name} has {whole} bytes, --size asks for {size}: leave --size out for all of it"
            ));
        }
        Ok((disk, size))
    }
}

fn size(text: &str) -> Result<u64, String> {
    let digits = text.trim_end_matches(|unit: char| unit.is_ascii_alphabetic());
    let shift = match &text[digits.len()..] {
        "" => 0,
        "K" => 10,
        "M" => 20,
        "G" => 30,
        "T" => 40,
        _ => return Err("its unit is none of K, M, G, T".into()),
    };
    let bytes = digits
        .parse::<u64>()
        .ok()
        .and_then(|number| number.checked_mul(1 << shift))
        .ok_or("a whole number of bytes is wanted, such as 64G")?;
    if bytes == 0 || bytes % BLOCK != 0 {
        return Err(format!("a disk has blocks of {BLOCK} bytes"));
    }
    Ok(bytes)
}
