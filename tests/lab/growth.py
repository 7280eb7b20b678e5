# SPDX-License-Identifier: GPL-2.0-only
"""How the cost of each command grows with its input, on the clocked machine.

A program of the guest (guest/programs/costs.c) times each command with inputs of growing size.
The time consists of instructions and of the prices of register accesses (clocked.py). Each time
is compared with that of half the input.

usage: PYTHONPATH=tests python3 -m lab.growth [events|box|boxes|sessions|cpus]...
"""

import dataclasses
import sys

from lab import access_costs, tables
from lab.clocked import KERNEL
from lab.machine import Machine

# One CPU, whose clock advances by what it executes
CLOCKED = {"machine.icount": 0, "machine.plugged": 1}
# A command may cost twice as much with twice the input. The rest is for the kernel's own
# interrupts and for allocations, which come in steps
TWICE = 2.1
# Commands that hold a common lock, or a CPU with interrupts off, for most of their time
OF_ALL = ("ADD_EVENT", "ADD_EVENT-refused", "REMOVE_EVENT", "CREATE_SESSION", "GET_SESSIONS-page",
          "GET_STATUS", "RESET", "STOP", "switch")
LONGEST_NS = 1_000_000


@dataclasses.dataclass(frozen=True)
class Input:
    """An input that grows: the program's word for it, a title, the sizes, the machine."""
    word: str
    title: str
    sizes: tuple
    scenario: str = "clock-spr"


INPUTS = (
    Input("events", "events of a session, in groups", (2048, 4096, 8192, 16384)),
    Input("box", "groups of a session on one box", (15, 30, 60)),
    Input("boxes", "boxes of a session, one event on each", (125, 250, 500, 990), "boxes-1000"),
    Input("sessions", "sessions", (1250, 2500, 5000, 10000)),
)
CPUS = (256, 512, 1024)


def times_of(text):
    """Return command -> {size: ns} of the program's output."""
    found = {}
    for line in text.splitlines():
        command, size, ns = line.split()
        found.setdefault(command, {})[int(size)] = int(ns)
    return found


def boot(scenario, cpus=0):
    return Machine(scenario, KERNEL, strict=False,
                   settings=access_costs.settings() | CLOCKED | {"model.log-counters": "no"},
                   cmdline=f"possible_cpus={cpus}" if cpus else "")


def measured(grows):
    """Return command -> {size: ns} for an input."""
    with boot(grows.scenario) as machine:
        machine.insmod()
        return times_of(machine.run(f"costs {grows.word} {' '.join(map(str, grows.sizes))}",
                                    timeout=1800).out)


def measured_by_cpus():
    """Return command -> {CPUs: ns} for a session of 64 events, and for a new session."""
    found = {}
    for cpus in CPUS:
        with boot("clock-spr", cpus) as machine:
            machine.insmod()
            text = machine.run("costs boxes 64 && costs sessions 1", timeout=600).out
        for command, times in times_of(text).items():
            found.setdefault(command, {})[cpus] = next(iter(times.values()))
    return found


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
    return [f"{command}: {ns:,} ns with {size}" for command, by_size in times.items()
            if command in OF_ALL for size, ns in by_size.items() if ns > LONGEST_NS]


def rows(times):
    for command, by_size in times.items():
        sizes = sorted(by_size)
        yield (command.replace("-", ", "), *(f"{by_size[size] / 1000:,.1f}" for size in sizes),
               f"{by_size[sizes[-1]] / by_size[sizes[-2]]:.2f}")


def lines_of(title, times):
    sizes = sorted(next(iter(times.values())))
    yield f"### {title[0].upper()}{title[1:]}"
    yield ""
    yield from tables.of(("µs", *(f"{size:,}" for size in sizes), "last ratio"), rows(times))
    yield ""


def main(*words):
    wrong = []
    for grows in INPUTS:
        if not words or grows.word in words:
            wrong += shown(grows.title, measured(grows))
    if not words or "cpus" in words:
        wrong += shown("possible CPUs, 64 events", measured_by_cpus())
    for text in wrong:
        print(f"WRONG: {text}")
    return 1 if wrong else 0


def shown(title, times):
    """Print a table; return the commands that cost too much, as text."""
    print("\n".join(lines_of(title, times)), flush=True)
    return steep(times) + long(times)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
