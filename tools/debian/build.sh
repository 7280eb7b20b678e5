#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Builds Debian packages of the module (for DKMS), the tool, the library and the Python package.
# Usage: build.sh DIR	DIR receives the packages; its old content is deleted
# The version comes from dkms.conf.  DEBFULLNAME and DEBEMAIL set the maintainer,
# SOURCE_DATE_EPOCH sets the time of the build.
set -eu

umask 022
command -v dpkg-buildpackage >/dev/null || {
	echo "ucore: there is no dpkg-buildpackage (apt install dpkg-dev)" >&2
	exit 2
}
top=$(cd "$(dirname "$0")/../.." && pwd)
out=$1
version=$(sed -n 's/^PACKAGE_VERSION="\(.*\)"/\1/p' "$top/dkms.conf")
maintainer="${DEBFULLNAME:-the ucore developers} <${DEBEMAIL:-ucore@localhost}>"
date=$(date -R ${SOURCE_DATE_EPOCH:+-d "@$SOURCE_DATE_EPOCH"})

rm -rf "$out"
mkdir -p "$out/ucore-$version"
cd "$out/ucore-$version"
(cd "$top" && tar -c --exclude=__pycache__ Kbuild dkms.conf driver uapi tools Documentation/man \
	LICENSES) | tar -x --no-same-owner
mv tools/debian debian
chmod -R u+w .

mkdir debian/source
echo '3.0 (native)' >debian/source/format
echo dkms.conf >debian/ucore-dkms.dkms
sed -i "s/@maintainer@/$maintainer/" debian/control
sed -i -e '/@bsd@/{r LICENSES/BSD-3-Clause.txt' -e 'd}' debian/copyright
sed -i '/^License: BSD-3-clause$/,$ { /^License/! { s/^$/./; s/^/ / } }' debian/copyright
cat >debian/changelog <<END
ucore ($version) unstable; urgency=medium

  * What is new: CHANGELOG.md of the project.

 -- $maintainer  $date
END

missing=$(dpkg-checkbuilddeps 2>&1) || {
	echo "ucore: ${missing#dpkg-checkbuilddeps: error: } (apt install)" >&2
	exit 2
}
log=../build.log
DEB_BUILD_OPTIONS="noautodbgsym parallel=$(nproc)" \
	dpkg-buildpackage --build=binary --no-sign >$log 2>&1 || { cat $log >&2; exit 1; }
cd ..
rm -rf "ucore-$version"
ls ./*.deb
