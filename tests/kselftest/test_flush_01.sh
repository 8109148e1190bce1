#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Flush sequences: fsync after every write, on ext4 and on the bare disk. The
# flushes pass by the elevator, their data does not.

. ./test_common.sh

_flushes() {
	awk '{ print $16 }' "/sys/block/$1/stat"
}

_need_sched
_need_disk hdd

_plan 8
_null_add rcfq4 memory_backed=1 size=64 submit_queues=4 cache_size=1 irqmode=2 completion_nsec=50000
for dev in "$DEV" rcfq4; do
	_use_sched "$dev"
	before=$(_flushes "$dev")
	_ext4 "$dev"
	_check "$dev: fsync on ext4" _verify "$MNT/file" --direct=0 --ioengine=psync --fsync=1 \
		--size=280k --numjobs=2 --offset_increment=1m
	_umount "$MNT"
	_check "$dev: O_SYNC writes and flushes on the disk" _verify "/dev/$dev" --sync=1 --size=256k \
		--fsync=2 --numjobs=2 --offset_increment=1m
	# Of two that sync one file, one may do it for both: 70 and 32 at least.
	_check "$dev: flushes were done" _cmp "$(_flushes "$dev")" -ge $((before + 100))
	_check "$dev: nothing lost" _conserved "$dev"
done
_done
