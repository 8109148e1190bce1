#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Build the small test kernel with lockdep, KASAN, KUnit and fault injection
# from tests/kselftest/{config,config.debug}, once for each config. Makes the
# Debian root and the source first.

set -euo pipefail
. "$(dirname "$0")/lib.sh"

"$RCFQ_TOP/scripts/stock.sh"
lock debug
src=$(src_folder)/linux-source-$RCFQ_VERSION out=$(debug_folder)
[ ! -e "$out/.complete" ] || exit 0

build() {
	# shellcheck disable=SC2016 # expanded by the inner shell
	"$RCFQ_TOP/scripts/in-root.sh" bash -ec '
		src=$1 out=$2 top=$3
		mkdir -p "$out"
		fragments=("$top/tests/kselftest/config" "$top/tests/kselftest/config.debug")
		run() { make -C "$src" O="$out" LLVM=-19 "$@"; }
		if [ ! -e "$out/.configured" ]; then
			run allnoconfig
			"$src/scripts/kconfig/merge_config.sh" -O "$out" -m "$out/.config" "${fragments[@]}"
			run olddefconfig
			while read -r line; do
				grep -qxF "$line" "$out/.config" || { echo "the kernel does not take $line"; exit 1; }
			done < <(grep -h ^CONFIG_ "${fragments[@]}")
			touch "$out/.configured"
		fi
		run -j"$(($(nproc) + 1))"
		rm -rf "$out/install"
		run INSTALL_MOD_PATH="$out/install" modules_install
		cp "$out/arch/x86/boot/bzImage" "$out/install/lib/modules/$(cat "$out/include/config/kernel.release")/vmlinuz"
	' build "$src" "$1" "$RCFQ_TOP" && touch "$1/.complete"
}
# It holds absolute paths, so it is made in place; an interrupted one goes on.
mkdir -p "$out"
step "building the test kernel, about 20 minutes on two processors" debug-kernel build "$(realpath "$out")"
