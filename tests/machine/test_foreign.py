# SPDX-License-Identifier: GPL-2.0-only
"""Hostile discovery tables: registers outside the uncore must not be changed.

The machine has a network card and a disk. The records of a table point to their registers and
to those of the PC and the processor. A unit that the driver accepts as a box is set up, started
and stopped. Afterwards all foreign registers must be unchanged.
"""

import random
import tempfile
from pathlib import Path

from lab.framework import test
from lab.session import Session
from machine.tables import (MMIO, MSR, PCI, TABLE_OK, UNIT_FOREIGN, UNIT_FUNCTION, UNIT_OK,
                            UNIT_WINDOW, appended, found, pci, record)
from machine.test_discovery import ECAM, NEW, memory_bars

EXTRAS = {"machine.extras": "nic nvme", "discovery.bar-type": "32"}
NIC, NVME, SATA = "0000:00:02.0", "0000:00:03.0", "0000:00:1f.2"
CONFIG, HEADER = 4096, 0x40
MEMORY_DECODED = 2              # bit of the command register
# spr-1s has one uncore bus, the last
ONE_BUS = 0xff
# addresses of all 32-bit BARs, and of the bandwidth control of the cores
PAGES = range(0xfea00000, 0xfec00000, 0x1000)
BANDWIDTH = range(0xe00, 0xe10)
UNCORE_MSRS = 0x2000
# (device, function) of host bridge, cards, root port, LPC, SATA, SMBus, and config offsets in
# headers, capabilities and device registers
SLOTS = (0, 0), (2, 0), (3, 0), (0x10, 0), (0x1f, 0), (0x1f, 2), (0x1f, 3)
OFFSETS = 0x40, 0x80, 0xc8, 0x100, 0x400, 0xf00


# ---- foreign registers ----

def memory(m, address, size):
    """Return bytes of physical memory or device registers; devices respond as to a CPU's read."""
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "memory"
        m.qmp("pmemsave", val=address, size=size, filename=str(path))
        return path.read_bytes()


def functions(m):
    """Return name -> ECAM address of every PCI function."""
    names = m.sh("ls /sys/bus/pci/devices").split()
    return {name: ECAM + (int(name[5:7], 16) << 20 | int(name[8:10], 16) << 15 |
                          int(name[11], 16) << 12) for name in names}


def registers(m):
    """Return place -> bytes of config space and BARs of foreign devices, and of uncore headers."""
    seen = {}
    for name, address in functions(m).items():
        size = CONFIG if name.startswith("0000:00:") else HEADER
        seen[f"config {name}"] = memory(m, address, size)
    for name, first, last in memory_bars(m):
        if name.startswith("0000:00:"):
            seen[f"memory {name} {first:#x}"] = memory(m, first, last + 1 - first)
    return seen


def assert_there(seen):
    """Check that a snapshot contains nonzero registers of the network card, the disk and SATA."""
    for name in (NIC, NVME, SATA):
        assert seen[f"config {name}"][4] & MEMORY_DECODED, name
        bars = [data for place, data in seen.items() if place.startswith(f"memory {name}")]
        assert bars and any(any(data) for data in bars), (name, len(bars))


def words(data):
    return [data[i:i + 4] for i in range(0, len(data), 4)]


def changed(first, second, now):
    """Return the dwords that were constant in the first two readings and changed later."""
    assert first.keys() == second.keys() == now.keys(), (first.keys(), now.keys())
    return [f"{place} + {4 * i:#x}: {a.hex()}, now {c.hex()}"
            for place in first
            for i, (a, b, c) in enumerate(zip(*map(words, (first[place], second[place],
                                                          now[place]))))
            if a == b != c]


def msr_accesses(m):
    return {entry["msr"]: (entry["reads"], entry["writes"])
            for entry in m.oracle("foreign")["msrs"]}


# ---- forged tables ----

def set_up_all(m):
    """START and STOP a session with an event on each box; return the number of accepted events."""
    with Session(m) as s:
        s.ask(*(f"add {box['box']} 0 0 event=1" for box in s.boxes))
        taken = sum(not answer["errno"] for answer in s.answered(len(s.boxes)))
        s.command("start")
        s.read()
        s.stop()
    return taken


