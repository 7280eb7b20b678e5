# SPDX-License-Identifier: GPL-2.0-only
"""`make bench PLATFORM=crew`: the longest share of a die that several CPUs read together.

Who makes which access is counted on a socket with eight CPUs; what that takes is calculated, by the
prices of the clocked machine (prices.py), which has one CPU, and so no crew.
"""

import sys

from lab import bench, prices, tables
from lab.machine import Machine
from lab.session import BOX_ACCESSES, FIXED, Session, read_by

CREWS = (1, 2, 4, 8)
SETTINGS = {"machine.sockets": 1, "machine.plugged": max(CREWS)}
ACCESS_US = prices.PRICES["ecam"].ns / 1000
assert all(prices.PRICES[kind].ns == prices.PRICES["ecam"].ns for kind in ("rdmsr", "wrmsr", "mmio"))
IPI_US = prices.PRICES["ipi"].ns / 1000
# Whether helpers come in time is the host's doing
TRIES = 400


def counters(platform, session):
    """(box, die, counter, period, fields) of all of a die."""
    for box in platform.boxes:
        for i in range(box.instances):
            name = box.name if (0, box.name) in session.ids else f"{box.name}{i}"
            for ctr in range(box.counters):
                yield name, 0, ctr, 0, {"event": box.event}
            if box.fixed:
                yield name, 0, FIXED, 0, {}


def longest_share(machine, platform, crew):
    """Accesses of the CPU that makes most of them in a READ to which all of the crew came."""
    with Session(machine, cpu=0, crew=crew, whole=True) as session:
        session.add_all(list(counters(platform, session)))
        session.start()
        for _ in range(TRIES):
            made, helpers = read_by(machine, session)
            if helpers == crew - 1:
                return max(made), sum(made)
    raise AssertionError(f"not all {crew} CPUs took part in any of {TRIES} reads")


def measured(name):
    """Title, all accesses, and the longest share of each crew."""
    platform = bench.PLATFORMS[name]
    print(f"# measuring crews on {platform.machine}", file=sys.stderr, flush=True)
    with Machine(platform.scenario, bench.KERNEL, strict=False, settings=SETTINGS) as machine:
        machine.insmod("ucore", "cpu_budget=100")
        found = [longest_share(machine, platform, crew) for crew in CREWS]
    amount = sum(box.all_counters for box in platform.boxes)
    return f"{platform.machine.split(',')[0]}, {amount}", found[0][1], [most for most, _ in found]


def share(crew, most):
    return f"{most}: {most * ACCESS_US + (crew - 1) * IPI_US:.0f} µs"


def compare():
    """As bench.compare(): what was measured; true: no share is longer than its part and a box."""
    rows = [measured(name) for name in ("ivbep", "spr")]
    heads = ("counters of a die", "accesses", "alone", *(f"crew of {crew}" for crew in CREWS[1:]))
    bench.written("crew", tables.of(heads, ((title, accesses, *map(share, CREWS, shares))
                                            for title, accesses, shares in rows)))
    wrong = [f"{title}: {most} of {accesses} accesses in a crew of {crew}"
             for title, accesses, shares in rows for crew, most in zip(CREWS, shares)
             if most > accesses / crew + BOX_ACCESSES + 2]
    for text in wrong:
        print(f"NOT shared: {text}")
    return {title: dict(zip(CREWS, shares)) for title, _, shares in rows}, not wrong
