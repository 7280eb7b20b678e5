#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Runs a command in another root directory.
# Usage: enter.sh ROOT DIR COMMAND...
# Of this machine it sees DIR (its first two parts: /home/me), /dev and /proc.  Root is not
# needed where users may have namespaces of their own (Debian's kernels: they may).
set -eu

if [ "$1" != --inside ]; then
	[ "$(id -u)" -eq 0 ] && user= || user=--map-root-user
	exec unshare $user --mount "$0" --inside "$@"
fi

root=$2 shown=$(echo "$3" | cut -d/ -f1-3)
shift 3
for place in "$shown" /dev /proc; do
	mkdir -p "$root$place"
	mount --rbind "$place" "$root$place"
done
exec env -u LD_LIBRARY_PATH PATH=/usr/sbin:/usr/bin LC_ALL=C chroot "$root" "$@"
