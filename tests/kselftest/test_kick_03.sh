#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# On flash nothing ever idles, and no request waits for a timer: NVMe, and
# null_blk with four hardware queues.

. ./test_common.sh

_need_own
_need_disk nvme

_plan 6
_null_add rcfq4 size=64 submit_queues=4
for dev in "$DEV" rcfq4; do
	_use_sched "$dev"
	_stats_mark "$dev"
	_check "$dev: readers and writers" _fio --filename="/dev/$dev" --direct=1 --bs=4k \
		--size=16m --number_ios=200 --name=r1 --rw=read --name=r2 --rw=randread \
		--ioengine=libaio --iodepth=8 --name=w --rw=randwrite
	_check "$dev: nothing lost" _conserved "$dev"
	_check "$dev: no idle wait" _is "$(_since idle_armed)" 0
done
_done
