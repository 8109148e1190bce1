#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The sample elevator "fifo": loads, keeps data right, is switched under load,
# unloads. It uses the abstraction and nothing of rcfq.

RCFQ_SCHED=fifo
. ./test_common.sh

_there_and_back() {
	local i
	for ((i = 0; i < 5; i++)); do
		_set_sched "$1" none && _progress "$1" 10 || return
		_set_sched "$1" fifo && _progress "$1" 10 || return
	done
}

_need_unloadable

_plan 10
for queues in 1 4; do
	dev=rcfq$queues
	_null_add "$dev" memory_backed=1 size=32 submit_queues="$queues" irqmode=2 completion_nsec=100000
	_use_sched "$dev"
	_check "$queues queues: active" _is "$(_sched "$dev")" fifo
	_check "$queues queues: data right" _verify "/dev/$dev" --size=1m
	_bg_verify "/dev/$dev" --size=512k --numjobs=2 --offset_increment=4m
	_check "$queues queues: switched under load" _there_and_back "$dev"
	_check "$queues queues: data right" _stop_verify
done
_check "not unloaded while in use" _not rmmod "$MOD" 2>/dev/null
_set_sched rcfq1 none
_set_sched rcfq4 none
_check "unloaded" _wait_for rmmod "$MOD"
_load_sched fifo
_done
