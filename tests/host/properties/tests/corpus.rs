// SPDX-License-Identifier: GPL-2.0

//! The fuzzer's seeds, played once more: among them what once was a finding.

use rcfq_model::bytes::play;
use std::fs;

#[test]
fn seeds_of_the_fuzzer() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../fuzz/corpus");
    let mut seeds = 0;
    for entry in fs::read_dir(folder).expect("the corpus is part of the repository") {
        let path = entry.expect("the folder can be read").path();
        println!("{}", path.display());
        play(&fs::read(&path).expect("a seed can be read"));
        seeds += 1;
    }
    assert!(seeds > 0);
}
