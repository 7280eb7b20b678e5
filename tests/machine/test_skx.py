# SPDX-License-Identifier: GPL-2.0-only
"""Skylake-SP to Cooper Lake: features that no earlier generation has.

Counting, cost of reads, overflows and interrupts are in test_counting.py and other files, which
also run on skx-1s and skx-2s.
"""

import errno
import json

from lab.framework import test
from lab.qemu import args
from lab.session import BOX_FREE_RUNNING, FIXED, Session, interrupting, refused
from machine import eventset, free_running
from machine.eventset import type_of
from machine.packages import count_named

# ---- which boxes ----

# box type -> (general counters, fixed counters, access)
TYPES = {"cha": (4, 0, "msr"), "iio": (4, 0, "msr"), "iio_free": (0, 17, "msr"),
         "irp": (2, 0, "msr"), "ubox": (2, 1, "msr"), "pcu": (4, 0, "msr"),
         "imc": (4, 1, "ecam"), "m2m": (4, 0, "ecam"), "upi": (4, 0, "ecam"),
         "m3upi": (3, 0, "ecam"), "m2pcie": (4, 0, "ecam")}
# scenario -> box type -> number of boxes on all dies
BOXES = {
    "skx-2s": {"cha": 8, "iio": 12, "iio_free": 12, "irp": 12, "ubox": 2, "pcu": 2, "imc": 12,
               "m2m": 4, "upi": 6, "m3upi": 6, "m2pcie": 8},
    "cpx-1s": {"cha": 2, "iio": 1, "iio_free": 1, "irp": 1, "ubox": 1, "pcu": 1, "imc": 1,
               "m2m": 1, "upi": 6, "m3upi": 6, "m2pcie": 1},
}


def info_of(m):
    return json.loads(m.run("ucoretool info -j", check=False).out)


def assert_boxes(m, wanted, types, free_width):
    """Compare the boxes; wanted: type -> boxes; types: type -> counters, fixed counters, access."""
    assert info_of(m)["platform"] == args.Scenario(m.scenario).platform, info_of(m)
    counted = {}
    for box in map(json.loads, m.sh("ucoretool list -j").splitlines()):
        counters, fixed, access = types[box["type"]]
        counted[box["type"]] = counted.get(box["type"], 0) + 1
        assert (box["counters"], box["fixed"], box["access"]) == (counters, fixed, access), box
        assert box["width"] == (48 if counters else 0), box
        assert not fixed or box["fixed_width"] == (48 if counters else free_width), box
    assert counted == wanted, counted


@test("skx-2s")
def boxes_match_the_model(m):
    assert_boxes(m, BOXES["skx-2s"], TYPES, 36)
    assert "may hide" not in m.dmesg(), m.dmesg()[-2000:]


@test("cpx-1s")
def cooper_lake_has_six_links(m):
    assert_boxes(m, BOXES["cpx-1s"], TYPES, 36)
    count_exactly(m)


@test(("skx-1s", "clx-1s"))
def every_counter_of_one_socket_counts_exactly(m):
    count_exactly(m)


def count_exactly(m, counters=None):
    """Count on all counters of the machine, and compare with the model."""
    with Session(m) as s:
        s.add_all(eventset.full_set(s))
        assert len(s.events) == (counters or eventset.COUNTERS_OF[m.scenario]), len(s.events)
        s.start()
        for _ in range(2):
            s.read_exactly()
        s.stop_exactly()


@test("skx-2s", cmdline="numa=fake=9")
def boxes_on_buses_without_a_node_are_on_their_dies(m):
    """With more than eight nodes, the UBox gives the die of a bus whose node is unknown."""
    assert len(m.sh("ls -d /sys/devices/system/node/node*").split()) == 9
    assert m.sh("cat /sys/class/pci_bus/0000:ff/cpulistaffinity") == "0-3"
    count_exactly(m)


def chas(m):
    with Session(m) as s:
        return sorted(box for _, box in s.ids if type_of(box) == "cha")


