# SPDX-License-Identifier: GPL-2.0-only
"""Client processors: one package, a level that enables all boxes, memory controllers behind MCHBAR."""

import errno
import json

from lab.framework import test
from lab.session import BOX_FREE_RUNNING, FIXED, VALUE_CONFLICT, VALUE_GAP, Session, refused
from machine import eventset, free_running
from machine.armed import each_overflowed, run_polled
from machine.eventset import type_of
from machine.registers import peek, poke
from machine.test_conflict import SCAN_PERIOD
from machine.test_lifecycle import WITNESS, respect_intree_driver
from machine.test_skx import count_exactly, info_of
from machine.test_suspend import suspend_to_ram

# box type -> general counters, fixed counters, access
TYPES = {"cbo": (2, 0, "msr"), "arb": (2, 0, "msr"), "clock": (0, 1, "msr"),
         "imc_free": (0, 5, "mmio")}
LATER = {**TYPES, "imc_free": (0, 3, "mmio")}
TILES = {"cbo": (2, 0, "msr"), "arb": (2, 0, "msr"), "clock": (0, 1, "msr"),
         "hac_arb": (2, 0, "msr"), "hac_cbo": (2, 0, "msr"), "sncu": (0, 1, "msr"),
         "imc": (5, 0, "mmio"), "imc_free": (0, 3, "mmio")}
# scenario -> types, number of boxes of each type, width of the memory counters
MACHINES = {
    "snb-1s": (TYPES, (4, 1, 1, 1), 32),
    "hsw-1s": (TYPES, (2, 1, 1, 1), 32),
    "skl-1s": (TYPES, (4, 1, 1, 1), 32),
    "cml-1s": (TYPES, (10, 1, 1, 1), 32),
    "icl-1s": ({**TYPES, "arb": (1, 0, "msr")}, (4, 1, 1, 1), 32),
    "tgl-1s": (LATER, (4, 1, 1, 2), 64),
    "adl-1s": ({**TYPES, "imc": (5, 0, "mmio"), "imc_free": (0, 3, "mmio")}, (4, 2, 1, 2, 2), 64),
    "mtl-1s": (TILES, (4, 2, 1, 2, 2, 1, 2, 2), 64),
    "lnl-1s": ({name: TILES[name] for name in ("cbo", "arb", "imc", "imc_free")},
               (4, 2, 2, 2), 64),
    "ptl-1s": ({"imc": (5, 0, "mmio"), "sncu": (2, 0, "mmio"), "hbo": (4, 0, "mmio"),
                "cbo": (2, 0, "msr"), "santa": (2, 0, "msr"), "clock": (0, 1, "msr"),
                "ia_core_bridge": (2, 0, "msr"), "imc_free": (0, 3, "mmio")},
               (2, 1, 2, 6, 2, 2, 1, 2), 64),
}
ALL = tuple(MACHINES)
OF_48_BITS = ("mtl-1s", "lnl-1s", "ptl-1s")
RUN, ON_OVERFLOW = 1 << 29, 1 << 31
GLOBAL_CTL = {"snb-1s": 0x391, "skl-1s": 0xe01, "icl-1s": 0xe01, "adl-1s": 0x2ff0}


@test(ALL)
def boxes_match_the_model(m):
    types, numbers, width = MACHINES[m.scenario]
    counted = dict.fromkeys(types, 0)
    for box in map(json.loads, m.sh("ucoretool list -j").splitlines()):
        counters, fixed, access = types[box["type"]]
        counted[box["type"]] += 1
        assert (box["counters"], box["fixed"], box["access"]) == (counters, fixed, access), box
        of_48_bits = m.scenario == "ptl-1s" or (m.scenario in OF_48_BITS and box["type"] != "imc")
        width_due = 48 if of_48_bits else 64 if box["type"] == "imc" else 44
        assert box["width"] == (width_due if counters else 0), box
        assert box["type"] != "imc_free" or box["fixed_width"] == width, box
    assert tuple(counted.values()) == numbers, counted
    assert not info_of(m)["reason"] and "may hide" not in m.dmesg(), m.dmesg()[-2000:]
    count_exactly(m)


@test("snb-1s", kernels=("debug",))
def every_counter_counts_exactly(m):
    count_exactly(m)


