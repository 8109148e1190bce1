# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash

disks() {
	echo hd103sj-1seg
}
cases() {
	printf '%s\n' {512,4k,64k,1M}-{1,2,4}
}
prepare() {
	cp -n "$(command -v dd)" . || :
}
# Each reader has a quarter of the outer half of the disk. The rate is that of all.
run() {
	local size=${1%-*} readers=${1#*-} reader bytes rate=0 seconds=1 pids=() start
	for ((reader = 0; reader < readers; reader++)); do
		start=$((reader * 125 + seed))
		timeout -s INT "$seconds" ./dd if="/dev/$disk" of=/dev/null bs="$size" iflag=direct,skip_bytes \
			skip="${start}G" 2>"dd.$reader" &
		pids+=($!)
	done
	# Being interrupted is how each of them ends.
	wait "${pids[@]}" || :
	for ((reader = 0; reader < readers; reader++)); do
		bytes=$(sed -n 's/ bytes.*copied.*//p' "dd.$reader")
		rate=$(awk -v rate="$rate" -v bytes="$bytes" -v seconds="$seconds" 'BEGIN { print rate + bytes / seconds / 1e6 }')
	done
	metrics rate "$rate"
}
