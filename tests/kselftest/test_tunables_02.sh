#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# What is written is read back; a value in ms and its _us twin are one value.

. ./test_common.sh

# _round_trip NAME VALUE
_round_trip() {
	_set_tunable rcfq1 "$1" "$2" && _is "$(_tunable rcfq1 "$1")" "$2"
}

# _views NAME WRITTEN OTHER EXPECTED
_views() {
	_round_trip "$1" "$2" && _is "$(_tunable rcfq1 "$3")" "$4"
}

_need_own

_plan 32
_null_add rcfq1 memory_backed=1 size=16 submit_queues=1 rotational=1
_use_sched rcfq1
for name in quantum fifo_expire_sync fifo_expire_async back_seek_max back_seek_penalty \
	slice_sync slice_async slice_async_rq slice_idle group_idle target_latency patience; do
	_check "$name takes 77" _round_trip "$name" 77
done
for name in low_latency slice_idle_auto; do
	_check "$name takes 0" _round_trip "$name" 0
	_check "$name takes 1" _round_trip "$name" 1
done
for name in slice_idle group_idle back_seek_max patience; do
	_check "$name takes 0" _round_trip "$name" 0
done
for name in quantum patience; do
	_check "$name takes its largest value" _round_trip "$name" 4294967295
done
for name in slice_sync slice_async slice_idle group_idle target_latency; do
	_check "$name in ms is seen in us" _views "$name" 12 "${name}_us" 12000
	_check "$name in us is seen in ms, truncated" _views "${name}_us" 800 "$name" 0
done
_done
