# SPDX-License-Identifier: GPL-2.0-only
"""Files of a guest besides ucoretool, for interactive use and for the commands of the pages.

These are the files of `make install`: the HTTP library of `ucoretool export`, Python with the
package `ucore`, and the dashboard. The examples are in the home directory. Files that the host
lacks are left out.
"""

import functools
import subprocess
from pathlib import Path

from lab import artifacts, cpio

PYTHON = "/usr/bin/python3"
# imports of the package `ucore` and of the examples; Python lists the files they need
IMPORTED = ("import array, collections, contextlib, ctypes, encodings.ascii, errno, os, select, "
            "struct, sys, time")
LOADED = f"""{IMPORTED}
for module in list(sys.modules.values()):
    source, compiled = getattr(module, "__file__", None), getattr(module, "__cached__", None)
    if source and "-packages/" not in source:
        print(source, compiled or source)
"""
SHARE = "/usr/local/share/ucore"


def with_libraries(path):
    return {library: library for library in (str(path), *cpio.libraries(path))}


def http():
    """Return libmicrohttpd and its libraries; none if it is not installed."""
    found = next(Path("/usr/lib").glob("*/libmicrohttpd.so.12"), None)
    return with_libraries(found) if found else {}


def modules_of_python():
    """Return guest path -> host path, with compiled modules in place of their sources."""
    said = subprocess.run([PYTHON, "-I", "-c", LOADED], check=True, capture_output=True,
                          text=True).stdout
    found = {}
    for source, compiled in (line.split() for line in said.splitlines()):
        if source.endswith(".so"):
            found.update(with_libraries(source))
        elif Path(compiled).exists():
            found[f"{source}c"] = compiled
        else:
            found[source] = source
    return found


def python():
    """Return Debian's Python, the package `ucore` and its library."""
    if not Path(PYTHON).exists():
        return {}
    package = artifacts.TOP / "tools/python/ucore"
    return {**modules_of_python(), **with_libraries(PYTHON),
            "/usr/lib/libucore.so.0": artifacts.BUILD / "tools/libucore.so.0",
            **{f"{SHARE}/python/ucore/{source.name}": source
               for source in sorted(package.glob("*.py"))}}


@functools.cache
def files():
    """Return guest path -> host path, for Machine(files=...)."""
    tools = artifacts.TOP / "tools"
    return {**http(), **python(),
            f"{SHARE}/grafana-dashboard.json": tools / "export/grafana-dashboard.json",
            "/root/region.py": tools / "examples/region.py"}

