// SPDX-License-Identifier: GPL-2.0

//! A first-in first-out list, linked by slot number through lent slots.
//!
//! Every operation is O(1) and works by slot number. The type parameter `L` names which of an
//! object's links are used, so that one object can be on lists of several kinds. Source: ours.

use super::id::NIL;
use super::slab::{
    at,
    at_mut,
    Slot, //
};
use core::marker::PhantomData;

/// An object's place on a list.
#[derive(Clone, Copy, Debug)]
pub(super) struct ListLinks {
    prev: u32,
    next: u32,
}

impl ListLinks {
    /// On no list.
    pub(super) const NONE: ListLinks = ListLinks {
        prev: NIL,
        next: NIL,
    };
}

/// An object with links for lists of kind `L`.
pub(super) trait Listed<L> {
    /// Returns the links.
    fn list_links(&self) -> &ListLinks;
    /// Returns the links for change.
    fn list_links_mut(&mut self) -> &mut ListLinks;
}

/// A list of slots.
///
/// # Invariants
///
/// Following `next` from `first` visits each member once and ends at `last`; `prev` is its mirror.
#[derive(Debug)]
pub(super) struct List<L> {
    first: u32,
    last: u32,
    kind: PhantomData<L>,
}

impl<L> List<L> {
    /// Makes an empty list.
    pub(super) const fn new() -> Self {
        List {
            first: NIL,
            last: NIL,
            kind: PhantomData,
        }
    }

    /// Returns the oldest member, or [`NIL`].
    #[inline(always)]
    pub(super) fn first(&self) -> u32 {
        self.first
    }

    /// Appends `node`, which is on no list of this kind.
    #[inline]
    pub(super) fn push_back<T: Listed<L>>(&mut self, slots: &mut [Slot<T>], node: u32) {
        self.insert_before(slots, node, NIL);
    }

    /// Inserts `node`, which is on no list of this kind, before the member `next` ([`NIL`]: at the
    /// end).
    #[inline]
    pub(super) fn insert_before<T: Listed<L>>(
        &mut self,
        slots: &mut [Slot<T>],
        node: u32,
        next: u32,
    ) {
        let prev = match at(slots, next) {
            Some(member) => member.list_links().prev,
            None => self.last,
        };
        let Some(object) = at_mut(slots, node) else {
            return;
        };
        // INVARIANT: `node` is put between two neighbours, both of which are made to point at it.
        *object.list_links_mut() = ListLinks { prev, next };
        match at_mut(slots, prev) {
            Some(member) => member.list_links_mut().next = node,
            None => self.first = node,
        }
        match at_mut(slots, next) {
            Some(member) => member.list_links_mut().prev = node,
            None => self.last = node,
        }
    }

    /// Takes the member `node` off.
    #[inline]
    pub(super) fn remove<T: Listed<L>>(&mut self, slots: &mut [Slot<T>], node: u32) {
        let Some(object) = at_mut(slots, node) else {
            return;
        };
        let links = core::mem::replace(object.list_links_mut(), ListLinks::NONE);
        // INVARIANT: The two neighbours are joined.
        match at_mut(slots, links.prev) {
            Some(member) => member.list_links_mut().next = links.next,
            None => self.first = links.next,
        }
        match at_mut(slots, links.next) {
            Some(member) => member.list_links_mut().prev = links.prev,
            None => self.last = links.prev,
        }
    }

    /// Returns whether the links agree with each other and there are `len` members. O(n).
    pub(super) fn is_sound<T: Listed<L>>(&self, slots: &[Slot<T>], len: u32) -> bool {
        let mut seen = 0u32;
        let mut prev = NIL;
        let mut node = self.first;
        while let Some(object) = at(slots, node) {
            if object.list_links().prev != prev || seen > len {
                return false;
            }
            seen = seen.saturating_add(1);
            prev = node;
            node = object.list_links().next;
        }
        node == NIL && prev == self.last && seen == len
    }
}

#[cfg_attr(CONFIG_RCFQ_KUNIT_TEST, kernel::macros::kunit_tests(rcfq_policy_list))]
#[cfg(any(test, CONFIG_RCFQ_KUNIT_TEST))]
mod tests {
    use super::*;
    use crate::policy::slab::Slab;

    struct Kind;
    struct Item(ListLinks);

    impl Listed<Kind> for Item {
        fn list_links(&self) -> &ListLinks {
            &self.0
        }
        fn list_links_mut(&mut self) -> &mut ListLinks {
            &mut self.0
        }
    }

    fn order(list: &List<Kind>, slots: &[Slot<Item>]) -> [u32; 4] {
        let mut order = [NIL; 4];
        let mut node = list.first();
        for place in &mut order {
            *place = node;
            node = at(slots, node).map_or(NIL, |item| item.0.next);
        }
        order
    }

    #[test]
    fn members_leave_in_the_order_of_arrival() {
        let mut room = [Slot::new(), Slot::new(), Slot::new(), Slot::new()];
        let mut slab = Slab::new(&mut room[..]);
        for _ in 0..4 {
            assert!(slab.alloc(Item(ListLinks::NONE)).is_ok());
        }
        let slots = slab.slots_mut();
        let mut list = List::<Kind>::new();
        list.push_back(slots, 2);
        list.push_back(slots, 0);
        list.push_back(slots, 3);
        list.insert_before(slots, 1, 2);
        assert_eq!(order(&list, slots), [1, 2, 0, 3]);
        assert!(list.is_sound(slots, 4));
        list.remove(slots, 0);
        list.remove(slots, 1);
        list.remove(slots, 3);
        assert_eq!(order(&list, slots), [2, NIL, NIL, NIL]);
        assert!(list.is_sound(slots, 1));
        list.remove(slots, 2);
        assert_eq!(list.first(), NIL);
        assert!(list.is_sound(slots, 0));
    }

    #[test]
    fn slots_out_of_bounds_are_ignored() {
        let mut room = [Slot::<Item>::new()];
        let mut list = List::<Kind>::new();
        list.push_back(&mut room, 5);
        list.remove(&mut room, 5);
        assert_eq!(list.first(), NIL);
    }
}
