# SPDX-License-Identifier: GPL-2.0-only
"""Counts of every counter and every kind of event, compared with the model."""

import contextlib
import errno
import json
import re
import statistics
import time

from lab.accesses import accesses_of
from lab.framework import BOTH, KERNELS, test
from lab.qemu import args
from lab.session import (FIXED, MS, US, Session, assert_equal, assert_taken, die_of, freezes_since,
                         frozen_windows, refused, samples_in)
from lab.truth import totals_of
from machine import eventset
from machine.eventset import DATA_READS, E5, GENERATIONS, MACHINES, UNLIKE
from machine.first_run import FirstRun
from machine.packages import count_named


# ---- helpers ----

def count_at_rates(machine, wanted):
    """Count @wanted (as for add_all()) for a short time; return a text for each wrong rate."""
    with Session(machine) as s:
        fields = dict(zip(s.add_all(wanted), (event[4] for event in wanted)))
        mark = machine.truth_length()
        _, answer = s.commands(["start", "read"])
        run = FirstRun(machine, mark)
        found = [run.difference(at.box, at.die, at.ctr, fields[value["event"]], value["count"],
                                s.platform)
                 for value in answer["values"] for at in [s.events[value["event"]]]]
        return list(filter(None, found))


# ---- all counters ----

@test(MACHINES, kernels=KERNELS)
def every_counter_counts_exactly(m):
    """Counts are compared at the time of the freeze: on v1 the freeze of the own box. The
    UBox of v1 is not frozen."""
    with Session(m) as s:
        s.add_all(eventset.full_set(s))
        assert len(s.events) == eventset.COUNTERS_OF[m.scenario], len(s.events)
        s.start()
        for _ in range(3):
            last = s.read_exactly()["values"]
        stopped = s.stop_exactly()["values"]
    grown = zip(last, stopped)
    assert all(0 < old["count"] < new["count"] for old, new in grown), (last, stopped)


def all_count_exactly(m):
    with Session(m) as s:
        s.add_all(eventset.full_set(s))
        assert len(s.events) == eventset.COUNTERS_OF[m.scenario], len(s.events)
        s.start()
        for _ in range(3):
            s.read_exactly()
        return s


@test("e2-2s-full", kernels=("6.1",))
def every_counter_of_the_full_machine_counts_exactly(m):
    all_count_exactly(m)


# the smallest chip has two SBOXes on v3 and none on v4
@test(("hswep-1s", "bdxep-1s"))
def smallest_chip_has_the_boxes_in_its_capabilities(m):
    s = all_count_exactly(m)
    sboxes = [box for _, box in eventset.boxes_of(s) if eventset.type_of(box) == "sbox"]
    assert sboxes == {"hswep": ["sbox0", "sbox1"], "bdxep": []}[s.platform], sboxes


@test("hswep-2s", settings={"machine.nodes": "10"})
def boxes_with_more_than_eight_nodes_are_on_their_dies(m):
    """The UBox function has no node map there; counts of the other die would differ."""
    assert m.sh("cat /sys/class/pci_bus/0000:ff/cpulistaffinity") == "2-3"
    all_count_exactly(m)


@test("e2-2s", cmdline="numa=fake=9")
def boxes_on_buses_without_a_node_are_on_their_dies(m):
    """With more than eight nodes, the UBox gives the die of a bus whose node is unknown."""
    assert len(m.sh("ls -d /sys/devices/system/node/node*").split()) == 9
    assert m.sh("cat /sys/class/pci_bus/0000:ff/cpulistaffinity") == "0-3"
    all_count_exactly(m)


# A v4 chip without SBOX: its box controls need bit 16 at most and are written in steps
@test("bdxep-1s", settings={"model.box-enables": "yes", "model.cbox-ov-en": "yes"})
def box_controls_that_need_enables_set_them(m):
    """It is undocumented whether v3 and v4 have bits 17:16; if so they must be 1, as on v2."""
    all_count_exactly(m)


@test(GENERATIONS)
def every_counter_counts_at_its_documented_rate(m):
    with Session(m) as s:
        wanted = eventset.full_set(s)
    assert_equal(count_at_rates(m, wanted))


# ---- filters and special fields ----

