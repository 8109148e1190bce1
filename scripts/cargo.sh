#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Run the Debian root's cargo on the host crates. What it downloads is kept in
# the cache, what it builds goes to build/host. usage: cargo.sh ARGUMENT...

set -euo pipefail
. "$(dirname "$0")/lib.sh"

cd "$RCFQ_TOP/tests/host"
mkdir -p "$RCFQ_CACHE/cargo"
# shellcheck disable=SC2016 # expanded by the inner shell
exec "$RCFQ_TOP/scripts/in-root.sh" env CARGO_HOME="$RCFQ_CACHE/cargo" CARGO_TARGET_DIR="$RCFQ_BUILD/host" \
	CARGO_TERM_COLOR=never RUSTDOCFLAGS="${RUSTDOCFLAGS-}" RCFQ_SEED="${RCFQ_SEED-}" \
	PROPTEST_CASES="${PROPTEST_CASES-}" sh -c '
	[ -n "$PROPTEST_CASES" ] || unset PROPTEST_CASES
	[ -n "$RCFQ_SEED" ] || unset RCFQ_SEED
	exec cargo "$@"' cargo "$@"
