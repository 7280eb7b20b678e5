# SPDX-License-Identifier: GPL-2.0-only
"""`make fuzz-calls` and `make soak`: runs for hours, and their figures.

    python3 -m soak.run fuzz CALLS SEED     calls at random, as many and as fast as can be
    python3 -m soak.run soak HOURS SEED     everything at low rate: calls at random, faults,
                                            CPUs that come and go, tools, lost interrupts

Both on the debug kernel, with a session beside them that has to count exactly. What is wrong
ends the run; one that ends well writes its table into Documentation/testing/figures.md.
"""

import argparse
import contextlib
import os
import sys
import time

from lab import framework, ktap
from lab.machine import CheckFailed, Machine
from lab.session import LOST, SAMPLE, SAMPLE_THROTTLED
from machine.exact import counting, stop_exactly
from soak import figures

SCENARIO, KERNEL = "e2-2s", "debug"
# The model's log is read by nobody here, and counters would make it grow by gigabytes
SETTINGS = {"model.log-counters": "no"}
SLICE = 20000           # calls that one process of uapi_fuzz makes
SOAK_SLICE = 2000
REST_US = 20000         # between two calls of one of its workers, in a soak
HOTPLUG = """
while [ ! -e /tmp/enough ]; do
    for cpu in 1 3; do
        echo 0 > /sys/devices/system/cpu/cpu$cpu/online; sleep 2
        echo 1 > /sys/devices/system/cpu/cpu$cpu/online; sleep 2
        echo $cpu
    done
done"""
RECORD = """
while [ ! -e /tmp/enough ]; do
    rm -f /tmp/soak
    ucoretool record --timer 20ms -e r3qpi/event=0x01/ -o /tmp/soak -- sleep 2 >/dev/null &&
        ucoretool script -i /tmp/soak >/tmp/soak.txt && echo done
    sleep 5
done"""


def say(text):
    print(f"# {text}", flush=True)


def passed(results):
    """Fails unless all of them passed; the results."""
    wrong = [f"{result.name}: {result.text}" for result in results if result.verdict == "failed"]
    if wrong:
        raise CheckFailed("\n".join(wrong))
    return results


class Run:
    """One boot, and what is counted in it."""

    def __init__(self, machine, session, seed):
        self.machine = machine
        self.session = session
        self.seed = seed
        self.figures = figures.Figures(kernel=f"{machine.kernel.release}, debug")
        self._began = time.monotonic()
        self._numbers = {}

    def elapsed(self):
        return time.monotonic() - self._began

    def tap(self, command, timeout):
        """A program that must pass; what it printed."""
        done = self.machine.run(command, timeout=timeout, check=False)
        results = list(ktap.parsed(done.out))
        if not results:
            raise CheckFailed(f"{command} ended with {done.status}:\n{done.out}{done.err}")
        passed(results)
        return done.out

    def calls(self, count, rest_us):
        """Calls at random, each time others."""
        self.figures.take_calls(self.tap(f"uapi_fuzz {count} {self.seed} {rest_us}", 3600))
        self.seed += 1

    def faults(self):
        self.figures.take_faults(self.tap("uapi_faults", 1800))

    def look(self):
        """Nothing wrong so far; what the session has recorded is looked at, and forgotten."""
        self.machine.check_log()
        self.machine.check_model()
        records = self.session.drain()
        for record in records:
            die = record["domain"]
            lost = record.get("lost", 0) if record["type"] == LOST else 0
            expected = self._numbers.get(die, 0)
            self.figures.missing += record["seq"] - expected - lost
            self._numbers[die] = record["seq"] + 1
            if record["type"] == SAMPLE:
                self.figures.samples += 1
                if not record["flags"] & SAMPLE_THROTTLED:
                    self.figures.longest_ns = max(self.figures.longest_ns, record["frozen_ns"])
        os.truncate(self.machine.directory / "model.log", 0)

    def end(self):
        """Everything is right, to the last count; nothing is left."""
        self.figures.counted = stop_exactly(self.machine, self.session)
        self.figures.events = len(self.session.events)
        self.look()
        status = self.session.status()
        self.figures.overflows, self.figures.recovered = status["overflows"], status["recovered"]
        self.figures.lost = status["lost"]
        if self.figures.missing:
            raise CheckFailed(f"{self.figures.missing} records are missing, and not told")

    def ended(self):
        """The session is gone, too."""
        self.machine.settle()
        framework.no_leaks(self.machine)
        self.machine.check_log()
        self.machine.check_model()
        self.figures.seconds = self.elapsed()
        return self.figures


@contextlib.contextmanager
def looped(run, script):
    """A loop of the guest's beside what is done; afterwards how many lines it printed."""
    lines = []
    process = run.machine.spawn(script)
    yield lines
    run.machine.run("touch /tmp/enough")
    lines += process.wait(timeout=300).out.splitlines()


def fuzz(run, calls):
    run.faults()
    while run.figures.calls < calls:
        run.calls(min(SLICE, calls - run.figures.calls), 0)
        run.look()
        say(f"{run.figures.calls:,} of {calls:,} calls, {run.elapsed():.0f} s")


def soak(run, seconds):
    run.faults()
    with looped(run, HOTPLUG) as hotplugs, looped(run, RECORD) as recordings:
        while run.elapsed() < seconds:
            run.machine.inject("lose-pmi 0 1")
            run.figures.pmis_lost += 1
            run.calls(SOAK_SLICE, REST_US)
            run.look()
            say(f"{run.elapsed():.0f} of {seconds:.0f} s, {run.figures.calls:,} calls")
    run.machine.run("rm /tmp/enough")
    run.figures.hotplugs, run.figures.recordings = len(hotplugs), len(recordings)
    run.faults()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("kind", choices=("fuzz", "soak"))
    parser.add_argument("amount", type=float)
    parser.add_argument("seed", type=int)
    options = parser.parse_args()
    with Machine(SCENARIO, KERNEL, settings=SETTINGS) as machine:
        machine.write(framework.KMEMLEAK, "scan=off")
        machine.insmod()
        with counting(machine) as session:
            run = Run(machine, session, options.seed)
            if options.kind == "fuzz":
                fuzz(run, int(options.amount))
            else:
                soak(run, 3600 * options.amount)
            run.end()
        found = run.ended()
    command = f"make fuzz-calls CALLS={int(options.amount)} SEED={options.seed}" \
        if options.kind == "fuzz" else f"make soak HOURS={options.amount:g} SEED={options.seed}"
    figures.written(options.kind, command, found)
    for what, value in found.rows():
        print(f"{what}: {value}")


if __name__ == "__main__":
    sys.exit(main())
