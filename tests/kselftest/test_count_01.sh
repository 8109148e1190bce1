#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The counters add up after a mixed load: what came in went out, once.

. ./test_common.sh

NAMES='inserted inserted_head passed merged_front merged_back absorbed dispatched completed requeued
cancelled kicks kick_large kick_busy idle_armed idle_hit idle_expired idle_cut
preemptions coop_merges coop_splits interruptions favours slices slices_timed_out
fifo_expired dispatch_idle dispatch_nothing processes_created processes_evicted
fallback_used overflow now_first now_queued now_in_driver now_processes now_hw_tag
now_seekless'

_all_there() {
	local name rc=0
	for name in $NAMES; do
		[ -n "${STAT[$name]:-}" ] && continue
		ktap_print_msg "no counter $name"
		rc=1
	done
	return $rc
}

# _mixed DEV: readers, writers, buffered writes with fsync, sequential and random.
_mixed() {
	_fio --filename="/dev/$1" --bs=4k --size=4m --number_ios=150 \
		--name=a --rw=randrw --direct=1 --ioengine=libaio --iodepth=16 \
		--name=b --rw=read --direct=1 --ioengine=psync \
		--name=c --rw=write --direct=0 --ioengine=psync --fsync=16 --offset=8m \
		--name=d --rw=randwrite --direct=1 --ioengine=libaio --iodepth=32 --offset=16m --prioclass=3
}

_need_own

_plan 12
for queues in 1 4; do
	dev=rcfq$queues
	_null_add "$dev" memory_backed=1 size=32 submit_queues="$queues" rotational=$((queues == 1)) \
		irqmode=2 completion_nsec=100000 hw_queue_depth=4
	_use_sched "$dev"
	_stats_mark "$dev"
	_check "$queues queues: every counter is there" _all_there
	_check "$queues queues: load" _mixed "$dev"
	_check "$queues queues: inserted = completed + absorbed + cancelled" _conserved "$dev"
	_check "$queues queues: dispatched = inserted - absorbed - cancelled + requeued" \
		_cmp "$(_since dispatched)" -eq $(($(_since inserted) + $(_since inserted_head) - \
			$(_since absorbed) - $(_since cancelled) + $(_since requeued)))
	_check "$queues queues: a load of hundreds was seen" _cmp "$(_since inserted)" -ge 400
	_check "$queues queues: nobody was turned away" _is "$(_since fallback_used)" 0
done
_done
