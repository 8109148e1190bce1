# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Loads: fio with and without verification, in front and in the background. Sourced by test_common.sh.

# _fio ARGUMENT...: its output is shown only when it fails.
_fio() {
	local log
	log=$(mktemp "$TMP/fio.XXXXXX")
	fio --output="$log" --thread --verify_state_save=0 --fallocate=none "$@" \
		>"$log.err" 2>&1 && ! grep -q '^fio: .*error' "$log.err" && return
	cat "$log.err" "$log" | head -n 15 | sed 's/^/# /'
	return 1
}

# _verify FILE [ARGUMENT...]: write, read back, compare crc32c.
_verify() {
	local file=$1
	shift
	_fio --name=verify --filename="$file" --rw=randwrite --direct=1 --bs=4k \
		--size=1m --ioengine=libaio --iodepth=16 --verify=crc32c \
		--verify_fatal=1 --do_verify=1 "$@"
}

# _bg COMMAND...: in the background, in a process group of its own that is
# killed at the end; sets BG.
_bg() {
	set -m
	"$@" &
	BG=$!
	set +m
	_defer _kill "$BG"
}

_kill() {
	kill -KILL -- "-$1" 2>/dev/null
	wait "$1" 2>/dev/null
	return 0
}

# _bg_verify FILE [ARGUMENT...]: write and verify in turn until _stop_verify,
# which fails if anything was wrong or nothing was verified.
_bg_verify() {
	local file=$1
	shift
	_bg fio --name=verify --filename="$file" --rw=randwrite --direct=1 --bs=4k \
		--size=1m --ioengine=libaio --iodepth=16 --verify=crc32c --verify_fatal=1 \
		--verify_backlog=32 --verify_state_save=0 --loops=1000000 --thread \
		--fallocate=none --output="$TMP/verify" --output-format=terse \
		--terse-version=3 "$@" 2>"$TMP/verify.err"
	VERIFY=$BG
}

_stop_verify() {
	kill -TERM -- "-$VERIFY" 2>/dev/null
	wait "$VERIFY"
	# 128 is fio's status for having been told to end.
	[ $? -eq 128 ] && ! grep -q 'error\|bad' "$TMP/verify.err" &&
		awk -F ';' '$1 == 3 { jobs++; good += $5 == 0 && $6 > 0 } END { exit !jobs || good < jobs }' \
			"$TMP/verify" && return
	head -n 15 "$TMP/verify.err" "$TMP/verify" | cut -c 1-150 | sed 's/^/# /'
	return 1
}

# _shares ARGUMENT...: jobs that read in competition until the first has done
# its share and ends them all; prints the 4 KiB reads of each job.
_shares() {
	fio --output-format=terse --terse-version=3 --thread --exitall --direct=1 \
		--rw=randread --bs=4k --size=16m --norandommap --ioengine=libaio "$@" |
		awk -F ';' '$1 == 3 { printf "%s%d", sep, $6 / 4; sep = " " }'
}

# _ratio A B LOW HIGH: A/B is between LOW and HIGH tenths.
_ratio() {
	_cmp $(($1 * 10)) -ge $(($2 * $3)) && _cmp $(($1 * 10)) -le $(($2 * $4))
}

# _load DEV [ARGUMENT...]: endless random reads and writes; sets BG.
_load() {
	local file=/dev/$1
	shift
	_bg fio --name=load --filename="$file" --rw=randrw --direct=1 --bs=4k \
		--size=16m --ioengine=libaio --iodepth=8 --numjobs=2 --thread \
		--time_based --runtime=600 --output=/dev/null "$@" 2>/dev/null
}

# _ios DEV: reads, writes, discards and flushes completed.
_ios() {
	local s
	read -ra s <"/sys/block/$1/stat"
	echo $((s[0] + s[4] + s[11] + s[15]))
}

# _progress DEV N: N more I/Os complete, within ten seconds.
_progress() {
	local from
	from=$(_ios "$1")
	_wait_for _reached "$1" $((from + $2)) && return
	ktap_print_msg "$1: $(($(_ios "$1") - from)) I/Os completed, expected $2"
	return 1
}

_reached() {
	[ "$(_ios "$1")" -ge "$2" ]
}
