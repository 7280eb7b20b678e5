# SPDX-License-Identifier: GPL-2.0-only
"""Diamond Rapids: one table is found by a function and another by an MSR.

Each die has two global controls, both of which each freeze and unfreeze must write.
"""

import errno
import json

from lab.accesses import accesses_of
from lab.framework import test
from lab.qemu import rates
from lab.session import Session, refused
from machine.eventset import instance_of, type_of
from machine.exact import count_and_stop_exactly
from machine.registers import poke
from machine.tables import (MMIO, TABLE_ALL_ONES, TABLE_FOREIGN, TABLE_GLOBAL, TABLE_MSR, TABLE_OK,
                            TABLE_RAM, UNIT_BROKEN, appended, boxes_of_model, found, record)

DISTINCT = {"event": "0x90+", "umask": "1+"}     # another event on each counter
CLOCK = {"event": 1}
HUB_GLOBAL, POINTER = 0x2ff0, 0x710
WINDOW, WINDOW_SIZE, POINTED, BLOCK_GLOBAL = 0xf000000000, 0x100000000, 0x3fe00000, 0x3ff80000
FRZ = 1
FIRST_CPU = (0, 2)
# box type -> (general counters, fixed counters, access, number of boxes on a die)
TYPES = {"pcu": (4, 0, "msr", 1), "ubox": (2, 0, "msr", 1), "imc": (4, 1, "mmio", 2),
         "sca": (4, 0, "mmio", 1), "cxlcm": (8, 0, "mmio", 1), "hamvf": (4, 0, "mmio", 1),
         "cbo": (4, 0, "msr", 2), "santa": (4, 0, "mmio", 1), "cncu": (4, 0, "mmio", 1),
         "sncu": (4, 0, "mmio", 1), "ula": (4, 0, "msr", 1), "dda": (4, 0, "msr", 1),
         "sbo": (4, 0, "mmio", 2), "ubr": (4, 0, "msr", 1), "pcie4": (4, 0, "ecam", 1),
         "crs": (4, 0, "msr", 1), "cpc": (4, 0, "msr", 1), "itc": (4, 0, "msr", 1),
         "otc": (4, 0, "msr", 1), "cms": (4, 0, "msr", 1), "pcie6": (4, 0, "ecam", 1)}
# boxes of the second table
IN_BLOCK = {"cbo0", "cbo1", "santa0", "cncu0", "sncu0", "sbo0", "sbo1"}


def block_global(die):
    return WINDOW + WINDOW_SIZE * die + BLOCK_GLOBAL


# ---- which boxes ----

@test("dmr-2s")
def both_discovery_tables_of_each_die_are_found(m):
    discovery = found(m, everything=True)
    assert discovery["platform"] == "dmr", discovery["platform"]
    by_place = {(table["die"], table["msr"]): table for table in discovery["tables"]}
    assert {at: table["reason"] for at, table in by_place.items()} == \
        {(die, msr): TABLE_OK for die in (0, 1) for msr in (0, POINTER)}, by_place
    pointed = {unit["name"] for unit in discovery["units"]
               if unit["table"] == by_place[unit["die"], POINTER]["table"]}
    assert pointed == IN_BLOCK, pointed
    listed = {}
    for line in m.sh("ucoretool list -j").splitlines():
        box = json.loads(line)
        listed.setdefault((box["die"], box["type"]), []).append(
            (box["counters"], box["fixed"], box["access"]))
    assert listed == {(die, kind): [(counters, fixed, access)] * nr for die in (0, 1)
                      for kind, (counters, fixed, access, nr) in TYPES.items()}, listed
    shown = json.loads(m.sh("ucoretool info --discovery -j"))["tables"]
    shown = shown[by_place[0, POINTER]["table"]]
    assert shown["msr"] == f"{POINTER:#x}" and "function" not in shown, shown
    assert int(shown["address"], 0) == WINDOW + POINTED, shown
    assert "Diamond Rapids" in m.run("ucoretool doctor", check=False).out


# ---- counting ----

