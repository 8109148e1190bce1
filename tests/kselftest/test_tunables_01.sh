#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# All tunables exist, with CFQ's names and defaults (group_idle is 0, as in a CFQ
# without group scheduling), those of rcfq, mode 0644, nothing more.

. ./test_common.sh

DEFAULTS='quantum 8
fifo_expire_sync 125
fifo_expire_async 250
back_seek_max 16384
back_seek_penalty 2
slice_sync 100
slice_sync_us 100000
slice_async 40
slice_async_us 40000
slice_async_rq 2
slice_idle 8
slice_idle_us 8000
group_idle 0
group_idle_us 0
low_latency 1
target_latency 300
target_latency_us 300000
patience 1000
slice_idle_auto 1'

_need_own

_plan 39
_null_add rcfq1 memory_backed=1 size=16 submit_queues=1 rotational=1
_use_sched rcfq1
dir=/sys/block/rcfq1/queue/iosched
while read -r name value; do
	_check "$name has its default" _is "$(_tunable rcfq1 "$name")" "$value"
	_check "$name has mode 0644" _is "$(stat -c %a "$dir/$name")" 644
done <<<"$DEFAULTS"
_check "there are no others" _is "$(find "$dir" -type f -printf '%f\n' | sort | xargs)" \
	"$(cut -d' ' -f1 <<<"$DEFAULTS" | sort | xargs)"
_done
