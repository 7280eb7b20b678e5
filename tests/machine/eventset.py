# SPDX-License-Identifier: GPL-2.0-only
"""Machines without a discovery table: an event for each counter of each box type, with the
rates of the model.

Each event is allowed on its counter. All kinds are covered: clocks, occupancies, the ninth
event bit, filters, bands, matches, threshold, edge, invert.
"""

import csv
import functools

from lab.artifacts import TOP
from lab.qemu import rates
from lab.qemu.platforms import DEFAULT, PLATFORMS
from lab.session import BOX_FREE_RUNNING, FIXED

# For @test: one machine of each generation with two sockets, and the Xeon D as well
E5 = ("e2-2s", "snbep-2s", "hswep-2s", "bdxep-2s")
GENERATIONS = (*E5, "skx-2s")
MACHINES = (*GENERATIONS, "bdxde-1s")
# v4 features that equal those of v3 are tested on v3 only
UNLIKE = ("e2-2s", "snbep-2s", "hswep-2s")

# Box type -> counter -> fields, for v2; the other platforms are defined by their differences
IVBEP = {
    "cbo": {0: {"event": 0x36, "umask": 0x08},
            1: {"event": 0x35, "umask": 0x03, "filter_opc": 0x182},
            2: {"event": 0x1b, "umask": 0x0f},
            3: {"event": 0x00, "umask": 0x00}},
    "ubox": {0: {"event": 0x42, "umask": 0x08},
             1: {"event": 0x41, "umask": 0x00},
             FIXED: {}},
    "pcu": {0: {"event": 0x160},
            1: {"event": 0x80, "occ_sel": 2, "thresh": 3},
            2: {"event": 0x0c, "band1": 20},
            3: {"event": 0x00}},
    "ha": {0: {"event": 0x00},
           1: {"event": 0x01, "umask": 0x03},
           2: {"event": 0x20, "umask": 0x03, "addr_match": 0x12345678940, "opc_match": 0x2a},
           3: {"event": 0x1a, "umask": 0x0f, "thresh": 1, "edge": 1}},
    "imc": {0: {"event": 0x04, "umask": 0x03},
            1: {"event": 0x04, "umask": 0x0c},
            2: {"event": 0x80, "thresh": 8},
            3: {"event": 0x00},
            FIXED: {}},
    "irp": {0: {"event": 0x00}, 1: {"event": 0x0b, "umask": 0x01},
            2: {"event": 0x13, "umask": 0x02}, 3: {"event": 0x16, "umask": 0x01}},
    "qpi": {0: {"event": 0x14},
            1: {"event": 0x102, "umask": 0x08},
            2: {"event": 0x38, "match0": 0x1e00, "mask0": 0x1f80},
            3: {"event": 0x0b, "thresh": 100}},
    "r2pcie": {0: {"event": 0x12, "umask": 0x01}, 1: {"event": 0x33, "umask": 0x08},
               2: {"event": 0x01}, 3: {"event": 0x07, "umask": 0x0f}},
    "r3qpi": {0: {"event": 0x13, "umask": 0x01}, 1: {"event": 0x25, "umask": 0x02},
              2: {"event": 0x01}},
}


def but(events, *absent, **changed):
    """Return @events without the box types in @absent and with the events in @changed."""
    return {**{kind: of for kind, of in events.items() if kind not in absent},
            **{kind: {**events.get(kind, {}), **of} for kind, of in changed.items()}}


# Events with invert: cycles in which the value is below the threshold
INVERTED = {"imc": {2: {"event": 0x80, "thresh": 8, "invert": 1}},
            "r2pcie": {3: {"event": 0x07, "umask": 0x0f, "thresh": 1, "invert": 1}}}
SNBEP = but(IVBEP, "irp", **INVERTED, pcu={3: {"event": 0x05, "thresh": 1, "invert": 1}})
# Differences of v4: counter 2 of R3QPI has no clock event; events have nine bits
BDXEP = but(IVBEP, **INVERTED,
            cbo={2: {"event": 0x34, "umask": 0x11, "filter_state": 0x51}},
            ubox={1: {"event": 0x41, "filter_cid": 0x15, "filter_tid": 1}},
            irp={3: {"event": 0x16, "umask": 0x01, "thresh": 1, "invert": 1}},
            r3qpi={2: {"event": 0x107, "umask": 0x01}},
            sbox={0: {"event": 0x00}, 1: {"event": 0x1b, "umask": 0x03},
                  2: {"event": 0x13, "umask": 0x3f, "thresh": 1, "invert": 1},
                  3: {"event": 0x11, "umask": 0x0f, "thresh": 1, "edge": 1}})
# The third QPI port of v3 has no documented filter registers
HSWEP = {**BDXEP, "qpi2": {**BDXEP["qpi"], 2: {"event": 0x0a}}}

