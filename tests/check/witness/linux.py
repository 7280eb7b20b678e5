# SPDX-License-Identifier: GPL-2.0-only
"""Linux's files of uncore events, tools/perf/pmu-events of Debian's kernel source.

Linux's files are made from Intel's by another program. A value is what perf writes to the control:
perf joins the terms of an event with OR.
"""

import functools
import json
import re

from check.witness.tables import Event
from lab import kernels

# our platform -> folder of Linux. 6.12 has no files of Clearwater Forest and Arrow Lake, and none of
# Lunar Lake's uncore.
FOLDERS = {"snbep": "jaketown", "ivbep": "ivytown", "hswep": "haswellx", "bdxep": "broadwellx",
           "bdxde": "broadwellde", "skx": "skylakex", "clx": "cascadelakex", "cpx": "cascadelakex",
           "icx": "icelakex", "snr": "snowridgex", "spr": "sapphirerapids",
           "emr": "emeraldrapids", "gnr": "graniterapids", "srf": "sierraforest",
           "grr": "grandridge", "snb": "sandybridge", "ivb": "ivybridge", "hsw": "haswell",
           "bdw": "broadwell", "skl": "skylake", "icl": "icelake", "rkl": "rocketlake",
           "tgl": "tigerlake", "adl": "alderlake", "mtl": "meteorlake"}
# Linux's unit -> our type, where the lower-case name differs. The clock of client processors is a
# fixed counter, for which Linux has three names.
UNITS = {"CBOX": "cbo", "iMC": "imc", "IMC": "imc", "M2PCIe": "m2pcie", "M2HBM": "m2m",
         "imc_free_running": "imc_free", "iio_free_running": "iio_free", "cbox_0": "clock",
         "imc_free_running_0": "imc_free", "imc_free_running_1": "imc_free"}
CLOCK = "UNC_CLOCK.SOCKET"
# The event code of all fixed and free-running counters
FIXED = 0xff
# Free-running counters: Linux's umask has the kind in bits 7:4 and the number in bits 3:0. Our
# number is the first of the kind plus the number. The memory clock follows four traffic counters, on
# Snow Ridge two.
FREE = {"iio_free": {1: 0, 2: 1, 3: 9}, "imc_free": {1: 4}}
FREE_OF_SNR = {**FREE, "imc_free": {1: 2}}
# Client processors: total, reads and writes. Ours are the reads, the writes and the total.
FREE_OF_CLIENT = {"imc_free": {1: 2, 2: 0, 3: 1}}
FREE_OF = {"snr": FREE_OF_SNR, "tgl": FREE_OF_CLIENT, "adl": FREE_OF_CLIENT,
           "mtl": FREE_OF_CLIENT}


def root():
    return kernels.unpacked_source()


@functools.cache
def filter_bits():
    """Return filter field -> (lowest bit, number of bits) of config1, for Skylake's CHA."""
    source = (root() / "arch/x86/events/intel/uncore_snbep.c").read_text()
    found = {}
    for name, low, high in re.findall(r'FORMAT_ATTR\((filter_\w+), filter_\w+, '
                                      r'"config1:(\d+)(?:-(\d+))?"\)', source):
        found[name] = int(low), int(high or low) - int(low) + 1
    return {name: found[name] for name in ("filter_rem", "filter_loc", "filter_all_op", "filter_nm",
                                           "filter_not_nm", "filter_opc_0", "filter_opc_1")}


def split_filter(config1):
    """Return the fields of the second filter of a CHA in a value of config1, without zeros; other
    bits are returned as "config1"."""
    fields = {name: config1 >> low & (1 << bits) - 1
              for name, (low, bits) in filter_bits().items()}
    fields["config1"] = config1 & ~sum(fields[name] << low
                                       for name, (low, _) in filter_bits().items())
    return {name: value for name, value in fields.items() if value}


def terms_of(text):
    """Parse "name=value,..." of a Filter column."""
    terms = {}
    for term in filter(None, text.split(",")):
        name, value = term.split("=")
        terms[name] = int(value, 0)
    return terms


def type_of(unit):
    return UNITS.get(unit, unit.lower())


def event_of(row, free):
    """Convert an event of Linux's files to an Event. free: FREE, or that of the platform."""
    kind = "clock" if row["EventName"] == CLOCK else type_of(row["Unit"])
    event = int(row.get("EventCode", "0"), 0)
    umask = int(row.get("UMask", "0"), 0)
    umask, ext = umask & 0xff, umask >> 8
    ch_mask, fc_mask = (int(row.get(name, "0"), 0) for name in ("PortMask", "FCMask"))
    given = terms_of(row.get("Filter", ""))
    if "config1" in given:
        given |= split_filter(given.pop("config1"))
    umask |= given.pop("occ_sel", 0) << 6
    if kind == "iio":   # bits 47:36 and 50:48 of the control, given by two terms
        ch_mask, fc_mask, ext = ch_mask | ext >> 4 & 0xfff, fc_mask | ext >> 16, ext & 0xf
    counters, fixed = 0, -1
    if kind in free:
        assert event == FIXED, row
        fixed = free[kind][umask >> 4] + (umask & 0xf)
    elif event == FIXED:
        fixed = 0
    else:
        counters = sum(1 << int(number) for number in row["Counter"].split(","))
    if fixed >= 0:
        event = umask = 0
    return Event(row["EventName"], kind, event, umask, ext, ch_mask, fc_mask,
                 int(row.get("CounterMask", "0"), 0), counters, fixed, given)


def rows_of(platform, pattern):
    folder = root() / "tools/perf/pmu-events/arch/x86" / FOLDERS[platform]
    return [row for path in sorted(folder.glob(pattern)) for row in json.loads(path.read_text())]


@functools.cache
def events(platform):
    """Return name -> Event of Linux's files. Names with the number of a memory controller are
    returned without the number, because our boxes have it."""
    free = FREE_OF.get(platform, FREE)
    return {re.sub("^UNC_MC[01]_", "UNC_M_", row["EventName"]): event_of(row, free)
            for row in rows_of(platform, "uncore-*.json")}


@functools.cache
def metrics(platform):
    """Return name -> metric (a dict of Linux's file)."""
    return {row["MetricName"]: row for row in rows_of(platform, "*-metrics.json")
            if "MetricName" in row}
