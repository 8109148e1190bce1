#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A null_blk disk is switched off under load and on again, one and four
# hardware queues.

. ./test_common.sh

_off_and_on() {
	echo 0 >"/sys/kernel/config/nullb/$1/power" && _wait_for [ ! -e "/sys/block/$1" ] &&
		echo 1 >"/sys/kernel/config/nullb/$1/power" && _wait_for [ -b "/dev/$1" ]
}

_need_sched

_plan 8
for queues in 1 4; do
	dev=rcfq$queues
	_null_add "$dev" memory_backed=1 size=16 submit_queues="$queues" irqmode=2 \
		completion_nsec=2000000 hw_queue_depth=4
	for round in 1 2; do
		_set_sched "$dev" "$RCFQ_SCHED" || _bail "no $RCFQ_SCHED on $dev"
		_load "$dev" --iodepth=16
		_check "$queues queues, round $round: load runs" _progress "$dev" 30
		_check "$queues queues, round $round: off and on again" _off_and_on "$dev"
		_kill "$BG"
	done
done
_done
