#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Nobody starves: eight writers with O_DSYNC and eight readers that think for
# 12 ms, on a disk that takes one request at a time, 30 ms each. Between two
# completions of one of them there are not too many of the others: a wait in
# numbers of requests, not in time. Newcomers may pass by those who wait, but not
# for more than about a second, some 30 requests, and what they are owed besides.

. ./test_common.sh

N=${RCFQ_IOS:-50}
MOST=${RCFQ_MOST:-128}

_all() {
	_fio --filename=/dev/rcfq1 --bs=4k --size=4m --offset_increment=4m --direct=1 --ioengine=psync \
		--number_ios="$N" --exitall --write_lat_log="$TMP/log" \
		--name=w --rw=randwrite --sync=dsync --numjobs=8 --prio=4 --prioclass="${RCFQ_CLASS_W:-2}" \
		--name=r --rw=randread --numjobs=8 --offset=64m --thinktime=12000 \
		--prio=4 --prioclass="${RCFQ_CLASS_R:-2}"
}

# _waits: the number of jobs and of completions, and the most completions of others
# between two of one writer (the first eight jobs), and of one reader, or after its
# last one.
_waits() {
	local file
	for file in "$TMP"/log_clat.*.log; do
		sed "s/^ *\([0-9]*\),.*/\1 ${file##*_clat.}/" "$file"
	done | sort -n | awk '
		function waited(job) {
			if (NR - at[job] > most[job + 0 > 8])
				most[job + 0 > 8] = NR - at[job]
		}
		{ if ($2 in at) waited($2); at[$2] = NR }
		END {
			for (job in at) { jobs++; waited(job) }
			print jobs + 0, NR, most[0] + 0, most[1] + 0
		}'
}

_need_sched

_plan 6
_null_add rcfq1 size=256 submit_queues=1 rotational=1 irqmode=2 completion_nsec=30000000 hw_queue_depth=1
_use_sched rcfq1
echo 128 >/sys/block/rcfq1/queue/nr_requests
_check "until the first is through" _all
read -r jobs total writer reader <<<"$(_waits)"
_check "there were $total completions" _cmp "$total" -ge $((MOST * 3 / 2))
_check "each job got some" _is "$jobs" 16
_check "a writer waited for at most $writer of others" _cmp "$writer" -lt "$MOST"
_check "a reader waited for at most $reader of others" _cmp "$reader" -lt "$MOST"
_check "nothing lost" _conserved rcfq1
_done
