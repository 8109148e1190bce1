// SPDX-License-Identifier: GPL-2.0

//! The invariants of a tree, checked from scratch; for tests.
//!
//! Source: ours.

use super::id::NIL;
use super::slab::{
    at,
    Slot, //
};
use super::tree::{
    Ordered,
    Tree,
    TreeLinks, //
};

impl<O> Tree<O> {
    /// Returns whether order, cached first member, length, links and colours are right. O(n).
    pub(super) fn is_sound<T: Ordered<O>>(&self, slots: &[Slot<T>]) -> bool {
        let mut seen = 0u32;
        let mut prev = NIL;
        let mut node = self.first();
        while let Some(object) = at(slots, node) {
            if seen > self.len() || Self::prev(slots, node) != prev {
                return false;
            }
            if at(slots, prev).is_some_and(|before| object.precedes(before)) {
                return false;
            }
            seen = seen.saturating_add(1);
            prev = node;
            node = Self::next(slots, node);
        }
        node == NIL
            && seen == self.len()
            && (self.first() == NIL) == self.is_empty()
            && self.is_balanced(slots)
    }

    /// Returns whether the colours keep the tree balanced, as the invariants say. O(n).
    fn is_balanced<T: Ordered<O>>(&self, slots: &[Slot<T>]) -> bool {
        let links = |node| at(slots, node).map_or(TreeLinks::NONE, |object| *object.tree_links());
        let blacks = |mut node: u32| {
            let mut count = 0u32;
            while node != NIL {
                count = count.saturating_add(u32::from(!links(node).red));
                node = links(node).parent;
            }
            count
        };
        let mut depth = None;
        let mut node = self.first();
        while node != NIL {
            let here = links(node);
            if here.red && (here.parent == NIL || links(here.parent).red) {
                return false;
            }
            // Paths that end here have passed as many black nodes as all others.
            if (here.left == NIL || here.right == NIL)
                && *depth.get_or_insert(blacks(node)) != blacks(node)
            {
                return false;
            }
            node = Self::next(slots, node);
        }
        true
    }
}
