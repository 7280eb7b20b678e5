# SPDX-License-Identifier: GPL-2.0-or-later
"""The platforms of the model for Python: the rows of list.h and of driver/hw/models.h."""

import csv
import dataclasses
import re
from pathlib import Path

HERE = Path(__file__).resolve().parent
MODELS = HERE.parents[3] / "driver/hw/models.h"
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
    def bus_above(self):
        """Return true if a socket has a bus above its uncore bus."""
        return self.family in BUS_ABOVE


def rows(path, macro):
    """The arguments in each line `macro(...)` of a header."""
    lines = re.findall(rf"^{macro}\((.*)\)$", path.read_text(), re.M)
    return list(csv.reader(lines, skipinitialspace=True))


def collected():
    """Name -> Platform, in the order of list.h."""
    processors = {}
    for number, model, name, title, *_ in rows(MODELS, "UCORE_MODEL"):
        processors.setdefault(name, (title, int(number, 0), int(model, 0)))
    found = {}
    for name, stepping, family in rows(HERE / "list.h", "UCORE_PLATFORM"):
        title, number, model = processors[name]
        found[name] = Platform(name, title, family, number, model, int(stepping, 0))
    return found


PLATFORMS = collected()
DEFAULT = next(iter(PLATFORMS))
