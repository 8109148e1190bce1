# SPDX-License-Identifier: GPL-2.0

ifneq ($(KERNELRELEASE),)

# Read by the kernel's build.
obj-$(CONFIG_RCFQ) += rust/

else

# Read by a person's make: `make help`. Kconfig is not read out of tree, so the
# options are set here; Kconfig stays their one description.
export CONFIG_RCFQ ?= m
export CONFIG_RCFQ_SAMPLE_FIFO ?= m
export CONFIG_RCFQ_KUNIT_TEST ?=

ifneq ($(words $(CURDIR)),1)
$(error the kernel's build takes no white space in paths: move the checkout '$(CURDIR)')
endif

all: modules

ifeq ($(origin KDIR),undefined)

ifneq ($(filter line,$(foreach option,$(filter CONFIG_RCFQ%,$(.VARIABLES)),$(origin $(option)))),)
$(error CONFIG_RCFQ and its like can be chosen for a kernel of your own only: give KDIR, too)
endif

# For the unchanged stock Debian kernel, inside the Debian root of the cache.
modules:
	@scripts/stock.sh
	@scripts/build.sh stock
	@echo 'rcfq: the modules are in build/stock/rust'

modules_install: modules
	@scripts/install.sh

else

# For a kernel of the caller's own, with the caller's compilers.
export KDIR
kbuild = $(MAKE) -C "$$kdir" M=$(CURDIR) \
	MO=$(CURDIR)/build/$$(cat "$$kdir/include/config/kernel.release")

modules:
	+@kdir=$$(scripts/check-kdir.sh "$$KDIR") && \
		mkdir -p build/$$(cat "$$kdir/include/config/kernel.release") && \
		$(kbuild) modules

modules_install:
	+@kdir=$$(scripts/check-kdir.sh "$$KDIR" installing) && \
		$(kbuild) modules_install

endif

demo:
	@scripts/demo.sh

vm:
	@scripts/vm-shell.sh

check:
	@scripts/check.sh

lint host-test coverage kunit kselftest cost disks smoke:
	@scripts/check.sh $@

mutants: root
	@scripts/mutants.sh all

# Seconds, or a file to play again.
export FUZZ ?= 600

fuzz:
	@scripts/fuzz.sh "$$FUZZ"

# One or more workloads of tests/bench/; all of them if empty.
export BENCH ?=

bench:
	@set -f; exec scripts/bench.sh $$BENCH

# Result files: build/bench/results.json, or what was kept of earlier ones.
bench-compare:
	@scripts/bench-compare.sh "$$OLD" "$$NEW"

doc:
	@scripts/stock.sh
	@scripts/doc.sh

root:
	@scripts/root.sh

debug-kernel:
	@scripts/debug-kernel.sh

clean:
	rm -rf build

cache-clean:
	@scripts/cache-clean.sh

help:
	@echo 'Main targets:'
	@echo '  demo             boot the stock Debian kernel in QEMU and run rcfq on three disks'
	@echo '  check            every check and test below; ends with "N passed, N failed"'
	@echo '  vm               a shell in that guest, with rcfq on its disks'
	@echo
	@echo 'Module:'
	@echo '  modules          build rcfq-iosched.ko for the stock Debian kernel (default target)'
	@echo '  modules_install  install it below INSTALL_MOD_PATH or /'
	@echo '  KDIR=/path ...   either of them for the kernel built in that folder'
	@echo '  doc              rustdoc of the module and of the policy, into build/doc'
	@echo
	@echo 'Parts of check:'
	@echo '  lint             format, clippy, layers, SPDX, shellcheck, documents'
	@echo '  host-test        the policy in user space: unit and property tests'
	@echo '  coverage         the share of the policy that those tests run'
	@echo '  kunit            the same unit tests in the test kernel'
	@echo '  kselftest        the module in QEMU, on the test kernel and the stock kernel'
	@echo '  cost             guest instructions per I/O beside the other schedulers'
	@echo '  disks            the modelled disks as block devices of a guest: figures, beginning and end'
	@echo '  smoke            a little of the benchmarks, against the committed ratios'
	@echo
	@echo 'More of what check does in part:'
	@echo '  mutants          whether the host tests notice every small change of the policy (an hour)'
	@echo '  fuzz             events chosen by libFuzzer, for FUZZ=600 seconds'
	@echo
	@echo 'Comparing with other schedulers:'
	@echo '  bench            every workload on modelled disks, tables and plots in build/bench/ (40 minutes);'
	@echo '                   BENCH="fsync cost" for some of them'
	@echo '  bench-compare    OLD=results.json NEW=results.json: what changed between two runs'
	@echo
	@echo 'Set-up (done by the targets above as needed):'
	@echo '  root             the Debian root with compilers, QEMU and the stock kernel'
	@echo '  debug-kernel     the test kernel with lockdep, KASAN and KUnit'
	@echo '  clean            remove build/'
	@echo '  cache-clean      remove the cache folder ($$RCFQ_CACHE, default ~/.cache/rcfq)'

.PHONY: all modules modules_install demo vm check lint host-test coverage mutants fuzz kunit bench bench-compare
.PHONY: kselftest cost disks smoke doc root debug-kernel clean cache-clean help

endif
