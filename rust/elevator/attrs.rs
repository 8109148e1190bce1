// SPDX-License-Identifier: GPL-2.0

//! The elevator's files in sysfs, `queue/iosched/`.
//!
//! C header: [`block/elevator.h`](srctree/block/elevator.h)
//!
//! An elevator lists the names with the macro `attributes!` and implements [`Attributes`], whose
//! methods get the position in that list. The calls are serialised with each other and with the
//! detaching of the elevator by the core, through `sysfs_lock`. All files have mode 0644; there are
//! no other kinds.

use super::{
    instance::Elevator,
    operations::Operations, //
};
use crate::bindings;
use core::{
    fmt,
    marker::PhantomData,
    slice, //
};
use kernel::{
    error::from_result,
    page::PAGE_SIZE,
    prelude::*,
    str::as_char_ptr_in_const_context, //
};

/// Reads and writes the attributes of an elevator.
///
/// Both methods run in the context of the task that uses the file, with the `sysfs_lock` of this
/// elevator held. They may sleep, but not do or wait for I/O, nor allocate memory in a way that may
/// (`GFP_KERNEL`): somebody who switches the elevator may have frozen the queue, and wait for that
/// lock.
pub trait Attributes: Operations {
    /// Writes the value of attribute `id` to `page`, with a newline at the end.
    ///
    /// # Errors
    ///
    /// Returned by the `read()` of the user.
    fn show(elv: &Elevator<Self>, id: usize, page: &mut Page<'_>) -> Result;

    /// Sets attribute `id` to what the user has written, which usually ends in a newline.
    ///
    /// # Errors
    ///
    /// Returned by the `write()` of the user.
    fn store(elv: &Elevator<Self>, id: usize, text: &[u8]) -> Result;
}

/// The page that the text of an attribute goes to.
pub struct Page<'a> {
    buffer: &'a mut [u8],
    len: usize,
}

impl fmt::Write for Page<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let end = self.len.checked_add(text.len()).ok_or(fmt::Error)?;
        let place = self.buffer.get_mut(self.len..end).ok_or(fmt::Error)?;
        place.copy_from_slice(text.as_bytes());
        self.len = end;
        Ok(())
    }
}

/// One of the [`Operations::ATTRIBUTES`], made by the macro `attributes!`.
#[repr(transparent)]
pub struct Attribute<T>(bindings::elv_fs_entry, PhantomData<fn() -> T>);

// SAFETY: Neither Rust nor C code writes to an entry, and the pointer in it is to a static string.
unsafe impl<T> Sync for Attribute<T> {}

impl<T: Attributes> Attribute<T> {
    /// The end of the list.
    #[doc(hidden)]
    pub const END: Self = Self(pin_init::zeroed(), PhantomData);

    /// Creates the attribute with this position and name.
    #[doc(hidden)]
    pub const fn new<const ID: usize>(name: &'static CStr) -> Self {
        let mut entry: bindings::elv_fs_entry = pin_init::zeroed();
        entry.attr.name = as_char_ptr_in_const_context(name);
        entry.attr.mode = 0o644;
        entry.show = Some(show_callback::<T, ID>);
        entry.store = Some(store_callback::<T, ID>);
        Self(entry, PhantomData)
    }
}

/// Returns the list of an elevator for the C side, null if it is empty.
pub(super) const fn as_raw<T: Operations>() -> *const bindings::elv_fs_entry {
    const {
        let list = T::ATTRIBUTES;
        let mut at = 0;
        while at < list.len() {
            let is_end = list[at].0.attr.name.is_null();
            assert!(is_end == (at == list.len() - 1), "use `attributes!`");
            at += 1;
        }
    };
    if T::ATTRIBUTES.is_empty() {
        core::ptr::null()
    } else {
        T::ATTRIBUTES.as_ptr().cast()
    }
}

/// # Safety
///
/// May only be called by the block layer, with the lock of the files held, for an elevator `T` that
/// is attached; `page` must be valid for a page and be zeroed.
unsafe extern "C" fn show_callback<T: Attributes, const ID: usize>(
    eq: *mut bindings::elevator_queue,
    page: *mut c_char,
) -> isize {
    from_result(|| {
        // SAFETY: By the safety requirements; `elv_attr_show()` checks that it is attached.
        let elv = unsafe { Elevator::<T>::of_elevator_queue(eq) };
        // SAFETY: By the safety requirements.
        let buffer = unsafe { slice::from_raw_parts_mut(page.cast(), PAGE_SIZE) };
        let mut page = Page { buffer, len: 0 };
        T::show(elv, ID, &mut page)?;
        Ok(page.len as isize)
    })
}

/// # Safety
///
/// May only be called by the block layer, with the lock of the files held, for an elevator `T` that
/// is attached; `text` must be valid for reads of `count` bytes.
unsafe extern "C" fn store_callback<T: Attributes, const ID: usize>(
    eq: *mut bindings::elevator_queue,
    text: *const c_char,
    count: usize,
) -> isize {
    from_result(|| {
        // SAFETY: By the safety requirements; `elv_attr_store()` checks that it is attached.
        let elv = unsafe { Elevator::<T>::of_elevator_queue(eq) };
        // SAFETY: By the safety requirements.
        let text = unsafe { slice::from_raw_parts(text.cast(), count) };
        T::store(elv, ID, text)?;
        // CAST: At most a page.
        Ok(count as isize)
    })
}

/// Makes the [`Operations::ATTRIBUTES`] of an elevator that implements [`Attributes`].
///
/// The attributes are numbered from 0 in the order in which they are named.
///
/// To be used as `elevator::attributes!`.
///
/// ```ignore
/// const ATTRIBUTES: &'static [Attribute<Self>] = attributes!(Self: c"quantum", c"slice_idle");
/// ```
#[macro_export]
macro_rules! elevator_attributes {
    ($type:ty: $($name:literal),+ $(,)?) => {
        $crate::elevator::attributes!(@number $type, (), 0usize, $($name,)+)
    };
    (@number $type:ty, ($($done:tt)*), $id:expr, $name:literal, $($rest:tt)*) => {
        $crate::elevator::attributes!(
            @number $type,
            ($($done)* $crate::elevator::Attribute::<$type>::new::<{ $id }>($name),),
            $id + 1usize,
            $($rest)*
        )
    };
    (@number $type:ty, ($($done:tt)*), $id:expr,) => {
        &[$($done)* $crate::elevator::Attribute::<$type>::END]
    };
}
#[doc(inline)]
pub use elevator_attributes as attributes;
