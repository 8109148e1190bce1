#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Every check and test, or the named kinds, from nothing. The test kernel is
# built in the background, at low priority, while what does not need it runs.
# Ends with the totals over all kinds. usage: check.sh [KIND]...

set -euo pipefail
. "$(dirname "$0")/lib.sh"

kinds=("$@")
[ $# != 0 ] || kinds=(lint host-test coverage mutants fuzz cost disks smoke kunit kselftest)
for kind in "${kinds[@]}"; do
	[[ $kind =~ ^(lint|host-test|coverage|mutants|fuzz|cost|disks|smoke|kunit|kselftest)$ ]] || die "check.sh: unknown kind '$kind'"
done

"$RCFQ_TOP/scripts/stock.sh"
# Another run in the same checkout has counts of its own.
mkdir -p "$RCFQ_BUILD"
RCFQ_COUNTS=$(mktemp -d "$RCFQ_BUILD/check.XXXXXX")
export RCFQ_COUNTS
trap 'end_background; rm -rf "$RCFQ_COUNTS"' EXIT

kernel='' counting=''
if [[ " ${kinds[*]} " =~ \ (kunit|kselftest)\  ]]; then
	beside nice -n 10 "$RCFQ_TOP/scripts/debug-kernel.sh"
	kernel=$beside
fi
if [[ " ${kinds[*]} " =~ \ (lint|cost|smoke)\  ]]; then
	(step "building the module" build-stock "$RCFQ_TOP/scripts/build.sh" stock) || say "without it some of the checks cannot pass"
fi
# Counting instructions takes one processor and does not mind the others.
count() {
	local kind
	for kind in cost disks; do
		[[ " ${kinds[*]} " != *" $kind "* ]] || "$RCFQ_TOP/scripts/$kind.sh" >"$RCFQ_COUNTS/$kind.log" 2>&1 || :
	done
}
if [[ " ${kinds[*]} " =~ \ (cost|disks)\  && ${#kinds[@]} -gt 1 ]]; then
	beside count
	counting=$beside
fi

for kind in "${kinds[@]}"; do
	say "--- $kind"
	if [[ $kind =~ ^(cost|disks)$ && -n $counting ]]; then
		wait "$counting" || :
		cat "$RCFQ_COUNTS/$kind.log"
	else
		case $kind in
		kunit | kselftest)
			[ -z "$kernel" ] || wait "$kernel" || say "without its test kernel '$kind' cannot pass"
			kernel='' ;;
		esac
		"$RCFQ_TOP/scripts/$kind.sh" || :
	fi
	# What has no counts may not look like a success.
	[ -s "$RCFQ_COUNTS/$kind" ] || echo "0 1 0" >"$RCFQ_COUNTS/$kind"
done

passed=0 failed=0 skipped=0
for kind in "${kinds[@]}"; do
	read -r p f s <"$RCFQ_COUNTS/$kind"
	printf '%-12s %5d passed %5d failed %5d skipped\n' "$kind" "$p" "$f" "$s"
	passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
done
if [ "$skipped" = 0 ]; then
	echo "$passed passed, $failed failed"
else
	echo "$passed passed, $failed failed, $skipped skipped"
fi
[ "$failed" = 0 ] && [ "$passed" != 0 ]
