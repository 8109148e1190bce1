#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Numbers out of range get ERANGE and change nothing.

. ./test_common.sh

_need_own

_plan 22
_null_add rcfq1 memory_backed=1 size=16 submit_queues=1 rotational=1
_use_sched rcfq1
for name in quantum fifo_expire_sync fifo_expire_async back_seek_penalty slice_sync \
	slice_sync_us slice_async slice_async_us slice_async_rq target_latency target_latency_us; do
	_check "$name refuses 0 and more than 32 bits" \
		_refuses rcfq1 "$name" "$ERANGE" 0 4294967296 18446744073709551615
done
for name in back_seek_max slice_idle slice_idle_us group_idle group_idle_us patience; do
	_check "$name refuses more than 32 bits" \
		_refuses rcfq1 "$name" "$ERANGE" 4294967296 18446744073709551615
done
for name in low_latency slice_idle_auto; do
	_check "$name refuses 2" _refuses rcfq1 "$name" "$ERANGE" 2 4294967296
done
_load rcfq1
_check "under load: still refused" _refuses rcfq1 slice_sync "$ERANGE" 0
_check "under load: a good value is taken" _set_tunable rcfq1 slice_sync 50
_check "under load: I/O goes on" _progress rcfq1 100
_done
