# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash

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
