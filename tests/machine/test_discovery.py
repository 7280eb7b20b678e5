# SPDX-License-Identifier: GPL-2.0-only
"""Discovery tables, valid and invalid.

The table forge of the machine model writes the tables (qemu/README.md). The driver must reject
the invalid parts for the correct reason and count with the rest.
"""

import json

from lab import ktap
from lab.framework import test
from lab.session import Session
from machine.registers import poke
from machine.tables import (MMIO, NO_ACCESS, ONES, PCI, TABLE_ALL_ONES, TABLE_BAR, TABLE_CHAIN,
                            TABLE_DISABLED, TABLE_DUPLICATE, TABLE_EMPTY, TABLE_GLOBAL, TABLE_OK,
                            TABLE_OUTSIDE, TABLE_STRIDE, TABLE_UNASSIGNED, UNIT_ACCESS, UNIT_ALIGN,
                            UNIT_ALL_ONES, UNIT_BEYOND_COUNT, UNIT_COUNTERS, UNIT_DUPLICATE,
                            UNIT_FOREIGN, UNIT_FUNCTION, UNIT_NO_ANSWER, UNIT_NO_COUNTERS,
                            UNIT_OFFSET, UNIT_OVERLAP, UNIT_RAM, UNIT_RELOCATED, UNIT_SELF_OVERLAP,
                            UNIT_TRUNCATED, UNIT_WIDTH, UNIT_WINDOW, UNIT_ZERO, appended,
                            assert_all_count, found, global_word0, pci, record)

# a box type that no table has, an MSR that does not exist, and an address without memory
NEW, HOLE_MSR, HOLE_MEMORY = 99, 0x2f80, 0xf070000000
CHA0_MSR, GLOBAL_MSR, IMC0_MEMORY = 0x2000, 0x2ff0, 0xf0000a2800
APIC_BASE, EFER = 0x1b, 0xc0000080
UNCORE_BUS = 0x7f           # bus of die 0, on a machine with two dies
# Addresses of other hardware of the PC: memory-mapped config space, BIOS data, local APIC
ECAM, EBDA, LAPIC = 0xb0000000, 0x9fc00, 0xfee00000
LPC = 0, 0x1f, 0


# ---- helpers ----

def reload_module(m):
    """Unload ucore.ko, check the kernel log, and load the module for the next test."""
    m.rmmod()
    m.check_log()
    m.insmod()


def assert_shown(m, discovery):
    """Check that `ucoretool list --rejected` prints the driver's reasons."""
    rows = [json.loads(line) for line in m.sh("ucoretool list --rejected -j").splitlines()]
    shown = sorted((row["table"], row.get("record") or 0, row["code"]) for row in rows
                   if "summary" not in row)
    due = [(unit["table"], unit["record"], unit["reason"]) for unit in discovery["units"]
           if unit["reason"]]
    due += [(table["table"], 0, table["reason"]) for table in discovery["tables"]
            if table["reason"]]
    assert shown == sorted(due), (shown, due)
    assert all(row["reason"] for row in rows if "summary" not in row), rows


# ---- bad records in a good table ----

