#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The smoke set of the benchmarks, for check: no figure of rcfq may have fallen
# more than 5 % behind tests/bench/smoke/reference.json. The module must be built.

set -euo pipefail
. "$(dirname "$0")/lib.sh"

status=0
"$RCFQ_TOP/scripts/bench.sh" smoke || status=$?
[ "$status" = 0 ] || say "the smoke benchmark failed: see above; run it again with 'make bench BENCH=smoke'"
tally smoke $((status == 0)) $((status != 0))
