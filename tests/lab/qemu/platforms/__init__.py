# SPDX-License-Identifier: GPL-2.0-or-later
"""The platforms of the model for Python: the rows of list.h."""

import csv
import dataclasses
import re
from pathlib import Path

HERE = Path(__file__).resolve().parent
# Only the names of processors. The numbers in CPUID are those of list.h.
TITLES = HERE.parents[3] / "driver/hw/models.h"
# Families
WITH_TABLE = ("spr", "gnr", "dmr")
BUS_ABOVE = ("icx",)            # the PCU's functions are on the bus above the uncore's


@dataclasses.dataclass(frozen=True)
class Platform:
    name: str
    title: str          # name of the processor
    family: str         # list.h
    cpuid_family: int
    model: int          # model number in CPUID
    stepping: int

    @property
    def discovery(self):
        """Return true if the platform has a discovery table."""
        return self.family in WITH_TABLE

    @property
    def client(self):
        """Return true for a client processor: no uncore bus, MCHBAR in the host bridge."""
        return self.family == "client"

    @property
    def bus_above(self):
        """Return true if a socket has a bus above its uncore bus."""
        return self.family in BUS_ABOVE


def rows(path, macro):
    """The arguments in each line `macro(...)` of a header."""
    lines = re.findall(rf"^{macro}\((.*)\)$", path.read_text(), re.M)
    return list(csv.reader(lines, skipinitialspace=True))


def collected():
    """Name -> Platform, in the order of list.h."""
    titles = {}
    for _, _, name, title, *_ in rows(TITLES, "UCORE_MODEL"):
        titles.setdefault(name, title)
    found = {}
    for name, *cpuid, family in rows(HERE / "list.h", "UCORE_PLATFORM"):
        numbers = [int(number, 0) for number in cpuid]
        found[name] = Platform(name, titles.get(name, name), family, *numbers)
    return found


PLATFORMS = collected()
DEFAULT = next(iter(PLATFORMS))
