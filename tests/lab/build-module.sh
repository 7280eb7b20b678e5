#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Builds the module for one kernel, outside the source tree.
# Usage: build-module.sh KDIR OUT [SUBDIR]
# OUT gets a copy of the sources and the objects, so that several kernels do
# not collide; with SUBDIR, the external module in that directory is built.
set -eu

kdir=$1 out=$2 subdir=${3:-}
top=$(cd "$(dirname "$0")/../.." && pwd)

mkdir -p "$out"
# Sources are copied when they changed; products of the build are left alone
rsync -a --delete --exclude='*.o' --exclude='*.ko' --exclude='*.mod' --exclude='*.mod.c' \
	--exclude='*.cmd' --exclude='*.gcno' --exclude='*.gcda' --exclude='/modules.order' \
	--exclude='/Module.symvers' --exclude='/.*' \
	"$top/Kbuild" "$top/driver" "$top/uapi" ${subdir:+--relative "$top/./$subdir"} "$out/"
exec make -C "$kdir" M="$out${subdir:+/$subdir}" ${KFLAGS:-} modules
