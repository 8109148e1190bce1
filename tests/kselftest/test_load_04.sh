#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Loading and unloading race with switching to the elevator by name. The core
# of 7.3 looks the type up twice in the store routine, so a module that
# registers in between gets no call of alloc_sched_data.

. ./test_common.sh

# _switcher DEV: leaves the disk without the elevator most of the time, so that
# unloading can succeed.
_switcher() {
	while :; do
		echo "$RCFQ_SCHED" >"/sys/block/$1/queue/scheduler"
		echo none >"/sys/block/$1/queue/scheduler"
		_nap 0.1
	done 2>/dev/null
}

_rounds() {
	local i try gone=0
	for ((i = 0; i < ${RCFQ_ROUNDS:-8}; i++)); do
		_load_sched "$RCFQ_SCHED"
		for ((try = 0; try < 20; try++)); do
			rmmod "$MOD" 2>/dev/null || continue
			((gone++))
			break
		done
	done
	ktap_print_msg "unloaded in $gone of $i rounds"
	[ "$gone" -gt 0 ]
}

_need_unloadable

_plan 4
_null_add rcfq1 memory_backed=1 size=16 submit_queues=1
_null_add rcfq4 memory_backed=1 size=16 submit_queues=4
_bg _switcher rcfq1
first=$BG
_bg _switcher rcfq4
_check "the race was run" _rounds
_kill "$first"
_kill "$BG"
_check "loaded at the end" _load_sched "$RCFQ_SCHED"
for dev in rcfq1 rcfq4; do
	_use_sched "$dev"
	_check "$dev: usable at the end" _verify "/dev/$dev" --size=256k
done
_done
