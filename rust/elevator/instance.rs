// SPDX-License-Identifier: GPL-2.0

//! An elevator attached to a queue, and its lock.

use super::{
    list::FreeList,
    merge::Nesting,
    operations::Operations,
    queue::{
        HwCtx,
        RequestQueue, //
    },
    timer::{
        self,
        Timer, //
    },
    vtable::OperationsVTable, //
};
use crate::bindings;
use core::{
    marker::PhantomData,
    ops::{
        Deref,
        DerefMut, //
    },
    ptr, //
};
use kernel::{
    new_spinlock_irq,
    prelude::*,
    sync::{
        SpinLockIrq,
        SpinLockIrqGuard, //
    },
    types::ForeignOwnable, //
};

/// An elevator of type `T` for one queue.
///
/// It is `elevator_data` of the C side: created when the user chooses the elevator for a queue, and
/// freed when they choose another. Callbacks lend it as `&Elevator<T>`.
///
/// # The lock
///
/// The data behind the lock is used in hard interrupts, so the lock is a [`SpinLockIrq`]: it
/// disables interrupts, and leaves them in the state in which it found them. With the lock held,
/// nothing may be called that enables interrupts, frees a request, runs the queues or drops an I/O
/// context; freeing is done by the [`Guard`] after unlocking.
///
/// # Invariants
///
/// `queue` points to the queue it is attached to, or is being attached to, which exists longer.
// The first field is read by `rust_helper_elv_request_merged()`.
#[pin_data]
#[repr(C)]
pub struct Elevator<T: Operations> {
    request_merged:
        unsafe extern "C" fn(*mut bindings::request_queue, *mut bindings::request, c_uint),
    queue: *mut bindings::request_queue,
    pub(super) nesting: Nesting<T>,
    #[pin]
    pub(super) timer: Timer,
    #[pin]
    pub(super) kick: Timer,
    #[pin]
    locked: SpinLockIrq<T::Locked>,
    #[pin]
    data: T::Data,
}

// SAFETY: The queue may be used on any thread, `nesting` is described there, and the data is
// `Send`.
unsafe impl<T: Operations> Send for Elevator<T> {}
// SAFETY: As above; `data` is `Sync` and `locked` is behind a lock.
unsafe impl<T: Operations> Sync for Elevator<T> {}

