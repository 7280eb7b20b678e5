# SPDX-License-Identifier: GPL-2.0-only
"""The mutants of Documentation/design/registers.md: one for each row of its tables.

`tests/mutation/rows/*.txt` contains them:

    section Title of the section of the page
    row First cell of the row
    file The file to be changed
    -the old text, which occurs once in the file
    +the new text

Several lines that begin with `-` or `+` are one text of several lines.
"""

import dataclasses
import re

from lab.artifacts import TOP
from mutation.mutate import Mutant

PAGE = TOP / "Documentation/design/registers.md"
FOLDER = TOP / "tests/mutation/rows"
LAST = "shown by"       # the head of the column with the tests


@dataclasses.dataclass(frozen=True)
class Row:
    """One row of the page: its section, its first cell and the tests that it names."""
    section: str
    cell: str
    tests: tuple

    def __str__(self):
        return f"{self.section}: {self.cell}"


@dataclasses.dataclass
class Change:
    """One mutant of the files: the row as text, and the change."""
    row: str
    path: str = ""
    old: list = dataclasses.field(default_factory=list)
    new: list = dataclasses.field(default_factory=list)


def cells_of(line):
    return [cell.strip() for cell in line.strip("|").split("|")]


def of_page(text):
    """Yield the rows of all tables whose last column has the head LAST."""
    section, wanted = "", False
    for line in text.splitlines():
        if line.startswith("## "):
            section = line[3:]
        if not line.startswith("|"):
            wanted = False
            continue
        cells = cells_of(line)
        if cells[-1] == LAST:
            wanted = True
        elif wanted and set(line) - set("|- "):
            yield Row(section, cells[0], tuple(re.findall(r"`([^`]+)`", cells[-1])))


def of_file(text):
    """Yield the changes in the text of a file of FOLDER."""
    section, change = "", None
    for line in text.splitlines():
        word, _, rest = line.partition(" ")
        if line[:1] in ("-", "+"):
            (change.old if line[0] == "-" else change.new).append(line[1:])
        elif word == "section":
            section = rest
        elif word == "row":
            if change:
                yield change
            change = Change(f"{section}: {rest}")
        elif word == "file":
            change.path = rest
        elif line and word != "#":
            raise ValueError(f"{line}?")
    if change:
        yield change


def changes():
    return [change for path in sorted(FOLDER.glob("*.txt")) for change in of_file(path.read_text())]


def mistakes(page_rows, found, text_of):
    """Yield what is wrong with the changes; text_of(path) returns the text of a file."""
    for change in found:
        times = text_of(change.path).count("\n".join(change.old)) if change.path else 0
        if times != 1:
            yield f"{change.row}: the old text occurs {times} times in {change.path or 'no file'}"
        if change.old == change.new:
            yield f"{change.row}: the new text is the old text"
    named, page = [change.row for change in found], [str(row) for row in page_rows]
    yield from (f"{row}: {named.count(row)} mutants" for row in page if named.count(row) != 1)
    yield from (f"{row}: {page.count(row)} rows of the page" for row in named
                if page.count(row) != 1)


def mutants():
    """Return (row, mutant) of each row, in the order of the page."""
    rows = {str(row): row for row in of_page(PAGE.read_text())}
    found = []
    for change in changes():
        text, old = (TOP / change.path).read_text(), "\n".join(change.old)
        start = text.index(old)
        found.append((rows[change.row],
                      Mutant(change.path, text.count("\n", 0, start) + 1, start, start + len(old),
                             old, "\n".join(change.new))))
    order = list(rows.values())
    return sorted(found, key=lambda pair: order.index(pair[0]))
