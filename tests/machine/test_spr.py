# SPDX-License-Identifier: GPL-2.0-only
"""Sapphire Rapids and later: boxes from a discovery table, counted and sampled."""

import errno
import json

from lab.accesses import accesses_of
from lab.framework import KERNELS, test
from lab.qemu import rates
from lab.session import (BOX_FREE_RUNNING, EVENT_NONE, FIXED, MS, TRIGGER_TIMER, Session,
                         assert_equal, frozen_windows, interrupting, refused)
from machine import free_running
from machine.armed import run_armed
from machine.eventset import instance_of, type_of
from machine.exact import count_and_stop_exactly
from machine.tables import boxes_of_model, found
from machine.timers import assert_same_instants, traced

CAP_OVERFLOW_PMI, CAP_DISCOVERY = 2, 4
DISTINCT = {"event": "0x90+", "umask": "1+"}     # another event on each counter
CLOCK = {"event": 1}


# ---- which boxes ----

# box type -> (general counters, fixed counters, access); types of all platforms
COMMON_TYPES = {"cha": (4, 0, "msr"), "iio": (4, 0, "msr"), "irp": (2, 0, "msr"),
                "pcu": (4, 0, "msr"), "ubox": (2, 1, "msr"), "imc": (4, 1, "mmio"),
                "upi": (4, 0, "ecam"), "mdf": (4, 0, "msr"), "cxlcm": (8, 0, "mmio"),
                "cxldp": (4, 0, "mmio")}
SPR_TYPES = {**COMMON_TYPES, "m2pcie": (4, 0, "msr"), "m2m": (4, 0, "ecam"),
             "m3upi": (4, 0, "ecam"), "iio_free": (0, 17, "msr")}
GNR_TYPES = {**COMMON_TYPES, "b2hot": (4, 0, "msr"), "b2cmi": (4, 0, "ecam"),
             "b2cxl": (4, 0, "mmio"), "b2upi": (4, 0, "ecam"), "pciex16": (4, 0, "ecam"),
             "pciex8": (4, 0, "ecam"), "iio_free": (0, 17, "msr")}
# boxes of an unknown model: type numbers and the data of the table only
UNKNOWN_TYPES = {"type_0": (4, 0, "msr"), "type_4": (4, 0, "msr"), "type_5": (2, 0, "msr"),
                 "type_6": (4, 0, "mmio"), "type_8": (4, 0, "ecam"), "type_77": (4, 0, "msr"),
                 "type_78": (4, 0, "mmio"), "type_79": (4, 0, "ecam"), "type_80": (8, 0, "mmio")}
# scenario -> (platform, types, box type -> number of boxes on all dies)
BOXES = {
    "spr-2s": ("spr", SPR_TYPES, {"cha": 8, "iio": 4, "irp": 4, "m2pcie": 4, "pcu": 2, "ubox": 2,
                                  "imc": 8, "m2m": 4, "upi": 4, "m3upi": 4, "mdf": 2, "cxlcm": 2,
                                  "cxldp": 2, "iio_free": 4}),
    "gnr-2s": ("gnr", GNR_TYPES, {"cha": 8, "iio": 4, "irp": 4, "pcu": 2, "ubox": 2, "imc": 8,
                                  "upi": 4, "cxlcm": 2, "cxldp": 2, "b2hot": 2, "b2cmi": 4,
                                  "b2cxl": 2, "b2upi": 2, "mdf": 2, "pciex16": 2, "pciex8": 2,
                                  "iio_free": 4}),
    "unknown-1s": ("generic", UNKNOWN_TYPES,
                   {"type_0": 4, "type_4": 1, "type_5": 1, "type_6": 2, "type_8": 1,
                    "type_77": 2, "type_78": 2, "type_79": 2, "type_80": 1}),
}


def listed_boxes(m):
    return [json.loads(line) for line in m.sh("ucoretool list -j").splitlines()]


