# SPDX-License-Identifier: GPL-2.0-only
"""Verdicts on minimal machines, kept for a week by a key of the files they depend on.

A test with a kept verdict does not run. Its results are printed as comments, and are not counted
as passed.

Scripts, Makefiles and the headers that sources include determine the required packages; a
change inside a function or a table does not. Debian's archive changes too, hence the limit of a
week. `make fresh` ignores stored verdicts.
"""

import dataclasses
import functools
import hashlib
import json
import os
import re
import subprocess
import time

from lab import archive
from lab.artifacts import TOP
from lab.framework import Result
from lab.worker import KEPT, PASSED

DAYS = 7
# of source files, only the included system headers count
SOURCE = re.compile(rb"^\s*#\s*include\s*<.*", re.M)
# files that do not affect the verdict, because no stage runs them
SILENT = re.compile(r"^(tests/machine/|tests/fuzz/corpus|Documentation/(?!man/)|CHANGELOG)")


def kept(function):
    """Decorator: do not run a test if it passed within a week with the same key().

    The results of the earlier run then have the verdict "kept", which the runner does not count.
    """
    @functools.wraps(function)
    def test():
        verdict = archive.cache() / "fresh/passed" / f"{function.__name__}-{key()}.json"
        if "UCORE_FRESH" not in os.environ and is_young(verdict):
            return list(earlier(verdict))
        found = function()
        if all(result.verdict == PASSED for result in found or ()):
            verdict.parent.mkdir(parents=True, exist_ok=True)
            verdict.write_text(json.dumps([dataclasses.asdict(result) for result in found or ()]))
        return found
    return test


def earlier(verdict):
    """Yield the results of the run that wrote this file."""
    when = time.strftime("%-d %B %H:%M", time.localtime(verdict.stat().st_mtime))
    for found in json.loads(verdict.read_text()) or [{"name": ""}]:
        yield Result(found["name"], KEPT, f"passed on {when} with the same scripts and headers, "
                     "not run again")


def is_young(verdict):
    return verdict.exists() and time.time() - verdict.stat().st_mtime < DAYS * 86400


@functools.cache
def key():
    """Return a hash of the names of all files, and of the lines that may require a package or
    program."""
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "-z"], cwd=TOP,
                            check=True, capture_output=True).stdout
    digest = hashlib.sha256()
    for name in sorted(filter(None, listed.decode().split("\0"))):
        if (TOP / name).exists() and not SILENT.match(name):
            digest.update(repr((name, os.access(TOP / name, os.X_OK),
                              asking(name, (TOP / name).read_bytes()))).encode())
    return digest.hexdigest()[:32]


def asking(name, content):
    if re.search(r"\.[ch]$", name):
        return sorted(set(SOURCE.findall(content)))
    return b"" if name.endswith(".csv") else content
