// SPDX-License-Identifier: GPL-2.0

//! Random events, in any order that the block core may produce and some that it should not.
//!
//! What has to hold is checked by the [`World`] in which they happen.

use proptest::prelude::*;
use rcfq_model::op::{
    Op,
    Whose,
    TASKS, //
};
use rcfq_model::world::World;

fn op() -> impl Strategy<Value = Op> {
    let insert = (
        (0..TASKS, any::<bool>(), (0u8..3, 0u8..8), 0u64..64),
        (1u32..40, any::<bool>(), any::<bool>(), 0u8..8),
    )
        .prop_map(
            |((task, sync, ioprio, place), (sectors, write, prio, head))| Op::Insert {
                whose: Whose::Task(task),
                sync,
                ioprio,
                place: place * 8,
                sectors,
                write,
                prio,
                head: head == 0,
            },
        );
    let place = any::<u16>().prop_map(usize::from);
    prop_oneof![
        12 => insert,
        12 => (1u8..4).prop_map(Op::Dispatch),
        8 => place.clone().prop_map(Op::Complete),
        1 => place.clone().prop_map(Op::Requeue),
        1 => place.clone().prop_map(Op::Reinsert),
        1 => place.clone().prop_map(Op::Cancel),
        1 => (place.clone(), place.clone()).prop_map(|(a, b)| Op::Absorb(a, b)),
        1 => (place.clone(), 1u32..20).prop_map(|(a, by)| Op::Front(a, by)),
        1 => (place, 1u32..20).prop_map(|(a, by)| Op::Back(a, by)),
        1 => (0..TASKS).prop_map(Op::Exit),
        3 => Just(Op::Timer),
        4 => Just(Op::Pass),
        6 => (1u32..20_000).prop_map(Op::Advance),
        1 => (0u32..3_000_000).prop_map(Op::Advance),
        1 => (0u8..6).prop_map(Op::Tune),
        1 => Just(Op::Grow),
        1 => any::<u64>().prop_map(Op::Stale),
    ]
}

proptest! {
    #![proptest_config(rcfq_properties::cases(1500))]

    #[test]
    fn every_request_comes_out_exactly_once(
        rotational in any::<bool>(),
        depth in prop_oneof![Just(1u32), Just(4), Just(32)],
        ops in prop::collection::vec(op(), 1..160),
    ) {
        let mut world = World::new(rotational, depth);
        for op in &ops {
            world.apply(op);
        }
        world.drain();
    }

    #[test]
    fn same_input_same_output(
        rotational in any::<bool>(),
        ops in prop::collection::vec(op(), 1..120),
    ) {
        let run = || {
            let mut world = World::new(rotational, 32);
            for op in &ops {
                world.apply(op);
            }
            world.drain();
            (world.log().to_vec(), world.stats().clone())
        };
        prop_assert_eq!(run(), run());
    }
}
