# SPDX-License-Identifier: GPL-2.0-only
"""`make check`: the list of the tests of `make test` names existing tests, of every platform."""

from pathlib import Path

from check.test_check import fail_on
from lab import runner, selection
from lab.framework import test
from lab.qemu import args, platforms


def machine_tests():
    return [test for test in runner.collected(Path(runner.TESTS / "machine"))
            if selection.on_kernel(test)]


@test(machine=False)
def selection_names_existing_tests():
    tests = machine_tests()
    patterns = [pattern for patterns in selection.TESTS.values() for pattern in patterns]
    fail_on(*(f"selection.py: no test on {selection.KERNEL} matches {pattern}"
              for pattern in patterns + list(selection.QUICK)
              if not any(selection.matches(test, (pattern,)) for test in tests)))


@test(machine=False)
def selection_has_every_platform():
    scenarios = {test.boot.scenario for test in machine_tests() if selection.is_short(test)}
    chosen = {args.Scenario(name).platform for name in scenarios if name}
    fail_on(*(f"selection.py: no machine of {name}" for name in platforms.PLATFORMS
              if name not in chosen))
