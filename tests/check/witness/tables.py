# SPDX-License-Identifier: GPL-2.0-only
"""The event tables and metrics of tools/: the CSV files, and the C table that the build makes."""

import csv
import dataclasses
import functools
import re
import subprocess

from lab.artifacts import TOP

EVENTS = TOP / "tools/events"
METRICS = TOP / "tools/metrics"


@dataclasses.dataclass(frozen=True)
class Event:
    """Event as the library programs it.

    @umask: bits 15:8 of the control, the occupancy select of a PCU included
    @fixed: number of the fixed or free-running counter; -1 for an event of general counters
    @given: fields of the filters with the value that the table gives
    """
    name: str
    type: str
    event: int
    umask: int
    umask_ext: int
    ch_mask: int
    fc_mask: int
    thresh: int
    counters: int
    fixed: int
    given: dict


def csv_rows(path):
    """Return the lines of a CSV file as dicts."""
    lines = path.read_text().splitlines()
    return list(csv.DictReader(line for line in lines if line and not line.startswith("#")))


def platforms(folder=EVENTS):
    """Return the names of the platforms that have a table in @folder."""
    return sorted(path.stem for path in folder.glob("*.csv") if path.stem != "core")


def block_of(text, name):
    """Return the lines of the initializer of array @name."""
    return re.search(rf"\b{name}\[\] ?= ?(?:\{{)?\n(.*?)(?:\n\}})?;\n", text, re.S).group(1)


def given_of(filters):
    """Return the given fields of each filter in the generated table, by the filter's number."""
    return [{field.lower(): int(value) for field, value in
             re.findall(r"\{ UCORE_FIELD_(\w+), UCORE_NEED_GIVEN, (\d+) \}", line)}
            for line in filters.splitlines()]


@functools.cache
def generated():
    """Run the build's generator; return platform -> name -> Event."""
    files = [*sorted((EVENTS / "map").glob("*.csv")),
             *(EVENTS / f"{name}.csv" for name in platforms())]
    text = subprocess.run(["awk", "-f", EVENTS / "generate.awk", *files], check=True,
                          capture_output=True, text=True).stdout
    types = [type for type in re.findall(r'\{ ".*?", "(.*?)",', block_of(text, "ucore_event_units"))]
    given = given_of(block_of(text, "ucore_filters"))
    names, offset = {}, 0
    for name in re.findall(r'"(.*?)\\0"', block_of(text, "ucore_row_names")):
        names[offset] = name
        offset += len(name) + 1
    events = []
    for line in block_of(text, "ucore_rows").splitlines():
        (name, unit, _, _, event, umask, occ, ext, ch_mask, fc_mask, thresh, counters, _, fixed,
         filtered) = (int(word, 0) for word in line.strip("\t {},").split(", "))
        events.append(Event(names[name], types[unit], event, umask | occ << 6, ext, ch_mask, fc_mask,
                            thresh, counters, fixed, given[filtered]))
    return {platform: {events[int(row)].name: events[int(row)]
                       for row in re.findall(r"\d+", block_of(text, f"{platform}_rows"))}
            for platform in platforms()}
