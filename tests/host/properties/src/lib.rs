// SPDX-License-Identifier: GPL-2.0

//! How the random tests are run; the tests themselves are in the folder `tests`.
//!
//! Runs are repeatable: the seed is fixed unless `RCFQ_SEED` names another one, and a failing test
//! prints the one that was used. `PROPTEST_CASES` changes the number of cases.

use proptest::test_runner::{
    Config,
    RngSeed, //
};
use std::env::var;

/// The seed of the runs that everybody makes.
const SEED: u64 = 0x7263_6671;

/// Returns the configuration for a test of so many cases.
pub fn cases(cases: u32) -> Config {
    let number = |name| var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let seed = number("RCFQ_SEED").unwrap_or(SEED);
    // Shown only if the test fails.
    println!("to repeat this: RCFQ_SEED={seed} cargo test");
    Config {
        cases: number("PROPTEST_CASES").map_or(cases, |cases| cases as u32),
        rng_seed: RngSeed::Fixed(seed),
        failure_persistence: None,
        ..Config::default()
    }
}
