# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2154 # scripts/guest/bench sets the variables
#
# A little of what the other workloads show, for make check.

disks() {
	echo null hd103sj-1seg
}
start() {
	case $1 in
	null)
		modprobe null_blk nr_devices=1 gb=4 irqmode=0 queue_mode=2 submit_queues=1 hw_queue_depth=64
		disk=nullb0 ;;
	*) disk_start "$1" ;;
	esac
}
stop() {
	case $disk in
	nullb0) modprobe -r null_blk ;;
	*) disk_stop ;;
	esac
}
variants() {
	echo mq-deadline rcfq
}
cases() {
	case $1 in
	null) echo sync single batch ;;
	*) echo read1 read4 rand2-seq1 ;;
	esac
}
run() {
	local engine=psync batch=1
	case $1 in
	single) engine=libaio ;;
	batch) engine=libaio batch=16 ;;
	esac
	case $1 in
	sync | single | batch)
		here=$here/../cost ENGINE=$engine RW=randread JOBS=4 COUNT=4096 BATCH=$batch job cost.fio ;;
	rand2-seq1) here=$here/../noidle-mix job rand2-seq1.fio --runtime=5 ;;
	*) here=$here/../jobs-1-8 RW=read JOBS=${1#read} job jobs.fio --runtime=1 ;;
	esac
}
