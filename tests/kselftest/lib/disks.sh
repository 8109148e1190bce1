# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Disks to test on: QEMU's, null_blk, scsi_debug, partitions, file systems. Sourced by test_common.sh.

# _null_add NAME [ATTRIBUTE=VALUE...]: a null_blk disk of that name, without the
# queue for polling that it would have besides.
_null_add() {
	local name=$1 dir=/sys/kernel/config/nullb/$1 kv
	shift
	_null_blk || _bail "no null_blk"
	mkdir "$dir" || _bail "null_blk: cannot add $name"
	_defer _null_del "$name"
	for kv in poll_queues=0 "$@"; do
		echo "${kv#*=}" >"$dir/${kv%%=*}" || _bail "null_blk: cannot set $kv"
	done
	echo 1 >"$dir/power" || _bail "null_blk: cannot switch on $name"
	_wait_for [ -b "/dev/$name" ] || _bail "no /dev/$name"
}

_null_blk() {
	modprobe -q null_blk nr_devices=0 &&
		{ [ -d /sys/kernel/config/nullb ] || mount -t configfs none /sys/kernel/config; }
}

_null_del() {
	[ -d "/sys/kernel/config/nullb/$1" ] || return
	echo 0 >"/sys/kernel/config/nullb/$1/power"
	_wait_for rmdir "/sys/kernel/config/nullb/$1" 2>/dev/null
}

# _scsi_debug [PARAMETER=VALUE...]: sets DEV to the disk of a fresh scsi_debug.
_scsi_debug() {
	modprobe -r -q scsi_debug
	modprobe -q scsi_debug "$@" || _skip "no scsi_debug"
	_defer _wait_for modprobe -r -q scsi_debug
	_wait_for _scsi_debug_disk || _bail "scsi_debug: no disk"
}

_scsi_debug_disk() {
	local sys
	for sys in /sys/bus/pseudo/drivers/scsi_debug/adapter*/host*/target*/*:*/block/*; do
		DEV=${sys##*/}
		[ -b "/dev/$DEV" ] && return
	done
	return 1
}

# _nomerges DEV N: 0 all merges, 1 the simple ones, 2 none.
_nomerges() {
	echo "$2" >"/sys/block/$1/queue/nomerges"
}

# _nap SECONDS: sleep without a program, which would cost more than the nap.
exec {NAP}<> <(:)
_nap() {
	read -r -t "$1" -u "$NAP"
}

# _wait_for COMMAND...: until it succeeds. The bound of two minutes is for what
# never comes; on a loaded machine without KVM, a program takes seconds to start.
_wait_for() {
	local i
	for ((i = 0; i < 1200; i++)); do
		"$@" && return
		_nap 0.1
	done
	return 1
}

# _partition DEV: two partitions of 32 MiB, at 1 MiB and at 128 MiB.
_partition() {
	local entry='\0\0\0\0\203\0\0\0'
	[ "$(cat "/sys/block/$1/size")" -ge 327680 ] || _bail "$1 is smaller than 160 MiB"
	{
		head -c 446 /dev/zero
		printf '%b' "$entry\0\010\0\0\0\0\001\0" "$entry\0\0\004\0\0\0\001\0"
		head -c 32 /dev/zero
		printf '\125\252'
	} | dd of="/dev/$1" bs=512 iflag=fullblock status=none
	_defer _unpartition "$1"
	blockdev --rereadpt "/dev/$1"
	_wait_for [ -b "/dev/${1}2" ] || _bail "no partitions on $1"
}

_unpartition() {
	dd if=/dev/zero of="/dev/$1" bs=512 count=1 status=none
	_wait_for blockdev --rereadpt "/dev/$1" 2>/dev/null
}

# _ext4 DEV: a fresh file system on it, mounted; sets MNT.
_ext4() {
	MNT=$TMP/mnt
	mkdir -p "$MNT"
	mkfs.ext4 -q -F -E nodiscard,lazy_itable_init=0 "/dev/$1" 48m >/dev/null 2>&1 || _bail "mkfs.ext4 $1"
	mount -t ext4 "/dev/$1" "$MNT" || _bail "mount $1"
	_defer _umount "$MNT"
}

_umount() {
	! mountpoint -q "$1" || _wait_for umount "$1"
}
