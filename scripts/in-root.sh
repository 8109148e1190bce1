#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Run a command inside the Debian root of the cache, in a mount namespace of
# its own: the checkout and the cache folder are seen there under the same
# paths as outside, and every mount is gone when the command ends.
#
# usage: scripts/in-root.sh COMMAND [ARGUMENT...]

set -euo pipefail
. "$(dirname "$0")/lib.sh"

[ $# -gt 0 ] || die "in-root.sh: no command given (usage: in-root.sh COMMAND [ARGUMENT...])"
need_root
[ -e "$RCFQ_ROOT/.complete" ] || [[ $RCFQ_ROOT == *.partial ]] || die "the Debian root is not built yet: run 'make root'"

export RCFQ_ROOT RCFQ_CACHE RCFQ_TOP

# /tmp comes first: the checkout or the cache may lie below it.
# shellcheck disable=SC2016 # expanded by the inner shell, on purpose
exec unshare --mount --propagation private -- bash -c '
	set -e
	cwd=$PWD
	mount -t tmpfs -o mode=1777 tmpfs "$RCFQ_ROOT/tmp"
	for dir in "$RCFQ_TOP" "$RCFQ_CACHE"; do
		mkdir -p "$RCFQ_ROOT$dir"
		mount --bind "$dir" "$RCFQ_ROOT$dir"
	done
	mount -t proc proc "$RCFQ_ROOT/proc"
	mount --rbind /sys "$RCFQ_ROOT/sys"
	mount --rbind /dev "$RCFQ_ROOT/dev"
	# The names and the certificates that this network needs.
	[ ! -e /etc/resolv.conf ] || cat /etc/resolv.conf >"$RCFQ_ROOT/etc/resolv.conf"
	certs=/etc/ssl/certs/ca-certificates.crt
	[ ! -s $certs ] || [ ! -e "$RCFQ_ROOT$certs" ] || mount --bind $certs "$RCFQ_ROOT$certs"
	[ -d "$RCFQ_ROOT$cwd" ] || cwd=$RCFQ_TOP
	exec chroot "$RCFQ_ROOT" env -i \
		HOME=/root LANG=C.UTF-8 TERM="${TERM:-dumb}" \
		PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
		${http_proxy:+"http_proxy=$http_proxy"} ${https_proxy:+"https_proxy=$https_proxy"} \
		${no_proxy:+"no_proxy=$no_proxy"} \
		RCFQ_CACHE="$RCFQ_CACHE" RCFQ_TOP="$RCFQ_TOP" RCFQ_ROOT="$RCFQ_ROOT" \
		sh -c '\''cd "$1" && shift && exec "$@"'\'' sh "$cwd" "$@"
' bash "$@"
