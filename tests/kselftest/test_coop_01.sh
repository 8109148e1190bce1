#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Cooperating readers: two that read every other block of one area, one request
# at a time, become one queue, so that the disk need not wait for either; two on
# distant areas do not; and two that part again get queues of their own again.
# Counters are compared within one boot. A slow disk and long idle waits keep a
# slow machine from looking like slow readers.

. ./test_common.sh

N=${RCFQ_IOS:-120}

# _pair OPTION...: job b reads as these say, from their --offset on.
_pair() {
	_stats_mark rcfq1
	_fio --filename=/dev/rcfq1 --direct=1 --ioengine=psync --bs=4k --rw=read:4k --size=8m \
		--number_ios="$N" --name=a --name=b "$@" && _conserved rcfq1
}

# _trace FROM FAR: reads every other block from FROM on, then here and there from
# FAR MiB on.
_trace() {
	local i
	echo 'fio version 2 iolog'
	echo '/dev/rcfq1 add'
	echo '/dev/rcfq1 open'
	for ((i = 0; i < 60; i++)); do
		echo "/dev/rcfq1 read $(($1 + i * 8192)) 4096"
	done
	for ((i = 0; i < 80; i++)); do
		echo "/dev/rcfq1 read $((($2 + i * 37 % 50 * 8) << 20)) 4096"
	done
	echo '/dev/rcfq1 close'
}

_part() {
	_trace 0 64 >"$TMP/a"
	_trace 4096 512 >"$TMP/b"
	_stats_mark rcfq1
	_fio --direct=1 --ioengine=psync --name=a --read_iolog="$TMP/a" --name=b --read_iolog="$TMP/b" &&
		_conserved rcfq1
}

_need_own

_plan 11
_null_add rcfq1 size=1024 submit_queues=1 rotational=1 irqmode=2 completion_nsec=8000000 hw_queue_depth=1
_use_sched rcfq1
_set_tunable rcfq1 slice_idle "${RCFQ_IDLE_MS:-200}"

_check "far apart: both read all" _pair --offset=256m
_check "far apart: nobody moves to another queue" _is "$(_since coop_merges)" 0
_check "far apart: the disk waits for each of them" _cmp $(($(_since idle_armed) * 3)) -ge $((N * 4))
_check "far apart: the turn seldom changes" _cmp $(($(_since slices) * 3)) -le "$(_since dispatched)"

_check "close: both read all" _pair --offset=4k
_check "close: they move together" _cmp "$(_since coop_merges)" -gt 0
_check "close: while one thinks, the other one reads" _cmp $(($(_since idle_armed) * 2)) -le $((N * 2))
_check "close: few waits run out" _cmp $(($(_since idle_expired) * 20)) -le $((N * 2))

_check "first close, then far apart: both read all" _part
_check "first close: they move together" _cmp "$(_since coop_merges)" -gt 0
_check "then far apart: they part" _cmp "$(_since coop_splits)" -gt 0
_done
