// SPDX-License-Identifier: GPL-2.0

//! What is asked of the kernel beside ublk: time, precedence, memory, signals.

use std::io;
use std::mem::MaybeUninit;
use std::ptr;

/// Above whatever the measured programs run at.
const PRIORITY: i32 = 50;

fn check(result: i32) -> io::Result<()> {
    if result < 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(())
}

/// Returns the time of the monotonic clock in nanoseconds.
pub fn now() -> u64 {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: `time` is valid for writing. The call cannot fail with this clock.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut time) };
    time.tv_sec.unsigned_abs() * 1_000_000_000 + time.tv_nsec.unsigned_abs()
}

/// Puts the calling thread before all others: a disk does not wait for the processor.
pub fn go_first() -> io::Result<()> {
    let param = libc::sched_param {
        sched_priority: PRIORITY,
    };
    // SAFETY: `param` is valid for reading; 0 is the calling thread.
    check(unsafe { libc::sched_setscheduler(0, libc::SCHED_FIFO, &raw const param) })
}

/// Keeps all memory of the process resident: a page fault on our own disk would wait for us.
pub fn stay_in_memory() -> io::Result<()> {
    // SAFETY: The call takes no pointers.
    check(unsafe { libc::mlockall(libc::MCL_CURRENT | libc::MCL_FUTURE) })
}

/// The signals that end the program.
pub struct Signals(libc::sigset_t);

impl Signals {
    /// Holds them back in this thread and in those that it starts from now on.
    pub fn block() -> io::Result<Self> {
        let mut set = MaybeUninit::uninit();
        // SAFETY: `sigemptyset` initializes the set; the numbers are valid signals.
        let set = unsafe {
            libc::sigemptyset(set.as_mut_ptr());
            libc::sigaddset(set.as_mut_ptr(), libc::SIGTERM);
            libc::sigaddset(set.as_mut_ptr(), libc::SIGINT);
            set.assume_init()
        };
        // SAFETY: `set` is valid for reading; the old mask is not asked for.
        check(unsafe { libc::sigprocmask(libc::SIG_BLOCK, &raw const set, ptr::null_mut()) })?;
        Ok(Signals(set))
    }

    /// Waits for one of them.
    pub fn wait(&self) -> io::Result<()> {
        let mut signal = 0;
        // SAFETY: Both pointers are valid.
        match unsafe { libc::sigwait(&raw const self.0, &raw mut signal) } {
            0 => Ok(()),
            error => Err(io::Error::from_raw_os_error(error)),
        }
    }
}

/// Sends one of them to this process in the end.
pub struct RaiseOnDrop;

impl Drop for RaiseOnDrop {
    fn drop(&mut self) {
        // SAFETY: The call takes no pointers.
        unsafe { libc::kill(libc::getpid(), libc::SIGTERM) };
    }
}
