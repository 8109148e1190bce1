#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Loading and unloading race with switching to the elevator by name. The core
# of 7.3 looks the type up twice in the store routine, so a module that
# registers in between gets no call of alloc_sched_data.

. ./test_common.sh

ROUNDS=${RCFQ_ROUNDS:-15}

_switcher() {
	while :; do
		echo "$RCFQ_SCHED" >"/sys/block/$1/queue/scheduler"
		echo none >"/sys/block/$1/queue/scheduler"
	done 2>/dev/null
}

_rounds() {
	local i gone=0
	for ((i = 0; i < ROUNDS; i++)); do
		_load_sched "$RCFQ_SCHED"
		rmmod "$MOD" 2>/dev/null && ((gone++))
	done
	ktap_print_msg "unloaded in $gone of $ROUNDS rounds"
	[ "$gone" -gt 0 ]
}

_need_unloadable

_plan 4
_null_add rcfq1 memory_backed=1 size=16 submit_queues=1
_null_add rcfq4 memory_backed=1 size=16 submit_queues=4
_bg _switcher rcfq1
first=$BG
_bg _switcher rcfq4
_load rcfq4
_check "the race was run" _rounds
_check "I/O still completes" _progress rcfq4 50
_kill "$first"
_check "loaded at the end" _load_sched "$RCFQ_SCHED"
_use_sched rcfq1
_check "usable at the end" _verify /dev/rcfq1 --size=1m
_done
