#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Priority on flash that has room for all: the worse may fill a part of it only,
# while their betters are at work. Each request takes the same time, however many
# there are, so shares are numbers of requests with the device: of 32, 16 for the
# better process, an eighth for the class below, one for the idle class, half by
# the ratio of the slices for a worse level.

. ./test_common.sh

N=${RCFQ_IOS:-400}
RT=${RCFQ_CLASS_RT:-1}

# _pair CLASS-A LEVEL-A CLASS-B LEVEL-B
_pair() {
	_shares --filename=/dev/rcfq1 --iodepth=16 --number_ios="$N" \
		--name=a --prioclass="$1" --prio="$2" --name=b --offset=32m --prioclass="$3" --prio="$4"
}

_need_own

_plan 6
_null_add rcfq1 size=64 submit_queues=1 rotational=0 irqmode=2 completion_nsec=100000000 hw_queue_depth=32
_use_sched rcfq1
read -r a b <<<"$(_pair "$RT" 4 2 4)"
_check "RT ($a) to BE ($b) is 2 to 10" _ratio "$a" "$b" 20 100
read -r a b <<<"$(_pair 2 4 3 0)"
_check "BE ($a) to IDLE ($b) is 5 to 60" _ratio "$a" "$b" 50 600
read -r a b <<<"$(_pair 2 0 2 7)"
_check "BE 0 ($a) to BE 7 ($b) is 2 to 16" _ratio "$a" "$b" 20 160
read -r a b <<<"$(_pair 2 7 2 0)"
_check "BE 7 ($a) to BE 0 ($b), the other way round" _ratio "$b" "$a" 20 160
read -r a b <<<"$(_pair 2 4 2 4)"
_check "BE 4 ($a) to BE 4 ($b) is equal" _ratio "$a" "$b" 7 14
_check "nothing lost" _conserved rcfq1
_done
