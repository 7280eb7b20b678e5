# SPDX-License-Identifier: GPL-2.0-only
"""What Linux's perf counts, against what the model promises.

A disagreement says that one of the two is wrong, not which.
"""

import re
import statistics

from lab.framework import Result

TOLERANCE = 0.001
INTERVAL_MS = 400
INTERVALS = 5           # and the first one is thrown away


def measure(m, events):
    """(event, socket) -> increments per second by perf, the median of its intervals."""
    options = " ".join(f"-e {event}" for event in events)
    out = m.run(f"perf stat -a --per-socket -x, -I {INTERVAL_MS} "
                f"--interval-count {INTERVALS} {options}", timeout=120).err
    line = re.compile(r"\s*([\d.]+),S(\d+),\d+,(\d+),,(uncore_.*/),(\d+),")
    by_time = {}
    for found in filter(None, map(line.match, out.splitlines())):
        by_time.setdefault(found[1], []).append(found)
    assert len(by_time) == INTERVALS, out
    samples = {}
    for found in sum(list(by_time.values())[1:], []):
        rate = int(found[3]) * 1e9 / int(found[5])
        samples.setdefault((found[4], int(found[2])), []).append(rate)
    return {key: statistics.median(values) for key, values in samples.items()}


def difference(measured, promised):
    if measured is None:
        return "not measured"
    error = abs(measured - promised) / promised
    return "" if error < TOLERANCE else \
        f"perf {measured:.0f}/s, promised {promised}/s: {error:.4%} off"


def agreement(m, sockets, events, rate):
    """A Result for each event on each socket.

    events: perf's spelling -> (box type, instance, further arguments of rate())
    rate: increments per second that are promised to (type, instance, socket, ...)
    """
    measured = measure(m, events)
    results = []
    for event, (box, instance, arguments) in events.items():
        for socket in sockets:
            text = difference(measured.get((event, socket)),
                              rate(box, instance, socket, **arguments))
            results.append(Result(f"socket {socket} {event}",
                                  "failed" if text else "passed", text))
    return results
