# SPDX-License-Identifier: GPL-2.0-only
"""The decorator @test: a lab test is a function that gets a booted machine.

    from lab.framework import test, skip

    @test("e2-2s", kernels=("6.1", "6.12"))
    def boxes_of_both_sockets_are_listed(m):
        assert "imc7" in m.sh("ucoretool list")

The test passes if the function returns, the kernel log is clean and the model detected no
violation.  A function that returns a list of Results counts as that many tests. The list
must not be empty.
"""

import dataclasses
import time
from typing import Callable

from lab.machine import CheckFailed

# KERNELS: for tests of locks, memory and simultaneous calls, in which the debug kernel, built from
# the source of 6.12, finds more
KERNELS = ("6.1", "debug")
# BOTH: for tests of what Linux itself does: its own driver, perf, NMIs, hotplug, suspend
BOTH = ("6.1", "6.12")
KMEMLEAK = "/sys/kernel/debug/kmemleak"
# Scenarios whose debug boots end with a search for leaks, as KUnit's boot does. Other debug
# boots disable the tracking of memory, which takes a third of their time.
SEARCHED = ("e2-2s",)

registry = []


class Skip(Exception):
    """A test cannot run in this environment; the text names what is missing."""


@dataclasses.dataclass(frozen=True)
class Result:
    """Result of one subtest; a test function may return a list of Results."""
    name: str
    verdict: str            # passed, failed, skipped; kept: of an earlier run, not counted
    text: str = ""


def skip(reason):
    raise Skip(reason)


@dataclasses.dataclass(frozen=True)
class Boot:
    """Machine of a test; tests with equal boots share one."""
    scenario: str
    kernel: str
    options: tuple          # sorted items of further Machine() arguments

    def __str__(self):
        return f"{self.scenario or 'pc'} {self.kernel}"


@dataclasses.dataclass(frozen=True)
class Test:
    name: str
    function: Callable
    boot: Boot              # None for a test without a machine
    timeout: int
    loaded: bool = False    # ucore.ko is loaded before the test
    module: bool = False    # ucore.ko is in the guest
    strict: bool = True     # fail the test on protocol violations that the model detects
    alone: bool = False     # registers and module are as after the boot, before and after the test
    perf: bool = False      # Debian's perf is in the guest

    def __str__(self):
        return f"{self.name} [{self.boot}]" if self.boot else self.name


def united(tests):
    """Give all debug tests of a scenario the same settings, because the debug kernel boots
    slowly."""
    settings = {}
    for boot in {test.boot for test in tests if test.boot and test.boot.kernel == "debug"}:
        of_all = settings.setdefault(boot.scenario, {})
        for key, value in dict(boot.options).get("settings", ()):
            if of_all.setdefault(key, value) != value:
                raise ValueError(f"{boot}: tests disagree about {key}")

    def changed(test):
        if not test.boot or test.boot.kernel != "debug":
            return test
        options = {**dict(test.boot.options), "settings": settings[test.boot.scenario]}
        return dataclasses.replace(test, boot=dataclasses.replace(
            test.boot, options=frozen({key: value for key, value in options.items() if value})))
    return [changed(test) for test in tests]


def frozen(options):
    """Convert options to a hashable value; dict() reverses it."""
    return tuple(sorted((key, frozen(value) if isinstance(value, dict) else value)
                        for key, value in options.items()))


def test(scenario=None, kernels=("6.1",), *, loaded=True, module=True, strict=True,
         alone=False, perf=False, timeout=60, machine=True, **options):
    """Register a test, once for each kernel.

    scenario machine of the test.  With a tuple, the test runs on each further machine only
             with the first kernel, because the machines differ, not the kernels
    loaded   load ucore.ko before the test; False if the test loads the module or needs none
    module   False: the test runs even if ucore.ko does not build
    strict   False: protocol violations are no failure
    alone    all registers are as after the boot when the test begins; it may leave any state
    perf     provide Debian's perf
    timeout  seconds on an idle host, doubled on the debug kernel
    machine  False: the test has no machine, the function has no argument
    options  arguments of Machine() (cmdline=..., settings=...).  Only tests with equal options
             share a boot
    """
    def register(function):
        name = f"{function.__module__.rpartition('.')[2]}.{function.__name__}"
        for where in pairs(scenario, kernels) if machine else (None,):
            boot = Boot(*where, frozen(options)) if where else None
            registry.append(Test(name, function, boot, timeout, loaded and module, module,
                                 strict, alone, perf))
        return function
    return register


def pairs(scenario, kernels):
    """Return the (scenario, kernel) pairs: the first scenario on each kernel, the others on the
    first."""
    first, *others = scenario if isinstance(scenario, tuple) else (scenario,)
    return [*((first, kernel) for kernel in kernels), *((name, kernels[0]) for name in others)]


def no_leaks(m):
    """Unload ucore.ko and fail if kmemleak finds a leak (debug kernel, end of a boot)."""
    if "ucore " in m.sh("cat /proc/modules"):
        m.rmmod()
    m.allow(r"kmemleak: \d+ new suspected")     # this function evaluates the remaining suspects
    # kmemleak reports no object younger than 5 s, and none that only one scan found
    time.sleep(5)
    # an object that a later scan finds referenced is no leak
    for scans in range(1, 6):
        m.run(f"echo scan > {KMEMLEAK}", timeout=120)
        found = m.read(KMEMLEAK)
        if scans > 1 and not found:
            return
    raise CheckFailed(found)


def searched(boot):
    """Return true if kmemleak tracks memory in this boot."""
    return boot.kernel == "debug" and boot.scenario in SEARCHED


def leak_test(boot):
    return Test("lab.no_leaks", no_leaks, boot, 180)
