#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The module cannot be unloaded while a disk uses it, and can afterwards.

. ./test_common.sh

_need_unloadable

_plan 7
_null_add rcfq1 memory_backed=1 size=16 submit_queues=1
_null_add rcfq4 memory_backed=1 size=16 submit_queues=4
_use_sched rcfq1
_use_sched rcfq4
_check "refused while two disks use it" _not rmmod "$MOD" 2>/dev/null
_set_sched rcfq1 none
_load rcfq4
_check "I/O runs on the other" _progress rcfq4 100
_check "refused while one disk uses it, under load" _not rmmod "$MOD" 2>/dev/null
_check "the load goes on" _progress rcfq4 100
_kill "$BG"
_check "nothing lost" _conserved rcfq4
_set_sched rcfq4 none
_check "unloaded when nobody uses it" _wait_for rmmod "$MOD"
_check "loaded again" _load_sched "$RCFQ_SCHED"
_done
