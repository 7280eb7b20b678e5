#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Runs a command in another root directory, as the caller.
# Usage: enter.sh --check | [--sudo] ROOT PATHS COMMAND...
#	--check	only says whether root, or sudo, and mounts are permitted
#	PATHS	files and directories of this machine that the command sees, at the same
#		paths, separated by colons; /dev and /proc in addition
#	--sudo	programs of ROOT may become root: needs root or sudo
# All mounts are in a namespace that ends with the command.  Without --sudo, a user
# namespace replaces root where the kernel permits it (not in a chroot, not on Ubuntu).
set -eu

die() { echo "enter: $*" >&2; exit 2; }

as_root() {
	if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo "$@"; fi
}

check() {
	[ "$(id -u)" -eq 0 ] || { command -v sudo >/dev/null && sudo true; } ||
		die "this needs root or sudo"
	as_root unshare --mount true 2>/dev/null ||
		die "mounts are not permitted here: in a container, start it with --privileged"
}

start() {
	[ "$1" != --check ] || { check; exit; }
	[ "$1" != --sudo ] || { shift; set -- real "$@"; }
	[ "$1" = real ] || set -- any "$@"
	if [ "$(id -u)" -ne 0 ] && [ "$1" = any ] &&
			unshare --map-root-user --mount true 2>/dev/null &&
			unshare --map-root-user --mount mount --rbind /proc /proc 2>/dev/null; then
		exec unshare --map-root-user --mount "$0" --inside "" "" "$@"
	fi
	check
	[ "$(id -u)" -ne 0 ] || exec unshare --mount "$0" --inside "" "" "$@"
	# sudo closes the jobserver of make, and removes variables
	MAKEFLAGS=$(echo "${MAKEFLAGS-}" | sed 's/--jobserver-[a-z]*=[^ ]*//')
	environment=$(mktemp)
	export -p >"$environment"
	exec sudo unshare --mount "$0" --inside \
		"--userspec=$(id -u):$(id -g) --groups=$(id -G | tr ' ' ,)" "$environment" "$@"
}

# Show a file or directory of this machine in the root
show() {
	if [ -d "$1" ]; then
		mkdir -p "$root$1"
	else
		[ -e "$root$1" ] || : >"$root$1"
	fi
	mount --rbind "$1" "$root$1"
}

[ "${1-}" = --inside ] || start "$@"

user=$2 environment=$3 rights=$4 root=$5 paths=$6
shift 6
if [ -n "$environment" ]; then
	. "$environment"
	rm -f "$environment"
fi
# In a directory that is a mount, the command can have mounts of its own
mount --bind "$root" "$root"
[ "$rights" = any ] || mount -o remount,bind,suid,dev,exec "$root"
[ "$rights" = any ] || show /sys
# A directory shows what is below it: parents first
shown=:
for place in $(echo "$paths" | tr : '\n' | LC_ALL=C sort -u) /dev /proc; do
	above=$place
	while [ "$above" != / ] && [ "${shown#*":$above:"}" = "$shown" ]; do
		above=$(dirname "$above")
	done
	[ "$above" != / ] || show "$place"
	shown=$shown$place:
done
exec env -u LD_LIBRARY_PATH PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
	LC_ALL=C.UTF-8 chroot $user "$root" sh -c 'cd "$0" 2>/dev/null || cd /; exec "$@"' "$PWD" "$@"