# GLOBAL_CONFIG reports six CHAs, and all respond, but the fuses enable only three
@test("skx-1s", settings={"boxes.cha": "6", "boxes.fuses": "0x8000401", "boxes.global-config": "6"})
def fuses_limit_the_number_of_chas(m):
    assert chas(m) == ["cha0", "cha1", "cha2"], chas(m)
    assert "3 CHAs by the fuses, 6 by the register" in m.dmesg(), m.dmesg()[-2000:]


@test("skx-1s", settings={"faults.hide": "caps", "boxes.cha": "6", "boxes.global-config": "4"})
def register_limits_the_chas_when_fuses_are_hidden(m):
    assert chas(m) == [f"cha{i}" for i in range(4)], chas(m)


@test("skx-1s", settings={"faults.hide": "caps", "boxes.cha": "6", "boxes.global-config": "0"})
def chas_of_unknown_number_must_respond(m):
    assert chas(m) == [f"cha{i}" for i in range(6)], chas(m)


@test("skx-2s",
      settings={"faults.hide": "m2pcie0 m2pcie1 m2pcie2 m2pcie3 0:imc3 1:upi1"})
def hidden_boxes_are_reported(m):
    """Functions with a shared device id are not mistaken for each other."""
    message = "a BIOS option may hide boxes: m2pcie; die 0: imc (5 of 6); die 1: upi (2 of 3)"
    assert message in m.dmesg(), m.dmesg()[-2000:]
    with Session(m) as s:
        found = {at for at in s.ids if type_of(at[1]) in ("imc", "upi", "m2pcie")}
    assert found == {*((die, f"imc{i}") for die in (0, 1) for i in range(6) if (die, i) != (0, 3)),
                     (0, "upi0"), (0, "upi1"), (0, "upi2"), (1, "upi0"), (1, "upi2")}, found


# the map's functions are on a bus above that of the UBox; without them the single socket is
# assumed
@test("skx-1s", settings={"faults.hide": "map"})
def single_socket_needs_no_bus_map(m):
    count_exactly(m)


# ---- fields ----

@test("skx-2s")
def fields_absent_in_a_box_are_refused(m):
    with Session(m) as s:
        for box, field in (("imc0", "umask_ext"), ("m2m0", "umask_ext"), ("cha0", "ch_mask"), ("cha0", "filter_opc"), ("pcu0", "umask")):
            with refused(errno.EINVAL):     # GET_FIELDS does not list the field
                s.add(box, event=1, **{field: 1})
        for box, field, value in (("upi0", "umask_ext", 0x1000), ("iio0", "ch_mask", 0x100),
                                  ("iio0", "thresh", 0x1000), ("ubox0", "thresh", 0x20),
                                  ("cha0", "filter_tid", 0x200), ("pcu0", "event", 0x100)):
            with refused(errno.ERANGE):
                s.add(box, event=1 if field != "event" else value,
                      **({field: value} if field != "event" else {}))


@test(("skx-2s", "icx-1s"))
def inverted_threshold_of_ubox_counts_other_cycles(m):
    """Edge detection makes the rate of a threshold 1; inverted, it is that of all other cycles."""
    fields = {"event": 0x42, "umask": 0x08, "thresh": 1}
    with Session(m) as s:
        s.add("ubox0", 0, 0, **fields)
        s.add("ubox0", 0, 1, invert=1, **fields)
        s.start()
        s.read_exactly()
        counts = [value["count"] for value in s.read_exactly()["values"]]
    assert all(counts) and counts[0] != counts[1], counts


@test("skx-2s")
def tor_events_with_conflicting_filter_are_refused(m):
    tor = {"event": 0x35, "umask": 0x21, "filter_loc": 1, "filter_nm": 1}
    with Session(m) as s:
        s.add("cha0", **tor, filter_opc_0=0x202)
        s.add("cha0", **tor, filter_opc_1=0x259)
        for fields in ({"filter_opc_0": 0x201}, {"filter_opc_1": 0x258}):
            with refused(errno.EADDRINUSE):
                s.add("cha0", **tor, **fields)
        s.add("cha1", **tor, filter_opc_0=0x201)
        s.start()
        s.read_exactly()


