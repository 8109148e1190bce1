#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Writeback throttling, which would hold back what rcfq is to order: off while
# rcfq is in use, and as before afterwards.

. ./test_common.sh

# _throttled DEV: the latency that it aims at, 0 if it is off.
_throttled() {
	cat "/sys/block/$1/queue/wbt_lat_usec" 2>/dev/null
}

_need_sched
_need_others mq-deadline
dev=rcfq1
_null_add "$dev" size=32 irqmode=0
_set_sched "$dev" none
before=$(_throttled "$dev")
[ "${before:-0}" != 0 ] || _skip "this kernel does not throttle writeback"

_plan 4
for next in none mq-deadline; do
	_set_sched "$dev" "$RCFQ_SCHED"
	_check "off" _is "$(_throttled "$dev")" 0
	_set_sched "$dev" "$next"
	_check "$next: as before" _is "$(_throttled "$dev")" "$before"
done
_done