LLC, TOR, OPC_NID, LINK = 0x34, 0x35, 0x41, 0x31
# Box type -> events. OF_V2: v2. INVERT: all others, which have invert. CBO_OF_V1: v1.
# CBO_OF_V3: v3 and later
OF_V2 = {
    "cbo": [{"event": LLC, "umask": 0x11, "filter_state": 0x1f},
            {"event": LLC, "umask": 0x03, "filter_state": 0x02},
            {"event": LLC, "umask": 0x41, "filter_state": 0x3f, "filter_nid": 0x8001},
            {"event": TOR, "umask": 0x01, "filter_opc": 0x180},
            {"event": TOR, "umask": OPC_NID, "filter_opc": 0x1c8, "filter_nid": 0x0003},
            {"event": TOR, "umask": 0x01, "filter_opc": 0x182, "filter_c6": 1},
            {"event": TOR, "umask": 0x01, "filter_opc": 0x182, "filter_nc": 1},
            {"event": TOR, "umask": 0x01, "filter_opc": 0x182, "filter_isoc": 1},
            {"event": 0x37, "umask": 0x44, "filter_nid": 0xffff},
            {"event": LINK, "umask": 0x10, "filter_link": 0x9},
            {"event": 0x00, "tid_en": 1, "filter_tid": 0x1f},
            {"event": LLC, "umask": 0x11, "filter_state": 0x1f, "tid_en": 1, "filter_tid": 5},
            {"event": 0x11, "thresh": 7, "edge": 1},
            {"event": 0x11, "thresh": 20}],
    "ubox": [{"event": 0x42, "umask": 0x10, "thresh": 1, "edge": 1}],
    "pcu": [{"event": 0x0b, "band0": 255}, {"event": 0x0c, "band1": 1},
            {"event": 0x0d, "band2": 128}, {"event": 0x0e, "band3": 30},
            {"event": 0x80, "occ_sel": 1}, {"event": 0x80, "occ_sel": 2},
            {"event": 0x80, "occ_sel": 3},
            {"event": 0x80, "occ_sel": 1, "occ_invert": 1},
            {"event": 0x80, "occ_sel": 3, "occ_edge": 1},
            {"event": 0x80, "occ_sel": 2, "thresh": 15, "edge": 1},
            {"event": 0x1ff}, {"event": 0x00, "thresh": 1, "edge": 1}],
    "ha": [{"event": 0x20, "umask": 0x01, "addr_match": 0x3fffffffffc0},
           {"event": 0x20, "umask": 0x01, "addr_match": 0x100000000040},
           {"event": 0x20, "umask": 0x02, "opc_match": 0x3f},
           {"event": 0x20, "umask": 0x03, "addr_match": 0x4000, "opc_match": 0x11}],
    "qpi": [{"event": 0x38, "match0": 0x8001fff8, "mask0": 0x1ff8},
            {"event": 0x38, "match1": 0x000f000f, "mask1": 0x00070008},
            {"event": 0x138, "umask": 0x01, "match0": 0x8, "mask0": 0x8,
             "match1": 0x1, "mask1": 0x1},
            {"event": 0x0b, "thresh": 128}, {"event": 0x1ff, "umask": 0xff}],
    "imc": [{"event": 0x81, "thresh": 32}, {"event": 0x83, "thresh": 5, "edge": 1},
            {"event": 0xff, "umask": 0xff}],
    "irp": [{"event": 0x00, "thresh": 1, "edge": 1}],
    "r2pcie": [{"event": 0x01, "thresh": 1, "edge": 1}],
    "r3qpi": [{"event": 0x13, "umask": 0x02, "thresh": 30}],
}
INVERT = {
    "cbo": [{"event": 0x11, "thresh": 7, "invert": 1}],
    "ubox": [{"event": 0x42, "umask": 0x10, "thresh": 1, "invert": 1}],
    "pcu": [{"event": 0x80, "occ_sel": 2, "thresh": 15, "invert": 1},
            {"event": 0x105, "thresh": 1, "edge": 1, "invert": 1}],
    "ha": [{"event": 0x20, "umask": 0x01, "addr_match": 0x4000, "thresh": 1, "invert": 1}],
    "qpi": [{"event": 0x0b, "thresh": 128, "invert": 1}],
    "imc": [{"event": 0x81, "thresh": 32, "invert": 1}],
    "irp": [{"event": 0x0b, "thresh": 1, "invert": 1}],
    "r2pcie": [{"event": 0x07, "umask": 0x0f, "thresh": 1, "invert": 1}],
    "r3qpi": [{"event": 0x13, "umask": 0x02, "thresh": 30, "invert": 1}],
    "sbox": [{"event": 0x1b, "umask": 0x0f, "thresh": 1, "invert": 1}],
}
# v1 has one filter register with shorter fields, without link, c6, nc and isoc
CBO_OF_V1 = [
    {"event": LLC, "umask": 0x11, "filter_state": 0x1f},
    {"event": LLC, "umask": 0x41, "filter_state": 0x02, "filter_nid": 0x81},
    {"event": TOR, "umask": 0x01, "filter_opc": 0x180},
    {"event": TOR, "umask": OPC_NID, "filter_opc": 0x1c8, "filter_nid": 0x03},
    {"event": TOR, "umask": OPC_NID, "filter_opc": 0x1ff, "filter_nid": 0xff,
     "filter_state": 0x1f, "tid_en": 1, "filter_tid": 0x1f},
    {"event": 0x37, "umask": 0x44, "filter_nid": 0xff},
    {"event": 0x00, "tid_en": 1, "filter_tid": 0x1e},
    {"event": 0x11, "thresh": 7, "edge": 1}, {"event": 0x11, "thresh": 20}]
# v3: longer state and tid; other events use the node filter, and TOR_INSERTS uses the link
CBO_OF_V3 = [
    {"event": LLC, "umask": 0x11, "filter_state": 0x7f},
    {"event": LLC, "umask": 0x41, "filter_state": 0x42},
    {"event": TOR, "umask": 0x01, "filter_opc": 0x180},
    {"event": TOR, "umask": OPC_NID, "filter_opc": 0x1c8, "filter_nid": 0x8003},
    {"event": TOR, "umask": 0x01, "filter_opc": 0x182, "filter_c6": 1},
    {"event": TOR, "umask": 0x01, "filter_opc": 0x182, "filter_nc": 1},
    {"event": TOR, "umask": 0x01, "filter_opc": 0x182, "filter_isoc": 1},
    {"event": TOR, "umask": 0x01, "filter_opc": 0x182, "filter_link": 0x9},
    {"event": 0x28, "umask": 0x40, "filter_nid": 0x4002},
    {"event": 0x33, "umask": 0x40, "filter_nid": 0x0001},
    {"event": 0x37, "umask": 0x44, "filter_nid": 0xffff},
    {"event": 0x00, "tid_en": 1, "filter_tid": 0x3f},
    {"event": LLC, "umask": 0x11, "filter_state": 0x1f, "tid_en": 1, "filter_tid": 0x25},
    {"event": 0x11, "thresh": 7, "edge": 1}, {"event": 0x11, "thresh": 20}]
