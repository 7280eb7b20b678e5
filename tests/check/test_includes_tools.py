# SPDX-License-Identifier: GPL-2.0-only
"""`make check`: who includes whom in tools/, and that nobody does so in a circle."""

import re
from pathlib import PurePosixPath as Path

from check.test_check import fail_on, tracked
from lab.artifacts import TOP
from lab.framework import test

LIBRARY = "tools/lib/libucore.h"
# Where the compiler looks, beside the file itself; build/ has what is generated
SEARCH = ("tools/ucoretool", "tools/lib", "uapi")
# A folder, and beside itself the folders and headers that its files may include
MAY = {
    "tools/ucoretool/cmd": ("tools/ucoretool", LIBRARY),
    "tools/ucoretool": (LIBRARY,),
    "tools/lib": ("uapi", "driver/hw/models.h"),
    "tools/examples": ("uapi",),
}


def normal(path):
    """The path without its `..`."""
    parts = []
    for part in path.parts:
        if part == "..":
            parts.pop()
        else:
            parts.append(part)
    return Path(*parts)


def includes(name):
    """The files of the tree that a file includes, as the compiler finds them."""
    for word in re.findall(r'^#include ["<](.+)[">]$', (TOP / name).read_text(), re.M):
        for folder in (Path(name).parent, *map(Path, SEARCH)):
            found = normal(folder / word)
            if (TOP / found).is_file():
                yield str(found)
                break


def graph():
    """File -> the files that it includes."""
    return {name: sorted(set(includes(name))) for name in tracked("tools")}


def forbidden(name, target):
    folder, into = str(Path(name).parent), str(Path(target).parent)
    return into != folder and not {into, target} & set(MAY[folder])


def circles(arrows):
    """Each circle once; a .c and its .h are one file."""
    files = {}
    for name, targets in arrows.items():
        files.setdefault(name[:-2], set()).update(target[:-2] for target in targets)
    found, done = [], set()

    def walk(file, path):
        if file in path:
            found.append(" -> ".join([*path[path.index(file):], file]))
        elif file not in done:
            for target in sorted(files.get(file, set()) - {file}):
                walk(target, [*path, file])
            done.add(file)
    for file in sorted(files):
        walk(file, [])
    return found


@test(machine=False)
def tools_include_downwards_only():
    """A command may use what commands share, that the library's public header, no more."""
    arrows = graph()
    assert "tools/ucoretool/tool.h" in arrows["tools/ucoretool/cmd/list.c"], arrows
    fail_on(*(f"{name} may not include {target}" for name, targets in arrows.items()
              for target in targets if forbidden(name, target)))


@test(machine=False)
def tools_have_no_circle_of_includes():
    fail_on(*circles(graph()))
    assert circles({"a.c": ["a.h", "b.h"], "a.h": [], "b.c": ["a.h"], "b.h": []}) == ["a -> b -> a"]