# data reads of any memory; a TOR event needs the target memory and the request type
DATA_READS = {"filter_rem": 1, "filter_loc": 1, "filter_nm": 1, "filter_not_nm": 1,
              "filter_opc_0": 0x202}
SKX = {
    "cha": {0: {"event": 0x36, "umask": 0x21, "thresh": 3, **DATA_READS},
            1: {"event": 0x35, "umask": 0x11, **DATA_READS},
            2: {"event": 0x34, "umask": 0x11, "filter_state": 0x3f1},
            3: {"event": 0x00}},
    "iio": {0: {"event": 0x83, "umask": 0x04, "ch_mask": 0x0f, "fc_mask": 7},
            1: {"event": 0x01},
            2: {"event": 0xc0, "umask": 0x01, "ch_mask": 0x81, "fc_mask": 4, "thresh": 1,
                "edge": 1},
            3: {"event": 0xd5, "umask": 0x01, "ch_mask": 0x01}},
    "irp": {0: {"event": 0x01}, 1: {"event": 0x18, "umask": 0x10, "thresh": 1, "invert": 1}},
    "ubox": {0: {"event": 0x42, "umask": 0x08}, 1: {"event": 0x45, "umask": 0x01}, FIXED: {}},
    "pcu": {0: {"event": 0x60}, 1: {"event": 0x80, "occ_sel": 2, "thresh": 3},
            2: {"event": 0x0c, "band1": 20}, 3: {"event": 0x00}},
    "imc": {**IVBEP["imc"], **INVERTED["imc"]},
    "m2m": {0: {"event": 0x00}, 1: {"event": 0x24, "umask": 0x01},
            2: {"event": 0x37, "umask": 0x08, "thresh": 1, "edge": 1},
            3: {"event": 0x38, "umask": 0x02}},
    "upi": {0: {"event": 0x01}, 1: {"event": 0x02, "umask": 0x0f},
            2: {"event": 0x05, "umask": 0x0e, "umask_ext": 0x8a2001},
            3: {"event": 0x02, "umask": 0x97, "umask_ext": 0x01, "thresh": 1, "invert": 1}},
    "m3upi": {0: {"event": 0x1c, "umask": 0x01}, 1: {"event": 0x01},
              2: {"event": 0x40, "umask": 0x02}},
    "m2pcie": {0: {"event": 0x23, "umask": 0x01}, 1: {"event": 0x33, "umask": 0x08},
               2: {"event": 0x01}, 3: {"event": 0x07, "umask": 0x0f, "thresh": 1, "edge": 1}},
}

# Differences of Ice Lake: the umask extension replaces the filters; a stack has more channels
ICX = but(SKX,
          cha={0: {"event": 0x36, "umask": 0x01, "umask_ext": 0xc001ff, "thresh": 3},
               1: {"event": 0x35, "umask": 0x01, "umask_ext": 0x3c8277f},
               2: {"event": 0x50, "umask": 0x03, "tid_en": 1, "filter_tid": 0x305}},
          iio={0: {"event": 0x83, "umask": 0x04, "ch_mask": 0xf01, "fc_mask": 7},
               2: {"event": 0xc0, "umask": 0x01, "ch_mask": 0x881, "fc_mask": 4, "thresh": 1,
                   "edge": 1}},
          imc={0: {"event": 0x04, "umask": 0x0f}, 1: {"event": 0x04, "umask": 0x30}},
          m2m={1: {"event": 0x24, "umask": 0x01, "umask_ext": 0x9d}},
          upi={2: {"event": 0x05, "umask": 0x0e, "umask_ext": 0x8a3001}},
          m3upi={3: {"event": 0x4d, "umask": 0x02, "thresh": 1, "invert": 1}},
          m2pcie={1: {"event": 0x14, "umask": 0x08}})
# Differences of Snow Ridge: no UPI links, but a root port
SNR = but(ICX, "upi", "m3upi",
          ubox={1: {"event": 0x45, "umask": 0x01, "thresh": 1, "edge": 1}},
          pcie3={0: {"event": 0x01},
                 1: {"event": 0x83, "umask": 0x04, "ch_mask": 0x0f, "fc_mask": 7},
                 2: {"event": 0xc0, "umask": 0x01, "ch_mask": 0x81, "thresh": 1, "edge": 1},
                 3: {"event": 0xd5, "umask": 0x01, "fc_mask": 4}})

