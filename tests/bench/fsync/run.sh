# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2154 # scripts/guest/bench sets the variables
#
# The file system is at the start of the disk, the readers are behind it.

disks() {
	echo hd103sj-1seg
}
start() {
	disk_start "$1" --keep
	modprobe ext4
	mkfs.ext4 -q -F -E lazy_itable_init=0,lazy_journal_init=0 "/dev/$disk" 2g
}
cases() {
	echo alone readers4
}
prepare() {
	mountpoint -q /mnt && umount /mnt
	mount "/dev/$disk" /mnt
	rm -rf /mnt/files
	mkdir /mnt/files
	sync
}
run() {
	local seconds=20
	# Alone each takes the same.
	[ "$1" != alone ] || seconds=5
	job "$1.fio" --runtime="$seconds"
	umount /mnt
}
