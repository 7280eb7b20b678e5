# SPDX-License-Identifier: GPL-2.0-only
"""A minimal Debian in a directory, which exists while a test runs.

The root has the programs that README requires (git, make, a compiler, sudo) and a user who may use
sudo.  mmdebstrap creates it once (lab.debian_root), and each test unpacks it.  Root or sudo is
required for chroot and mounts.  The mounts are in a private namespace and end with the command.
"""

import os
import re
import shlex
import subprocess
import tempfile
from pathlib import Path

from lab import archive, debian_root, kernels, short_module
from lab.artifacts import BUILD, TOP
from lab.debian_root import as_root
from lab.machine import CheckFailed, die_with_parent

PLACE = "/home/user/ucore"
CACHE = "/home/user/.cache/ucore"
PATH = "/usr/local/bin:/usr/bin:/bin"
ROOT_PATH = f"/usr/local/sbin:/usr/sbin:/sbin:{PATH}"
# directories of the cache that take long to build or download, and contain no Debian package
WARM = ("kernel", "headers", "src", "qemu/bin")


def base(release):
    """Return the tarball of the minimal root; create it on first use."""
    made = archive.cache() / "fresh" / f"{release}-root.tar"
    with kernels.locked("fresh"):
        if not made.exists():
            subprocess.run([TOP / "tests/lab/deps.sh", "root"], check=True)
            archive.say(f"making a minimal root with {release} (half a minute)")
            debian_root.make(release, made, debian_root.packages("readme"))
    return made


