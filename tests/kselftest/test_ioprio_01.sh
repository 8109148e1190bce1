#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Classes: RT before BE before IDLE, on a slow rotational disk that takes one
# request at a time. Reads completed are counted when the first job is through.

. ./test_common.sh

N=${RCFQ_IOS:-200}
RT=${RCFQ_CLASS_RT:-1}

# _classes DEV N CLASS-A CLASS-B
_classes() {
	_shares --filename="/dev/$1" --iodepth=32 --number_ios="$2" \
		--name=a --prioclass="$3" --prio=4 --name=b --offset=32m --prioclass="$4" --prio=4
}

# _first FIRST SECOND: the first got everything but what was under way before.
_first() {
	_cmp "$1" -ge "$N" && _cmp $(($2 * 4)) -le "$1"
}

_need_sched

_plan 7
for queues in 1 4; do
	dev=rcfq$queues
	_null_add "$dev" size=64 submit_queues="$queues" rotational=1 irqmode=2 \
		completion_nsec=1000000 hw_queue_depth=1
	_use_sched "$dev"
	echo 128 >"/sys/block/$dev/queue/nr_requests"
	# A slow machine must not make the first job look like one that has paused, nor
	# may the constant speed look like that of a disk that does not seek.
	[ "$RCFQ_SCHED" != rcfq ] ||
		{ _set_tunable "$dev" slice_idle 200 && _set_tunable "$dev" slice_idle_auto 0; }
	read -r rt be <<<"$(_classes "$dev" "$N" "$RT" 2)"
	_check "$queues queues: RT ($rt) before BE ($be)" _first "$rt" "$be"
	read -r be idle <<<"$(_classes "$dev" "$N" 2 3)"
	_check "$queues queues: BE ($be) before IDLE ($idle)" _first "$be" "$idle"
	read -r rt idle <<<"$(_classes "$dev" "$N" "$RT" 3)"
	_check "$queues queues: RT ($rt) before IDLE ($idle)" _first "$rt" "$idle"
done
read -r idle <<<"$(_shares --filename=/dev/rcfq1 --iodepth=4 --number_ios=20 --name=a --prioclass=3)"
_check "IDLE alone is served" _is "$idle" 20
_done
