// SPDX-License-Identifier: GPL-2.0

//! Answers commands when the model says.

use crate::data::Data;
use crate::queue::{
    Queue,
    Request, //
};
use crate::system;
use rcfq_disks::{
    Command,
    Device,
    Op, //
};
use std::fs::File;
use std::io;

/// How much earlier than due a command is completed.
///
/// The models' calibration has a host that needs 3 us from one command to the next. In a guest
/// that counts instructions it is 23 us: fio and the block layer take 8, the rest is the way
/// through ublk to here and back. The model's clock runs ahead by the difference at a completion,
/// so that what follows at once comes when it would come at a real disk.
pub const LEAD_NS: u64 = 20_000;

/// The commands in the model and what they are to return.
pub struct Server<'a> {
    pub queue: Queue,
    pub disk: Box<dyn Device>,
    pub data: Data,
    /// The device's file, where data is copied.
    pub pages: &'a File,
    pub lead: u64,
}

impl Server<'_> {
    /// Serves until the device is gone.
    pub fn run(&mut self) -> io::Result<()> {
        let mut come = Vec::new();
        let mut done = Vec::new();
        let mut results = vec![0; self.disk.traits().depth as usize];
        // The model's clock: never goes back, and is ahead of the real one after a completion.
        let mut clock = 0;
        loop {
            let until = self
                .disk
                .next_event()
                .map(|due| due.saturating_sub(self.lead));
            if !self.queue.wait(until, &mut come)? {
                return Ok(());
            }
            let now = system::now();
            // First what was due before they came: it does not know of them.
            self.advance(now, &mut clock, &mut done);
            clock = clock.max(now);
            for request in come.drain(..) {
                match self.take(&request, clock) {
                    Ok(bytes) => results[usize::from(request.tag)] = bytes,
                    Err(_) => self.queue.complete(request.tag, -libc::EIO)?,
                }
            }
            self.advance(now, &mut clock, &mut done);
            for tag in done.drain(..) {
                self.queue.complete(tag as u16, results[tag as usize])?;
            }
        }
    }

    fn advance(&mut self, now: u64, clock: &mut u64, done: &mut Vec<u64>) {
        while let Some(due) = self.disk.next_event().filter(|due| *due <= now + self.lead) {
            *clock = due.max(*clock);
            self.disk.advance(*clock, done);
        }
    }

    /// Hands a command to the model. Data moves now, while the disk would be busy with it.
    fn take(&mut self, request: &Request, now: u64) -> io::Result<i32> {
        let op = request.op.ok_or(io::ErrorKind::Unsupported)?;
        // A flush has no place; what stands there is no number of a sector.
        let (sector, sectors) = match op {
            Op::Flush => (0, 0),
            _ => (request.sector, request.sectors),
        };
        let command = Command {
            id: request.tag.into(),
            op,
            sector,
            sectors,
        };
        self.disk
            .submit(now, command)
            .map_err(|_| io::ErrorKind::ResourceBusy)?;
        let bytes = command.bytes() as usize;
        if op == Op::Read {
            self.data.read(request, bytes, self.pages)?;
        } else if op != Op::Flush {
            self.data.write(request, bytes, self.pages)?;
        }
        Ok(bytes as i32)
    }
}
