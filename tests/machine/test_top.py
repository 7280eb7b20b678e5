# SPDX-License-Identifier: GPL-2.0-only
"""`ucoretool top --batch`, compared with the rates of the model.

The formulas of metrics are those of the tables in the tree. Where a platform has no metric,
this file repeats the formulas that top applies to events.
"""

import json

from lab.framework import test
from lab.qemu import rates
from lab.session import assert_equal
from machine.test_metrics import TOLERANCE, TRIES, Promise

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
# values of free-running counters, and their tolerance, because no freeze stops these counters
FREE_RUNNING, BY_READING = {"iio_bandwidth_in": "in", "iio_bandwidth_out": "out"}, 0.05
# metrics whose value of a socket is the mean of its boxes, not the sum
MEANS = ("memory_bus_utilization", "qpi_data_transmit_utilization")


class Expected:
    """Expected numbers of top, with a factor for each die: model's time / driver's time."""

    def __init__(self, machine):
        self.promise = Promise(machine)
        for name, (formula, where) in OF_EVENTS[self.promise.platform].items():
            self.promise.metrics.setdefault(name, {"Formula": formula, "Where": where})
        self.factor = dict.fromkeys(self.promise.dies, 1.0)

    def calibrate(self, rows):
        """Return the ratio of the model's counting time to the driver's, determined from one
        value.

        Return texts if the ratio is not near 1.
        """
        for die in self.promise.dies:
            row = next(r for r in rows if r.get("die") == die and r.get("box") == "imc0" and
                       r["metric"] == "memory_bandwidth_read")
            self.factor[die] *= row["value"] / self.of_row(row)
        return [f"die {die}: the model counted {factor} times as long" for die, factor
                in self.factor.items() if abs(factor - 1) >= 0.05]

    def of_row(self, row):
        """Return the expected values of a box, or of a whole socket."""
        if row["metric"] in FREE_RUNNING:
            return self.of_stack(row)
        places = [place for place in self.promise.boxes
                  if ("box" in row and place[0] == row["die"] and
                      f"{place[1]}{place[2]}" == row["box"]) or
                  ("box" not in row and place[0] == row["socket"])]
        return self.promise.value(row["metric"], places, self.factor, 1.0)

    def of_stack(self, row):
        """Return the traffic of the four ports of a stack, in MB/s."""
        kind, stack = FREE_RUNNING[row["metric"]], int(row["box"].removeprefix("iio_free"))
        counts = (rates.iio_free_running(kind, stack, row["die"], port) for port in range(4))
        return sum(counts) * 4 / 1e6 * self.factor[row["die"]]

    def of_socket(self, row, rows):
        """Return the sum over a socket's boxes, if they have such a value."""
        boxes = [self.of_row(r) for r in rows if "box" in r and r["metric"] == row["metric"] and
                 r["socket"] == row["socket"]]
        if not boxes:
            return self.of_row(row)
        return sum(boxes) / (len(boxes) if row["metric"] in MEANS else 1)

    def total(self, row, rows):
        """Return the sum of the two columns before a total."""
        at = rows.index(row)
        return sum(self.due(r, rows) for r in rows[at - 2:at])

    def due(self, row, rows):
        if row["metric"] in TOTALS:
            return self.total(row, rows)
        return self.of_row(row) if "box" in row else self.of_socket(row, rows)


def read(machine):
    out = machine.sh("ucoretool top --batch -j -I 300 --count 2").splitlines()
    rows = [json.loads(line) for line in out]
    return [row for row in rows if row["time_ns"] == rows[-1]["time_ns"]]


def difference(expected, row, rows):
    due, have = expected.due(row, rows), row.get("value")
    if due is None or have is None:
        return "" if due is have else f"{row}: {due} is due"
    tolerance = TOLERANCE.get(expected.promise.platform, 2e-4)
    if expected.promise.platform == "skx" and row["panel"] == "io":
        tolerance = BY_READING
    near = abs(have - due) <= tolerance * max(abs(due), 1e-9)
    return "" if near else f"{row}: {due} is due"


@test(MACHINES)
def top_numbers_match_the_rates(m):
    # retry, because a busy host may stop a CPU between the clock and the freeze, or between boxes
    for _ in range(TRIES):
        expected, rows = Expected(m), read(m)
        panels = {"memory", "llc", "power", "io"} - WITHOUT.get(expected.promise.platform, set())
        assert {row["panel"] for row in rows} >= panels, rows
        wrong = expected.calibrate(rows)
        wrong += [text for row in rows if (text := difference(expected, row, rows))]
        if not wrong:
            break
    assert_equal(wrong)


@test(("e2-2s", "spr-2s"))
def top_has_a_row_for_each_box(m):
    """top has a row for every memory channel and every link of both sockets."""
    rows = read(m)
    for panel, kinds in (("memory", ("imc",)), ("links", ("qpi", "upi"))):
        have = {(row["die"], row["box"]) for row in rows if row["panel"] == panel and "box" in row}
        there = {(die, f"{kind}{instance}") for die, kind, instance in Promise(m).boxes
                 if kind in kinds}
        assert have == there, (have, there)
