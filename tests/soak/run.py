# SPDX-License-Identifier: GPL-2.0-only
"""`make fuzz-calls`: faults and calls at random, for hours, and their figures.

    python3 -m soak.run CALLS SEED

On the debug kernel, with a session beside them that has to count exactly. What is wrong ends
the run; one that ends well writes its table into Documentation/testing/figures.md.
"""

import argparse
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

    def calls(self, count):
        """Calls at random, each time others."""
        self.figures.take_calls(self.tap(f"uapi_fuzz {count} {self.seed}", 3600))
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


def fuzz(run, calls):
    run.faults()
    while run.figures.calls < calls:
        run.calls(min(SLICE, calls - run.figures.calls))
        run.look()
        say(f"{run.figures.calls:,} of {calls:,} calls, {run.elapsed():.0f} s")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("calls", type=int)
    parser.add_argument("seed", type=int)
    options = parser.parse_args()
    with Machine(SCENARIO, KERNEL, settings=SETTINGS) as machine:
        machine.write(framework.KMEMLEAK, "scan=off")
        machine.insmod()
        with counting(machine) as session:
            run = Run(machine, session, options.seed)
            fuzz(run, options.calls)
            run.end()
        found = run.ended()
    figures.written(f"make fuzz-calls CALLS={options.calls} SEED={options.seed}", found)
    for what, value in found.rows():
        print(f"{what}: {value}")


if __name__ == "__main__":
    sys.exit(main())