# (name, record, UNIT_* reason for which the driver must reject the record)
BAD_RECORDS = (
    ("all zero", (0, 0, 0), UNIT_ZERO),
    ("no address", record(0, NEW, 1), UNIT_ZERO),
    ("nothing but an address", (0, HOLE_MSR, NEW), UNIT_ZERO),
    ("all ones", (ONES, ONES, ONES), UNIT_ALL_ONES),
    ("word 0 ones", (ONES, HOLE_MSR, NEW), UNIT_ALL_ONES),
    ("word 1 ones", record(ONES, NEW, 2), UNIT_ALL_ONES),
    ("word 2 ones", (*record(HOLE_MSR, NEW)[:2], ONES), UNIT_ALL_ONES),
    ("access type 3", record(HOLE_MSR, NEW, 3, access=NO_ACCESS), UNIT_ACCESS),
    ("no counters", record(HOLE_MSR, NEW, 4, regs=0), UNIT_NO_COUNTERS),
    ("255 counters", record(HOLE_MSR, NEW, 5, regs=255), UNIT_COUNTERS),
    ("64 counters", record(HOLE_MSR, NEW, 6, regs=64), UNIT_COUNTERS),
    ("counters of no bits", record(HOLE_MSR, NEW, 7, width=0), UNIT_WIDTH),
    ("counters of 65 bits", record(HOLE_MSR, NEW, 8, width=65), UNIT_WIDTH),
    ("counters of 255 bits", record(HOLE_MSR, NEW, 9, width=255), UNIT_WIDTH),
    ("controls on the box control", record(HOLE_MSR, NEW, 10, ctl=0), UNIT_OFFSET),
    ("counters on the box control", record(HOLE_MSR, NEW, 11, ctr=0), UNIT_OFFSET),
    ("counters on its controls", record(HOLE_MSR, NEW, 12, ctl=2, ctr=4), UNIT_SELF_OVERLAP),
    ("dwords of counters on controls",
     record(HOLE_MEMORY, NEW, 13, ctl=0x20, ctr=8, access=MMIO), UNIT_SELF_OVERLAP),
    ("an MSR that steers the processor", record(APIC_BASE, NEW, 14), UNIT_WINDOW),
    ("an MSR far above", record(EFER, NEW, 15), UNIT_WINDOW),
    ("MSRs beyond the last range", record(0xfffa, NEW, 17), UNIT_WINDOW),
    ("an MSR of 64 bits", record(CHA0_MSR + (1 << 32), NEW, 18), UNIT_WINDOW),
    ("memory beyond the address space", record(1 << 60, NEW, 19, ctl=0x40, access=MMIO,
                                               status=0x5c), UNIT_WINDOW),
    ("memory up to the last byte of 64 bits",
     record(ONES - 0xff, NEW, 20, ctl=0x40, access=MMIO, status=0x5c), UNIT_WINDOW),
    ("the header of a PCI function", record(pci(UNCORE_BUS, 0, 0, 0x10), NEW, 21, ctl=0x38,
                                            access=PCI, status=0x60), UNIT_WINDOW),
    ("beyond config space", record(pci(UNCORE_BUS, 0, 0, 0xfc0), NEW, 22, ctl=0x38, access=PCI,
                                   status=0x60), UNIT_WINDOW),
    ("more than a PCI address", record(pci(UNCORE_BUS, 0, 0, 0x400) | 1 << 40, NEW, 23,
                                       ctl=0x38, access=PCI, status=0x60), UNIT_WINDOW),
    ("an odd address", record(HOLE_MEMORY + 1, NEW, 24, ctl=0x40, access=MMIO), UNIT_ALIGN),
    ("counters across dwords", record(HOLE_MEMORY, NEW, 25, ctl=0x40, ctr=0xc, access=MMIO),
     UNIT_ALIGN),
    ("on RAM", record(0x1000000, NEW, 26, ctl=0x40, access=MMIO, status=0x5c), UNIT_RAM),
    ("type and id of another", record(HOLE_MSR, 0, 0), UNIT_DUPLICATE),
    ("MSRs of another", record(CHA0_MSR, NEW, 27), UNIT_OVERLAP),
    ("some MSRs of another", record(CHA0_MSR + 7, NEW, 28, ctl=2, ctr=6), UNIT_OVERLAP),
    ("global control", record(GLOBAL_MSR - 3, NEW, 29), UNIT_OVERLAP),
    ("memory of another", record(IMC0_MEMORY + 0x40, NEW, 30, ctl=0x40, access=MMIO,
                                 status=0x5c), UNIT_OVERLAP),
    ("no such PCI function", record(pci(UNCORE_BUS, 31, 7, 0x400), NEW, 31, ctl=0x38, access=PCI,
                                    status=0x60), UNIT_FUNCTION),
    ("no such segment", record(pci(UNCORE_BUS, 1, 1, 0x318) | 5 << 28, NEW, 32, ctl=0x38,
                               access=PCI, status=0x60), UNIT_FUNCTION),
    ("an MSR that faults", record(HOLE_MSR, NEW, 33), UNIT_NO_ANSWER),
    ("memory that is not there", record(HOLE_MEMORY, NEW, 34, ctl=0x40, access=MMIO,
                                        status=0x5c), UNIT_NO_ANSWER),
)
# (name, record) that describes registers of other devices. START of such a box would write them
OTHERS = (
    ("the host bridge", record(pci(0, 0, 0, 0x60), NEW, 50, ctl=0x38, access=PCI, status=0x60)),
    ("the LPC bridge", record(pci(*LPC, 0x40), NEW, 51, ctl=0x38, access=PCI, status=0x60)),
    ("the LPC bridge as memory",
     record(ECAM + pci(*LPC, 0x40), NEW, 52, ctl=0x40, access=MMIO, status=0x5c)),
    ("a command register as memory",
     record(ECAM + pci(UNCORE_BUS, 0, 0, 4) - 4, NEW, 53, ctl=0x40, access=MMIO, status=0x5c)),
    ("a capability", record(pci(UNCORE_BUS, 0, 0, 0x60), NEW, 54, ctl=0x38, access=PCI,
                            status=0x60)),
    ("BIOS data", record(EBDA, NEW, 55, ctl=0x40, access=MMIO, status=0x5c)),
    ("the local APIC", record(LAPIC, NEW, 56, ctl=0x40, access=MMIO, status=0x5c)),
    ("the cores' bandwidth control", record(0xe00, NEW, 57)),
    ("the MSRs after it", record(0xffa, NEW, 58)),
    ("IIO's free-running counters", record(0x3800, NEW, 59)),
    ("global status", record(GLOBAL_MSR + 2, NEW, 60)),
    ("the CHA count", record(0x2ffe, NEW, 61)),
)
BAD_RECORDS += tuple((name, words, UNIT_FOREIGN) for name, words in OTHERS)
# names of the records whose registers or id are those of cha0
OF_CHA0 = ("type and id of another", "MSRs of another", "some MSRs of another")


