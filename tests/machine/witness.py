# SPDX-License-Identifier: GPL-2.0-only
"""Comparison of the counts of Linux's perf with the rates of the model.

A difference shows that one of the two is wrong, not which.
"""

import collections
import contextlib
import re
import statistics

from lab.framework import Result

# options of @test for a machine on which Linux's driver runs instead of ucore
with_intel_uncore = {"loaded": False, "module": False, "perf": True, "strict": False,
                     "timeout": 120}
DEVICES = "/sys/bus/event_source/devices"
# type and number of a box; Nehalem's PMU has neither
PMU = re.compile(r"uncore(?:_(type_\d+|\w+?)(_\d+)?)?")
TOLERANCE = 0.001
INTERVAL_MS = 400
INTERVALS = 7           # the first one is discarded, because it includes the programming
LINE = re.compile(r"\s*[\d.]+,(?:S(?P<socket>\d+),\d+,)?(?P<count>\d+),,"
                  r"(?P<event>.*?),(?P<running>\d+),(?P<share>[\d.]+),")


def measure(m, which, events):
    """Return (event, socket or None) -> increments per second, measured by perf.

    which: perf's options that select the CPUs
    """
    options = " ".join(f"-e {event}" for event in events)
    out = m.run(f"perf stat {which} -x, -I {INTERVAL_MS} "
                f"--interval-count {INTERVALS} {options}", timeout=120).err
    intervals = {}
    for line in filter(None, map(LINE.match, out.splitlines())):
        # perf estimates the counts of events that do not fit on the counters together
        assert float(line["share"]) > 99, f"multiplexed: {line[0]}"
        socket = line["socket"] and int(line["socket"])
        intervals.setdefault((line["event"], socket), []).append(
            (int(line["count"]), int(line["running"])))
    assert intervals and all(len(found) == INTERVALS for found in intervals.values()), out
    return {key: Rate(found[1:]) for key, found in intervals.items()}


class Rate(float):
    """Median of the increments per second between perf's readings that are one or two intervals
    apart.

    Perf reads its clock, then the counter. If the host stops it in between, the pairs before
    and after that reading are wrong in opposite directions. If the host stops a CPU while an
    interrupt has stopped the counter, the pairs around it lack counts; therefore no pair is
    further apart. Both errors affect few of the pairs.
    """

    def __new__(cls, intervals):
        readings = [(0, 0)]
        for count, running in intervals:
            readings.append((readings[-1][0] + count, readings[-1][1] + running))
        pairs = list(zip(readings, readings[1:])) + list(zip(readings, readings[2:]))
        rate = super().__new__(cls, statistics.median(
            (count - before) * 1e9 / (time - earlier) for (before, earlier), (count, time) in pairs))
        rate.intervals = intervals
        return rate


def difference(measured, promised):
    if measured is None:
        return "not measured"
    error = abs(measured - promised) / promised
    return "" if error < TOLERANCE else \
        f"perf {measured:.0f}/s, promised {promised}/s: {error:.4%} off; by interval " + \
        " ".join(f"{count * 1e9 / running / promised - 1:+.4%}" for count, running
                 in measured.intervals)


def kind_of(pmu):
    return PMU.fullmatch(pmu)[1] or pmu


def boxes(m):
    """Return box type -> number of boxes that Linux found in a socket."""
    names = filter(PMU.fullmatch, m.sh(f"ls {DEVICES}").split())
    return dict(collections.Counter(kind_of(name) for name in names))


@contextlib.contextmanager
def driver(m, counts):
    """Load Linux's driver for the block. @counts: the boxes that it must find."""
    m.sh("modprobe intel_uncore")
    try:
        found = boxes(m)
        assert found == {kind: count for kind, count in counts.items() if count}, found
        yield
    finally:
        m.sh("rmmod intel_uncore")


def agreement(m, sockets, events, rate):
    """Return a Result for each box type, which names the events that differ.

    events: perf's spelling -> (box type, instance, further arguments of rate()). rate: returns
    the increments per second of (type, instance, socket, ...).
    """
    measured = measure(m, "-a --per-socket", events)
    differences = {}        # box type -> texts
    for event, (box, instance, arguments) in events.items():
        texts = differences.setdefault(kind_of(event.partition("/")[0]), [])
        for socket in sockets:
            text = difference(measured.get((event, socket)),
                              rate(box, instance, socket, **arguments))
            texts += [f"socket {socket} {event}: {text}"] if text else []
    return [Result(kind, "failed" if texts else "passed", "\n".join(texts))
            for kind, texts in differences.items()]
