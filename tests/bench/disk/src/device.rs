// SPDX-License-Identifier: GPL-2.0

//! The life of the block device.

use crate::data::Data;
use crate::options::Options;
use crate::queue::Queue;
use crate::server::Server;
use crate::system::{
    self,
    Signals, //
};
use libublk::ctrl::{
    UblkCtrl,
    UblkCtrlBuilder, //
};
use libublk::io::UblkDev;
use libublk::sys;
use libublk::{
    UblkError,
    UblkFlags, //
};
use rcfq_disks::{
    Device,
    Traits, //
};
use std::error::Error;
use std::fs::File;
use std::io;
use std::os::fd::BorrowedFd;
use std::path::Path;
use std::process;
use std::sync::mpsc;
use std::thread;

/// The longest command, as of many SATA disks.
const LONGEST: u32 = 1 << 20;

/// Shows `disk` as a block device, says where by `ready`, and serves until a signal ends it.
pub fn present(
    disk: Box<dyn Device>,
    size: u64,
    options: &Options,
    ready: impl FnOnce(&str) -> io::Result<()>,
) -> Result<(), Box<dyn Error>> {
    let signals = Signals::block()?;
    system::stay_in_memory().map_err(|error| format!("cannot stay in memory: {error}"))?;
    let traits = disk.traits();
    let ctrl = add(traits.depth, options.id)?;
    let dev = UblkDev::new("rcfq-disk".into(), describe(traits, size), &ctrl)
        .map_err(|error| format!("cannot open the new device: {}", reason(error)))?;
    // SAFETY: `dev` holds the file open beyond the scope below.
    let pages = File::from(unsafe { BorrowedFd::borrow_raw(dev.tgt.fds[0]) }.try_clone_to_owned()?);

    let (started, waiting) = mpsc::channel();
    let served = thread::scope(|scope| {
        let data = Data::new(options.keep, LONGEST as usize);
        let (dev, pages) = (&dev, &pages);
        let server = scope.spawn(move || -> io::Result<()> {
            // Whoever takes the device away, then there is nothing left to wait for.
            let _end = system::RaiseOnDrop;
            system::go_first()?;
            let queue = Queue::new(dev)?;
            let _ = started.send(());
            let mut server = Server {
                queue,
                disk,
                data,
                pages,
                lead: options.lead,
            };
            if let Err(error) = server.run() {
                // Only the end of the process frees those whose commands are inside.
                eprintln!("rcfq-disk: the server failed: {error}");
                process::exit(1);
            }
            Ok(())
        });
        let up = || -> Result<(), Box<dyn Error>> {
            ctrl.start_dev(dev)
                .map_err(|error| format!("cannot start the device: {}", reason(error)))?;
            ready(&ctrl.get_bdev_path())?;
            Ok(signals.wait()?)
        };
        // Without a queue there is nothing to start, and the server says why.
        let up = waiting.recv().map_or(Ok(()), |()| up());
        let _ = ctrl.kill_dev();
        let served = match server.join() {
            Ok(served) => served,
            Err(_) => Err(io::Error::other("it panicked")),
        };
        served.map_err(|error| format!("cannot serve the device: {error}"))?;
        up
    });
    // The driver lets go of the device when its file is closed.
    drop(pages);
    drop(dev);
    // Without waiting for those who still have the block device open.
    let deleted = ctrl.del_dev_async();
    served?;
    deleted.map_err(|error| format!("cannot delete the device: {}", reason(error)))?;
    Ok(())
}

fn add(depth: u32, id: Option<u16>) -> Result<UblkCtrl, String> {
    if !Path::new("/dev/ublk-control").exists() {
        return Err("no /dev/ublk-control: load the module ublk_drv first".into());
    }
    if let Some(id) = id {
        make_room(id)?;
    }
    UblkCtrlBuilder::default()
        .name("rcfq-disk")
        .id(id.map_or(-1, i32::from))
        .nr_queues(1)
        .depth(depth as u16)
        .io_buf_bytes(LONGEST)
        .ctrl_flags(sys::UBLK_F_USER_COPY.into())
        .dev_flags(UblkFlags::UBLK_DEV_F_ADD_DEV)
        .build()
        .map_err(|error| format!("cannot add a device: {}", reason(error)))
}

/// Removes what a killed server has left, and nothing else: the library deletes a device whose
/// number it wanted, also if that serves somebody.
fn make_room(id: u16) -> Result<(), String> {
    if Path::new(&format!("/dev/ublkb{id}")).exists() {
        return Err(format!("/dev/ublkb{id} is in use: choose another --id"));
    }
    if !Path::new(&format!("/dev/ublkc{id}")).exists() {
        return Ok(());
    }
    UblkCtrl::new_simple(id.into())
        .and_then(|dead| dead.del_dev())
        .map(drop)
        .map_err(|error| format!("cannot remove the dead /dev/ublkc{id}: {}", reason(error)))
}

/// Describes a SATA disk: logical sectors of 512 bytes, 4096 inside, no discard.
fn describe(traits: Traits, size: u64) -> impl FnOnce(&mut UblkDev) -> Result<(), UblkError> {
    move |dev| {
        dev.set_default_params(size);
        let mut attrs = 0;
        if traits.rotational {
            attrs |= sys::UBLK_ATTR_ROTATIONAL;
        }
        if traits.write_cache {
            attrs |= sys::UBLK_ATTR_VOLATILE_CACHE | sys::UBLK_ATTR_FUA;
        }
        dev.tgt.params.basic.attrs = attrs;
        Ok(())
    }
}

fn reason(error: UblkError) -> String {
    match error {
        UblkError::UringIOError(code) | UblkError::OtherError(code) => {
            io::Error::from_raw_os_error(-code).to_string()
        }
        UblkError::IOError(error) => error.to_string(),
        other => other.to_string(),
    }
}
