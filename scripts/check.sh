#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Every check and test, or the named kinds, from nothing. The test kernel is
# built in the background, at low priority, while what does not need it runs.
# Ends with the totals over all kinds. usage: check.sh [KIND]...

set -euo pipefail
. "$(dirname "$0")/lib.sh"

kinds=("$@")
[ $# != 0 ] || kinds=(lint host-test cost kunit kselftest)
for kind in "${kinds[@]}"; do
	[[ $kind =~ ^(lint|host-test|cost|kunit|kselftest)$ ]] || die "check.sh: unknown kind '$kind'"
done

"$RCFQ_TOP/scripts/stock.sh"
rm -rf "$RCFQ_BUILD/check"
mkdir -p "$RCFQ_BUILD/check"

kernel=''
if [[ " ${kinds[*]} " =~ \ (kunit|kselftest)\  ]]; then
	nice -n 10 "$RCFQ_TOP/scripts/debug-kernel.sh" &
	kernel=$!
	trap '[ -z "$kernel" ] || kill "$kernel" 2>/dev/null || :' EXIT
fi

# Nothing that has no counts may look like a success.
for kind in "${kinds[@]}"; do
	case $kind in
	kunit | kselftest)
		if [ -n "$kernel" ]; then
			wait "$kernel" || say "without its test kernel '$kind' cannot pass"
			kernel=''
		fi ;;
	cost | lint) "$RCFQ_TOP/scripts/build.sh" stock >"$RCFQ_BUILD/log/build-stock.log" 2>&1 || tail -n 20 "$RCFQ_BUILD/log/build-stock.log" ;;
	esac
	say "--- $kind"
	"$RCFQ_TOP/scripts/$kind.sh" || :
	[ -s "$RCFQ_BUILD/check/$kind" ] || echo "0 1 0" >"$RCFQ_BUILD/check/$kind"
done

passed=0 failed=0 skipped=0
for kind in "${kinds[@]}"; do
	read -r p f s <"$RCFQ_BUILD/check/$kind"
	printf '%-12s %5d passed %5d failed %5d skipped\n' "$kind" "$p" "$f" "$s"
	passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
done
if [ "$skipped" = 0 ]; then
	echo "$passed passed, $failed failed"
else
	echo "$passed passed, $failed failed, $skipped skipped"
fi
[ "$failed" = 0 ] && [ "$passed" != 0 ]
