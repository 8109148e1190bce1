#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Text that is not an unsigned decimal number gets EINVAL, changes nothing.

. ./test_common.sh

_need_own

_plan 20
_null_add rcfq1 memory_backed=1 size=16 submit_queues=1 rotational=1
_use_sched rcfq1
for name in quantum fifo_expire_sync fifo_expire_async back_seek_max back_seek_penalty \
	slice_sync slice_sync_us slice_async slice_async_us slice_async_rq slice_idle \
	slice_idle_us group_idle group_idle_us low_latency target_latency target_latency_us \
	patience slice_idle_auto; do
	_check "$name refuses what is no number" _refuses rcfq1 "$name" "$EINVAL" \
		abc '' ' 5' '5 ' $'\n5' ' 5x' 5x -1 '- 1' 0x10z 5.5 '1 2'
done
# A number, but one that no integer of the kernel holds: either error is right.
_check "a number of 26 digits" _refuses rcfq1 quantum "$EINVAL|$ERANGE" 99999999999999999999999999
_done
