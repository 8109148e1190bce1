#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# slice_idle follows the kind of device: null_blk and scsi_debug, both ways.
# The flag is read when the elevator is attached, not afterwards.

. ./test_common.sh

_by_hand() {
	_set_tunable rcfq1s slice_idle 3 && _fio --name=x --filename=/dev/rcfq1s --rw=randread \
		--direct=1 --number_ios=50 --size=16m && _is "$(_tunable rcfq1s slice_idle)" 3
}

_need_own

_plan 8
for queues in 1 4; do
	_null_add "rcfq${queues}r" size=16 submit_queues="$queues" rotational=1
	_use_sched "rcfq${queues}r"
	_check "null_blk, $queues queues, rotational" _is "$(_tunable "rcfq${queues}r" slice_idle)" 8
	_null_add "rcfq${queues}s" size=16 submit_queues="$queues" rotational=0
	_use_sched "rcfq${queues}s"
	_check "null_blk, $queues queues, flash" _is "$(_tunable "rcfq${queues}s" slice_idle)" 0
done
# scsi_debug says "non-rotational medium" in page B1h.
_scsi_debug dev_size_mb=8
echo 1 >"/sys/block/$DEV/queue/rotational"
_use_sched "$DEV"
_check "scsi_debug called rotational" _is "$(_tunable "$DEV" slice_idle)" 8
echo 0 >"/sys/block/$DEV/queue/rotational"
_check "a later change is not followed" _is "$(_tunable "$DEV" slice_idle)" 8
_set_sched "$DEV" none
_set_sched "$DEV" "$RCFQ_SCHED"
_check "but at the next attachment" _is "$(_tunable "$DEV" slice_idle)" 0
_check "a value set by hand stays under load" _by_hand
_done
