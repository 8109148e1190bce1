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
	[ ! -e dd ] || return 0
	cp "$(type -P dd)" "$(type -P env)" "$(type -P sleep)" .
	# What they load the host has to fetch, in its own time: while the guest waits for that, a sleep
	# is over at once.
	(reader if=/dev/zero of=/dev/null count=1 2>/dev/null)
	./sleep 0
}
# reader OPTION...: a dd that an interrupt ends; a shell's background jobs ignore it.
reader() {
	LD_LIBRARY_PATH=. exec ./env --default-signal=INT ./dd "$@"
}
# Each reader has a quarter of the outer half of the disk. The rate is that of all, each by the
# time that dd itself has counted.
run() {
	local size=${1%-*} readers=${1#*-} nr rate=0 pids=() pid start status
	for ((nr = 0; nr < readers; nr++)); do
		start=$((nr * 125 + seed))
		reader if="/dev/$disk" of=/dev/null bs="$size" iflag=direct,skip_bytes skip="${start}G" 2>"dd.$nr" &
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
	for ((nr = 0; nr < readers; nr++)); do
		rate=$(awk -v rate="$rate" '/ copied, / {
			told = 1
			bytes = $1
			sub(/.* copied, /, "")
			rate += bytes / $1 / 1e6
		} END { if (!told) exit 1; print rate }' "dd.$nr") || return
	done
	metrics rate "$rate"
}
