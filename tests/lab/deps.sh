#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Installs, with apt-get, the Debian packages that a part of the project needs.
# Usage: deps.sh GROUP|PACKAGE...
# Does nothing, quickly, when all of them are there.  (qemu/build.sh installs
# what a build of QEMU needs.)
set -eu

packages_of() {
	case $1 in
	build)	echo gcc make libc6-dev kmod ;;
	tools)	echo gcc make libc6-dev bats scdoc ;;	# and their tests
	lab)	echo python3 gcc libc6-dev libc6-dev-i386 gcc-multilib busybox-static \
			kmod xz-utils zstd dpkg-dev ;;
	debug)	echo linux-source-6.12 gcc make flex bison bc libelf-dev libssl-dev \
			xz-utils cpio python3 kmod ;;
	check)	echo linux-source-6.12 sparse clang libclang-rt-dev perl python3 gcc-multilib libc6-dev-i386 ;;
	perf)	echo linux-perf ;;
	*)	echo "$1" ;;		# a package by its own name
	esac
}

as_root() {
	if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo "$@"; fi
}

wanted=$(for group in "$@"; do packages_of "$group"; done | tr ' ' '\n' | sort -u)
installed=$(dpkg-query -W -f='${db:Status-Status} ${Package}\n' $wanted 2>/dev/null |
	sed -n 's/^installed //p' | sort -u)
missing=$(printf '%s\n' $installed $installed $wanted | sort | uniq -u | tr '\n' ' ')
[ -n "$missing" ] || exit 0

echo "deps: installing $missing" >&2
options="-qq -o DPkg::Lock::Timeout=600 -o Dpkg::Use-Pty=0"
as_root apt-get $options update >&2
as_root env DEBIAN_FRONTEND=noninteractive \
	apt-get $options install -y --no-install-recommends $missing >&2
