# SPDX-License-Identifier: GPL-2.0-only
"""`ucoretool top --batch`, compared with the rates of the model.

The formulas of metrics are those of the tables in the tree. Where a platform has no metric,
this file repeats the formulas that top applies to events.
"""

import json
import statistics

from lab.framework import test
from lab.qemu import rates
from lab.session import assert_equal
from machine.first_run import FirstRun
from machine.test_metrics import Promise, assert_times, outside

MACHINES = ("e2-2s", "snbep-2s", "hswep-2s", "bdxep-2s", "bdxde-1s", "skx-2s", "icx-2s", "snr-1s",
            "spr-2s", "gnr-2s", "grr-1s")
PER_SECOND = "a / DURATIONTIMEINSECONDS"
LINES = "a * 64 / 1000000 / DURATIONTIMEINSECONDS"
SHARE = "100 * a / b"
IN_STATE = "b / a * n"
TOR_MISS = "a=UNC_C_TOR_INSERTS.MISS_OPCODE/filter_opc=0x182/"
CHA_MISS = "a=UNC_CHA_TOR_INSERTS.IA_MISS_DRD"
PCU = {
    "frequency_limited_power": (SHARE, "a=UNC_P_FREQ_MAX_POWER_CYCLES; b=UNC_P_CLOCKTICKS"),
    "frequency_limited_thermal":
        (SHARE, "a=UNC_P_FREQ_MAX_LIMIT_THERMAL_CYCLES; b=UNC_P_CLOCKTICKS"),
}
E5 = {
    "llc_read_miss_bandwidth": (LINES, TOR_MISS),
    "llc_demand_read_miss_rate":
        (SHARE, f"{TOR_MISS}; b=UNC_C_TOR_INSERTS.OPCODE/filter_opc=0x182/"),
    "irp_reads": (PER_SECOND, "a=UNC_I_TRANSACTIONS.READS"),
    "irp_writes": (PER_SECOND, "a=UNC_I_TRANSACTIONS.WRITES"),
    **PCU,
}
CORES = {f"cores_in_c{n}":
         (IN_STATE, f"a=UNC_P_CLOCKTICKS; b=UNC_P_POWER_STATE_OCCUPANCY.CORES_C{n}; n=SOCKET_COUNT")
         for n in (0, 6)}
V3 = {
    **E5,
    **CORES,
    "memory_bus_utilization":
        ("400 * (a + b) / c",
         "a=UNC_M_CAS_COUNT.RD; b=UNC_M_CAS_COUNT.WR; c=UNC_M_DCLOCKTICKS"),
    "qpi_data_receive_bw":
        ("(a + b) * 8 / 1000000 / DURATIONTIMEINSECONDS",
         "a=UNC_Q_RxL_FLITS_G1.DRS_DATA; b=UNC_Q_RxL_FLITS_G2.NCB_DATA"),
}
SKYLAKE = {"llc_read_miss_bandwidth": (LINES, CHA_MISS), **PCU, **CORES}
DISCOVERY = {
    "llc_read_miss_bandwidth": (LINES, CHA_MISS),
    "llc_demand_read_miss_rate": (SHARE, f"{CHA_MISS}; b=UNC_CHA_TOR_INSERTS.IA_DRD"),
    **PCU,
}
# data reads of efficiency cores have another event name
OPT_MISS = "a=UNC_CHA_TOR_INSERTS.IA_MISS_DRD_OPT"
SMALL = {
    "llc_read_miss_bandwidth": (LINES, OPT_MISS),
    "llc_demand_read_miss_rate": (SHARE, f"{OPT_MISS}; b=UNC_CHA_TOR_INSERTS.IA_DRD_OPT"),
    "llc_miss_latency":
        ("1e9 * (o / a) / (c / (d * n)) * DURATIONTIMEINSECONDS",
         f"{OPT_MISS}; o=UNC_CHA_TOR_OCCUPANCY.IA_MISS_DRD_OPT; c=UNC_CHA_CLOCKTICKS; "
         "d=CHAS_PER_SOCKET; n=SOCKET_COUNT"),
    **PCU,
    **CORES,
}
OF_EVENTS = {"snbep": E5, "ivbep": E5, "hswep": V3, "bdxep": V3, "bdxde": V3,
             "skx": SKYLAKE, "icx": {**DISCOVERY, **CORES}, "snr": SMALL, "spr": DISCOVERY,
             "gnr": DISCOVERY, "grr": SMALL}
# values missing on a platform: on v1 IO and last-level cache need the same filter of each
# C-Box; the power unit of Grand Ridge has one event
WITHOUT = {"snbep": {"io"}, "grr": {"power"}}
TOTALS = ("memory_bandwidth_total", "link_bandwidth_total", "io_bandwidth_total",
          "iio_bandwidth_total")
# values of free-running counters
FREE_RUNNING = {"iio_bandwidth_in": "in", "iio_bandwidth_out": "out"}
# Limits of their differences from the model, of each and of the median. The driver divides by
# the time between two clock readings, and a busy host may stop a CPU after one of them.
BY_READING, BY_READING_MEDIAN = 0.05, 0.003
SCREENS = 4
# metrics whose value of a socket is the mean of its boxes, not the sum
MEANS = ("memory_bus_utilization", "qpi_data_transmit_utilization",
         "upi_data_transmit_utilization")


