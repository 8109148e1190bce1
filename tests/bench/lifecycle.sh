#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# rcfq-disk as a device: what it says of itself, its data, its end.
#
# usage, outside: scripts/vm.sh --icount --append clearcpuid=fsrm,erms --memory 2G -- tests/bench/lifecycle.sh

set -u
. "$(dirname "$0")/lib.sh"
bench_setup

# refuses ERROR OPTION...: one line that holds ERROR, exit status 1.
refuses() {
	local error=$1 status=0
	shift
	./rcfq-disk "$@" >out.txt 2>error.txt || status=$?
	[ "$status" = 1 ] && [ "$(wc -l <error.txt)" = 1 ] && grep -q "$error" error.txt && [ ! -s out.txt ]
}
attribute() {
	[ "$(cat "/sys/block/$disk/$1")" = "$2" ]
}
gone() {
	[ ! -e "/sys/block/$disk" ] && [ ! -e "/dev/$disk" ]
}
# under_load: a program may take long to start, at the host's pace.
under_load() {
	local reads try
	for ((try = 0; try < 600; try++)); do
		read -r reads _ <"/sys/block/$disk/stat"
		[ "$reads" -lt 50 ] || return 0
		sleep 0.1
	done
	return 1
}
zeroes() {
	cmp -n "$1" "/dev/$disk" /dev/zero
}

verdict "unknown disk" refuses "no disk is called" floppy
verdict "no disk" refuses "required"
verdict "size over the disk's" refuses "has .* bytes" sata-ssd --size 1T
verdict "size of half a block" refuses "blocks of 4096" sata-ssd --size 4097
verdict "size in a strange unit" refuses "unit" sata-ssd --size 4X
verdict "depth of nothing" refuses "depth" sata-ssd --depth 0

disk_start hd103sj-1seg
verdict "it rotates" attribute queue/rotational 1
verdict "it has a write cache" attribute queue/write_cache "write back"
verdict "it can write through" attribute queue/fua 1
verdict "logical block" attribute queue/logical_block_size 512
verdict "physical block" attribute queue/physical_block_size 4096
verdict "no discard" attribute queue/discard_max_bytes 0
verdict "longest request" attribute queue/max_hw_sectors_kb 1024
verdict "whole size" attribute size 1953525168
verdict "depth" attribute mq/0/nr_tags 32
verdict "a taken number" refuses "in use" sata-ssd --id "${disk#ublkb}"
dd if=/dev/urandom of="/dev/$disk" bs=512 count=64 oflag=direct status=none
verdict "what is written is forgotten" zeroes 65536
verdict "ends well" disk_stop
verdict "leaves nothing" gone

disk_start sata-ssd --size 1G --depth 8 --keep
verdict "cut size" attribute size 2097152
verdict "depth that was asked for" attribute mq/0/nr_tags 8
verdict "it does not rotate" attribute queue/rotational 0
verdict "data is kept" bench_fio --output=verify.txt --rw=randwrite --bsrange=4k-256k --iodepth=8 \
	--size=16m --verify=crc32c --fdatasync=16 --randrepeat=1
verdict "a file system" mkfs.ext4 -q "/dev/$disk"
mkdir -p mnt
verdict "can be mounted" mount "/dev/$disk" mnt
dd if=/dev/urandom of=random.txt bs=64k count=32 status=none
cp random.txt mnt/
sync
umount mnt
echo 3 >/proc/sys/vm/drop_caches
mount "/dev/$disk" mnt
verdict "holds its files" cmp random.txt mnt/random.txt
umount mnt
verdict "ends well with data" disk_stop

# Killed under load: errors for the readers, and no device.
disk_start hd103sj-1seg
bench_fio --output=killed.txt --norandommap --rw=randrw --bs=4k --iodepth=32 --time_based --runtime=20 2>error.txt &
load=$!
verdict "readers are there" under_load
kill -KILL "$disk_pid"
wait "$disk_pid" 2>/dev/null
disk_pid=''
status=0
wait "$load" || status=$?
verdict "killed: errors for readers" test "$status" != 0
for ((try = 0; try < 100; try++)); do
	[ -e "/sys/block/$disk" ] || break
	sleep 0.1
done
verdict "killed: no device" gone
disk_start sata-ssd --id "${disk#ublkb}" 2>/dev/null
verdict "its number is free again" test -b "/dev/$disk"
# Ended under load: at once, although readers have it open. They get errors, or find its end.
bench_fio --output=ended.txt --norandommap --rw=randread --bs=4k --iodepth=32 --time_based --runtime=5 2>error.txt &
load=$!
verdict "readers are there again" under_load
verdict "ends well under load" disk_stop
verdict "readers still have it" kill -0 "$load"
verdict "ended: no device" gone
wait "$load"
bench_end
