# SPDX-License-Identifier: GPL-2.0-only
"""How a lab test is written: a function that gets a booted machine.

    from lab.framework import test, skip

    @test("e2-2s", kernels=("6.1", "6.12"))
    def boxes_of_both_sockets_are_listed(m):
        assert "imc7" in m.sh("ucoretool list")

It passes when it returns, the kernel log is clean and the model saw no violation.
A function that returns a list of Results counts as that many tests.
"""

import dataclasses
import time
from typing import Callable

from lab.machine import CheckFailed

# For @test(kernels=...): all, and both of Debian's
KERNELS = ("6.1", "6.12", "debug")
BOTH = ("6.1", "6.12")
KMEMLEAK = "/sys/kernel/debug/kmemleak"
# Debug boots that end with a search for leaks; the others need not track memory for one, which
# takes a third of their time.  KUnit's ends with one, too.
SEARCHED = ("e2-2s", "spr-2s")

registry = []


class Skip(Exception):
    """The test cannot run here; the text says what is missing."""


@dataclasses.dataclass(frozen=True)
class Result:
    """One of several results of a test function that returns a list of them."""
    name: str
    verdict: str            # passed, failed, skipped
    text: str = ""


def skip(reason):
    raise Skip(reason)


@dataclasses.dataclass(frozen=True)
class Boot:
    """Tests with equal boots share one."""
    scenario: str
    kernel: str
    options: tuple          # sorted items of further Machine() arguments

    def __str__(self):
        return f"{self.scenario or 'pc'} {self.kernel}"


@dataclasses.dataclass(frozen=True)
class Test:
    name: str
    function: Callable
    boot: Boot              # None: the test needs no machine
    timeout: int
    loaded: bool = False    # ucore.ko is loaded when it begins
    module: bool = False    # ... or at least at hand
    strict: bool = True     # the model looks for violations
    alone: bool = False     # registers and module as after the boot, before and after it
    perf: bool = False      # Debian's perf is at hand

    def __str__(self):
        return f"{self.name} [{self.boot}]" if self.boot else self.name


def united(tests):
    """The debug kernel takes long to boot: once for a scenario, with what any test there sets."""
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
    """Options as something that can be compared and hashed; dict() undoes it."""
    return tuple(sorted((key, frozen(value) if isinstance(value, dict) else value)
                        for key, value in options.items()))


def test(scenario=None, kernels=("6.1",), *, loaded=True, module=True, strict=True,
         alone=False, perf=False, timeout=60, machine=True, **options):
    """Registers a test, once for each kernel.

    scenario several of them (a tuple): the test also runs on each of the others, on
             the first kernel alone: what differs there is the machine, not the kernel
    loaded   insmod ucore.ko before (a test that wants to do that itself, or
             without it, says False)
    module   False: it can do without ucore.ko, should that not build
    strict   False: protocol violations are no failure
    alone    begins with all registers as after the boot, and nobody minds how it
             leaves them
    perf     with Debian's perf at hand
    timeout  seconds on an idle host, doubled on the debug kernel
    machine  False: no machine at all, the function takes no argument
    options  for Machine(), and tests with others do not share its boot:
             cmdline=..., settings=...
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
    """(scenario, kernel): the first scenario on each kernel, the others on the first one."""
    first, *others = scenario if isinstance(scenario, tuple) else (scenario,)
    return [*((first, kernel) for kernel in kernels), *((name, kernels[0]) for name in others)]


def no_leaks(m):
    """kmemleak finds nothing, ucore.ko being gone (debug kernel, end of a boot)."""
    if "ucore " in m.sh("cat /proc/modules"):
        m.rmmod()
    m.allow(r"kmemleak: \d+ new suspected")     # what is left of them is judged here
    # kmemleak reports nothing younger than 5 s, nor what it has seen only once
    time.sleep(5)
    # ... and what something refers to at a later scan again was none
    for scans in range(1, 6):
        m.run(f"echo scan > {KMEMLEAK}", timeout=120)
        found = m.read(KMEMLEAK)
        if scans > 1 and not found:
            return
    raise CheckFailed(found)


def searched(boot):
    """Is memory tracked in this boot?"""
    return boot.kernel == "debug" and boot.scenario in SEARCHED


def leak_test(boot):
    return Test("lab.no_leaks", no_leaks, boot, 180)
