#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The number of hardware queues changes under a verified load. The core detaches
# the elevator meanwhile and attaches it again.

. ./test_common.sh

# _count: hardware queues of the device; null_blk has one for polling besides.
_count() {
	find /sys/block/rcfq4/mq -mindepth 1 -maxdepth 1 | wc -l
}

_queues() {
	local n
	for n in 1 "$max" 2 1 "$max"; do
		echo "$n" >/sys/kernel/config/nullb/rcfq4/submit_queues || return
		_is "$(_sched rcfq4)" "$RCFQ_SCHED" || return
		_progress rcfq4 30 || return
	done
}

_need_sched
# null_blk has no more queues than there are processors.
max=$(nproc)
[ "$max" -ge 2 ] || _skip "one processor, so one hardware queue"

_plan 4
_null_add rcfq4 memory_backed=1 size=32 submit_queues="$max" irqmode=2 completion_nsec=100000
before=$(_count)
_use_sched rcfq4
_bg_verify /dev/rcfq4 --size=1m --numjobs=3 --offset_increment=4m
_check "changed, the elevator stays" _queues
_check "data right" _stop_verify
_check "nothing lost" _conserved rcfq4
_check "as many queues as before" _cmp "$(_count)" -eq "$before"
_done
