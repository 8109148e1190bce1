#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Run the tests, as root inside the test machine, with the kernel's own
# kselftest runner: one TAP stream, one line "ok"/"not ok" per script.
#
# usage: run_tests.sh [-l] [-o SECONDS] [TEST|GROUP...]
#   -l  list the tests and exit     -o  time limit of one test
#
# KSFT names tools/testing/selftests of a kernel tree. The tests' own
# variables are described in test_common.sh.

set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd -P)

die() {
	echo "run_tests.sh: $*" >&2
	exit 2
}

list=''
limit=''
while getopts lo: opt; do
	case $opt in
	l) list=1 ;;
	o) limit=$OPTARG ;;
	*) die "usage: run_tests.sh [-l] [-o SECONDS] [TEST|GROUP...]" ;;
	esac
done
shift $((OPTIND - 1))
[[ $limit =~ ^[0-9]*$ ]] || die "-o wants a number of seconds, not '$limit'"

if [ -z "${KSFT:-}" ]; then
	for KSFT in "$here"/.. "${RCFQ_CACHE:-$HOME/.cache/rcfq}"/src-*/linux-source-*/tools/testing/selftests; do
		[ ! -r "$KSFT/lib.mk" ] || break
	done
fi
[ -r "$KSFT/lib.mk" ] ||
	die "no kernel selftests found: set KSFT to tools/testing/selftests of a kernel tree"

base=$(mktemp -d "${TMPDIR:-/tmp}/rcfq_kselftest_XXXXXX")
trap 'rm -rf "$base"' EXIT
ln -s "$KSFT/kselftest" "$KSFT/run_kselftest.sh" "$base/"
make -s -C "$here" KSFT="$KSFT" COLLECTION=rcfq emit_tests >"$base/kselftest-list.txt"

tests=()
for want; do
	want=${want%.sh}
	want=${want#test_}
	found=$(grep -E "^rcfq:test_${want}(_[0-9]+)?\.sh$" "$base/kselftest-list.txt") ||
		die "no test or group '$want' (run_tests.sh -l lists them)"
	for test in $found; do
		tests+=(-t "$test")
	done
done
if [ -n "$list" ]; then
	sed 's/^rcfq://' "$base/kselftest-list.txt"
	exit 0
fi

[ "$(id -u)" -eq 0 ] || die "must run as root, in a machine made for it: disks are overwritten"
make -s -C "$here" KSFT="$KSFT" INSTALL_PATH="$base/rcfq" install
unset KSFT
# The runner opens /dev/stdout by path, which works for a pipe always.
"$base/run_kselftest.sh" ${limit:+-o "$limit"} "${tests[@]}" 2>&1 | cat
