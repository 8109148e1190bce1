#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# rustdoc of the modules and of the policy, into build/doc; a warning is an
# error. The kernel has no rustdoc target for code outside the tree, so the
# flags of the build are used again.

set -euo pipefail
. "$(dirname "$0")/lib.sh"

"$RCFQ_TOP/scripts/build.sh" stock
obj=$RCFQ_BUILD/stock/rust
for crate in rcfq fifo; do
	command=$(sed -n "s/^savedcmd_.*:= //p" "$obj/.${crate}_main.o.cmd" |
		sed -E 's/ rustc / rustdoc /; s/ --emit=[^ ]*//g; s/ --out-dir [^ ]*//; s/ --remap-path-[a-z]*=[^ ]*//g')
	"$RCFQ_TOP/scripts/in-root.sh" env -C "$RCFQ_BUILD/stock" RUSTC_BOOTSTRAP=1 RCFQ_OBJ="$obj" \
		sh -c "$command -Dwarnings -Arustdoc::private-intra-doc-links --document-private-items -o '$RCFQ_BUILD/doc'"
done
RUSTDOCFLAGS='-Dwarnings -Arustdoc::private-intra-doc-links --document-private-items' "$RCFQ_TOP/scripts/cargo.sh" doc --locked --no-deps -p rcfq-policy
rm -rf "$RCFQ_BUILD/doc/policy-on-host"
cp -r "$RCFQ_BUILD/host/doc" "$RCFQ_BUILD/doc/policy-on-host"
say "the elevator's pages begin with build/doc/rcfq/elevator/index.html"
