#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The harness itself: what the other tests rely on does find faults.

. ./test_common.sh

_need_program fio mkfs.ext4 ionice

# _log_finds LINE: a line of that kind is found, and only when it is new.
_log_finds() {
	_log_mark
	_log_clean || return
	echo "rcfq-selftest: injected $1" >/dev/kmsg
	_not _log_clean || return
	_log_mark
	_log_clean
}

_plan 12
for line in 'WARNING: CPU: 0 PID: 1 at x.c:1' 'BUG: KASAN: slab-use-after-free' \
	'INFO: task fio:1 blocked for more than 122 seconds.' \
	'WARNING: possible circular locking dependency detected'; do
	_check "found in the log: ${line%% at*}" _log_finds "$line"
done

_null_add rcfq0 memory_backed=1 size=16 submit_queues=1
_use_sched rcfq0 none
_check "verify accepts good data" _verify /dev/rcfq0 --size=1m
dd if=/dev/urandom of=/dev/rcfq0 bs=4k count=1 seek=7 oflag=direct conv=notrunc status=none
_check "verify finds one bad block" \
	_not _verify /dev/rcfq0 --size=1m --verify_only --output-format=terse
_bg_verify /dev/rcfq0 --size=1m
_progress rcfq0 1000
_check "a background verify accepts good data" _stop_verify
_bg_verify /dev/rcfq0 --size=1m --verify_backlog=0
for i in {1..40}; do
	dd if=/dev/urandom of=/dev/rcfq0 bs=256k count=4 oflag=direct conv=notrunc status=none
done
_check "a background verify finds bad blocks" _not _stop_verify
_check "an unknown elevator is refused" _not _set_sched rcfq0 nosuch
_check "a disk at rest makes no progress" \
	_not _reached rcfq0 $(($(_ios rcfq0) + 1))
_check "unequal numbers fail" _not _cmp 1 -eq 2
_check "something not a number fails" _not _cmp '' -ge 0
_done
