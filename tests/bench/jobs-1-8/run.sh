# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2154 # scripts/guest/bench sets the variables

disks() {
	echo hd103sj-1seg
}
cases() {
	printf '%s\n' {read,write,randread,randwrite}-{1..8}
}
# A seed chooses nothing in sequential I/O.
seeds_of() {
	case $1 in
	rand*) echo "${seeds[@]}" ;;
	*) echo "${seeds[0]}" ;;
	esac
}
run() {
	local rw=${1%-*} seconds=2 before=0
	# A hundred reads a second say little in the time in which twenty thousand say much.
	case $rw in
	randread) seconds=10 ;;
	randwrite) seconds=3 before=1 ;; # the drive's cache is full then
	write) seconds=500ms ;;
	esac
	RW=$rw JOBS=${1#*-} job jobs.fio --runtime="$seconds" --ramp_time="$before"
}