# ---- free-running counters ----

def free_boxes(session):
    return [at for at, caps in session.caps.items() if caps & BOX_FREE_RUNNING]


@test("skx-2s")
def free_running_counters_match_the_stacks(m):
    of_stack = free_running.of_stack(4, "in", "out", "util_in", "util_out")
    free_running.match_the_model(m, {"iio_free": of_stack}, 12 * 17, {"event": 0})


# ---- names ----

# events for which the driver has fewer counters than the list, and that the model does not
# count
SPECIAL = {("ubox", 0x00)}
# boxes with an extended umask
EXTENDED = {"skx": ("upi",), "clx": ("upi",), "icx": ("cha", "m2m", "upi"), "snr": ("cha", "m2m")}


def fields_of(row, kind, platform):
    """Return the fields that an event name sets, from Intel's columns."""
    def number(name):
        return int(row[name] or "0", 0)
    fields = {"event": number("EventCode"), "umask": number("UMask")}
    if kind == "pcu":
        fields["occ_sel"] = fields.pop("umask") >> 6
    if kind in EXTENDED[platform]:
        fields["umask_ext"] = number("UMaskExt")
    if kind == "iio":
        fields |= {"ch_mask": number("PortMask"), "fc_mask": number("FCMask")}
    if row["Filter"] == "CHAFilter0[26:17]":
        fields["filter_state"] = 0x3ff
    if row["Filter"] == "CHAFilter0[12:0]":
        fields["filter_link"] = 1       # required by the label
    fields |= eventset.filter1_of(row)
    return {name: value for name, value in fields.items() if value or name == "event"}


def key_of(row):
    return row["EventName"], row["EventCode"], row["UMask"], row.get("UMaskExt")


def named_events(platform, known=frozenset()):
    """Yield (type, name, fields, counters) of each general event whose key is not in @known."""
    for row in eventset.table(platform):
        unit = eventset.unit_of(row)
        kind = unit["Type"]
        if row["Counter"] == "FIXED" or row["CounterType"] == "FREERUN" or \
                key_of(row) in known:
            continue
        fields = fields_of(row, kind, platform)
        if (kind, fields["event"]) in SPECIAL:
            continue
        name = row["EventName"].removeprefix(unit["Prefix"])
        more = ",filter_link=1" if "filter_link" in fields else ""
        yield kind, name + more, fields, set(map(int, row["Counter"].split(",")))


@test("skx-2s", timeout=240)
def every_named_event_counts_at_its_documented_rate(m):
    assert count_named(m, named_events("skx")) == 3308 - 2


@test("clx-1s", timeout=240)
def additional_events_of_cascade_lake_count(m):
    known = set(map(key_of, eventset.table("skx")))
    assert count_named(m, named_events("clx", known)) > 100


@test("skx-2s")
def free_running_and_fixed_counters_have_names(m):
    names = ("iio_free/IOCLK/", "iio_free/BW_IN.PORT2/", "UNC_IIO_BW_OUT.PORT1",
             "UNC_IIO_UTIL_IN.PORT0", "UNC_IIO_UTIL_OUT.PORT3", "UNC_M_CLOCKTICKS_F",
             "UNC_U_CLOCKTICKS")
    free_running.named_match_the_model(m, names)


# ---- overflow ----

@test("skx-2s")
def period_of_free_running_counter_is_refused(m):
    with Session(m) as s:
        die, box = free_boxes(s)[0]
        with refused(errno.EOPNOTSUPP):
            s.command(f"add {s.ids[die, box]} {1 << 32} {interrupting(1000000)}")
        with refused(errno.ERANGE):
            s.add("imc0", 0, FIXED, 1 << 48)
