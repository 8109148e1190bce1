#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Shared by all test_<group>_<nn>.sh: results, tear-down, requirements, and the
# rest by way of lib/. Sourced, never run.
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

# --- result ------------------------------------------------------------

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

# --- requirements ------------------------------------------------------

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

. ./lib/log.sh
. ./lib/disks.sh
. ./lib/sched.sh
. ./lib/load.sh
