#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Can the module be built against this kernel build folder? Prints its absolute
# path, or one sentence that says what is missing. Changes nothing.
# usage: check-kdir.sh KDIR [installing]    (installing needs no compiler)

set -euo pipefail
. "$(dirname "$0")/lib.sh"

given=${1-}
[ -n "$given" ] || die "KDIR is empty: give it the path of a kernel build folder"
[[ $given != *[[:space:]]* ]] || die "the kernel's build takes no white space in paths: KDIR='$given'"
[ -d "$given" ] || die "KDIR='$given' is not a folder"
kdir=$(cd "$given" && pwd)

config=$kdir/include/config/auto.conf
[ -e "$kdir/Makefile" ] || die "KDIR='$given' is not a kernel build folder: it has no Makefile"
{ [ -e "$config" ] && [ -e "$kdir/include/config/kernel.release" ]; } ||
	die "the kernel in '$given' is not configured: run 'make modules_prepare' there"

release=$(cat "$kdir/include/config/kernel.release")
[[ $release =~ ^${RCFQ_VERSION//./\\.}([.+-]|$) ]] ||
	die "rcfq is made for Linux $RCFQ_VERSION, and '$given' is Linux $release"
on() {
	grep -qxE "$1=[ym]" "$config"
}
on CONFIG_MODULES || die "the kernel in '$given' lacks CONFIG_MODULES: it takes no modules"
on CONFIG_RUST || die "the kernel in '$given' lacks CONFIG_RUST: switch it on and build that kernel first"
on CONFIG_BLK_ICQ || die "the kernel in '$given' lacks CONFIG_BLK_ICQ (no prompt of its own: CONFIG_IOSCHED_BFQ=y or m selects it)"
! on CONFIG_CFI || die "the kernel in '$given' has CONFIG_CFI, which a module outside the tree cannot satisfy: its scheduler callbacks take an enum"

src=$kdir
[ ! -e "$kdir/source" ] || src=$(cd "$kdir/source" && pwd)
[ -e "$src/block/elevator.h" ] ||
	die "the kernel sources of '$given' lack block/elevator.h: header packages do not ship it, a full source tree is needed"
[ -e "$kdir/rust/libkernel.rmeta" ] ||
	die "'$given' lacks rust/libkernel.rmeta: run 'make modules_prepare' in it (header packages do not ship it)"

if [ "${2-}" = installing ]; then
	[ -e "$RCFQ_BUILD/$release/modules.order" ] ||
		die "the module is not built for Linux $release yet: run 'make KDIR=$given' first"
	echo "$kdir"
	exit 0
fi

want=$(sed -n 's/^CONFIG_RUSTC_VERSION_TEXT="\{0,1\}\([^"]*\)"\{0,1\}$/\1/p' "$config")
have=$("${RUSTC:-rustc}" --version 2>/dev/null) || die "no rustc here, and the kernel in '$given' was built with '$want'"
[ "$have" = "$want" ] ||
	die "the kernel in '$given' was built with '$want', and rustc here is '$have': they must be the same (RUSTC=... names another)"
if on CONFIG_CC_IS_CLANG; then
	[[ -n ${LLVM-} || ${CC-} == *clang* ]] || die "the kernel in '$given' was built with clang: add LLVM=1, or LLVM=-VERSION"
else
	[ -z "${LLVM-}" ] || die "the kernel in '$given' was not built with clang: leave LLVM=$LLVM out"
fi
command -v "${BINDGEN:-bindgen}" >/dev/null || die "no bindgen here: it makes the module's view of the kernel's C types"
echo "$kdir"
