#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# nr_requests and async_depth change under a verified load, from 4 to 1024 and
# back, one and four hardware queues. A device that takes one request at a time
# keeps one for readers, too.

. ./test_common.sh

# _set DEV ATTRIBUTE VALUE: a writer may get EBUSY, so try again.
_set() {
	_wait_for _set_queue "$@" && _is "$(cat "/sys/block/$1/queue/$2")" "$3"
}

_set_queue() {
	echo "$3" >"/sys/block/$1/queue/$2"
} 2>/dev/null

# The core keeps async_depth within nr_requests, so the last is a large one.
_resize() {
	local n
	for n in 4 256 8 1024 5 128; do
		_set "$1" nr_requests "$n" && _progress "$1" 20 || return
	done
}

_async() {
	local n
	for n in 1 64 2; do
		_set "$1" async_depth "$n" && _progress "$1" 20 || return
	done
}

_need_sched

_plan 10
for queues in 1 4; do
	dev=rcfq$queues
	_null_add "$dev" memory_backed=1 size=32 submit_queues="$queues" irqmode=2 \
		completion_nsec=100000 hw_queue_depth=16
	_use_sched "$dev"
	_bg_verify "/dev/$dev" --size=1m --numjobs=3 --offset_increment=4m --iodepth=64
	_check "$queues queues: nr_requests" _resize "$dev"
	_check "$queues queues: async_depth" _async "$dev"
	_check "$queues queues: data right" _stop_verify
	_check "$queues queues: nothing lost" _conserved "$dev"
done

_null_add rcfq0 memory_backed=1 size=32 submit_queues=1 hw_queue_depth=1
_use_sched rcfq0
queue=/sys/block/rcfq0/queue
_check "one at a time: a reader keeps a request" _is "$(cat "$queue/nr_requests" "$queue/async_depth" | xargs)" "2 1"
_set rcfq0 nr_requests 128
_check "raised: readers keep their part" [ "$(cat "$queue/async_depth")" -lt 128 ]
_done
