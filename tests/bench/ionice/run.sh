# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2154 # scripts/guest/bench sets the variables

disks() {
	echo hd103sj-1seg sata-ssd
}
cases() {
	echo levels classes
}
run() {
	local seconds=5 rw=read bs=128k depth=1
	[[ $disk_model != *ssd ]] || { seconds=500ms rw=randread bs=64k depth=16; }
	RW=$rw BS=$bs DEPTH=$depth job "$1.fio" --runtime="$seconds"
}
