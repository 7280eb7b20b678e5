# SPDX-License-Identifier: GPL-2.0-only
"""`make check`: metrics have the values of Linux's metrics of the same name.

Both formulas are evaluated on the same invented counts of events, several times. They must have
equal values, and must use the same events. The text of a formula does not matter. Each difference
is in one of the lists below, with its reason.
"""

import math
import re

from check.test_check import fail_on
from check.witness import formulas, linux, tables
from lab.framework import test

# metrics that must be compared, at least
COMPARED = {"snbep": 1, "ivbep": 1, "hswep": 17, "bdxep": 17, "bdxde": 2, "skx": 25, "clx": 28,
            "cpx": 28, "icx": 32, "spr": 40, "emr": 36, "srf": 20, "grr": 6, "snb": 2,
            "ivb": 2, "hsw": 2, "bdw": 2, "skl": 4, "icl": 2, "rkl": 2, "tgl": 2, "adl": 2,
            "mtl": 1}
# Linux has no metrics of uncore events of these platforms. The rows of bdxde, snr and tglh are
# also in the table of another platform.
UNKNOWN = {"snr", "gnr", "cwf", "tglh", "arl", "lnl", "ptl", "nhm", "wsm"}
ROWS_OF = {"cpx": "clx", "bdxde": "bdxep", "snr": "icx", "tglh": "tgl"}

# Linux has Intel's older names
RENAMED = {"io_read_l3_miss": "io_percent_of_inbound_reads_that_miss_l3",
           "io_partial_write_l3_miss": "io_percent_of_inbound_partial_writes_that_miss_l3",
           "io_full_write_l3_miss": "io_percent_of_inbound_full_writes_that_miss_l3"}
# Metrics that were written for ucore, whose meaning a metric of Linux has: platforms, ours,
# Linux's, factor
SAME_MEANING = (("snbep ivbep", "memory_bandwidth_total", "tma_info_system_dram_bw_use", 1000),)
# Linux's formula of the read bandwidth counts what devices write, against its description
EXCHANGED = {(platform, f"Info_System_IO_{ours}_BW"): f"tma_info_system_io_{theirs}_bw"
             for platform in ("skx", "clx", "cpx")
             for ours, theirs in (("Read", "write"), ("Write", "read"))}
# Linux's formula is correct for an interval of one second only
ONE_SECOND = {"Info_System_MEM_DRAM_Read_Latency": "skx clx cpx icx spr emr",
              "Info_System_UPI_Data_Transmit_BW": "spr emr"}

# Metrics that Linux does not have: name -> platforms
CLIENTS = "snb ivb hsw bdw skl icl rkl tgl adl mtl"
L3_MISSES = ("io_read_l3_miss", "io_partial_write_l3_miss", "io_full_write_l3_miss")
NOT_IN_LINUX = {
    **dict.fromkeys(L3_MISSES, "icx srf grr"),
    "io_bandwidth_read_l3_miss": "icx spr emr srf",
    "io_bandwidth_write_l3_miss": "icx spr emr srf",
    "io_msi": "srf grr",
    "iio_bandwidth_read": "icx grr",        # following SPR, tools/metrics/README.md
    "iio_bandwidth_write": "icx grr",
    "io_bandwidth_read": "icx",
    "llc_demand_data_read_miss_to_dram_latency": "icx",
    "cpu_cstate_c0": "spr emr srf",
    "cpu_cstate_c6": "spr emr srf",
    # DDR and HBM separately
    **{f"{memory}_bandwidth_{way}": "spr" for memory in ("ddr", "hbm")
       for way in ("read", "write", "total")},
    "upi_data_transmit_utilization": "skx clx cpx icx spr emr srf",
    "qpi_data_transmit_utilization": "hswep bdxep",
    "llc_miss_latency": "hswep bdxep skx clx cpx icx spr emr srf skl",  # a name on all platforms
    # client processors: the memory controllers' own counters, and the last-level cache
    **dict.fromkeys(("uncore_frequency", "memory_bandwidth_read", "memory_bandwidth_write",
                     "memory_bandwidth_total", "memory_read_share"), CLIENTS),
    **dict.fromkeys(("memory_bandwidth_cores", "memory_bandwidth_graphics",
                     "memory_bandwidth_io"), "snb ivb hsw bdw skl icl rkl"),
    **dict.fromkeys(("llc_lookups", "llc_miss_rate", "llc_miss_bandwidth"), "snb ivb hsw bdw skl"),
    "Info_System_Uncore_Frequency": "adl mtl",
}
# Platforms with many metrics of ucore, and bdxde: number of metrics that Linux does not have
OWN = {"snbep": 104, "ivbep": 108, "bdxde": 15}

