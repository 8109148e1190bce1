#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Shared by all test_<group>_<nn>.sh: environment, devices, loads, counters and
# the check of the kernel log. Sourced, never run.
#
# RCFQ_SCHED     the elevator under test (rcfq)
# RCFQ_KO_DIR    folder of the .ko files, for when modprobe does not know them
# RCFQ_HDD/_SSD/_NVME  disks to overwrite instead of the ones QEMU provides

set -u

TID=$(basename "$0" .sh)
TID=${TID#test_}
RCFQ_SCHED=${RCFQ_SCHED:-rcfq}
KSFT=${KSFT:-..}

if [ ! -r "$KSFT/kselftest/ktap_helpers.sh" ]; then
	echo "$0: no kselftest/ktap_helpers.sh in KSFT=$KSFT (use run_tests.sh)" >&2
	exit 1
fi
# shellcheck source=/dev/null
. "$KSFT/kselftest/ktap_helpers.sh"

TMP=$(mktemp -d "${TMPDIR:-/tmp}/rcfq_${TID}_XXXXXX") || exit 1
CLEANUP=()

# --- result ---------------------------------------------------------------

# _skip REASON: the whole script cannot run here.
_skip() {
	ktap_print_header
	ktap_skip_all "$*"
	exit "$KSFT_SKIP"
}

# _bail REASON: the set-up failed, the checks make no sense.
_bail() {
	ktap_exit_fail_msg "$*"
}

# _plan N: N checks follow; the check of the kernel log comes on top.
_plan() {
	ktap_print_header
	ktap_set_plan "$(($1 + 1))"
	_log_mark
}

# _check DESCRIPTION COMMAND...: one check.
_check() {
	local what=$1
	shift
	if "$@"; then
		ktap_test_pass "$what"
	else
		ktap_test_fail "$what"
	fi
}

# _cmp A OP B: a numeric comparison that says what it compared when it fails.
_cmp() {
	[[ $1 =~ ^-?[0-9]+$ && $3 =~ ^-?[0-9]+$ ]] && test "$1" "$2" "$3" && return
	ktap_print_msg "expected $1 $2 $3"
	return 1
}

# _is A B: the same for strings.
_is() {
	[ "$1" = "$2" ] && return
	ktap_print_msg "got '$1', expected '$2'"
	return 1
}

# _not COMMAND...: must fail; what it prints is of no interest then.
_not() {
	! "$@" >/dev/null
}

# _done: tear down, judge the kernel log, print totals and exit.
_done() {
	_cleanup
	_check "no warning in the kernel log" _log_clean
	ktap_finished
}

# _defer COMMAND...: run at the end, last one first.
_defer() {
	CLEANUP+=("$(printf '%q ' "$@")")
}

_cleanup() {
	local i
	trap '' INT TERM HUP
	for ((i = ${#CLEANUP[@]} - 1; i >= 0; i--)); do
		eval "${CLEANUP[i]}"
	done
	CLEANUP=()
	rm -rf "$TMP"
}
trap _cleanup EXIT
trap 'exit 1' INT TERM HUP

# --- kernel log -----------------------------------------------------------

LOG_BAD='WARNING:|BUG:|KASAN|UBSAN|ODEBUG|Oops|Call Trace:|general protection'
LOG_BAD+='|possible (circular|recursive) locking|inconsistent lock state'
LOG_BAD+='|invalid wait context|lock held when returning|suspicious RCU'
LOG_BAD+='|sleeping function called|scheduling while atomic|blocked for more than'
LOG_BAD+='|self-detected stall|detected stalls|soft lockup|hard LOCKUP'
LOG_BAD+='|list_(add|del) corruption|refcount_t:|kobject_add_internal failed'
LOG_BAD+='|cannot create duplicate filename|rust_kernel: panicked'
LOG_TAINT=$((16 | 32 | 128 | 512 | 16384)) # machine check, bad page, die, warn, lockup

LOG_MARKS=0
_log_mark() {
	LOG_MARK="rcfq-selftest $TID $$ begins, mark $((++LOG_MARKS))."
	LOG_TAINTED=$(cat /proc/sys/kernel/tainted)
	echo on >/proc/sys/kernel/printk_devkmsg 2>/dev/null
	echo "$LOG_MARK" >/dev/kmsg
}

# _log_since_mark: when the ring has lost the mark, all of it is newer.
_log_since_mark() {
	dmesg >"$TMP.log"
	if grep -qF "$LOG_MARK" "$TMP.log"; then
		sed -n "/$LOG_MARK/,\$p" "$TMP.log"
	else
		cat "$TMP.log"
	fi
	rm -f "$TMP.log"
}

_log_clean() {
	local bad tainted
	bad=$(_log_since_mark | grep -E -m 1 -A 60 "$LOG_BAD")
	tainted=$(cat /proc/sys/kernel/tainted)
	((tainted = tainted & ~LOG_TAINTED & LOG_TAINT))
	[ -z "$bad" ] && [ "$tainted" -eq 0 ] && return
	echo "# ${bad//$'\n'/$'\n'# }"
	ktap_print_msg "new taint bits: $tainted"
	return 1
}

# --- requirements ---------------------------------------------------------

_need_program() {
	local p
	for p; do
		command -v "$p" >/dev/null || _skip "no program $p"
	done
}

# _need_sched: the elevator under test is registered afterwards. Its absence is a
# fault, not a reason to skip.
_need_sched() {
	_load_sched "$RCFQ_SCHED" || _bail "cannot load the elevator $RCFQ_SCHED"
}

# _need_others NAME...: other elevators of the kernel.
_need_others() {
	local name
	for name; do
		_load_sched "$name" || _skip "the kernel has no elevator $name"
	done
}

# _need_unloadable: sets MOD to the name of the elevator's module.
_need_unloadable() {
	_need_sched
	MOD=${RCFQ_SCHED//-/_}_iosched
	[ -e "/sys/module/$MOD/refcnt" ] || _skip "$RCFQ_SCHED is built in"
}

_load_sched() {
	local ko=${RCFQ_KO_DIR:-}/$1-iosched.ko
	case $1 in none) return ;; esac
	modprobe -q "$1-iosched" && return
	[ -n "${RCFQ_KO_DIR:-}" ] && [ -r "$ko" ] || return
	insmod "$ko" 2>/dev/null || [ -d "/sys/module/${1//-/_}_iosched" ]
}

# _need_own: tests of things only rcfq has.
_need_own() {
	[ "$RCFQ_SCHED" = rcfq ] || _skip "a test of rcfq alone, not of $RCFQ_SCHED"
	_need_sched
}

# _need_disk hdd|ssd|nvme: sets DEV. Only disks of QEMU are taken unasked,
# because the tests overwrite them.
_need_disk() {
	local sys pick=RCFQ_${1^^}
	DEV=${!pick:-}
	[ -n "$DEV" ] && return
	for sys in /sys/block/sd* /sys/block/nvme*; do
		grep -qs '^QEMU' "$sys/device/model" || continue
		case $1:${sys##*/}:$(cat "$sys/queue/rotational") in
		hdd:sd*:1 | ssd:sd*:0 | nvme:nvme*:0)
			DEV=${sys##*/}
			return ;;
		esac
	done
	_skip "no QEMU disk of kind $1"
}

# --- devices --------------------------------------------------------------

# _null_add NAME [ATTRIBUTE=VALUE...]: a null_blk disk of that name.
_null_add() {
	local name=$1 dir=/sys/kernel/config/nullb/$1 kv
	shift
	_null_blk || _bail "no null_blk"
	mkdir "$dir" || _bail "null_blk: cannot add $name"
	_defer _null_del "$name"
	for kv; do
		echo "${kv#*=}" >"$dir/${kv%%=*}" || _bail "null_blk: cannot set $kv"
	done
	echo 1 >"$dir/power" || _bail "null_blk: cannot switch on $name"
	_wait_for [ -b "/dev/$name" ] || _bail "no /dev/$name"
}

_null_blk() {
	modprobe -q null_blk nr_devices=0 &&
		{ [ -d /sys/kernel/config/nullb ] || mount -t configfs none /sys/kernel/config; }
}

_null_del() {
	[ -d "/sys/kernel/config/nullb/$1" ] || return
	echo 0 >"/sys/kernel/config/nullb/$1/power"
	_wait_for rmdir "/sys/kernel/config/nullb/$1" 2>/dev/null
}

# _scsi_debug [PARAMETER=VALUE...]: sets DEV to the disk of a fresh scsi_debug.
_scsi_debug() {
	modprobe -r -q scsi_debug
	modprobe -q scsi_debug "$@" || _skip "no scsi_debug"
	_defer _wait_for modprobe -r -q scsi_debug
	_wait_for _scsi_debug_disk || _bail "scsi_debug: no disk"
}

_scsi_debug_disk() {
	local sys
	for sys in /sys/bus/pseudo/drivers/scsi_debug/adapter*/host*/target*/*:*/block/*; do
		DEV=${sys##*/}
		[ -b "/dev/$DEV" ] && return
	done
	return 1
}

# _nap SECONDS: sleep without a program, which would cost more than the nap.
exec {NAP}<> <(:)
_nap() {
	read -r -t "$1" -u "$NAP"
}

# _wait_for COMMAND...: until it succeeds, ten seconds of naps at most.
_wait_for() {
	local i
	for ((i = 0; i < 100; i++)); do
		"$@" && return
		_nap 0.1
	done
	return 1
}

# _partition DEV: two partitions of 32 MiB, at 1 MiB and at 128 MiB.
_partition() {
	local entry='\0\0\0\0\203\0\0\0'
	[ "$(cat "/sys/block/$1/size")" -ge 327680 ] || _bail "$1 is smaller than 160 MiB"
	{
		head -c 446 /dev/zero
		printf '%b' "$entry\0\010\0\0\0\0\001\0" "$entry\0\0\004\0\0\0\001\0"
		head -c 32 /dev/zero
		printf '\125\252'
	} | dd of="/dev/$1" bs=512 iflag=fullblock status=none
	_defer _unpartition "$1"
	blockdev --rereadpt "/dev/$1"
	_wait_for [ -b "/dev/${1}2" ] || _bail "no partitions on $1"
}

_unpartition() {
	dd if=/dev/zero of="/dev/$1" bs=512 count=1 status=none
	_wait_for blockdev --rereadpt "/dev/$1" 2>/dev/null
}

# --- elevator -------------------------------------------------------------

_sched() {
	local line
	read -r line <"/sys/block/$1/queue/scheduler"
	line=${line#*[}
	echo "${line%%]*}"
}

# _set_sched DEV NAME: a writer may get EBUSY with nothing wrong, so try again.
_set_sched() {
	local i err=
	for ((i = 0; i < 400; i++)); do
		err=$({ echo "$2" >"/sys/block/$1/queue/scheduler"; } 2>&1) && return
		case $err in
		*busy*) _nap 0.02 ;;
		*) break ;;
		esac
	done
	ktap_print_msg "$1: cannot switch to $2: ${err##*: }"
	return 1
}

# _use_sched DEV [NAME]: switch, and back at the end.
_use_sched() {
	_defer _set_sched "$1" "$(_sched "$1")"
	_set_sched "$1" "${2:-$RCFQ_SCHED}" || _bail "no elevator ${2:-$RCFQ_SCHED} on $1"
	_is "$(_sched "$1")" "${2:-$RCFQ_SCHED}" || _bail "switch without effect on $1"
}

_tunable() {
	local value
	read -r value <"/sys/block/$1/queue/iosched/$2"
	echo "$value"
}

# _set_tunable DEV NAME VALUE: prints the error's text and fails if refused. An
# empty value is written as a lone newline: sysfs drops a write of no bytes.
_set_tunable() {
	local err
	err=$({ printf '%s' "${3:-$'\n'}" >"/sys/block/$1/queue/iosched/$2"; } 2>&1) && return
	echo "${err##*: }"
	return 1
}

# _refuses DEV NAME ERROR VALUE...: each VALUE is refused with one of the errors
# (alternatives with |), and the old value stays.
_refuses() {
	local dev=$1 name=$2 want=$3 before value text rc=0
	shift 3
	before=$(_tunable "$dev" "$name")
	for value; do
		text=$(_set_tunable "$dev" "$name" "$value")
		if [[ ! $text =~ ^($want)$ ]]; then
			ktap_print_msg "$name: writing '$value' gave '${text:-success}'"
			rc=1
		fi
		_is "$(_tunable "$dev" "$name")" "$before" || rc=1
	done
	return $rc
}

EINVAL='Invalid argument'
ERANGE='Numerical result out of range'

# --- counters -------------------------------------------------------------

# _stats DEV: one snapshot into the array STAT.
declare -A STAT
_stats() {
	local name value
	STAT=()
	while read -r name value; do
		STAT[$name]=$value
	done <"/sys/kernel/debug/block/$1/sched/stats"
	[ "${#STAT[@]}" -gt 0 ]
}

# _since NAME: how much a counter has grown from _stats_mark to now.
declare -A STAT0
_stats_mark() {
	local name
	_stats "$1" || _bail "no counters of $1"
	STAT0=()
	for name in "${!STAT[@]}"; do
		STAT0[$name]=${STAT[$name]}
	done
}

_since() {
	echo $((STAT[$1] - STAT0[$1]))
}

# _balanced DEV: every request that came in went out, exactly once.
_balanced() {
	_stats "$1" || return
	[ $((STAT[inserted] + STAT[inserted_head])) -eq \
		$((STAT[completed] + STAT[absorbed] + STAT[cancelled])) ]
}

# _conserved DEV: the same once the disk has come to rest.
_conserved() {
	local name
	[ "$RCFQ_SCHED" = rcfq ] || return 0
	_wait_for _balanced "$1" && return
	for name in "${!STAT[@]}"; do
		ktap_print_msg "$name ${STAT[$name]}"
	done
	return 1
}

# --- load -----------------------------------------------------------------

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

# _ext4 DEV: a fresh file system on it, mounted; sets MNT.
_ext4() {
	MNT=$TMP/mnt
	mkdir -p "$MNT"
	mkfs.ext4 -q -F -E nodiscard,lazy_itable_init=0 "/dev/$1" 48m >/dev/null 2>&1 || _bail "mkfs.ext4 $1"
	mount -t ext4 "/dev/$1" "$MNT" || _bail "mount $1"
	_defer _umount "$MNT"
}

_umount() {
	! mountpoint -q "$1" || _wait_for umount "$1"
}