@test(("skl-1s", "snb-1s"), settings={"model.width-faults": "yes"})
def clock_of_unknown_width_counts_exactly(m):
    """One source says 44 bits, another one 48. A write of too many bits may fault."""
    count_exactly(m)
    width = [box["fixed_width"] for box in map(json.loads, m.sh("ucoretool list -j").splitlines())
             if box["type"] == "clock"]
    assert width == [44 if m.scenario == "skl-1s" else 48], width


# ---- the number of CBOs ----

def cbos(m):
    with Session(m) as s:
        return sum(type_of(box) == "cbo" for _, box in s.ids)


@test("snb-1s", settings={"boxes.global-config": "4"})
def number_of_cbos_excludes_the_graphics(m):
    """Four boxes respond."""
    assert cbos(m) == 3


@test("skl-1s", settings={"boxes.global-config": "0"})
def cbos_of_unknown_number_must_respond(m):
    assert cbos(m) == 4


@test("cml-1s", settings={"boxes.global-config": "9"})
def register_limits_the_cbos(m):
    assert cbos(m) == 8


# ---- the global control ----

@test(tuple(GLOBAL_CTL), kernels=("6.1", "debug"), strict=False)
def global_control_is_restored_as_found(m):
    """Other software may have left cores selected, and counting enabled or not."""
    at = GLOBAL_CTL[m.scenario]
    for found in (0, RUN, RUN | 0xf, ON_OVERFLOW | 0x3, RUN | ON_OVERFLOW):
        poke(m, ("w", 0, at, found))
        with Session(m) as s:
            s.add("cbo0", 0, 0, event=0x34, umask=0x8f)
            s.start()
            assert peek(m, "r", 0, at) == RUN, "no PMI is selected, and no freeze"
            s.read_exactly()
            s.stop_exactly()
        m.settle()
        assert peek(m, "r", 0, at) == found, hex(found)
        assert poke(m, ("r", 0, 0x2000 if at == 0x2ff0 else 0x700)) == [0], "the box is stopped"


@test("skl-1s", strict=False)
def enable_by_another_program_after_stop_is_kept(m):
    with Session(m) as s:
        s.add("cbo0", 0, 0, event=0x34, umask=0x8f)
        s.start()
        s.stop()
        poke(m, ("w", 0, 0xe01, RUN | 0xf))
    m.settle()
    assert peek(m, "r", 0, 0xe01) == RUN | 0xf


@test("skl-1s", settings={"machine.hypervisor": "yes", "machine.msrs-ignored": "yes"}, strict=False)
def msrs_ignored_by_a_hypervisor_are_no_counters(m):
    with Session(m) as s:
        for box in ("cbo0", "clock0"):
            with refused(errno.ENODEV):
                s.add(box, 0, 0 if box == "cbo0" else FIXED)


@test("skl-1s", strict=False, alone=True)
def lost_enable_is_reported(m):
    """A deep package C-state clears the global control, so that counts are missing."""
    with Session(m, ring=1 << 16) as s:
        s.add("cbo0", 0, 0, event=0x34, umask=0x8f)
        s.start()
        poke(m, ("w", 0, 0xe01, 0))
        m.wait_until(lambda: s.status()["conflicts"], timeout=40, what="a scan of the watchdog")
        first = s.read()["values"][0]
        assert first["flags"] & VALUE_CONFLICT
        # the counters count again
        assert peek(m, "r", 0, 0xe01) == RUN
        assert s.read()["values"][0]["count"] > first["count"]


@test(("skl-1s", "adl-1s"))
def undisturbed_controls_report_no_conflict(m):
    with Session(m) as s:
        s.add_all(eventset.full_set(s))
        s.start()
        m.sh(f"sleep {SCAN_PERIOD + 2}")
        assert not s.status()["conflicts"], s.status()
    assert "another program or firmware writes" not in m.dmesg()


# ---- faults of others ----

def controls(m):
    """Return the global control and the controls of all counters of the first boxes."""
    first, arb, clock = (0x2000, 0x2fd0, 0x2fde) if m.scenario == "adl-1s" else (0x700, 0x3b2, 0x394)
    return poke(m, *(("r", 0, msr) for msr in (GLOBAL_CTL[m.scenario], first, first + 1, arb,
                                               arb + 1, clock)))


