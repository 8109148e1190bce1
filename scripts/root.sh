#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Make the Debian root that everything is built and booted in: Debian 13 with
# the compilers of the stock kernel, QEMU, and the newest 7.3 kernel of
# trixie-backports. On the host only mmdebstrap and Debian's key ring are
# installed. The archive is the one that the host's own apt uses.

set -euo pipefail
. "$(dirname "$0")/lib.sh"

need_root
[ "$(uname -m)" = x86_64 ] || die "only x86_64 machines are supported, this one is $(uname -m)"
use_cache
lock root
[ ! -e "$RCFQ_ROOT/.complete" ] || exit 0

command -v apt-get >/dev/null || die "this set-up needs a Debian 12 or 13 host (no apt-get here): build with 'make KDIR=...' against a kernel of your own"
# A root takes 3 GB, kernel sources and builds another 6.
free=$(df --output=avail -B1G "$RCFQ_CACHE" | tail -n1)
[ "$free" -ge 10 ] || die "'$RCFQ_CACHE' has only $free GB free, 10 are needed: free some, or let RCFQ_CACHE name a folder on another disk"

installed() {
	[ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

host_packages() {
	apt-get update &&
		DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends mmdebstrap debian-archive-keyring
}

# The host's own main archive, which holds the newer suites too.
archive() {
	local uri codename
	. /etc/os-release
	uri=$(apt-get indextargets --format "\$(ORIGIN)|\$(LABEL)|\$(CODENAME)|\$(COMPONENT)|\$(REPO_URI)" 'Created-By: Packages' |
		sed -n "s/^Debian|Debian|${VERSION_CODENAME:-none}|main|//p" | sort -u | head -n1)
	case $uri in
	mirror+file:*) uri=$(sed -n 's/^[[:space:]]*\(http[^[:space:]]*\).*/\1/p' "/${uri#mirror+file:*/}" | head -n1) ;;
	esac
	[[ $uri == http* ]] || return 1
	echo "$uri"
}

(installed mmdebstrap && installed debian-archive-keyring) ||
	step "installing mmdebstrap and debian-archive-keyring on this host" host-packages host_packages
archive >/dev/null || step "fetching the host's package lists" host-lists apt-get update
uri=$(archive) || die "apt's configuration names no Debian main archive over http for this release: add one to /etc/apt/sources.list"
for keyring in /usr/share/keyrings/debian-archive-keyring.{gpg,pgp}; do
	[ ! -e "$keyring" ] || break
done

partial=$RCFQ_ROOT.partial
source="deb [signed-by=$keyring] $uri"
proxy=$(apt-config shell p Acquire::http::Proxy)
proxy=${proxy#p=\'}
proxy=${proxy%\'}

bootstrap() {
	mmdebstrap --mode=root --variant=apt --include="$(grep -v '^#' "$RCFQ_TOP/scripts/root-packages" | xargs | tr ' ' ,)" \
		${proxy:+--aptopt="Acquire::http::Proxy \"$proxy\""} \
		"$RCFQ_SUITE" "$partial" "$source $RCFQ_SUITE main" "$source $RCFQ_SUITE-backports main"
}
in_partial() {
	RCFQ_ROOT=$partial "$RCFQ_TOP/scripts/in-root.sh" "$@"
}

umask 022
# An interrupted one goes on, if dpkg can mend what it was stopped in.
if [ ! -e "$partial/.bootstrapped" ] || ! in_partial dpkg --configure -a >/dev/null 2>&1; then
	rm -rf "$partial"
	step "making a Debian root with compilers and QEMU, about 2 minutes" root-bootstrap bootstrap
	touch "$partial/.bootstrapped"
fi
step "fetching the package lists in it" root-update in_partial apt-get update
release=$(in_partial apt-cache search --names-only "^linux-binary-$RCFQ_VERSION\\.[0-9]+\\+deb13-amd64\$" |
	sed 's/^linux-binary-\([^ ]*\).*/\1/' | sort -V | tail -n1)
[ -n "$release" ] || die "$RCFQ_SUITE-backports of $uri holds no $RCFQ_VERSION kernel for amd64 now; rcfq is made for $RCFQ_VERSION: use 'make KDIR=...' with a $RCFQ_VERSION tree of your own"
step "installing kernel $release and its source, about 2 minutes" root-kernel \
	in_partial env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends -t "$RCFQ_SUITE-backports" \
	"linux-binary-$release" "linux-modules-$release" "linux-headers-$release" \
	"linux-config-$RCFQ_VERSION" "linux-source-$RCFQ_VERSION"
in_partial apt-get clean

"$RCFQ_TOP/scripts/root-facts.sh" "$partial" "$release" >"$partial/.complete.new"
mv "$partial/.complete.new" "$partial/.complete"
mv -T "$partial" "$RCFQ_ROOT"
