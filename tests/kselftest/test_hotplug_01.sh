#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Processors go offline and come back under a verified load.

. ./test_common.sh

CPU=/sys/devices/system/cpu/cpu1/online

_toggle() {
	local i state
	for ((i = 0; i < ${RCFQ_ROUNDS:-4}; i++)); do
		for state in 0 1; do
			echo $state >$CPU && _progress rcfq4 30 || return
		done
	done
}

_online() {
	echo 1 >$CPU
}

_need_sched
[ -w $CPU ] || _skip "cpu1 cannot be switched off"

_plan 4
_null_add rcfq4 memory_backed=1 size=32 submit_queues=4 irqmode=2 completion_nsec=100000
_use_sched rcfq4
_bg_verify /dev/rcfq4 --size=1m --numjobs=3 --offset_increment=4m
_defer _online
_check "off and on" _toggle
_check "it is online" _is "$(cat $CPU)" 1
_check "data right" _stop_verify
_check "nothing lost" _conserved rcfq4
_done
