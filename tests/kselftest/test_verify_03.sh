#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Data survives on ext4: NVMe, direct and buffered, several processes.

. ./test_common.sh

_need_sched
_need_disk nvme

_plan 4
_use_sched "$DEV"
_ext4 "$DEV"
_check "direct I/O, four writers" _verify "$MNT/direct" --size=1m --numjobs=4 --offset_increment=1m
_check "buffered I/O with fsync" _verify "$MNT/buffered" --size=2m --direct=0 --ioengine=psync --fsync=64
_check "sequential, large requests" _verify "$MNT/large" --size=8m --rw=write --bs=256k
_umount "$MNT"
_check "nothing lost" _conserved "$DEV"
_done
