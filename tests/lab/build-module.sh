#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Builds the module for one kernel, outside the source tree.
# Usage: build-module.sh KDIR OUT [SUBDIR [MAKE-ARGUMENT...]]
# OUT gets a copy of the sources and the objects, so that several kernels do
# not collide.  SUBDIR is where the external module's Kbuild is: "." or
# tests/kunit.
set -eu

kdir=$1 out=$2 subdir=${3:-.}
[ $# -le 3 ] && set -- modules || shift 3
top=$(cd "$(dirname "$0")/../.." && pwd)

if [ ! -e "$kdir/Makefile" ]; then
	echo "No kernel headers in $kdir: install them (on Debian: linux-headers-amd64)," >&2
	echo "or say KDIR=... or KERNEL=6.1." >&2
	exit 2
fi

sources="Kbuild dkms.conf driver uapi"
[ "$subdir" = . ] || sources="$sources $subdir"
mkdir -p "$out"
out=$(cd "$out" && pwd)

# Copy what changed; forget what was removed; leave products of the build alone.
# The copies can be written, whatever the sources are.
cd "$top"
cp -R -u --preserve=timestamps,links --no-preserve=mode --parents $sources "$out"
(cd "$out" && find $sources -name '*.[ch]' ! -name '*.mod.c') | while read -r file; do
	[ -e "$file" ] || rm -f "$out/$file"
done

exec make -C "$kdir" M="$(cd "$out/$subdir" && pwd)" -j"$(nproc)" "$@"
