// SPDX-License-Identifier: GPL-2.0

//! Finding members of a tree by what they are compared with.
//!
//! Source: ours.

use super::id::NIL;
use super::slab::{
    at,
    Slot, //
};
use super::tree::{
    Ordered,
    Tree, //
};
use core::cmp::Ordering;

impl<O> Tree<O> {
    /// Finds a member for which `compare` (member against what is sought) says `Equal`.
    pub(super) fn find<T: Ordered<O>>(
        &self,
        slots: &[Slot<T>],
        compare: impl Fn(&T) -> Ordering,
    ) -> Option<u32> {
        let mut node = self.root;
        while let Some(object) = at(slots, node) {
            node = match compare(object) {
                Ordering::Equal => return Some(node),
                Ordering::Greater => object.tree_links().left,
                Ordering::Less => object.tree_links().right,
            };
        }
        None
    }

    /// Returns the last member before what is sought and the first that is not; [`NIL`] for none.
    pub(super) fn around<T: Ordered<O>>(
        &self,
        slots: &[Slot<T>],
        compare: impl Fn(&T) -> Ordering,
    ) -> (u32, u32) {
        let (mut below, mut above) = (NIL, NIL);
        let mut node = self.root;
        while let Some(object) = at(slots, node) {
            node = match compare(object) {
                Ordering::Less => {
                    below = node;
                    object.tree_links().right
                }
                Ordering::Equal | Ordering::Greater => {
                    above = node;
                    object.tree_links().left
                }
            };
        }
        (below, above)
    }
}
