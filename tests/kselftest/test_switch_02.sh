#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Switching under a verified load on an ext4 file system: SATA rotational,
# SATA SSD, NVMe.

. ./test_common.sh

_there_and_back() {
	local name
	for name in none "$RCFQ_SCHED" mq-deadline "$RCFQ_SCHED" bfq "$RCFQ_SCHED"; do
		_set_sched "$1" "$name" || return
		_is "$(_sched "$1")" "$name" || return
		_progress "$1" 20 || return
	done
}

_need_sched
_need_others bfq
devs=()
for kind in hdd ssd nvme; do
	_need_disk "$kind"
	devs+=("$DEV")
done

_plan 6
for DEV in "${devs[@]}"; do
	_use_sched "$DEV"
	_ext4 "$DEV"
	_bg_verify "$MNT/file" --size=1m --numjobs=2 --offset_increment=2m
	_check "$DEV: switched under load" _there_and_back "$DEV"
	_check "$DEV: data right" _stop_verify
	_umount "$MNT"
done
_done
