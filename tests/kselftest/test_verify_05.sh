#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The file system survives: after a load with the elevator, e2fsck finds
# nothing, on the rotational disk and on null_blk with four hardware queues.

. ./test_common.sh

_files() {
	local i
	for ((i = 0; i < 60; i++)); do
		head -c $((i * 977)) /dev/urandom >"$MNT/$i" || return
		[ $((i % 10)) -ne 0 ] || sync "$MNT/$i" || return
		[ $((i % 3)) -ne 0 ] || rm "$MNT/$i" || return
	done
	(cd "$MNT" && find . -type f -exec sha1sum {} + | sort) >"$TMP/sums.$1"
}

_fsck() {
	e2fsck -fn "/dev/$1" >"$TMP/fsck" 2>&1 && return
	sed 's/^/# /' "$TMP/fsck"
	return 1
}

_same() {
	mount "/dev/$1" "$MNT" && (cd "$MNT" && sha1sum --quiet -c "$TMP/sums.$1")
}

_need_program e2fsck sha1sum
_need_sched
_need_disk hdd

_plan 6
_null_add rcfq4 memory_backed=1 size=64 submit_queues=4
for dev in "$DEV" rcfq4; do
	_use_sched "$dev"
	_ext4 "$dev"
	_check "$dev: files written" _files "$dev"
	_umount "$MNT"
	echo 3 >/proc/sys/vm/drop_caches
	_check "$dev: e2fsck is content" _fsck "$dev"
	_check "$dev: files as written" _same "$dev"
	_umount "$MNT"
done
_done
