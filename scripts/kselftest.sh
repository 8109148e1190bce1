#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The kernel selftests, in QEMU: everything on the test kernel, one half with
# four processors and hardware queues and one with two; what depends on their
# number with one again; and what needs no test kernel on the stock one.
# usage: kselftest.sh [smp4|smp2|up|stock]...

set -euo pipefail
. "$(dirname "$0")/lib.sh"

ksft=$(src_folder)/linux-source-$RCFQ_VERSION/tools/testing/selftests
passed=0 failed=0 skipped=0
wanted=" ${*:-smp4 smp2 up stock} "

# The two halves take about the same time. Whatever is not named is in the other.
half4=(async coop depth hotplug idle kick load merge seekless starve switch tunables verify)
half2=()
for file in "$RCFQ_TOP"/tests/kselftest/test_*_[0-9]*.sh; do
	group=${file##*/test_}
	group=${group%_*}
	[[ " ${half4[*]} ${half2[*]-} " == *" $group "* ]] || half2+=("$group")
done

count() {
	grep -cE "$1" "$log" || :
}

# run NAME KERNEL CPUS LIMIT [TEST|GROUP]...: all output into the log.
run() {
	local name=$1 kernel=$2 cpus=$3 limit=$4
	shift 4
	[[ $wanted == *" $name "* ]] || return 0
	say "kernel selftests: $kernel kernel, $cpus processors: ${*:-all} (log: build/log/kselftest-$name.log)"
	"$RCFQ_TOP/scripts/vm.sh" --name "kselftest-$name" --kernel "$kernel" --cpus "$cpus" --memory 2G --timeout "$limit" \
		--disk sata-hdd --disk sata-ssd --disk nvme,queues="$cpus" -- \
		env KSFT="$ksft" tests/kselftest/run_tests.sh "$@" >"$RCFQ_BUILD/log/kselftest-$name.log" 2>&1 ||
		say "the guest of '$name' ended with status $?"
}

# reasons LOG: what the scripts that failed said, but for the checks that passed.
reasons() {
	awk '/^# selftests: / { said = "" }
		!/^(# ok|ok|not ok) / { said = said $0 "\n" }
		/^not ok / { printf "%s", said }' "$1" | tail -n 80
}

# judge NAME: one line at the left edge for each script, as the kernel's runner
# prints it, and as many as were planned.
judge() {
	local log=$RCFQ_BUILD/log/kselftest-$1.log plan skip
	grep -E '^not ok|^ok .*# SKIP' "$log" || :
	reasons "$log"
	skip=$(count '^ok .*# SKIP')
	passed=$((passed + $(count '^ok ') - skip))
	skipped=$((skipped + skip))
	failed=$((failed + $(count '^not ok ')))
	plan=$(sed -n 's/^1\.\.\([0-9]*\)$/\1/p' "$log" | head -n1)
	if [ "$(count '^(not )?ok ')" != "${plan:-0}" ] || [ "${plan:-0}" = 0 ]; then
		say "not all of '$1' was run: see build/log/kselftest-$1.log and build/vm/kselftest-$1/console.log"
		failed=$((failed + 1))
	fi
}

for name in $wanted; do
	[[ $name =~ ^(smp4|smp2|up|stock)$ ]] || die "kselftest.sh: no run '$name' (smp4, smp2, up, stock)"
done
step "building the modules for the stock kernel" build-stock "$RCFQ_TOP/scripts/build.sh" stock
[[ $wanted == " stock " ]] ||
	step "building the modules for the test kernel" build-debug "$RCFQ_TOP/scripts/build.sh" debug
# A guest keeps little more than one processor busy, so there are two at a time.
{
	run smp4 debug 4 3000 "${half4[@]}"
	run up debug 1 2400 load_01 switch_01 kick depth_01
} &
run smp2 debug 2 3000 "${half2[@]}"
run stock stock 2 2400 load_01 load_02 tunables verify_01 hwtag
wait
for name in $wanted; do
	judge "$name"
done
tally kselftest "$passed" "$failed" "$skipped" ||
	die "kernel selftests failed; Documentation/testing.rst tells how to run a single one again"
