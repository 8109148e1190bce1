# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2154 # scripts/guest/bench sets the variables

disks() {
	echo hd103sj-1seg hd103sj-16seg
}
cases() {
	case $1 in
	*-16seg) printf '%s\n' 64k-{1,2,4} ;;
	*) printf '%s\n' {512,4k,64k,1M}-{1,2,4} ;;
	esac
}
prepare() {
	[ -e dd ] || cp "$(type -P dd)" "$(type -P env)" "$(type -P sleep)" .
}
# Each reader has a quarter of the outer half of the disk. The rate is that of all, each by the
# time that dd itself has counted.
run() {
	local size=${1%-*} readers=${1#*-} reader rate=0 pids=() pid start status
	for ((reader = 0; reader < readers; reader++)); do
		start=$((reader * 125 + seed))
		# A shell's background jobs ignore it.
		LD_LIBRARY_PATH=. ./env --default-signal=INT ./dd if="/dev/$disk" of=/dev/null bs="$size" iflag=direct,skip_bytes \
			skip="${start}G" 2>"dd.$reader" &
		pids+=($!)
	done
	# Small requests are many, and a second of them takes the guest long.
	case $size in
	64k | 1M) ./sleep 4 ;;
	*) ./sleep 1 ;;
	esac
	kill -INT "${pids[@]}"
	# Being interrupted is how each of them ends.
	for pid in "${pids[@]}"; do
		status=0
		wait "$pid" || status=$?
		[ "$status" = 130 ] || return
	done
	for ((reader = 0; reader < readers; reader++)); do
		rate=$(awk -v rate="$rate" '/ copied, / {
			bytes = $1
			sub(/.* copied, /, "")
			rate += bytes / $1 / 1e6
		} END { print rate }' "dd.$reader")
	done
	metrics rate "$rate"
}
