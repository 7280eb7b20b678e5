#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Runs a command on Debian 12, whose packages the lab is made of.
# Usage: debian12.sh --here | COMMAND...	--here: succeeds if this is Debian 12
# On another host the command runs in a root directory with Debian 12, as the same user
# (enter.sh).  The root is made once, in the cache, and may be removed: sudo rm -r DIR.
# It shows the home directory, this tree, its results, the cache and /tmp.
set -eu

say() { echo "debian12: $*" >&2; }
die() { say "$*"; exit 2; }

is_debian_12() {
	(. /etc/os-release && [ "$ID" = debian ] && [ "${VERSION_CODENAME-}" = bookworm ]) 2>/dev/null
}

case ${1-} in
'')	die "usage: debian12.sh --here | COMMAND..." ;;
--here)	is_debian_12; exit ;;
esac
! is_debian_12 || exec "$@"

lab=$(cd "$(dirname "$0")" && pwd -P)
tree=$(cd "$lab/../.." && pwd -P)
host=$(. /etc/os-release && echo "$PRETTY_NAME")
cache=$(realpath -m "${UCORE_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/ucore}")
build=$(realpath -m "${UCORE_BUILD:-$tree/build}")
root=$cache/debian12/root
# What another compiler and another C library have built stays apart
export UCORE_CACHE="$cache" UCORE_BUILD="$build/debian12"

if [ ! -d "$root" ]; then
	command -v apt-get >/dev/null ||
		die "the lab needs Debian 12, or a host with apt-get on which it can make a root with" \
			"Debian 12. This is $host: tests/lab/Containerfile says how to get a container"
	say "this is $host: the lab runs in a root directory with Debian 12, $root." \
		"Making it takes a minute, once"
	# after Ctrl-C, wait until nothing is left
	trap 'exit 130' INT
	"$lab/enter.sh" --check
	"$lab/deps.sh" --host root ||
		die "mmdebstrap, which makes the root, is not installed (on Ubuntu it is in universe)"
	PYTHONPATH=$lab/.. python3 -m lab.debian_root bookworm "$root"
	trap - INT
else
	say "this is $host: running on Debian 12 in $root"
fi

mkdir -p "$UCORE_BUILD"
paths=/tmp:$tree:$build:$cache
case ${HOME:-/} in
/|/bin|/sbin|/lib*|/usr|/usr/*|/etc|/var|/dev|/proc|/sys|/run) ;;
*) [ ! -d "$HOME" ] || { export HOME="$(realpath "$HOME")"; paths=$paths:$HOME; } ;;
esac
# A work tree of git has its objects elsewhere
objects=$(git -C "$tree" rev-parse --path-format=absolute --git-common-dir 2>/dev/null) || objects=
for place in "$objects" /etc/resolv.conf /etc/hosts; do
	[ ! -e "$place" ] || paths=$paths:$place
done

# Options of this host's make are not those of Debian 12's; settings are
case ${MAKEFLAGS-} in
*"-- "*) MAKEFLAGS="-- ${MAKEFLAGS#*-- }" ;;
*) MAKEFLAGS= ;;
esac
export MAKEFLAGS
unset MFLAGS MAKELEVEL TMPDIR LANG LANGUAGE LIBRARY_PATH CPATH C_INCLUDE_PATH LD_PRELOAD \
	PYTHONHOME PYTHONPATH VIRTUAL_ENV PERL5LIB
case "$(pwd -P)/" in
"$tree"/*) cd "$(pwd -P)" ;;
*) cd "$tree" ;;
esac
exec "$lab/enter.sh" --sudo "$root" "$paths" "$@"
