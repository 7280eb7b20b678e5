# SPDX-License-Identifier: GPL-2.0-only
"""Provide KUnit for kernels that were built without it, such as Debian's.

KUnit's files come from Debian's package of the kernel source. They are linked into the module with
the suites (tests/kunit/linked/), so that no kernel has to be built. The output and the parser are
those of KUnit.
"""

import re

from lab import archive, kernels

PARTS = ("lib/kunit", "include/kunit", "tools/testing/kunit")
# headers of newer kernels that KUnit includes: path -> the older header with this content
OLDER = {"linux/args.h": "linux/kernel.h"}
# members that the structures of a kernel without KUnit do not have (tests/kunit/linked/linked.h)
REPLACED = ((r"\bcurrent->kunit_test\b", "UCORE_CURRENT_TEST"),
            (r"\bstruct module \*mod\b", "struct linked_module *mod"))


def source():
    """Return a directory with KUnit's part of the kernel source; unpack it on first use."""
    with kernels.locked("kunit"):
        package, version = kernels.source_package()
        where = archive.cache() / "src" / f"kunit_{version}"
        if not where.exists():
            kernels.say(f"unpacking KUnit of {package}")
            parts = kernels.emptied(where)
            kernels.run("tar", "-xf", f"/usr/src/{package}.tar.xz", "-C", parts,
                        "--strip-components=1", *(f"{package}/{part}" for part in PARTS))
            parts.rename(where)
        return where


def variables(kernel, directory):
    """Return make's variables for the suites of a kernel, which are built in this directory.

    If the kernel was built without KUnit, copy KUnit to the directory first.
    """
    if kernel.has_kunit:
        return ["SUBDIR=tests/kunit"]
    add_to(directory)
    return ["SUBDIR=tests/kunit", "UCORE_LINKED_KUNIT=y"]


def add_to(directory):
    """Copy KUnit to the directory in which a module is built, changed for linking."""
    kunit, to = source(), directory / "lib"
    for part, name in (("lib/kunit", "kunit"), ("include/kunit", "include/kunit")):
        for file in (kunit / part).glob("*.[ch]"):
            put(to / name / file.name, changed(file.read_text()))
    for name, older in OLDER.items():
        put(to / "older" / name, f"#include <{older}>\n")


def changed(text):
    for pattern, replacement in REPLACED:
        text = re.sub(pattern, replacement, text)
    return text


def put(path, text):
    """Write a file, unless it has this text: make(1) compiles newer files again."""
    if not path.exists() or path.read_text() != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