# Metrics that only Linux has
LINUX_ONLY = (
    (r"llc_(code|data)_read_mpi_demand_plus_prefetch", "needs core events"),
    (r"tma_info_system_(mem_pmm_read_latency|pmm_(read|write)_bw)", "Intel removed it"),
    (r"tma_info_system_mem_(parallel_reads|read_latency)", "snbep and ivbep: written for ucore. "
     "rkl, tgl and adl: Intel removed it"),
    (r"tma_info_system_dram_bw_use", "mtl: Intel removed it"),
    (r"pmem_memory_bandwidth_\w+|llc_demand_data_read_miss_to_pmem_latency",
     "Emerald Rapids has no persistent memory"),
    (r"llc_demand_data_read_miss_latency", "Intel removed it on Grand Ridge"),
)
SEEDS = range(4)
SECONDS = 2.5


def linux_name(platform, name, theirs):
    """Return Linux's metric for our metric, and the factor between the values; None without one."""
    for platforms, ours, other, factor in SAME_MEANING:
        if platform in platforms.split() and name == ours:
            return other, factor
    for candidate in (EXCHANGED.get((platform, name)), RENAMED.get(name), name.lower(),
                      f"tma_{name.lower()}"):
        if candidate in theirs.metrics:
            return candidate, 1
    return None, 1


def equal(events, seconds, ours, theirs, factor=1):
    """Return True if two functions of Counts have equal values and use the same events."""
    for seed in SEEDS:
        counts, others = (formulas.Counts(events, seed, seconds) for _ in range(2))
        value, other = ours(counts), theirs(others) * factor
        if not math.isclose(value, other, rel_tol=1e-9) or counts.used != others.used:
            return False
    return True


def unit_of(row):
    """Return the unit of a metric of Linux; None if the file has none."""
    scale = row.get("ScaleUnit")
    return re.sub(r"^[\d.]+", "", scale) if scale else None


def compare(platform, events, ours, theirs):
    """Return complaints, the number of compared metrics, names without a metric in Linux, and
    Linux's names that were used."""
    wrong, compared, without, used = [], 0, [], set()
    for name, row in ours.metrics.items():
        other, factor = linux_name(platform, name, theirs)
        if not other:
            without.append(name)
            continue
        used.add(other)
        compared += 1

        def value(counts, of=name):
            return ours.value(of, counts)

        def their_value(counts, of=other):
            return theirs.value(of, counts)
        one_second = platform in ONE_SECOND.get(name, "").split()
        at_length = equal(events, SECONDS, value, their_value, factor)
        if one_second and at_length:
            wrong.append(f"{platform} {name}: Linux's formula is correct, remove it from the list")
        if not (equal(events, 1, value, their_value, factor) if one_second else at_length):
            wrong.append(f"{platform} {name}: another value than Linux's {other}")
        unit = unit_of(theirs.metrics[other])
        if unit and unit != row["Unit"]:
            wrong.append(f"{platform} {name}: unit {row['Unit']}, Linux has {unit}")
    return wrong, compared, without, used


def wrong_lists(platform, without, only):
    """Return complaints about the lists of metrics that only one side has."""
    wrong = [f"{platform} {name}: only Linux has it" for name in only
             if not any(re.fullmatch(pattern, name) for pattern, _ in LINUX_ONLY)]
    if platform in OWN:
        return wrong + ([] if len(without) == OWN[platform] else
                        [f"{platform}: Linux lacks {len(without)} of our metrics, the list says "
                         f"{OWN[platform]}"])
    listed = {name for name, platforms in NOT_IN_LINUX.items() if platform in platforms.split()}
    return [*wrong, *(f"{platform} {name}: Linux has no such metric"
                      for name in without if name not in listed),
            *(f"{platform} {name}: Linux has it, or we do not" for name in listed - set(without))]


