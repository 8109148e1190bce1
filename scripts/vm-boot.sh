#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The half of vm.sh that runs inside the Debian root: lay out the kernel's
# module folder with our modules in it, then start virtme-ng. The mounts made
# here are private to this run. Called by vm.sh only.

set -euo pipefail
. "$(dirname "$0")/lib.sh"

kernel=$1 dir=$2 cpus=$3 memory=$4 timeout=$5 kvm=$6 append=$7 disks=$8
shift 8
modules=("${@:2:$1}")
shift $(($1 + 1))
qemu=("${@:2:$1}")
shift $(($1 + 1))

# Where the kernel is: FROM is a folder as below /usr/lib/modules, or nothing.
from=''
case $kernel in
stock) from=/usr/lib/modules/$(root_fact release) ;;
debug)
	from=$(debug_folder)/install/lib/modules
	[ -e "$(debug_folder)/.complete" ] || die "the test kernel is not built yet: run 'make debug-kernel'"
	from=$from/$(ls "$from") ;;
esac
image=${from:+$from/vmlinuz}
image=${image:-$kernel}
[ -f "$image" ] || die "vm.sh: no kernel image '$kernel' (stock, debug, or a file below the checkout or the cache)"
if [ -n "$from" ]; then
	release=${from##*/}
else
	release=$(file -bL "$image" | sed -n 's/.*, version \([^ ,]*\).*/\1/p')
	[ -n "$release" ] || die "vm.sh: '$image' is not a kernel image"
fi

if [ ${#modules[@]} = 0 ]; then
	for ko in "$RCFQ_BUILD/$kernel"/rust/*.ko; do
		[ ! -e "$ko" ] || modules+=("$ko")
	done
elif [ "${modules[*]}" = none ]; then
	modules=()
fi

# The module folder: depmod's files with our modules, kept by content, and the
# kernel's own modules mounted into it.
key=$(for ko in "${modules[@]}"; do
	[ -f "$ko" ] || die "vm.sh: no module '$ko'"
	cat "$ko"
done | cat - <(stat -c %Y "$image") | sha256sum | cut -c1-16)
tree=$RCFQ_BUILD/vm/.modules/$release-$key
stage=/tmp/modules
lay_out() {
	mkdir -p "$1/kernel" "$1/updates"
	[ ! -d "$from/kernel" ] || mount --bind "$from/kernel" "$1/kernel"
}
if [ ! -e "$tree/vmlinuz" ]; then
	mkdir -p "$RCFQ_BUILD/vm/.modules"
	find "$RCFQ_BUILD/vm/.modules" -maxdepth 1 -name "$release-*" -mmin +60 -exec rm -rf {} +
	lay_out "$stage/lib/modules/$release"
	for file in order builtin builtin.modinfo; do
		[ ! -e "$from/modules.$file" ] || cp "$from/modules.$file" "$stage/lib/modules/$release/"
	done
	for ko in "${modules[@]}"; do
		cp "$ko" "$stage/lib/modules/$release/updates/"
	done
	depmod -b "$stage" "$release" 2>&1 | grep -v 'could not open modules' >&2 || :
	[ ! -d "$from/kernel" ] || umount "$stage/lib/modules/$release/kernel"
	cp "$image" "$stage/lib/modules/$release/vmlinuz"
	cp -r "$stage/lib/modules/$release" "$tree.$$"
	mv -T "$tree.$$" "$tree" 2>/dev/null || rm -rf "$tree.$$" # another run was first
fi
lay_out "$tree"
mount -t tmpfs tmpfs /mnt
mkdir "/mnt/$release"
mount --rbind "$tree" "/mnt/$release"
mount --rbind /mnt /usr/lib/modules

mount --bind "$RCFQ_TOP/scripts/guest/init" /usr/lib/python3/dist-packages/virtme/guest/virtme-init

qemu+=(-fsdev "local,id=out,path=$dir/out,security_model=none" -device "virtio-9p-pci,fsdev=out,mount_tag=rcfq-out")
run=(virtme-run --kimg "$release" --mods=auto --force-9p --cpus "$cpus" --memory "$memory")
[ "$kvm" = yes ] || run+=(--disable-kvm)
read -r sata nvme <<<"$disks"
# The guest's root is read only and nobody changes it meanwhile: let it cache.
for option in rcfq_top="$RCFQ_TOP" rcfq_cache="$RCFQ_CACHE" rcfq_sata="$sata" rcfq_nvme="$nvme" \
	rootflags=version=9p2000.L,trans=virtio,access=any,cache=loose,msize=512000 $append; do
	run+=(--kopt "$option")
done

if [ $# = 0 ]; then
	exec "${run[@]}" --qemu-opts "${qemu[@]}"
fi

printf -v command '%q ' "$@"
# QEMU opens its outputs by path: only a pipe can be shared so.
exec {out}> >(exec cat)
writer=$!

# boot: the exit status is the guest command's. A guest must not outlive us,
# whoever ends us. One that is not up in time is ended.
boot() {
	local guest i status=0
	rm -f "$dir/console.log" "$dir/out/.up"
	setpriv --pdeathsig TERM timeout --kill-after=10 "$timeout" "${run[@]}" --show-boot-console --script-sh "$command" \
		--qemu-opts "${qemu[@]}" </dev/null 1>&"$out" 2> >(exec cat >"$dir/console.log") &
	guest=$!
	for ((i = 0; i < 400; i++)); do
		if [ -e "$dir/out/.up" ] || ! kill -0 "$guest" 2>/dev/null; then
			break
		fi
		sleep 1
	done
	[ $i -lt 400 ] || kill "$guest"
	wait "$guest" || status=$?
	return "$status"
}

# On a loaded machine an emulated kernel now and then stops while it checks its
# timers. Nothing of ours has run by then, so it may try again.
for try in 1 2 3; do
	status=0
	boot || status=$?
	[ ! -e "$dir/out/.up" ] || break
	cp "$dir/console.log" "$dir/console-$try.log"
	say "the guest did not come up (try $try of 3, log: ${dir#"$RCFQ_TOP/"}/console-$try.log)"
done
exec {out}>&-
wait "$writer"
exit "$status"
