# SPDX-License-Identifier: GPL-2.0-only
"""`make check`: metrics have the values of Intel's metrics.

witness/metrics.txt has the values of Intel's formulas on invented counts. Our formulas must have
the same values on the same counts. Each difference is in one of the lists below, with its reason.
"""

import math

from check.test_check import fail_on
from check.witness import formulas, perfmon, tables
from check.witness import perfmon_metrics as intel
from lab.framework import test

# Tables that Intel's files do not have. test_linux_metrics.py compares cpx, bdxde, snr and tglh with
# the tables that their rows are from. The others were written for ucore.
NOT_INTELS = {"cpx", "bdxde", "snr", "tglh", "snbep", "ivbep", "snb", "ivb", "nhm",
              "wsm", "ptl"}
# Intel's formula is correct for an interval of one second only: (platforms, metric, factor)
ONE_SECOND = (
    ("skx clx icx spr emr gnr", "Info_System_MEM_DRAM_Read_Latency", intel.SECONDS),
    ("spr emr gnr", "Info_System_UPI_Data_Transmit_BW", 1 / intel.SECONDS),
)
# One event of four ports in place of Intel's four events. test_linux_metrics.py compares them by
# encoding. Info_System_* are also exchanged (tools/metrics/README.md).
FOUR_PORTS = {(platform, name) for platform in ("skx", "clx") for name in
              ("io_bandwidth_read", "io_bandwidth_write", "Info_System_IO_Read_BW",
               "Info_System_IO_Write_BW")}
# Client processors: metrics of the last-level cache and of the memory controllers' own counters
BY_SOURCE_OF = ("hsw", "bdw", "skl", "icl", "rkl")
CLIENTS = (*BY_SOURCE_OF, "tgl", "adl", "mtl", "arl", "lnl")
OF_CLIENTS = ("uncore_frequency", "memory_bandwidth_read", "memory_bandwidth_write",
              "memory_bandwidth_total", "memory_read_share")
BY_SOURCE = ("memory_bandwidth_cores", "memory_bandwidth_graphics", "memory_bandwidth_io")
LOOKUPS = ("llc_lookups", "llc_miss_rate", "llc_miss_bandwidth")
# Metrics that Intel does not have: a common name on all platforms, two that follow SPR, DDR and HBM
# separately, and the utilization of links
ADDED = {("grr", "iio_bandwidth_read"), ("grr", "iio_bandwidth_write"),
         ("icx", "iio_bandwidth_read"), ("icx", "iio_bandwidth_write"),
         *(("spr", f"{memory}_bandwidth_{way}") for memory in ("ddr", "hbm")
           for way in ("read", "write", "total")),
         *((platform, "upi_data_transmit_utilization") for platform in
           ("skx", "clx", "icx", "spr", "emr", "gnr", "srf", "cwf")),
         *((platform, "qpi_data_transmit_utilization") for platform in ("hswep", "bdxep")),
         *((platform, name) for platform in CLIENTS for name in OF_CLIENTS),
         *((platform, name) for platform in BY_SOURCE_OF for name in BY_SOURCE),
         *((platform, name) for platform in ("hsw", "bdw", "skl") for name in LOOKUPS),
         *((platform, "llc_miss_latency") for platform in intel.PLATFORMS
           if platform != "grr" and platform not in CLIENTS), ("skl", "llc_miss_latency")}
NUMBER = 343
# Metrics that only Intel has: no box counts their events
WITHOUT_EVENTS = {("lnl", "Info_System_Uncore_Frequency"),
                  ("lnl", "Info_System_Socket_CLKS")}


class EveryName:
    """Set of the names of uncore events: counts depend on names, not on a table."""

    def __contains__(self, name):
        return name.startswith("UNC_")


def our_value(metrics, name, seed):
    counts = intel.NamedCounts(seed)
    counts.events = EveryName()
    return metrics.value(name, counts)


def factor_of(platform, name):
    return next((factor for platforms, metric, factor in ONE_SECOND
                 if metric == name and platform in platforms.split()), 1)


def compare(platform, metrics, values):
    """Return complaints about a table; @values: metric -> Intel's values."""
    wrong = []
    for name in sorted({*metrics.metrics, *values}):
        if (name not in metrics.metrics) != ((platform, name) in WITHOUT_EVENTS):
            wrong.append(f"{platform} {name}: " + ("no longer left out" if name in metrics.metrics
                                                   else "only Intel has it"))
        elif (platform, name) in WITHOUT_EVENTS:
            continue
        elif (name in values) == ((platform, name) in ADDED):
            wrong.append(f"{platform} {name}: " + ("Intel has it, too" if name in values else
                                                   "only we have it"))
        elif name in values:
            equal = all(math.isclose(our_value(metrics, name, seed),
                                     value * factor_of(platform, name), rel_tol=1e-9)
                        for seed, value in zip(intel.SEEDS, values[name], strict=True))
            if equal == ((platform, name) in FOUR_PORTS):
                wrong.append(f"{platform} {name}: another value than Intel's metric, or an entry "
                             "of FOUR_PORTS is not needed")
    return wrong


def intels(platform):
    return {name: values for (of, name), values in intel.stored().items() if of == platform}


@test(machine=False)
def metrics_equal_intels_metrics():
    wrong = []
    for platform in intel.PLATFORMS:
        wrong += compare(platform, formulas.Ours(platform), intels(platform))
    print(f"# metrics compared with Intel's metrics: {len(intel.stored()) - len(FOUR_PORTS)}")
    assert len(intel.stored()) == NUMBER
    fail_on(*wrong)


@test(machine=False)
def values_are_of_the_commit_that_the_tables_name():
    assert perfmon.COMMIT in intel.VALUES.read_text()
    assert perfmon.COMMIT[:7] in (tables.METRICS / "README.md").read_text()
    assert set(intel.PLATFORMS) | NOT_INTELS == set(tables.platforms(tables.METRICS))


@test(machine=False)
def each_changed_formula_is_detected():
    for name, before, after in (("memory_bandwidth_write", "64", "63"),
                                ("numa_reads_addressed_to_local_dram", "a + b)", "a - b)"),
                                ("cpu_cstate_c0", "a[0]", "a"),
                                ("cpu_cstate_c0", "b / a[0]", "a[0] / b")):
        metrics = formulas.Ours("gnr")
        row = metrics.metrics[name]
        assert before in row["Formula"], (name, row)
        row["Formula"] = row["Formula"].replace(before, after, 1)
        assert any(f"gnr {name}:" in text for text in compare("gnr", metrics, intels("gnr"))), name


@test(machine=False)
def exchanged_events_of_a_metric_are_detected():
    metrics = formulas.Ours("gnr")
    row = metrics.metrics["memory_bandwidth_read"]
    row["Where"] = row["Where"].replace(".RD", ".WR")
    assert any("gnr memory_bandwidth_read:" in text
               for text in compare("gnr", metrics, intels("gnr")))
