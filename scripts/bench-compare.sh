#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# What changed between two files of benchmark results. usage: bench-compare.sh OLD NEW

set -euo pipefail
. "$(dirname "$0")/lib.sh"

if [ $# != 2 ] || [ -z "$1" ] || [ -z "$2" ]; then
	die "two files of results are wanted: make bench-compare OLD=before.json NEW=build/bench/results.json"
fi
# The files may lie where the Debian root does not see them.
copies=$RCFQ_BUILD/bench/compare
for file in "$@"; do
	[ -f "$file" ] || die "there is no file '$file'"
done
mkdir -p "$copies"
cp "$1" "$copies/old.json"
cp "$2" "$copies/new.json"
"$RCFQ_TOP/scripts/root.sh"
"$RCFQ_TOP/scripts/in-root.sh" "$RCFQ_TOP/scripts/bench/compare.py" "$copies/old.json" "$copies/new.json"
