# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2154 # scripts/guest/bench sets the variables

disks() {
	echo cloud-ssd sata-ssd
}
cases() {
	echo randread
}
variants() {
	printf '%s\n' "${schedulers[@]}" rcfq-idle8
}
run() {
	local seconds=500ms
	# Turns of a tenth of a second each, of ten processes: half a second says little.
	[ "$variant $disk_model" != "rcfq-idle8 cloud-ssd" ] || seconds=8
	job randread.fio --runtime="$seconds"
}