def assert_boxes(m, scenario):
    platform, types, wanted = BOXES[scenario]
    info = found(m)
    assert info["platform"] == platform and info["caps"] & CAP_DISCOVERY, info
    counted = {}
    for box in listed_boxes(m):
        counters, fixed, access = types[box["type"]]
        counted[box["type"]] = counted.get(box["type"], 0) + 1
        assert (box["counters"], box["fixed"], box["access"]) == (counters, fixed, access), box
        assert box["width"] == (48 if counters else 0), box
        assert not fixed or box["fixed_width"] == 48, box
    assert counted == wanted, (counted, wanted)
    assert not info["units"], info["units"]


# not on the debug kernel, whose machine has additional invalid records (test_discovery.py)
@test("spr-2s")
def boxes_match_the_model(m):
    assert_boxes(m, "spr-2s")


@test("gnr-2s")
def boxes_of_granite_rapids_match_the_model(m):
    assert_boxes(m, "gnr-2s")


@test("unknown-1s")
def unknown_processor_with_discovery_has_boxes(m):
    assert_boxes(m, "unknown-1s")


# ---- counting ----

def count_everything(m, dies=2, names=None):
    """Count an event on every counter, and compare the boxes and the counts with the model."""
    with Session(m, names=names) as s:
        listed = {(box["die"], box["name"]): box["counters"] + box["fixed"] for box in s.boxes
                  if not box["caps"] & BOX_FREE_RUNNING}
        real = boxes_of_model(m)
        # without a type name the driver does not know the fixed counters
        assert listed.keys() == real.keys() and (names or listed == real), (listed, real)
        assert len({die for die, _ in listed}) == dies, listed
        s.fill(**DISTINCT)
        assert len(s.events) == sum(listed.values()), len(s.events)
        count_and_stop_exactly(m, s)


@test("spr-2s", kernels=KERNELS)
def every_counter_counts_exactly(m):
    count_everything(m)


@test("gnr-2s")
def every_counter_of_granite_rapids_counts_exactly(m):
    count_everything(m)


@test("unknown-1s")
def every_counter_of_an_unknown_processor_counts_exactly(m):
    names = {0: ("cha", 4), 4: ("pcu", 1), 5: ("ubox", 1), 6: ("imc", 2), 8: ("upi", 1)}
    count_everything(m, dies=1, names={f"type_{number}{i}": f"{kind}{i}"
                                       for number, (kind, count) in names.items()
                                       for i in range(count)})


def one_socket(scenario, name):
    """Register a test that counts on all counters of a scenario with one socket."""
    def run(m):
        count_everything(m, dies=1)
    run.__name__ = name
    test(scenario)(run)


one_socket("spr-1s", "every_counter_of_one_socket_counts_exactly")
one_socket("emr-1s", "every_counter_of_emerald_rapids_counts_exactly")
one_socket("srf-1s", "every_counter_of_sierra_forest_counts_exactly")
one_socket("cwf-1s", "every_counter_of_clearwater_forest_counts_exactly")


@test("monster", timeout=120)
def thousand_boxes_are_found_and_counted(m):
    tables = found(m)
    assert not tables["units"] and tables["total"] == 1000, (tables["total"], tables["units"][:5])
    with Session(m, boxes=False) as s:
        events = s.fill(**CLOCK)
        assert events == sum(boxes_of_model(m).values()), events
        s.start()
        made = accesses_of(m, s, "burst 2")
        assert made["all"] == made["reported"] and events < made["all"] / 2 < 2 * events, \
            (made, events)


# ---- control words ----

def control(kind, fields):
    """Return the control register of a counter in the layout of platforms with discovery."""
    def get(name):
        return fields.get(name, 0)
    word = (get("event") | get("umask") << 8 | get("tid_en") << 16 | get("edge") << 18 |
            get("invert") << 23 | get("thresh") << 24)
    if kind == "iio":
        return word | get("ch_mask") << 36 | get("fc_mask") << 48
    return word | get("umask_ext") << 32


def rate_of(platform, at, fields):
    """Return the rate in the documentation of the model."""
    f = {name: value for name, value in fields.items()
         if name not in ("tid_en", "filter_tid", "edge", "invert")}
    if fields.get("tid_en"):
        f["tid"] = fields["filter_tid"]
    return rates.rate(type_of(at.box), instance_of(at.box), at.die, platform=platform,
                      edge=bool(fields.get("edge")), **f,
                      **({"invert": True} if fields.get("invert") else {}))


