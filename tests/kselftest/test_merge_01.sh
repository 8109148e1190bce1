#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Merging inside the elevator, with known patterns: ascending blocks merge at
# the back, descending ones at the front, a block that fills a gap joins two
# requests. nomerges 0 does all that, 1 less, 2 nothing; the data is right.

. ./test_common.sh

# _replay BLOCK...: write these 4 KiB blocks in this order, each submitted alone
# and long before the disk gets to it; one I/O holds the disk up before.
_replay() {
	local block
	{
		echo "fio version 2 iolog"
		echo "/dev/rcfq1 add"
		echo "/dev/rcfq1 open"
		for block in 1000 "$@"; do
			echo "/dev/rcfq1 write $((block * 4096)) 4096"
		done
		echo "/dev/rcfq1 close"
	} >"$TMP/iolog"
	_stats_mark rcfq1
	_fio --name=replay --read_iolog="$TMP/iolog" --replay_no_stall=1 --direct=1 --bs=4k \
		--ioengine=libaio --iodepth=64 --iodepth_batch=1 || return
	_conserved rcfq1
}

_need_own

_plan 12
_null_add rcfq1 memory_backed=1 size=64 submit_queues=1 rotational=1 irqmode=2 \
	completion_nsec=100000000 hw_queue_depth=1
_use_sched rcfq1
echo 64 >/sys/block/rcfq1/queue/nr_requests

_nomerges rcfq1 0
_check "ascending" _replay {1..20}
_check "merged at the back" _cmp "$(_since merged_back)" -ge 10
_check "descending" _replay {40..21}
_check "merged at the front" _cmp "$(_since merged_front)" -ge 8
_check "every second, then the gaps" _replay {50..68..2} {67..51..2}
_check "requests joined" _cmp "$(_since absorbed)" -ge 4
# Without look-up only the request of the last merge, here block 50, is tried.
_nomerges rcfq1 1
_check "nomerges 1" _replay {50..68..2} {67..51..2}
_check "nomerges 1: at most one joined" _cmp "$(_since absorbed)" -le 1
_nomerges rcfq1 2
_check "nomerges 2" _replay {1..8} {40..33} {50..58..2} {57..51..2}
_check "nomerges 2: nothing merged" _is \
	"$(($(_since merged_back) + $(_since merged_front) + $(_since absorbed)))" 0
for mode in 0 2; do
	_nomerges rcfq1 $mode
	_check "nomerges $mode: data right" _verify /dev/rcfq1 --rw=write --size=32k --iodepth=32
done
_done
