#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Levels: slices of BE 0 and BE 7 are 180 ms and 40 ms, so on a disk of constant
# speed their reads are 4.5 to 1; equal levels share equally. The job named first
# reads alone until the second has started, hence the many reads and wide bounds.
# They read different areas, so that they do not become one queue.

. ./test_common.sh

# _levels DEV LEVEL-A LEVEL-B
_levels() {
	_shares --filename="/dev/$1" --iodepth=8 --number_ios="${RCFQ_IOS:-1500}" \
		--name=a --prioclass=2 --prio="$2" --name=b --offset=32m --prioclass=2 --prio="$3"
}

_need_own

_plan 4
_null_add rcfq1 size=64 submit_queues=1 rotational=1 irqmode=2 completion_nsec=1500000 hw_queue_depth=1
_use_sched rcfq1
echo 64 >/sys/block/rcfq1/queue/nr_requests
_set_tunable rcfq1 low_latency 0
_set_tunable rcfq1 slice_idle_auto 0
read -r a b <<<"$(_levels rcfq1 0 7)"
_check "BE 0 ($a) to BE 7 ($b) is 2 to 8" _ratio "$a" "$b" 20 80
read -r a b <<<"$(_levels rcfq1 7 0)"
_check "BE 7 ($a) to BE 0 ($b), the other way round" _ratio "$b" "$a" 20 80
read -r a b <<<"$(_levels rcfq1 4 4)"
_check "BE 4 ($a) to BE 4 ($b) is equal" _ratio "$a" "$b" 6 16
_check "nothing lost" _conserved rcfq1
_done
