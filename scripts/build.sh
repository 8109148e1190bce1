#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Build the module inside the Debian root, into build/FLAVOUR:
#   stock   for the stock kernel, with its compiler
#   debug   for the test kernel
#   kunit   for the test kernel, with the unit tests in it
#   clippy  as stock, and clippy looks at it
# usage: build.sh FLAVOUR [MAKE-ARGUMENT]...

set -euo pipefail
. "$(dirname "$0")/lib.sh"

flavour=${1-}
case $flavour in
stock) kdir=$(stock_folder) args=(CC=x86_64-linux-gnu-gcc-14) ;;
debug) kdir=$(debug_folder) args=(LLVM=-19) ;;
kunit) kdir=$(debug_folder) args=(LLVM=-19 CONFIG_RCFQ_KUNIT_TEST=y CONFIG_RCFQ_SAMPLE_FIFO=) ;;
clippy) kdir=$(stock_folder) args=(CC=x86_64-linux-gnu-gcc-14 CLIPPY=1) ;;
*) die "build.sh: '$flavour' is none of stock, debug, kunit, clippy" ;;
esac
shift
[ -e "$kdir/.complete" ] || die "the build folder for '$flavour' is not ready: run scripts/stock.sh or 'make debug-kernel'"

out=$RCFQ_BUILD/$flavour
mkdir -p "$out"
"$RCFQ_TOP/scripts/in-root.sh" make --no-print-directory -C "$kdir" -j"$(nproc)" \
	M="$RCFQ_TOP" MO="$out" CONFIG_RCFQ=m CONFIG_RCFQ_SAMPLE_FIFO=m "${args[@]}" "${@:-modules}"
# Guests and installations take what there is: what is not built any more must not be among it.
for ko in "$out"/rust/*.ko; do
	grep -qx "\(.*/\)\?rust/$(basename "$ko" .ko)\.o" "$out/modules.order" || rm -f "$ko"
done
