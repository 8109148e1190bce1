#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# 200 processes at once: rotational with one queue, flash with four.

. ./test_common.sh

N=${RCFQ_PROCS:-200}

_need_sched

_plan 8
for queues in 1 4; do
	dev=rcfq$queues
	_null_add "$dev" size=256 submit_queues="$queues" rotational=$((queues == 1)) irqmode=2 \
		completion_nsec=100000
	_use_sched "$dev"
	if [ "$RCFQ_SCHED" = rcfq ]; then
		_stats_mark "$dev"
	fi
	from=$(_ios "$dev")
	_check "$queues queues: all get through" _fio --name=many --filename="/dev/$dev" \
		--numjobs="$N" --offset_increment=1m --rw=randrw --direct=1 --bs=4k --size=1m \
		--ioengine=psync --number_ios=6 --prioclass=2 --prio=5
	_check "$queues queues: every I/O was done" _cmp "$(($(_ios "$dev") - from))" -ge $((N * 6))
	_check "$queues queues: nothing lost" _conserved "$dev"
	if [ "$RCFQ_SCHED" = rcfq ]; then
		# With a priority of their own none passes, so that each needs a record.
		_check "$queues queues: each process was seen" _cmp "$(_since processes_created)" -ge "$N"
	else
		ktap_test_skip "only rcfq counts processes"
	fi
done
_done
