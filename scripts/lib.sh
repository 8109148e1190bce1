# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# What every script shares: where things are, and how an error is told.
# Sourced, never run.

RCFQ_TOP=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
RCFQ_BUILD=$RCFQ_TOP/build

# die MESSAGE: one clear sentence, then out.
die() {
	printf 'rcfq: %s\n' "$*" >&2
	exit 1
}

# say MESSAGE: progress for a person, on stderr so that stdout stays data.
say() {
	printf 'rcfq: %s\n' "$*" >&2
}

RCFQ_CACHE=${RCFQ_CACHE:-${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/rcfq}
case $RCFQ_TOP:$RCFQ_CACHE in
*[[:space:]]*) die "the kernel's build cannot take a path with white space: '$RCFQ_TOP', cache '$RCFQ_CACHE'" ;;
esac
case $RCFQ_CACHE in
/*) ;;
*) die "RCFQ_CACHE must be an absolute path, not '$RCFQ_CACHE'" ;;
esac
RCFQ_ROOT=${RCFQ_ROOT:-$RCFQ_CACHE/root}

# need_root: mounts, chroot and mmdebstrap want it.
need_root() {
	[ "$(id -u)" = 0 ] || die "this needs root rights (it makes a Debian root with mmdebstrap and mounts in it): run it as root"
}
