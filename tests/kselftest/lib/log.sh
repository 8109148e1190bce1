# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# The kernel log: what counts as a fault in it. Sourced by test_common.sh.

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