class Root:
    """Context manager: a minimal Debian root, removed when the block ends.

    name     name of the log, build/fresh/NAME.log
    warm     mount the kernels and QEMU of this machine's cache read-only
    release  of Debian; the one of this machine by default
    """

    def __init__(self, name, warm=True, release=None):
        self._release = release or archive.codename()
        self._log = BUILD / "fresh" / f"{name}.log"
        self._warm = warm
        self._debs = archive.cache() / "fresh/archives"

    def __enter__(self):
        tarball = base(self._release)
        self._log.parent.mkdir(parents=True, exist_ok=True)
        self._log.write_text("")
        self._debs.mkdir(exist_ok=True)
        self.path = Path(tempfile.mkdtemp(prefix="root-", dir=tarball.parent))
        try:
            as_root("tar", "-xpf", tarball, "-C", self.path, "--numeric-owner")
            self._setup()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        # keep downloaded packages for the next root
        as_root("sh", "-c", f"cp -ln {self.path}/var/cache/apt/archives/*.deb {self._debs} || :",
                stderr=subprocess.DEVNULL)
        as_root("rm", "-rf", "--one-file-system", self.path)

    def _setup(self):
        """Set up network, user, previously downloaded packages and the tree."""
        script = f"""set -e; umask 022
            chmod 755 .
            cp /etc/resolv.conf /etc/hosts etc
            ! ls {self._debs}/*.deb >/dev/null 2>&1 || cp -l {self._debs}/*.deb var/cache/apt/archives
            chroot . useradd --create-home --shell /bin/bash user
            echo 'user ALL=(ALL) NOPASSWD: ALL' >etc/sudoers.d/user
            mkdir -p .{PLACE} .{CACHE}/qemu/dl
            {f'cp {archive.cache()}/qemu/dl/qemu_* .{CACHE}/qemu/dl || :' if self._warm else ''}
            tar -x -C .{PLACE}
            chroot . chown -R user:user /home/user"""
        tree = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "-z"], cwd=TOP,
                              check=True, capture_output=True).stdout
        names = [name for name in tree.decode().split("\0") if name and (TOP / name).exists()]
        with subprocess.Popen(["tar", "-c", "-C", TOP, "--null", "-T", "-"], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE) as packed:
            packed.stdin.write("\0".join(names).encode())
            packed.stdin.close()
            as_root("sh", "-c", script, cwd=self.path, stdin=packed.stdout)
        self.run("git init -q . && git add -A")

    def run(self, command, *, user="user", network=True):
        """Run a shell command in the tree as the user; return its output."""
        namespaces = ["--mount", "--pid", "--fork", "--kill-child", *(() if network else ("--net",))]
        sudo = [] if os.getuid() == 0 else ["sudo"]
        with open(self._log, "a+") as log:
            log.write(f"\n$ {command}\n")
            log.flush()
            begin = log.tell()
            done = subprocess.run([*sudo, "unshare", *namespaces, "sh", "-c",
                                   self._entering(command, user)], cwd=self.path, check=False,
                                  stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT,
                                  preexec_fn=die_with_parent)
            log.seek(begin)
            said = log.read()
        if done.returncode:
            tail = "\n".join(said.splitlines()[-40:])
            raise CheckFailed(f"exit {done.returncode}: {command}\n{tail}\nall of it: {self._log}")
        return said

    def _entering(self, command, user):
        """Return a script that mounts file systems, enters the root and runs a command as @user."""
        home, path = ("/root", ROOT_PATH) if user == "root" else (f"/home/{user}", PATH)
        inside = (f"cd {PLACE} && exec env -i HOME={home} USER={user} PATH={path} "
                  f"LANG=C.UTF-8 TERM=dumb sh -c {shlex.quote(command)}")
        # bind the root to itself, because only a mount can have private mounts below it
        return "\n".join(("set -e", f"mount --bind {self.path} {self.path}", f"cd {self.path}",
                          "mount --rbind /dev dev", "mount -t proc proc proc",
                          *self._warm_mounts(),
                          f"exec chroot . runuser -u {user} -- sh -c {shlex.quote(inside)}"))

    def groups_of(self, target):
        """Return the package groups that a target of the Makefile passes to deps.sh."""
        return re.search(r"^tests/lab/deps\.sh (.+)$", self.run(f"make -n {target}"), re.M)[1]

    def without_others(self, groups):
        """Remove packages that neither the base nor these groups of deps.sh require.

        Several stages can then use one root, and packages of one stage do not hide errors of
        the next.
        """
        self.run(f"""set -e; cd {PLACE}
            [ -e /var/tmp/base ] || apt-mark showmanual >/var/tmp/base
            tests/lab/deps.sh --list {groups} | sort -u - /var/tmp/base >/var/tmp/wanted
            apt-mark showmanual | sort -u | comm -23 - /var/tmp/wanted | xargs -r apt-mark auto
            apt-get -qq -y --purge autoremove -o APT::AutoRemove::RecommendsImportant=false \
                -o APT::AutoRemove::SuggestsImportant=false""", user="root")

    def shortens_module(self):
        """Replace the module by one that builds in a second."""
        for name, text in short_module.files().items():
            self.write(name, text)

    def write(self, name, text):
        """Write a file of the tree."""
        self.run(f"printf %s {shlex.quote(text)} >{name}")

    def runs_kernel(self, release):
        """Let `uname -r` print this release from now on."""
        self.run(f"""printf '%s\\n' '#!/bin/sh' '[ "$1" != -r ] || exec echo {release}' \
            'exec /usr/bin/uname "$@"' >/usr/local/bin/uname && chmod 755 /usr/local/bin/uname""",
                 user="root")

    def _warm_mounts(self):
        """Return mounts of the cache's parts, read-only, and of its kernel sources at the path
        that the debug kernel records."""
        cache = archive.cache()
        places = [(part, f"{CACHE}/{part}") for part in WARM] + [("src", f"{cache}/src")]
        for part, there in places if self._warm else ():
            yield (f"mkdir -p .{there} && mount --bind {cache}/{part} .{there} && "
                   f"mount -o remount,ro,bind .{there}")
        for parent in cache.parents if self._warm else ():
            yield f"chmod a+x .{parent}"


def readme_lines(heading, last):
    """Return the commands of README below a heading, up to the one that begins with `last`."""
    text = (TOP / "README.md").read_text()
    section = text[text.index(f"## {heading}\n"):]
    commands = re.findall(r"^\t(.*)$", section[:section.index("\n## ", 1)], re.M)
    end = next(i for i, command in enumerate(commands) if command.startswith(last))
    return commands[:end + 1]
