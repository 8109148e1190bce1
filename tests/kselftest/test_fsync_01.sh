#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# fsync beside readers: four readers keep the disk busy while a task writes files of
# 64 KiB on ext4 and syncs each. Under rcfq that takes at most half as long again as
# under mq-deadline: the writes and the journal interrupt the readers. Both are
# measured in turns in one boot; their ratio counts, no time does.

. ./test_common.sh

N=${RCFQ_IOS:-48}

# _sync_time SCHED: adds what N files took to TIME[SCHED], in milliseconds.
declare -A TIME=([mq-deadline]=0 [rcfq]=0)
_sync_time() {
	local ms
	_set_sched rcfq1 "$1" || return
	[ "$1" != rcfq ] || [ -z "${RCFQ_SET:-}" ] || _set_tunable rcfq1 "${RCFQ_SET%=*}" "${RCFQ_SET#*=}"
	ms=$(fio --output-format=terse --terse-version=3 --thread \
		--name=sync --directory="$MNT" --rw=write --bs=64k --filesize=64k --nrfiles="$N" --openfiles=1 \
		--file_service_type=sequential --fsync=1 --ioengine=psync --direct=0 --exitall \
		--name=reader --filename=/dev/rcfq1 --offset=64m --offset_increment=40m --size=32m \
		--rw=read --bs=128k --direct=1 --ioengine=psync --numjobs=4 --time_based --runtime=600 |
		awk -F ';' '$1 == 3 && $3 == "sync" && !$5 && $47 == 64 * n { print $50 }' n="$N")
	[ -n "$ms" ] || return
	ktap_print_msg "$1: $ms ms for $N files"
	((TIME[$1] += ms))
	[ "$1" != rcfq ] || { _stats rcfq1 && ((INTERRUPTIONS += STAT[interruptions])); }
}

_need_own
_plan 7
INTERRUPTIONS=0
_null_add rcfq1 memory_backed=1 size=256 submit_queues=1 rotational=1 irqmode=2 \
	completion_nsec=4000000 hw_queue_depth=32
_ext4 rcfq1
_use_sched rcfq1
for sched in mq-deadline rcfq mq-deadline rcfq; do
	_check "all files are safe under $sched" _sync_time "$sched"
done
_check "rcfq (${TIME[rcfq]} ms) takes at most 1.5 times as long as mq-deadline (${TIME[mq-deadline]} ms)" \
	_cmp $((TIME[rcfq] * 10)) -le $((TIME[mq-deadline] * 15))
_check "by interrupting readers" _cmp "$INTERRUPTIONS" -ge "$N"
_umount "$MNT"
_check "nothing lost" _conserved rcfq1
_done
