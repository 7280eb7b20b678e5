#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The unit tests on a kernel of the developer (make kunit KDIR=...).
# Usage: own_kernel.sh check KDIR        check that modules with suites can be built for this kernel
#        own_kernel.sh say KDIR BUILT    print how to run the suites that are built in BUILT
set -eu

die() { echo "kunit: $*" >&2; exit 1; }

kdir=$2
config=$kdir/include/config/auto.conf

check() {
	[ -e "$config" ] || die "$kdir: no configured kernel. Build the kernel, or correct KDIR."
	grep -q '^CONFIG_KUNIT=' "$config" ||
		die "$kdir: this kernel has no KUnit. Build it with CONFIG_KUNIT=m or y," \
			"or run the suites in the lab: make kunit KERNEL=6.1"
	grep -qw __kunit_do_failed_assertion "$kdir/Module.symvers" 2>/dev/null ||
		die "$kdir: Module.symvers lacks KUnit. Build the kernel and its modules first: make"
}

say() {
	module=$(cd "$1" && pwd)/tests/kunit/ucore_kunit.ko
	# a kernel can have KUnit turned off until it is told otherwise
	enable=
	grep -q '^CONFIG_KUNIT_DEFAULT_ENABLED=y' "$config" ||
		enable=" enable=1"
	echo "The suites are in $module"
	echo "On a machine that runs this kernel, as root:"
	if grep -q '^CONFIG_KUNIT=m' "$config"; then
		echo "	modprobe kunit$enable"
	elif [ "$enable" ]; then
		echo "	(boot it with kunit.enable=1)"
	fi
	echo "	dmesg -C"
	echo "	insmod ucore_kunit.ko"
	echo "	dmesg | $(realpath "$kdir")/tools/testing/kunit/kunit.py parse"
	echo "	rmmod ucore_kunit"
	echo "Documentation/testing/kunit.md explains the steps."
}

case $1 in
check)	check ;;
say)	say "$3" ;;
esac
