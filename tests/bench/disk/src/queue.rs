// SPDX-License-Identifier: GPL-2.0

//! The device's one hardware queue: commands come from it, completions go to it.
//!
//! A ring of our own instead of the library's loop: completions and the next wait go to the
//! kernel in one call, and the wait ends at a point in time, not after a span.

use io_uring::cqueue;
use io_uring::opcode::UringCmd16;
use io_uring::squeue;
use io_uring::types::{
    Fixed,
    SubmitArgs,
    Timespec, //
};
use io_uring::{
    EnterFlags,
    IoUring, //
};
use libublk::io::{
    UblkDev,
    UblkIOCtx, //
};
use libublk::sys;
use rcfq_disks::Op;
use std::io;
use std::ptr::{
    self,
    NonNull, //
};

/// A command as the kernel hands it over.
pub struct Request {
    /// Number of the command among those in the queue.
    pub tag: u16,
    /// What to do; `None` is for what the disk has not said that it can do.
    pub op: Option<Op>,
    /// First sector.
    pub sector: u64,
    /// Length in sectors.
    pub sectors: u32,
}

impl Request {
    /// Returns where in the device's file its data is.
    pub fn place(&self) -> u64 {
        UblkIOCtx::ublk_user_copy_pos(0, self.tag, 0)
    }
}

/// The queue.
pub struct Queue {
    ring: IoUring,
    descriptors: NonNull<sys::ublksrv_io_desc>,
    depth: u16,
    live: u16,
}

impl Queue {
    /// Takes over the queue of a device that has not started yet.
    pub fn new(dev: &UblkDev) -> io::Result<Self> {
        let depth = dev.dev_info.queue_depth;
        let fd = dev.tgt.fds[0];
        // Task work is run where we wait, not wherever this thread is.
        let ring = IoUring::builder()
            .setup_single_issuer()
            .setup_defer_taskrun()
            .build(depth.into())?;
        ring.submitter().register_files(&[fd])?;
        // SAFETY: A new mapping of what the driver offers for reading.
        let address = unsafe {
            libc::mmap(
                ptr::null_mut(),
                Self::mapped(depth),
                libc::PROT_READ,
                libc::MAP_SHARED | libc::MAP_POPULATE,
                fd,
                sys::UBLKSRV_CMD_BUF_OFFSET.into(),
            )
        };
        if address == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let descriptors = NonNull::new(address.cast()).ok_or(io::ErrorKind::OutOfMemory)?;
        let mut queue = Queue {
            ring,
            descriptors,
            depth,
            live: depth,
        };
        for tag in 0..depth {
            queue.push(sys::UBLK_U_IO_FETCH_REQ, tag, 0)?;
        }
        queue.ring.submit()?;
        Ok(queue)
    }

    fn mapped(depth: u16) -> usize {
        (usize::from(depth) * size_of::<sys::ublksrv_io_desc>()).next_multiple_of(4096)
    }

    fn push(&mut self, operation: u32, tag: u16, result: i32) -> io::Result<()> {
        // `struct ublksrv_io_cmd`: queue, tag, result, address. With data at a place in the file
        // there is no address.
        let mut command = [0; 16];
        command[2..4].copy_from_slice(&tag.to_ne_bytes());
        command[4..8].copy_from_slice(&result.to_ne_bytes());
        let entry: squeue::Entry = UringCmd16::new(Fixed(0), operation)
            .cmd(command)
            .build()
            .user_data(tag.into());
        // SAFETY: The entry points to no memory.
        unsafe { self.ring.submission().push(&entry) }
            .map_err(|_| io::Error::other("a command was completed twice"))
    }

    /// Gives a command back, with the number of bytes or a negative error; it is sent by the
    /// next [`wait`](Self::wait).
    pub fn complete(&mut self, tag: u16, result: i32) -> io::Result<()> {
        self.push(sys::UBLK_U_IO_COMMIT_AND_FETCH_REQ, tag, result)
    }

    /// Sends completions, waits for commands, until a point in time at the latest, and adds
    /// what has come to `come`. Returns false when the device is gone.
    pub fn wait(&mut self, until: Option<u64>, come: &mut Vec<Request>) -> io::Result<bool> {
        let time;
        let mut args = SubmitArgs::new();
        if let Some(until) = until {
            time = Timespec::new()
                .sec(until / 1_000_000_000)
                .nsec((until % 1_000_000_000) as u32);
            args = args.timespec(&time);
        }
        let entered =
            self.ring
                .submitter()
                .submit_with_args_and_flags(1, &args, EnterFlags::ABS_TIMER);
        match entered {
            Err(error)
                if ![Some(libc::ETIME), Some(libc::EINTR)].contains(&error.raw_os_error()) =>
            {
                return Err(error)
            }
            _ => (),
        }
        for entry in self.ring.completion() {
            match entry.result() {
                0 => come.push(Self::request(self.descriptors, &entry)),
                error if error == -libc::ENODEV => self.live -= 1,
                error => return Err(io::Error::from_raw_os_error(-error)),
            }
        }
        Ok(self.live > 0)
    }

    fn request(descriptors: NonNull<sys::ublksrv_io_desc>, entry: &cqueue::Entry) -> Request {
        let tag = entry.user_data() as u16;
        // SAFETY: The kernel has a descriptor for each tag that it reports, and leaves it alone
        // until the command is given back.
        let descriptor = unsafe { descriptors.add(tag.into()).read_volatile() };
        let through = descriptor.op_flags & sys::UBLK_IO_F_FUA != 0;
        Request {
            tag,
            op: match descriptor.op_flags & 0xff {
                sys::UBLK_IO_OP_READ => Some(Op::Read),
                sys::UBLK_IO_OP_WRITE if through => Some(Op::WriteThrough),
                sys::UBLK_IO_OP_WRITE => Some(Op::Write),
                sys::UBLK_IO_OP_FLUSH => Some(Op::Flush),
                _ => None,
            },
            sector: descriptor.start_sector,
            sectors: descriptor.nr_sectors,
        }
    }
}

impl Drop for Queue {
    fn drop(&mut self) {
        // SAFETY: Mapped in `new` with this length; nobody else has the address.
        unsafe { libc::munmap(self.descriptors.as_ptr().cast(), Self::mapped(self.depth)) };
    }
}
