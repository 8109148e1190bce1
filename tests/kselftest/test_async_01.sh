#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Writeback beside four readers that keep a slow disk full all the time. The
# readers get most of it, but by `patience` the writes get on; without patience
# they get fewer. Writes are counted per so many reads, within one boot.

. ./test_common.sh

N=${RCFQ_IOS:-1500}

# _both DEV: reads and writes completed.
_both() {
	local s
	read -ra s <"/sys/block/$1/stat"
	echo "${s[0]} ${s[4]}"
}

_have_read() {
	local r _
	read -r r _ <<<"$(_both rcfq1)"
	[ "$r" -ge "$1" ]
}

# _contest PATIENCE: sets READS and WRITES to what completes until N reads have.
_contest() {
	local r w
	_set_tunable rcfq1 patience "$1"
	# Waits that began before are over then.
	_progress rcfq1 300
	_stats_mark rcfq1
	read -r r w <<<"$(_both rcfq1)"
	_wait_for _have_read $((r + N)) || _bail "the readers stand still"
	read -r READS WRITES <<<"$(_both rcfq1)"
	((READS -= r, WRITES -= w))
	_stats rcfq1
}

# _dirty: writeback waits in the scheduler, beside the 32 reads that may.
_dirty() {
	local _ w
	read -r _ w <<<"$(_both rcfq1)"
	_stats rcfq1 && [ "$w" -gt 0 ] && [ "${STAT[now_queued]}" -gt 60 ]
}

_restore() {
	echo "$2" >"/proc/sys/vm/$1"
}

_need_own

_plan 8
_defer _restore dirty_background_ratio "$(cat /proc/sys/vm/dirty_background_ratio)"
echo 1048576 >/proc/sys/vm/dirty_background_bytes
_null_add rcfq1 memory_backed=1 size=256 submit_queues=1 rotational=1 irqmode=2 \
	completion_nsec=3000000 hw_queue_depth=1
_use_sched rcfq1
echo 256 >/sys/block/rcfq1/queue/nr_requests
_load rcfq1 --rw=read --size=32m --numjobs=4 --offset_increment=32m --iodepth=8
readers=$BG
_progress rcfq1 100
_bg fio --name=writer --filename=/dev/rcfq1 --rw=randwrite --bs=4k --direct=0 --ioengine=psync \
	--offset=128m --size=64m --norandommap --time_based --runtime=600 --thread --output=/dev/null
_check "writeback has come" _wait_for _dirty

_contest "${RCFQ_PATIENCE:-1000}"
with=$WRITES
_check "the readers get most ($READS reads, $WRITES writes)" _cmp $((WRITES * 4)) -le "$READS"
_check "the writer gets on" _cmp "$WRITES" -ge 4
_check "by favour" _cmp "$(_since favours)" -gt 0
_contest 0
_check "without patience it gets fewer ($WRITES)" _cmp $((WRITES * 2)) -le "$with"
_check "and no favour" _is "$(_since favours)" 0
_contest 200
_check "with less patience it gets more ($WRITES)" _cmp "$WRITES" -ge $((with * 2))
_kill "$BG"
_kill "$readers"
_check "nothing lost" _conserved rcfq1
_done