impl<T: Operations> Elevator<T> {
    /// Creates an elevator for a queue.
    pub(super) fn new(q: &RequestQueue) -> impl PinInit<Self, Error> + '_ {
        pin_init::pin_init_scope(move || {
            let locked = T::new_locked(q)?;
            Ok(try_pin_init!(Self {
                request_merged: OperationsVTable::<T>::request_merged_callback,
                // INVARIANT: The elevator is for this queue. The block layer frees it before.
                queue: q.as_raw(),
                nesting: Nesting::new(),
                // SAFETY: The timer is stopped when the elevator is detached.
                timer <- unsafe { Timer::new(timer::timer_callback::<T>) },
                // SAFETY: As above.
                kick <- unsafe { Timer::new(timer::kick_callback::<T>) },
                locked <- new_spinlock_irq!(locked, "elevator"),
                data <- T::new_data(q),
            }? Error))
        })
    }

    /// Takes the lock.
    #[inline]
    pub fn lock(&self) -> Guard<'_, T> {
        Guard {
            locked: self.locked.lock(),
            freed: FreeList::new(),
            elv: self,
        }
    }

    /// Returns the data behind the lock, and the witness of it, if the caller was called back from
    /// within a method of [`Guard`]; see [`Nesting`].
    ///
    /// # Safety
    ///
    /// The result of an earlier call must not be in use any more, and this one only until the C
    /// function is returned to.
    pub(super) unsafe fn nested<'a>(&'a self) -> Option<(&'a mut T::Locked, Held<'a>)> {
        // SAFETY: By the safety requirements.
        let locked = unsafe { self.nesting.get() }?;
        // SAFETY: The current task is inside of `Nesting::enter`, so it holds the lock. It goes on
        // with merging when the C function is returned to.
        Some((locked, unsafe { self.witness() }))
    }

    /// # Safety
    ///
    /// The invariants of [`Held`] hold for this elevator's queue during `'a`.
    #[inline]
    const unsafe fn witness<'a>(&self) -> Held<'a> {
        // INVARIANT: By the safety requirements.
        Held {
            queue: self.queue,
            _lock: PhantomData,
        }
    }

    /// Returns the data that needs no lock.
    #[inline]
    pub const fn data(&self) -> &T::Data {
        &self.data
    }

    /// Returns the queue.
    #[inline]
    pub fn queue(&self) -> &RequestQueue {
        // SAFETY: By the type invariant.
        unsafe { RequestQueue::from_raw(self.queue) }
    }

    /// Returns what [`Operations::init_hctx`] has made for `hctx`.
    ///
    /// [`None`] if there is no such method, or outside of the time between it and
    /// [`Operations::exit_hctx`].
    ///
    /// ```ignore
    /// type HctxData = KBox<Atomic<u64>>;
    ///
    /// fn init_hctx(_elv: &Elevator<Self>, _hctx: &HwCtx, _index: u32) -> Result<Self::HctxData> {
    ///     Ok(KBox::new(Atomic::new(0), GFP_KERNEL)?)
    /// }
    ///
    /// fn dispatch_request(elv: &Elevator<Self>, hctx: &HwCtx) -> Option<Dispatched> {
    ///     if let Some(runs) = elv.hctx_data(hctx) {
    ///         runs.fetch_add(1, Relaxed);
    ///     }
    ///     // ...
    /// }
    /// ```
    pub fn hctx_data<'a>(
        &'a self,
        hctx: &'a HwCtx,
    ) -> Option<<T::HctxData as ForeignOwnable>::Borrowed<'a>> {
        if !T::HAS_INIT_HCTX || hctx.queue_ptr() != self.queue {
            return None;
        }
        // SAFETY: The context is valid by the invariants of `HwCtx`.
        let data = unsafe { (*hctx.as_raw()).sched_data };
        if data.is_null() {
            return None;
        }
        // SAFETY: `init_hctx_callback` has set it, and `exit_hctx_callback` was not called yet: it
        // clears the field, and no callback that lends `hctx` runs then (but see "Faults of the C
        // side").
        Some(unsafe { T::HctxData::borrow(data) })
    }

    /// Arms the timer: [`Operations::timer_expired`] is called once, when [`now`](super::now) has
    /// reached `at`. If it is armed already, the time is changed.
    ///
    /// Any context, also with the lock held.
    #[inline]
    pub fn arm_timer(&self, at: u64) {
        if T::HAS_TIMER_EXPIRED {
            self.timer.arm(at);
        }
    }

    /// Disarms the timer. Does not wait: [`Operations::timer_expired`] may be running on another
    /// CPU.
    ///
    /// Any context, also with the lock held.
    #[inline]
    pub fn disarm_timer(&self) {
        self.timer.disarm();
    }

    /// Runs the hardware queues from an interrupt that is raised at once.
    ///
    /// Like [`RequestQueue::run_hw_queues`] with `true`, but may be called in any context and with
    /// any locks held.
    pub fn kick(&self) {
        self.kick.arm(0);
    }

    /// Stops the timers, see [`Operations::exit_sched`].
    pub(super) fn stop_timers(&self) {
        self.timer.stop();
        self.kick.stop();
    }

    /// Returns the elevator of a queue.
    ///
    /// # Safety
    ///
    /// `q` must point to a valid queue with an elevator `T` that stays attached during `'a`.
    #[inline]
    pub(super) unsafe fn of_queue<'a>(q: *mut bindings::request_queue) -> &'a Self {
        // SAFETY: The queue is valid.
        let eq = unsafe { (*q).elevator };
        // SAFETY: It has this elevator. `kernel::bindings` does not know the fields.
        unsafe { Self::of_elevator_queue(eq.cast()) }
    }

    /// Returns the elevator of a `struct elevator_queue`.
    ///
    /// # Safety
    ///
    /// `eq` must point to a valid one with an elevator `T`, on which `init_sched_callback` was
    /// called and `free_sched_data_callback` is not called during `'a`.
    #[inline]
    pub(super) unsafe fn of_elevator_queue<'a>(eq: *mut bindings::elevator_queue) -> &'a Self {
        // SAFETY: Valid by the safety requirements.
        let data = unsafe { (*eq).elevator_data };
        // SAFETY: It was set by `alloc_sched_data_callback` or `init_sched_callback`.
        unsafe { &*data.cast() }
    }
}

