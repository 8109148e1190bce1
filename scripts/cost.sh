#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Count what an I/O costs in guest instructions under each scheduler of the
# stock kernel, all in one boot; rcfq may not cost more than bfq. Counting makes
# the result the same on a busy and on an idle machine. The module must be built.

set -euo pipefail
. "$(dirname "$0")/lib.sh"

scheds=(none mq-deadline kyber bfq rcfq)
out=$RCFQ_BUILD/vm/cost/out
status=0
say "counting instructions, about two minutes of one processor"
{
	"$RCFQ_TOP/scripts/vm.sh" --name cost --icount --timeout 1200 -- scripts/guest/cost "${scheds[@]}" >&2 &&
		"$RCFQ_TOP/scripts/in-root.sh" python3 "$RCFQ_TOP/scripts/cost-table.py" "$out" rcfq bfq "${scheds[@]}"
} || status=$?
[ "$status" = 0 ] || say "the cost measurement failed: see above and build/vm/cost/console.log; run it again with 'make cost'"
tally cost $((status == 0)) $((status != 0))
