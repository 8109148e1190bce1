# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# What the scripts that run in a guest with a modelled disk share. Sourced. The
# guest must count instructions: scripts/vm.sh --icount.

# load_fio: fio and its libraries into the present folder, which is in memory:
# pages from the host's file system come at the host's pace.
load_fio() {
	cp "$(type -P fio)" .
	ldd fio | sed -n 's/.* => \(\/[^ ]*\).*/\1/p' | xargs cp -t .
}
# null_load [PARAMETER]..., null_unload: nullb0, a device that does nothing, at once unless told
# otherwise.
null_load() {
	[ $# != 0 ] || set -- irqmode=0
	modprobe null_blk nr_devices=1 gb=4 queue_mode=2 submit_queues=1 hw_queue_depth=64 "$@"
	disk=nullb0
}
null_unload() {
	modprobe -r null_blk
}
# empty_cache: writers are to wait for the disk, not to fill the memory.
empty_cache() {
	echo 16777216 >/proc/sys/vm/dirty_background_bytes
	echo 33554432 >/proc/sys/vm/dirty_bytes
	sync
	echo 1 >/proc/sys/vm/drop_caches
}

bench_setup() {
	local program=$RCFQ_TOP/build/bench/target/x86_64-unknown-linux-gnu/release/rcfq-disk
	[ -x "$program" ] || { echo "no rcfq-disk: run scripts/bench-disk.sh first" >&2; exit 1; }
	mkdir -p /tmp/bench
	cd /tmp/bench || exit 1
	cp "$program" .
	load_fio
	modprobe ublk_drv
	trap '[ -z "$disk_pid" ] || kill "$disk_pid"' EXIT
}

# set_scheduler NAME: of the disk. A switch may be refused while somebody else reads the file.
set_scheduler() {
	local file=/sys/block/$disk/queue/scheduler try
	for ((try = 0; try < 100; try++)); do
		! echo "$1" >"$file" 2>/dev/null || break
		sleep 0.01
	done
	[[ $(cat "$file") == *"[$1]"* ]] || { echo "the disk $disk does not take the scheduler $1" >&2; return 1; }
}

# disk_start MODEL [OPTION]...: sets disk (sda of /dev/sda), disk_model, disk_pid; scheduler none.
disk='' disk_model='' disk_pid=''
disk_start() {
	disk_model=$1
	local path try
	: >disk.path
	./rcfq-disk "$@" >disk.path &
	disk_pid=$!
	for ((try = 0; try < 1000; try++)); do
		[ ! -s disk.path ] || break
		kill -0 "$disk_pid" 2>/dev/null || break
		sleep 0.01
	done
	path=$(cat disk.path)
	disk=${path#/dev/}
	[ -b "/dev/$disk" ] || { echo "rcfq-disk $* gave no disk" >&2; exit 1; }
	set_scheduler none
}

# disk_stop: ends it; fails if it does not end well.
disk_stop() {
	local pid=$disk_pid
	disk_pid=''
	kill "$pid" && wait "$pid"
}

# bench_fio OPTION...: direct I/O on the disk.
bench_fio() {
	LD_LIBRARY_PATH=. ./fio --name=bench --filename="/dev/$disk" --direct=1 --thread --ioengine=libaio --group_reporting "$@"
}

passed=0 failed=0
# verdict NAME COMMAND...: PASS if the command succeeds.
verdict() {
	local name=$1
	shift
	if "$@"; then
		passed=$((passed + 1))
		echo "PASS $name"
	else
		failed=$((failed + 1))
		echo "FAIL $name"
	fi
}
# bench_end: the totals; fails if anything failed or nothing was tried.
bench_end() {
	echo "$passed passed, $failed failed"
	[ "$failed" = 0 ] && [ "$passed" != 0 ]
}
