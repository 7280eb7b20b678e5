# SPDX-License-Identifier: GPL-2.0-only
"""`make fuzz-calls` and `make soak`: run for hours, and write the results.

    python3 -m soak.run fuzz CALLS SEED     random calls at the maximum rate, with CPU hotplug in
                                            every fifth slice.  There is one boot for each half a
                                            million calls.  Successful boots are kept, and an
                                            interrupted run continues after them
    python3 -m soak.run soak MINUTES SEED   each allocation of loading fails once.  Then follow at
                                            a low rate: random calls, injected faults, CPU
                                            hotplug, suspend, the tool, hardware faults; with
                                            perf and the NMI watchdog

The runs use the debug kernel, with a concurrent session that must count exactly.  An error ends
the run.  A successful run writes its table into Documentation/testing/figures.md, together with
the longest times with interrupts off (irqs_off.py).
"""

import argparse
import contextlib
import dataclasses
import itertools
import os
import signal
import sys
import time

from lab import framework, kernels, ktap, progress
from lab.machine import CheckFailed, Machine
from lab.progress import Progress
from lab.session import LOST, SAMPLE, SAMPLE_THROTTLED
from machine.armed import WATCHDOG
from machine.exact import counting, stop_exactly
from machine.test_faults import UNKNOWN_NMI
from machine.test_suspend import KINDS, suspend_to_ram
from soak import figures, irqs_off

SCENARIO, KERNEL = "e2-2s", "debug"
# The log has no counter values, because these runs do not use them, and they would take gigabytes
SETTINGS = {"model.log-counters": "no"}
# files that determine a run. If one of them changes, an interrupted run does not continue
TRIED = ("driver", "uapi", "tests/uapi", "tests/kernel", "tests/soak/run.py", "tests/soak/figures.py",
         "tests/machine/exact.py", "tests/lab/qemu", f"tests/lab/scenarios/{SCENARIO}.ini")
SLICE = 20000           # random calls of one run of uapi_fuzz
BOOT = 500000           # random calls of a boot
SOAK_SLICE = 2000       # random calls of one run of uapi_fuzz in a soak
REST_US = 20000         # pause of a process between two calls, in a soak
# scenario -> value of core_pmu; each allocation during loading fails once on these scenarios
LOADED = {SCENARIO: 0, "spr-1s": 1, "icx-1s": 0}
REACHED = "/tmp/reached"    # places reached by the calls, kept for the next run
MOVING = "1 2 3"        # CPUs that go offline and online; CPU 0 stays online
# Hardware faults, one in each slice of a soak: (command that starts it, command that ends it).
# The box that stops responding has no overflow interrupts, because the status of a dead box could
# not be cleared
MISFORTUNES = (
    ("delay-pmi 0 3000000", "delay-pmi 0 0"),
    ("double-pmi 0 5 2000000", "double-pmi 0 0"),
    ("pmi 1", None),
    ("status 0 0x100000", None),
    ("dead 0 cbo1", "alive 0 cbo1"),
    ("fault 0 cbo0", "no-fault 0 cbo0"),
    ("stuck 0 ha1.1", "loose 0 ha1.1"),
)
# Other users of NMIs and counters run in every third slice, but not during suspend: after a
# resume perf's events no longer count, with ucore or without. They use the CPU that stays
# online, because perf fails if a CPU goes offline while it opens the events of all CPUs
PERF = "cd /tmp && rm -f perf.data && exec perf record -q -C 0 -e cycles -c 52000000 -o perf.data -- sleep 3600"
RECORD = """
while [ ! -e /tmp/enough ]; do
    rm -f /tmp/soak
    ucoretool record --timer 20ms -e r3qpi/event=0x01/ -o /tmp/soak -- sleep 2 >/dev/null 2>&1 &&
        ucoretool script -i /tmp/soak >/tmp/soak.txt && echo done
    sleep 5
done"""


def say(text):
    print(f"# {text}", flush=True)


def passed(results):
    """Return the results; raise CheckFailed if one has failed."""
    wrong = [f"{result.name}: {result.text}" for result in results if result.verdict == "failed"]
    if wrong:
        raise CheckFailed("\n".join(wrong))
    return results


def tap(machine, command, timeout):
    """Run a program that prints KTAP and must pass; return its output."""
    done = machine.run(command, timeout=timeout, check=False)
    results = list(ktap.parsed(done.out))
    if not results:
        raise CheckFailed(f"{command} ended with {done.status}:\n{done.out}{done.err}")
    passed(results)
    return done.out


class Run:
    """One boot and its results."""

    def __init__(self, machine, session, seed):
        self.machine = machine
        self.session = session
        self.seed = seed
        self.figures = figures.Figures(f"{machine.kernel.release}, debug", boots=1)
        self._began = time.monotonic()
        self._numbers = {}

    def elapsed(self):
        return time.monotonic() - self._began

    def calls(self, count, rest_us=0, moving=""):
        """Make random calls, with a new seed each time."""
        self.figures.take_calls(tap(
            self.machine, f"uapi_fuzz -c -k {REACHED} {count} {self.seed} {rest_us} {moving}", 3600))
        self.seed += 1

    def faults(self):
        self.figures.take_faults(tap(self.machine, "uapi_faults", 1800))

    def check(self):
        """Check both logs and the session's records, and discard them."""
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
        """Stop the session, and check its last counts and records."""
        self.figures.counted = stop_exactly(self.machine, self.session)
        self.figures.events = len(self.session.events)
        self.check()
        status = self.session.status()
        self.figures.overflows, self.figures.recovered = status["overflows"], status["recovered"]
        self.figures.lost = status["lost"]
        if self.figures.missing:
            raise CheckFailed(f"{self.figures.missing} records are missing without a report")

    def ended(self):
        """Check for leaks and errors after the session is closed; return the figures."""
        self.machine.settle()
        framework.no_leaks(self.machine)
        self.machine.check_log()
        self.machine.check_model()
        self.figures.seconds = self.elapsed()
        return self.figures


