# SPDX-License-Identifier: GPL-2.0-only
"""Fault injection on the debug kernel: each allocation and each user copy fails once, plus
random calls.

Nothing may remain afterwards, a concurrent session counts exactly, and kmemleak runs at the end
of the boot. `make fuzz-calls` runs longer (tests/soak).
"""

import re

from lab import ktap
from lab.framework import BOTH, skip, test
from lab.session import VALUE_GAP
from machine.exact import counting, stop_exactly
from machine.test_suspend import asleep_by, suspend_to_ram

DEBUG = ("debug",)
# So many calls at random; each STEPth allocation of loading
CALLS, CALLS32, FEW_CALLS, STEP = 20000, 5000, 300, 11
# minimum of driver places that random calls reach (of 6400) and of inputs that are kept
PLACES, WAYS = 1800, 100
REACHED = re.compile(r"^(\d+) places of the driver reached, (\d+) ways kept, (\d+) processes led$", re.M)
# ... while CPUs go and come (uapi_fuzz: 250 calls for one that does), while the machine sleeps
CALLS_OF_MOVES, CALLS_OF_SLEEPS = 6000, 5000
# index of the failing allocation of the kernel; 0 is the first of ucore
FAULTS_OF_SLEEP = (0, 1, 512)


@test("e2-2s", kernels=DEBUG, timeout=300)
def failed_allocations_of_each_call_are_handled(m):
    with counting(m) as s:
        results = ktap.run(m, "uapi_faults", timeout=600)
        stop_exactly(m, s)
    return results


# By static tables, by a discovery table, by addresses in config space; with boxes of cores and without
@test(("e2-2s", "spr-1s", "icx-1s"), kernels=DEBUG, loaded=False, timeout=300)
def failed_allocations_of_loading_are_handled(m):
    cores = int(m.scenario == "spr-1s")
    return ktap.run(m, f"uapi_faultload {m.module_path()} core_pmu={cores} {STEP}", timeout=600)


@test("e2-2s", kernels=DEBUG, timeout=120)
def failed_allocations_during_hotplug_are_handled(m):
    """CPU 2 reads its die, CPU 1 does not; 2 and 3 are a die."""
    with counting(m) as s:
        results = ktap.run(m, "uapi_faultcpu 2") + ktap.run(m, "uapi_faultcpu 1") + \
            ktap.run(m, "uapi_faultcpu 2 3")
        stop_exactly(m, s)
    return results


@test("e2-2s", kernels=DEBUG, timeout=300)
def failed_allocations_during_suspend_are_handled(m):
    """Asleep or not, the session goes on."""
    if m.kernel.name == "kcsan":
        skip("a kernel with KCSAN does not wake up again, without ucore neither")
    with counting(m) as s:
        told = [asleep_by(m, f"uapi_faultsleep {nth}").out for nth in FAULTS_OF_SLEEP]
        stop_exactly(m, s)
    results = list(ktap.parsed("".join(told)))
    assert len(results) == len(FAULTS_OF_SLEEP) and "512: injected" in told[-1], told
    return results


def reached(results):
    """Places, ways kept and processes led, of calls at random."""
    text = "\n".join(result.text for result in results)
    found = REACHED.search(text)
    assert found, text
    return tuple(map(int, found.groups()))


@test("e2-2s", kernels=DEBUG, timeout=300)
def random_calls_break_nothing(m):
    with counting(m) as s:
        results = ktap.run(m, f"uapi_fuzz {CALLS} 1", timeout=600)
        results32 = ktap.run(m, f"uapi_fuzz32 {CALLS32} 2", timeout=600)
        stop_exactly(m, s)
    if m.kernel.name == "debug":    # KCSAN's has no KCOV
        for places, ways, led in (reached(results), reached(results32)):
            assert places > PLACES and ways > WAYS and led, (places, ways, led)
    return results + results32


@test("e2-2s", kernels=DEBUG, timeout=120)
def random_unguided_calls_break_nothing(m):
    """Few come to less."""
    results = ktap.run(m, f"uapi_fuzz -u {FEW_CALLS} 1")
    if m.kernel.name == "debug":
        places, _, led = reached(results)
        assert 0 < places < PLACES and not led, (places, led)
    return results


@test("e2-2s", kernels=DEBUG, timeout=300)
def random_calls_during_hotplug_break_nothing(m):
    """All but CPU 0: a die at times has none."""
    with counting(m) as s:
        results = ktap.run(m, f"uapi_fuzz {CALLS_OF_MOVES} 3 0 1 2 3", timeout=600)
        assert any(value["flags"] & VALUE_GAP for value in s.read()["values"])
        stop_exactly(m, s)
    return results


@test("e2-2s", kernels=BOTH, timeout=300)
def random_calls_during_suspend_break_nothing(m):
    """Callers are stopped wherever they are, and go on."""
    with counting(m) as s:
        command = f"uapi_fuzz {CALLS_OF_SLEEPS} 4 1000"
        task = m.spawn(command, timeout=600)
        asleep = 0
        while not task.done:
            suspend_to_ram(m)
            asleep += 1
        assert any(value["flags"] & VALUE_GAP for value in s.read()["values"]), asleep
        results = ktap.finished(command, task.wait(check=False))
        stop_exactly(m, s)
    return results
