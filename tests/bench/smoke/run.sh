# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2154 # scripts/guest/bench sets the variables
#
# A little of what the other workloads show, for make check.

disks() {
	echo null hd103sj-1seg
}
start() {
	case $1 in
	null) null_load ;;
	*) disk_start "$1" ;;
	esac
}
stop() {
	case $disk in
	nullb0) null_unload ;;
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