class Expected:
    """Expected numbers of one screen, each as its minimum and maximum.

    These are equal unless no freeze stops a counter.
    """

    def __init__(self, promise, run, rows):
        """run: the time between the two READs of the screen in the model."""
        self.promise, self._run, self._rows = promise, run, rows
        self._claimed = dict.fromkeys(promise.dies, 1.0)
        self._calibrate()

    def _calibrate(self):
        """Determine the driver's time of each die from one value; add its ratio to the model's
        time to promise.ratios."""
        for die in self.promise.dies:
            row = next(r for r in self._rows if r.get("die") == die and r.get("box") == "imc0" and
                       r["metric"] == "memory_bandwidth_read")
            self._claimed[die] = self._of_row(row)[0] / row["value"]
            self.promise.ratios.append(self._claimed[die] / self._run.least_seconds(die, "imc0"))

    def _of_row(self, row):
        """Return the limits of a value of a box, or of a whole socket."""
        if row["metric"] in FREE_RUNNING:
            return self._of_stack(row)
        places = [place for place in self.promise.boxes
                  if ("box" in row and place[0] == row["die"] and
                      f"{place[1]}{place[2]}" == row["box"]) or
                  ("box" not in row and place[0] == row["socket"])]
        return [self.promise.value(
                    row["metric"], places,
                    lambda die, box, of=seconds: of(die, box) / self._claimed[die], 1.0)
                for seconds in (self._run.least_seconds, self._run.most_seconds)]

    def _of_stack(self, row):
        """Return the limits of the traffic of the four ports of a stack, in MB/s."""
        kind, die = FREE_RUNNING[row["metric"]], row["die"]
        stack = int(row["box"].removeprefix("iio_free"))
        rate = sum(rates.iio_free_running(kind, stack, die, port) for port in range(4))
        return [rate * 4 / 1e6 * seconds / self._claimed[die]
                for seconds in self._run.limits_of_unfrozen(die)]

    def _of_socket(self, row):
        """Return the limits of a sum over a socket's boxes, if they have such a value."""
        boxes = [self._of_row(r) for r in self._rows if "box" in r and
                 r["metric"] == row["metric"] and r["socket"] == row["socket"]]
        if not boxes:
            return self._of_row(row)
        return [sum(limit) / (len(boxes) if row["metric"] in MEANS else 1)
                for limit in zip(*boxes)]

    def _total(self, row):
        """Return the limits of the sum of the two columns before a total."""
        at = self._rows.index(row)
        return [sum(limit) for limit in zip(*map(self.due, self._rows[at - 2:at]))]

    def due(self, row):
        """Return [minimum, maximum] of a row's value, or [None, None]."""
        if row["metric"] in TOTALS:
            return self._total(row)
        if row["metric"] in MEANS and row["metric"] not in self.promise.metrics:
            return [None, None]     # it needs the speed of a link, which these machines lack
        return self._of_row(row) if "box" in row else self._of_socket(row)


def read(machine, screens=2):
    """Return the rows of each screen, without those of columns that are left out."""
    out = machine.sh(f"ucoretool top --batch -j -I 300 --count {screens}").splitlines()
    found = {}
    for row in map(json.loads, out):
        if row.get("note", "").startswith("missing: no counter"):
            continue
        found.setdefault(row["time_ns"], []).append(row)
    return list(found.values())


def distance(value, limits):
    """Return how far a value is outside of its limits, in parts of the value."""
    return max(limits[0] / value - 1, value / limits[1] - 1, 0)


@test(MACHINES)
def top_numbers_match_the_rates(m):
    m.run("have")       # the self-tests of the boxes are no runs of the session
    promise, mark, distances = Promise(m), m.truth_length(), []
    for name, (formula, where) in OF_EVENTS[promise.platform].items():
        promise.metrics.setdefault(name, {"Formula": formula, "Where": where})
    panels = {"memory", "llc", "power", "io"} - WITHOUT.get(promise.platform, set())
    for number, rows in enumerate(read(m, SCREENS)):
        assert {row["panel"] for row in rows} >= panels, rows
        expected = Expected(promise, FirstRun(m, mark, number), rows)
        by_reading = [row for row in rows if promise.platform == "skx" and row["panel"] == "io"]
        distances += [distance(row["value"], expected.due(row)) for row in by_reading]
        assert_equal([text for row in rows if row not in by_reading and
                      (text := outside(row, expected.due(row)))])
    assert_times(promise.ratios)
    if distances:
        assert max(distances) < BY_READING, distances
        assert statistics.median(distances) < BY_READING_MEDIAN, distances


@test(("e2-2s", "spr-2s"))
def top_has_a_row_for_each_box(m):
    """top has a row for every memory channel and every link of both sockets."""
    rows = read(m)[-1]
    for panel, kinds in (("memory", ("imc",)), ("links", ("qpi", "upi"))):
        have = {(row["die"], row["box"]) for row in rows if row["panel"] == panel and "box" in row}
        there = {(die, f"{kind}{instance}") for die, kind, instance in Promise(m).boxes
                 if kind in kinds}
        assert have == there, (have, there)
