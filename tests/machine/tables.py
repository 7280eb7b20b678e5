# SPDX-License-Identifier: GPL-2.0-only
"""Discovery tables: the driver's list of tables and units, and forged tables.

    forged = [("no counters", record(0x4000, 99, 0, regs=0), UNIT_NO_COUNTERS)]

The layouts are those of the hardware, repeated here independently of the driver.
"""

import json

from lab.session import BOX_FREE_RUNNING, Session

# uapi/ucore.h
(TABLE_OK, TABLE_CHAIN, TABLE_BAR, TABLE_UNASSIGNED, TABLE_DISABLED, TABLE_OUTSIDE, TABLE_RAM,
 TABLE_ALL_ONES, TABLE_EMPTY, TABLE_STRIDE, TABLE_GLOBAL, TABLE_DIE, TABLE_DUPLICATE,
 TABLE_CONFLICT, TABLE_LIMIT, TABLE_UNMAPPED, TABLE_MSR, TABLE_FOREIGN, TABLE_CONFIG,
 TABLE_ASLEEP) = range(20)
BY_NONE, BY_BUS, BY_MSR, BY_ONLY, BY_FREEZE, BY_ORDER = range(6)
(UNIT_OK, UNIT_ZERO, UNIT_ALL_ONES, UNIT_TRUNCATED, UNIT_ACCESS, UNIT_NO_COUNTERS, UNIT_COUNTERS,
 UNIT_WIDTH, UNIT_OFFSET, UNIT_SELF_OVERLAP, UNIT_WINDOW, UNIT_ALIGN, UNIT_RAM, UNIT_DUPLICATE,
 UNIT_OVERLAP, UNIT_FUNCTION, UNIT_NO_ANSWER, UNIT_BEYOND_COUNT, UNIT_RELOCATED, UNIT_FOREIGN,
 UNIT_BROKEN) = range(21)
NO_BOX = -1

# Access types of a record
MSR, MMIO, PCI, NO_ACCESS = range(4)
ONES = (1 << 64) - 1


def record(address, kind, number=0, *, regs=4, ctl=2, width=48, ctr=8, status=1, access=MSR,
           position=0):
    """Return the three words of the record of a unit."""
    return (regs | ctl << 8 | width << 16 | ctr << 24 | status << 32 | access << 62,
            address, kind | number << 16 | position << 32)


def global_word0(units, stride=4, access=MSR):
    """Return the first word of the global record."""
    return stride << 8 | units << 16 | access << 62


def pci(bus, slot, function, offset):
    """Return the address of a unit in config space, in the format of a record."""
    return bus << 20 | slot << 15 | function << 12 | offset


def appended(words, die):
    """Return scenario settings that append records to the table of a die."""
    # options are sorted by name (framework.py)
    return {f"discovery.{die}:append.{i:03}": " ".join(f"{word:#x}" for word in record_)
            for i, record_ in enumerate(words)}


def found(machine, everything=False):
    """Return the driver's tables, and its rejected units or all units."""
    return json.loads(machine.sh("tables all" if everything else "tables"))


def boxes_of_model(machine, dies=None):
    """Return (die, box name) -> number of counters in the model."""
    boxes = {}
    for die, counters in enumerate(machine.oracle("counters")["sockets"]):
        for counter in counters:
            if dies is None or die in dies:
                boxes[die, counter["box"]] = boxes.get((die, counter["box"]), 0) + 1
    return boxes


def assert_all_count(m, dies=None):
    """Check that the driver lists exactly the boxes of the model, and that each counts exactly."""
    with Session(m) as s:
        listed = {(box["die"], box["name"]): box["counters"] + box["fixed"] for box in s.boxes
                  if not box["caps"] & BOX_FREE_RUNNING}
        real = boxes_of_model(m, dies)
        assert listed == real, (sorted(set(listed) - set(real)), sorted(set(real) - set(listed)),
                                listed, real)
        s.fill(event="0x90+", umask="1+")
        s.start()
        s.read_exactly()
        values = s.read_exactly()["values"]
        assert all(value["count"] for value in values), values
