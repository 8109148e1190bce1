#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# debugfs files of the elevator held open over a switch and an unload. The
# core's release function still reads the attribute table of the module.

. ./test_common.sh

DIR=/sys/kernel/debug/block/rcfq1/sched

_need_own
_need_unloadable

_read_all() {
	local f
	for f in "$DIR"/*; do
		cat "$f" >/dev/null || return
	done
}

# _read_rest: whatever it gives, the kernel log judges.
_read_rest() {
	cat <&8 >/dev/null 2>&1 || true
}

_plan 6
_null_add rcfq1 memory_backed=1 size=16 submit_queues=1
_use_sched rcfq1
_check "files can be read" _read_all
exec 7<"$DIR/stats"
read -r -u 7 first
_check "the file has content" [ -n "$first" ]
exec 8<"$DIR/stats"
_set_sched rcfq1 none
_check "reading after the switch does not crash" _read_rest
_check "unloaded with the files open" _wait_for rmmod "$MOD"
exec 7<&- 8<&-
_check "loaded again" _load_sched "$RCFQ_SCHED"
_set_sched rcfq1 "$RCFQ_SCHED"
_check "files can be read again" _read_all
_done
