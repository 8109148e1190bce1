#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Run a command in a chosen kernel under virtme-ng, inside the Debian root.
# The guest's root is that Debian root, read only; the checkout is seen under
# its own path, /tmp is fresh memory, and $RCFQ_OUT is a folder that the host
# sees too (build/vm/NAME/out, empty at first). The exit status is the guest command's; 124 is
# a timeout, 255 a guest that went down before the command ended.

set -euo pipefail
. "$(dirname "$0")/lib.sh"

usage() {
	cat <<-'EOT'
	usage: scripts/vm.sh [OPTION]... [-- COMMAND [ARGUMENT]...]    (no command: a shell)
	  --kernel K      stock (default), debug, or the path of a kernel image
	  --cpus N        virtual processors (2)
	  --memory SIZE   1G by default
	  --disk KIND[,size=256M][,queues=N]   repeatable; KIND: sata-hdd, sata-ssd, nvme
	  --module FILE   a .ko for modprobe to find (default: build/K/rust/*.ko); "none" for none
	  --timeout SEC   600 by default; 0 for none, as for a shell
	  --name NAME     folder below build/vm/ for console.log, disks, out/ ("vm")
	  --append ARGS   more kernel options
	  --qemu ARG      one more QEMU argument; repeatable
	  --icount        count instructions: one processor, virtual time, no KVM
	EOT
}

kernel=stock cpus=2 memory=1G timeout=600 name=vm icount='' append=''
disks=() modules=() qemu=()

while [ $# -gt 0 ]; do
	case $1 in
	--help | -h) usage; exit 0 ;;
	--icount) icount=1; shift; continue ;;
	--) shift; break ;;
	--kernel | --cpus | --memory | --disk | --module | --timeout | --name | --append | --qemu)
		[[ $# -ge 2 && $2 != -- ]] || die "vm.sh: $1 needs a value" ;;
	*) die "vm.sh: unknown option '$1' (try --help)" ;;
	esac
	case $1 in
	--kernel) kernel=$2 ;;
	--cpus) cpus=$2 ;;
	--memory) memory=$2 ;;
	--disk) disks+=("$2") ;;
	--module) modules+=("$2") ;;
	--timeout) timeout=$2 ;;
	--name) name=$2 ;;
	--append) append=$2 ;;
	--qemu) qemu+=("$2") ;;
	esac
	shift 2
done

[[ $cpus =~ ^[1-9][0-9]*$ ]] || die "vm.sh: --cpus wants a number, not '$cpus'"
[[ $timeout =~ ^[0-9]+$ ]] || die "vm.sh: --timeout wants seconds, not '$timeout'"
[[ $memory =~ ^[1-9][0-9]*[MG]$ ]] || die "vm.sh: --memory wants a size such as 512M or 1G, not '$memory'"
[[ $name =~ ^[A-Za-z0-9_][A-Za-z0-9._-]{0,99}$ ]] ||
	die "vm.sh: --name takes up to 100 letters, digits, '.', '_' and '-', and begins with none of the last two, not '$name'"

# One disk: the QEMU device that shows a sparse image to the guest.
dir=$RCFQ_BUILD/vm/$name
sata=0 nvme=0 images=()
add_disk() {
	local kind=${1%%,*} size=256M queues='' option image dev
	local -a options
	IFS=, read -r -a options <<<"$1"
	for option in "${options[@]:1}"; do
		case $option in
		size=*) size=${option#size=} ;;
		queues=*) queues=${option#queues=}; [[ $queues =~ ^[1-9][0-9]{0,4}$ ]] || die "vm.sh: bad number of queues in '$1'" ;;
		*) die "vm.sh: unknown disk option '$option' in '$1'" ;;
		esac
	done
	[[ $size =~ ^[1-9][0-9]*[MG]$ ]] || die "vm.sh: bad disk size in '$1'"
	image=$dir/$kind-$((sata + nvme)).img
	images+=("$size $image")
	qemu+=(-drive "if=none,id=d$((sata + nvme)),format=raw,cache=unsafe,discard=unmap,file=$image")
	dev=drive=d$((sata + nvme)),serial=rcfq-$kind-$((sata + nvme))
	case $kind in
	sata-hdd | sata-ssd)
		[ -z "$queues" ] || die "vm.sh: a SATA disk has one hardware queue: '$1'"
		[ "$sata" -lt 6 ] || die "vm.sh: six SATA disks at most"
		[ "$sata" != 0 ] || qemu+=(-device 'ahci,id=sata')
		[ "$kind" = sata-hdd ] && dev+=,rotation_rate=7200 || dev+=,rotation_rate=1
		qemu+=(-device "ide-hd,bus=sata.$sata,$dev")
		sata=$((sata + 1)) ;;
	nvme)
		qemu+=(-device "nvme,$dev${queues:+,max_ioqpairs=$queues}")
		nvme=$((nvme + 1)) ;;
	*) die "vm.sh: unknown disk kind '$kind': sata-hdd, sata-ssd or nvme" ;;
	esac
}
for disk in "${disks[@]}"; do
	add_disk "$disk"
done

mkdir -p "$dir"
exec 9>"$dir/lock"
flock -n 9 || die "vm.sh: a guest named '$name' is running already: wait for it or choose another --name"
rm -rf "$dir/out"
mkdir "$dir/out"
for image in "${images[@]}"; do
	rm -f "${image#* }"
	truncate -s "${image%% *}" "${image#* }"
done

[ -z "$icount" ] || {
	cpus=1
	qemu+=(-accel tcg -icount "shift=0,sleep=off")
}
kvm=no
[ -n "$icount" ] || kvm=$("$RCFQ_TOP/scripts/kvm.sh")
# virtme-ng's ports have 384 queues, and QEMU's main loop polls an eventfd of each at every timer.
[ "$kvm" = yes ] || qemu+=(-cpu max -global virtio-serial-pci.ioeventfd=off)

exec "$RCFQ_TOP/scripts/in-root.sh" "$RCFQ_TOP/scripts/vm-boot.sh" \
	"$kernel" "$dir" "$cpus" "$memory" "$timeout" "$kvm" "$append" "$sata $nvme" \
	"${#modules[@]}" "${modules[@]}" "${#qemu[@]}" "${qemu[@]}" "$@"
