#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Installs, with apt-get, the Debian packages that a part of the project needs.
# Usage: deps.sh [--list|--host] GROUP|PACKAGE...
#	--list: only says which they are; --host: on a host that need not be Debian 12
# All lists of packages stand here.  Does nothing, quickly, when all of them are
# there.  Every face of the lab begins with it, so it also says what cannot work.
set -eu

PATH=$PATH:/usr/sbin:/sbin	# for dpkg, after a plain su

packages_of() {
	case $1 in
	# the module; libelf1 is for the kernel's own objtool
	build)	echo gcc make libc6-dev kmod libelf1 ;;
	# the module and ucoretool for this machine
	here)	echo gcc make libc6-dev libncurses-dev kmod ;;
	# libucore and ucoretool, and their tests; ncurses is for ucoretool top, zsh and fish are
	# shells that complete its command lines
	tools)	echo gcc g++ make libc6-dev libncurses-dev libmicrohttpd-dev python3 bats scdoc \
			libcmocka-dev babeltrace2 python3-pytest python3-numpy zsh fish ;;
	# what ucoretool listens with (export); without it the rest is built
	http)	echo libmicrohttpd-dev ;;
	# a browser to look at the page of `report --html` with
	page)	echo chromium chromium-driver python3 ;;
	# the emulated machine: its programs and guest, and what a QEMU of ours runs with
	lab)	echo python3 gcc libc6-dev libncurses-dev libc6-dev-i386 gcc-multilib busybox-static \
			kmod xz-utils zstd dpkg-dev \
			libglib2.0-0 libpixman-1-0 libfdt1 zlib1g seabios qemu-system-data ;;
	# building that QEMU
	qemu)	echo gcc g++ make ninja-build meson pkg-config python3 flex bison patch \
			libglib2.0-dev libpixman-1-dev zlib1g-dev libfdt-dev \
			dpkg-dev xz-utils ca-certificates ;;
	# KUnit for kernels that were built without it
	kunit)	echo linux-source-6.12 gcc make python3 xz-utils ;;
	# building the debug kernel
	debug)	echo linux-source-6.12 gcc make flex bison bc libelf-dev libssl-dev \
			xz-utils cpio patch python3 kmod ;;
	check)	echo linux-source-6.12 sparse clang libclang-rt-dev perl python3 \
			gcc-multilib libc6-dev-i386 git pkg-config binutils ;;
	perf)	echo linux-perf ;;
	# libraries of Intel PCM and LIKWID, which are unpacked for guests and not installed
	peers)	echo libstdc++6 libreadline8 libudev1 ;;
	# a root directory of Debian's (make fresh, and hosts that are not Debian 12)
	root)	echo mmdebstrap python3 debian-archive-keyring ;;
	# what README asks for
	readme)	echo git make gcc libc6-dev sudo ;;
	*)	echo "$1" ;;		# a package by its own name
	esac
}

say() { echo "deps: $*" >&2; }

as_root() {
	if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo "$@"; fi
}

this_is_debian_12() {
	"${0%/*}/debian12.sh" --here ||
		{ say "the emulated machine is built from Debian 12's packages, and this is" \
			"$(. /etc/os-release && echo "$PRETTY_NAME"). Run the command in a root with" \
			"Debian 12: tests/lab/debian12.sh COMMAND"; exit 2; }
}

# QEMU's options end at a comma, the kernel's build system splits at spaces and colons
cache_has_a_plain_path() {
	case ${UCORE_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}} in
	*[\ ,:\'\"]*)
		say "the cache's path has a space, comma, colon or quote: say UCORE_CACHE=DIR"
		exit 2 ;;
	esac
}

missing_of() {
	installed=$(dpkg-query -W -f='${db:Status-Status} ${Package}\n' "$@" 2>/dev/null |
		sed -n 's/^installed //p' | sort -u)
	printf '%s\n' $installed $installed "$@" | sort | uniq -u
}

megabytes_of() {
	apt-get -qq --print-uris install --no-install-recommends "$@" 2>/dev/null |
		awk '{ bytes += $3 } END { printf "%d", bytes / 1e6 }'
}

all_of() {
	for group in "$@"; do packages_of "$group"; done | tr ' ' '\n' | sort -u
}

[ "${1-}" != --list ] || { shift; all_of "$@"; exit 0; }
any_host=
if [ "${1-}" = --host ]; then
	any_host=1
	shift
else
	this_is_debian_12
fi
cache_has_a_plain_path
missing=$(missing_of $(all_of "$@"))
[ -n "$missing" ] || exit 0

say "installing" $missing
[ "$(id -u)" -eq 0 ] || command -v sudo >/dev/null ||
	{ say "this needs root or sudo"; exit 2; }
options="-qq -o DPkg::Lock::Timeout=600 -o Dpkg::Use-Pty=0"
as_root apt-get $options update >&2 || [ -n "$any_host" ] ||
	{ say "apt-get update failed: is the network there?"; exit 1; }
say "$(megabytes_of $missing) MB to download"
as_root env DEBIAN_FRONTEND=noninteractive NEEDRESTART_MODE=l \
	apt-get $options install -y --no-install-recommends $missing >&2 ||
	{ say "apt-get install failed: is the network there? If apt has no headers of this kernel" \
		"any more, boot the newest one that is installed"; exit 1; }
