# SPDX-License-Identifier: GPL-2.0-only
"""Execution counts of lines, by gcov from the counts of the guests (lab/gcov.py)."""

import dataclasses
import json
import re
import subprocess
import tarfile
import tempfile
from pathlib import Path

from lab.artifacts import TOP

OURS = re.compile(r"(?:^|/)(driver/[\w/]+\.[ch])$")


@dataclasses.dataclass
class Line:
    function: str
    count: int = 0


def counted(archives):
    """Return path -> line number -> Line for lines with code, summed over all archives."""
    found = {}
    for archive in archives:
        for document in documents(archive):
            add(found, document)
    return found


def documents(archive):
    """Yield the output of gcov for one guest."""
    with tempfile.TemporaryDirectory() as name:
        where = Path(name)
        with tarfile.open(archive) as tar:
            tar.extractall(where)
        for counts in sorted(where.rglob("*.gcda")):
            graph = Path("/", counts.relative_to(where)).with_suffix(".gcno")
            counts.with_suffix(".gcno").symlink_to(graph)
            done = subprocess.run(["gcov", "--json-format", "--stdout", counts.name],
                                  cwd=counts.parent, check=True, capture_output=True, text=True)
            yield from map(json.loads, done.stdout.splitlines())


def add(found, document):
    for file in document["files"]:
        match = OURS.search(file["file"])
        if not match or not (TOP / match[1]).exists():
            continue
        lines = found.setdefault(match[1], {})
        for line in file["lines"]:
            entry = lines.setdefault(line["line_number"], Line(line.get("function_name", "")))
            entry.count += line["count"]


@dataclasses.dataclass(frozen=True)
class Gap:
    """Consecutive lines of a function that no test ran."""
    path: str
    function: str
    first: int
    last: int
    text: str           # text of the first line

    @property
    def key(self):
        """Return a key that does not depend on line numbers."""
        return f"{self.path}: {self.function}: {self.text}"


def gaps(path, lines):
    """Return the gaps of a file. A line that ran, or another function, ends a gap."""
    source, found, open_gap = (TOP / path).read_text().splitlines(), [], None
    for number in sorted(lines):
        line = lines[number]
        if line.count:
            open_gap = None
        elif open_gap and open_gap[0] == line.function:
            open_gap[2] = number
        else:
            open_gap = [line.function, number, number]
            found.append(open_gap)
    return [Gap(path, function, first, last, re.sub(r"\s+", " ", source[first - 1]).strip())
            for function, first, last in found]