def judged(m, forged):
    """Return the forged units as the driver reports them, after all accepted boxes have run.

    Fail if a foreign register changed, or if an MSR was written that only the table names.
    """
    msrs = msr_accesses(m)
    first, second = registers(m), registers(m)
    assert_there(first)
    m.insmod()
    listed = found(m, everything=True)
    assert [table["reason"] for table in listed["tables"]] == [TABLE_OK], listed["tables"]
    units = [unit for unit in listed["units"] if unit["record"]][-len(forged):]
    assert [tuple(unit["word"]) for unit in units] == forged, (units[0], forged[0])
    assert set_up_all(m) > 10
    m.rmmod()
    moved = changed(first, second, registers(m))
    assert not moved, "\n".join(moved[:40])
    # higher addresses are uncore MSRs only; absent ones read 0 in QEMU
    named = {address + i for word0, address, _ in forged if not word0 >> 62 for i in range(12)
             if address < UNCORE_MSRS}
    touched = {f"{msr:#x}": now for msr, now in msr_accesses(m).items()
               if msr in named and msr not in msrs}
    assert not touched, touched
    return units


def in_memory(address, number):
    return record(address, NEW, number, ctl=0x40, access=MMIO, status=0x5c)


def in_config(address, number):
    return record(address, NEW, number, ctl=0x38, access=PCI, status=0x60)


ON_PAGES = [in_memory(page + 0x100, i) for i, page in enumerate(PAGES)]
ON_CONFIG = [in_config(pci(0, *slot, offset), 0x1000 + 16 * i + j)
             for i, slot in enumerate(SLOTS) for j, offset in enumerate(OFFSETS)]
ON_ECAM = [in_memory(ECAM + pci(0, *slot, offset), 0x2000 + 16 * i + j)
           for i, slot in enumerate(SLOTS) for j, offset in enumerate(OFFSETS)]
ON_MSRS = [record(msr, NEW, 0x3000 + i) for i, msr in enumerate(BANDWIDTH)]
ON_OTHERS = ON_PAGES + ON_CONFIG + ON_ECAM + ON_MSRS


@test("spr-1s", loaded=False, settings=EXTRAS | appended(ON_OTHERS, 0))
def foreign_registers_are_not_accessed(m):
    bars = memory_bars(m)
    cards = {name for name, first, last in bars if first in PAGES and last < PAGES.stop}
    assert {NIC, NVME, SATA} <= cards, bars
    units = judged(m, ON_OTHERS)
    pages, rest = units[:len(ON_PAGES)], units[len(ON_PAGES):]
    wrong = [unit for page, unit in zip(PAGES, pages)
             if any(first <= page <= last for _, first, last in bars)
             and unit["reason"] != UNIT_FOREIGN]
    wrong += [unit for unit in rest
              if unit["reason"] not in (UNIT_FOREIGN, UNIT_WINDOW, UNIT_FUNCTION)]
    assert not wrong, wrong[:10]


# ---- random addresses ----

def anywhere(number, seed):
    """Return @number records with random addresses in MSRs, config space and memory."""
    rng = random.Random(seed)
    units = []
    for i in range(number):
        if i % 3 == 0:
            units.append(record(rng.randrange(1 << rng.choice((12, 16, 16, 32))), NEW, i))
        elif i % 3 == 1:
            units.append(in_memory(8 * rng.randrange(1 << rng.choice((29, 29, 37, 43))), i))
        else:
            bus = rng.choice((0, 0, ONE_BUS, rng.randrange(256)))
            units.append(in_config(pci(bus, rng.randrange(32), rng.choice((0, 0, rng.randrange(8))),
                                       4 * rng.randrange(1024)), i))
    return units


ANYWHERE = anywhere(960, 1)


@test("spr-1s", loaded=False, settings=EXTRAS | appended(ANYWHERE, 0))
def random_addresses_access_no_foreign_register(m):
    bars = [(first, last) for _, first, last in memory_bars(m)]
    bars += [(ECAM, ECAM + (256 << 20) - 1), (0, (1 << 30) - 1), (0xfec00000, 0xfeefffff)]
    units = judged(m, ANYWHERE)
    taken = [unit for unit in units if unit["reason"] == UNIT_OK]
    # QEMU's unassigned memory reads 0, which a record may describe as a box
    wrong = [unit for unit in taken
             if unit["word"][0] >> 62 == MSR and unit["word"][1] < UNCORE_MSRS or
             unit["word"][0] >> 62 == MMIO and
             any(first <= unit["word"][1] <= last for first, last in bars) or
             unit["word"][0] >> 62 == PCI and unit["word"][1] >> 20 != ONE_BUS]
    assert not wrong, wrong[:10]
