#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The policy's unit and property tests in user space.

set -euo pipefail
. "$(dirname "$0")/lib.sh"

log=$RCFQ_BUILD/log/host-test.log
step "fetching the crates that the host tests use" cargo-fetch "$RCFQ_TOP/scripts/cargo.sh" fetch --locked
say "running the host tests (log: build/log/host-test.log)"
status=0
"$RCFQ_TOP/scripts/cargo.sh" test --workspace --locked --offline --no-fail-fast >"$log" 2>&1 || status=$?

# Cargo's own totals, a line for each test program.
sum() {
	sed -n "s/^test result: .* \\([0-9]*\\) $1;.*/\\1/p" "$log" | paste -sd+ | sed 's/^$/0/' | { read -r sum; echo $((sum)); }
}
passed=$(sum passed) failed=$(sum failed) ignored=$(sum ignored)
if [ "$status" != 0 ]; then
	grep -E -A8 '^(error|failures:|---- )' "$log" | head -n 60 || tail -n 30 "$log"
	[ "$failed" != 0 ] || failed=1
	say "host tests failed; the whole output is in build/log/host-test.log; run them again with 'make host-test'"
fi
tally host-test "$passed" "$failed" "$ignored"
