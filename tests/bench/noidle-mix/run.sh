# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2154 # scripts/guest/bench sets the variables

disks() {
	echo hd103sj-1seg sata-ssd
}
cases() {
	echo rand2 rand2-seq1 rand4-write1 rand32
}
prepare() {
	empty_cache
}
run() {
	local seconds=10 before=2
	[[ $disk_model != *ssd ]] || { seconds=500ms before=200ms; }
	# By then a writer has filled the memory that it may, and is as fast as the disk lets it be.
	[[ $1 == *write* ]] || before=0
	job "$1.fio" --runtime="$seconds" --ramp_time="$before"
}
