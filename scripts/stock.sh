#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Prepare what a module for the unchanged stock kernel is built against: its
# source, and a build folder with its config, compiler and version string, so
# that the Rust symbol hashes come out the same. Makes the Debian root first.

set -euo pipefail
. "$(dirname "$0")/lib.sh"

"$RCFQ_TOP/scripts/root.sh"
use_cache
lock stock
src=$(src_folder) stock=$(stock_folder) release=$(root_fact release)

if [ ! -e "$src/.complete" ]; then
	rm -rf "$src.partial"
	mkdir "$src.partial"
	step "unpacking the kernel's source" src "$RCFQ_TOP/scripts/in-root.sh" \
		tar -C "$src.partial" -xf "/usr/src/linux-source-$RCFQ_VERSION.tar.xz" --no-same-owner
	touch "$src.partial/.complete"
	mv -T "$src.partial" "$src"
fi

prepare() {
	# shellcheck disable=SC2016 # expanded by the inner shell
	"$RCFQ_TOP/scripts/in-root.sh" bash -ec '
		src=$1 out=$2 release=$3 version=$4
		mkdir -p "$out"
		xz -dc "/usr/src/linux-config-$version/config.amd64_none_amd64.xz" >"$out/.config"
		printf %s "+${release#*+}" >"$out/localversion"
		make -C "$src" O="$out" CC=x86_64-linux-gnu-gcc-14 olddefconfig
		make -C "$src" O="$out" CC=x86_64-linux-gnu-gcc-14 -j"$(nproc)" prepare modules_prepare
		[ "$(cat "$out/include/config/kernel.release")" = "$release" ]
		cp "/usr/src/linux-headers-$release/Module.symvers" "$out/"
	' prepare "$src/linux-source-$RCFQ_VERSION" "$stock" "$release" "$RCFQ_VERSION" &&
		touch "$stock/.complete"
}
# It holds absolute paths, so it is made in place; an interrupted one goes on.
[ -e "$stock/.complete" ] || step "preparing to build for kernel $release, about 3 minutes" stock prepare
