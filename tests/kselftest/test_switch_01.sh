#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Switching among all elevators under a verified load, null_blk with one and
# with four hardware queues. No debugfs is read here: the files of mq-deadline
# and kyber may crash when a switch races with the reader.

. ./test_common.sh

# _switch_all DEV
_switch_all() {
	local name
	for name in "$RCFQ_SCHED" none "$RCFQ_SCHED" mq-deadline "$RCFQ_SCHED" kyber \
		"$RCFQ_SCHED" bfq "$RCFQ_SCHED"; do
		_set_sched "$1" "$name" || return
		_is "$(_sched "$1")" "$name" || return
		_progress "$1" 20 || return
	done
}

_need_sched
_need_others bfq kyber

_plan 4
for queues in 1 4; do
	dev=rcfq$queues
	_null_add "$dev" memory_backed=1 size=32 submit_queues="$queues" irqmode=2 completion_nsec=100000
	_use_sched "$dev"
	_bg_verify "/dev/$dev" --size=2m --numjobs=4 --offset_increment=4m
	_check "$queues hardware queues: switched" _switch_all "$dev"
	_check "$queues hardware queues: data right" _stop_verify
done
_done
