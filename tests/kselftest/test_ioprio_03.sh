#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# ionice changes a process that is running: of two readers with equal shares one
# is put into the idle class, back, into the real time class, and back. Each has a
# partition, whose reads are counted, on a disk that takes one request at a time;
# shares are compared over a number of reads, so the speed of the machine is of no
# account.

. ./test_common.sh

N=${RCFQ_IOS:-400}
IONICE=${RCFQ_IONICE:-ionice}

_reads() {
	local s
	read -ra s <"/sys/block/rcfqa/rcfqa$1/stat"
	echo "${s[0]}"
}

# _contest: sets A and B to the reads that each gets of the next N. What was under
# way before the change is let through first.
_contest() {
	_progress rcfqa 20 || _bail "the readers stand still"
	A=$(_reads 1) B=$(_reads 2)
	_progress rcfqa "$N" || _bail "the readers stand still"
	A=$(($(_reads 1) - A)) B=$(($(_reads 2) - B))
}

_equal() {
	_cmp $(($1 * 2)) -ge "$2" && _cmp $(($2 * 2)) -ge "$1"
}

# _most MUCH LITTLE
_most() {
	_cmp $(($2 * 10)) -le "$1"
}

_ionice() {
	"$IONICE" "$@" -p "$BG" || _bail "ionice $*"
	_contest
}

_reader() {
	_bg dd if="/dev/rcfqa$1" of=/dev/null bs=4k iflag=direct status=none
}

_need_program ionice
_need_sched

_plan 7
_null_add rcfqa memory_backed=1 size=256 submit_queues=1 rotational=1 irqmode=2 \
	completion_nsec=3000000 hw_queue_depth=1
_partition rcfqa
_use_sched rcfqa
# A slow machine must not make a reader look like one that has paused.
[ "$RCFQ_SCHED" != rcfq ] || _set_tunable rcfqa slice_idle 200
_reader 1
first=$BG
_reader 2
_progress rcfqa 100
_ionice -c 2 -n 4
_check "the same class: $A and $B" _equal "$A" "$B"
_ionice -c 3
_check "the second is made idle: $A and $B" _most "$A" "$B"
_ionice -c 2 -n 4
_check "and best effort again: $A and $B" _equal "$A" "$B"
_ionice -c 1 -n 4
_check "it is made real time: $A and $B" _most "$B" "$A"
_ionice -c 2 -n 4
_check "and best effort again: $A and $B" _equal "$A" "$B"
_check "both are reading still" kill -0 "$first" "$BG"
_kill "$first"
_kill "$BG"
_check "nothing lost" _conserved rcfqa
_done