@contextlib.contextmanager
def recordings(run):
    """Run the tool's recordings in a loop. A recording may fail while CPUs are offline."""
    process = run.machine.spawn(RECORD)
    yield
    run.machine.run("touch /tmp/enough")
    run.figures.recordings = len(process.wait(timeout=300).out.splitlines())


@contextlib.contextmanager
def perf_and_watchdog(run):
    """Run perf in every third slice, and the NMI watchdog in every second one. perf may fail."""
    run.machine.write(WATCHDOG, run.figures.misfortunes % 2)
    perf = None if run.figures.misfortunes % 3 else run.machine.spawn(PERF)
    yield
    if perf:
        perf.kill(signal.SIGINT)
        perf.wait(timeout=300, check=False)
        run.figures.perf_recordings += run.machine.run("[ -s /tmp/perf.data ]", check=False).status == 0


@contextlib.contextmanager
def misfortune(run, begins, ends):
    """Inject a hardware fault and lose a PMI; end the fault afterwards."""
    run.machine.inject("lose-pmi 0 1")
    run.figures.pmis_lost += 1
    run.machine.inject(begins)
    run.figures.misfortunes += 1
    yield
    if ends:
        run.machine.inject(ends)


def can_suspend(machine):
    return "deep" in machine.run(f"cat {KINDS}", check=False).out


def fuzz(run, calls):
    run.faults()
    slices = 0
    while run.figures.calls < calls:
        slices += 1
        run.calls(min(SLICE, calls - run.figures.calls), moving="" if slices % 5 else MOVING)
        run.check()
        say(f"{run.figures.calls:,} of {calls:,} calls, {run.elapsed():.0f} s")


def soak(run, minutes):
    run.faults()
    suspends = can_suspend(run.machine)
    run.machine.allow(*UNKNOWN_NMI)     # duplicate or spurious PMIs are unknown NMIs
    misfortunes = itertools.cycle(MISFORTUNES)
    with recordings(run):
        while run.elapsed() < 60 * minutes:
            with perf_and_watchdog(run), misfortune(run, *next(misfortunes)):
                run.calls(SOAK_SLICE, REST_US, MOVING)
            if suspends:
                suspend_to_ram(run.machine)
                run.figures.suspends += 1
            run.check()
            say(f"{run.elapsed() / 60:.0f} of {minutes} min, {run.figures.calls:,} calls")
    run.faults()


def boot(doing, amount, seed):
    """Boot a machine, run the slices, and return the figures."""
    with Machine(SCENARIO, KERNEL, settings=SETTINGS, perf=True) as machine:
        machine.write(framework.KMEMLEAK, "scan=off")
        # the NMI watchdog uses a counter of each core, so that the core counters would be busy
        machine.write(WATCHDOG, 0)
        machine.insmod(cores=True)
        with counting(machine) as session:
            run = Run(machine, session, seed)
            doing(run, amount)
            run.end()
        return run.ended()


def boots_of_calls(calls, seed):
    """Make the remaining calls, in boots of BOOT calls; return the figures of all boots."""
    so_far = Progress("fuzz-calls", [progress.hash_of(*TRIED), kernels.get(KERNEL).release, calls, seed])
    found = figures.Figures(**(so_far.stored() or {}))
    if found.boots:
        say(f"{found.calls:,} calls of {found.boots} boots are done")
    while found.calls < calls:
        try:
            # each slice of a boot increments the seed
            found.add(boot(fuzz, min(BOOT, calls - found.calls), seed + BOOT * found.boots))
        except BaseException as error:
            found.broken += not isinstance(error, KeyboardInterrupt)
            so_far.store(dataclasses.asdict(found))
            raise
        so_far.store(dataclasses.asdict(found))
        say(f"{found.calls:,} of {calls:,} calls in {found.boots} boots, {found.seconds / 60:.0f} min")
    so_far.forget()
    return found


def faults_of_loading():
    """Let each allocation during loading fail once; return the figures.

    The machines find boxes by static tables, by a discovery table, and by addresses in config
    space.
    """
    found = figures.Figures()
    for scenario, cores in LOADED.items():
        say(f"each allocation of loading fails on {scenario}")
        with Machine(scenario, KERNEL, settings=SETTINGS) as machine:
            machine.write(framework.KMEMLEAK, "scan=off")
            found.take_loading(tap(machine, f"uapi_faultload {machine.module_path()} core_pmu={cores}", 3600))
            framework.no_leaks(machine)
            machine.check_log()
            machine.check_model()
    return found


def minutes_of_soak(minutes, seed):
    found = faults_of_loading()
    found.add(boot(soak, minutes, seed))
    return found


KINDS_OF_RUN = {"fuzz": (boots_of_calls, "fuzz-calls CALLS"), "soak": (minutes_of_soak, "soak MINUTES")}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("kind", choices=KINDS_OF_RUN)
    parser.add_argument("amount", type=int)
    parser.add_argument("seed", type=int)
    options = parser.parse_args()
    doing, target = KINDS_OF_RUN[options.kind]
    found = doing(options.amount, options.seed)
    figures.written(options.kind, f"make {target}={options.amount} SEED={options.seed}", found)
    for what, value in found.rows():
        print(f"{what}: {value}")
    irqs_off.main()


if __name__ == "__main__":
    sys.exit(main())