FORGED = appended([words for _, words, _ in BAD_RECORDS], 0)


@test("spr-2s", settings=FORGED)
def bad_record_is_rejected_and_others_stay(m):
    discovery = found(m, everything=True)
    assert [table["reason"] for table in discovery["tables"]] == [TABLE_OK, TABLE_OK], \
        discovery["tables"]
    units = [unit for unit in discovery["units"] if unit["die"] == 0 and unit["record"]]
    first = len(units) - len(BAD_RECORDS)
    wrong = [f"{name}: reason {unit['reason']}, not {reason}: {unit}"
             for (name, words, reason), unit in zip(BAD_RECORDS, units[first:])
             if (unit["reason"], unit["word"], unit["box"]) != (reason, list(words), -1)]
    assert not wrong, "\n".join(wrong)
    others = [unit for unit in discovery["units"] if unit["reason"] and unit not in units[first:]]
    assert not others, others
    cha0 = next(unit["record"] for unit in units if unit["name"] == "cha0")
    imc0 = next(unit["record"] for unit in units if unit["name"] == "imc0")
    other = {name: unit["other"] for (name, *_), unit in zip(BAD_RECORDS, units[first:])}
    assert {other.pop(name) for name in OF_CHA0} == {cha0}, (other, cha0)
    assert other.pop("memory of another") == imc0, (other, imc0)
    assert not any(other.values()), other
    assert {table["die"]: table["nr_rejected"] for table in discovery["tables"]} == \
        {0: len(BAD_RECORDS), 1: 0}, discovery["tables"]
    assert_shown(m, discovery)
    assert_all_count(m)
    reload_module(m)


