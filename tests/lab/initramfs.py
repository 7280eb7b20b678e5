# SPDX-License-Identifier: GPL-2.0-only
"""The file system of a guest: busybox, modules, tools, verify-here.sh and helper programs."""

import os
import subprocess

from lab import artifacts, cpio

BUSYBOX = "/bin/busybox"
# terminfo entries of Debian's ncurses-base for the user's terminals, needed by ucoretool top
TERMINALS = ("linux", "screen-256color", "tmux-256color", "vt100", "xterm", "xterm-256color")
# Modules of the kernel that tests load by hand
KERNEL_MODULES = ("intel-uncore.ko", "msr.ko", "intel_vsec.ko", "vmd.ko")
ETC = {
    "/etc/passwd": "root:x:0:0:root:/root:/bin/sh\n"
                   "user:x:1000:1000:user:/tmp:/bin/sh\n",
    "/etc/group": "root:x:0:\nuser:x:1000:\n",
    "/root/.profile": "export PS1='\\h# '\n",
}


def build(path, kernel, *, module=None, tools=None, multicall=(), files=(), perf=False):
    """Write the archive.

    module: path of ucore.ko. tools: directory with ucoretool. multicall: path -> names in /bin.
    files: guest path -> host path.
    """
    archive = cpio.Archive()
    archive.file("/init", artifacts.init())
    archive.file("/verify-here.sh", artifacts.TOP / "tools/verify-here.sh")
    add_busybox(archive)
    for name, text in ETC.items():
        archive.data(name, text.encode(), 0o644)
    add_modules(archive, kernel, module)
    if tools:
        for program in (tools / "ucoretool", *example_programs(tools)):
            archive.program(f"/bin/{program.name}", program)
        add_terminals(archive)
    if perf:
        archive.program("/usr/bin/perf", "/usr/bin/perf")
    for source, names in dict(multicall).items():
        archive.file(f"/bin/{source.name}", source)
        for name in names:
            archive.symlink(f"/bin/{name}", source.name)
    for name, source in dict(files).items():
        archive.file(name, source)
    archive.write(path)


def add_terminals(archive):
    for name in TERMINALS:
        place = f"/lib/terminfo/{name[0]}/{name}"
        if os.path.exists(place):
            archive.file(place, place)


def example_programs(tools):
    return [path for path in (tools / "examples").glob("*") if not path.suffix]


def add_busybox(archive):
    archive.file("/bin/busybox", BUSYBOX)
    applets = subprocess.run([BUSYBOX, "--list"], check=True, capture_output=True, text=True)
    for applet in applets.stdout.split():
        if applet != "busybox":
            archive.symlink(f"/bin/{applet}", "busybox")
    archive.symlink("/sbin", "bin")


def add_modules(archive, kernel, module):
    """Add modules to /lib/modules/RELEASE, with the index files that modprobe needs."""
    where = f"/lib/modules/{kernel.release}"
    found = [path for name in KERNEL_MODULES for path in kernel.modules.rglob(name)]
    if module:
        found.append(module)
    for path in found:
        archive.file(f"{where}/{path.name}", path)
    archive.data(f"{where}/modules.dep", "".join(f"{p.name}:\n" for p in found).encode(), 0o644)
