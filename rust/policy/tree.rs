// SPDX-License-Identifier: GPL-2.0

//! An ordered tree, linked by slot number through lent slots; red-black, so O(log n) at worst.
//!
//! One code serves both orders of the scheduler: requests by position, queues by service key.
//! Equal keys keep the order of arrival (CFQ section 0). The type parameter `O` names the order
//! and with it the links and the comparison. The first member is cached. Both sides of each
//! rebalancing step are one code, with [`Side`] turned round. Source: the textbook algorithm.

use super::id::NIL;
use super::slab::{
    at,
    at_mut,
    Slot, //
};
use core::marker::PhantomData;

/// An object's place in a tree.
#[derive(Clone, Copy, Debug)]
pub(super) struct TreeLinks {
    pub(super) parent: u32,
    pub(super) left: u32,
    pub(super) right: u32,
    pub(super) red: bool,
}

impl TreeLinks {
    /// In no tree.
    pub(super) const NONE: TreeLinks = TreeLinks {
        parent: NIL,
        left: NIL,
        right: NIL,
        red: false,
    };
}

/// An object that can stand in the order `O`.
pub(super) trait Ordered<O> {
    /// Returns the links.
    fn tree_links(&self) -> &TreeLinks;
    /// Returns the links for change.
    fn tree_links_mut(&mut self) -> &mut TreeLinks;
    /// Returns whether this object stands strictly before `other`.
    fn precedes(&self, other: &Self) -> bool;
}

/// A side of a node.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Left,
    Right,
}

impl Side {
    fn other(self) -> Side {
        match self {
            Side::Left => Side::Right,
            Side::Right => Side::Left,
        }
    }
}

/// The slots, seen as nodes: reading past the edge yields "none, black", writing is ignored.
struct Nodes<'a, T, O> {
    slots: &'a mut [Slot<T>],
    order: PhantomData<O>,
}

impl<T: Ordered<O>, O> Nodes<'_, T, O> {
    #[inline(always)]
    fn links(&self, node: u32) -> TreeLinks {
        at(self.slots, node).map_or(TreeLinks::NONE, |object| *object.tree_links())
    }

    #[inline(always)]
    fn edit(&mut self, node: u32, change: impl FnOnce(&mut TreeLinks)) {
        if let Some(object) = at_mut(self.slots, node) {
            change(object.tree_links_mut());
        }
    }

    fn parent(&self, node: u32) -> u32 {
        self.links(node).parent
    }

    fn is_red(&self, node: u32) -> bool {
        self.links(node).red
    }

    fn child(&self, node: u32, side: Side) -> u32 {
        match side {
            Side::Left => self.links(node).left,
            Side::Right => self.links(node).right,
        }
    }

    /// Returns on which side of `parent` the child `node` hangs.
    fn side(&self, parent: u32, node: u32) -> Side {
        if self.links(parent).left == node {
            Side::Left
        } else {
            Side::Right
        }
    }

    fn set_red(&mut self, node: u32, red: bool) {
        self.edit(node, |links| links.red = red);
    }

    /// Hangs `child` (may be [`NIL`]) below `node`.
    fn hang(&mut self, node: u32, side: Side, child: u32) {
        self.edit(node, |links| match side {
            Side::Left => links.left = child,
            Side::Right => links.right = child,
        });
        self.edit(child, |links| links.parent = node);
    }
}

/// A tree of slots in the order `O`.
///
/// # Invariants
///
/// In-order traversal never finds a member that precedes the one before it. The root is black, a
/// red node has black children, and all paths from a node to the leaves hold equally many black
/// nodes. `first` is the leftmost member and `len` the number of members.
#[derive(Debug)]
pub(super) struct Tree<O> {
    pub(super) root: u32,
    first: u32,
    len: u32,
    order: PhantomData<O>,
}

impl<O> Tree<O> {
    /// Makes an empty tree.
    pub(super) const fn new() -> Self {
        Tree {
            root: NIL,
            first: NIL,
            len: 0,
            order: PhantomData,
        }
    }

    /// Returns the first member, or [`NIL`].
    #[inline(always)]
    pub(super) fn first(&self) -> u32 {
        self.first
    }

    /// Returns the number of members.
    #[inline(always)]
    pub(super) fn len(&self) -> u32 {
        self.len
    }

    /// Returns whether there are no members.
    #[inline(always)]
    pub(super) fn is_empty(&self) -> bool {
        self.root == NIL
    }

    /// Returns the member after `node`, or [`NIL`].
    #[inline]
    pub(super) fn next<T: Ordered<O>>(slots: &[Slot<T>], node: u32) -> u32 {
        Self::step(slots, node, Side::Right)
    }

    /// Returns the member before `node`, or [`NIL`].
    #[inline]
    pub(super) fn prev<T: Ordered<O>>(slots: &[Slot<T>], node: u32) -> u32 {
        Self::step(slots, node, Side::Left)
    }

