#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# slice_idle follows the kind of device: SATA disk, SATA SSD, NVMe.

. ./test_common.sh

_need_own
devs=()
for kind in hdd ssd nvme; do
	_need_disk "$kind"
	devs+=("$DEV")
done

_plan 9
want=8
for DEV in "${devs[@]}"; do
	_use_sched "$DEV"
	_check "$DEV: the elevator is active" _is "$(_sched "$DEV")" "$RCFQ_SCHED"
	_check "$DEV: slice_idle is $want" _is "$(_tunable "$DEV" slice_idle)" "$want"
	_check "$DEV: slice_idle_us is ${want}000" _is "$(_tunable "$DEV" slice_idle_us)" $((want * 1000))
	want=0
done
_done
