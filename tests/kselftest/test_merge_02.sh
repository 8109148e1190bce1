#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Discards: mixed with writes of the same elevator, on NVMe (several ranges in
# one command) and on null_blk.

. ./test_common.sh

_discards() {
	awk '{ print $12 }' "/sys/block/$1/stat"
}

_need_sched
_need_disk nvme

_plan 6
_null_add rcfq4 memory_backed=1 discard=1 size=64 submit_queues=4 irqmode=2 completion_nsec=500000
for dev in "$DEV" rcfq4; do
	[ "$(cat "/sys/block/$dev/queue/discard_max_bytes")" -gt 0 ] || _bail "$dev: no discard"
	_use_sched "$dev"
	before=$(_discards "$dev")
	_check "$dev: trims and writes" _fio --filename="/dev/$dev" --direct=1 --bs=4k --size=4m \
		--name=t --rw=trim --numjobs=4 --number_ios=100 \
		--name=w --rw=randwrite --offset=8m --ioengine=libaio --iodepth=16 --number_ios=400
	_check "$dev: discards were done" _cmp "$(_discards "$dev")" -gt "$before"
	_check "$dev: nothing lost" _conserved "$dev"
done
_done