ALSO_OF_V3 = {
    "ubox": [{"event": 0x41, "filter_cid": 0x1f, "filter_tid": 1},
             {"event": 0x41, "filter_cid": 0x02}],
    "sbox": [{"event": 0x11, "umask": 0x0f, "thresh": 1, "edge": 1},
             {"event": 0xff, "umask": 0xff}],
    "r3qpi": [{"event": 0x1ff, "umask": 0xff}],
}


# differences of Skylake: two pairs of bits and the opcodes of the TOR, the link of credit
# events
TOR_REMOTE = {"event": TOR, "umask": 0x21, "filter_rem": 1}
OF_SKX = {
    "cha": [{"event": LLC, "umask": 0x11, "filter_state": 0x3ff},
            {"event": LLC, "umask": 0x03, "filter_state": 0x201},
            {"event": TOR, "umask": 0x21, **DATA_READS},
            {**TOR_REMOTE, "filter_nm": 1, "filter_opc_0": 0x3ff},
            {**TOR_REMOTE, "filter_not_nm": 1, "filter_opc_1": 0x201},
            {**TOR_REMOTE, "filter_not_nm": 1, "filter_all_op": 1},
            {**TOR_REMOTE, "filter_loc": 1, "filter_nm": 1, "filter_opc_0": 0x248,
             "filter_opc_1": 0x3ff},
            {"event": TOR, "umask": 0x11, "filter_loc": 1, "filter_nm": 1, "filter_all_op": 1,
             "filter_nc": 1},
            {"event": TOR, "umask": 0x11, "filter_loc": 1, "filter_nm": 1, "filter_all_op": 1,
             "filter_isoc": 1},
            {"event": 0x36, "umask": 0x21, "thresh": 9, "edge": 1, **DATA_READS},
            {"event": 0x38, "umask": 0x01, "filter_link": 0x9},
            {"event": 0x3b, "umask": 0x02, "filter_link": 0xf},
            {"event": 0x00, "tid_en": 1, "filter_tid": 0x1ff},
            {"event": LLC, "umask": 0x11, "filter_state": 0x155, "tid_en": 1, "filter_tid": 5},
            {"event": 0x11, "thresh": 7, "invert": 1}, {"event": 0x11, "thresh": 20}],
    "iio": [{"event": 0x83, "umask": 0x01, "ch_mask": 0xff, "fc_mask": 7},
            {"event": 0x83, "umask": 0x04, "ch_mask": 0x80},
            {"event": 0xc2, "umask": 0x04, "fc_mask": 4, "thresh": 1},
            {"event": 0xd5, "umask": 0xff, "ch_mask": 0x01, "fc_mask": 1, "thresh": 1,
             "invert": 1}],
    "irp": [{"event": 0x01, "thresh": 1, "edge": 1},
            {"event": 0xff, "umask": 0xff, "thresh": 1, "invert": 1}],
    "ubox": [{"event": 0x42, "umask": 0x10, "thresh": 1, "edge": 1}],
    "pcu": [*OF_V2["pcu"][:10], {"event": 0xff}, {"event": 0x00, "thresh": 1, "edge": 1},
            INVERT["pcu"][0]],
    "imc": [*OF_V2["imc"], *INVERT["imc"]],
    "m2m": [{"event": 0xff, "umask": 0xff}, {"event": 0x37, "thresh": 1, "invert": 1}],
    "upi": [{"event": 0xff, "umask": 0xff, "umask_ext": 0xffefff},
            {"event": 0x05, "umask": 0x0e, "umask_ext": 0x000800},
            {"event": 0x05, "umask": 0x0e, "umask_ext": 0x002000, "thresh": 1, "edge": 1}],
    "m3upi": [{"event": 0x3c, "umask": 0x01}, {"event": 0x8e, "thresh": 1, "edge": 1}],
    "m2pcie": [{"event": 0x23, "umask": 0x40, "thresh": 1, "invert": 1}],
}


def together(*tables):
    """Return box type -> events of all tables."""
    kinds = {kind for table in tables for kind in table}
    return {kind: [case for table in tables for case in table.get(kind, ())] for kind in kinds}


OF_V1 = together({**OF_V2, "cbo": CBO_OF_V1, "irp": []}, {**INVERT, "irp": [], "sbox": []})
OF_V3 = together({**OF_V2, "cbo": CBO_OF_V3}, INVERT, ALSO_OF_V3)
FILTERED = {"ivbep": OF_V2, "snbep": OF_V1, "hswep": OF_V3, "bdxep": OF_V3, "skx": OF_SKX}


@test(GENERATIONS, kernels=KERNELS, timeout=120)
def filters_and_special_fields_reach_their_registers(m):
    with Session(m) as s:
        tables = FILTERED[s.platform]
    for turn in range(max(map(len, tables.values()))):
        wanted = [(f"{kind}0", die, None, 0, cases[turn])
                  for kind, cases in tables.items() if turn < len(cases)
                  for die in (0, 1)]
        assert_equal(count_at_rates(m, wanted))