/// Shows that the lock of an [`Elevator`] is held, and gives access to the data behind it.
///
/// Dropping it releases the lock and then frees the requests that were merged away, which calls
/// [`Operations::finish_request`] for each.
pub struct Guard<'a, T: Operations> {
    // Dropped in this order: nothing is freed before the lock is released. The list is not `Sync`,
    // so neither is the guard: no other thread gets a `Held` of it.
    locked: SpinLockIrqGuard<'a, T::Locked>,
    pub(super) freed: FreeList,
    elv: &'a Elevator<T>,
}

impl<'a, T: Operations> Guard<'a, T> {
    /// Returns the elevator whose lock is held.
    #[inline]
    pub const fn elevator(&self) -> &'a Elevator<T> {
        self.elv
    }

    /// Returns the witness that the lock is held.
    #[inline]
    pub const fn held(&self) -> Held<'_> {
        // SAFETY: While the guard is borrowed it is not dropped, and none of its methods is called
        // that merge or give back requests: these borrow it mutably.
        unsafe { self.elv.witness() }
    }

    /// Returns the data behind the lock together with the witness.
    #[inline]
    pub fn split(&mut self) -> (&mut T::Locked, Held<'_>) {
        // SAFETY: As in `held`.
        let held = unsafe { self.elv.witness() };
        (&mut self.locked, held)
    }

    /// Returns a pointer to the data that lives as long as the guard is not used.
    pub(super) fn as_ptr(&mut self) -> *mut T::Locked {
        ptr::from_mut(&mut *self.locked)
    }
}

impl<T: Operations> Deref for Guard<'_, T> {
    type Target = T::Locked;

    #[inline]
    fn deref(&self) -> &T::Locked {
        &self.locked
    }
}

impl<T: Operations> DerefMut for Guard<'_, T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T::Locked {
        &mut self.locked
    }
}

/// Shows that the lock of a queue's [`Elevator`] is held here during `'a`.
///
/// What the lock protects outside of [`Operations::Locked`] is reached with it: a request by
/// [`Queued::get`](super::Queued::get), the data of an I/O context by
/// [`Icq::data`](super::Icq::data). A [`Guard`] gives it [alone](Guard::held) or with the
/// [data](Guard::split), the callbacks that are called with the lock held have it as an argument.
///
/// It borrows the guard, so it ends before the lock is released, and before [`Guard::admit`],
/// [`Guard::try_merge`] or [`Guard::start`] change or give back what it gives access to.
///
/// # Invariants
///
/// During `'a` the current context holds the lock of the elevator of `queue`; requests of that
/// queue are not given back, and C code does not write to them.
#[derive(Clone, Copy)]
pub struct Held<'a> {
    // A raw pointer, so this is neither `Send` nor `Sync`.
    queue: *mut bindings::request_queue,
    _lock: PhantomData<&'a ()>,
}

impl Held<'_> {
    #[inline]
    pub(super) const fn queue_ptr(self) -> *mut bindings::request_queue {
        self.queue
    }
}
