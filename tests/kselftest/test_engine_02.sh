#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Asynchronous ways to submit, with depth, side by side on a disk that gets slices:
# libaio, io_uring, the same with fixed buffers and files, and with a thread of the
# kernel that submits. Data right, and each job known to the scheduler as a process.

. ./test_common.sh

# _engines DEV: write, read back, compare.
_engines() {
	_fio --filename="/dev/$1" --rw=randwrite --direct=1 --bs=4k --size=512k --iodepth=32 \
		--verify=crc32c --verify_fatal=1 --do_verify=1 \
		--name=libaio --ioengine=libaio \
		--name=uring --ioengine=io_uring --offset=4m \
		--name=fixed --ioengine=io_uring --offset=8m --fixedbufs=1 --registerfiles=1 \
		--name=polled --ioengine=io_uring --offset=12m --sqthread_poll=1
}

_need_own
_need_disk hdd

_plan 12
_null_add rcfq1 memory_backed=1 size=32 submit_queues=1 rotational=1 irqmode=2 \
	completion_nsec=50000 hw_queue_depth=32
for dev in rcfq1 "$DEV"; do
	_use_sched "$dev"
	# Neighbours stay apart, so that the requests can be counted.
	_defer _nomerges "$dev" "$(cat "/sys/block/$dev/queue/nomerges")"
	_nomerges "$dev" 2
	_stats_mark "$dev"
	_check "$dev: data right" _engines "$dev"
	_check "$dev: nothing lost" _conserved "$dev"
	_check "$dev: the load was seen" _cmp "$(_since inserted)" -ge $((4 * 2 * 128))
	_check "$dev: in slices" _cmp "$(_since slices)" -ge 4
	_check "$dev: each job is a process" _cmp "$(_since processes_created)" -ge 4
	_check "$dev: nobody was turned away" _is "$(_since fallback_used)" 0
done
_done