@test(machine=False, timeout=300)
def metrics_equal_linuxs_metrics():
    wrong, numbers = [], {}
    for platform in COMPARED:
        ours, theirs = formulas.Ours(platform), formulas.Theirs(platform)
        more, numbers[platform], without, used = compare(
            platform, tables.generated()[platform], ours, theirs)
        only = [name for name, row in theirs.metrics.items()
                if "UNC_" in row["MetricExpr"] and name not in used]
        wrong += more + wrong_lists(platform, without, only)
        if numbers[platform] < COMPARED[platform]:
            wrong.append(f"{platform}: {numbers[platform]} metrics compared, "
                         f"at least {COMPARED[platform]} wanted")
    print("# metrics compared with Linux's metrics:", numbers)
    fail_on(*wrong)


@test(machine=False)
def every_platform_with_metrics_is_compared():
    assert set(COMPARED) | UNKNOWN == set(tables.platforms(tables.METRICS))
    for platform in UNKNOWN & set(linux.FOLDERS):
        named = [name for name, row in linux.metrics(platform).items()
                 if "UNC_" in row["MetricExpr"]]
        assert not named, f"Linux has metrics of {platform}: compare them: {named}"


@test(machine=False)
def rows_of_derived_metrics_are_those_of_their_originals():
    for platform, original in ROWS_OF.items():
        theirs = formulas.Ours(original).metrics
        for name, row in formulas.Ours(platform).metrics.items():
            assert row == theirs.get(name), f"{platform} {name} differs from {original}"


EVENTS = {"A": tables.Event("A", "iio", 0x83, 4, 0, 1, 7, 0, 0xf, -1, {}),
          "B": tables.Event("B", "iio", 0x83, 4, 0, 2, 7, 0, 0xf, -1, {}),
          "C": tables.Event("C", "cha", 0x35, 1, 0, 0, 0, 0, 0xf, -1, {})}


def of_text(text):
    """Return a function of Counts that evaluates a formula of event names and terms."""
    def operand(counts, kind, token):
        return (formulas.Theirs.CONSTANTS[token](counts) if token in formulas.Theirs.CONSTANTS
                else formulas.Theirs.operand(reader, kind, token, counts))
    reader = formulas.Theirs.__new__(formulas.Theirs)
    reader.metrics = {}
    return lambda counts: formulas.evaluate(text, lambda *token: operand(counts, *token))


@test(machine=False)
def formulas_with_equal_meaning_are_equal():
    for one, other in (
            ("(A + B) * 4 / 1e6", r"iio@event\=0x83\,umask\=4\,ch_mask\=3\,fc_mask\=7@ / 250000"),
            ("C / duration_time / 1000000", "1.0e-6 * C / duration_time"),
            (r"cha@C\,thresh\=1@", r"C@thresh\=1@"),
            ("C / (#num_cores / #num_packages)", "C / source_count(A)"),
            ("C if 1 > 0 else 0", "max(C, 0)")):
        assert equal(EVENTS, SECONDS, of_text(one), of_text(other)), (one, other)


@test(machine=False)
def formulas_with_another_meaning_are_not_equal():
    for one, other in (("64 * C", "63 * C"), ("A", "B"), ("A - B", "A + B"), ("A / B", "B / A"),
                       ("C", r"C@thresh\=1@"), ("C", "C * duration_time"), ("C", "C + 0 * A"),
                       (r"cha@C\,config1\=0x40432@", r"cha@C\,config1\=0x40431@"),
                       (r"cha_0@event\=0x35\,umask\=1@", "C"),
                       ("C / #num_packages", "C / source_count(C)")):
        assert not equal(EVENTS, SECONDS, of_text(one), of_text(other)), (one, other)
