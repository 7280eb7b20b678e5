# SPDX-License-Identifier: GPL-2.0-only
"""Run the tests of one boot in a separate process."""

import os
import signal
import time
import traceback

from lab import framework
from lab.agent import patience
from lab.framework import Result, Skip
from lab.machine import CheckFailed, Machine

SLOWER = {"debug": 2, "kcsan": 4}
# perf uses a bit of DEBUGCTL on every CPU, and sets it again when a CPU comes online
OWN_DEBUGCTL = ("smi=/sys/bus/event_source/devices/cpu/freeze_on_smi; [ ! -e $smi ] || "
                "{ found=$(cat $smi); echo 0 >$smi; echo $found >$smi; }")
PASSED, FAILED, SKIPPED = "passed", "failed", "skipped"
KEPT = "kept"       # a verdict of an earlier run, which is printed but not counted


class Booted:
    """The machine of a boot, replaced after a test that may have left it in a wrong state."""

    def __init__(self, boot, directory, **content):
        self._boot = boot
        self._directory = directory
        self._content = content
        self._machine = None
        self._state = None      # (loaded, module, strict); None: unknown, after a test
        self._count = 0

    def machine(self):
        if not self._machine:
            self._count += 1
            machine = Machine(self._boot.scenario, self._boot.kernel,
                              directory=self._directory / f"boot-{self._count}",
                              track=framework.searched(self._boot),
                              **self._content, **dict(self._boot.options))
            self._machine = machine.__enter__()
            # disable the automatic scan of kmemleak, which can start at any time and takes 20 s
            if framework.searched(self._boot):
                machine.write(framework.KMEMLEAK, "scan=off")
            self._state = (False, False, True)
        return self._machine

    def ready(self, test):
        """Return the machine in the state that a test needs."""
        machine = self.machine()
        wanted = (test.loaded, test.module, test.strict)
        if self._state != wanted or test.alone:
            restore(machine, test.loaded, test.strict)
        self._state = None if test.alone else wanted
        machine.allowed = []
        machine.check_log()
        return machine

    def cpu_seconds(self):
        return self._machine.cpu_seconds() if self._machine else 0

    def discard(self):
        if self._machine:
            self._machine.close()
            self._machine = None


def restore(machine, loaded, strict):
    """Restore the module, the registers and the model to the state after the boot."""
    machine.settle()
    present = [line.split()[0] for line in machine.read("/proc/modules").splitlines()]
    for name in ("ucore", "intel_uncore"):
        if name in present:
            machine.rmmod(name)
    if machine.scenario:
        machine.inject("power-on")
        machine.sh(OWN_DEBUGCTL)
        machine.inject(f"strict {'yes' if strict else 'no'}")
    if loaded:
        machine.insmod()
        machine.run("have")     # the driver tests each box once; do that before the tests begin


def run_group(tests, directory, report):
    """Run a group of tests. report(event, test, ...) gets start, result (a Result and seconds)
    and end."""
    directory.mkdir(parents=True)
    booted = Booted(tests[0].boot, directory, module=any(test.module for test in tests),
                    perf=any(test.perf for test in tests)) if tests[0].boot else None
    try:
        for test in tests:
            report("start", test)
            elapsed, worked = time.monotonic(), cpu_seconds(booted)
            results = run_test(test, booted)
            cost = (time.monotonic() - elapsed, cpu_seconds(booted) - worked)
            for result in results:
                report("result", test, result, cost if result is results[-1] else ())
            report("end", test)
            if booted and any(result.verdict == FAILED for result in results):
                booted.discard()
    finally:
        if booted:
            booted.discard()


def cpu_seconds(booted):
    """Return the CPU seconds of this process, its terminated children and its machine."""
    spent = os.times()
    emulated = booted.cpu_seconds() if booted else 0
    return spent.user + spent.system + spent.children_user + spent.children_system + emulated


def run_test(test, booted):
    """Return at least one Result. A failure outside the subtests is one more Result."""
    found = []
    try:
        run_within_time(test, booted, found)
    except Skip as reason:
        return found + [Result("", SKIPPED, str(reason))]
    except CheckFailed as error:
        return found + [Result("", FAILED, f"{error}\n" + circumstances(booted))]
    except Exception:
        return found + [Result("", FAILED, traceback.format_exc() + circumstances(booted))]
    return found or [Result("", PASSED)]


class Alarm:
    """End a test at its timeout, which is extended by the load of the host."""

    def __init__(self, seconds):
        self._seconds = seconds
        self._began = time.monotonic()
        self._patience = 0
        signal.signal(signal.SIGALRM, self._rings)
        self._rings()

    def _rings(self, *_):
        self._patience = max(self._patience, patience())
        left = self._seconds * self._patience - (time.monotonic() - self._began)
        if left <= 0:
            raise TimeoutError("the test takes too long")
        signal.alarm(int(left) + 1)


def run_within_time(test, booted, found):
    machine = booted.ready(test) if booted else None
    Alarm(test.timeout * SLOWER.get(test.boot.kernel if test.boot else None, 1))
    try:
        if machine:
            run_on_machine(test, machine, found)
        else:
            found += results_of(test.function())
    finally:
        signal.alarm(0)


def results_of(returned):
    """Return the Results of a test function. None means one test, which passed."""
    if returned is None:
        return []
    results = list(returned)
    if not results:
        raise CheckFailed("the test returned a list without results, so that it tested nothing")
    return results


def run_on_machine(test, machine, found):
    machine.allowed = []
    machine.settle()
    machine.mark(f"begin {test.name}")
    try:
        found += results_of(test.function(machine))
    finally:
        # a message belongs to the test that caused it, even if the test failed or was skipped
        machine.mark(f"end {test.name}")
        machine.check_log()
    machine.check_model()


def circumstances(booted):
    """Return the data that distinguish errors of driver, model and host, and the paths of the
    logs."""
    machine = booted and booted._machine
    load = f"host: load {' '.join(f'{load:.1f}' for load in os.getloadavg())} on " \
           f"{os.cpu_count()} CPUs\n"
    return load + (machine.circumstances() + f"log: {machine.directory}\n" if machine else "")
