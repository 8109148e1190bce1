// SPDX-License-Identifier: GPL-2.0

//! Events of the policy, chosen by libFuzzer; see `scripts/fuzz.sh`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| rcfq_model::bytes::play(bytes));
