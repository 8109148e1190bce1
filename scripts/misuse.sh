#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# That the types of the elevator abstraction refuse what would be a fault: each
# file of tests/misuse is added to the sample elevator and must fail to compile
# with the error that it names ("none": it must compile). The flags of the build
# are used again, as in doc.sh.

set -euo pipefail
. "$(dirname "$0")/lib.sh"

"$RCFQ_TOP/scripts/build.sh" stock
out=$RCFQ_BUILD/misuse
obj=$RCFQ_BUILD/stock/rust
rm -rf "$out"
mkdir -p "$out"
ln -s "$RCFQ_TOP"/rust/{bindings,elevator,elevator.rs} "$out/"
command=$(sed -n "s/^savedcmd_.*:= //p" "$obj/.fifo_main.o.cmd" |
	sed -E 's/ --emit=[^ ]*//g; s/ --out-dir [^ ]*//; s| [^ ]*/fifo_main\.rs||')
passed=0 failed=0
for file in "$RCFQ_TOP"/tests/misuse/*.rs; do
	name=$(basename "$file" .rs)
	expected=$(sed -nE 's#^// (none|E[0-9]+): .*#\1#p' "$file" | head -n1)
	cat "$RCFQ_TOP/rust/fifo_main.rs" "$file" >"$out/$name.rs"
	status=0
	"$RCFQ_TOP/scripts/in-root.sh" env -C "$RCFQ_BUILD/stock" RCFQ_OBJ="$obj" RUSTC_BOOTSTRAP=1 \
		sh -c "$command -Awarnings --error-format=short --emit=metadata=$out/$name.rmeta $out/$name.rs" \
		>"$out/$name.log" 2>&1 || status=$?
	found=$(sed -nE 's|.*: error\[(E[0-9]+)\]: .*|\1|p' "$out/$name.log" | sort -u | xargs)
	if [ "${found:-none}" = "$expected" ] && { [ "$status" = 0 ] || [ "$expected" != none ]; }; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "$name: expected '$expected', found '$found', exit status $status:"
		cat "$out/$name.log"
	fi
done
echo "$passed as expected, $failed not"
[ "$failed" = 0 ] && [ "$passed" != 0 ]
