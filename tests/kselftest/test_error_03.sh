#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fault injection of null_blk: requests that the driver gives back, requests
# that time out.

. ./test_common.sh

# _inject KIND PROBABILITY
_inject() {
	local dir=/sys/kernel/config/nullb/$dev/${1}_inject
	echo -1 >"$dir/times" && echo 0 >"$dir/verbose" && echo "$2" >"$dir/probability"
}

_need_sched
_null_blk || _bail "no null_blk"
mkdir /sys/kernel/config/nullb/rcfq_probe || _bail "null_blk: cannot add a disk"
_defer rmdir /sys/kernel/config/nullb/rcfq_probe
[ -d /sys/kernel/config/nullb/rcfq_probe/requeue_inject ] ||
	_skip "the kernel lacks CONFIG_BLK_DEV_NULL_BLK_FAULT_INJECTION"

_plan 8
for queues in 1 4; do
	dev=rcfq$queues
	_null_add "$dev" memory_backed=1 size=16 submit_queues="$queues" irqmode=2 completion_nsec=50000
	_use_sched "$dev"
	_inject requeue 20
	_check "$queues queues: requeues, data right" _verify "/dev/$dev" --size=1m
	_inject requeue 0
	echo 300 >"/sys/block/$dev/queue/io_timeout"
	_inject timeout 25
	_check "$queues queues: timeouts reach the reader" _not _fio --name=x \
		--filename="/dev/$dev" --rw=randread --direct=1 --bs=4k --size=1m \
		--ioengine=libaio --iodepth=8 --number_ios=128 --continue_on_error=all
	_inject timeout 0
	_check "$queues queues: data right afterwards" _verify "/dev/$dev" --size=512k
	_check "$queues queues: nothing lost" _conserved "$dev"
done
_done
