#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Loading makes the name visible on every disk, unloading takes it away.

. ./test_common.sh

_offered() {
	grep -qw "$RCFQ_SCHED" "/sys/block/$1/queue/scheduler"
}

_need_program modprobe
_need_unloadable

_plan 13
_null_add rcfq1 memory_backed=1 size=16 submit_queues=1
_null_add rcfq4 memory_backed=1 size=16 submit_queues=4
for round in 1 2; do
	_check "round $round: offered with one hardware queue" _offered rcfq1
	_check "round $round: offered with four" _offered rcfq4
	_check "round $round: nobody got it unasked" _not grep -qF "[$RCFQ_SCHED]" \
		/sys/block/rcfq1/queue/scheduler /sys/block/rcfq4/queue/scheduler
	_check "round $round: unloaded" rmmod "$MOD"
	_check "round $round: no longer offered" _not _offered rcfq1
	_check "round $round: loaded again" _load_sched "$RCFQ_SCHED"
done
_check "modinfo has the alias or file name for autoloading" \
	grep -qE "${RCFQ_SCHED}-iosched" <(modinfo "${RCFQ_SCHED}-iosched" 2>&1)
_done
