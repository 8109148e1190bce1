#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Remove the cache folder, if it is one that rcfq made.

set -euo pipefail
. "$(dirname "$0")/lib.sh"

[ -e "$RCFQ_CACHE" ] || {
	say "there is no cache at '$RCFQ_CACHE'"
	exit 0
}
[ -f "$RCFQ_CACHE/.rcfq-cache" ] || die "'$RCFQ_CACHE' was not made by rcfq (it lacks .rcfq-cache): not removed"
! grep -q " $RCFQ_CACHE/" /proc/mounts || die "something is still mounted below '$RCFQ_CACHE': not removed"
say "removing '$RCFQ_CACHE'"
rm -rf --one-file-system -- "$RCFQ_CACHE"
