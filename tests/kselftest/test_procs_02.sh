#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Processes are killed in the middle of their I/O, again and again, while one
# with verified data goes on.

. ./test_common.sh

# _storm DEV
_storm() {
	local i
	for ((i = 0; i < ${RCFQ_ROUNDS:-6}; i++)); do
		_load "$1" --numjobs=8 --offset=32m --iodepth=16
		_progress "$1" 40 || return
		_kill "$BG"
	done
}

_need_sched

_plan 6
for queues in 1 4; do
	dev=rcfq$queues
	_null_add "$dev" memory_backed=1 size=64 submit_queues="$queues" rotational=$((queues == 1)) \
		irqmode=2 completion_nsec=500000 hw_queue_depth=8
	_use_sched "$dev"
	_bg_verify "/dev/$dev" --size=256k --numjobs=2 --offset_increment=1m
	_check "$queues queues: storm of kills" _storm "$dev"
	_check "$queues queues: data right" _stop_verify
	_check "$queues queues: nothing lost" _conserved "$dev"
done
_done
