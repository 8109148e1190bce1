# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2154 # scripts/guest/bench sets the variables
#
# One virtual nanosecond is one instruction. null_blk does nothing, at once.

disks() {
	echo null
}
start() {
	null_load
}
stop() {
	null_unload
}
cases() {
	printf '%s\n' {sync,single,batch}-{randread-1,randread-4,read-4,randwrite-4}
	printf 'processes-%s\n' 1 16 256 2048
}
run() {
	local kind rw jobs count engine=psync batch=1
	IFS=- read -r kind rw jobs <<<"$1"
	case $kind in
	processes) jobs=$rw rw=randread ;;
	single) engine=libaio ;;
	batch) engine=libaio batch=16 ;;
	esac
	count=$((16384 / jobs))
	ENGINE=$engine RW=$rw JOBS=$jobs COUNT=$count BATCH=$batch job cost.fio
}
