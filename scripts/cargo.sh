#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Run the Debian root's cargo on the host crates. What it downloads is kept in
# the cache, what it builds goes to build/host or to RCFQ_TARGET, and the
# variables below are handed on. usage: cargo.sh ARGUMENT...

set -euo pipefail
. "$(dirname "$0")/lib.sh"

use_cache
mkdir -p "$RCFQ_CACHE/cargo"
cd "$RCFQ_TOP/tests/host"
pass=()
for name in RUSTFLAGS RUSTDOCFLAGS RCFQ_SEED PROPTEST_CASES LLVM_PROFILE_FILE; do
	[ -z "${!name-}" ] || pass+=("$name=${!name}")
done
exec "$RCFQ_TOP/scripts/in-root.sh" env CARGO_HOME="$RCFQ_CACHE/cargo" \
	CARGO_TARGET_DIR="${RCFQ_TARGET:-$RCFQ_BUILD/host}" CARGO_TERM_COLOR=never "${pass[@]}" cargo "$@"