# Client processors. The only counter of Ice Lake's ARB takes no occupancy.
CLIENT = {
    "cbo": {0: {"event": 0x34, "umask": 0x8f},
            1: {"event": 0x22, "umask": 0x41, "thresh": 1, "edge": 1}},
    "arb": {0: {"event": 0x80, "umask": 0x01, "thresh": 5},
            1: {"event": 0x81, "umask": 0x01, "thresh": 1, "invert": 1}},
    "clock": {FIXED: {}},
}
ICL = {**CLIENT, "arb": {0: {"event": 0x81, "umask": 0x01}}}
# No freeze but their own stops the memory controllers.
CLIENT_IMC = {0: {"event": 0x01}, 1: {"event": 0x02, "ch_mask": 3}, 2: {"event": 0x03},
              3: {"event": 0x05}, 4: {"event": 0x22, "ch_mask": 1}}
MTL = {**CLIENT, "sncu": {FIXED: {}},
       "hac_arb": {0: {"event": 0x81, "umask": 0x01, "thresh": 0x3f, "invert": 1},
                   1: {"event": 0x8a, "umask": 0x02, "thresh": 1, "edge": 1}},
       "hac_cbo": {0: {"event": 0x35, "umask": 0x08}, 1: {"event": 0x35, "umask": 0x01}}}
UNIT = {0: {"event": 0x21, "umask": 0x01}, 1: {"event": 0x22, "umask": 0x03, "thresh": 1, "edge": 1}}
PTL = {"cbo": CLIENT["cbo"], "clock": CLIENT["clock"],
       "santa": {0: {"event": 0x81, "umask": 0x01}, 1: {"event": 0x80, "umask": 0x02}},
       "ia_core_bridge": {0: {"event": 0x10, "umask": 0x01, "thresh": 1, "invert": 1},
                          1: {"event": 0x11}},
       "imc": {0: {"event": 0x01}, 1: {"event": 0x22}, 2: {"event": 0x23},
               3: {"event": 0x13, "thresh": 1, "invert": 1}, 4: {"event": 0x02, "umask": 0x01}},
       "sncu": UNIT,
       "hbo": {**UNIT, 2: {"event": 0x35, "umask": 0x08},
               3: {"event": 0x36, "umask": 0x0f, "thresh": 1, "invert": 1}}}

NHM = {
    "uncore": {0: {"event": 0x09, "umask": 0x03}, 1: {"event": 0x08, "umask": 0x03},
               2: {"event": 0x03, "umask": 0x01, "thresh": 1, "edge": 1},
               3: {"event": 0x2c, "umask": 0x07}, 4: {"event": 0x2f, "umask": 0x07},
               5: {"event": 0x40, "umask": 0x07, "thresh": 1, "invert": 1},
               6: {"event": 0x05, "umask": 0x04}, 7: {"event": 0x60, "umask": 0x01}},
    "clock": {FIXED: {}},
}

# Platform -> box type, or box -> counter -> fields
EVENTS = {"ivbep": IVBEP, "snbep": SNBEP, "hswep": HSWEP, "bdxep": BDXEP,
          "bdxde": but(BDXEP, "sbox", "qpi", "r3qpi"), "skx": SKX, "clx": SKX, "cpx": SKX,
          "icx": ICX, "snr": SNR, "snb": CLIENT, "hsw": CLIENT, "skl": CLIENT, "icl": ICL,
          "tgl": CLIENT, "adl": {**CLIENT, "imc": CLIENT_IMC},
          "mtl": {**MTL, "imc": CLIENT_IMC}, "lnl": {**CLIENT, "imc": CLIENT_IMC},
          "ptl": PTL, "nhm": NHM, "wsm": NHM}
WITH_FIXED = ("ubox", "imc")
ENDING_IN_DIGITS = ("pciex16", "pciex8", "pcie3", "pcie4", "pcie6")
COUNTERS_OF = {"e2-2s": 130, "e2-2s-full": 194, "snbep-2s": 114, "hswep-1s": 69,
               "hswep-2s": 216, "bdxep-1s": 61, "bdxep-2s": 216, "bdxde-1s": 47,
               "skx-1s": 61, "skx-2s": 268, "clx-1s": 51, "cpx-1s": 76,
               "icx-1s": 75, "icx-2s": 366, "icxd-1s": 159, "snr-1s": 99,
               "snb-1s": 11, "hsw-1s": 7, "skl-1s": 11, "cml-1s": 23, "icl-1s": 10, "tgl-1s": 11,
               "adl-1s": 23, "mtl-1s": 32, "lnl-1s": 22, "ptl-1s": 40, "nhm-2s": 18}


def type_of(box):
    for kind in ENDING_IN_DIGITS:
        if box.startswith(kind):
            return kind
    return box.rstrip("0123456789")


def instance_of(box):
    return int(box[len(type_of(box)):])


def boxes_of(session):
    """Return (die, name) of every box that has a countable event, by die."""
    return sorted(at for at, caps in session.caps.items() if not caps & BOX_FREE_RUNNING)


