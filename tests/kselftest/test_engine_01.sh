#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Ways to submit: io_uring (also with fixed buffers and files, and NOWAIT),
# libaio, plain system calls, buffered.

. ./test_common.sh

_need_sched

_plan 14
for queues in 1 4; do
	dev=rcfq$queues
	_null_add "$dev" memory_backed=1 size=32 submit_queues="$queues" irqmode=2 completion_nsec=50000
	_use_sched "$dev"
	for how in '--ioengine=io_uring' '--ioengine=io_uring --fixedbufs=1 --registerfiles=1' \
		'--ioengine=io_uring --nowait=1 --iodepth=1' '--ioengine=libaio' '--ioengine=psync' \
		'--ioengine=psync --direct=0 --fsync=16'; do
		# shellcheck disable=SC2086 # several options
		_check "$queues queues: $how" _verify "/dev/$dev" --size=512k --numjobs=2 \
			--offset_increment=4m $how
	done
	_check "$queues queues: nothing lost" _conserved "$dev"
done
_done
