#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Builds QEMU with our machine model; prints the binary's path on its last line.
# Usage: build.sh [--path | --configure]
#	--path: nothing on stdout but the path; --configure: fetches and configures
#	it and stops, which shows that all packages are there
#
# Debian's QEMU source and our files give one x86_64 binary in
# $UCORE_CACHE/qemu/bin/<hash of our files>.  An edit of the model rebuilds in
# seconds.  Installs the packages it needs.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
root=${UCORE_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/ucore}/qemu
src=$root/src
build=$root/build
keep=6				# binaries of other states of the tree

configure_options=(
	--target-list=x86_64-softmmu --enable-tcg
	--without-default-features --without-default-devices
	--with-devices-x86_64=ucore
	--enable-fdt=system --disable-install-blobs --disable-debug-info
	--enable-trace-backends=nop
)

say() { echo "qemu: $*" >&2; }

die() { say "$*"; exit 1; }

# C files below a directory, as ./PATH
c_files() { (cd "$1" && find . -name '*.[ch]' | LC_ALL=C sort); }

tree_hash() {
	(cd "$here" && c_files . | xargs cat build.sh hooks.patch ucore.mak) |
		sha256sum | cut -c1-16
}

# For QEMU's build: all there is
meson_build() {
	echo "i386_ss.add(files("
	c_files "$here" | sed -n "s,^\./\(.*\.c\)$,  '\1'\,,p"
	echo "))"
}

fetch_source() {
	local dl=$root/dl dsc

	say "fetching QEMU's source package (130 MB)"
	PYTHONPATH=$here/../.. python3 -m lab.archive source qemu "$dl"
	dsc=$(ls "$dl"/qemu_*.dsc | tail -1)
	case ${dsc##*/} in
	qemu_7.2*) ;;
	*) die "this release has ${dsc##*/}, hooks.patch is for 7.2" ;;
	esac
	say "unpacking ${dsc##*/}"
	rm -rf "$src.new"
	dpkg-source --no-check --no-copy -x "$dsc" "$src.new" >/dev/null
	# the build insists on firmware that Debian's source leaves out; we use none
	for f in aarch64-code arm-code arm-vars i386-code i386-secure-code i386-vars \
			x86_64-code x86_64-secure-code; do
		: > "$src.new/pc-bios/edk2-$f.fd.bz2"
	done
	mv "$src.new" "$src"
}

# Equal files keep their time stamps, so that ninja sees only what changed.
update() {
	cmp -s "$1" "$2" || { mkdir -p "$(dirname "$2")"; cp "$1" "$2"; }
}

apply_hooks() {
	local pristine=$root/pristine patched f

	for f in $(sed -n 's,^+++ b/,,p' "$here/hooks.patch"); do
		[ -e "$pristine/$f" ] || { mkdir -p "$pristine/$(dirname "$f")"
			cp "$src/$f" "$pristine/$f"; }
	done
	patched=$(mktemp -d)
	cp -r "$pristine/." "$patched"
	patch -s -d "$patched" -p1 < "$here/hooks.patch" || die "hooks.patch does not apply"
	(cd "$patched" && find . -type f) | while read -r f; do
		update "$patched/$f" "$src/$f"
	done
	rm -rf "$patched"
}

copy_model() {
	local to=$src/hw/i386/ucore f

	for f in $(c_files "$here"); do update "$here/$f" "$to/$f"; done
	for f in $(c_files "$to"); do
		[ -e "$here/$f" ] || rm "$to/$f"
	done
	meson_build > "$root/meson.build"
	update "$root/meson.build" "$to/meson.build"
	update "$here/ucore.mak" "$src/configs/devices/x86_64-softmmu/ucore.mak"
}

configure() {
	local wanted="${configure_options[*]}"

	[ "$(cat "$build/ucore-options" 2>/dev/null)" != "$wanted" ] || return 0
	say "configuring (half a minute)"
	rm -rf "$build"
	mkdir -p "$build"
	(cd "$build" && "$src/configure" "${configure_options[@]}" > ucore.log 2>&1) ||
		{ tail -20 "$build/ucore.log" >&2; die "configure failed"; }
	echo "$wanted" > "$build/ucore-options"
}

compile() {
	say "compiling (2 to 5 minutes the first time)"
	NINJA_STATUS='[%f/%t] ' ninja -C "$build" qemu-system-x86_64 2>&1 |
		tee "$build/ucore.log" |
		awk '/^\[[0-9]+\/[0-9]+\]/ { if (++n % 200 == 0) print "qemu: " $1; fflush() }
		     / warning: / { print }' >&2 ||
		{ grep -E -A8 'error|undefined' "$build/ucore.log" | head -60 >&2
		  die "build failed, see $build/ucore.log"; }
}

prune() {
	ls -1dt "$root"/bin/*/ | tail -n "+$((keep + 1))" | xargs -r rm -rf
}

case ${1-} in
--configure)
	"$here/../deps.sh" qemu
	mkdir -p "$root"
	[ -d "$src" ] || fetch_source
	apply_hooks
	copy_model
	configure
	exit ;;
''|--path) ;;
*) sed -n '4,7s/^# \?//p' "$0" >&2; exit 2 ;;
esac

bin=$root/bin/$(tree_hash)
if [ ! -x "$bin/qemu-system-x86_64" ]; then
	mkdir -p "$bin"
	exec 9>"$root/lock"
	flock -n 9 || { say "waiting for another build"; flock 9; }
	if [ ! -x "$bin/qemu-system-x86_64" ]; then
		"$here/../deps.sh" qemu
		[ -d "$src" ] || fetch_source
		apply_hooks
		copy_model
		configure
		compile
		strip -g -o "$bin/new" "$build/qemu-system-x86_64"
		mv "$bin/new" "$bin/qemu-system-x86_64"
		say "ready"
	fi
	prune
fi
touch "$bin" 2>/dev/null || true	# a cache may be shared, and read-only
echo "$bin/qemu-system-x86_64"
