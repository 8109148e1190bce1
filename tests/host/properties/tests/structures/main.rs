// SPDX-License-Identifier: GPL-2.0

//! Tree and list against the standard library's, over random operations.
//!
//! Both are private to the policy, so their source is mounted here once more, under the same name.

#![allow(dead_code, missing_docs, unreachable_pub)]

mod policy;
