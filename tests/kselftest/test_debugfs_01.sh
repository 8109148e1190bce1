#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The elevator's debugfs files are read without pause while it comes and goes.
# It alternates with none, which has no files: those of mq-deadline and kyber
# may crash here.

. ./test_common.sh

DIR=/sys/kernel/debug/block/rcfq4/sched

_reader() {
	local f
	while :; do
		for f in "$DIR"/*; do
			cat "$f"
		done
	done >/dev/null 2>&1
}

_switches() {
	local i
	for ((i = 0; i < ${RCFQ_ROUNDS:-15}; i++)); do
		_set_sched rcfq4 none && _set_sched rcfq4 "$RCFQ_SCHED" || return
	done
}

_need_own

_plan 4
_null_add rcfq4 memory_backed=1 size=32 submit_queues=4 irqmode=2 completion_nsec=100000
_use_sched rcfq4
_check "there are files" [ -r "$DIR/stats" ]
_load rcfq4
_bg _reader
_check "switched under a reader" _switches
_check "I/O goes on" _progress rcfq4 50
_check "counters can be read" _stats rcfq4
_done
