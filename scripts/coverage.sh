#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Which lines of the policy the host tests run. Fails below the wanted share.
# The tests' own lines are not counted: a file ends, for this, where its
# `mod tests` begins. Few random cases are enough to reach a line.
# Leaves build/coverage/lcov.info, and missed.txt with the lines that no test
# ran. usage: coverage.sh

set -euo pipefail
. "$(dirname "$0")/lib.sh"

wanted=95
# The simulator reaches no more lines, and takes minutes when everything counts.
packages=(-p rcfq-policy -p rcfq-model -p rcfq-properties)
out=$RCFQ_BUILD/coverage
rm -rf "$out/raw" "$out/lcov.info" "$out/missed.txt"
mkdir -p "$out/raw" "$RCFQ_BUILD/log"

run_tests() {
	RUSTFLAGS=-Cinstrument-coverage RCFQ_TARGET=$out/target PROPTEST_CASES=${PROPTEST_CASES:-64} \
		LLVM_PROFILE_FILE="$out/raw/%m-%p.profraw" "$RCFQ_TOP/scripts/cargo.sh" "$@"
}
llvm() {
	"$RCFQ_TOP/scripts/in-root.sh" "/usr/lib/llvm-19/bin/llvm-$1" "${@:2}"
}

step "fetching the crates that the host tests use" coverage-fetch "$RCFQ_TOP/scripts/cargo.sh" fetch --locked
step "running the host tests with counters" coverage run_tests test "${packages[@]}" --locked --offline --no-fail-fast
# The programs that cargo has just run, as it names them.
mapfile -t programs < <(sed -n 's/^ *Running .*(\(.*\))$/\1/p' "$RCFQ_BUILD/log/coverage.log")
[ ${#programs[@]} != 0 ] || die "coverage.sh: cargo named no test program in build/log/coverage.log"

llvm profdata merge -sparse "$out/raw" -o "$out/policy.profdata"
llvm cov export -format=lcov -instr-profile="$out/policy.profdata" "${programs[0]}" "${programs[@]/#/-object=}" \
	>"$out/all.info" 2>"$RCFQ_BUILD/log/coverage-export.log"

# FILE LINE: where the tests of each file begin. testing.rs is nothing else.
(
	cd "$RCFQ_TOP/rust/policy"
	echo testing.rs 0
	find . -name '*.rs' -exec grep -n '^mod tests {' {} + | sed 's|^\./||; s/:/ /; s/:.*//'
) >"$out/tests"
# Each program that mounts the policy names its files by another path: the same
# line's counts are added up.
awk -v wanted="$wanted" -v out="$out" -v top="$RCFQ_TOP" '
	NR == FNR { tests[$1] = $2; next }
	/^SF:/ { file = sub(/.*\/rust\/policy\//, "") ? $0 : "" }
	/^DA:/ && file != "" {
		split(substr($0, 4), at, ",")
		line = at[1] + 0
		if (file in tests && line >= tests[file]) next
		ran[file, line] += at[2]
		if (!(file in last)) last[file] = 0
		if (line > last[file]) last[file] = line
	}
	END {
		worst = "sort -n | head -n 8"
		for (file in last) {
			name = top "/rust/policy/" file
			print "SF:" name >(out "/lcov.info")
			lines = hits = 0
			for (line = 1; line <= last[file]; line++) {
				getline text <name
				if (!((file, line) in ran)) continue
				print "DA:" line "," ran[file, line] >(out "/lcov.info")
				lines++
				if (ran[file, line]) hits++
				else print "rust/policy/" file ":" line ": " text >(out "/missed.txt")
			}
			print "end_of_record" >(out "/lcov.info")
			if (hits < lines) printf "%6.2f %% of %s, %d lines missed\n", 100 * hits / lines, file, lines - hits | worst
			all += lines; hit += hits
		}
		close(worst)
		if (!all) { print "no line was counted"; exit 1 }
		printf "the host tests run %d of %d lines of the policy: %.2f %% (%d %% wanted)\n", hit, all, 100 * hit / all, wanted
		exit hit * 100 < all * wanted
	}' "$out/tests" "$out/all.info" && passed=1 || passed=0
say "the lines that no test ran: build/coverage/missed.txt"
tally coverage "$passed" "$((1 - passed))"
