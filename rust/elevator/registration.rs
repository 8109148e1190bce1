// SPDX-License-Identifier: GPL-2.0

//! Making an elevator known to the block layer.
//!
//! C source: [`block/elevator.c`](srctree/block/elevator.c)

#[cfg(CONFIG_BLK_DEBUG_FS)]
use super::debugfs;
use super::{
    attrs,
    icq::Icq,
    operations::Operations,
    vtable::OperationsVTable, //
};
use crate::bindings;
use core::{
    marker::PhantomData,
    mem::{
        align_of,
        size_of, //
    },
};
use kernel::{
    error::to_result,
    module::this_module,
    prelude::*,
    str::as_char_ptr_in_const_context,
    types::Opaque, //
};

/// The registration of an elevator type: as long as it exists, users can choose the elevator.
///
/// It belongs into the module's own struct, with `#[pin]`, and must live as long as the module: a
/// queue that has the elevator holds a reference to the module, so that it cannot be unloaded.
///
/// It must be the last thing in the initialisation of the module that can fail. **This is not
/// enforced**: users can attach the elevator as soon as the registration exists, and a module whose
/// initialisation fails after that is freed with its elevator in use, whatever references there
/// are. In C it is the same.
///
/// # Invariants
///
/// `raw` is a `struct elevator_type` for `T` that is registered by `elv_register()`. It is
/// unregistered exactly once, by `drop`.
#[pin_data(PinnedDrop)]
#[repr(transparent)]
pub struct Registration<T: Operations> {
    // A copy of its own: `elv_register()` writes to it.
    #[pin]
    raw: Opaque<bindings::elevator_type>,
    _type: PhantomData<fn() -> T>,
}

// SAFETY: `elv_unregister()` may be called on any thread.
unsafe impl<T: Operations> Send for Registration<T> {}
// SAFETY: There are no methods on a shared reference.
unsafe impl<T: Operations> Sync for Registration<T> {}

/// Is it taken for no elevator, like anything that begins so?
const fn is_none(name: &CStr) -> bool {
    matches!(name.to_bytes(), [b'n', b'o', b'n', b'e', ..])
}

impl<T: Operations> Registration<T> {
    /// Registers the elevator.
    ///
    /// # Errors
    ///
    /// [`EBUSY`] if there is an elevator of this name, [`ENOMEM`].
    pub fn new() -> impl PinInit<Self, Error> {
        const {
            assert!(
                !T::NAME.is_empty() && T::NAME.count_bytes() < bindings::ELV_NAME_MAX as usize,
                "the name of an elevator has 1 to 15 characters"
            );
            assert!(
                !is_none(T::NAME)
                    && match T::ALIAS {
                        Some(alias) => !is_none(alias),
                        None => true,
                    },
                "a name that begins with 'none' means no elevator to the block layer"
            );
        }
        try_pin_init!(Self {
            raw <- Opaque::try_ffi_init(|slot: *mut bindings::elevator_type| {
                #[cfg(CONFIG_BLK_DEBUG_FS)]
                let table = debugfs::Table::new::<T>()?;

                #[cfg_attr(not(CONFIG_BLK_DEBUG_FS), expect(unused_mut))]
                let mut elevator_type = Self::elevator_type();
                #[cfg(CONFIG_BLK_DEBUG_FS)]
                {
                    elevator_type.queue_debugfs_attrs = table.as_ptr();
                }
                // SAFETY: The slot is valid for writes.
                unsafe { slot.write(elevator_type) };
                // SAFETY: The type was just initialised. It is pinned, and unregistered before it
                // goes away, see `PinnedDrop`.
                // INVARIANT: If this returns `Ok`, it is registered.
                to_result(unsafe { bindings::elv_register(slot) })?;

                #[cfg(CONFIG_BLK_DEBUG_FS)]
                table.leak();
                Ok::<(), Error>(())
            }),
            _type: PhantomData,
        })
    }

    const fn elevator_type() -> bindings::elevator_type {
        let mut this: bindings::elevator_type = pin_init::zeroed();
        this.ops = OperationsVTable::<T>::VTABLE;
        if Icq::<T>::IS_USED {
            this.icq_size = size_of::<Icq<T>>();
            this.icq_align = align_of::<Icq<T>>();
        }
        this.elevator_attrs = attrs::as_raw::<T>();
        this.elevator_name = as_char_ptr_in_const_context(T::NAME);
        if let Some(alias) = T::ALIAS {
            this.elevator_alias = as_char_ptr_in_const_context(alias);
        }
        this.elevator_owner = this_module::<T::OwnerModule>().as_ptr();
        this
    }
}

#[pinned_drop]
impl<T: Operations> PinnedDrop for Registration<T> {
    fn drop(self: Pin<&mut Self>) {
        // SAFETY: It is registered by the type invariant. No queue has the elevator: each would
        // hold a reference to the module, whose exit function is the one that drops it.
        unsafe { bindings::elv_unregister(self.raw.get()) };
    }
}
