# SPDX-License-Identifier: GPL-2.0-only
"""Register accesses of one command: those that the model counts, and those that the session
reports."""

# The watchdog reads the status of each die once a second, and its accesses belong to no session.
# Two reads of the oracle are tens of milliseconds apart, on a busy host hundreds.
WATCHDOG_TRIES = 200
TRACING = "/sys/kernel/tracing/instances/watchdog"
TIMERS = "events/timer/hrtimer_expire_entry"


class Watchdog:
    """Runs of the driver's watchdog in the kernel's trace.

    The module stays loaded while a session exists, so that the session keeps this object.
    """

    def __init__(self, machine):
        self._machine = machine
        self._seen = 0
        found = machine.sh("grep ' watchdog_tick.*\\[ucore\\]' /proc/kallsyms")
        machine.run(f"mkdir -p {TRACING} && cd {TRACING} && echo 0 >{TIMERS}/enable && "
                    f"echo 'function == 0x{found.split()[0]}' >{TIMERS}/filter && "
                    f"echo >trace && echo 1 >{TIMERS}/enable")

    def has_run(self):
        """Return true if the watchdog began to run since the last call."""
        before, trace = self._seen, self._machine.run(f"cat {TRACING}/trace").out
        self._seen = trace.count("hrtimer_expire_entry:")
        return self._seen > before


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


def all_reported(machine, session, measure, is_reported):
    """Return the first result of measure() for which is_reported() is true.

    Repeat only if the watchdog ran, because accesses that no other cause explains are an error.
    """
    session.watchdog = session.watchdog or Watchdog(machine)
    for _ in range(WATCHDOG_TRIES):
        made = measure()
        if is_reported(made):
            return made
        assert session.watchdog.has_run(), made
    raise AssertionError(f"the watchdog ran during each command: {made}")


def accesses_of(machine, session, command):
    """Count the register accesses of a command by kind, which the session must report."""
    return all_reported(machine, session, lambda: accesses_now(machine, session, command),
                        lambda made: made["all"] == made["reported"])


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
    made, _, parallel_reads = all_reported(machine, session, measure,
                                           lambda found: sum(found[0]) == found[1])
    return made, parallel_reads
