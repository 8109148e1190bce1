#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The busy-queue kick: two O_DIRECT readers of 64 KiB, one request at a time, on
# two partitions of a rotational disk. Each keeps the disk for its slice: an
# idle wait ends by the arrival of its next request, not by the timer, and the
# turn seldom changes. Counters decide, no clock does. The idle time is made
# long, so that a slow machine does not look like a slow reader.

. ./test_common.sh

N=${RCFQ_IOS:-300}
IDLE_MS=${RCFQ_IDLE_MS:-100}

_need_own
_need_disk hdd

_plan 9
_partition "$DEV"
_use_sched "$DEV"
_set_tunable "$DEV" slice_idle "$IDLE_MS"
_stats_mark "$DEV"
_check "both readers read all" _fio --rw=read --direct=1 --bs=64k --size=32m \
	--ioengine=psync --number_ios="$N" --name=a --filename="/dev/${DEV}1" \
	--name=b --filename="/dev/${DEV}2"
_check "nothing lost" _conserved "$DEV"
_stats "$DEV"
_check "every request was dispatched" _cmp "$(_since dispatched)" -ge $((2 * N))
_check "most completions began an idle wait" _cmp "$(_since idle_armed)" -ge "$N"
_check "most idle waits ended by an arrival" _cmp "$(_since idle_hit)" -ge $((N * 3 / 2))
_check "few ended by the timer" _cmp $(($(_since idle_expired) * 20)) -le "$(_since idle_hit)"
_check "a large request of the idling queue kicked" _cmp "$(_since kick_large)" -gt 0
_check "each large arrival kicked" _cmp $(($(_since kick_large) + $(_since kick_busy))) -ge $((N * 3 / 2))
_check "the disk stayed with a reader for many requests" \
	_cmp $(($(_since slices) * 4)) -le "$(_since dispatched)"
_done
