#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Run workloads of tests/bench/ under each scheduler, one guest a workload, two
# guests at a time, and write tables and plots into build/bench. Guests count
# instructions, so the figures are the same on a busy and on an idle machine.
# RCFQ_SEEDS='1 2 3' chooses other seeds.
# usage: bench.sh [WORKLOAD]...     (default: all but smoke)

set -euo pipefail
. "$(dirname "$0")/lib.sh"

# The longest first, so that both processors end at about the same time.
all=(jobs-1-8 startup ssd-idle noidle-mix dd-readers cost fsync ionice)
seeds=(1 2)
names=("$@")
[ $# != 0 ] || names=("${all[@]}")
seen=' '
for name in "${names[@]}"; do
	[[ " ${all[*]} smoke " == *" $name "* ]] ||
		die "there is no benchmark '$name': choose of ${all[*]} smoke"
	[[ $seen != *" $name "* ]] || die "the benchmark '$name' is named twice"
	seen+="$name "
done
# Two minutes are all that it may take; its figures hardly depend on the seed.
[ "${names[*]}" != smoke ] || seeds=(1)
if [ -n "${RCFQ_SEEDS-}" ]; then
	read -r -a seeds <<<"$RCFQ_SEEDS"
	[[ $RCFQ_SEEDS =~ ^[1-9][0-9]?(\ [1-9][0-9]?)*$ && -z $(printf '%s\n' "${seeds[@]}" | sort | uniq -d) ]] ||
		die "RCFQ_SEEDS wants different numbers from 1 to 99, such as '1 2 3', not '$RCFQ_SEEDS'"
fi
"$RCFQ_TOP/scripts/stock.sh"
step "building the module" build-stock "$RCFQ_TOP/scripts/build.sh" stock

# What runs, for those who compare; a copy without git has no name.
sources=$(git -C "$RCFQ_TOP" describe --always --dirty 2>/dev/null || echo unknown)
out=$RCFQ_BUILD/bench
mkdir -p "$out/raw"
lock bench
"$RCFQ_TOP/scripts/bench-disk.sh" >/dev/null

guest() {
	local name=$1 folder=$RCFQ_BUILD/vm/bench-$1
	rm -rf "$out/raw/$name"
	"$RCFQ_TOP/scripts/vm.sh" --name "bench-$name" --icount --memory 2G --timeout 5400 \
		--append clearcpuid=fsrm,erms -- \
		scripts/guest/bench "$name" "${seeds[@]}" >"$out/$name.log" 2>&1 &&
		cp "$folder/out/kernel" "$out/kernel" &&
		mv "$folder/out/raw" "$out/raw/$name"
}
# A lane takes the next workload until there is none.
lane() {
	local name turn
	while :; do
		exec {turn}>>"$out/.turn"
		flock "$turn"
		name=$(sed -n 1p "$out/.queue")
		sed -i 1d "$out/.queue"
		exec {turn}>&-
		[ -n "$name" ] || return 0
		guest "$name" || say "the guest of '$name' failed"
	done
}
printf '%s\n' "${names[@]}" >"$out/.queue"
for name in "${names[@]}"; do
	rm -rf "$out/raw/$name" "$out/$name.log" "$RCFQ_BUILD/vm/bench-$name/out/progress"
done
begin=$SECONDS
say "running ${names[*]} (logs: build/bench/*.log)"
beside lane
beside lane

# How far it is. The shares of the workloads in the whole are known from earlier runs.
declare -A share=([jobs-1-8]=40 [startup]=8 [ssd-idle]=16 [noidle-mix]=10 [dd-readers]=10 [cost]=8 [fsync]=4 [ionice]=4 [smoke]=2)
progress() {
	local name some all ran=0 whole=0 text=''
	for name in "${names[@]}"; do
		whole=$((whole + share[$name] * 100))
		if [ -e "$out/raw/$name" ]; then
			ran=$((ran + share[$name] * 100))
		elif read -r some all 2>/dev/null <"$RCFQ_BUILD/vm/bench-$name/out/progress"; then
			ran=$((ran + share[$name] * 100 * some / all))
			text+=", $name $some of $all"
		fi
	done
	[ "$ran" = 0 ] || text+=", about $(((SECONDS - begin) * (whole - ran) / ran / 60 + 1)) min to go"
	say "  ... $(((SECONDS - begin) / 60)) min${text:-, starting}"
}
next=$((SECONDS + 60))
while kill -0 "${background[0]}" 2>/dev/null || kill -0 "${background[1]}" 2>/dev/null; do
	sleep 1
	[ "$SECONDS" -lt "$next" ] || { progress; next=$((SECONDS + 60)); }
done
status=0 report=()
for name in "${names[@]}"; do
	if [ -e "$out/raw/$name" ]; then
		report+=(--workload "$name")
		continue
	fi
	status=1
	tail -n 3 "$out/$name.log" >&2 2>/dev/null || :
	say "the benchmark '$name' failed: build/bench/$name.log and build/vm/bench-$name/console.log tell more; run it again with 'make bench BENCH=$name'"
done
[ ${#report[@]} != 0 ] || exit 1
"$RCFQ_TOP/scripts/in-root.sh" "$RCFQ_TOP/scripts/bench/report.py" --raw "$out/raw" --out "$out" \
	--kernel "$(cat "$out/kernel")" --source "$sources" "${report[@]}" || status=$?
# Written anew, since there were workloads to run.
[ "$out/results.json" -nt "$out/.queue" ] || exit 1
say "done in $(((SECONDS - begin) / 60)) min: tables build/bench/index.md, plots build/bench/*.svg, figures build/bench/results.json"
if [[ " ${names[*]} " == *" smoke "* && -e $out/raw/smoke ]]; then
	"$RCFQ_TOP/scripts/in-root.sh" "$RCFQ_TOP/scripts/bench/smoke.py" || status=$?
fi
[ "$status" = 0 ]