PLAIN = ({"event": 0x02, "umask": 0xff}, {"event": 0x80, "umask": 0x01, "thresh": 1, "edge": 1},
         {"event": 0x33, "umask": 0x10, "thresh": 1, "invert": 1}, {"event": 0xff, "umask": 0x80})
WIDE = ({"event": 0x02, "umask": 0x0f, "umask_ext": 0xabcdef},
        {"event": 0x03, "umask": 0x01, "umask_ext": 1, "thresh": 1, "edge": 1},
        {"event": 0x04, "umask": 0x80, "umask_ext": 0x800000},
        {"event": 0xff, "umask": 0xff, "umask_ext": 0xffffff, "thresh": 1, "invert": 1})
# box type -> an event for each of its counters
FIELDS = {
    "cha": ({"event": 0x36, "umask": 0x01, "umask_ext": 0xc001fe01, "thresh": 7, "edge": 1},
            {"event": 0x35, "umask": 0x01, "umask_ext": 0xffffffff},
            {"event": 0x34, "umask": 0xff, "tid_en": 1, "filter_tid": 0x2aa},
            {"event": 0x50, "umask": 0x03, "thresh": 1, "invert": 1}),
    "iio": ({"event": 0x83, "umask": 0x04, "ch_mask": 0xfff, "fc_mask": 7},
            {"event": 0x02, "umask": 0x01, "ch_mask": 0x001, "fc_mask": 0, "thresh": 1},
            {"event": 0xc0, "umask": 0x04, "ch_mask": 0x800, "fc_mask": 4},
            {"event": 0x8e, "umask": 0x80, "fc_mask": 2, "thresh": 1, "edge": 1}),
    "irp": WIDE[:2], "m2pcie": WIDE, "m2m": WIDE, "upi": WIDE, "m3upi": WIDE, "mdf": PLAIN,
    "cxlcm": WIDE, "cxldp": WIDE, "b2hot": PLAIN, "b2cmi": WIDE, "b2cxl": WIDE, "b2upi": WIDE,
    "pciex16": WIDE, "pciex8": WIDE, "pcu": PLAIN, "ubox": PLAIN[:2],
    "imc": ({"event": 0x05, "umask": 0xcf}, {"event": 0x80, "thresh": 9},
            {"event": 0x82, "umask": 0x01, "thresh": 32, "edge": 1},
            {"event": 0x83, "umask": 0x02, "thresh": 17, "invert": 1}),
}


# box types whose controls have no upper half
NARROW = {"spr-2s": ("pcu", "ubox"), "gnr-2s": ("pcu", "ubox", "b2hot", "mdf"),
          "dmr-2s": ("pcu", "ubox")}


@test(tuple(NARROW))
def extended_umask_is_refused_in_boxes_without_one(m):
    with Session(m) as s:
        for kind in NARROW[m.scenario]:
            with refused(errno.EINVAL):     # GET_FIELDS does not list the field
                s.add(f"{kind}0", event=1, umask_ext=1)


def count_fields(m, platform, types):
    """Check the fields in the control registers, and that the counts have the documented rates."""
    with Session(m) as s:
        wanted = [(f"{kind}{i}", die, ctr, 0, {name: value for name, value in fields.items()
                                               if value or name != "fc_mask"})
                  for die in (0, 1) for kind in types if kind in FIELDS for i in (0, 1)
                  if (die, f"{kind}{i}") in s.ids
                  for ctr, fields in enumerate(FIELDS[kind])]
        fields = dict(zip(s.add_all(wanted), (event[4] for event in wanted)))
        mark = m.truth_length()
        s.start()
        answer = s.read_exactly()
        freezes = {f["socket"]: {(c["box"], c["ctr"]): c for c in f["counters"]}
                   for f in m.truth("freeze", mark)}
        ran = {die: windows[1][0] - windows[0][1]
               for die, windows in frozen_windows(m, mark).items()}
    wrong = []
    for value in answer["values"]:
        at, field = s.events[value["event"]], fields[value["event"]]
        seen = freezes[at.die][at.box, at.ctr]["ctl"]
        if seen != control(type_of(at.box), field):
            wrong.append(f"{at} {field}: control {seen:#x}, due "
                         f"{control(type_of(at.box), field):#x}")
        rate = rate_of(platform, at, field)
        if not rate or value["count"] != rate * ran[at.die] // 1000000000:
            wrong.append(f"{at} {field}: {value['count']}, at {rate}/s that is "
                         f"{rate * ran[at.die] // 1000000000}")
    assert_equal(wrong)


