#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Print what a finished Debian root is known by: the kernel's release, its
# source package's version, and a hash of the versions of all that a build
# depends on. usage: root-facts.sh ROOT RELEASE

set -euo pipefail
. "$(dirname "$0")/lib.sh"

query() {
	dpkg-query --admindir="$1/var/lib/dpkg" -W -f '${Package} ${Version}\n' "${@:2}"
}

source=$(query "$1" "linux-source-$RCFQ_VERSION")
source=${source#* }
echo "release=$2"
echo "source=${source//[^0-9A-Za-z.+-]/_}" # It becomes part of a path.
echo "toolchain=$(query "$1" bindgen clang-19 gcc-14 libclang-19-dev lld-19 pahole rust-src rustc "linux-config-$RCFQ_VERSION" "linux-headers-$2" | hash)"
