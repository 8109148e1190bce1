#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Print "yes" if KVM can boot a kernel here, else "no". /dev/kvm may exist and
# answer and still not boot one, so a kernel without a root is booted and must
# reach its panic in time. The answer is kept in the cache for this machine.

set -euo pipefail
. "$(dirname "$0")/lib.sh"

[ -w /dev/kvm ] || { echo no; exit 0; }

machine=$( (uname -r; grep -m1 'model name' /proc/cpuinfo; cat /sys/class/dmi/id/product_name 2>/dev/null || :) | sha256sum | cut -c1-16)
answer=$RCFQ_CACHE/kvm-$machine
if [ ! -s "$answer" ]; then
	[ -e "$RCFQ_ROOT/.complete" ] || die "the Debian root is not built yet: run 'make root'"
	say "testing whether KVM works here (20 s at most)"
	# shellcheck disable=SC2016 # expanded inside the root
	if "$RCFQ_TOP/scripts/in-root.sh" bash -c '
		for image in /usr/lib/modules/*/vmlinuz; do :; done
		timeout --kill-after=1 20 qemu-system-x86_64 -accel kvm -cpu host -m 256M -nodefaults \
			-display none -serial stdio -no-reboot -kernel "$image" \
			-append "console=ttyS0 panic=-1 root=/dev/none" </dev/null 2>&1' |
		grep -aq 'Kernel panic - not syncing: VFS'; then
		echo yes
	else
		echo no
	fi >"$answer.$$"
	mv "$answer.$$" "$answer"
fi
cat "$answer"
