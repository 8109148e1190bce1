#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Small requests. A lone reader of 4 KiB must not wait for the timer either,
# though its arrivals end no wait as large ones do; with a second reader
# waiting, the arrival of a small request ends the wait at once.

. ./test_common.sh

N=${RCFQ_IOS:-200}

_read() {
	_fio --rw=read --direct=1 --bs=4k --size=16m --ioengine=psync --number_ios="$N" "$@"
}

_need_own

_plan 8
_null_add rcfq1 size=64 submit_queues=1 rotational=1 irqmode=2 completion_nsec=200000
_use_sched rcfq1
_set_tunable rcfq1 slice_idle "${RCFQ_IDLE_MS:-100}"

_stats_mark rcfq1
_check "one reader reads all" _read --name=a --filename=/dev/rcfq1
_stats rcfq1
_check "alone: no wait ran out but the last" _cmp "$(_since idle_expired)" -le 2
_check "alone: no request was large" _is "$(_since kick_large)" 0

_stats_mark rcfq1
_check "two readers read all" _read --filename=/dev/rcfq1 --name=a --name=b --offset=32m
_stats rcfq1
_check "two: arrivals kicked because another queue waits" _cmp "$(_since kick_busy)" -ge "$N"
_check "two: no request was large" _is "$(_since kick_large)" 0
_check "two: few waits ran out" _cmp $(($(_since idle_expired) * 20)) -le "$(_since idle_hit)"
_check "nothing lost" _conserved rcfq1
_done
