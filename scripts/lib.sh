# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# What every script shares: where things are, how a step reports itself and how
# an error is told. Sourced, never run.

RCFQ_TOP=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
RCFQ_BUILD=$RCFQ_TOP/build
RCFQ_SUITE=trixie
RCFQ_VERSION=7.3

# die MESSAGE: one clear sentence, then out.
die() {
	printf 'rcfq: %s\n' "$*" >&2
	exit 1
}

# say MESSAGE: progress for a person, on stderr so that stdout stays data.
say() {
	printf 'rcfq: %s\n' "$*" >&2
}

# hash: a short name for what is on stdin.
hash() {
	sha256sum | cut -c1-12
}

default_cache=${XDG_CACHE_HOME:-~/.cache}/rcfq
RCFQ_CACHE=${RCFQ_CACHE:-$default_cache}
RCFQ_CACHE=${RCFQ_CACHE%/}
[[ $RCFQ_TOP$RCFQ_CACHE != *[[:space:]]* ]] ||
	die "the kernel's build takes no white space in paths: move the checkout ('$RCFQ_TOP') or the cache ('$RCFQ_CACHE')"
case $RCFQ_CACHE in
/*/*) ;;
'') die "RCFQ_CACHE must be a folder for rcfq alone, not '/'" ;;
*) die "RCFQ_CACHE must be the absolute path of a folder for rcfq alone, below another folder, not '$RCFQ_CACHE'" ;;
esac

# The cache is keyed by what went into it; `.complete` is written last.
RCFQ_ROOT=${RCFQ_ROOT:-$RCFQ_CACHE/root-$(grep -v '^#' "$RCFQ_TOP/scripts/root-packages" | cat - <(echo "$RCFQ_SUITE $RCFQ_VERSION") | hash)}

# root_fact NAME: what root.sh noted about the finished root.
root_fact() {
	sed -n "s/^$1=//p" "$RCFQ_ROOT/.complete"
}
src_folder() {
	echo "$RCFQ_CACHE/src-$(root_fact source)"
}
stock_folder() {
	echo "$RCFQ_CACHE/stock-$(root_fact release)-$(root_fact toolchain)"
}
debug_folder() {
	local config
	config=$(cd "$RCFQ_TOP/tests/kselftest" && sed 's/[[:space:]]*$//; /^#/d; /^$/d' config config.debug | LC_ALL=C sort -u)
	echo "$RCFQ_CACHE/debug-$(root_fact release)-$(printf '%s\n' "$config" "$(root_fact toolchain)" "$(root_fact source)" | hash)"
}

# need_root: mounts, chroot and mmdebstrap want it.
need_root() {
	[ "$(id -u)" = 0 ] || die "this needs root rights (it makes a Debian root with mmdebstrap and mounts in it): run it as root"
}

# use_cache: make the cache folder, or refuse one that is somebody else's.
use_cache() {
	if [ ! -e "$RCFQ_CACHE/.rcfq-cache" ]; then
		mkdir -p "$RCFQ_CACHE" || die "cannot make the cache folder '$RCFQ_CACHE'"
		[ -z "$(ls -A "$RCFQ_CACHE")" ] ||
			die "'$RCFQ_CACHE' is neither empty nor a cache of rcfq: let RCFQ_CACHE name another folder"
		echo "Made by rcfq; 'make cache-clean' removes this folder." >"$RCFQ_CACHE/.rcfq-cache"
	fi
}

# lock NAME: one builder at a time. Held until the script ends.
lock() {
	local fd
	exec {fd}>"$RCFQ_CACHE/.lock-$1"
	flock -n "$fd" && return
	say "waiting for another run that is building $1 in the same cache"
	flock "$fd"
}

# beside COMMAND...: start it in the background, in a process group of its own
# that ends with us; sets $beside to its number.
background=()
beside() {
	[ -n "$(trap -p EXIT)" ] || trap end_background EXIT
	set -m
	"$@" &
	set +m
	beside=$!
	background+=("$beside")
}
end_background() {
	local group
	for group in "${background[@]}"; do
		kill -- -"$group" 2>/dev/null || :
	done
}

# step TEXT LOG COMMAND...: run a long command into build/log/LOG.log, with a
# sign of life now and then; a failure names the step, the log and the way out.
step() {
	local text=$1 log=$RCFQ_BUILD/log/$2.log start=$SECONDS beat status=0 quiet
	shift 2
	mkdir -p "${log%/*}"
	say "$text (log: ${log#"$RCFQ_TOP/"})"
	exec {quiet}<> <(:) # never written to: unlike a sleep, a read of it ends with us
	while :; do
		read -rt 20 -u "$quiet" _ || :
		say "  ... $((SECONDS - start)) s: $(tail -qn1 "$log" | tr -cd '[:print:]' | cut -c1-90)"
	done &
	beat=$!
	"$@" >"$log" 2>&1 </dev/null || status=$?
	kill "$beat" 2>/dev/null
	wait "$beat" 2>/dev/null || :
	exec {quiet}>&-
	if [ "$status" != 0 ]; then
		tail -n 20 "$log" >&2
		die "the step \"$text\" failed (exit status $status). Its log is ${log#"$RCFQ_TOP/"}, the last lines are above. When the cause is gone, type the same command again: finished steps are not repeated."
	fi
	say "$text: done, $((SECONDS - start)) s"
}

# tally PART PASSED FAILED [SKIPPED]: the result of one kind of test, for the
# reader and for check.sh. Fails if anything failed or nothing was run.
tally() {
	[ -z "${RCFQ_COUNTS-}" ] || echo "$2 $3 ${4:-0}" >"$RCFQ_COUNTS/$1"
	printf '%s: %d passed, %d failed, %d skipped\n' "$1" "$2" "$3" "${4:-0}"
	[ "$3" = 0 ] && [ "$2" != 0 ]
}
