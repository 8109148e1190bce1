#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A SCSI disk is deleted under load, with requests queued in the elevator.

. ./test_common.sh

_gone() {
	[ ! -e "/sys/block/$1" ]
}

_need_sched

_plan 9
for round in 1 2 3; do
	_scsi_debug dev_size_mb=16 delay=0 ndelay=2000000 max_queue=4 num_tgts=1
	_set_sched "$DEV" "$RCFQ_SCHED" || _bail "no $RCFQ_SCHED on $DEV"
	_load "$DEV" --iodepth=16
	_check "round $round: load runs" _progress "$DEV" 30
	echo 1 >"/sys/block/$DEV/device/delete"
	_check "round $round: the disk is gone" _wait_for _gone "$DEV"
	_check "round $round: the load ends by itself" _wait_for _not kill -0 "$BG" 2>/dev/null
done
_done