@test("spr-2s", kernels=KERNELS)
def fields_reach_their_registers(m):
    count_fields(m, "spr", SPR_TYPES)


@test("gnr-2s")
def fields_of_granite_rapids_reach_their_registers(m):
    count_fields(m, "gnr", {kind: 0 for kind in GNR_TYPES if kind != "cha"})


@test("spr-2s")
def fields_absent_in_a_box_are_refused(m):
    with Session(m) as s:
        for box, field in (("imc0", "umask_ext"), ("pcu0", "tid_en"), ("cha0", "ch_mask"),
                           ("upi0", "filter_tid"), ("iio0", "umask_ext")):
            with refused(errno.EINVAL):     # GET_FIELDS does not list the field
                s.add(box, event=1, **{field: 1})
        with refused(errno.ERANGE):
            s.add("upi0", event=2, umask_ext=1 << 24)
        with refused(errno.ERANGE):
            s.add("iio0", event=0x83, ch_mask=0x1000)
        with refused(errno.ENXIO):      # counts on counter 0 only
            s.add("cha0", counter=1, event=0x36)
        with refused(errno.ENXIO):
            s.add("iio0", counter=2, event=0x83)
        s.add("cha0", event=0x35, tid_en=1, filter_tid=5)
        with refused(errno.EADDRINUSE):
            s.add("cha0", event=0x34, tid_en=1, filter_tid=6)


# ---- fixed and free-running counters ----

@test("spr-2s")
def fixed_counters_count_at_their_documented_rates(m):
    with Session(m) as s:
        s.add_all([(box, die, FIXED, 0, {}) for die, box in s.ids
                   if type_of(box) in ("imc", "ubox")])
        mark = m.truth_length()
        s.start()
        values = s.read_exactly()["values"]
        ran = {die: windows[1][0] - windows[0][1]
               for die, windows in frozen_windows(m, mark).items()}
    for value in values:
        at = s.events[value["event"]]
        rate = rates.rate(type_of(at.box), instance_of(at.box), at.die, fixed=True,
                          platform="spr")
        assert value["count"] == rate * ran[at.die] // 1000000000, (str(at), value, rate, ran)


@test(("spr-2s", "gnr-2s"))
def free_running_counters_match_the_stacks(m):
    of_stack = free_running.of_stack(8, "in", "out")
    free_running.match_the_model(m, {"iio_free": of_stack}, 4 * 17, CLOCK)


# ---- dies that firmware leaves frozen ----

@test("gnr-2s", loaded=False, alone=True)
def firmware_freeze_is_restored(m):
    def frozen():
        return [(s["global_ctl"], s["frozen"]) for s in m.oracle("state")["sockets"]]
    before = frozen()
    assert all(freeze for _, freeze in before), before
    m.insmod()
    assert frozen() == before, "loading changed it"
    with Session(m) as s:
        s.fill(**DISTINCT)
        s.start()
        values = s.read_exactly()["values"]
        assert all(value["count"] for value in values), values
        s.stop()
    m.settle()
    m.wait_until(lambda: frozen() == before, what="the freeze before the session")
    m.rmmod()
    assert frozen() == before, frozen()


@test("gnr-2s", loaded=False, alone=True)
def box_freeze_ends_the_firmware_freeze(m):
    """A session with box freeze unfreezes a die that firmware froze, and freezes it in the end."""
    def frozen():
        return [(s["global_ctl"], s["frozen"]) for s in m.oracle("state")["sockets"]]
    before = frozen()
    m.insmod()
    with Session(m, box_freeze=True) as s:
        s.add("imc0", 0, 0, **CLOCK)
        s.start()
        assert [freeze for _, freeze in frozen()] == [False, True], frozen()
        m.wait_until(lambda: s.read()["values"][0]["count"], what="counts")
        s.stop()
    m.settle()
    m.wait_until(lambda: frozen() == before, what="the freeze before the session")


