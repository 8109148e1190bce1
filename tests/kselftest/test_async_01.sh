#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Writeback beside four readers that keep a slow disk full all the time, one time
# in its class and one time in a higher one. The readers get most of the disk, and
# by `patience` the writes get on; without it they get fewer, or none. Writes are
# counted per so many reads, within one boot.

. ./test_common.sh

N=${RCFQ_IOS:-400}

# _both: reads and writes completed.
_both() {
	local s
	read -ra s </sys/block/rcfq1/stat
	echo "${s[0]} ${s[4]}"
}

_have_read() {
	local r _
	read -r r _ <<<"$(_both)"
	[ "$r" -ge "$1" ]
}

# _read N: until so many more reads have completed.
_read() {
	local r _
	read -r r _ <<<"$(_both)"
	_wait_for _have_read $((r + $1)) || _bail "the readers stand still"
}

# _contest PATIENCE: sets READS and WRITES to what completes until N reads have.
_contest() {
	local r w
	_set_tunable rcfq1 patience "$1"
	# What was under way is over then.
	_read 100
	_stats_mark rcfq1
	read -r r w <<<"$(_both)"
	_read "$N"
	read -r READS WRITES <<<"$(_both)"
	((READS -= r, WRITES -= w))
	_stats rcfq1
}

# _readers CLASS: they leave holes, so that nothing can be merged.
_readers() {
	_load rcfq1 --rw=read:4k --size=32m --numjobs=4 --offset_increment=32m --iodepth=8 \
		--prioclass="$1" --prio=4
	_read 100
}

# _dirty: writeback waits in the scheduler, beside the 32 reads that may.
_dirty() {
	local _ w
	read -r _ w <<<"$(_both)"
	_stats rcfq1 && [ "$w" -gt 0 ] && [ "${STAT[now_queued]}" -gt 60 ]
}

_restore() {
	echo "$2" >"/proc/sys/vm/$1"
}

_need_own

_plan 13
for name in dirty_background dirty; do
	_defer _restore "${name}_ratio" "$(cat "/proc/sys/vm/${name}_ratio")"
done
echo 1048576 >/proc/sys/vm/dirty_background_bytes
echo 4194304 >/proc/sys/vm/dirty_bytes
_null_add rcfq1 memory_backed=1 size=256 submit_queues=1 rotational=1 irqmode=2 \
	completion_nsec=40000000 hw_queue_depth=32
_use_sched rcfq1
echo 256 >/sys/block/rcfq1/queue/nr_requests
_set_tunable rcfq1 slice_idle 100
_readers 2
readers=$BG
_bg fio --name=writer --filename=/dev/rcfq1 --rw=randwrite --bs=4k --direct=0 --ioengine=psync \
	--offset=128m --size=64m --norandommap --time_based --runtime=600 --thread --output=/dev/null
writer=$BG
_check "writeback has come" _wait_for _dirty

_contest 1000
_check "one class: the readers get most ($READS reads, $WRITES writes)" _cmp $((WRITES * 2)) -le "$READS"
_check "one class: the writer gets on" _cmp "$WRITES" -gt 0
_contest "${RCFQ_PATIENCE:-100}"
with=$WRITES
_check "one class, less patience: by favour" _cmp "$(_since favours)" -gt 2
_check "one class, less patience: the readers get most" _cmp $((WRITES * 2)) -le "$READS"
_contest 0
_check "one class, no patience: fewer writes ($WRITES than $with)" _cmp $((WRITES * 2)) -le "$with"
_check "one class, no patience: no favour" _is "$(_since favours)" 0
_kill "$readers"

_readers 1
readers=$BG
_contest "${RCFQ_PATIENCE:-1000}"
with=$WRITES
_check "readers of a higher class: they get most ($READS and $WRITES)" _cmp $((WRITES * 10)) -le "$READS"
_check "readers of a higher class: the writer gets on" _cmp "$WRITES" -gt 0
_check "readers of a higher class: by favour" _cmp "$(_since favours)" -gt 0
_contest 0
_check "readers of a higher class, no patience: fewer writes ($WRITES)" _cmp $((WRITES * 2)) -le "$with"
_kill "$readers"
_kill "$writer"
_check "writeback ends" sync /dev/rcfq1
_check "nothing lost" _conserved rcfq1
_done
