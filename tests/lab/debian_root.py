# SPDX-License-Identifier: GPL-2.0-only
"""Make a minimal Debian, in a directory or a tarball, with mmdebstrap.

The archive and its keys are those of this host's apt. On a host that is not Debian, they are
mmdebstrap's own. Root or sudo is required.

usage: python3 -m lab.debian_root RELEASE DIRECTORY     for the user who calls this
"""

import os
import re
import shlex
import signal
import subprocess
import sys
from pathlib import Path

from lab import archive, kernels

DEPS = Path(__file__).resolve().parent / "deps.sh"
# Of package debian-archive-keyring. mmdebstrap finds it itself only with gpg
KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"
# The root can be made again at any time, so dpkg need not sync files or install manuals
DPKG = ("force-unsafe-io", "path-exclude=/usr/share/doc/*", "path-exclude=/usr/share/man/*",
        "path-exclude=/usr/share/locale/*")
# A proxy is the only part of apt's configuration that decides whether the archive is reached
PROXY = re.compile(r'^Acquire::https?::(?:\S+::)?Proxy "[^"]+";$', re.M)


def as_root(*command, **options):
    """Run a command as root."""
    sudo = [] if os.getuid() == 0 else ["sudo"]
    return subprocess.run([*sudo, *map(str, command)], check=True, **options)


def packages(group):
    """Return the packages of a group of deps.sh."""
    return subprocess.run([DEPS, "--list", group], check=True, capture_output=True,
                          text=True).stdout.split()


def make(release, target, include, *hooks):
    """Create a root of a release. A failure leaves nothing behind.

    target   directory, or tarball (.tar)
    include  packages in addition to the essential ones
    hooks    shell commands that complete the root; "$1" is its directory
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    parts = target.with_name(f"new-{target.name}")
    sources = target.with_name(f"{release}.sources")
    found = archive.of_release_elsewhere(release)
    sources.write_text(archive.sources_text(found))
    words = ["mmdebstrap", "--variant=minbase", f"--include={','.join(include)}",
             *(f"--dpkgopt={option}" for option in DPKG),
             *(f"--aptopt={option}" for option in proxies()),
             f"--customize-hook={'; '.join(('set -e', *keys_of(found), *hooks))}",
             *([] if found else [f"--keyring={KEYRING}"]),
             release, parts, *([sources] if found else [])]
    remove(parts)
    interrupted = []
    # mmdebstrap gets the signal of the terminal, too, and ends when it has tidied up
    old = signal.signal(signal.SIGINT, lambda *_: interrupted.append(True))
    try:
        # a namespace, because mmdebstrap needs devices and set-user-ID programs in its directory
        as_root("unshare", "--mount", "sh", "-ec", 'mount --bind "$0" "$0"; '
                'mount -o remount,bind,suid,dev,exec "$0"; exec "$@"', target.parent, *words,
                stdin=subprocess.DEVNULL, stdout=2)
        parts.rename(target)
    except subprocess.CalledProcessError as error:
        if interrupted:
            raise KeyboardInterrupt from error
        raise SystemExit(f"debian_root: mmdebstrap could not make a root with {release} in "
                         f"{target.parent}: is the network there, and are mounts permitted "
                         f"(in a container: --privileged)?") from error
    finally:
        remove(parts)
        signal.signal(signal.SIGINT, old)


def remove(path):
    as_root("rm", "-rf", "--one-file-system", path)


def proxies():
    """Return the settings of apt's proxy on this host."""
    said = subprocess.run(["apt-config", "dump"], check=True, capture_output=True, text=True).stdout
    return PROXY.findall(said)


def keys_of(found):
    """Yield hooks that copy keys and lists of mirrors which the entries name into the root."""
    named = {path for entry in found for path in re.findall(
        r"(?<!\S)(?:mirror\+file:)?(/etc/\S+|/usr/share/keyrings/\S+)",
        f"{entry['Uris']} {entry.get('Signed-By', '')}")}
    for path in map(shlex.quote, sorted(named)):
        yield f'[ -e "$1"{path} ] || install -D -m 644 {path} "$1"{path}'


def user_hooks():
    """Yield hooks that add the calling user, who may become root with sudo."""
    user, group, home = os.getuid(), os.getgid(), Path.home()
    yield f'chroot "$1" groupadd -o -g {group} lab'
    yield (f'chroot "$1" useradd -o -u {user} -g {group} -M -d {shlex.quote(str(home))} '
           '-s /bin/sh lab')
    yield '''echo 'ALL ALL=(ALL:ALL) NOPASSWD: ALL' >"$1"/etc/sudoers.d/lab'''


def main(release, directory):
    target = Path(directory)
    # Other users must not reach programs with set-user-ID that nobody updates
    target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with kernels.locked(target.parent.name):
        if not target.exists():     # another process may have made it
            make(release, target, [*packages("readme"), "python3", "ca-certificates"],
                 *(user_hooks() if os.getuid() else ()),
                 'chmod 755 "$1"', 'rm -f "$1"/etc/resolv.conf "$1"/etc/hosts')


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except KeyboardInterrupt:
        sys.exit(130)
