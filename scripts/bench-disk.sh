#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Build rcfq-disk, which shows a modelled disk as a block device, and print the
# path of the program. Static, since guests run it from memory.

set -euo pipefail
. "$(dirname "$0")/lib.sh"

[ $# = 0 ] || die "bench-disk.sh takes no arguments"
out=$RCFQ_BUILD/bench/target
target=x86_64-unknown-linux-gnu
build() {
	RUSTFLAGS="-C target-feature=+crt-static" RCFQ_TARGET=$out \
		"$RCFQ_TOP/scripts/cargo.sh" build --release --locked --target "$target" --manifest-path ../bench/disk/Cargo.toml
}
step "building rcfq-disk" bench-disk build
echo "$out/$target/release/rcfq-disk"
