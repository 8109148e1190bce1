#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Nobody starves: eight writers with O_DSYNC and eight readers that think for
# 12 ms, on a disk that takes one request at a time, 30 ms each. Between two
# completions of one of them there are not too many of the others: a wait in
# numbers of requests, not in time.

. ./test_common.sh

N=${RCFQ_IOS:-20}
MOST=${RCFQ_MOST:-128}

_all() {
	_fio --filename=/dev/rcfq1 --bs=4k --size=4m --offset_increment=4m --direct=1 --ioengine=psync \
		--number_ios="$N" --exitall --write_lat_log="$TMP/log" \
		--name=w --rw=randwrite --sync=dsync --numjobs=8 --prio=4 --prioclass="${RCFQ_CLASS_W:-2}" \
		--name=r --rw=randread --numjobs=8 --offset=64m --thinktime=12000 \
		--prio=4 --prioclass="${RCFQ_CLASS_R:-2}"
}

# _waits: the number of jobs, and the most completions of others between two of
# one job, or after its last one.
_waits() {
	local file
	for file in "$TMP"/log_clat.*.log; do
		sed "s/^ *\([0-9]*\),.*/\1 ${file##*_clat.}/" "$file"
	done | sort -n | awk '
		{ if ($2 in at && NR - at[$2] > most) most = NR - at[$2]; at[$2] = NR }
		END {
			for (job in at) { jobs++; if (NR - at[job] > most) most = NR - at[job] }
			print jobs + 0, most + 0, NR
		}'
}

_need_sched

_plan 5
_null_add rcfq1 size=256 submit_queues=1 rotational=1 irqmode=2 completion_nsec=30000000 hw_queue_depth=1
_use_sched rcfq1
echo 128 >/sys/block/rcfq1/queue/nr_requests
_check "until the first is through" _all
read -r jobs most total <<<"$(_waits)"
_check "there were $total completions" _cmp "$total" -ge "$MOST"
_check "each job got some" _is "$jobs" 16
_check "the longest wait was for $most of others" _cmp "$most" -lt "$MOST"
_check "nothing lost" _conserved rcfq1
_done
