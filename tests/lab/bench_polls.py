# SPDX-License-Identifier: GPL-2.0-only
"""`make bench PLATFORM=polls`: cost of polled periods and of the polled global status, on a
platform whose overflows send no interrupt.

The clocked machine is a Sapphire Rapids with one CPU. Each run records some counters of memory
channels with a period each. The first period is so long that no sample is due, so that the
cost is that of polls alone. With the second one, each counter has some samples per second. The
cost of a sample then includes its polls.
"""

import sys

from lab import bench, clocked, tables

PLATFORM = "spr"
COUNTERS = (1, 8, 32)
# counts of a clock of 2 GHz: no sample in a run of about a second, and ten samples per second
LONG, SHORT = 20_000_000_000, 200_000_000
KINDS = {"polled counters": "", "polled status": "--no-pmi "}


def events_of(counters, period):
    """Return events on this number of counters of eight memory channels."""
    imc = next(box for box in bench.PLATFORMS[PLATFORM].boxes if box.name == "imc")
    return [f"imc{n % 8}/event={imc.event:#x},counter={n // 8},period={period}/"
            for n in range(counters)]


def recorder(kind, counters, period, count):
    wanted = bench.options(events_of(counters, period))
    return bench.Tool(lambda seconds: f"ucoretool record {KINDS[kind]}{wanted} -o /tmp/out "
                      f"-- sleep {seconds}", count)


def polls(kind):
    """Return a function that makes a tool whose intervals are polls."""
    return lambda _, events: recorder(kind, events.counters, LONG,
                                      r"sed -n 's/.*(\([0-9]*\) polls).*/\1/p' /tmp/log")


def samples(kind):
    return lambda _, events: recorder(kind, events.counters, SHORT,
                                      "sed -n 's/ samples of .*//p' /tmp/log")


def sets():
    return [clocked.Events(n, (), (), 0) for n in COUNTERS]


def run(make):
    return clocked.Run(PLATFORM, sets(), {kind: ("ucore", make(kind)) for kind in KINDS},
                       periods=False).rows


def lines_of(of_polls, of_samples):
    rows = []
    for events in sets():
        for kind in KINDS:
            poll, sample = of_polls[events.title, kind], of_samples[events.title, kind]
            rows.append((events.counters, kind, f"{poll['accesses']:.1f}",
                         f"{poll['irq']:.1f}", f"{poll['insns']:,.0f}",
                         f"{poll['busy_ns'] / 1000:.1f}", f"{sample['accesses']:.1f}",
                         f"{sample['irq']:.1f}", f"{sample['busy_ns'] / 1000:.1f}"))
    yield from tables.of(("counters with a period", "kind", "a poll: accesses", "interrupts",
                          "instructions", "µs", "a sample with its polls: accesses",
                          "interrupts", "µs"), rows)


def compare():
    """Measure, write the table; return the results, and false if a poll costs more accesses."""
    print("# measuring polls of a clocked spr", file=sys.stderr, flush=True)
    of_polls, of_samples = run(polls), run(samples)
    bench.written("polls", lines_of(of_polls, of_samples))
    results = {f"{title}, {kind}": {"poll": of_polls[title, kind],
                                    "sample": of_samples[title, kind]}
               for title, kind in of_polls}
    # the words of the status, whatever the number of counters
    words = {round(of_polls[events.title, "polled status"]["accesses"]) for events in sets()}
    return results, len(words) == 1
