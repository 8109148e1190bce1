#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Requests come back: scsi_debug answers every fifth command "host busy", then
# "task set full", then "transport error, retry". Nothing is lost or done twice.

. ./test_common.sh

OPTS=/sys/bus/pseudo/drivers/scsi_debug/opts
NTH=/sys/bus/pseudo/drivers/scsi_debug/every_nth

# _with OPTS: a verified load with that error injected
_with() {
	local rc
	echo "$1" >"$OPTS"
	echo "${RCFQ_EVERY_NTH:-5}" >"$NTH"
	_verify "/dev/$DEV" --size=1m
	rc=$?
	echo 0 >"$NTH"
	echo 0 >"$OPTS"
	return $rc
}

_need_sched

_plan 5
_scsi_debug dev_size_mb=16 delay=0 ndelay=50000
_use_sched "$DEV"
_check "host busy: data right" _with 0x8000
_check "task set full: data right" _with 0x800
_check "transport error: data right" _with 0x10
_check "nothing lost" _conserved "$DEV"
if [ "$RCFQ_SCHED" = rcfq ]; then
	_check "requests were requeued" _cmp "${STAT[requeued]}" -gt 0
else
	ktap_test_skip "only rcfq counts requeues"
fi
_done
