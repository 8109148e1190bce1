#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Asynchronous ways to submit, with depth, on disks that get slices: the SATA disk
# and a null_blk called rotational. Data right, and each of two jobs known to the
# scheduler, also where a thread of the kernel submits for it.

. ./test_common.sh

# _engine DEV OPTION...
_engine() {
	local dev=$1
	shift
	_stats_mark "$dev"
	_verify "/dev/$dev" --size=512k --numjobs=2 --offset_increment=4m --iodepth=32 "$@"
}

_slices() {
	_cmp "$(_since slices)" -gt 0 && _cmp "$(_since processes_created)" -ge 2 &&
		_cmp "$(_since fallback_used)" -eq 0
}

_need_own
_need_disk hdd

_plan 24
_null_add rcfq1 memory_backed=1 size=32 submit_queues=1 rotational=1 irqmode=2 completion_nsec=50000 hw_queue_depth=32
for dev in rcfq1 "$DEV"; do
	_use_sched "$dev"
	for how in libaio io_uring 'io_uring --fixedbufs=1 --registerfiles=1' 'io_uring --sqthread_poll=1'; do
		# shellcheck disable=SC2086 # several options
		_check "$dev, $how: data right" _engine "$dev" --ioengine=$how
		_check "$dev, $how: nothing lost" _conserved "$dev"
		_check "$dev, $how: in slices, both jobs known" _slices
	done
done
_done