@test(UNLIKE)
def occupancy_event_mirrors_counter_0(m):
    with Session(m) as s:
        s.add("cbo1", counter=0, event=0x36, umask=0x08)
        s.add("cbo1", counter=2, event=0x1f)
        s.start()
        first, mirror = s.read_exactly()["values"]
    assert first["count"] == mirror["count"] > 0, (first, mirror)


@test("e2-2s")
def events_with_conflicting_shared_filter_are_refused(m):
    """Events can use different fields of one filter register, but not different values of one."""
    with Session(m) as s:
        s.add("pcu0", counter=0, event=0x0b, band0=10)
        s.add("pcu0", counter=1, event=0x0c, band1=20)
        s.add("pcu0", counter=2, event=0x0b, band0=10)
        with refused(errno.EADDRINUSE):
            s.add("pcu0", event=0x0b, band0=11)
        s.start()
        s.read_exactly()


@test("snbep-2s")
def cbo_filters_share_one_register_on_v1(m):
    """One register has the four fields of all counters; the further fields of v2 are absent."""
    wanted = [("cbo0", 1, None, 0, fields) for fields in (
        {"event": LLC, "umask": 0x11, "filter_state": 0x15},
        {"event": TOR, "umask": OPC_NID, "filter_opc": 0x182, "filter_nid": 6},
        {"event": 0x00, "tid_en": 1, "filter_tid": 0xb})]
    assert_equal(count_at_rates(m, wanted))
    with Session(m) as s:
        s.add_all(wanted)
        for field, value in (("filter_state", 1), ("filter_opc", 1), ("filter_nid", 1),
                             ("filter_tid", 1)):
            with refused(errno.EADDRINUSE):
                s.add("cbo0", 1, event=0x00, **{field: value})
        for field in ("filter_link", "filter_c6", "filter_nc", "filter_isoc"):
            with refused(errno.EINVAL):
                s.add("cbo0", 1, event=0x00, **{field: 1})


@test("hswep-2s")
def ubox_events_with_conflicting_filter_are_refused(m):
    with Session(m) as s:
        s.add("ubox0", event=0x41, filter_cid=3)
        with refused(errno.EADDRINUSE):
            s.add("ubox0", event=0x41, filter_cid=4)
        s.add("ubox0", event=0x41, filter_cid=3, filter_tid=1)
        s.start()
        s.read_exactly()


@test("hswep-2s")
def third_qpi_port_refuses_filters_on_v3(m):
    """The function of the filter is undocumented: the event counts, but a match is refused.
    Other ports accept one."""
    with Session(m) as s:
        s.add("qpi1", event=0x38, match0=0x8, mask0=0x8)
        s.add("qpi2", event=0x14)
        with refused(errno.EINVAL):
            s.add("qpi2", event=0x38, match0=0x8, mask0=0x8)
        s.start()
        s.read_exactly()


# ---- names ----

# One event counts the occupancy of counter 0, the others differ in occ_sel. Event 0 of a UBox
# selects nothing (327043-001 2.1.1, step f). A credit retry event needs the link, which the
# list of v2 does not mention.
SPECIAL = ("cbo/COUNTER0_OCCUPANCY", "pcu/POWER_STATE_OCCUPANCY.", "ubox/CLOCKTICKS",
           "cbo/RxR_IPQ_RETRY.QPI_CREDITS")


def named_events(machine):
    """Return the names of `list events` that count without a filter, by box type.

    The codes are those of the product's tables, which check/test_intel_events.py and
    check/test_linux_events.py compare with other sources.
    """
    by_type = {}
    for line in machine.run("ucoretool list events -j").out.splitlines():
        event = json.loads(line)
        if "filter" not in event and "code" in event and \
                not f"{event['type']}/{event['event']}".startswith(SPECIAL):
            by_type.setdefault(event["type"], []).append(event)
    return by_type


# Events of v3 and v4 for which the driver allows fewer counters than Intel's list
# (check/test_constraints.py)
FEWER = {("cbo", 0x09): {0}, ("r3qpi", 0x01): {0, 1}}


def counters_of(event):
    listed = set(map(int, event["counters"].split()))
    if event["type"] == "irp":
        listed &= {0, 1}    # the tool uses its first half
    return listed & FEWER.get((event["type"], int(event["code"], 0)), listed)


def fields_of(event):
    code, umask = int(event["code"], 0), int(event["umask"], 0)
    if event["type"] == "pcu":
        return {"event": code, "occ_sel": umask >> 6}
    return {"event": code, "umask": umask}


# Scenario -> minimum number of named events
NAMED = {"e2-2s": 1000, "snbep-2s": 460, "hswep-2s": 1200, "bdxep-2s": 1200, "bdxde-1s": 5}
# platforms whose common events are counted on another platform
COUNTED = {"bdxde": "bdxep"}


def key_of(row):
    return row["EventName"], int(row["EventCode"], 0), int(row["UMask"], 0)


def alike(platform):
    """Return the event names of a platform that another platform in COUNTED has, too."""
    counted = set(map(key_of, eventset.table(COUNTED[platform]))) if platform in COUNTED else ()
    return {row["EventName"] for row in eventset.table(platform) if key_of(row) in counted}


