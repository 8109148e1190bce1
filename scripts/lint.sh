#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# What can be judged without running the scheduler: form, warnings, layers.
# Each check is a function; it says what is wrong and fails.

set -euo pipefail
. "$(dirname "$0")/lib.sh"

cd "$RCFQ_TOP"
root=("$RCFQ_TOP/scripts/in-root.sh")
mkdir -p "$RCFQ_BUILD/log"

# The repository's files, also those not yet added to it.
files() {
	local list
	list=$(git -c safe.directory="$RCFQ_TOP" ls-files -co --exclude-standard -- "$@" | while read -r file; do
		[ ! -f "$file" ] || echo "$file"
	done)
	[ -n "$list" ] || { echo "no files: $*"; return 1; }
	echo "$list"
}
# hits: grep -E, and no match is no error.
hits() {
	grep -E "$@" || [ $? = 1 ]
}
# none MESSAGE: nothing may come in; what does is shown below the message.
none() {
	local found
	found=$(cat)
	[ -z "$found" ] || { printf '%s:\n%s\n' "$1" "$found"; return 1; }
}
# Rust without comments: what is left is code.
code() {
	files "$@" | while read -r file; do
		sed -n "s|//.*||; s|^|$file: |p" "$file"
	done
}

rustfmt_module() {
	"${root[@]}" rustfmt --check --config-path .rustfmt.toml rust/rcfq_main.rs rust/fifo_main.rs tests/misuse/*.rs
}
rustfmt_host() {
	scripts/cargo.sh fmt --all --check && scripts/cargo.sh fmt --manifest-path fuzz/Cargo.toml --check &&
		scripts/cargo.sh fmt --manifest-path ../bench/disk/Cargo.toml --check
}
clippy_module() {
	rm -rf "$RCFQ_BUILD/clippy"
	scripts/build.sh clippy 2>&1 && ! grep -qE '^(warning|error)|: (warning|error):' "$log"
}
clippy_host() {
	scripts/cargo.sh fetch --locked && scripts/cargo.sh clippy --workspace --all-targets --locked --offline -- -Dwarnings
}
clippy_bench() {
	RCFQ_TARGET=$RCFQ_BUILD/bench/target scripts/cargo.sh clippy --all-targets --locked --manifest-path ../bench/disk/Cargo.toml -- -Dwarnings
}
rustdoc() {
	scripts/doc.sh
}
misuse_is_refused() {
	scripts/misuse.sh
}
shellcheck_scripts() {
	files scripts tests .ci | while read -r file; do
		! head -n1 "$file" | grep -qE '^#!.*\b(ba)?sh\b|^# shellcheck shell' || echo "$file"
	done | xargs "${root[@]}" shellcheck
}
# A row of a table in a comment cannot be wrapped; rustfmt keeps code in bounds.
checkpatch() {
	files 'rust/*.rs' 'rust/*.c' 'rust/*.h' Kconfig | xargs "${root[@]}" \
		"$(src_folder)/linux-source-$RCFQ_VERSION/scripts/checkpatch.pl" --no-tree --strict --terse --no-summary --quiet \
		--ignore FILE_PATH_CHANGES,CONFIG_DESCRIPTION,LONG_LINE_COMMENT -f
}
policy_names_core_only() {
	code 'rust/policy/*.rs' | hits -v 'cfg_attr\(CONFIG_RCFQ_KUNIT_TEST|kernel::macros::kunit_tests\(' |
		hits '\b(kernel|std|alloc|bindings|pin_init)::|crate::(sched|elevator|bindings)\b|extern crate' |
		none 'the policy may name only core and crate::policy'
}
elevator_knows_no_policy() {
	code 'rust/elevator.rs' 'rust/elevator/*.rs' 'rust/bindings/*.rs' | hits 'crate::(policy|sched)\b|super::super::(policy|sched)\b' |
		none 'the abstraction may not name a scheduler'
}
sched_names_no_bindings() {
	code 'rust/sched.rs' 'rust/sched/*.rs' | hits '\bbindings::' | none 'the glue may not name raw C'
}
unsafe_in_its_rooms() {
	code 'rust/*.rs' | hits -v '^rust/(elevator|bindings|helpers)[./]' | hits -v 'forbid\(unsafe_code\)|deny\(unsafe' |
		hits '\bunsafe\b' | none 'unsafe outside elevator/ and bindings/'
}
unsafe_is_forbidden() {
	local file
	for file in rust/sched.rs rust/policy/mod.rs; do
		grep -qE '^#!\[.*forbid\(unsafe_code\)' "$file" || echo "$file"
	done | none 'without #![forbid(unsafe_code)]'
}
spdx() {
	files | grep -vE '^LICENSE$|\.lock$|\.proptest-regressions$|/settings$|/fuzz/corpus/' | while read -r file; do
		head -n2 "$file" | grep -q 'SPDX-License-Identifier: GPL-2.0' || echo "$file"
	done | none 'no SPDX line GPL-2.0'
}
file_length() {
	files | grep -vE '^LICENSE$|\.lock$|\.svg$' | while read -r file; do
		lines=$(wc -l <"$file")
		[ "$lines" -le 500 ] || echo "$file: $lines"
	done | none 'over 500 lines'
}
no_place_of_a_machine() {
	files | grep -vE '^LICENSE$|\.lock$|^scripts/lint\.sh$' | { xargs grep -nE '/(root|home)/[a-z.]|/work/|(deb|security)\.debian\.org|(index|static)\.crates\.io' || [ $? = 123 ]; } |
		none 'a path or an address of one machine'
}
kconfig_is_what_is_built() {
	diff <(sed -n 's/^config /CONFIG_/p' Kconfig | sort) \
		<(grep -ohE 'CONFIG_RCFQ[A-Z_]*' Makefile rust/Kbuild | sort -u)
}
links_in_documents() {
	local file target
	files '*.md' | while read -r file; do
		hits -o '\]\([^)#:]+' "$file" | sed 's/^](//' | while read -r target; do
			[ -e "$(dirname "$file")/$target" ] || echo "$file: $target"
		done
	done | none 'a link to nothing'
}
reports_of_benchmarks() {
	"${root[@]}" python3 -B -m unittest discover -s tests/bench
}

passed=0 failed=0
for check in rustfmt_module rustfmt_host clippy_module clippy_host clippy_bench rustdoc misuse_is_refused shellcheck_scripts checkpatch \
	policy_names_core_only elevator_knows_no_policy sched_names_no_bindings unsafe_in_its_rooms unsafe_is_forbidden \
	spdx file_length no_place_of_a_machine kconfig_is_what_is_built links_in_documents \
	reports_of_benchmarks; do
	log=$RCFQ_BUILD/log/lint-$check.log
	if ($check) >"$log" 2>&1; then
		passed=$((passed + 1))
		echo "ok      $check"
	else
		failed=$((failed + 1))
		echo "FAILED  $check (log: build/log/lint-$check.log)"
		tail -n 15 "$log" | sed 's/^/    /'
	fi
done
tally lint "$passed" "$failed"
