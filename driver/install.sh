#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Installs the module for modprobe, and removes it.
# Usage: install.sh check KDIR [DESTDIR]         check the requirements, change nothing
#        install.sh module KDIR BUILT [DESTDIR]  install from build directory BUILT
#        install.sh dkms STAGE                   install by DKMS, which compiles it for each kernel
#        install.sh remove [DESTDIR]             remove from all kernels and from DKMS
set -eu

PATH=$PATH:/usr/sbin:/sbin
umask 022
top=$(cd "$(dirname "$0")/.." && pwd)
version=$(sed -n 's/^PACKAGE_VERSION="\(.*\)"/\1/p' "$top/dkms.conf")

say() { echo "ucore: $*" >&2; }

have() { command -v "$1" >/dev/null; }

# Report all missing requirements in one message
check() {
	missing=
	have "${CC:-cc}" || missing="$missing, a compiler (build-essential)"
	[ -e "$1/Makefile" ] || missing="$missing, kernel headers in $1 (linux-headers-$(uname -r))"
	have depmod || missing="$missing, depmod (kmod)"
	[ -z "$missing" ] || {
		say "nothing is installed, this is missing (Debian's package): ${missing#, }"
		exit 2
	}
	root_is_needed "${2-}"
}

root_is_needed() {
	[ -n "$1" ] || [ "$(id -u)" -eq 0 ] || { say "this needs root (or DESTDIR=...)"; exit 2; }
}

# Sign only if there is a key.  Debian's header packages contain none, and kbuild would print
# OpenSSL errors.
install_module() {
	kdir=$1 built=$2 destdir=${3-} log=$2/install.log
	sign=
	[ -e "$kdir/certs/signing_key.pem" ] || sign=CONFIG_MODULE_SIG_ALL=
	make -C "$kdir" M="$(cd "$built" && pwd)" INSTALL_MOD_PATH="$destdir" INSTALL_MOD_DIR=updates \
		INSTALL_MOD_STRIP=1 $sign modules_install >"$log" 2>&1 || { cat "$log" >&2; exit 1; }
	release=$(modinfo -F vermagic "$built/ucore.ko" | cut -d' ' -f1)
	chmod 644 "$destdir/lib/modules/$release/updates"/ucore.ko*	# kbuild copies the mode of the built file
	[ -n "$destdir" ] || depmod -a "$release"
	say "module $version is installed in $destdir/lib/modules/$release/updates"
}

dkms_versions() { dkms status ucore | sed -n 's,^ucore/\([^,: ]*\).*,\1,p' | sort -u; }

# Remove a version from DKMS.  DKMS itself would keep its copy of the sources.
dkms_forget() {
	dkms remove "ucore/$1" --all
	rm -rf "/usr/src/ucore-$1"
}

# Stage only the files that DKMS needs, because it copies the whole directory.  Older versions
# are removed last, so that a compile error leaves them installed.
install_dkms() {
	stage=$1
	have dkms || { say "there is no dkms: apt install dkms"; exit 2; }
	root_is_needed ""
	rm -rf "$stage"
	mkdir -p "$stage"
	cd "$top"
	cp -R --no-preserve=mode Kbuild dkms.conf driver uapi "$stage"
	if dkms_versions | grep -qxF "$version"; then dkms_forget "$version"; fi
	dkms add "$stage"
	dkms install "ucore/$version"
	for old in $(dkms_versions); do
		[ "$old" = "$version" ] || dkms_forget "$old"
	done
}

remove() {
	destdir=${1-}
	root_is_needed "$destdir"
	for ko in "$destdir"/lib/modules/*/updates/ucore.ko* "$destdir"/lib/modules/*/extra/ucore.ko*; do
		[ -e "$ko" ] || continue
		rm -f "$ko"
		rmdir --ignore-fail-on-non-empty "${ko%/*}"
		release=${ko#"$destdir"/lib/modules/}
		[ -n "$destdir" ] || depmod -a "${release%%/*}"
	done
	[ -z "$destdir" ] && have dkms || return 0
	for old in $(dkms_versions); do dkms_forget "$old"; done
}

command=${1-}
[ $# -eq 0 ] || shift
case $command in
check | remove) "$command" "$@" ;;
module | dkms) "install_$command" "$@" ;;
*) sed -n '5,8s/^# //p' "$0" >&2; exit 2 ;;
esac
