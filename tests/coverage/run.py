# SPDX-License-Identifier: GPL-2.0-only
"""`make coverage`: runs the tests on the debug kernel with a driver that counts executed lines.

    python3 -m coverage.run [PATTERN ...]      KUnit, and the lab's tests on the debug kernel
    python3 -m coverage.run --table            only the table, from the last counts

The table is in Documentation/testing/coverage.md.  A line that no test runs needs a test, or a
reason in explained.txt: `path: function: the first of the lines | reason`.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from coverage import counts
from lab import artifacts, kunit, tables
from lab.artifacts import BUILD, TOP

COUNTED = BUILD / "gcov"
TABLE = TOP / "Documentation/testing/coverage.md"
EXPLAINED = Path(__file__).with_name("explained.txt")
MARKS = "make coverage"


def run_tests(patterns):
    """Run both kinds of tests. Their failures are reported, but only `make test-all` depends on
    them."""
    shutil.rmtree(COUNTED, ignore_errors=True)
    os.environ["UCORE_GCOV"] = str(COUNTED)
    _, complaints = kunit.run_in_guest(artifacts.kunit_module("debug"))
    print("\n".join(complaints), end="", flush=True)
    subprocess.run([TOP / "tests/lab/run", "-k", "debug", *patterns], check=False)


def reasons():
    lines = EXPLAINED.read_text().splitlines()
    return dict(line.rsplit(" | ", 1) for line in lines if " | " in line)


def folders(found):
    """Return folder -> (number of lines with code, number of lines that ran)."""
    sums = {}
    for path, lines in found.items():
        total = sums.setdefault(path.rsplit("/", 1)[0], [0, 0])
        total[0] += len(lines)
        total[1] += sum(line.count > 0 for line in lines.values())
    return sums


def row(name, total, ran):
    return name, f"{total:,}", f"{ran:,}", f"{100 * ran / total:.1f} %"


def unrun(found, known):
    """Yield a row of the table for each gap."""
    for path in sorted(found):
        for gap in counts.gaps(path, found[path]):
            length = f" and {gap.last - gap.first} more" if gap.last > gap.first else ""
            yield f"`{path}`, `{gap.function}()`", f"`{tables.cell(gap.text)}`{length}", \
                tables.cell(known.get(gap.key, "not explained"))


def table_of(found):
    """Yield lines of Markdown: numbers of lines of each folder, and each gap."""
    sums = folders(found)
    yield from tables.of(("folder", "lines", "run", ""),
                         [row(f"`{folder}/`", *total) for folder, total in sorted(sums.items())] +
                         [row("all", *map(sum, zip(*sums.values())))])
    yield ""
    yield from tables.of(("not run", "first line", "why"), unrun(found, reasons()))


def main(arguments):
    if arguments != ["--table"]:
        run_tests(arguments)
    archives = sorted(COUNTED.glob("*.tar"))
    if not archives:
        sys.exit("coverage: nothing was counted")
    lines = list(table_of(counts.counted(archives)))
    tables.put(TABLE, MARKS, lines)
    print("\n".join(lines))


if __name__ == "__main__":
    main(sys.argv[1:])
