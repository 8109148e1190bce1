#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The main job, from nothing: build the module, boot the unchanged stock kernel
# in QEMU with a hard disk, a SATA SSD and an NVMe disk, run real work on them
# under rcfq and print what every process got. SCHED names another scheduler.

set -euo pipefail
. "$(dirname "$0")/lib.sh"

sched=${SCHED:-rcfq}
[[ $sched =~ ^(rcfq|bfq|mq-deadline|kyber)$ ]] || die "SCHED='$sched' is none of rcfq, bfq, mq-deadline, kyber"
"$RCFQ_TOP/scripts/stock.sh"
[ "$sched" != rcfq ] || step "building the module" build-stock "$RCFQ_TOP/scripts/build.sh" stock

out=$RCFQ_BUILD/vm/demo/out
say "booting kernel $(root_fact release) in QEMU, about half a minute (console: build/vm/demo/console.log)"
status=0
"$RCFQ_TOP/scripts/vm.sh" --name demo --timeout 600 --disk sata-hdd,size=128M --disk sata-ssd,size=128M --disk nvme,size=128M,queues=2 \
	-- scripts/guest/demo "$sched" || status=$?
case $status in
0) ;;
124) die "the demo did not end in 10 minutes: see build/vm/demo/console.log" ;;
255) die "the guest went down: see build/vm/demo/console.log" ;;
126 | 127) die "the guest could not start the demo: see build/vm/demo/console.log" ;;
*)
	# The guest ends with this file; without it something before the guest has failed.
	[ "$(cat "$out/wrong" 2>/dev/null)" = "$status" ] || die "the demo was not run (exit status $status): see above"
	say "the guest found $status things wrong (WRONG, above); its files are in build/vm/demo/out" ;;
esac
"$RCFQ_TOP/scripts/in-root.sh" python3 "$RCFQ_TOP/scripts/demo-table.py" "$out" "$sched" || status=1
exit "$status"