@test("dmr-2s")
def every_counter_of_both_tables_counts_exactly(m):
    with Session(m) as s:
        listed = {(box["die"], box["name"]): box["counters"] + box["fixed"] for box in s.boxes}
        # the driver does not list the fixed counter of the UBox, whose address is uncertain
        real = {at: count - (at[1] == "ubox0") for at, count in boxes_of_model(m).items()}
        assert listed == real, (listed, real)
        assert s.fill(**DISTINCT) == sum(listed.values())
        count_and_stop_exactly(m, s)


# a counter in an MSR or in memory takes one access, a counter in config space two
MSR_COUNTERS, MMIO_COUNTERS, PCI_COUNTERS = 46, 46, 8


@test("dmr-2s")
def read_writes_each_global_control_twice(m):
    with Session(m, full_reads=True) as s:
        assert s.fill(**DISTINCT) == 2 * (MSR_COUNTERS + MMIO_COUNTERS + PCI_COUNTERS)
        s.start()
        made = accesses_of(m, s, "burst 10")
    reads = MSR_COUNTERS + MMIO_COUNTERS + 2 * PCI_COUNTERS
    assert made["all"] == made["reported"] == 10 * 2 * (reads + 4), made
    assert made["wrmsr"] == made["mmio_write"] == 10 * 2 * 2, made
    assert made["rdmsr"] == 10 * 2 * MSR_COUNTERS, made
    assert made["mmio_read"] == 10 * 2 * MMIO_COUNTERS, made
    assert made["ecam_read"] == 10 * 2 * 2 * PCI_COUNTERS, made
    assert made["ecam_write"] == made["cf8_read"] == made["msr_fault"] == 0, made


# controls that differ from other generations: box -> counter, fields, control word, rate
FIELDS = (
    ("cxlcm0", 0, {"event": 0x10, "umask": 3, "umask_ext": 5}, 5 << 32 | 0x310,
     {"event": 0x10, "umask": 3, "umask_ext": 5}),
    ("cxlcm0", 4, {"event": 0x41, "thresh": 1, "invert": 1}, 1 << 23 | 1 << 21 | 0x41,
     {"event": 0x41, "thresh": 1, "invert": True}),
    ("pcie40", 0, {"event": 2, "thresh": 1, "umask_ext": 0x80081}, 0x80081 << 36 | 1 << 24 | 2,
     {"event": 2, "thresh": 1, "umask_ext": 0x80081}),
    ("cbo1", 0, {"event": 0x36, "umask_ext": 0x80000001}, 0x80000001 << 32 | 0x36,
     {"event": 0x36, "umask_ext": 0x80000001}),
    ("sbo0", 3, {"event": 7, "edge": 1, "thresh": 1}, 1 << 24 | 1 << 18 | 7,
     {"event": 7, "edge": True, "thresh": 1}),
)


@test("dmr-2s")
def fields_of_diamond_rapids_reach_their_registers(m):
    with Session(m) as s:
        s.add_all([(box, 1, ctr, 0, fields) for box, ctr, fields, *_ in FIELDS])
        s.start()
        s.read_exactly()
        counters = {(c["box"], c["ctr"]): c for c in m.oracle("counters")["sockets"][1]}
        for box, ctr, _, word, wanted in FIELDS:
            seen = counters[box, ctr]
            rate = rates.rate(type_of(box), instance_of(box), 1, platform="dmr", **wanted)
            assert (seen["ctl"], seen["rate"]) == (word, rate), (box, seen, rate)
    names = m.sh("ucoretool list fields imc").split()
    assert "umask" in names and "edge" not in names, names      # edge would need a threshold
    with Session(m) as s:
        for box, field in (("imc0", "thresh"), ("imc0", "invert"), ("santa0", "umask_ext")):
            with refused(errno.EINVAL):
                s.add(box, event=1, **{field: 1})
        for box, event, counter in (("cbo0", 0x11, 1), ("cxlcm0", 0x50, 3), ("sbo0", 0x1f, 2)):
            with refused(errno.ENXIO):
                s.add(box, counter=counter, event=event)


@test("dmr-2s", loaded=False)
def uncertain_boxes_are_present_on_request(m):
    m.insmod(parameters="uncertain=1")
    with Session(m) as s:
        assert {(box["die"], box["name"]): box["counters"] + box["fixed"] for box in s.boxes} == \
            boxes_of_model(m)
        s.add("imc0", 0, 0, event=0x80, thresh=8)
        s.add("ubox0", 1, "fixed")
        s.start()
        assert all(value["count"] for value in s.read_exactly()["values"])
        seen = next(c for c in m.oracle("counters")["sockets"][0]
                    if (c["box"], c["ctr"]) == ("imc0", 0))
        assert seen["ctl"] == 8 << 23 | 0x80, seen
    m.rmmod()


