#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Whether the modelled disks have their figures as seen by programs of a guest:
# what ublk and the server take must not show. The models without a guest are
# checked by tests/host/disks/tests/calibration.rs.
#
# usage, outside: scripts/vm.sh --icount --append clearcpuid=fsrm,erms --memory 2G -- tests/bench/calibration.sh

set -u
. "$(dirname "$0")/lib.sh"
bench_setup

# measure SECONDS OPTION...: sets iops, rate in MB/s, latency in microseconds.
iops=0 rate=0 latency=0
measure() {
	local seconds=$1
	shift
	read -r iops rate latency < <(bench_fio --norandommap --time_based --runtime="$seconds" --output-format=terse --terse-version=3 "$@" |
		awk -F';' '{ print $8, $7 * 1024 / 1e6, $40 }')
}
# near NAME VALUE FIGURE PERCENT
near() {
	verdict "$1: $2, expected $3 within $4 %" \
		awk -v value="$2" -v figure="$3" -v percent="$4" 'BEGIN { off = (value / figure - 1) * 100; exit !(off <= percent && -off <= percent) }'
}
gain() {
	awk -v one="$1" -v other="$2" 'BEGIN { printf "%.2f", other / one }'
}

disk_start hd103sj-1seg
measure 1 --rw=read --bs=4k
near "sequential 4 KiB reads, IOPS" "$iops" 17000 10
measure 2 --rw=read --bs=1m
near "1 MiB reads outside, MB/s" "$rate" 141 5
measure 2 --rw=read --bs=1m --offset=99%
near "1 MiB reads inside, MB/s" "$rate" 69 5
# 8.9 ms of seek, half a turn, the command, 4 KiB on the link.
measure 30 --rw=randread --bs=4k
near "random reads one by one, ms" "$(awk -v us="$latency" 'BEGIN { print us / 1000 }')" 13.12 4
one=$iops
measure 15 --rw=randread --bs=4k --iodepth=32
near "gain by command queueing" "$(gain "$one" "$iops")" 2.2 20
disk_stop

disk_start cloud-ssd
measure 1 --rw=randread --bs=4k --iodepth=64 --numjobs=10
near "cloud-ssd, random reads of 10 jobs, IOPS" "$iops" 29000 5
measure 1 --rw=randread --bs=4k
near "cloud-ssd, random reads one by one, us" "$latency" 1000 5
disk_stop

disk_start sata-ssd
measure 1 --rw=randread --bs=4k --iodepth=32
near "sata-ssd, random reads at depth 32, IOPS" "$iops" 21500 5
disk_stop
bench_end
