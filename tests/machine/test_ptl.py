# SPDX-License-Identifier: GPL-2.0-only
"""Panther Lake: boxes behind MSRs with two levels, and boxes of a discovery table with a freeze."""

import errno

from lab.framework import test
from lab.session import BOX_OVERFLOW, VALUE_CONFLICT, VALUE_GAP, Session, refused
from machine import eventset
from machine.armed import each_overflowed, run_polled
from machine.eventset import FIXED, type_of
from machine.registers import peek, poke
from machine.tables import BY_MSR, TABLE_OK, UNIT_FOREIGN, found, record
from machine.test_skx import count_exactly, info_of
from machine.test_suspend import suspend_to_ram

RUN = 1 << 29
LEVEL = 0x240e
SECOND = 0x254e             # that of the second clock
FREEZE = 0xfedeb700         # of the table's record; 380h above the box control of sNCU
BESIDE = {"cbo", "santa", "clock", "ia_core_bridge", "imc_free"}
UNITS = {"imc", "sncu", "hbo"}
FOUND = ((0, 0, 1), (RUN, RUN, 0), (0, RUN, 0), (RUN, 0, 1))


def controls(m):
    return poke(m, ("r", 0, LEVEL), ("r", 0, SECOND), ("mr", 8, FREEZE))


def types(m):
    with Session(m) as s:
        return {type_of(box) for _, box in s.ids if type_of(box) != "core"}


@test("ptl-1s")
def global_controls_are_restored_as_found(m):
    """All stop their boxes at power-on. Other software may have started them."""
    assert controls(m) == [0, 0, 1]
    for level, second, freeze in FOUND:
        poke(m, ("w", 0, LEVEL, level), ("w", 0, SECOND, second), ("mw", 8, FREEZE, freeze))
        with Session(m) as s:
            s.add_all(eventset.full_set(s))
            s.start()
            assert controls(m) == [RUN, RUN, 0]
            s.read_exactly()
            s.stop_exactly()
        m.settle()
        assert controls(m) == [level, second, freeze]
        assert poke(m, ("r", 0, 0x2442), ("r", 0, 0x2022)) == [0, 0], "the boxes are stopped"


@test("ptl-1s")
def kill_restores_the_hardware(m):
    poke(m, ("w", 0, LEVEL, 0), ("w", 0, SECOND, 0), ("mw", 8, FREEZE, 1))
    s = Session(m)
    s.add_all(eventset.full_set(s))
    s.start()
    assert controls(m) == [RUN, RUN, 0]
    s.__exit__()        # SIGKILL
    m.settle()
    assert controls(m) == [0, 0, 1]


@test("ptl-1s")
def table_is_found_by_its_msr(m):
    listed = found(m, everything=True)
    assert [(table["msr"], table["reason"], table["die_by"]) for table in listed["tables"]] == \
        [(0x201e, TABLE_OK, BY_MSR)], listed["tables"]
    assert len(listed["units"]) == 5 and not any(unit["reason"] for unit in listed["units"]), listed
    assert not info_of(m)["reason"] and "further global control" not in m.dmesg()


@test("ptl-1s")
def periods_are_polled_with_exact_counts(m):
    events = {("cbo0", 0): {"event": 0x34, "umask": 0x8f}, ("clock1", FIXED): {},
              ("imc1", 4): {"event": 0x01}}
    run_polled(m, [(box, 0, ctr, eventset.period_for(box, 0, ctr, fields, 10 + n, "ptl"), fields)
                   for n, ((box, ctr), fields) in enumerate(events.items())], each_overflowed(3))


@test("ptl-1s")
def no_overflow_is_offered(m):
    with Session(m) as s:
        assert not any(caps & BOX_OVERFLOW for (_, box), caps in s.caps.items()
                       if not box.startswith("core"))
        with refused(errno.ERANGE):
            s.add("santa0", event=1, thresh=0x40)


@test("ptl-1s", alone=True)
def session_survives_suspend_to_ram(m):
    """The machine's reset stops both kinds of boxes."""
    with Session(m) as s:
        s.add_all(eventset.full_set(s))
        s.start()
        suspend_to_ram(m)
        values = s.read()["values"]
        assert all(value["flags"] & VALUE_GAP and value["count"] for value in values), values
        assert controls(m) == [RUN, RUN, 0]
        later = s.read()["values"]
        assert all(new["count"] > old["count"] for new, old in zip(later, values)), (values, later)
    count_exactly(m)


@test("ptl-1s", strict=False, alone=True)
def freeze_by_other_software_is_reported(m):
    """Only a lost level is set again, because only hardware clears it."""
    with Session(m, ring=1 << 16) as s:
        s.add("imc0", 0, 0, event=1)
        s.add("cbo0", 0, 0, event=0x34, umask=0x8f)
        s.start()
        poke(m, ("mw", 8, FREEZE, 1), ("w", 0, LEVEL, 0), ("w", 0, SECOND, 0))
        # a read would write all three
        m.wait_until(lambda: controls(m)[:2] == [RUN, RUN], timeout=40, what="both levels")
        assert controls(m)[2] == 1
        m.wait_until(lambda: s.status()["conflicts"], timeout=40, what="a scan of the watchdog")
        assert all(value["flags"] & VALUE_CONFLICT for value in s.read()["values"])


# ---- broken tables ----

@test("ptl-1s", settings={"discovery.msr-faults": "yes"})
def boxes_beside_the_table_need_no_table(m):
    assert types(m) == BESIDE
    assert "discovery table" in info_of(m)["reason"], info_of(m)
    with Session(m) as s:
        s.add_all(eventset.full_set(s))
        s.start()
        s.read_exactly()
        s.stop_exactly()


@test("ptl-1s", settings={"discovery.pointed.record.1.1": "0", "discovery.pointed.record.3.0": "0"})
def broken_units_are_left_out(m):
    with Session(m) as s:
        assert sorted(box for _, box in s.ids if type_of(box) in UNITS) == \
            ["hbo0", "hbo1", "imc1"], s.ids
        s.add_all(eventset.full_set(s))
        s.start()
        s.read_exactly()
        s.stop_exactly()


@test("ptl-1s", settings={
    "discovery.pointed.record.1.0": f"{record(0x2442, 6, regs=2)[0]:#x}",
    "discovery.pointed.record.1.1": "0x2442"})
def unit_in_msrs_is_no_box(m):
    """The boxes in MSRs are at known places, which a table must not change."""
    assert [unit["reason"] for unit in found(m)["units"]] == [UNIT_FOREIGN], found(m)["units"]
    with Session(m) as s:
        assert (0, "cbo1") in s.ids and (0, "imc0") not in s.ids, s.ids


@test("ptl-1s", settings={"machine.model": "0xd5", "machine.mchbar": "no"})
def wildcat_lake_without_mchbar_has_the_other_boxes(m):
    assert info_of(m)["platform"] == "ptl"
    assert types(m) == (BESIDE | UNITS) - {"imc_free"} and "MCHBAR is disabled" in m.dmesg()
