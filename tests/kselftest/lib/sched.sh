# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# The elevator of a disk, its tunables and its counters. Sourced by test_common.sh.

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

# _stats DEV: one snapshot into the array STAT. It is read in one piece: by lines,
# the shell seeks back, and the file is made anew with other numbers.
declare -A STAT
_stats() {
	local line lines=()
	STAT=()
	mapfile -t lines <"/sys/kernel/debug/block/$1/sched/stats"
	for line in "${lines[@]}"; do
		STAT[${line% *}]=${line#* }
	done
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
