#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The policy's unit tests as KUnit in the test kernel: they run when the module
# is loaded, and the kernel's own kunit.py reads what they print.

set -euo pipefail
. "$(dirname "$0")/lib.sh"

log=$RCFQ_BUILD/vm/kunit/out/dmesg.txt
step "building the module with its KUnit tests" build-kunit "$RCFQ_TOP/scripts/build.sh" kunit
rm -f "$log"
status=0
"$RCFQ_TOP/scripts/vm.sh" --kernel debug --name kunit --timeout 600 --module "$RCFQ_BUILD/kunit/rust/rcfq-iosched.ko" -- \
	bash -c "dmesg -C; modprobe rcfq-iosched; rc=\$?; dmesg >\$RCFQ_OUT/dmesg.txt; exit \$rc" || status=$?

"$RCFQ_TOP/scripts/in-root.sh" "$(src_folder)/linux-source-$RCFQ_VERSION/tools/testing/kunit/kunit.py" parse "$log" \
	>"$RCFQ_BUILD/log/kunit.log" 2>&1 || status=1
grep -E 'FAILED|ERROR' "$RCFQ_BUILD/log/kunit.log" || :
count() {
	grep 'Testing complete' "$RCFQ_BUILD/log/kunit.log" | grep -oE "$1: [0-9]+" | grep -oE '[0-9]+' || echo 0
}
passed=$(count passed) failed=$(($(count failed) + $(count crashed) + $(count errors))) skipped=$(count skipped)
if grep -E 'WARNING:|BUG:|Oops|Call Trace|panicked' "$log"; then
	status=1
fi
if [ "$status" != 0 ]; then
	[ "$failed" != 0 ] || failed=1
	say "KUnit failed: see build/log/kunit.log and build/vm/kunit/console.log; run it again with 'make kunit'"
fi
tally kunit "$passed" "$failed" "$skipped"
