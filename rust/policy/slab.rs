// SPDX-License-Identifier: GPL-2.0

//! A free list over a lent slice of slots, and the one place where slot numbers become references.
//!
//! Every access by slot number goes through [`at`] or [`at_mut`]; a number out of bounds yields
//! `None` and never panics. Allocation and release are O(1). Source: ours.

use super::id::{
    Handle,
    NIL, //
};
use core::ops::{
    Deref,
    DerefMut, //
};

/// Room for one object in memory that the caller lends.
#[derive(Debug)]
pub struct Slot<T> {
    /// Counts the uses of this slot; never 0.
    generation: u32,
    /// Next free slot while this one is free.
    next_free: u32,
    value: Option<T>,
}

impl<T> Slot<T> {
    /// Makes a free slot. The caller fills its slices with these.
    #[inline]
    pub const fn new() -> Self {
        Slot {
            generation: 1,
            next_free: NIL,
            value: None,
        }
    }
}

impl<T> Default for Slot<T> {
    fn default() -> Self {
        Self::new()
    }
}

/// Returns the object in slot `index`.
#[inline(always)]
pub(super) fn at<T>(slots: &[Slot<T>], index: u32) -> Option<&T> {
    // CAST: `usize` is at least 32 bits wide wherever this builds.
    slots.get(index as usize)?.value.as_ref()
}

/// Returns the object in slot `index` for change.
#[inline(always)]
pub(super) fn at_mut<T>(slots: &mut [Slot<T>], index: u32) -> Option<&mut T> {
    // CAST: `usize` is at least 32 bits wide wherever this builds.
    slots.get_mut(index as usize)?.value.as_mut()
}

/// Objects in lent slots.
///
/// # Invariants
///
/// A slot at or above `fresh` was never used; below it, a slot is either occupied or on the free
/// list that starts at `free`, never both.
#[derive(Debug)]
pub(super) struct Slab<S> {
    slots: S,
    free: u32,
    fresh: u32,
    live: u32,
}

impl<T, S: Deref<Target = [Slot<T>]>> Slab<S> {
    /// Takes over the slots; whatever they hold is forgotten.
    pub(super) fn new(slots: S) -> Self {
        // INVARIANT: Nothing was used and nothing is free below 0.
        Slab {
            slots,
            free: NIL,
            fresh: 0,
            live: 0,
        }
    }

    /// Returns the number of occupied slots.
    #[inline]
    pub(super) fn len(&self) -> u32 {
        self.live
    }

    /// Returns all slots, for the structures linked through them.
    #[inline(always)]
    pub(super) fn slots(&self) -> &[Slot<T>] {
        &self.slots
    }

    /// Returns the object in slot `index`.
    #[inline(always)]
    pub(super) fn at(&self, index: u32) -> Option<&T> {
        at(&self.slots, index)
    }

    /// Returns the slot number behind a name, if that is still alive.
    #[inline(always)]
    pub(super) fn find(&self, handle: Handle) -> Option<u32> {
        // CAST: `usize` is at least 32 bits wide wherever this builds.
        let slot = self.slots.get(handle.index as usize)?;
        if slot.generation == handle.generation && slot.value.is_some() {
            Some(handle.index)
        } else {
            None
        }
    }

    /// Returns the name of the object in slot `index`.
    #[inline]
    pub(super) fn handle(&self, index: u32) -> Option<Handle> {
        // CAST: `usize` is at least 32 bits wide wherever this builds.
        let slot = self.slots.get(index as usize)?;
        slot.value.as_ref()?;
        Some(Handle {
            index,
            generation: slot.generation,
        })
    }

    /// Returns the number of slots, cut to what slot numbers can name.
    pub(super) fn capacity(&self) -> u32 {
        u32::try_from(self.slots.len())
            .unwrap_or(NIL)
            .min(NIL.saturating_sub(1))
    }
}

impl<T, S: DerefMut<Target = [Slot<T>]>> Slab<S> {
    /// Returns all slots for change, for the structures linked through them.
    #[inline(always)]
    pub(super) fn slots_mut(&mut self) -> &mut [Slot<T>] {
        &mut self.slots
    }

    /// Returns the object in slot `index` for change.
    #[inline(always)]
    pub(super) fn at_mut(&mut self, index: u32) -> Option<&mut T> {
        at_mut(&mut self.slots, index)
    }

