# SPDX-License-Identifier: GPL-2.0-only
"""Write initramfs archives (cpio "newc"), and find the libraries of a program."""

import os
import re
import stat
import subprocess


class Archive:
    """A tree of files that becomes one cpio archive."""

    def __init__(self):
        self._entries = {}

    def directory(self, path):
        parent = os.path.dirname(path)
        if parent and parent != "/":
            self.directory(parent)
        self._entries.setdefault(path, (stat.S_IFDIR | 0o755, b""))

    def data(self, path, data, mode=0o755):
        self.directory(os.path.dirname(path))
        self._entries[path] = (stat.S_IFREG | mode, data)

    def symlink(self, path, target):
        self.directory(os.path.dirname(path))
        self._entries[path] = (stat.S_IFLNK | 0o777, target.encode())

    def file(self, path, source):
        with open(source, "rb") as handle:
            self.data(path, handle.read(), os.stat(source).st_mode & 0o777)

    def program(self, path, source):
        """Add a program and its shared libraries."""
        self.file(path, source)
        for library in libraries(source):
            if library not in self._entries:
                self.file(library, os.path.realpath(library))

    def write(self, path):
        with open(path, "wb") as out:
            for inode, (name, (mode, data)) in enumerate(sorted(self._entries.items()), 1):
                out.write(record(name.lstrip("/"), inode, mode, data))
            out.write(record("TRAILER!!!", 0, 0, b""))


def record(name, inode, mode, data):
    encoded = name.encode() + b"\0"
    fields = (inode, mode, 0, 0, 1, 0, len(data), 0, 0, 0, 0, len(encoded), 0)
    header = b"070701" + b"".join(b"%08X" % field for field in fields)
    return padded(header + encoded) + padded(data)


def padded(data):
    return data + bytes(-len(data) % 4)


def libraries(program):
    """Return the paths of a program's shared libraries; none if it is static."""
    ldd = subprocess.run(["ldd", program], capture_output=True, text=True, check=False)
    return re.findall(r"(/\S+) \(0x", ldd.stdout)