    /// Returns the neighbour of `node` on one side.
    fn step<T: Ordered<O>>(slots: &[Slot<T>], node: u32, side: Side) -> u32 {
        let links = |node| at(slots, node).map_or(TreeLinks::NONE, |object| *object.tree_links());
        let child = |node, side| match side {
            Side::Left => links(node).left,
            Side::Right => links(node).right,
        };
        let mut near = child(node, side);
        if near != NIL {
            loop {
                let inner = child(near, side.other());
                if inner == NIL {
                    return near;
                }
                near = inner;
            }
        }
        let mut node = node;
        loop {
            let parent = links(node).parent;
            if parent == NIL || child(parent, side) != node {
                return parent;
            }
            node = parent;
        }
    }

    /// Adds `node`, which is in no tree of this order; behind its equals.
    pub(super) fn insert<T: Ordered<O>>(&mut self, slots: &mut [Slot<T>], node: u32) {
        let mut parent = NIL;
        let mut side = Side::Left;
        let mut leftmost = true;
        {
            let Some(object) = at(slots, node) else {
                return;
            };
            let mut below = self.root;
            while let Some(member) = at(slots, below) {
                parent = below;
                if object.precedes(member) {
                    side = Side::Left;
                    below = member.tree_links().left;
                } else {
                    side = Side::Right;
                    leftmost = false;
                    below = member.tree_links().right;
                }
            }
        }
        self.len = self.len.saturating_add(1);
        if leftmost {
            self.first = node;
        }
        let mut nodes = Nodes {
            slots,
            order: PhantomData,
        };
        // INVARIANT: A new leaf is red (unless the root), so black counts stay; two reds in a row
        // are repaired below.
        nodes.edit(node, |links| {
            *links = TreeLinks {
                red: parent != NIL,
                ..TreeLinks::NONE
            }
        });
        if parent == NIL {
            self.root = node;
        } else {
            nodes.hang(parent, side, node);
            self.repair_red(&mut nodes, node);
        }
    }

    /// Takes the member `node` out.
    pub(super) fn remove<T: Ordered<O>>(&mut self, slots: &mut [Slot<T>], node: u32) {
        let mut nodes = Nodes {
            slots,
            order: PhantomData,
        };
        self.len = self.len.saturating_sub(1);
        if self.len == 0 {
            // The common case on an unloaded disk: nothing to keep in order.
            self.root = NIL;
            self.first = NIL;
            nodes.edit(node, |links| *links = TreeLinks::NONE);
            return;
        }
        if self.first == node {
            self.first = Self::next(nodes.slots, node);
        }
        let old = nodes.links(node);
        // `gap` (may be NIL) moves up to where a node is missing, below `parent`.
        let (gap, parent, lost_red);
        if old.left == NIL || old.right == NIL {
            gap = if old.left == NIL { old.right } else { old.left };
            parent = old.parent;
            lost_red = old.red;
            self.replace(&mut nodes, old.parent, node, gap);
        } else {
            let mut heir = old.right;
            loop {
                let left = nodes.child(heir, Side::Left);
                if left == NIL {
                    break;
                }
                heir = left;
            }
            lost_red = nodes.is_red(heir);
            gap = nodes.child(heir, Side::Right);
            if heir == old.right {
                parent = heir;
            } else {
                parent = nodes.parent(heir);
                nodes.hang(parent, Side::Left, gap);
                nodes.hang(heir, Side::Right, old.right);
            }
            self.replace(&mut nodes, old.parent, node, heir);
            nodes.hang(heir, Side::Left, old.left);
            nodes.set_red(heir, old.red);
        }
        nodes.edit(node, |links| *links = TreeLinks::NONE);
        if !lost_red {
            self.repair_black(&mut nodes, gap, parent);
        }
    }

    /// Makes `new` (may be [`NIL`]) the child of `parent` ([`NIL`]: the root) in place of `old`.
    fn replace<T: Ordered<O>>(
        &mut self,
        nodes: &mut Nodes<'_, T, O>,
        parent: u32,
        old: u32,
        new: u32,
    ) {
        if parent == NIL {
            self.root = new;
            nodes.edit(new, |links| links.parent = NIL);
        } else {
            let side = nodes.side(parent, old);
            nodes.hang(parent, side, new);
        }
    }

    /// Turns `top` down to `side`; its child on the other side takes its place.
    fn rotate<T: Ordered<O>>(&mut self, nodes: &mut Nodes<'_, T, O>, top: u32, side: Side) {
        let up = nodes.child(top, side.other());
        let moved = nodes.child(up, side);
        let parent = nodes.parent(top);
        nodes.hang(top, side.other(), moved);
        self.replace(nodes, parent, top, up);
        nodes.hang(up, side, top);
    }

