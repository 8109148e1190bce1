#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Let libFuzzer choose the policy's events. The stable compiler can do it: the
# counters come from LLVM's own pass, libFuzzer from its crate.
#
# usage: fuzz.sh            a fixed number of runs from a fixed seed, for check
#        fuzz.sh SECONDS    as long as that; what is learned is kept in build/
#        fuzz.sh FILE       play one input again

set -euo pipefail
. "$(dirname "$0")/lib.sh"

runs=40000
seeds=$RCFQ_TOP/tests/host/fuzz/corpus
out=$RCFQ_BUILD/fuzz
log=$RCFQ_BUILD/log/fuzz.log

# Inputs that are slow, large or endless are findings too.
options=(-max_len=1024 -timeout=20 -rss_limit_mb=1024 -print_final_stats=1 -artifact_prefix="$out/findings/")
case ${1-} in
'')
	rm -rf "$out/fixed"
	mkdir -p "$out/fixed"
	text="fuzzing the policy with $runs inputs"
	options+=(-runs="$runs" -seed=1 "$out/fixed" "$seeds") ;;
*[!0-9]*)
	[ -f "$1" ] || die "fuzz.sh: '$1' is neither a number of seconds nor a file to play"
	text="playing $1"
	options+=("$(realpath "$1")")
	[[ ${options[-1]} == "$RCFQ_TOP"/* ]] || die "fuzz.sh: '$1' must lie in the checkout, to be seen in the Debian root" ;;
*)
	[[ $1 =~ ^[1-9][0-9]{0,6}$ ]] || die "fuzz.sh: '$1' seconds are no run: from 1 to 9999999"
	text="fuzzing the policy for $1 s"
	options+=(-max_total_time="$1" "$out/learned" "$seeds") ;;
esac

mkdir -p "$out/learned" "$out/findings"
"$RCFQ_TOP/scripts/root.sh"
counters=(-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4
	-Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table
	-Cllvm-args=-sanitizer-coverage-trace-compares)
# With a target named, cargo leaves build scripts without the counters.
target=x86_64-unknown-linux-gnu
build() {
	RUSTFLAGS="--cfg fuzzing ${counters[*]}" RCFQ_TARGET=$out/target \
		"$RCFQ_TOP/scripts/cargo.sh" build --release --locked --target "$target" --manifest-path fuzz/Cargo.toml
}
step "building the fuzzer" fuzz-build build

status=0
(step "$text" fuzz "$RCFQ_TOP/scripts/in-root.sh" "$out/target/$target/release/rcfq-fuzz" "${options[@]}") || status=$?
sed -n 's/^#\([0-9]*\)[[:space:]]*DONE[[:space:]]*cov: \([0-9]*\) .*exec\/s: \([0-9]*\).*/\1 inputs, \3 per second; \2 places reached/p' "$log"
if [ "$status" != 0 ]; then
	sed -n 's/.*Test unit written to //p' "$log" | while read -r file; do
		say "a finding: play it again with 'scripts/fuzz.sh ${file#"$RCFQ_TOP/"}', and add it to tests/host/fuzz/corpus when it is mended"
	done
fi
tally fuzz "$((status == 0))" "$((status != 0))"
