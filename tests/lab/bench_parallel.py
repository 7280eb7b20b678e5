# SPDX-License-Identifier: GPL-2.0-only
"""`make bench PLATFORM=parallel`: parallel reads of one die by several CPUs.

The accesses of each CPU are counted on a socket with eight CPUs, which run concurrently. The
times are measured on the clocked machine, each of whose CPUs has a clock of its own: the frozen
time, and the periods that are kept for ten seconds.
"""

import sys

from lab import bench, clocked, access_costs, tables
from lab.accesses import BOX_ACCESSES, read_by
from lab.machine import Machine
from lab.session import FIXED, Session

READERS = (1, 2, 4, 8)
SETTINGS = {"machine.sockets": 1, "machine.plugged": max(READERS)}
CLOCKED = access_costs.settings() | {"machine.plugged": max(READERS)}
# goal: period of all counters of two dies, number of readers, duration
GOAL_US, GOAL_CREW, SECONDS = 100, 4, 10
GOAL = access_costs.settings() | {"machine.sockets": 2, "machine.plugged": GOAL_CREW}
# The host determines whether the helper CPUs arrive in time
TRIES = 400


def counters(platform, session):
    """Return (box, die, counter, period, fields) of all counters of a die."""
    for box in platform.boxes:
        for i in range(box.instances):
            name = box.name if (0, box.name) in session.ids else f"{box.name}{i}"
            for ctr in range(box.counters):
                yield name, 0, ctr, 0, {"event": box.event}
            if box.fixed:
                yield name, 0, FIXED, 0, {}


def longest_share(machine, platform, readers):
    """Return the accesses of the busiest CPU in a READ in which all readers took part."""
    with Session(machine, cpu=0, readers=readers, full_reads=True) as session:
        session.add_all(list(counters(platform, session)))
        session.start()
        for _ in range(TRIES):
            made, helpers = read_by(machine, session)
            if helpers == readers - 1:
                return max(made), sum(made)
    raise AssertionError(f"not all {readers} CPUs took part in any of {TRIES} reads")


def measured(name):
    """Return the title, all accesses, and the longest share for each number of readers."""
    platform = bench.PLATFORMS[name]
    print(f"# measuring parallel on {platform.machine}", file=sys.stderr, flush=True)
    with Machine(platform.scenario, bench.KERNEL, strict=False, settings=SETTINGS) as machine:
        machine.insmod("ucore", "cpu_time_max_percent=100")
        found = [longest_share(machine, platform, readers) for readers in READERS]
    amount = sum(box.all_counters for box in platform.boxes)
    return f"{platform.machine.split(',')[0]}, {amount}", found[0][1], [most for most, _ in found]


def in_time(name):
    """For each number of readers, return the frozen ns of a sample, START's shortest period
    (us) and the missing samples."""
    print(f"# measuring parallel of a clocked {name}", file=sys.stderr, flush=True)
    events = clocked.all_of(bench.PLATFORMS[name])
    with Machine(clocked.SCENARIOS[name], clocked.KERNEL, strict=False, settings=CLOCKED) as machine:
        machine.insmod()
        found = []
        for readers in READERS:
            frozen = clocked.frozen_ns(machine, events, readers)
            limit = clocked.start_limit_us(machine, events, readers)
            found.append((frozen, limit, clocked.shortfall(machine, events, limit, SECONDS, readers)))
    return found


def goal(name):
    """Return the missing samples when all counters of both dies are sampled every 100 us for
    ten seconds."""
    print(f"# measuring two dies of a clocked {name}", file=sys.stderr, flush=True)
    events = clocked.all_of(bench.PLATFORMS[name])
    with Machine(clocked.SCENARIOS[name], clocked.KERNEL, strict=False, settings=GOAL) as machine:
        machine.insmod()
        return clocked.shortfall(machine, events, GOAL_US, SECONDS, GOAL_CREW, dies=2)


def lines_of(title, times):
    """Return the rows of the table of times."""
    yield f"{title}: frozen, µs", *(f"{frozen / 1000:.1f}" for frozen, _, _ in times)
    yield "... shortest period, µs", *(f"{limit}: lost" if short else f"{limit}" for _, limit, short in times)


def compare():
    """Return the results as bench.compare() does, and true if all goals are met.

    The goals: no share exceeds its part plus one box, two and four readers shorten the freeze,
    and each period that START accepts is kept.
    """
    names = ("ivbep", "spr")
    rows = [measured(name) for name in names]
    times = {title: in_time(name) for name, (title, _, _) in zip(names, rows)}
    missed = goal("spr")
    heads = ("counters of a die", "alone", *(f"{readers} readers" for readers in READERS[1:]))
    bench.written("parallel", [
        *tables.of((heads[0], "accesses", *heads[1:]),
                   ((title, accesses, *shares) for title, accesses, shares in rows)), "",
        *tables.of(("in time", *heads[1:]), (row for title in times for row in lines_of(title, times[title]))),
        "", f"878 counters of two dies every {GOAL_US} µs, parallel of {GOAL_CREW}, for {SECONDS} s: "
        + ("NOT kept." if missed else "nothing lost.")])
    wrong = [f"{title}: {most} of {accesses} accesses with {readers} readers"
             for title, accesses, shares in rows for readers, most in zip(READERS, shares)
             if most > accesses / readers + BOX_ACCESSES + 2]
    for title, of_parallel in times.items():
        frozen = [ns for ns, _, _ in of_parallel]
        wrong += [f"{title}: frozen for {frozen} ns"] if not frozen[0] > frozen[1] > frozen[2] else []
        wrong += [f"{title}: {limit} us, {missing}" for _, limit, missing in of_parallel if missing]
    wrong += [f"878 counters every {GOAL_US} us: {missed}"] if missed else []
    for text in wrong:
        print(f"NOT shared: {text}")
    return {title: dict(zip(READERS, shares)) for title, _, shares in rows}, not wrong
