#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The elevator leaves while requests are queued in it: a slow disk, far more
# requests outstanding than its tags allow in flight.

. ./test_common.sh

# _outstanding DEV N: so many have come and not completed, queued or in the driver.
_outstanding() {
	local s
	read -ra s <"/sys/block/$1/stat"
	[ "${s[8]}" -ge "$2" ]
}

# _leave DEV: three times, each time with more outstanding than the four tags.
_leave() {
	local name
	for name in none mq-deadline none; do
		_set_sched "$1" "$RCFQ_SCHED" || return
		_wait_for _outstanding "$1" 6 || return
		_set_sched "$1" "$name" || return
		_is "$(_sched "$1")" "$name" || return
	done
}

_need_sched

_plan 8
for queues in 1 4; do
	dev=rcfq$queues
	_null_add "$dev" memory_backed=1 size=32 submit_queues="$queues" irqmode=2 \
		completion_nsec=5000000 hw_queue_depth=4 rotational=1
	_use_sched "$dev"
	_load "$dev" --iodepth=16 --numjobs=4
	_check "$queues hardware queues: left with requests queued" _leave "$dev"
	_set_sched "$dev" "$RCFQ_SCHED"
	_check "$queues hardware queues: the load goes on" _progress "$dev" 50
	_kill "$BG"
	_check "$queues hardware queues: nothing lost" _conserved "$dev"
	_check "$queues hardware queues: data right" _verify "/dev/$dev" --size=512k
done
_done
