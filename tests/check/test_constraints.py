# SPDX-License-Identifier: GPL-2.0-only
"""`make check`: the driver's counter constraints agree with the event tables.

The event tables of the library list the counters of each event. The driver has its own tables,
because it accepts raw events, too. Both must agree except for the differences listed here.
"""

import re

from check import register_facts
from check.test_check import fail_on, tracked
from lab.artifacts import TOP
from lab.framework import test
from machine import eventset

# number of counters of a box where the discovery table defines it, not the driver
COUNTERS = {"cxlcm": 8, "ubox": 2}
COUNTERS_OF = {("spr", "irp"): 2, ("emr", "irp"): 2, ("ptl", "imc"): 5}
FOUR = 4

# (platform, type, event code): the driver allows fewer counters than Intel's event list
LINUX = "the kernel's own driver allows counter 0 or 0 and 1 only: who is right is unknown"
IIO = "the kernel's own driver has Sapphire Rapids' counters 2, 3 there"
PCU = "the kernel's own driver keeps events that use an occupancy off counter 0"
CYCLES = "SDM 18.9.6.1 keeps occupancies on counter 0, Intel's list only those without a threshold"
STRICTER = {
    ("snb", "arb", 0x80): CYCLES,
    ("ivb", "arb", 0x80): CYCLES,
    ("hswep", "cbo", 0x09): LINUX,
    ("hswep", "r3qpi", 0x01): LINUX,
    ("bdxep", "pcu", 0x80): PCU,
    ("bdxde", "pcu", 0x80): PCU,
    ("gnr", "iio", 0x88): IIO,
    ("srf", "iio", 0x88): IIO,
    ("cwf", "iio", 0x88): IIO,
}
# Types that the event lists have and the driver not: the discovery tables call them by number
NO_TYPE = {(platform, "chacms") for platform in ("gnr", "srf", "grr", "cwf")}
# The architecture's own events: any general counter takes them
ANY_COUNTER = {"core"}


def mask_of(numbers, shift=0):
    return sum(1 << (int(number) + shift) for number in numbers.split(","))


def event_tables():
    return sorted(name.split("/")[-1][:-4] for name in tracked("tools/events", pattern=r"\.csv$")
                  if "/map/" not in name)


def listed(platform):
    """(type, code, umask, counters) of each event on general counters."""
    for row in eventset.table(platform):
        if row.get("CounterType") == "FREERUN" or row["Counter"] == "FIXED":
            continue
        unit = eventset.unit_of(row)
        mask = mask_of(row["Counter"])
        if "ExtSel" in row and unit["Halves"]:
            mask |= mask_of(row["Counter"], int(unit["Halves"]))
        yield unit["Type"], int(row["EventCode"], 0), int(row["UMask"], 0), mask


class Driver:
    """Contents of the driver's tables."""

    def __init__(self, lines):
        self.counters, self.rules = {}, {}
        for kind, platform, box, *values in (line.split("\t") for line in lines):
            if kind == "fact":
                continue
            numbers = [int(value) for value in values]
            if kind == "type":
                self.counters[platform, box] = numbers[0]
            else:
                self.rules.setdefault((platform, box), []).append(numbers)

    def everything(self, platform, box):
        nr = (self.counters[platform, box] or COUNTERS_OF.get((platform, box)) or
              COUNTERS.get(box, FOUR))
        return (1 << nr) - 1

    def allowed(self, platform, box, code, umask):
        """As constraint_mask() of driver/event/event.c: the first rule that fits."""
        for first, last, its, mask in self.rules.get((platform, box), ()):
            if first <= code <= last and its in (0, umask):
                return mask & self.everything(platform, box)
        return self.everything(platform, box)


def compare(driver, platform, events, stricter):
    """Return the differences of a platform, and the exceptions that were used."""
    wrong, used = [], set()
    for box, code, umask, mask in events:
        if (platform, box) not in driver.counters:
            used.add((platform, box))
            continue
        allowed = driver.allowed(platform, box, code, umask)
        key = platform, box, code
        if allowed != mask and key in stricter and allowed and not allowed & ~mask:
            used.add(key)
        elif allowed != mask:
            wrong.append(f"{platform} {box} event {code:#x} umask {umask:#x}: the driver allows "
                         f"counters {allowed:#x}, the event table {mask:#x}")
    return wrong, used


def the_driver():
    return Driver(register_facts.printed())


@test(machine=False)
def constraints_match_the_event_tables():
    driver = the_driver()
    wrong, used = [], set()
    for platform in event_tables():
        if platform in ANY_COUNTER:
            continue
        its, exceptions = compare(driver, platform, listed(platform), STRICTER)
        wrong += its
        used |= exceptions
    fail_on(*sorted(set(wrong)),
            *(f"no longer needed: {key}" for key in {*STRICTER, *NO_TYPE} - used),
            *(f"the driver has no type for {key}" for key in used - {*STRICTER, *NO_TYPE}))


@test(machine=False)
def every_platform_is_compared():
    """With each other: models, event tables, and what platform_tables.c prints."""
    models = set(re.findall(r'^UCORE_MODEL\(\d+, \d+, "(\w+)"',
                            (TOP / "driver/hw/models.h").read_text(), re.M))
    printed = {platform for platform, _ in the_driver().counters}
    assert printed == models, (printed, models)
    assert set(event_tables()) - ANY_COUNTER <= models, (event_tables(), models)


@test(machine=False)
def wrong_constraint_is_detected():
    driver = Driver(["type\ta\tbox\t4", "constraint\ta\tbox\t5\t6\t0\t3",
                     "constraint\ta\tbox\t7\t7\t192\t1"])
    right = [("box", 5, 1, 3), ("box", 6, 0, 3), ("box", 7, 0xc0, 1), ("box", 7, 0x40, 15)]
    assert compare(driver, "a", right, {}) == ([], set())
    for event in (("box", 5, 1, 1), ("box", 4, 1, 3), ("box", 7, 0xc0, 15), ("box", 6, 0, 12)):
        assert compare(driver, "a", [event], {})[0], event
    # an exception is for fewer counters, never for others or more
    stricter = {("a", "box", 5): "so it is"}
    assert compare(driver, "a", [("box", 5, 1, 7)], stricter) == ([], {("a", "box", 5)})
    assert compare(driver, "a", [("box", 5, 1, 1)], stricter)[0]
    assert compare(driver, "a", [("box", 5, 1, 12)], stricter)[0]