    /// Repairs a red `node` whose parent may be red too.
    fn repair_red<T: Ordered<O>>(&mut self, nodes: &mut Nodes<'_, T, O>, mut node: u32) {
        loop {
            let mut parent = nodes.parent(node);
            if parent == NIL {
                nodes.set_red(node, false);
                return;
            }
            let top = nodes.parent(parent);
            if !nodes.is_red(parent) || top == NIL {
                return;
            }
            let side = nodes.side(top, parent);
            let uncle = nodes.child(top, side.other());
            if nodes.is_red(uncle) {
                nodes.set_red(parent, false);
                nodes.set_red(uncle, false);
                nodes.set_red(top, true);
                node = top;
                continue;
            }
            if nodes.side(parent, node) != side {
                self.rotate(nodes, parent, side);
                parent = node;
            }
            nodes.set_red(parent, false);
            nodes.set_red(top, true);
            self.rotate(nodes, top, side.other());
            return;
        }
    }

    /// Repairs a subtree `gap` below `parent` whose paths lack one black node.
    fn repair_black<T: Ordered<O>>(
        &mut self,
        nodes: &mut Nodes<'_, T, O>,
        mut gap: u32,
        mut parent: u32,
    ) {
        while parent != NIL && !nodes.is_red(gap) {
            let side = nodes.side(parent, gap);
            let mut sibling = nodes.child(parent, side.other());
            if nodes.is_red(sibling) {
                nodes.set_red(sibling, false);
                nodes.set_red(parent, true);
                self.rotate(nodes, parent, side);
                sibling = nodes.child(parent, side.other());
            }
            let near = nodes.child(sibling, side);
            let mut far = nodes.child(sibling, side.other());
            if !nodes.is_red(near) && !nodes.is_red(far) {
                nodes.set_red(sibling, true);
                gap = parent;
                parent = nodes.parent(gap);
                continue;
            }
            if !nodes.is_red(far) {
                nodes.set_red(near, false);
                nodes.set_red(sibling, true);
                self.rotate(nodes, sibling, side.other());
                far = sibling;
                sibling = near;
            }
            nodes.set_red(sibling, nodes.is_red(parent));
            nodes.set_red(parent, false);
            nodes.set_red(far, false);
            self.rotate(nodes, parent, side);
            return;
        }
        nodes.set_red(gap, false);
    }
}

#[cfg_attr(CONFIG_RCFQ_KUNIT_TEST, kernel::macros::kunit_tests(rcfq_policy_tree))]
#[cfg(any(test, CONFIG_RCFQ_KUNIT_TEST))]
mod tests {
    use super::*;
    use crate::policy::slab::Slab;

    struct Order;

    struct Item {
        key: u32,
        links: TreeLinks,
    }

    impl Ordered<Order> for Item {
        fn tree_links(&self) -> &TreeLinks {
            &self.links
        }
        fn tree_links_mut(&mut self) -> &mut TreeLinks {
            &mut self.links
        }
        fn precedes(&self, other: &Self) -> bool {
            self.key < other.key
        }
    }

    /// A step that visits all of 32 slots, in no obvious order.
    const STRIDE: u32 = 11;

    #[test]
    fn members_come_in_order_and_the_tree_stays_balanced() {
        let mut room = [const { Slot::new() }; 32];
        let mut slab = Slab::new(&mut room[..]);
        for key in 0..32u32 {
            let links = TreeLinks::NONE;
            assert!(slab
                .alloc(Item {
                    key: key / 2,
                    links
                })
                .is_ok());
        }
        let slots = slab.slots_mut();
        let mut tree = Tree::<Order>::new();
        for step in 0..32u32 {
            tree.insert(slots, step * STRIDE % 32);
            assert!(tree.is_sound(slots));
        }
        assert_eq!(tree.len(), 32);
        assert_eq!(tree.find(slots, |item: &Item| item.key.cmp(&99)), None);
        let found = tree.find(slots, |item: &Item| item.key.cmp(&7));
        assert!(found == Some(14) || found == Some(15));
        for step in 0..32u32 {
            tree.remove(slots, step * STRIDE % 32);
            assert!(tree.is_sound(slots));
        }
        assert!(tree.is_empty());
        assert_eq!(tree.first(), NIL);
    }

    #[test]
    fn equals_keep_the_order_of_arrival() {
        let mut room = [const { Slot::new() }; 8];
        let mut slab = Slab::new(&mut room[..]);
        for _ in 0..8u32 {
            let links = TreeLinks::NONE;
            assert!(slab.alloc(Item { key: 1, links }).is_ok());
        }
        let slots = slab.slots_mut();
        let mut tree = Tree::<Order>::new();
        for node in [3, 1, 7, 0] {
            tree.insert(slots, node);
        }
        assert_eq!(tree.first(), 3);
        assert_eq!(Tree::<Order>::next(slots, 3), 1);
        assert_eq!(Tree::<Order>::next(slots, 7), 0);
        assert_eq!(Tree::<Order>::next(slots, 0), NIL);
        assert_eq!(Tree::<Order>::prev(slots, 7), 1);
    }
}
