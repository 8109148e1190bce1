#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A storm of forks: two times a hundred processes that read one block and exit, eight at a
# time, while others go on with verified data. All read, nothing is lost, and the
# records of those who are gone are too.

. ./test_common.sh

N=${RCFQ_PROCS:-100}

# Blocks that do not touch each other, nor the verified ones: the core joins neighbours on
# their way in, and who has no request of its own is not seen. Nor is, on flash, one that
# has no priority of its own: its requests may pass.
_storm() {
	seq 1024 2 $((1022 + 2 * N)) | xargs -P 8 -I '{}' ionice -c 2 -n 5 \
		dd if="/dev/$1" of=/dev/null bs=4k count=1 skip='{}' iflag=direct status=none
}

# _few DEV N
_few() {
	_stats "$1" && [ "${STAT[now_processes]}" -le "$2" ]
}

# _gone DEV N: in the end there are no more than N.
_gone() {
	_wait_for _few "$@" || _cmp "${STAT[now_processes]}" -le "$2"
}

_need_program xargs ionice
_need_own

_plan 10
for queues in 1 4; do
	dev=rcfq$queues
	_null_add "$dev" memory_backed=1 size=64 submit_queues="$queues" rotational=$((queues == 1)) irqmode=2 \
		completion_nsec=300000 hw_queue_depth=8
	_use_sched "$dev"
	_stats_mark "$dev"
	_bg_verify "/dev/$dev" --size=256k --numjobs=2 --offset_increment=1m
	_check "$queues queues: all read" _storm "$dev"
	_check "$queues queues: data right" _stop_verify
	_check "$queues queues: nothing lost" _conserved "$dev"
	_check "$queues queues: each process was seen" _cmp "$(_since processes_created)" -ge "$N"
	_check "$queues queues: their records are gone" _gone "$dev" "${STAT0[now_processes]}"
done
_done
