#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A medium error reaches the reader and nobody else: scsi_debug fails reads of
# ten sectors from 0x1234 on.

. ./test_common.sh

_read_at() {
	dd if="/dev/$DEV" of=/dev/null bs=512 skip="$1" count=8 iflag=direct status=none 2>/dev/null
}

_need_sched

_plan 6
_scsi_debug dev_size_mb=16 delay=0 ndelay=50000
_use_sched "$DEV"
_check "the bad sectors can be read before" _read_at $((0x1234))
echo 2 >/sys/bus/pseudo/drivers/scsi_debug/opts
_check "reading them fails now" _not _read_at $((0x1234))
_check "reading beside them does not" _read_at $((0x1200))
_check "a load over them sees errors and ends" _not _fio --name=x --filename="/dev/$DEV" \
	--rw=read --direct=1 --bs=4k --size=4m --ioengine=libaio --iodepth=16 --continue_on_error=read
echo 0 >/sys/bus/pseudo/drivers/scsi_debug/opts
_check "a verified load is right again" _verify "/dev/$DEV" --size=1m
_check "nothing lost" _conserved "$DEV"
_done
