#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Data survives on ext4: null_blk with one and four hardware queues, called
# flash and rotational, completing inline, by softirq and by timer.

. ./test_common.sh

_need_sched

_plan 12
for queues in 1 4; do
	for mode in 0 1 2; do
		dev=rcfq$queues$mode
		_null_add "$dev" memory_backed=1 size=64 submit_queues="$queues" irqmode="$mode" \
			completion_nsec=50000 rotational=$((mode & 1))
		_use_sched "$dev"
		_ext4 "$dev"
		_check "$queues queues, irqmode $mode: data right" \
			_verify "$MNT/file" --size=1m --numjobs=2 --offset_increment=1m
		_umount "$MNT"
		_check "$queues queues, irqmode $mode: nothing lost" _conserved "$dev"
	done
done
_done
