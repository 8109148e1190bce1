#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# 500 processes read at the same time. All get what they want, each has a record,
# and the records are gone when the processes are.

. ./test_common.sh

N=${RCFQ_PROCS:-500}

_many() {
	fio --name=many --filename=/dev/rcfq1 --numjobs="$N" --offset_increment=1m --rw=randread --direct=1 \
		--bs=4k --size=1m --ioengine=psync --number_ios=4 --group_reporting --output="$TMP/many" \
		2>"$TMP/many.err" && return
	head -n 15 "$TMP/many.err" "$TMP/many" | sed 's/^/# /'
	return 1
}

_few() {
	_stats rcfq1 && [ "${STAT[now_processes]}" -le "$1" ]
}

_need_own

_plan 6
_null_add rcfq1 size=512 submit_queues=1 rotational=1 irqmode=2 completion_nsec=100000
_use_sched rcfq1
_stats_mark rcfq1
from=$(_ios rcfq1)
_check "all get through" _many
_check "every read was done" _cmp "$(($(_ios rcfq1) - from))" -ge $((N * 4))
_check "nothing lost" _conserved rcfq1
_check "each process was seen" _cmp "$(_since processes_created)" -ge "$N"
_check "their records are gone" _wait_for _few "${STAT0[now_processes]}"
_check "a process after them is served" dd if=/dev/rcfq1 of=/dev/null \
	bs=4k count=8 iflag=direct status=none
_done
