# SPDX-License-Identifier: GPL-2.0-only
"""Digests of Intel's event files, for check/test_intel_events.py.

    cd tests && python3 -m check.witness.perfmon CHECKOUT [COMMIT]

writes digests/*.txt from a checkout of github.com/intel/perfmon. The tests need no checkout.

A digest file has a line for each unit: its name, its number of events, and a hash of all its
events. The lines that follow have four hexadecimal digits for each event, in the order of the
events' names, so that a difference names its event. The hash of an event is of its name and of the
columns in COLUMNS. Numbers are written in decimal, so that 0x07 and 0x7 are equal.
"""

import difflib
import hashlib
import json
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

DIGESTS = Path(__file__).with_name("digests")
COMMIT = "6dadedf3aa483393943e044ba5ec88a4507cd040"
# our platform -> folder of perfmon
FOLDERS = {"snbep": "JKT", "ivbep": "IVT", "hswep": "HSX", "bdxep": "BDX", "bdxde": "BDW-DE",
           "skx": "SKX", "clx": "CLX", "icx": "ICX", "snr": "SNR", "spr": "SPR", "emr": "EMR",
           "gnr": "GNR", "srf": "SRF", "grr": "GRR", "cwf": "CWF", "snb": "SNB", "ivb": "IVB",
           "hsw": "HSW", "bdw": "BDW", "skl": "SKL", "icl": "ICL", "rkl": "RKL", "tgl": "TGL",
           "adl": "ADL", "mtl": "MTL", "arl": "ARL", "lnl": "LNL", "ptl": "PTL"}
NUMBERS = ("EventCode", "UMask", "UMaskExt", "PortMask", "FCMask", "ExtSel", "FILTER_VALUE",
           "CounterMask")
COLUMNS = (*NUMBERS, "Counter", "CounterType", "Filter")
# spellings of "none" in Intel's files
NONE = {"Filter": ("na", "null"), "CounterType": ("PGMABLE",)}
DIGITS = 4
PER_LINE = 24


def canonical(row):
    """Return a line with an event's name and encoding; a column that is missing is 0 or empty."""
    values = [str(int(row.get(name) or "0", 0)) for name in NUMBERS]
    for name in COLUMNS[len(NUMBERS):]:
        text = (row.get(name) or "").replace(" ", "").replace("Fixed", "FIXED")
        values.append("" if text in NONE.get(name, ()) else text)
    return "|".join((row["EventName"], *values))


def hashed(text):
    return hashlib.sha256(text.encode()).hexdigest()


def by_unit(rows):
    """Return unit -> its rows in the order of their names."""
    units = defaultdict(list)
    for row in rows:
        units[row["Unit"]].append(row)
    return {unit: sorted(units[unit], key=lambda row: row["EventName"]) for unit in sorted(units)}


def total_of(lines):
    return hashed("\n".join(lines))[:16]


def digest_lines(rows):
    """Yield the lines of a digest file."""
    for unit, of_unit in by_unit(rows).items():
        lines = [canonical(row) for row in of_unit]
        yield f"{unit}: {len(lines)} events, {total_of(lines)}"
        digits = "".join(hashed(line)[:DIGITS] for line in lines)
        width = DIGITS * PER_LINE
        yield from (digits[start:start + width] for start in range(0, len(digits), width))


def digests(text):
    """Parse a digest file; return unit -> (hash of all events, hashes of the events)."""
    units, found = {}, []
    for line in text.splitlines():
        if line.startswith("#"):
            continue
        if ": " in line:
            unit, rest = line.split(": ")
            found = []
            units[unit] = rest.split(", ")[1], found
        else:
            found += [line[i:i + DIGITS] for i in range(0, len(line), DIGITS)]
    return units


def differences(rows, intel):
    """Compare the rows of one unit with (hash of all, hashes) of Intel's; return complaints."""
    lines = [canonical(row) for row in rows]
    total, theirs = intel
    if total_of(lines) == total:
        return []
    ours = [hashed(line)[:DIGITS] for line in lines]
    names = [row["EventName"] for row in rows]
    if len(ours) == len(theirs):
        return [f"{name}: differs from Intel's file" for name, our, their in
                zip(names, ours, theirs) if our != their] or ["an event differs from Intel's file"]
    found = []
    for kind, first, last, begin, end in difflib.SequenceMatcher(
            None, ours, theirs, autojunk=False).get_opcodes():
        if kind != "equal":
            found += [f"{name}: differs from Intel's file, or Intel does not have it"
                      for name in names[first:last]]
            if end - begin > last - first:
                found.append(f"Intel's file has {end - begin - (last - first)} more events after "
                             f"{names[first - 1] if first else 'the beginning'}")
    return found


def git(checkout, *words):
    return subprocess.run(["git", "-C", checkout, *words], check=True, capture_output=True,
                          text=True).stdout


def intel_rows(checkout, commit, folder):
    """Return the uncore events of a processor in a checkout of perfmon."""
    names = [name for name in git(checkout, "ls-tree", "--name-only", commit,
                                  f"{folder}/events/").splitlines() if "_uncore" in name]
    if not names:
        raise SystemExit(f"{folder}: no uncore file")
    return [row for name in names
            for row in json.loads(git(checkout, "show", f"{commit}:{name}"))["Events"]]


def write(checkout, commit):
    full = git(checkout, "rev-parse", f"{commit}^{{commit}}").strip()
    DIGESTS.mkdir(exist_ok=True)
    for platform, folder in FOLDERS.items():
        rows = intel_rows(checkout, full, folder)
        head = ("# SPDX-License-Identifier: GPL-2.0-only",
                f"# Digests of github.com/intel/perfmon, {folder}/events, commit {full}.",
                "# Written by tests/check/witness/perfmon.py: do not edit.")
        (DIGESTS / f"{platform}.txt").write_text(
            "".join(f"{line}\n" for line in (*head, *digest_lines(rows))))
        print(f"{platform}: {len(rows)} events")


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        raise SystemExit(__doc__)
    write(sys.argv[1], sys.argv[2] if len(sys.argv) == 3 else COMMIT)
