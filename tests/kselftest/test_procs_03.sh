#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Short processes: each does two reads and exits, many at once.

. ./test_common.sh

# _forks DEV COUNT: every fifth with another ionice.
_forks() {
	local i pids=() nice=(ionice -c 2 -n 0)
	for ((i = 0; i < $2; i++)); do
		if [ $((i % 5)) -eq 0 ]; then
			nice=(ionice -c $((1 + i / 5 % 3)))
		fi
		"${nice[@]}" dd if="/dev/$1" of=/dev/null bs=4k count=2 skip="$i" iflag=direct status=none &
		pids+=($!)
	done
	for i in "${pids[@]}"; do
		wait "$i" || return
	done
}

_need_program ionice
_need_sched

_plan 4
for queues in 1 4; do
	dev=rcfq$queues
	_null_add "$dev" size=64 submit_queues="$queues" rotational=$((queues == 1)) irqmode=2 \
		completion_nsec=200000
	_use_sched "$dev"
	_check "$queues queues: all read" _forks "$dev" "${RCFQ_PROCS:-100}"
	_check "$queues queues: nothing lost" _conserved "$dev"
done
_done
