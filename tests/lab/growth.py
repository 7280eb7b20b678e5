# SPDX-License-Identifier: GPL-2.0-only
"""How the cost of each command grows with its input, on the clocked machine.

A program of the guest (guest/programs/costs.c) times each command with inputs of growing size.
The time consists of instructions and of the prices of register accesses (clocked.py). Each time
is compared with that of half the input. The model's log has the times for which a die was frozen.

usage: PYTHONPATH=tests python3 -m lab.growth [events|box|boxes|running|sessions|cpus]...

FIGURES=update writes the tables of Documentation/cost-growth.md. Without it the times are compared
with those tables. `make test-all` does the same comparison (machine/test_growth.py).
"""

import dataclasses
import os
import sys

from lab import access_costs, artifacts, tables
from lab.clocked import KERNEL
from lab.machine import Machine

PAGE = artifacts.TOP / "Documentation/cost-growth.md"
# One CPU, whose clock advances by what it executes
CLOCKED = {"machine.icount": 0, "machine.plugged": 1}
SETTINGS = access_costs.settings() | CLOCKED | {"model.log-counters": "no"}
# A command may cost twice as much with twice the input. The rest is for the kernel's own
# interrupts and for allocations, which come in steps
TWICE = 2.25
# A time may be so much longer than the page says
LATER = 1.25
LONGEST_NS = 1_000_000
# Limits of rows whose time is mostly spent with a lock of several sessions, with interrupts off or
# with a frozen die (ns). The other rows do most of their work in process context, under the lock
# of their own session. START programs all boxes of a die in one freeze.
LIMITS = dict.fromkeys(("ADD_EVENT", "ADD_EVENT-refused", "REMOVE_EVENT", "READ", "RESET", "STOP",
                        "switch", "CREATE_SESSION", "GET_SESSIONS-page", "GET_STATUS",
                        "other-freeze"), LONGEST_NS)
LIMITS["freeze-by-START"] = 1_500_000
NONE = "-"
# Value of the marker that costs.c sets before START
BEFORE_START = 1


@dataclasses.dataclass(frozen=True)
class Input:
    """An input that grows: a title, the sizes, the machine."""
    title: str
    sizes: tuple
    scenario: str = "clock-spr"


INPUTS = {
    "events": Input("events of a session, in groups", (1024, 2048, 4096, 8192)),
    "box": Input("groups of a session on one box", (15, 30, 60)),
    "boxes": Input("boxes of a session, one event on each", (125, 250, 500, 990), "boxes-1000"),
    "running": Input("running sessions on a die, one event in each", (50, 100, 200, 400)),
    "sessions": Input("sessions", (1250, 2500, 5000, 10000)),
}
CPUS = Input("possible CPUs, 64 events", (256, 512, 1024))


# ---- Measurement ----

def times_of(text):
    """Return command -> ns of the program's output."""
    return {command: int(ns) for command, _, ns in map(str.split, text.splitlines())}


def freezes_of(log):
    """Return the longest times (ns) for which a die was frozen: by START, and by anything else."""
    longest, by = {}, "other-freeze"
    for event in log:
        if event["ev"] == "marker":
            by = "freeze-by-START" if event["value"] == BEFORE_START else "other-freeze"
        elif event["ev"] == "unfreeze":
            longest[by] = max(longest.get(by, 0), event["frozen_ns"])
    return longest


def boot(scenario, cpus=0):
    return Machine(scenario, KERNEL, strict=False, settings=SETTINGS,
                   cmdline=f"possible_cpus={cpus}" if cpus else "")


def timed(machine, command):
    """Return command -> ns for a size of an input."""
    since = machine.truth_length()
    found = times_of(machine.run(command, timeout=900).out)
    return found | freezes_of(machine.truth(since=since))


def united(times):
    """Return command -> {size: ns} of size -> {command: ns}."""
    commands = dict.fromkeys(command for found in times.values() for command in found)
    return {command: {size: found[command] for size, found in times.items() if command in found}
            for command in commands}


def measured(machine, word):
    """Return command -> {size: ns} for an input."""
    return united({size: timed(machine, f"costs {word} {size}") for size in INPUTS[word].sizes})


def measured_by_cpus():
    """Return command -> {CPUs: ns} for a session of 64 events, and for a new session."""
    times = {}
    for cpus in CPUS.sizes:
        with boot(CPUS.scenario, cpus) as machine:
            machine.insmod()
            found = int(machine.read("/sys/devices/system/cpu/possible").rpartition("-")[2]) + 1
            assert found == cpus, f"{found} possible CPUs"
            times[cpus] = timed(machine, "costs boxes 64 && costs sessions 1")
    return united(times)


# ---- Checks ----

def steep(times):
    """Return the commands that cost more than twice as much with twice the input, as text."""
    lines = []
    for command, by_size in times.items():
        sizes = sorted(by_size)
        for half, size in zip(sizes, sizes[1:]):
            if by_size[size] > TWICE * by_size[half]:
                lines.append(f"{command}: {by_size[half]:,} ns with {half}, "
                             f"{by_size[size]:,} ns with {size}")
    return lines


def long(times):
    """Return the commands that hold a common lock for too long, as text."""
    return [f"{command}: {ns:,} ns with {size}, the limit is {LIMITS[command]:,}"
            for command, by_size in times.items() if command in LIMITS
            for size, ns in by_size.items() if ns > LIMITS[command]]


def outdated(lines, times):
    """Return the commands that cost more than the page's table says, as text."""
    table = {cells[1].strip(): cells[2:-2] for cells in (line.split("|") for line in lines)
             if len(cells) > 3}
    wrong = []
    for name, *cells in rows(times):
        before = table.get(name, ())
        if len(before) != len(cells) - 1:
            wrong.append(f"{name}: the page has no such row")
        wrong += [f"{name}: {now} µs instead of {old.strip()} µs"
                  for old, now in zip(before, cells)
                  if microseconds(now) > LATER * microseconds(old)]
    return wrong


def microseconds(cell):
    cell = cell.strip().replace(",", "")
    return 0 if cell == NONE else float(cell)


def sizes_of(times):
    return sorted({size for by_size in times.values() for size in by_size})


def rows(times):
    """Yield the rows of the table. A row has no time for a size at which nothing was measured."""
    *_, half, most = sizes = sizes_of(times)
    for command, by_size in times.items():
        cells = [f"{by_size[size] / 1000:,.1f}" if size in by_size else NONE for size in sizes]
        ratio = f"{by_size[most] / by_size[half]:.2f}" if {half, most} <= set(by_size) else NONE
        yield (command.replace("-", " "), *cells, ratio)


def table_of(times):
    sizes = sizes_of(times)
    return list(tables.of(("µs", *(f"{size:,}" for size in sizes), "last ratio"), rows(times)))


def wrong(word, times):
    """Return what is wrong with an input's times, as text. FIGURES=update writes the page."""
    if os.environ.get("FIGURES") == "update":
        tables.put(PAGE, f"growth {word}", table_of(times))
    old = tables.parted(PAGE.read_text(), f"growth {word}")[1].splitlines()
    return steep(times) + long(times) + outdated(old, times)


def main(*words):
    found = []
    for word in words or (*INPUTS, "cpus"):
        if word == "cpus":
            times = measured_by_cpus()
        else:
            with boot(INPUTS[word].scenario) as machine:
                machine.insmod()
                times = measured(machine, word)
        print(f"### {INPUTS.get(word, CPUS).title}", "", *table_of(times), "", sep="\n", flush=True)
        found += wrong(word, times)
    for text in found:
        print(f"WRONG: {text}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