@test((*E5, "bdxde-1s"), timeout=180)
def named_events_count_at_their_documented_rates(m):
    platform = args.Scenario(m.scenario).platform
    known = alike(platform)
    by_type = {kind: [event for event in events if event["name"] not in known]
               for kind, events in named_events(m).items()}
    assert sum(map(len, by_type.values())) > NAMED[m.scenario], \
        {t: len(e) for t, e in by_type.items()}
    events = [(kind, event["event"], fields_of(event), counters_of(event))
              for kind, of_type in by_type.items() for event in of_type]
    assert count_named(m, events) == len(events)


# ---- READ ----

@test(UNLIKE, kernels=KERNELS)
def no_freeze_reads_lie_between_two_true_counts(m):
    with Session(m) as s:
        s.add_all(eventset.full_set(s))
        s.start()
        mark = m.truth_length()
        for _ in range(5):
            before = totals_of(m)
            values = s.live()["values"]
            after = totals_of(m)
            for value in values:
                low = s.true_count(value["event"], before)
                high = s.true_count(value["event"], after)
                assert low < value["count"] < high, (s.events[value["event"]], low, value, high)
        frozen = m.truth("freeze", mark) + m.truth("box-freeze", mark)
        assert not frozen, f"a live read froze {frozen[0]}"


# numbers of reads whose median is compared
READS, SKEWS = 50, 15


def middle(values):
    """Return the median. A busy host may stop a CPU between two instructions of a single READ."""
    return statistics.median(values)


# On a busy host the skew is milliseconds. test_rendezvous.py limits it on a clocked machine
@test("e2-2s")
def skew_of_dies_is_reported_as_it_was(m):
    with Session(m) as s:
        s.add_all(eventset.full_set(s))
        s.start()
        mark = m.truth_length()
        answers = s.commands(["read"] * READS)
        windows = frozen_windows(m, mark)
        assert all(len(of_die) == READS for of_die in windows.values()), windows
        errors = [answer["skew_ns"] - abs(first[0] - second[0])
                  for answer, first, second in zip(answers, windows[0], windows[1])]
        assert abs(middle(errors)) < 50 * US, sorted(errors)


@test("snbep-2s")
def boxes_without_global_control_report_their_skew(m):
    """Without a global control the boxes of a die are frozen one by one, except the UBox."""
    with Session(m) as s:
        s.add_all(eventset.full_set(s))
        s.start()
        boxes = {box for _, box in eventset.boxes_of(s)} - {"ubox0"}
        surplus = {}
        for _ in range(SKEWS):
            mark = m.truth_length()
            dies = s.read()["domains"]
            for freeze, die in zip(sorted(freezes_since(m, mark), key=lambda f: f["socket"]), dies):
                assert {word["box"] for word in freeze["boxes"]} == boxes, freeze
                surplus.setdefault(die["domain"], []).append(surplus_of(die["skew_ns"], freeze))
                assert die_of(m, die["domain"])["skew_max_ns"] >= die["skew_ns"], die
        assert len(surplus) == 2 and all(middle(of_die) < 1.5 for of_die in surplus.values()), surplus


def surplus_of(reported, freeze):
    """Return by what fraction the reported skew exceeds the time from the first to the last write.

    The driver reads the clock before the first write and after the last one.
    """
    first, *_, last = sorted(word["t"] for word in freeze["boxes"])
    assert last - first - US < reported, (reported, freeze)
    return reported / (last - first) - 1


@test("hswep-2s")
def global_control_freezes_a_die_without_skew(m):
    with Session(m) as s:
        s.add_all(eventset.full_set(s))
        s.start()
        mark = m.truth_length()
        assert [die["skew_ns"] for die in s.read()["domains"]] == [0, 0]
        assert not m.truth("box-freeze", mark), m.truth("box-freeze", mark)[0]


# ---- sessions ----

@test(UNLIKE, kernels=KERNELS)
def concurrent_sessions_count_independently(m):
    sets = (("imc", "ubox"), ("cbo", "qpi", "sbox"), ("ha", "pcu", "irp"))
    with Session(m) as a, Session(m) as b, Session(m) as c:
        for s, types in zip((a, b, c), sets):
            s.add_all(eventset.full_set(s, types))
        a.start()
        a.read_exactly()
        b.start()
        for s in (a, b, a):
            s.read_exactly()
        c.start()
        b.stop()
        for s in (a, c, a):
            s.read_exactly()
        b.start()
        c.reset_exactly()
        for s in (a, b, c):
            s.read_exactly()


@test(UNLIKE, kernels=KERNELS)
def counts_survive_stop_and_start_and_reset_zeroes_them(m):
    with Session(m) as s:
        s.add_all(eventset.full_set(s, ("imc", "cbo", "ubox", "sbox")))
        s.start()
        s.read_exactly()
        s.stop()
        kept = s.read()["values"]
        assert kept == s.read()["values"], "a stopped session counts"
        s.start()
        went_on = s.read_exactly()["values"]
        assert all(a["count"] < b["count"] for a, b in zip(kept, went_on))
        s.reset_exactly()
        s.read_exactly()
        s.stop()
        s.command("reset")
        answer = s.read()
        assert not any(value["count"] for value in answer["values"]), answer
        assert not any(die["time_enabled"] for die in answer["domains"]), answer


