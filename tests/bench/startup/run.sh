# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2154 # scripts/guest/bench sets the variables
#
# A program starts: it reads a little here and there in 2 GB of files, computes,
# and reads on where that leads it. Others keep the disk busy meanwhile.

disks() {
	echo hd103sj-1seg
}
cases() {
	echo alone busy
}
prepare() {
	empty_cache
	# 400 reads of 4 to 64 KiB, more than are done in the time: half follow the one before, the
	# others jump. The jobs think for a millisecond after each third. (A wait in such a file is
	# until so many milliseconds after the start, not what fio says.)
	awk -v seed="$seed" -v dev="/dev/$disk" 'BEGIN {
		srand(seed)
		print "fio version 2 iolog\n" dev " add\n" dev " open"
		for (i = 0; i < 400; i++) {
			if (rand() < 0.5)
				at = int(rand() * 524288)
			size = 2 ^ int(rand() * 5)
			print dev, "read", at * 4096, size * 4096
			at += size
		}
		print dev " close"
	}' >start.log
}
run() {
	job "$1.fio"
}