def events_of(box, platform=DEFAULT):
    """Return counter -> event fields of a box."""
    return EVENTS[platform].get(box) or EVENTS[platform][type_of(box)]


def full_set(session, types=None):
    """Return an event on every counter of every box, for add_all()."""
    return [(box, die, ctr, 0, fields)
            for die, box in boxes_of(session) if types is None or type_of(box) in types
            for ctr, fields in events_of(box, session.platform).items()]


def rate_of(box, die, ctr, fields, platform=DEFAULT):
    """Return the rate of an event on a box by the model's documentation: counts per second."""
    kind = type_of(box)
    if ctr == FIXED:
        return rates.rate(kind, instance_of(box), die, fixed=True, platform=platform)
    f = dict(fields)
    if PLATFORMS[platform].discovery:
        return rates.rate(kind, instance_of(box), die, platform=platform, **f)
    client = PLATFORMS[platform].client
    umask = f.get("occ_sel", 0) << 6 if kind == "pcu" else \
        f.get("ch_mask", f.get("umask", 0)) if client else f.get("umask", 0)
    filters = {} if client else _filters(kind, f)
    return rates.rate(kind, instance_of(box), die, f["event"], umask, thresh=f.get("thresh", 0),
                      edge=bool(f.get("edge")), invert=bool(f.get("invert")),
                      platform=platform, **filters)


def period_for(box, die, ctr, fields, hz, platform=DEFAULT):
    """Return the period (counts) with which a counter overflows @hz times per second."""
    return rate_of(box, die, ctr, fields, platform) // hz


def table(name):
    """Return the lines of a table of tools/events as dicts: "snb", "map/units"."""
    lines = (TOP / f"tools/events/{name}.csv").read_text().splitlines()
    return list(csv.DictReader(line for line in lines if line and not line.startswith("#")))


@functools.cache
def units():
    """Return Intel's unit -> the lines of map/units.csv for it, in their order."""
    found = {}
    for row in table("map/units"):
        found.setdefault(row["Unit"], []).append(row)
    return found


def unit_of(row):
    """Return the line of map/units.csv for a line of an event table: of several lines of one unit,
    the first whose prefix begins the event's name."""
    lines = units()[row["Unit"]]
    return next((line for line in lines if row["EventName"].startswith(line["Prefix"])), lines[0])


# Names of the second CHA filter in Intel's tables of Skylake-SP and later. An event without an
# opcode counts all opcodes of any memory
FILTER1 = ("CHAFilter1[31:0]", "CHAfilter1", "Filter1")
ANY_OPCODE = 0x3b
FILTER1_FIELDS = {"rem": (0, 1), "loc": (1, 1), "all_op": (3, 1), "nm": (4, 1), "not_nm": (5, 1),
                  "opc_0": (9, 0x3ff), "opc_1": (19, 0x3ff)}


def filter1_of(row):
    """Return the fields of the second CHA filter that a line of an event table sets."""
    if row.get("Filter") not in FILTER1:
        return {}
    word = int(row.get("FILTER_VALUE") or "0", 0) or ANY_OPCODE
    return {f"filter_{name}": word >> shift & mask
            for name, (shift, mask) in FILTER1_FIELDS.items()}


def _filters(kind, f):
    """Convert the filter fields of an event to arguments of rates.rate()."""
    def get(name):
        return f.get(name, 0)
    if kind == "cbo":
        return {"state": get("filter_state"), "link": get("filter_link"),
                "nid": get("filter_nid"), "tid": get("filter_tid") if get("tid_en") else None,
                "opc": get("filter_opc") | get("filter_c6") << 9 | get("filter_nc") << 10 |
                get("filter_isoc") << 11}
    if kind == "cha":
        return {"state": get("filter_state"), "link": get("filter_link"),
                "tid": get("filter_tid") if get("tid_en") else None,
                "umask_ext": get("umask_ext"),
                **{name: get(f"filter_{name}") for name in (
                    "rem", "loc", "all_op", "nm", "not_nm", "opc_0", "opc_1", "nc", "isoc")}}
    if kind in ("iio", "pcie3"):
        return {"ch_mask": get("ch_mask"), "fc_mask": get("fc_mask")}
    if kind in ("upi", "m2m"):
        return {"umask_ext": get("umask_ext")}
    if kind == "ubox":
        return {"tid": get("filter_cid") << 1 | get("filter_tid")}
    if kind == "pcu":
        return {"bands": [get(f"band{i}") for i in range(4)],
                "occ_invert": bool(get("occ_invert")), "occ_edge": bool(get("occ_edge"))}
    if kind == "ha":
        return {"address": get("addr_match"), "opcode": get("opc_match")}
    if kind == "qpi":
        return {"match": (get("match0"), get("match1")), "mask": (get("mask0"), get("mask1"))}
    return {}
