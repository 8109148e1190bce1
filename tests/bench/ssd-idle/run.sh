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
	job randread.fio
}
