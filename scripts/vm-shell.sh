#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A shell in the stock kernel with rcfq on a hard disk, a SATA SSD and an NVMe
# disk; ends with the shell. Options are those of vm.sh.

set -euo pipefail
. "$(dirname "$0")/lib.sh"

[[ -t 0 && -t 1 ]] || die "'make vm' is a shell for a person and needs a terminal; scripts/vm.sh runs a command"
"$RCFQ_TOP/scripts/stock.sh"
step "building the module" build-stock "$RCFQ_TOP/scripts/build.sh" stock
say "booting, about half a minute without KVM; leave with Ctrl-D"
exec "$RCFQ_TOP/scripts/vm.sh" --name shell --timeout 0 \
	--disk sata-hdd --disk sata-ssd --disk nvme,queues=2 "$@"
