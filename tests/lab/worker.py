# SPDX-License-Identifier: GPL-2.0-only
"""Runs the tests of one boot, in a process of its own."""

import signal
import time
import traceback

from lab.agent import patience
from lab.framework import Result, Skip
from lab.machine import CheckFailed, Machine

SLOWER = {"debug": 2}
PASSED, FAILED, SKIPPED = "passed", "failed", "skipped"


class Booted:
    """The machine of a boot; a new one after a test that may have spoiled it."""

    def __init__(self, boot, directory):
        self._boot = boot
        self._directory = directory
        self._machine = None
        self._count = 0

    def machine(self):
        if not self._machine:
            self._count += 1
            machine = Machine(self._boot.scenario, self._boot.kernel,
                              directory=self._directory / f"boot-{self._count}",
                              **dict(self._boot.options))
            self._machine = machine.__enter__()
            if self._boot.loaded:
                machine.insmod()
            machine.check_log()
        return self._machine

    def discard(self):
        if self._machine:
            self._machine.close()
            self._machine = None


def run_group(tests, directory, report):
    """report(event, test, ...): start; result with a Result and seconds; end."""
    signal.signal(signal.SIGALRM, overdue)
    directory.mkdir(parents=True)
    booted = Booted(tests[0].boot, directory) if tests[0].boot else None
    try:
        for test in tests:
            report("start", test)
            started = time.monotonic()
            results = run_test(test, booted)
            seconds = time.monotonic() - started
            for result in results:
                report("result", test, result, seconds if result is results[-1] else 0)
            report("end", test)
            if booted and any(result.verdict == FAILED for result in results):
                booted.discard()
    finally:
        if booted:
            booted.discard()


def run_test(test, booted):
    """Returns at least one Result; what goes wrong outside the subtests is one more."""
    found = []
    try:
        run_within_time(test, booted, found)
    except Skip as reason:
        return found + [Result("", SKIPPED, str(reason))]
    except CheckFailed as error:
        return found + [Result("", FAILED, f"{error}\n" + where_to_look(booted))]
    except Exception:
        return found + [Result("", FAILED, traceback.format_exc() + where_to_look(booted))]
    return found or [Result("", PASSED)]


def run_within_time(test, booted, found):
    machine = booted.machine() if booted else None
    slower = SLOWER.get(test.boot.kernel if test.boot else None, 1)
    signal.alarm(int(test.timeout * slower * patience()) + 1)
    try:
        if machine:
            run_on_machine(test, machine, found)
        else:
            found += test.function() or []
    finally:
        signal.alarm(0)


def run_on_machine(test, machine, found):
    machine.allowed = []
    machine.settle()
    machine.mark(f"begin {test.name}")
    try:
        found += test.function(machine) or []
    finally:
        # A message belongs to the test that caused it, even when that failed or skipped
        machine.mark(f"end {test.name}")
        machine.check_log()
    machine.check_model()


def where_to_look(booted):
    machine = booted and booted._machine
    return f"log: {machine.directory}\n" if machine else ""


def overdue(*_):
    raise TimeoutError("the test takes too long")
