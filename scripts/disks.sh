#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The modelled disks as block devices of a guest: whether their figures are
# right, and whether they begin and end well.

set -euo pipefail
. "$(dirname "$0")/lib.sh"

log=$RCFQ_BUILD/log/disks.log
status=0
"$RCFQ_TOP/scripts/bench-disk.sh" >/dev/null
say "checking the modelled disks, about two minutes of one processor (log: build/log/disks.log)"
for script in calibration lifecycle; do
	"$RCFQ_TOP/scripts/vm.sh" --name "disks-$script" --icount --memory 2G --timeout 1200 --append clearcpuid=fsrm,erms -- \
		"tests/bench/$script.sh" || status=1
done >"$log" 2>&1
grep '^FAIL' "$log" || :
passed=$(grep -c '^PASS' "$log") failed=$(grep -c '^FAIL' "$log") || :
# A guest that did not come to its end has failed, whatever it found before.
[ "$status" = 0 ] || [ "$failed" != 0 ] || failed=1
[ "$failed" = 0 ] || say "the modelled disks are not as they should be: see build/log/disks.log; run it again with 'make disks'"
tally disks "$passed" "$failed"
