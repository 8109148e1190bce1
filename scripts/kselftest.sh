#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The kernel selftests, in QEMU: everything on the test kernel with four
# processors and hardware queues, what depends on their number with one again,
# and what needs no test kernel on the unchanged stock one.
# usage: kselftest.sh [smp|up|stock]...

set -euo pipefail
. "$(dirname "$0")/lib.sh"

ksft=$(src_folder)/linux-source-$RCFQ_VERSION/tools/testing/selftests
passed=0 failed=0 skipped=0
wanted=" ${*:-smp up stock} "

count() {
	grep -cE "$1" "$log" || :
}

# run NAME KERNEL CPUS LIMIT [TEST|GROUP]...
run() {
	local name=$1 kernel=$2 cpus=$3 limit=$4 log=$RCFQ_BUILD/log/kselftest-$1.log status=0 plan skip
	shift 4
	[[ $wanted == *" $name "* ]] || return 0
	say "kernel selftests: $kernel kernel, $cpus processors: ${*:-all} (log: build/log/kselftest-$name.log)"
	"$RCFQ_TOP/scripts/vm.sh" --name "kselftest-$name" --kernel "$kernel" --cpus "$cpus" --memory 2G --timeout "$limit" \
		--disk sata-hdd --disk sata-ssd --disk nvme,queues="$cpus" -- \
		env KSFT="$ksft" tests/kselftest/run_tests.sh "$@" >"$log" 2>&1 || status=$?
	# One line at the left edge for each script, as the kernel's runner prints it.
	grep -E '^not ok' "$log" || :
	skip=$(count '^ok .*# SKIP')
	passed=$((passed + $(count '^ok ') - skip))
	skipped=$((skipped + skip))
	failed=$((failed + $(count '^not ok ')))
	plan=$(sed -n 's/^1\.\.\([0-9]*\)$/\1/p' "$log" | head -n1)
	if [ "$(count '^(not )?ok ')" != "${plan:-0}" ] || [ "${plan:-0}" = 0 ]; then
		say "not all of '$name' was run (status $status): see build/log/kselftest-$name.log and build/vm/kselftest-$name/console.log"
		failed=$((failed + 1))
	fi
}

for name in $wanted; do
	[[ $name =~ ^(smp|up|stock)$ ]] || die "kselftest.sh: no run '$name' (smp, up, stock)"
done
step "building the modules for the stock kernel" build-stock "$RCFQ_TOP/scripts/build.sh" stock
[[ $wanted == " stock " ]] ||
	step "building the modules for the test kernel" build-debug "$RCFQ_TOP/scripts/build.sh" debug
run smp debug 4 3600
run up debug 1 1200 load switch kick depth
run stock stock 2 1200 load switch tunables verify
tally kselftest "$passed" "$failed" "$skipped" ||
	die "kernel selftests failed; Documentation/testing.rst tells how to run a single one again"
