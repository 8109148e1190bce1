#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Does a test fail when the policy is wrong? cargo-mutants makes small changes
# to it, one at a time, and runs the unit and property tests on each; a change
# that they do not notice has survived. What is not tried stands, with reasons,
# in tests/host/mutants.toml.
#
# usage: mutants.sh          a sample for check, other ones after each change
#        mutants.sh all      all of them; goes on where it was interrupted
#        mutants.sh REGEX    those whose name matches, as 'slice.rs' or 'in choose'

set -euo pipefail
. "$(dirname "$0")/lib.sh"

valid=0
grep -qE -- "${1-}" </dev/null 2>/dev/null || valid=$?
[ "$valid" -lt 2 ] || die "mutants.sh: '$1' is no regular expression"

# The last version that the root's compiler builds.
version=26.0.0
sample=40
# The share of tried mutants that must be caught, in percent. Survivors are printed
# either way, and are to be killed or explained in mutants.toml one by one.
wanted=90

tool=$RCFQ_CACHE/cargo-mutants-$version
out=$RCFQ_BUILD/mutants
tree=$out/tree
cargo() {
	"$RCFQ_TOP/scripts/in-root.sh" env CARGO_HOME="$RCFQ_CACHE/cargo" CARGO_TERM_COLOR=never \
		PROPTEST_CASES="${PROPTEST_CASES:-100}" "$@"
}

install_tool() {
	cargo CARGO_TARGET_DIR="$out/tool" CARGO_PROFILE_DEV_DEBUG=0 \
		cargo install --debug --locked --root "$tool" "cargo-mutants@$version" && rm -rf "$out/tool"
}
mkdir -p "$out" "$RCFQ_CACHE/cargo"
lock mutants
[ -x "$tool/bin/cargo-mutants" ] || step "building cargo-mutants $version" mutants-tool install_tool

# The workspace with its root above the policy: cargo-mutants changes nothing
# that lies outside. Only the members whose tests are worth their time for each
# mutant. Random tests dominate, so the programs are optimized, but each mutant
# is built anew, so not too much.
members='"tests/host/model", "tests/host/policy", "tests/host/properties"'
rm -rf "$tree/rust" "$tree/tests"
mkdir -p "$tree/rust" "$tree/tests"
cp -r "$RCFQ_TOP/rust/policy" "$tree/rust/"
cp -r "$RCFQ_TOP/tests/host" "$tree/tests/"
rm -rf "$tree/tests/host/target"
mv "$tree/tests/host/Cargo.lock" "$tree/"
sed "s|^members = .*|members = [$members]|; /^exclude = /d; s|path = \"|&tests/host/|" \
	"$tree/tests/host/Cargo.toml" - >"$tree/Cargo.toml" <<-'EOF'

	[profile.mutants]
	inherits = "test"
	opt-level = 1
	debug = false
EOF
rm "$tree/tests/host/Cargo.toml"
changes=$(cd "$tree" && find rust tests Cargo.toml -type f -print0 | LC_ALL=C sort -z | xargs -0 sha256sum | hash)

mutants() {
	cargo "$tool/bin/cargo-mutants" mutants --dir "$tree" --config "$tree/tests/host/mutants.toml" \
		--package rcfq-policy --colors never "$@"
}

case ${1-} in
'' | all) ;;
*) [ -n "$(mutants --list --re "$1")" ] || die "mutants.sh: no mutant's name matches '$1'" ;;
esac

# cargo-mutants' own first run is of the policy's unit tests alone. If another
# test failed all by itself, every mutant would seem to be caught.
test_unchanged() {
	cd "$tree"
	cargo cargo test --workspace --profile mutants --tests "$@"
}
# Incremental builds take a fifth of the time, but what an interrupted one
# leaves may not link.
[ -e "$tree/target/.whole" ] || rm -rf "$tree/target/mutants/incremental"
rm -f "$tree/target/.whole"
step "building the host tests for mutants" mutants-build test_unchanged --no-run
begin=$SECONDS
step "running them without a mutant" mutants-unchanged test_unchanged --no-fail-fast
# A mutant may loop for ever.
timeout=$((30 + 4 * (SECONDS - begin)))

# In place, for this is a copy and all other crates are built in it already;
# cargo itself uses the processors.
run=(--output "$out/run" --in-place --profile mutants --no-shuffle --baseline skip --build-timeout 600)
# Which tests, all or the package's own ones, and after how many seconds they hang.
# The unit tests catch most, and take a fraction of the time.
rounds=("false 30" "true $timeout")
status=0
case ${1-} in
'')
	total=$(mutants --list | wc -l)
	shards=$(((total + sample - 1) / sample))
	shard=$((16#$changes % shards))
	text="trying a sample of $total mutants of the policy, shard $shard of $shards"
	rm -rf "$out/run"
	# The second round would cut what is left into other shards.
	rounds=("true $timeout")
	run+=(--shard "$shard/$shards" --sharding round-robin) ;;
all)
	# What was found out about other sources says nothing about these.
	run[1]=$out/all-$changes
	text="trying all mutants of the policy"
	run+=(--iterate) ;;
*)
	text="trying the mutants of the policy that match '$1'"
	rm -rf "$out/run"
	run+=(--iterate --re "$1") ;;
esac
mkdir -p "${run[1]}"
results=${run[1]}/mutants.out

# note: keep what cargo-mutants forgets from run to run. It takes what did not
# compile as caught the next time, and tries again what hung.
note() {
	local kind
	mkdir -p "$results"
	for kind in unviable timeout; do
		touch "${run[1]}/$kind" "$results/$kind.txt"
		sort -u -o "${run[1]}/$kind" "${run[1]}/$kind" "$results/$kind.txt"
	done
	cat "$results/timeout.txt" >>"$results/previously_caught.txt"
}
# That some were missed (2) or timed out (3) is a result, no failure to run.
try() {
	local round status
	for round in "${rounds[@]}"; do
		note
		status=0
		mutants "${run[@]}" --test-workspace "${round% *}" --timeout "${round#* }" -- --tests || status=$?
		[[ $status =~ ^[023]$ ]] || return 1
	done
	note
}
if [ "${1-}" = all ]; then
	say "$text; interrupt it at will, the same command goes on"
	try || status=$?
else
	(step "$text" mutants try) || status=$?
fi
[ "$status" != 0 ] || touch "$tree/target/.whole"
[ "$status" = 0 ] || { tally mutants 0 1; exit 1; }

count() {
	cat /dev/null "$@" 2>/dev/null | sort -u | wc -l
}
timeouts=$(count "${run[1]}/timeout") unviable=$(count "${run[1]}/unviable") survived=$(count "$results/missed.txt")
caught=$(($(count "$results/caught.txt" "$results/previously_caught.txt" "${run[1]}"/{timeout,unviable}) - timeouts - unviable))
# The path by which a file is mounted tells a reader nothing.
sed 's|^.*\.\./|survived: |' "$results/missed.txt"
echo "$((caught + timeouts + unviable + survived)) mutants, $caught caught, $timeouts timeouts, $unviable unviable, $survived survived"
tried=$((caught + timeouts + survived)) known=$((caught + timeouts))
echo "$((tried == 0 ? 0 : known * 100 / tried)) % of those that compile were caught ($wanted % wanted)"
[ "$tried" != 0 ] && [ $((known * 100)) -ge $((tried * wanted)) ] && passed=1 || passed=0
tally mutants "$passed" "$((1 - passed))"