@test(tuple(GLOBAL_CTL), kernels=("6.1", "debug"))
def kill_restores_the_hardware(m):
    before = controls(m)
    for _ in range(3):
        s = Session(m)
        s.add_all(eventset.full_set(s))
        s.start()
        assert controls(m)[0] == RUN
        s.__exit__()        # SIGKILL
        m.settle()
        assert controls(m) == before, (controls(m), before)


@test(("skl-1s", "adl-1s"))
def session_survives_suspend_to_ram(m):
    """The machine's reset clears all registers."""
    with Session(m) as s:
        s.add_all(eventset.full_set(s))
        s.start()
        suspend_to_ram(m)
        values = s.read()["values"]
        assert all(value["flags"] & VALUE_GAP and value["count"] for value in values), values
        assert controls(m)[0] == RUN
        later = s.read()["values"]
        assert all(new["count"] > old["count"] for new, old in zip(later, values)), (values, later)
    count_exactly(m)


@test(("snb-1s", "tgl-1s", "adl-1s"), **WITNESS)
def intree_driver_is_respected(m):
    """Linux loads its driver by itself. It has a PCI driver up to Rocket Lake."""
    respect_intree_driver(m, "cbo/event=0x34,umask=0x8f/")


# ---- memory controllers ----

@test(ALL)
def traffic_counters_match_the_model(m):
    counters = free_running.MCHBAR_32 if MACHINES[m.scenario][2] == 32 else free_running.MCHBAR_64
    controllers = MACHINES[m.scenario][1][-1]
    free_running.match_the_model(m, {"imc_free": counters}, controllers * len(counters),
                                 {"event": 0x34, "umask": 0x8f}, "cbo0")


@test("hsw-1s")
def no_wrap_of_32_bits_is_missed(m):
    """Reads wrap after ten seconds, although nobody reads the counters."""
    with Session(m) as s:
        assert s.caps[0, "imc_free0"] & BOX_FREE_RUNNING
        for fixed in range(5):
            s.command(f"add {s.ids[0, 'imc_free0']} {1 << 32 + fixed} 0")
        s.start()
        started = m.oracle("state")["t"]
        m.sh("sleep 21")
        elapsed = m.oracle("state")["t"] - started
        counts = [value["count"] for value in s.read()["values"]]
    due = [free_running.rate_of(*counter, 0, 0) * elapsed // 10**9
           for counter in free_running.MCHBAR_32]
    assert due[0] > 2 << 32, due
    assert all(count >= least and count < least + (1 << 32) for count, least in
               zip(counts, due)), (counts, due)


@test("tgl-1s", settings={"machine.mchbar": "no"})
def disabled_mchbar_leaves_the_other_boxes(m):
    assert "MCHBAR is disabled" in m.dmesg(), m.dmesg()[-2000:]
    with Session(m) as s:
        assert {type_of(box) for _, box in s.ids if type_of(box) != "core"} == \
            {"cbo", "arb", "clock"}, s.ids
    count_exactly(m)


# ---- samples ----

@test(("snb-1s", "icl-1s", "adl-1s", "mtl-1s", "lnl-1s"),
      settings={"model.pmi": "no"})
def periods_are_polled_with_exact_counts(m):
    platform = info_of(m)["platform"]
    events = {("cbo0", 0): {"event": 0x34, "umask": 0x8f},
              ("arb0", 0): {"event": 0x81, "umask": 0x01}, ("clock0", FIXED): {}}
    if m.scenario == "mtl-1s":
        events |= {("hac_arb1", 1): {"event": 0x81, "umask": 0x01}, ("sncu0", FIXED): {}}
    if m.scenario == "lnl-1s":
        del events["clock0", FIXED]
    wanted = [(box, 0, ctr, eventset.period_for(box, 0, ctr, fields, 10 + n, platform), fields)
              for n, ((box, ctr), fields) in enumerate(events.items())]
    run_polled(m, wanted, each_overflowed(3))


@test("snb-1s")
def fields_absent_in_a_box_are_refused(m):
    with Session(m) as s:
        for field in ("tid_en", "umask_ext", "filter_opc"):
            with refused(errno.EINVAL):     # GET_FIELDS does not list the field
                s.add("cbo0", event=1, **{field: 1})
        with refused(errno.ERANGE):
            s.add("cbo0", event=1, thresh=0x20)
