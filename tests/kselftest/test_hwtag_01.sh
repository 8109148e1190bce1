#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The scheduler finds out whether the disk takes several requests at once: the
# AHCI disk with a queue depth of 1, as without NCQ, and of 31. A sliding window,
# so the answer changes with the depth. What is counted are requests, not time.

. ./test_common.sh

_depth() {
	_is "$(cat "/sys/block/$DEV/device/queue_depth")" "$1"
}

_set_depth() {
	echo "$1" >"/sys/block/$DEV/device/queue_depth"
}

_tagged() {
	_stats "$DEV" && [ "${STAT[now_hw_tag]}" = "$1" ]
}

# _found 0|1: under load that becomes the answer.
_found() {
	_wait_for _tagged "$1" && return
	ktap_print_msg "now_hw_tag is ${STAT[now_hw_tag]}, expected $1"
	return 1
}

_need_own
_need_disk hdd
[ -w "/sys/block/$DEV/device/queue_depth" ] || _skip "$DEV has no queue depth"
_defer _set_depth "$(cat "/sys/block/$DEV/device/queue_depth")"

_plan 10
_use_sched "$DEV"
_set_tunable "$DEV" slice_idle 100
_check "unknown at first" _tagged -1
_load "$DEV" --rw=randread --numjobs=1 --iodepth=32 --size=128m
for depth in "${RCFQ_SHALLOW:-1}" 31 1; do
	_set_depth "$depth"
	_check "depth $depth is taken" _depth "$depth"
	_progress "$DEV" 20
	_check "depth $depth is found out" _found $((depth > 1))
done
_check "the load runs" _progress "$DEV" 50
_kill "$BG"
_check "nothing lost" _conserved "$DEV"
_check "data right" _verify "/dev/$DEV" --size=256k
_done
