# SPDX-License-Identifier: GPL-2.0-only
#
# ucore: `make help` lists the targets.  All build results are in build/; kernels
# and QEMU are cached in ~/.cache/ucore (UCORE_CACHE).  Targets that use the
# emulated machine install the Debian packages that they need.

LAB	:= tests/lab
# A module of the lab's package, run as a program
PYLAB	:= PYTHONPATH='$(CURDIR)/tests' python3 -m lab
# Runs tests, JOBS at once
RUN	= $(LAB)/run $(if $(JOBS),-j $(JOBS)) $(if $(SELECT),--select $(SELECT))
# Directory of all build results (UCORE_BUILD)
BUILD	:= $(or $(UCORE_BUILD),$(CURDIR)/build)
export UCORE_BUILD := $(BUILD)
prefix	?= /usr/local

# The kernel's build system splits paths at spaces and colons, QEMU's options at commas
comma	:= ,
paths	:= $(CURDIR)$(UCORE_BUILD)
ifneq ($(or $(word 2,$(paths)),$(findstring :,$(paths)),$(findstring $(comma),$(paths)),$(findstring ',$(paths))),)
$(error The path of this tree has a space, comma, colon or quote ($(CURDIR)): move it)
endif
ifneq ($(filter-out clean help uninstall,$(or $(MAKECMDGOALS),all)),)
ifeq ($(shell mkdir -p $(BUILD) 2>/dev/null && [ -w $(BUILD) ] && echo yes),)
$(error $(BUILD) cannot be written: say UCORE_BUILD=DIR, a directory for what is built)
endif
endif

# The kernel to build for: the running one, KDIR=..., or a KERNEL of the lab
KERNEL	?=
# `make kunit KDIR=...` builds the unit tests for a kernel of the developer, without the lab
OWN_KERNEL := $(if $(KERNEL),,$(filter command,$(origin KDIR)))
ifeq ($(KERNEL),)
KDIR	?= /lib/modules/$(shell uname -r)/build
else
# evaluated once, on first use
KDIR	= $(eval KDIR := $$(shell $(LAB)/deps.sh build lab && \
	  $(PYLAB).kernels path $(KERNEL) | sed -n 's/^build=//p'))$(KDIR)
endif
MODULE	= $(BUILD)/module-$(patsubst linux-headers-%,%,$(notdir $(KDIR:/build=)))

# The lab is made of Debian 12's packages. On another host its targets run in a root with Debian 12
HOST_TARGETS := tools verify-here install uninstall dkms deb clean help $(if $(KERNEL),,all module) \
		$(if $(OWN_KERNEL),kunit)
goals	:= $(or $(MAKECMDGOALS),all)
ifneq ($(filter-out $(HOST_TARGETS),$(goals)),)
elsewhere := $(shell $(LAB)/debian12.sh --here || echo yes)
endif
ifeq ($(elsewhere),yes)
.NOTPARALLEL:
.PHONY: $(goals)
$(filter $(HOST_TARGETS),$(goals)):
	@$(MAKE) --no-print-directory $@
$(filter-out $(HOST_TARGETS),$(goals)):
	@$(LAB)/debian12.sh make --no-print-directory UCORE_BUILD=$(abspath $(BUILD))/debian12 $@
else

.PHONY: all module tools kunit mutants coverage check fuzz fuzz-calls soak races lab tools-test page-test fresh-test test test-all quick fresh lab-kernels demo bench shell screens verify-here install uninstall dkms deb clean help

all: module tools	## build the module for the running kernel, and the tools

# The kernel's build system gets a copy of the sources (UCORE_COPY), so that nothing is built
# in the tree and kernels do not collide.  SUBDIR: folder of the module's Kbuild.
SUBDIR	= .
SOURCES	= Kbuild dkms.conf driver uapi $(filter-out .,$(SUBDIR))
KBUILD	= $(MAKE) $(if $(findstring jobserver,$(MAKEFLAGS)),,-j$(shell nproc)) \
	  -C $(KDIR) M=$(abspath $(MODULE)/$(SUBDIR)) UCORE_COPY=$(abspath $(MODULE)) $(NO_BTF)
# The module's own type information needs pahole, which Debian's headers do not bring
NO_BTF	:= $(if $(shell command -v pahole 2>/dev/null),,CONFIG_DEBUG_INFO_BTF_MODULES=)

module:	## build ucore.ko [KDIR=... or KERNEL=6.1|6.12|6.1-rt|7|debug]
	@[ -e $(KDIR)/Makefile ] || { \
		echo 'No kernel headers in $(KDIR): install them (on Debian: linux-headers-amd64),'; \
		echo 'or say KDIR=... or KERNEL=6.1.'; exit 2; } >&2
	@mkdir -p $(MODULE)
	@# the copies can be written, whatever the sources are
	@cp -R -u --preserve=timestamps,links --no-preserve=mode --parents $(SOURCES) $(MODULE)
	@# what was removed here is removed there; products of the build stay
	@cd $(MODULE) && find $(SOURCES) -name '*.[ch]' ! -name '*.mod.c' | while read -r file; do \
		[ -e '$(CURDIR)'/"$$file" ] || rm -f "$$file"; done
	@$(KBUILD) modules

tools:	## build ucoretool and libucore
	@$(MAKE) --no-print-directory -C tools O=$(BUILD)/tools

kunit:	## unit tests, on a debug kernel in an emulated machine [KERNEL=debug|6.1|6.12|7 CPUS=2], or for your kernel [KDIR=...]
ifneq ($(OWN_KERNEL),)
	@tests/kunit/own_kernel.sh check '$(KDIR)'
	@$(MAKE) --no-print-directory module SUBDIR=tests/kunit \
		MODULE='$(MODULE:$(BUILD)/module-%=$(BUILD)/kunit-%)'
	@tests/kunit/own_kernel.sh say '$(KDIR)' '$(MODULE:$(BUILD)/module-%=$(BUILD)/kunit-%)'
else
	@$(LAB)/deps.sh build lab $(if $(filter-out debug,$(KERNEL)),kunit,debug)
	@$(PYLAB).kunit $(or $(KERNEL),debug) $(or $(CPUS),2)
endif

mutants:	## mutation tests: check that the tests detect errors in the driver, a long run [N=200 SEED=1 OPTIONS="--anew"]
	@$(LAB)/deps.sh build lab debug
	@PYTHONPATH='$(CURDIR)/tests' python3 -m mutation.run $(OPTIONS) $(or $(N),200) $(or $(SEED),1)

coverage:	## list the lines of the driver that no test runs, an hour [TESTS="pattern ..."]
	@$(LAB)/deps.sh build lab debug perf
	@PYTHONPATH='$(CURDIR)/tests' python3 -m coverage.run $(TESTS)

check:	## checkpatch, sparse, W=1, headers, kernel-doc
	@$(LAB)/deps.sh build lab check debug
	@$(PYLAB).kernels fetch 6.1 6.12 debug clang
	@$(RUN) --tests tests/check $(TESTS)

fuzz:	## fuzz the discovery parser, until interrupted [RUNS=n OPTIONS=libFuzzer's]
	@$(LAB)/deps.sh build check
	@$(MAKE) --no-print-directory -C tests/fuzz O=$(BUILD)/fuzz run

fuzz-calls:	## random calls of /dev/ucore, on the debug kernel, hours [CALLS=10000000 SEED=1]
	@$(LAB)/deps.sh build lab debug perf
	@PYTHONPATH='$(CURDIR)/tests' python3 -m soak.run fuzz $(or $(CALLS),10000000) $(or $(SEED),1)

soak:	## long run of faults, hotplug and suspend at a low rate with exact counts [MINUTES=120 SEED=1]
	@$(LAB)/deps.sh build lab debug perf
	@PYTHONPATH='$(CURDIR)/tests' python3 -m soak.run soak $(or $(MINUTES),120) $(or $(SEED),1)

races:	## tests on a kernel with KCSAN, which detects data races, a quarter of an hour [TESTS="pattern ..."]
	@$(LAB)/deps.sh build lab debug perf
	@PYTHONPATH='$(CURDIR)/tests' python3 -m soak.races $(TESTS)

lab:	## tests on the emulated machine [TESTS="pattern ..." JOBS=n]
	@$(LAB)/deps.sh build lab debug perf http
	@$(RUN) $(TESTS)

tools-test:
	@$(LAB)/deps.sh tools
	@$(MAKE) --no-print-directory -C tools O=$(BUILD)/tools test

page-test:	## test the page of `report --html` in a browser (installs Chromium, 100 MB)
	@$(LAB)/deps.sh tools page
	@$(MAKE) --no-print-directory -C tools O=$(BUILD)/tools test-page

test:	## the driver, the tool and every platform in 12 minutes, the next time in 6
	@$(LAB)/deps.sh build tools lab kunit perf
	@$(PYLAB).all test

test-all:	## every test: also the debug kernel, other kernels, lint, fuzzers, minimal machines; an hour
	@$(LAB)/deps.sh build tools lab debug check perf root
	@$(PYLAB).all test-all

quick:	## a minute's tests after a change: unit tests, one machine
	@$(LAB)/deps.sh build lab kunit perf
	@$(PYLAB).all quick

fresh-test:
	@$(LAB)/deps.sh build lab debug root
	@$(RUN) --tests tests/clean_install $(TESTS)

fresh:	## README's commands on a minimal Debian with nothing cached (an hour or two)
	@UCORE_FRESH=all $(MAKE) --no-print-directory fresh-test
	@$(LAB)/run -j 1 --tests tests/clean_install/cold $(TESTS)

# The tests depend on threaded interrupts and on newer kernel interfaces: loading, counting, samples
# by overflow, by timer and by perf's events, mapped rings, tasks, hotplug, suspend, unloading; and
# the platforms that only Linux's newest driver knows
lab-kernels:	## a selection of the lab's tests on RT and newer kernels [KERNELS="6.1-rt 7 ..."]
	@$(LAB)/deps.sh build lab perf
	@$(RUN) $(addprefix -k ,$(or $(KERNELS),6.1-rt 6.12-rt 7 7-rt)) -s e2-2s -s gnr-2s -s dmr-2s \
		$(or $(TESTS),loading_writes rmmod_and_insmod every_counter_counts_exactly \
		overflow_sample_holds record_and_report_match timer_samples_of_both unused_cpu_offline \
		uapi_ring core_event_overflows_trigger samples_list_the_tasks \
		timer_session_survives_suspend_to_ram test_witness_newest)

demo:	## count and sample an emulated two-socket Xeon [PLATFORM=snbep|ivbep|hswep|bdxep|skx|icx|snr|spr|gnr|grr|core, nhm, a client processor snb|hsw|skl|icl|tgl|adl|mtl|ptl, or of tests/lab/scenarios/shapes.md]
	@$(LAB)/deps.sh build lab
	@$(PYLAB).demo $(or $(PLATFORM),ivbep)

bench:	## cost of a sample, compared with perf and with the minimum [PLATFORM=snbep|ivbep|hswep|bdxep|skx|icx|spr|core|parallel|clocked|polls|peers]
	@$(LAB)/deps.sh build lab perf peers
	@$(PYLAB).bench $(PLATFORM)

shell:	## a shell on the emulated machine [KERNEL=6.1 SCENARIO=e2-2s]
	@$(LAB)/deps.sh build lab perf http
	@$(PYLAB).shell $(or $(SCENARIO),e2-2s) $(or $(KERNEL),6.1)

screens:	## update the printed output in tutorial, recipes and README [PAGES="FILE ..."]
	@$(LAB)/deps.sh build lab perf http
	@$(PYLAB).doc_outputs $(PAGES)

# Refuses before anything is built. A module parameter is for example try_overflow=1
verify-here:	## try ucore on this processor, leave the machine as it was, write a report to send [OPTIONS="PARAMETER=VALUE ..."]
	@tools/verify-here.sh check $(KDIR)
	@! command -v apt-get >/dev/null || $(LAB)/deps.sh --host here \
		$(if $(wildcard $(KDIR)/Makefile),,linux-headers-$(shell uname -r))
	@$(MAKE) --no-print-directory module tools
	@mkdir -p $(BUILD)/silicon
	@$(if $(filter 0,$(shell id -u)),,sudo) tools/verify-here.sh run $(MODULE)/ucore.ko \
		$(BUILD)/tools/ucoretool $(BUILD)/silicon \
		$(or $(shell git -c safe.directory='*' describe --always --abbrev=12 --dirty 2>/dev/null),unknown) $(OPTIONS)

install:	## install module, tools and manual pages [prefix=/usr/local DESTDIR=]
	@driver/install.sh check $(KDIR) $(DESTDIR)
	@$(MAKE) --no-print-directory all
	@umask 022 && $(MAKE) --no-print-directory -C tools O=$(BUILD)/tools prefix=$(prefix) install
	@driver/install.sh module $(KDIR) $(MODULE) $(DESTDIR)

uninstall:	## remove what install and dkms installed [prefix=/usr/local DESTDIR=]
	@driver/install.sh remove $(DESTDIR)
	@$(MAKE) --no-print-directory -C tools O=$(BUILD)/tools prefix=$(prefix) uninstall

dkms:	## build and install the module with DKMS, also for later kernels
	@driver/install.sh dkms $(BUILD)/dkms

deb:	## Debian packages of module (DKMS), tool, library and Python package, in build/deb
	@tools/debian/build.sh $(BUILD)/deb

clean:	## remove build/ (the cache stays)
	@rm -rf $(BUILD)

help:	## list the targets
	@sed -n 's/^\([a-z-]*\):[^#]*## \(.*\)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 19 | sed 's/ \[/\n                   [/'

endif
