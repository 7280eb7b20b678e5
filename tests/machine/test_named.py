# SPDX-License-Identifier: GPL-2.0-only
"""Each event of each list is counted by name and compared with its rate: platforms with a
discovery table, and client processors.

An event that is equal in two lists is counted on one platform. For the other platforms see
test_skx.py, test_icx.py and, for E5-2600, test_counting.py.

The expected fields are from tools/events, as the library's are. check/test_intel_events.py and
check/test_linux_events.py compare these tables with Intel's and Linux's files.
"""

from lab.framework import test
from lab.qemu import args
from machine import eventset, free_running
from machine.packages import count_named
from machine.test_skx import key_of

# boxes whose type is undocumented, so that no machine has them
NO_BOX = ("CHACMS",)
# Where the driver allows fewer counters than the list (check/test_constraints.py)
FEWER = {("gnr", "iio", 0x88): {2, 3}, ("srf", "iio", 0x88): {2, 3}, ("cwf", "iio", 0x88): {2, 3},
         ("snb", "arb", 0x80): {0}}
GENERAL, FIXED, FREERUN = "general", "fixed", "free-running"


def counter_of(row):
    if row.get("CounterType") == "FREERUN":
        return FREERUN
    return FIXED if row["Counter"] == "FIXED" else GENERAL


def lines(platform, known=()):
    """Return the lines of a list whose boxes exist, without those that are in other lists."""
    counted = {key_of(row) for other in known for row in eventset.table(other)}
    return [row for row in eventset.table(platform)
            if row["Unit"] not in NO_BOX and key_of(row) not in counted]


def fields_of(row, kind):
    """Return the fields that the name sets, from Intel's columns."""
    def number(name):
        return int(row.get(name) or "0", 0)
    fields = {"event": number("EventCode"), "umask": number("UMask"),
              "thresh": number("CounterMask")}
    ext = number("UMaskExt")
    if kind == "iio":   # some lines have the masks only in this column
        fields |= {"ch_mask": number("PortMask") | ext >> 4 & 0xfff,
                   "fc_mask": number("FCMask") | ext >> 16 & 7}
    else:
        fields["umask_ext"] = ext
    return {name: value for name, value in fields.items() if value or name == "event"}


def named(platform, rows):
    """Yield (type, name, fields, counters) of each event in @rows."""
    for row in rows:
        unit = eventset.unit_of(row)
        kind = unit["Type"]
        fields, counters = fields_of(row, kind), set(map(int, row["Counter"].split(",")))
        yield (kind, row["EventName"].removeprefix(unit["Prefix"]), fields,
               FEWER.get((platform, kind, fields["event"]), counters))


def count_all(m, known=()):
    """Count all events of the platform's list by name; return the number of counted rows."""
    platform = args.Scenario(m.scenario).platform
    rows = lines(platform, known)
    counted = count_named(m, named(platform, (row for row in rows if counter_of(row) == GENERAL)))
    others = [row["EventName"] for row in rows if counter_of(row) != GENERAL]
    if others:
        free_running.named_match_the_model(m, others)
    return counted + len(others)


@test("spr-2s", settings={"boxes.mchbm": "2"}, timeout=300)
def named_events_of_sapphire_rapids_count(m):
    assert count_all(m) == len(eventset.table("spr")) == 2282


@test("emr-1s", timeout=120)
def additional_events_of_emerald_rapids_count(m):
    assert count_all(m, ("spr",)) == 22


@test("gnr-2s", timeout=180)
def named_events_of_granite_rapids_count(m):
    assert count_all(m) == len(eventset.table("gnr")) - 3 == 845


@test("srf-1s", timeout=180)
def named_events_of_sierra_forest_count(m):
    assert count_all(m) == len(eventset.table("srf")) - 3 == 773


@test("grr-1s", timeout=120)
def named_events_of_grand_ridge_count(m):
    assert count_all(m) == len(eventset.table("grr")) - 2 == 438


@test("cwf-1s", timeout=180)
def named_events_of_clearwater_forest_count(m):
    assert count_all(m) == len(eventset.table("cwf")) - 3 == 773


@test(("snb-1s", "hsw-1s", "skl-1s", "icl-1s", "tgl-1s", "adl-1s", "mtl-1s", "lnl-1s",
       "ptl-1s"), timeout=120)
def named_events_of_client_processors_count(m):
    platform = args.Scenario(m.scenario).platform
    number = {"snb": 39, "hsw": 37, "skl": 28, "icl": 8, "tgl": 15, "adl": 36,
              "mtl": 25, "lnl": 30, "ptl": 31}[platform]
    assert count_all(m) == len(eventset.table(platform)) == number


@test("nhm-2s", timeout=120)
def named_events_of_nehalem_count(m):
    assert count_all(m) == len(eventset.table("nhm")) == 176


@test("wsm-1s", timeout=120)
def additional_events_of_westmere_count(m):
    assert count_all(m, ("nhm",)) == 42
