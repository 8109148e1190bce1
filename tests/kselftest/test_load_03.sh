#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Writing the name into queue/scheduler loads the module.

. ./test_common.sh

_need_unloadable
modprobe -n -q "$RCFQ_SCHED-iosched" || _skip "modprobe does not know $RCFQ_SCHED-iosched"

_plan 5
_null_add rcfq1 memory_backed=1 size=16 submit_queues=1
_check "unloaded" _wait_for rmmod "$MOD"
_check "the module is gone" [ ! -d "/sys/module/$MOD" ]
_use_sched rcfq1
_check "the module is back" [ -d "/sys/module/$MOD" ]
_check "the name is active" _is "$(_sched rcfq1)" "$RCFQ_SCHED"
_check "it does I/O" _verify /dev/rcfq1 --size=1m
_done
