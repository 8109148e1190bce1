#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Install the module that was built for the stock kernel, as modules_install
# does: into $INSTALL_MOD_PATH/lib/modules/RELEASE/updates.

set -euo pipefail
. "$(dirname "$0")/lib.sh"

release=$(root_fact release)
base=${INSTALL_MOD_PATH:-}
target=$base/lib/modules/$release
[ -n "$base" ] || [ -d "$target" ] ||
	die "the stock kernel $release is not installed on this machine: install linux-image-$release, or name a folder with INSTALL_MOD_PATH"
mkdir -p "$target/updates" 2>/dev/null || die "cannot make the folder '$target/updates'"
for module in "$RCFQ_BUILD"/stock/rust/*.ko; do
	say "  INSTALL $target/updates/${module##*/}"
	install -m 644 "$module" "$target/updates/"
done
if [ -e "$target/modules.builtin" ]; then
	depmod ${base:+-b "$base"} "$release"
fi
