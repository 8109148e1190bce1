# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2154 # scripts/guest/bench sets the variables
#
# One virtual nanosecond is one instruction. null_blk does nothing, at once; or after a microsecond,
# so that each process sleeps and very many take turns.

disks() {
	echo null null-1us
}
start() {
	case $1 in
	null) null_load ;;
	*) null_load irqmode=2 completion_nsec=1000 ;;
	esac
}
stop() {
	null_unload
}
prepare() {
	[ -e sleep ] || cp "$(type -P sleep)" .
}
cases() {
	case $1 in
	null) printf '%s\n' {sync,single,batch}-{randread-1,randread-4,read-4,randwrite-4} ;;
	*) printf 'processes-%s\n' 1 16 256 2048 ;;
	esac
}
# With so many processes offsets make no difference, and each run takes its time.
seeds_of() {
	case $1 in
	processes-*) echo "${seeds[0]}" ;;
	*) echo "${seeds[@]}" ;;
	esac
}
# many PROCESSES: what an I/O takes while all of them are at it. fio would count each by its own
# time, and they do not begin together.
many() {
	local reads from then pid
	JOBS=$1 DEV=/dev/$disk LD_LIBRARY_PATH=. ./fio --output=/dev/null --randseed="$seed" "$here/processes.fio" &
	pid=$!
	read -r from _ <"/sys/block/$disk/stat"
	while read -r reads _ <"/sys/block/$disk/stat" && [ $((reads - from)) -lt $((8 * $1)) ]; do
		kill -0 "$pid" || return
		./sleep 0.01
	done
	from=$reads then=${EPOCHREALTIME/./}
	./sleep 0.3
	read -r reads _ <"/sys/block/$disk/stat"
	[ "$reads" -gt "$from" ] || return
	metrics instructions_many $(((${EPOCHREALTIME/./} - then) * 1000 / (reads - from)))
	kill -KILL "$pid" || return
	wait "$pid" || :
}
run() {
	local kind rw jobs count engine=psync batch=1
	IFS=- read -r kind rw jobs <<<"$1"
	case $kind in
	processes)
		many "$rw"
		return ;;
	single) engine=libaio ;;
	batch) engine=libaio batch=16 ;;
	esac
	# fio tells the time in milliseconds, and batches are fast.
	count=$((batch == 1 ? 16384 / jobs : 65536 / jobs))
	ENGINE=$engine RW=$rw JOBS=$jobs COUNT=$count BATCH=$batch job cost.fio
}
