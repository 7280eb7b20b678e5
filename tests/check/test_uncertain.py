# SPDX-License-Identifier: GPL-2.0-only
"""`make check`: each UNCERTAIN mark in the code has a row in selftest.md.  The row says how
to verify the fact.
"""

import re

from check.test_check import fail_on, tracked
from lab.artifacts import TOP
from lab.framework import test

TABLE = "Documentation/design/selftest.md"
ROW = re.compile(r"^\| `([a-z0-9-]+)` \|[^|]+\|[^|]+\|$", re.M)
WORD = re.compile(r"UNCERTAIN(?:\(([a-z0-9-]+)\))?")


def mistakes(sources, table):
    """sources: name -> text."""
    rows, marked = ROW.findall(table), set()
    for name, text in sources.items():
        for match in WORD.finditer(text):
            line = text.count("\n", 0, match.start()) + 1
            if not match[1]:
                yield f"{name}:{line}: a mark without a name"
            elif match[1] not in rows:
                yield f"{name}:{line}: {TABLE} has no row '{match[1]}'"
            marked.add(match[1])
    for row in rows:
        if row not in marked:
            yield f"{TABLE}: nothing is marked UNCERTAIN({row})"
        if rows.count(row) > 1:
            yield f"{TABLE}: '{row}' has several rows"


@test(machine=False)
def uncertain_markers_match_the_table():
    sources = {name: (TOP / name).read_text()
               for folder in ("driver", "tools/ucoretool", "tools/lib")
               for name in tracked(folder, pattern=r"\.[ch]$")}
    fail_on(*mistakes(sources, (TOP / TABLE).read_text()))


@test(machine=False)
def mismatched_markers_are_detected():
    table = "| `a` | what | who |\n| `b` | what | who |\n"
    found = list(mistakes({"x.c": "UNCERTAIN(a)\nUNCERTAIN\nUNCERTAIN(c)"}, table))
    assert [text.partition(": ")[0] for text in found] == ["x.c:2", "x.c:3", TABLE], found