# ---- restored registers ----

def hardware(m):
    """Return the current values of all registers that ucore may write."""
    oracle = m.oracle("all")
    found_ = {}
    for die, (state, counters) in enumerate(zip(oracle["state"]["sockets"],
                                                oracle["counters"]["sockets"])):
        found_[die, "global"] = state["global_ctl"], state["status_words"]
        for box in state["boxes"]:
            found_[die, box["box"]] = box["box_ctl"], box["status"], box["filters"]
        for counter in counters:
            found_[die, counter["box"], counter["ctr"]] = counter["ctl"]
    return found_


@test("spr-2s", loaded=False)
def sessions_and_unloading_restore_the_registers(m):
    before = hardware(m)
    m.insmod()
    assert hardware(m) == before, "loading wrote registers"
    for _ in range(2):
        with Session(m) as s:
            s.fill(**DISTINCT)
            s.start()
            s.read_exactly()
            s.stop()
    m.settle()
    m.rmmod()
    after = hardware(m)
    changed = [f"{key}: {after[key]}, found {before[key]}" for key in before
               if after[key] != before[key]]
    assert not changed, "\n".join(changed[:20])


# ---- accesses of a READ ----

FULL_COUNTERS, FULL_READS, FULL_WRITES = 439, 487, 2        # counters, reads and writes of a die


@test("spr-2s-full", timeout=120)
def read_of_the_full_machine_takes_the_minimum_of_accesses(m):
    with Session(m, full_reads=True) as s:
        assert s.fill(**DISTINCT) == 2 * FULL_COUNTERS
        s.start()
        made = accesses_of(m, s, "burst 10")
    assert made["all"] == made["reported"] == 10 * 2 * (FULL_READS + FULL_WRITES), made
    assert made["wrmsr"] == 10 * 2 * FULL_WRITES, made
    assert made["ecam_read"] == 10 * 2 * 2 * 48 and made["mmio_read"] == 10 * 2 * 40, made
    assert made["ecam_write"] == made["mmio_write"] == 0, made
    assert made["cf8_read"] == made["port_io"] == made["msr_fault"] == 0, made
    assert made["reported_reads"] == 10 * 2 * FULL_READS, made


@test("spr-2s-full", timeout=120)
def every_counter_of_the_full_machine_counts_exactly(m):
    with Session(m) as s:
        s.fill(**DISTINCT)
        s.start()
        s.read_exactly()


# ---- sampling by a timer ----

def timer_set(dies=(0, 1)):
    """Return events on boxes with each kind of access, for add_all()."""
    return [(box, die, ctr, 0, fields) for die in dies
            for box, ctr, fields in (("cha1", 0, CLOCK), ("imc0", 0, {"event": 5, "umask": 0xcf}),
                                     ("imc0", FIXED, {}), ("upi1", 0, CLOCK),
                                     ("iio0", 2, {"event": 0x84, "ch_mask": 3, "fc_mask": 1}),
                                     ("m2m0", 3, CLOCK), ("cxlcm0", 7, {"event": 0x40}))]


@test("spr-2s", kernels=KERNELS)
def timer_samples_of_both_dies_are_exact_and_simultaneous(m):
    period = 10 * MS
    with traced(m, "timer_trigger") as timers:
        samples = run_armed(m, timer_set(), lambda _, seen: len(seen) > 60, timer_ns=period)
        assert_same_instants(timers(), samples, period)
    assert all(s["trigger"] == TRIGGER_TIMER and s["trigger_event"] == EVENT_NONE
               for s in samples), samples
    for die in (0, 1):
        times = [s["time"] for s in samples if s["domain"] == die]
        assert all(new > old for old, new in zip(times, times[1:])), times


@test("spr-2s")
def period_that_must_interrupt_is_refused(m):
    info = found(m)
    assert not info["caps"] & CAP_OVERFLOW_PMI, info
    with Session(m) as s:
        for _, box in s.ids:
            if type_of(box) != "iio_free":
                with refused(errno.EOPNOTSUPP):
                    s.add(box, period=interrupting(1000), **CLOCK)
        with refused(errno.EOPNOTSUPP):
            s.add("imc0", counter=FIXED, period=interrupting(1000))