def config_of_others(m):
    """Return PCIEXBAR, PMBASE and a command register, which START of a forged box would change."""
    return poke(m, ("er", "00:00.0", 0x60), ("er", "00:1f.0", 0x40),
                ("er", f"{UNCORE_BUS:02x}:00.0", 4))


@test("spr-2s", settings=FORGED)
def other_devices_are_not_accessed(m):
    before = config_of_others(m)
    assert_all_count(m)
    m.rmmod()
    assert config_of_others(m) == before
    m.insmod()


# Pages below the I/O APIC, where firmware places the BARs of SATA and of the table. Each page has
# one forged unit
PAGES = range(0xfebe0000, 0xfebf1000, 0x1000)
IN_PAGES = appended([record(page + 0x100, NEW, i, ctl=0x40, access=MMIO, status=0x5c)
                     for i, page in enumerate(PAGES)], 0)
IORESOURCE_MEM = 0x200


def memory_bars(m):
    """Return (PCI function, first byte, last byte) of each memory BAR."""
    bars = []
    for line in m.sh("cd /sys/bus/pci/devices && head -n 7 */resource").splitlines():
        if line.startswith("==>"):
            name = line.split()[1].removesuffix("/resource")
        elif line:
            first, last, flags = (int(number, 16) for number in line.split())
            if flags & IORESOURCE_MEM:
                bars.append((name, first, last))
    return bars


def sata_registers(m, bars):
    """Return SATA registers: capabilities, global control, interrupt status, implemented ports."""
    base = next(first for name, first, _ in bars if name == "0000:00:1f.2")
    return poke(m, *(("mr", 4, base + 4 * i) for i in range(4)))


@test("spr-1s", settings=IN_PAGES | {"discovery.bar-type": "32"})
def bars_of_other_devices_are_not_accessed(m):
    bars = memory_bars(m)
    before = sata_registers(m, bars)
    names = {next((name for name, first, last in bars if first <= page <= last), None)
             for page in PAGES}
    assert len(names) == 2 and "0000:00:1f.2" in names and None not in names, (names, bars)
    units = {unit["word"][1] - 0x100: unit["reason"] for unit in found(m)["units"]}
    assert units == dict.fromkeys(PAGES, UNIT_FOREIGN), units
    assert_all_count(m)
    assert sata_registers(m, bars) == before
    reload_module(m)


# uapi_discovery calls GET_TABLES and GET_UNITS on tables with many rejected units
ktap.register(__name__, "uapi_discovery", "spr-2s", settings=FORGED, timeout=120)


# The last record crosses the end of the BAR. The records between the units and the last one are 0
@test("spr-1s", settings={"discovery.max-units": 1023, "discovery.bar-size": 16384})
def table_larger_than_its_bar_is_rejected(m):
    discovery = found(m)
    records = 16384 // 32 - 1
    reasons = [unit["reason"] for unit in discovery["units"]]
    good = discovery["tables"][0]["nr_units"] - discovery["tables"][0]["nr_rejected"]
    assert reasons.count(UNIT_TRUNCATED) == 1023 - records, reasons.count(UNIT_TRUNCATED)
    assert reasons.count(UNIT_ZERO) == records - good, (reasons.count(UNIT_ZERO), good)
    assert len(reasons) == 1023 - good, (len(reasons), good)
    assert_all_count(m)
    reload_module(m)


# ---- bad tables: one for each die, the first table is good ----

DVSEC, EMPTY_CONFIG = 0x130, 0xb00
TELEMETRY = 0x110


def header(id_, following):
    return id_ | 1 << 16 | following << 20


