# SPDX-License-Identifier: GPL-2.0-only
"""`make bench PLATFORM=peers`: the same counters with perf, Intel PCM, LIKWID and ucore.

Instructions and time are measured on one die of the clocked machine. IPIs are measured with two
sockets, where the tools must reach the other socket. The machine is an E5-2600 v2, whose boxes
all tools support.
"""

import sys

from lab import bench, clocked, peers, tables
from lab.clocked import PERF, READ, RING
from lab.machine import Machine

PLATFORM = "ivbep"
GROUPS, PCM, LIKWID = "perf stat, groups", "Intel PCM", "LIKWID"
OURS = (RING, READ)
THEIRS = (PERF, GROUPS, PCM, LIKWID)
TOOLS = {
    **{title: clocked.TOOLS[title] for title in (*OURS, PERF)},
    GROUPS: ("intel_uncore",
             lambda _, events: peers.perf_groups(events, clocked.INTERVAL_MS)),
    PCM: ("msr", lambda platform, events: peers.pcm(platform, events, clocked.INTERVAL_MS)),
    LIKWID: ("msr", lambda platform, events: peers.likwid(platform, events, clocked.INTERVAL_MS)),
}
# for two sockets: one CPU of each, and the number of cores per socket
CPUS_OF_TWO, CORES_OF_TWO = "0,2", 2
HEADS = ("counted", "instants", "accesses", "system calls", "instructions", "µs")
# Figures in which no other tool may be better. IPIs with two sockets are left out because the
# scheduler sends some
AHEAD = {"syscall": "system calls", "insns": "instructions", "busy_ns": "time"}
AHEAD_OF_TWO = ("accesses", "syscalls")


# ---- Counters and sampling times ----

def counted(title, found):
    """Return the counters of a set that a tool counts on the clocked machine."""
    return {PCM: peers.of_pcm, LIKWID: peers.of_likwid}.get(title, list)(found)


def instants(title, row, found):
    """Return the number of different sampling times of the values.

    A freeze of the die gives one time, a freeze of a box one for the box. Each other counter
    has its own.
    """
    mine = counted(title, found)
    if row["freezes"]:
        return 1
    if title != PCM:
        return len(mine)
    boxes = {(kind, box) for kind, box, *_ in mine if kind in peers.PCM_FROZEN}
    return len(boxes) + sum(kind not in peers.PCM_FROZEN for kind, *_ in mine)


# ---- Two sockets ----

def of_two_sockets(events):
    """Return title -> cost of an interval with two sockets, minus that of an idle guest."""
    platform = bench.PLATFORMS[PLATFORM]
    rows = {}
    with Machine(platform.scenario, bench.KERNEL, perf=True, strict=False,
                 files=peers.files()) as machine:
        machine.run("\n".join(clocked.LOAD["ucore"]))
        baseline, module = bench.per_interval(machine, platform, bench.IDLE), "ucore"
        for title, tool in tools_of_two(platform, events).items():
            needed = TOOLS[title][0]
            if needed != module:
                machine.run("\n".join((f"rmmod {module}", *clocked.LOAD[needed])))
                module = needed
            print(f"# measuring {title} on two sockets", file=sys.stderr, flush=True)
            row = bench.per_interval(machine, platform, tool)
            rows[title] = bench.beside(baseline, row)
    return rows


def tools_of_two(platform, events):
    ms = platform.interval_ms
    return {RING: bench.ucore_ring(platform, events.ucore),
            READ: bench.ucore_stat(platform, events.ucore),
            PERF: bench.perf_stat(platform, events.perf),
            GROUPS: peers.perf_groups(events, ms),
            PCM: peers.pcm(platform, events, ms, bench.SOCKETS, CORES_OF_TWO),
            LIKWID: peers.likwid(platform, events, ms, CPUS_OF_TWO)}


# ---- The tables ----

def cells(title, row, found):
    return (f"{len(counted(title, found))} of {len(found)}", f"{instants(title, row, found)}",
            f"{row['accesses']:,.1f}", f"{row['syscall']:.1f}", f"{row['insns']:,.0f}",
            f"{row['busy_ns'] / 1000:,.1f}")


def best(rows, key):
    """Return the minimum of the other tools, and the name of that tool."""
    return min((rows[name][key], name) for name in THEIRS)


def table(events, run):
    found = peers.counters(bench.PLATFORMS[PLATFORM], events)
    rows = {title: run.rows[events.title, title] for title in TOOLS}
    yield from tables.of((events.title, *HEADS),
                         [("limit", len(found), 1, events.limit, 0, "", ""),
                          *((title, *cells(title, rows[title], found)) for title in (*OURS, *THEIRS))])
    yield ""
    for key, what in AHEAD.items():
        value, name = best(rows, key)
        ours = ", ".join(f"{tool} {100 * rows[tool][key] / value:.0f} %" for tool in OURS)
        yield f"* least {what} of the others: {name}; of that, {ours}"
    yield ""


def table_of_two(rows, counters):
    shown = ("accesses", "ipis", "syscalls")
    yield from tables.of((f"{counters} counters of two sockets", *bench.heads(shown)),
                         ((title, *bench.cells(row, shown)) for title, row in rows.items()))
    yield ""


def behind(events, run):
    """Return the figures in which another tool is better, as lines of text."""
    rows, lines = {title: run.rows[events.title, title] for title in TOOLS}, []
    for key in AHEAD:
        value, name = best(rows, key)
        lines += [f"{events.title}: {key}: {name} {value:,.1f}, {tool} {rows[tool][key]:,.1f}"
                  for tool in OURS if rows[tool][key] >= value]
    return lines


def behind_of_two(rows):
    return [f"two sockets: {key}: {name} {rows[name][key]:,.1f}, {tool} {rows[tool][key]:,.1f}"
            for key in AHEAD_OF_TWO for name in THEIRS for tool in OURS
            if rows[tool][key] >= rows[name][key]]


def compare():
    """Return the results as bench.compare() does, and true if no other tool is better."""
    platform = bench.PLATFORMS[PLATFORM]
    sets = clocked.sets(platform)
    print("# measuring on the clocked machine", file=sys.stderr, flush=True)
    run = clocked.Run(PLATFORM, sets, TOOLS, periods=False, files=peers.files())
    two = of_two_sockets(sets[-1])
    lines, wrong = [], behind_of_two(two)
    for events in sets:
        lines += table(events, run)
        wrong += behind(events, run)
    lines += table_of_two(two, bench.SOCKETS * sets[-1].counters)
    bench.written("peers", lines)
    for text in wrong:
        print(f"NOT ahead: {text}")
    return {"lines": lines, "two sockets": two}, not wrong