    /// Puts `value` into a free slot.
    ///
    /// # Errors
    ///
    /// Gives `value` back if all slots are occupied.
    #[inline]
    pub(super) fn alloc(&mut self, value: T) -> Result<Handle, T> {
        let reuse = self.free != NIL;
        let index = if reuse { self.free } else { self.fresh };
        if !reuse && index >= self.capacity() {
            return Err(value);
        }
        // CAST: `usize` is at least 32 bits wide wherever this builds.
        let Some(slot) = self.slots.get_mut(index as usize) else {
            return Err(value);
        };
        // INVARIANT: The slot leaves the free list, or `fresh` moves past it.
        if reuse {
            self.free = slot.next_free;
        } else {
            self.fresh = index.saturating_add(1);
        }
        slot.value = Some(value);
        self.live = self.live.saturating_add(1);
        Ok(Handle {
            index,
            generation: slot.generation,
        })
    }

    /// Empties slot `index` and returns what it held.
    #[inline]
    pub(super) fn free(&mut self, index: u32) -> Option<T> {
        // CAST: `usize` is at least 32 bits wide wherever this builds.
        let slot = self.slots.get_mut(index as usize)?;
        let value = slot.value.take()?;
        // INVARIANT: The slot is empty now and joins the free list. Generation 0 is skipped.
        slot.generation = slot.generation.wrapping_add(1).max(1);
        slot.next_free = self.free;
        self.free = index;
        self.live = self.live.saturating_sub(1);
        Some(value)
    }

    /// Moves everything into `larger` and returns the old slots.
    ///
    /// Slot numbers and generations stay, so names and links keep their meaning. O(n).
    ///
    /// # Errors
    ///
    /// Gives `larger` back if it has fewer slots than are in use now.
    pub(super) fn grow(&mut self, mut larger: S) -> Result<S, S> {
        if larger.len() < self.slots.len() {
            return Err(larger);
        }
        for (new, old) in larger.iter_mut().zip(self.slots.iter_mut()) {
            core::mem::swap(new, old);
        }
        Ok(core::mem::replace(&mut self.slots, larger))
    }
}

#[cfg_attr(CONFIG_RCFQ_KUNIT_TEST, kernel::macros::kunit_tests(rcfq_policy_slab))]
#[cfg(any(test, CONFIG_RCFQ_KUNIT_TEST))]
mod tests {
    use super::*;

    const NOWHERE: Handle = Handle {
        index: NIL,
        generation: 0,
    };

    #[test]
    fn a_full_slab_gives_the_value_back() {
        let mut room = [Slot::new(), Slot::new()];
        let mut slab = Slab::new(&mut room[..]);
        assert!(slab.alloc(10).is_ok());
        assert!(slab.alloc(11).is_ok());
        assert_eq!(slab.alloc(12), Err(12));
        assert_eq!(slab.len(), 2);
    }

    #[test]
    fn an_old_name_never_matches_again() {
        let mut room = [Slot::new()];
        let mut slab = Slab::new(&mut room[..]);
        let old = slab.alloc(10).unwrap_or(NOWHERE);
        assert_eq!(slab.find(old), Some(0));
        assert_eq!(slab.free(0), Some(10));
        assert_eq!(slab.find(old), None);
        assert_eq!(slab.free(0), None);
        let new = slab.alloc(11).unwrap_or(NOWHERE);
        assert_eq!(new.index, old.index);
        assert_eq!(slab.find(old), None);
        assert_eq!(slab.find(new), Some(0));
    }

    #[test]
    fn growing_keeps_names_and_refuses_less_room() {
        let mut room = [Slot::new(), Slot::new()];
        let mut large = [Slot::new(), Slot::new(), Slot::new()];
        let mut small = [Slot::new()];
        let mut equal = [Slot::new(), Slot::new()];
        let mut slab = Slab::new(&mut room[..]);
        let first = slab.alloc(10);
        assert!(slab.alloc(11).is_ok());
        assert!(slab.free(1).is_some());
        assert!(slab.grow(&mut small[..]).is_err());
        assert!(slab.grow(&mut equal[..]).is_ok());
        assert!(slab.grow(&mut large[..]).is_ok());
        assert_eq!(first.ok().and_then(|name| slab.find(name)), Some(0));
        assert_eq!(slab.at(0), Some(&10));
        assert!(slab.alloc(12).is_ok());
        assert!(slab.alloc(13).is_ok());
        assert!(slab.alloc(14).is_err());
        assert_eq!(slab.at(1), Some(&12));
        assert_eq!(slab.at(2), Some(&13));
    }
}