# ---- dies that are frozen at power-on ----

def controls(m):
    """Return both global controls of both dies, and whether the dies are frozen."""
    seen = poke(m, *(("r", cpu, HUB_GLOBAL) for cpu in FIRST_CPU),
                *(("mr", 8, block_global(die)) for die in (0, 1)))
    return seen, [socket["frozen"] for socket in m.oracle("state")["sockets"]]


@test("dmr-2s", loaded=False, alone=True)
def each_global_control_is_restored(m):
    before = controls(m)
    assert before == ([FRZ] * 4, [True, True]), before
    m.insmod()
    assert controls(m) == before, "loading changed it"
    with Session(m) as s:
        s.fill(**DISTINCT)
        s.start()
        assert controls(m) == ([0] * 4, [False, False])
        assert all(value["count"] for value in s.read_exactly()["values"])
        s.stop()
    m.settle()
    m.wait_until(lambda: controls(m) == before, what="the freeze before the session")
    m.rmmod()
    assert controls(m) == before, controls(m)


# ---- tables with an unusable address in the MSR: one for each die, the first table is good ----

HOLE, RAM, LOCAL_APIC = WINDOW + 0x70000000, 0x1000000, 0xfee00000
BAD_POINTERS = (
    ("good", {}, TABLE_OK),
    ("the MSR faults", {"msr-faults": "yes"}, TABLE_MSR),
    ("it is zero", {"msr-value": 0}, TABLE_MSR),
    ("it is not aligned", {"msr-value": HOLE + 4}, TABLE_MSR),
    ("it points to RAM", {"msr-value": RAM}, TABLE_RAM),
    ("it points to the local APIC", {"msr-value": LOCAL_APIC}, TABLE_FOREIGN),
    ("nothing is there", {"msr-value": HOLE}, TABLE_ALL_ONES),
    ("global control on RAM", {"pointed.global.1": RAM}, TABLE_GLOBAL),
)
# An unknown global control would keep its die frozen, so the firmware leaves none frozen here.
# The table of the first die also lists units of unsupported types, which are ignored
BROKEN = [record(0x2f80, 19, 0), record(WINDOW + 0x3f000000, 37, 0, ctl=0x28, access=MMIO,
                                        status=0x50)]


def bad_settings():
    settings = {"machine.sockets": len(BAD_POINTERS), "machine.cores": 1,
                "model.firmware-freeze": "no", **appended(BROKEN, 0)}
    for die, (_, forged, _) in enumerate(BAD_POINTERS):
        for key, value in forged.items():
            settings[f"discovery.{die}:{key}"] = value if isinstance(value, str) else f"{value:#x}"
    return settings


@test("dmr-2s", settings=bad_settings(), timeout=120)
def bad_pointer_is_rejected_and_others_stay(m):
    discovery = found(m)
    by_place = {(table["die"], table["msr"]): table["reason"] for table in discovery["tables"]}
    wanted = {(die, 0): TABLE_OK for die in range(len(BAD_POINTERS))}
    wanted |= {(die, POINTER): reason for die, (*_, reason) in enumerate(BAD_POINTERS)}
    assert by_place == wanted, (by_place, wanted)
    rejected = [(unit["die"], unit["reason"]) for unit in discovery["units"]]
    assert rejected == [(0, UNIT_BROKEN)] * 2, discovery["units"]
    text = m.sh("ucoretool list --rejected")
    assert text.count(f"(MSR {POINTER:#x}) is not used: ") == len(BAD_POINTERS) - 1, text
    assert "faults or is zero" in text and "another device's memory" in text, text
    with Session(m) as s:
        listed = {(box["die"], box["name"]) for box in s.boxes}
        real = {at for at in boxes_of_model(m) if at[0] == 0 or at[1] not in IN_BLOCK}
        assert listed == real, (listed ^ real)
        s.fill(**DISTINCT)
        s.start()
        assert all(value["count"] for value in s.read_exactly()["values"])