@test(("e2-2s", "snbep-2s"))
def session_times_match_the_model(m):
    """time_enabled and time_running, with another session that freezes the die.

    The driver reads its clock before a freeze and after the unfreeze. A busy host may stop the
    CPU between clock and register. Therefore each time of the driver is compared with the model
    in one direction, and the median of many in the other. Times of the driver must add up.
    """
    # the ring has room for the samples of 16 seconds, in which a busy host reads the model's log
    with Session(m) as s, Session(m, timer_ns=2 * MS, ring=1 << 20) as other:
        s.add("imc0", counter=0, event=0)
        other.add("cbo0", counter=0, event=0)
        other.start()
        s.start()
        mark = m.truth_length()
        first = s.read()
        m.wait_until(lambda: len(m.truth("freeze", mark)) > 100, what="100 freezes")
        last = s.read()
        other.stop()
        samples = samples_in(other.drain())
        assert_taken(other, samples)
        freezes = windows_of(m, mark)
    begin, end = first["domains"][0], last["domains"][0]
    samples = [sample for sample in samples if begin["time"] < sample["time"] < end["time"]]
    ours = [s.freeze_of(answer, freezes)["seq"] for answer in (first, last)]
    freezes = [freeze for freeze in freezes if ours[0] < freeze["seq"] < ours[1]]
    assert len(samples) == len(freezes) > 90, (len(samples), len(freezes))
    enabled, running = (end[name] - begin[name] for name in ("time_enabled", "time_running"))
    frozen = [sample["frozen_ns"] for sample in samples]
    assert enabled == end["time"] - begin["time"], (begin, end)
    assert enabled - running == begin["frozen_ns"] + sum(frozen), (begin, end, frozen)

    true = [freeze["until"] - freeze["t"] for freeze in freezes]
    assert all(told >= model for told, model in zip(frozen, true)), (frozen, true)
    assert statistics.median(told / model for told, model in zip(frozen, true)) < 2, (frozen, true)
    offsets = [freeze["t"] - sample["time"] for sample, freeze in zip(samples, freezes)]
    drift = statistics.median(offsets[:len(offsets) // 2]) - \
        statistics.median(offsets[len(offsets) // 2:])
    assert abs(drift) < MS / 5 + enabled / 1000, offsets


def windows_of(m, mark):
    """Return the freezes of die 0 since @mark, from the first box's freeze to the last unfreeze."""
    freezes = [freeze for freeze in freezes_since(m, mark) if freeze["socket"] == 0]
    unfreezes = {line["seq"]: line for line in m.truth("unfreeze", mark) if line["socket"] == 0}
    for freeze in freezes:
        boxes = [box["t"] for box in freeze.get("boxes", ())]
        freeze["t"] = min(boxes, default=freeze["t"])
        unfreeze = unfreezes.get(freeze["seq"], {})
        freeze["until"] = max([box["t"] for box in unfreeze.get("boxes", ())],
                              default=freeze["until"])
    return freezes


# ---- wraps ----

# Rates (increments per second). The driver assumes at most 256 per clock of 5 GHz, with which a
# 44-bit counter wraps in 13.7 s. At FAST it wraps in 14.7 s. At FASTER, which exceeds the limit, a
# 48-bit counter wraps in 1.4 s
FAST, FASTER, LOW_FAST = 1200000000000, 200000000000000, 4900000000
WRAPS = {"rates.cbo.*.*.*.*": FAST, "rates.ubox.*.*.*.*": FAST, "rates.r2pcie.*.*.*.*": FAST,
         "rates.r3qpi.*.*.*.*": FAST, "rates.ha.*.*.0x05.*": FAST,
         "rates.imc.*.*.0x04.*": LOW_FAST,
         "rates.ubox.*.*.fixed": FASTER, "rates.imc.*.*.fixed": FASTER,
         "rates.pcu.*.*.*.*": FASTER, "rates.ha.*.*.0x07.*": FASTER,
         "rates.imc.*.*.0x07.*": FASTER, "rates.irp.*.*.*.*": FASTER,
         "rates.qpi.*.*.*.*": FASTER}
# no clock event, because the driver assumes a lower maximum rate for clock events
PLAIN = {"event": 0x07}


def plain_set(types):
    return [(f"{kind}0", die, ctr, 0, {} if ctr == FIXED else PLAIN)
            for kind in types for ctr in (0, FIXED)
            if ctr == 0 or kind in eventset.WITH_FIXED for die in (0, 1)]


@test("e2-2s", settings=WRAPS, timeout=90)
def watchdog_folds_44_bit_wraps_of_unread_counters(m):
    with Session(m) as s:
        s.add_all([event for event in plain_set(("cbo", "ubox", "r2pcie", "r3qpi"))
                   if event[2] != FIXED])
        s.start()
        # poll the model and do not READ the session
        m.wait_until(lambda: all(s.true_count(event, totals_of(m)) > 2.1 * 2**44
                                 for event in s.events), timeout=60, what="two wraps")
        s.read_exactly()


@test("e2-2s", settings=WRAPS)
def counts_are_exact_over_48_bit_wraps(m):
    """The session uses full reads, because the rates exceed the maximum that the driver assumes."""
    with Session(m, timer_ns=20 * MS, ring=1 << 22, full_reads=True) as s:
        s.add_all(plain_set(("pcu", "ha", "imc", "irp", "qpi", "ubox")))
        mark = m.truth_length()
        s.start()
        wide = [event for event, at in s.events.items() if at.ctr == FIXED or at.box != "ubox0"]
        m.wait_until(lambda: all(s.true_count(event, totals_of(m)) > 2 * 2**48
                                 for event in wide), timeout=40, what="two wraps")
        s.stop()
        assert_equal(s.sample_differences(s.drain(), s.freezes(mark)))


def rates_of(fast, *faster):
    return {f"rates.{kind}.*.*.*.*": rate for kinds, rate in ((faster, FASTER), (fast, FAST))
            for kind in kinds}


# types with 44-bit counters: C-Box, UBox and rings of v1, SBOX and R3QPI of v3
V1_NARROW, V3_NARROW = ("cbo", "ubox", "r2pcie", "r3qpi"), ("sbox", "r3qpi")
V1_WRAPS = rates_of(V1_NARROW, "pcu", "ha", "imc", "qpi")
V3_WRAPS = rates_of(V3_NARROW, "cbo", "ubox", "pcu", "ha", "imc", "irp", "qpi", "r2pcie")


def exact_over_wraps(m, narrow, wide):
    """Check samples while counters wrap at 44 bits (box types @narrow) and 48 bits (@wide)."""
    with Session(m, timer_ns=100 * MS, ring=1 << 22, full_reads=True) as s:
        s.add_all([event for event in plain_set((*narrow, *wide)) if event[2] != FIXED])
        mark = m.truth_length()
        s.start()
        m.wait_until(lambda: all(
            s.true_count(event, totals_of(m)) >
            (1.1 * 2**44 if eventset.type_of(at.box) in narrow else 2 * 2**48)
            for event, at in s.events.items()), timeout=80, what="wraps")
        s.stop()
        assert_equal(s.sample_differences(s.drain(), s.freezes(mark)))


@test("snbep-2s", settings=V1_WRAPS, timeout=120)
def counts_of_v1_are_exact_over_wraps(m):
    exact_over_wraps(m, V1_NARROW, ("pcu", "ha", "imc", "qpi"))


@test("hswep-2s", settings=V3_WRAPS, timeout=120)
def counts_of_v3_are_exact_over_wraps(m):
    exact_over_wraps(m, V3_NARROW, ("cbo", "ubox", "pcu", "ha", "imc", "irp", "qpi", "r2pcie"))


@test("e2-2s", settings=WRAPS)
def low_dword_counts_are_exact_over_32_bit_wraps(m):
    """The low dword of imc wraps in 0.9 s and that of ha in 3.6 ms. A late sample reads 48 bits."""
    with Session(m, timer_ns=1 * MS, ring=1 << 22) as s:
        for die in (0, 1):
            s.add("ha0", die, 0, event=0x05)
            for ctr in range(4):
                s.add("imc1", die, ctr, event=0x04, umask=0x03)
        mark = m.truth_length()
        s.start()
        m.wait_until(lambda: min(s.true_count(event, totals_of(m)) for event in s.events)
                     > 1.5 * 2**32, what="32-bit wraps")
        s.stop()
        status = s.status()
        assert_equal(s.sample_differences(s.drain(), s.freezes(mark)))
    full = 10 * status["samples"]
    assert status["reads"] < 0.8 * full, f"{status}: not low, {full} would be full"


# ---- register accesses ----

@test("e2-2s", settings={"faults.ecam-wrong": "imc1 1:ha0 0:qpi0"})
def boxes_with_wrong_ecam_use_config_cycles(m):
    listed = [json.loads(line) for line in m.sh("ucoretool list -j").splitlines()]
    access = {(box["die"], f"{box['type']}{box['instance']}"): box["access"] for box in listed}
    wrong = [(0, "imc1"), (1, "imc1"), (1, "ha0"), (0, "qpi0")]
    assert {at for at, kind in access.items() if kind == "pci"} == set(wrong), access
    assert access[0, "imc0"] == access[0, "ha0"] == access[1, "qpi0"] == "ecam", access
    with Session(m) as s:
        s.add_all(eventset.full_set(s))
        s.start()
        s.read_exactly()
        accesses = m.oracle("accesses")["sockets"][0]["boxes"]
        assert accesses["imc1"]["cf8_read"] and not accesses["imc1"]["ecam_read"], accesses
        assert accesses["imc0"]["ecam_read"] and not accesses["imc0"]["cf8_read"], accesses


FULL_ACCESSES, LOW_ACCESSES = 298, 198


@test("e2-2s-full")
def read_takes_the_minimum_of_accesses(m):
    with Session(m, full_reads=True) as s:
        s.add_all(eventset.full_set(s))
        s.start()
        made = accesses_of(m, s, "burst 20")
    assert made["all"] == made["reported"] == 20 * FULL_ACCESSES, made
    assert made["port_io"] == made["cf8_read"] == made["msr_fault"] == 0, made
    assert made["wrmsr"] == 20 * 4 and made["ecam_write"] == 0, made    # freeze, unfreeze


# Accesses of a READ on the other platforms: per die one read of each MSR counter, two of each PCI
# counter, and two writes. v1: 15 MSRs, 42 PCI counters, and two writes for each of the 13 boxes
# with a control. v3: 31 and 77. D-1500: 15 and 32, one die. Skylake: 59 and 75
LIMITS = {"snbep-2s": 2 * (15 + 2 * 42 + 2 * 13), "hswep-2s": 2 * (31 + 2 * 77 + 2),
          "bdxde-1s": 15 + 2 * 32 + 2, "skx-2s": 2 * (59 + 2 * 75 + 2)}
# writes of a READ: (to MSRs, to config space)
WRITES = {"snbep-2s": (2 * 2 * 3, 2 * 2 * 10), "hswep-2s": (2 * 2, 0), "bdxde-1s": (2, 0),
          "skx-2s": (2 * 2, 0)}


@test(tuple(LIMITS))
def read_takes_the_minimum_of_accesses_on_all_generations(m):
    with Session(m, full_reads=True) as s:
        s.add_all(eventset.full_set(s))
        s.start()
        made = accesses_of(m, s, "burst 20")
    assert made["all"] == made["reported"] == 20 * LIMITS[m.scenario], made
    assert made["port_io"] == made["cf8_read"] == made["msr_fault"] == 0, made
    assert (made["wrmsr"], made["ecam_write"]) == tuple(20 * n for n in WRITES[m.scenario]), made


@test("e2-2s-full")
def low_dword_read_takes_the_minimum_of_accesses(m):
    """The second of two READs reads low dwords only, unless the host delays it by 1.7 ms."""
    with Session(m) as s:
        def accesses(reads):
            time.sleep(0.01)        # a pause, so that the first READ is always a full read
            return accesses_of(m, s, f"burst {reads}")["all"]

        def second_read_was_low():
            pairs.append(accesses(2))
            return pairs[-1] <= least + LOW_ACCESSES

        s.add_all(eventset.full_set(s))
        s.start()
        least, pairs = min(accesses(1) for _ in range(5)), []
        m.wait_until(second_read_was_low, timeout=30, what="a read of the low dwords only")
        assert LOW_ACCESSES < least < FULL_ACCESSES and pairs[-1] == least + LOW_ACCESSES, \
            (least, pairs)
        s.read_exactly()


@test("e2-2s-full")
def late_low_dword_reads_of_slow_events_stay_low(m):
    """The low dword of clocks and CAS counts cannot wrap in 0.4 s; one READ in 256 is full."""
    low, full = 2 * (2 + 20), 2 * (2 + 40)
    with Session(m) as s:
        s.add_all([(f"imc{i}", die, ctr, 0, {} if ctr == FIXED else {"event": 4, "umask": 3})
                   for die in (0, 1) for i in range(4) for ctr in (0, 1, 2, 3, FIXED)])
        s.start()
        s.command("burst 1")
        # A burst is shorter than the watchdog's period of a second. 16 bursts have two full READs.
        # The first READ of a burst is also full if the host paused for 0.4 s before it, perhaps on
        # one die only.
        bursts = [made_by(m, s, 32, 31 * low + full) for _ in range(16)]
    assert 31 * low + full in bursts, bursts
    assert set(bursts) <= {32 * low, 32 * low + (full - low) // 2, 31 * low + full}, bursts


def made_by(m, s, reads, most):
    """Return the accesses of consecutive READs.

    Repeat if there were more than @most, because the host may have delayed a READ by 0.4 s.
    """
    for _ in range(5):
        made = accesses_of(m, s, f"burst {reads}")["all"]
        if made <= most:
            break
    return made


# kernel functions that call a function on another CPU: name -> the function and the target CPU
CALLS = {"smp_call_function_single": "func=%si:x64 cpu=%di:u32",
         "smp_call_function_many": "func=%si:x64 mask=+0(%di):x64",
         "on_each_cpu_cond_mask": "func=%si:x64 mask=+0(%r8):x64"}
TRACING = "/sys/kernel/tracing"
CALL_LINE = re.compile(r"\[(\d+)\].* \w+: \(.*\) func=(\w+) (cpu|mask)=(\w+)")


@contextlib.contextmanager
def calls_traced(m):
    """Yield a function that returns the number of calls of ucore to other CPUs since the start."""
    m.write(f"{TRACING}/kprobe_events", "\n".join(
        f"p:ucore_calls/{name} {name} {arguments}" for name, arguments in CALLS.items()))
    module = m.sh("grep '^ucore ' /proc/modules").split()
    first = int(module[5], 0)
    ours = range(first, first + int(module[1]))

    def asked():
        found = [(int(cpu), int(func, 0), kind, int(value, 0)) for cpu, func, kind, value in
                 CALL_LINE.findall(m.run(f"cat {TRACING}/trace").out)]
        return sum(bin((1 << who if kind == "cpu" else who) & ~(1 << cpu)).count("1")
                   for cpu, func, kind, who in found if func in ours)
    try:
        m.write(f"{TRACING}/events/ucore_calls/enable", 1)
        m.write(f"{TRACING}/trace", "")
        yield asked
    finally:
        m.run(f"echo 0 > {TRACING}/events/ucore_calls/enable; echo > {TRACING}/kprobe_events")


@test("e2-2s-full")
def read_sends_one_ipi_per_remote_die(m):
    """IPIs are counted by their function, because the kernel sends others."""
    reads = 200
    with Session(m, cpu=0) as s:        # the reader of die 0
        s.add_all(eventset.full_set(s, ("imc", "cbo")))
        s.start()
        with calls_traced(m) as asked:
            s.command(f"burst {reads}")
            assert asked() == reads, asked()


@test("e2-2s", kernels=BOTH)
def timer_sample_sends_no_ipi(m):
    with Session(m, timer_ns=MS, ring=1 << 20) as s:
        s.add_all(eventset.full_set(s, ("imc", "cbo")))
        s.start()
        with calls_traced(m) as asked:
            first = s.status()["samples"]
            m.wait_until(lambda: s.status()["samples"] - first > 500, what="500 samples")
            assert asked() == 0, asked()
            s.read()
            assert asked() > 0, "nothing is traced"