# (name, changed words of PCI config space or of the global record, TABLE_* reasons)
BAD_TABLES = (
    ("good", {}, [TABLE_OK]),
    ("all ones", {"global.0": ONES, "global.1": ONES, "global.2": ONES}, [TABLE_ALL_ONES]),
    ("zero", {"global.0": 0, "global.1": 0, "global.2": 0}, [TABLE_EMPTY]),
    ("stride 0", {"global.0": global_word0(20, stride=0)}, [TABLE_STRIDE]),
    ("stride 2", {"global.0": global_word0(20, stride=2)}, [TABLE_STRIDE]),
    ("no such BAR", {f"config.{DVSEC + 12:#x}": 7}, [TABLE_BAR]),
    ("an empty BAR", {f"config.{DVSEC + 12:#x}": 4}, [TABLE_UNASSIGNED]),
    ("behind the BAR", {f"config.{DVSEC + 12:#x}": 0x10000000}, [TABLE_OUTSIDE]),
)
BAD_GLOBALS = (
    ("good", {}, [TABLE_OK]),
    ("access type 3", {"global.0": global_word0(20, access=NO_ACCESS)}, [TABLE_GLOBAL]),
    ("an MSR that steers the processor", {"global.1": APIC_BASE}, [TABLE_GLOBAL]),
    ("an MSR that faults", {"global.1": HOLE_MSR}, [TABLE_GLOBAL]),
    ("on RAM", {"global.0": global_word0(20, access=MMIO), "global.1": 0x1000000},
     [TABLE_GLOBAL]),
    ("a loop", {f"config.{DVSEC:#x}": header(0x23, 0x100)}, [TABLE_OK, TABLE_CHAIN]),
    ("a link to itself", {f"config.{TELEMETRY:#x}": header(0x23, TELEMETRY)}, [TABLE_CHAIN]),
    ("a link to nothing", {f"config.{TELEMETRY:#x}": header(0x23, EMPTY_CONFIG)},
     [TABLE_CHAIN]),
)
LINKS = (
    ("good", {}, [TABLE_OK]),
    ("not aligned, and forgiven", {f"config.{TELEMETRY:#x}": header(0x23, DVSEC + 2)}, [TABLE_OK]),
    ("down into the header", {f"config.{DVSEC:#x}": header(0x23, 0x40)},
     [TABLE_OK, TABLE_CHAIN]),
    ("where no DVSEC fits", {f"config.{TELEMETRY:#x}": header(0x23, 0xff8)}, [TABLE_CHAIN]),
)


def per_die(bad):
    """Return settings for a number of sockets, each with its own kind of table."""
    settings = {"machine.sockets": len(bad), "machine.cores": 1}
    for die, (_, patches, _) in enumerate(bad):
        settings |= {f"discovery.{die}:{place}": f"{value:#x}" for place, value in patches.items()}
    return settings


def assert_tables(m, bad):
    discovery = found(m)
    seen = {}
    for table in discovery["tables"]:
        seen.setdefault(table["at"], []).append(table["reason"])
    wanted = [sorted(reasons) for _, _, reasons in bad]
    assert [sorted(seen[at]) for at in sorted(seen)] == wanted, (discovery["tables"], wanted)
    assert not discovery["units"], discovery["units"]
    assert_shown(m, discovery)
    assert_all_count(m, {die for die, (*_, reasons) in enumerate(bad) if TABLE_OK in reasons})
    reload_module(m)


@test("spr-2s", settings=per_die(BAD_TABLES))
def bad_table_is_rejected_and_others_stay(m):
    assert_tables(m, BAD_TABLES)


@test("spr-2s", settings=per_die(BAD_GLOBALS))
def bad_global_record_or_chain_is_rejected_and_others_stay(m):
    assert_tables(m, BAD_GLOBALS)


@test("spr-2s", settings=per_die(LINKS))
def bad_capability_link_is_detected(m):
    assert_tables(m, LINKS)


# ---- tables of both dies at a bad address ----

