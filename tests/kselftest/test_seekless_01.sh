#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A disk that calls itself rotational but does not seek is noticed, and then nobody
# waits for a reader any more; slice_idle_auto 0 keeps on waiting. A disk that
# takes 8 ms for each far read is not taken for one. The fast disk completes inside
# the call, so that a slow machine cannot make it look like a slow disk.

. ./test_common.sh

N=${RCFQ_IOS:-150}

# _random DEV: one reader all over the disk, one request at a time.
_random() {
	_stats_mark "$1"
	_fio --name=x --filename="/dev/$1" --rw=randread --direct=1 --bs=4k --size=1g --norandommap \
		--ioengine=psync --number_ios="$N" && _conserved "$1"
}

_is_seekless() {
	_is "${STAT[now_seekless]}" "$1"
}

_need_own

_plan 13
_null_add rcfqf size=1024 submit_queues=1 rotational=1 irqmode=0
_null_add rcfqs size=1024 submit_queues=1 rotational=1 irqmode=2 completion_nsec="${RCFQ_NSEC:-8000000}"
for dev in rcfqf rcfqs; do
	_use_sched "$dev"
	_set_tunable "$dev" slice_idle 200
done

_stats rcfqf
_check "fast: not known at first" _is_seekless 0
_check "fast: a random reader" _random rcfqf
_check "fast: noticed" _is_seekless 1
_check "fast: the reader again" _random rcfqf
_check "fast: nobody is waited for" _is "$(_since idle_armed)" 0
_set_tunable rcfqf slice_idle_auto 0
_check "fast, slice_idle_auto 0: the reader again" _random rcfqf
_check "fast, slice_idle_auto 0: the disk waits for it" _cmp "$(_since idle_armed)" -ge $((N / 2))
_check "fast, slice_idle_auto 0: what was noticed is still shown" _is_seekless 1
_set_tunable rcfqf slice_idle_auto 1
_check "fast, slice_idle_auto 1: the reader again" _random rcfqf
_check "fast, slice_idle_auto 1: nobody is waited for" _is "$(_since idle_armed)" 0

_check "slow: a random reader" _random rcfqs
_check "slow: it seeks" _is_seekless 0
_check "slow: the disk waits for it" _cmp "$(_since idle_armed)" -ge $((N / 2))
_done
