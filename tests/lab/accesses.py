# SPDX-License-Identifier: GPL-2.0-only
"""Register accesses of one command: those that the model counts, and those that the session
reports."""

import contextlib

# The watchdog reads the status of each die once a second, and its accesses belong to no session.
# Two reads of the oracle are tens of milliseconds apart, on a busy host hundreds.
WATCHDOG_TRIES = 50
WATCHDOG_TRACE = "/sys/kernel/tracing/instances/watchdog"
WATCHDOG_EVENT = "events/timer/hrtimer_expire_entry"


@contextlib.contextmanager
def watchdog_runs(machine):
    """Context manager: yield a function that returns how often the watchdog's timer began to
    run."""
    address = machine.sh("grep ' watchdog_tick.*\\[ucore\\]' /proc/kallsyms").split()[0]
    machine.run(f"mkdir {WATCHDOG_TRACE}")
    try:
        machine.write(f"{WATCHDOG_TRACE}/{WATCHDOG_EVENT}/filter", f"function == 0x{address}")
        machine.write(f"{WATCHDOG_TRACE}/{WATCHDOG_EVENT}/enable", 1)
        yield lambda: machine.run(f"cat {WATCHDOG_TRACE}/trace").out.count("hrtimer_expire_entry:")
    finally:
        machine.run(f"echo 0 > {WATCHDOG_TRACE}/events/enable; rmdir {WATCHDOG_TRACE}")


def accesses_now(machine, session, command):
    """Count the register accesses of a command by kind, and those that the session reports.

    The accesses of the watchdog are among the former, if it runs.
    """
    def now():
        status = session.status()
        return {**machine.oracle("accesses")["total"], "reported_reads": status["reads"],
                "reported": status["reads"] + status["writes"]}
    before = now()
    session.command(command)
    after = now()
    return {kind: after[kind] - before[kind] for kind in after}


def without_watchdog(machine, measure):
    """Return the result of measure() in which the watchdog did not run."""
    with watchdog_runs(machine) as runs:
        for _ in range(WATCHDOG_TRIES):
            before, made = runs(), measure()
            if runs() == before:
                return made
    raise AssertionError("the watchdog ran during each command")


def accesses_of(machine, session, command):
    """Count the register accesses of a command by kind, which the session must report."""
    made = without_watchdog(machine, lambda: accesses_now(machine, session, command))
    assert made["all"] == made["reported"], made
    return made


# upper bound of the accesses of one box: five counters of two dwords
BOX_ACCESSES = 10


def read_by(machine, session):
    """Return the accesses of each CPU in a READ and the number of parallel reads."""
    def now():
        status = session.status()
        return ([cpu["pmon"] for cpu in machine.oracle("cpus")["cpus"]],
                status["reads"] + status["writes"], status["parallel_reads"])

    def measure():
        before, reported, parallel_reads = now()
        session.read()
        after, reported_after, parallel_after = now()
        return ([new - old for old, new in zip(before, after)], reported_after - reported,
                parallel_after - parallel_reads)
    made, reported, parallel_reads = without_watchdog(machine, measure)
    assert sum(made) == reported, (made, reported)
    return made, parallel_reads