def both_dies(name, settings, reason):
    """Register a test in which the driver must reject the tables of both dies for @reason."""
    def run(m):
        discovery = found(m)
        assert {table["reason"] for table in discovery["tables"]} == {reason}, discovery["tables"]
        assert not discovery["units"] and "ready" not in m.sh("ucoretool info").splitlines()[0], \
            discovery
        reload_module(m)
    run.__name__ = name
    test("spr-2s", settings=settings)(run)


both_dies("a_table_in_io_space_is_not_touched", {"discovery.bar-type": "io"}, TABLE_BAR)
both_dies("a_bar_of_no_known_kind_is_not_touched", {"discovery.bar-type": "bad"}, TABLE_BAR)
both_dies("a_function_that_decodes_no_memory_is_not_touched",
          {"discovery.memory-decode": "never"}, TABLE_DISABLED)
both_dies("tables_that_read_all_ones_are_rejected", {"discovery.asleep": "yes"}, TABLE_ALL_ONES)


@test("spr-2s", settings={"discovery.dvsec": "no"})
def module_loads_without_dvsec_and_reports_why_no_boxes(m):
    discovery = found(m)
    assert not discovery["tables"] and not discovery["units"], discovery
    listed = m.run("ucoretool list", check=False)
    assert listed.status == 1 and len(listed.err.splitlines()) == 1, listed
    reload_module(m)


# ---- unusual but valid tables ----

def good(name, settings, reasons=(TABLE_OK, TABLE_OK), scenario="spr-2s"):
    """Register a test in which the driver must find all boxes in spite of these settings."""
    def run(m):
        discovery = found(m)
        assert [table["reason"] for table in discovery["tables"]] == list(reasons), \
            discovery["tables"]
        assert not discovery["units"], discovery["units"]
        assert_all_count(m)
        reload_module(m)
    run.__name__ = name
    test(scenario, settings=settings)(run)


good("a_table_that_is_not_at_the_start_of_its_bar",
     {"discovery.offset": 0x1800, "discovery.bar": 2, "discovery.bar-type": "32"})
good("a_prefetchable_bar_and_wide_records",
     {"discovery.prefetchable": "yes", "discovery.stride": 8})
good("two_tables_in_one_function", {"discovery.second-table": "yes"},
     (TABLE_OK, TABLE_DUPLICATE), scenario="spr-1s")
good("global_control_in_memory", {"discovery.global-access": "mmio"}, (TABLE_OK,),
     scenario="spr-1s")
good("global_control_in_config_space", {"discovery.global-access": "pci"}, (TABLE_OK,),
     scenario="spr-1s")


# ---- quirks ----

@test("spr-2s", settings={"discovery.cha-count": 3})
def cha_count_msr_limits_the_chas(m):
    discovery = found(m)
    assert sorted((unit["die"], unit["name"], unit["reason"]) for unit in discovery["units"]) == \
        [(die, "cha3", UNIT_BEYOND_COUNT) for die in (0, 1)], discovery["units"]
    with Session(m) as s:
        assert {name for _, name in s.ids if name.startswith("cha")} == {"cha0", "cha1", "cha2"}
        s.fill(event="0x90+", umask="1+")
        s.start()
        s.read_exactly()


@test("emr-1s", settings={"discovery.cha-count": 0})
def cha_count_of_zero_is_ignored(m):
    assert not found(m)["units"]
    assert_all_count(m)


@test("spr-2s", settings={"discovery.upi-table": "wrong"})
def upi_boxes_are_at_their_static_addresses(m):
    discovery = found(m)
    assert {unit["reason"] for unit in discovery["units"]} == {UNIT_RELOCATED}, discovery["units"]
    assert {unit["name"].rstrip("0123456789") for unit in discovery["units"]} == {"upi", "m3upi"}
    assert_all_count(m)


@test("spr-2s", settings={"discovery.upi-table": "absent"})
def upi_boxes_missing_in_tables_are_found(m):
    assert not found(m)["units"]
    assert_all_count(m)
