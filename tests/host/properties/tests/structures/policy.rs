// SPDX-License-Identifier: GPL-2.0

//! Stands in for the policy's root.

#[path = "../../../../../rust/policy/id.rs"]
pub mod id;
#[path = "../../../../../rust/policy/list.rs"]
pub mod list;
#[path = "../../../../../rust/policy/slab.rs"]
pub mod slab;
#[path = "../../../../../rust/policy/tree.rs"]
pub mod tree;
#[path = "../../../../../rust/policy/tree_check.rs"]
pub mod tree_check;
#[path = "../../../../../rust/policy/tree_search.rs"]
pub mod tree_search;

mod against_std {
    use super::list::*;
    use super::slab::*;
    use super::tree::*;
    use proptest::prelude::*;
    use std::collections::{
        BTreeMap,
        VecDeque, //
    };

    #[derive(Debug)]
    struct Item {
        key: u8,
        tree: TreeLinks,
        list: ListLinks,
    }

    #[derive(Debug)]
    struct Order;

    impl Ordered<Order> for Item {
        fn tree_links(&self) -> &TreeLinks {
            &self.tree
        }
        fn tree_links_mut(&mut self) -> &mut TreeLinks {
            &mut self.tree
        }
        fn precedes(&self, other: &Self) -> bool {
            self.key < other.key
        }
    }

    impl Listed<Order> for Item {
        fn list_links(&self) -> &ListLinks {
            &self.list
        }
        fn list_links_mut(&mut self) -> &mut ListLinks {
            &mut self.list
        }
    }

    const ROOM: u32 = 48;

    fn slab(keys: &[u8]) -> Slab<Vec<Slot<Item>>> {
        let mut slab = Slab::new((0..ROOM).map(|_| Slot::new()).collect::<Vec<_>>());
        for key in keys {
            let item = Item {
                key: *key,
                tree: TreeLinks::NONE,
                list: ListLinks::NONE,
            };
            slab.alloc(item).expect("there is room");
        }
        slab
    }

    proptest! {
        #![proptest_config(rcfq_properties::cases(400))]

        #[test]
        fn tree_is_a_stable_ordered_map(
            keys in prop::collection::vec(0u8..24, ROOM as usize),
            steps in prop::collection::vec((0..ROOM, any::<bool>()), 1..300),
        ) {
            let mut slab = slab(&keys);
            let mut tree = Tree::<Order>::new();
            // Key, then order of arrival: equal keys are first come, first served.
            let mut model = BTreeMap::new();
            let mut places = BTreeMap::new();
            for (time, (node, prefer_insert)) in steps.into_iter().enumerate() {
                match places.remove(&node) {
                    None => {
                        tree.insert(slab.slots_mut(), node);
                        let place = (keys[node as usize], time);
                        places.insert(node, place);
                        model.insert(place, node);
                    }
                    Some(place) if prefer_insert => {
                        places.insert(node, place);
                    }
                    Some(place) => {
                        tree.remove(slab.slots_mut(), node);
                        model.remove(&place);
                    }
                }
                let expected: Vec<u32> = model.values().copied().collect();
                let mut forward = Vec::new();
                let mut node = tree.first();
                while node != u32::MAX {
                    forward.push(node);
                    node = Tree::<Order>::next(slab.slots(), node);
                }
                prop_assert_eq!(&forward, &expected);
                let mut backward: Vec<u32> = Vec::new();
                let mut node = forward.last().copied().unwrap_or(u32::MAX);
                while node != u32::MAX {
                    backward.insert(0, node);
                    node = Tree::<Order>::prev(slab.slots(), node);
                }
                prop_assert_eq!(&backward, &expected);
                prop_assert!(tree.is_sound(slab.slots()));
                prop_assert_eq!(tree.len() as usize, expected.len());
                for key in 0u8..24 {
                    let keys = |node| slab.at(node).map(|item| item.key);
                    let (below, above) =
                        tree.around(slab.slots(), |item: &Item| item.key.cmp(&key));
                    let before = model.range(..(key, 0)).next_back().map(|item| item.0 .0);
                    let after = model.range((key, 0)..).next().map(|item| item.0 .0);
                    prop_assert_eq!((keys(below), keys(above)), (before, after));
                    let found = tree.find(slab.slots(), |item: &Item| item.key.cmp(&key));
                    let range = (key, 0)..(key + 1, 0);
                    prop_assert_eq!(found.is_some(), model.range(range).next().is_some());
                    if let Some(found) = found {
                        prop_assert_eq!(slab.at(found).map(|item| item.key), Some(key));
                    }
                }
            }
        }

        #[test]
        fn list_is_a_deque(steps in prop::collection::vec((0..ROOM, 0..ROOM), 1..300)) {
            let mut slab = slab(&[0; ROOM as usize]);
            let mut list = List::<Order>::new();
            let mut model: VecDeque<u32> = VecDeque::new();
            for (node, before) in steps {
                match model.iter().position(|member| *member == node) {
                    Some(place) => {
                        list.remove(slab.slots_mut(), node);
                        model.remove(place);
                    }
                    None => match model.iter().position(|member| *member == before) {
                        Some(place) => {
                            list.insert_before(slab.slots_mut(), node, before);
                            model.insert(place, node);
                        }
                        None => {
                            list.push_back(slab.slots_mut(), node);
                            model.push_back(node);
                        }
                    },
                }
                prop_assert_eq!(list.first(), model.front().copied().unwrap_or(u32::MAX));
                prop_assert!(list.is_sound(slab.slots(), model.len() as u32));
                // Drain a copy of the order by taking the first again and again.
                let mut order = Vec::new();
                while list.first() != u32::MAX {
                    order.push(list.first());
                    list.remove(slab.slots_mut(), list.first());
                }
                prop_assert_eq!(&order, &model.iter().copied().collect::<Vec<_>>());
                for node in order {
                    list.push_back(slab.slots_mut(), node);
                }
            }
        }
    }
}
