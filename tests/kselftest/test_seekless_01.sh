#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A disk that calls itself rotational but does not seek is noticed, and then nobody
# waits for a reader any more; slice_idle_auto 0 keeps on waiting. A disk that
# takes 8 ms for each far read is not taken for one. The fast disk completes inside
# the call, so that a slow machine cannot make it look like a slow disk; waits are
# counted per so many reads.

. ./test_common.sh

N=${RCFQ_IOS:-150}

# _reader DEV: all over the disk, one request at a time.
_reader() {
	_bg fio --name=reader --filename="/dev/$1" --rw=randread --direct=1 --bs=4k --size=1g --norandommap \
		--ioengine=psync --thread --time_based --runtime=600 --output=/dev/null 2>/dev/null
}

# _reads DEV: N more reads, of which the counters then tell.
_reads() {
	_progress "$1" 20 || return
	_stats_mark "$1"
	_progress "$1" "$N" && _stats "$1"
}

_is_seekless() {
	_is "${STAT[now_seekless]}" "$1"
}

_need_own

_plan 15
_null_add rcfqf size=1024 submit_queues=1 rotational=1 irqmode=0
_null_add rcfqs size=1024 submit_queues=1 rotational=1 irqmode=2 completion_nsec="${RCFQ_NSEC:-8000000}"
for dev in rcfqf rcfqs; do
	_use_sched "$dev"
	_set_tunable "$dev" slice_idle 200
done

_stats rcfqf
_check "fast: not known at first" _is_seekless 0
_reader rcfqf
_check "fast: a random reader" _reads rcfqf
_check "fast: noticed" _is_seekless 1
_check "fast: more reads" _reads rcfqf
_check "fast: nobody is waited for" _is "$(_since idle_armed)" 0
_set_tunable rcfqf slice_idle_auto 0
_check "fast, slice_idle_auto 0: more reads" _reads rcfqf
_check "fast, slice_idle_auto 0: the disk waits" _cmp "$(_since idle_armed)" -ge $((N / 2))
_check "fast, slice_idle_auto 0: what was noticed is still shown" _is_seekless 1
_set_tunable rcfqf slice_idle_auto 1
_check "fast, slice_idle_auto 1: more reads" _reads rcfqf
_check "fast, slice_idle_auto 1: nobody is waited for" _is "$(_since idle_armed)" 0
_kill "$BG"
_check "fast: nothing lost" _conserved rcfqf

_reader rcfqs
_check "slow: a random reader" _reads rcfqs
_check "slow: it seeks" _is_seekless 0
_check "slow: the disk waits for it" _cmp "$(_since idle_armed)" -ge $((N / 2))
_kill "$BG"
_check "slow: nothing lost" _conserved rcfqs
_done
