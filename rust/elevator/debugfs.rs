// SPDX-License-Identifier: GPL-2.0

//! The elevator's files in debugfs, in the folder `sched/` of the queue.
//!
//! C header: [`block/blk-mq-debugfs.h`](srctree/block/blk-mq-debugfs.h)
//!
//! There are read-only files for the whole queue; there are none for a hardware context, which
//! would hardly have something to show in an elevator with one lock.

use super::{
    instance::Elevator,
    operations::Operations, //
};
use kernel::{
    prelude::*,
    seq_file::SeqFile, //
};

/// A file in debugfs.
pub struct DebugfsAttribute<T: Operations> {
    /// Its name.
    pub name: &'static CStr,
    /// Writes its content, with [`seq_print!`](kernel::seq_file::seq_print).
    ///
    /// Called in the context of the task that reads the file, with `elevator_lock` held, so that
    /// the elevator stays attached. May sleep, but not allocate memory: the queue may be frozen by
    /// somebody who waits for that lock.
    ///
    /// # Errors
    ///
    /// Returned by the `read()` of the user.
    pub show: fn(&Elevator<T>, &SeqFile) -> Result,
}

#[cfg(CONFIG_BLK_DEBUG_FS)]
pub(super) use imp::Table;

#[cfg(CONFIG_BLK_DEBUG_FS)]
mod imp {
    use super::*;
    use crate::bindings;
    use core::mem::ManuallyDrop;
    use kernel::{
        error::from_result,
        sync::Mutex, //
    };

    /// The attributes of an elevator type in the form of the C side.
    ///
    /// A file that is open when the module goes away is closed later, and
    /// `blk_mq_debugfs_release()` reads its attribute then. So the table must not be a part of the
    /// module: it is on the heap, and stays there.
    pub(crate) struct Table(KVec<bindings::blk_mq_debugfs_attr>);

    impl Table {
        /// Creates the table of `T`.
        pub(crate) fn new<T: Operations>() -> Result<Self> {
            let mut table = KVec::with_capacity(T::DEBUGFS.len().saturating_add(1), GFP_KERNEL)?;
            for attribute in T::DEBUGFS {
                table.push(
                    bindings::blk_mq_debugfs_attr {
                        name: attribute.name.as_char_ptr(),
                        mode: 0o400,
                        show: Some(show_callback::<T>),
                        ..pin_init::zeroed()
                    },
                    GFP_KERNEL,
                )?;
            }
            table.push(pin_init::zeroed(), GFP_KERNEL)?;
            Ok(Self(table))
        }

        /// Returns the table for `struct elevator_type`, null if it is empty.
        pub(crate) fn as_ptr(&self) -> *const bindings::blk_mq_debugfs_attr {
            if self.0.len() > 1 {
                self.0.as_ptr()
            } else {
                core::ptr::null()
            }
        }

        /// Keeps the table forever.
        pub(crate) fn leak(self) {
            let _ = ManuallyDrop::new(self);
        }
    }

    /// Shows a file. `q` is what the core passes to all files for a queue.
    ///
    /// The core does not keep the elevator attached meanwhile: its files are removed after it was
    /// detached, and after another one may have been attached. So the elevator is looked up under
    /// `elevator_lock`, and used only if the file is one of its type.
    ///
    /// # Safety
    ///
    /// May only be called by the block layer, for a file of a [`Table`] made for `T`.
    unsafe extern "C" fn show_callback<T: Operations>(
        q: *mut c_void,
        m: *mut bindings::seq_file,
    ) -> c_int {
        let q: *mut bindings::request_queue = q.cast();
        // SAFETY: The queue is valid as long as it has the folder of this file.
        let lock = unsafe { &raw mut (*q).elevator_lock };
        // SAFETY: As above; the lock was initialised with the queue.
        let lock = unsafe { Mutex::<()>::from_raw(lock) };
        let _guard = lock.lock();

        from_result(|| {
            // SAFETY: The queue is valid, and the lock is held.
            let eq: *mut bindings::elevator_queue = unsafe { (*q).elevator }.cast();
            if eq.is_null() {
                return Err(ENODEV);
            }
            // SAFETY: The elevator stays attached while the lock is held.
            let elevator_type = unsafe { (*eq).type_ };
            // SAFETY: A type is registered as long as it is attached somewhere.
            let table = unsafe { (*elevator_type).queue_debugfs_attrs };
            // SAFETY: `m` is valid; `single_open()` has set it to the attribute in the table.
            let attribute = unsafe { (*m).private }.cast_const();
            let index = T::DEBUGFS
                .iter()
                .enumerate()
                .position(|(at, _)| table.wrapping_add(at).cast() == attribute)
                .ok_or(ENODEV)?;
            // SAFETY: The type of the attached elevator has the table that this file belongs to,
            // which was made for `T` and, as it is leaked, only once.
            let elv = unsafe { Elevator::<T>::of_elevator_queue(eq) };
            // SAFETY: The core passes a valid file that no other thread uses now.
            let m = unsafe { SeqFile::from_raw(m) };
            let attribute = T::DEBUGFS.get(index).ok_or(ENODEV)?;
            (attribute.show)(elv, m)?;
            Ok(0)
        })
    }
}
