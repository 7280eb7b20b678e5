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
from machine.test_suspend import suspend_by, suspend_to_ram

DEBUG = ("debug",)
# Numbers of random calls; one allocation in STEP fails during loading
CALLS, CALLS32, FEW_CALLS, STEP = 8000, 2000, 100, 17
# Minimum numbers of driver places (of 6400) that random calls reach, and of call sequences that
# are kept: for CALLS (usually 2980 and 370) and for CALLS32 (usually 2400 and 180; 1600 were seen)
LEAST, LEAST32 = (2400, 200), (1000, 80)
REACHED = re.compile(r"^(\d+) places of the driver reached, (\d+) sequences kept, "
                     r"(\d+) processes guided$", re.M)
CROWDS = re.compile(r"^(\d+) crowds: (\d+) sessions, (\d+) refused \(EDQUOT\), (\d+) events, "
                    r"(\d+) refused \(ENOSPC\), at most (\d+) in a session$", re.M)
# Numbers of random calls during CPU hotplug (one operation in 250 calls) and during suspend
HOTPLUG_CALLS, SUSPEND_CALLS = 3000, 2500
# arguments of uapi_faultsleep: 0 fails the first allocation of ucore, N the Nth one of the kernel
SUSPEND_FAULTS = (0, 1, 512)


@test("e2-2s", kernels=DEBUG, timeout=300)
def failed_allocations_of_each_call_are_handled(m):
    with counting(m) as s:
        results = ktap.run(m, "uapi_faults", timeout=600)
        stop_exactly(m, s)
    return results


# The boxes are found by static tables, or by discovery tables. One of the machines has boxes of
# cores
@test(("e2-2s", "spr-2s"), kernels=DEBUG, loaded=False, timeout=300)
def failed_allocations_of_loading_are_handled(m):
    cores = int(m.scenario == "spr-2s")
    return ktap.run(m, f"uapi_faultload {m.module_path()} core_pmu={cores} {STEP}", timeout=600)


@test("e2-2s", kernels=DEBUG, timeout=120)
def failed_allocations_during_hotplug_are_handled(m):
    """CPU 2 is a reader and CPU 1 is not. CPUs 2 and 3 are all CPUs of a die."""
    with counting(m) as s:
        results = ktap.run(m, "uapi_faultcpu 2") + ktap.run(m, "uapi_faultcpu 1") + \
            ktap.run(m, "uapi_faultcpu 2 3")
        stop_exactly(m, s)
    return results


@test("e2-2s", kernels=DEBUG, timeout=300)
def failed_allocations_during_suspend_are_handled(m):
    """The session continues to count, whether the suspend succeeds or fails."""
    if m.kernel.name == "kcsan":
        skip("a kernel with KCSAN does not resume, with or without ucore")
    with counting(m) as s:
        outputs = [suspend_by(m, f"uapi_faultsleep {nth}").out for nth in SUSPEND_FAULTS]
        stop_exactly(m, s)
    results = list(ktap.parsed("".join(outputs)))
    assert len(results) == len(SUSPEND_FAULTS) and "512: injected" in outputs[-1], outputs
    return results


def expect_crowds(results):
    """Check that a process had all sessions of a user, and that a session had many events."""
    text = "\n".join(result.text for result in results)
    crowds = CROWDS.search(text)
    assert crowds, text
    _, sessions, at_limit, _, full, largest = map(int, crowds.groups())
    assert sessions >= 4096 and at_limit and full and largest > 500, crowds.group()


def reached(results):
    """Return the numbers of places, of kept call sequences and of guided processes."""
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
    if m.kernel.name == "debug":    # the KCSAN kernel has no KCOV
        for (places, sequences), found in ((LEAST, reached(results)), (LEAST32, reached(results32))):
            assert found[0] > places and found[1] > sequences and found[2], found
    return results + results32


# On the debug kernel the large crowds of the long runs take minutes
@test("e2-2s", kernels=("6.1",), timeout=120)
def random_calls_with_large_crowds_break_nothing(m):
    with counting(m) as s:
        results = ktap.run(m, f"uapi_fuzz -c {CALLS} 5", timeout=600)
        stop_exactly(m, s)
    expect_crowds(results)
    return results


@test("e2-2s", kernels=DEBUG, timeout=120)
def random_unguided_calls_break_nothing(m):
    """Fewer calls without guidance reach fewer places."""
    results = ktap.run(m, f"uapi_fuzz -u {FEW_CALLS} 1")
    if m.kernel.name == "debug":
        places, _, guided = reached(results)
        assert 0 < places < LEAST32[0] and not guided, (places, guided)
    return results


@test("e2-2s", kernels=DEBUG, timeout=300)
def random_calls_during_hotplug_break_nothing(m):
    """All CPUs except CPU 0 go offline and online, so that a die has no CPU at times."""
    with counting(m) as s:
        results = ktap.run(m, f"uapi_fuzz {HOTPLUG_CALLS} 3 0 1 2 3", timeout=600)
        assert any(value["flags"] & VALUE_GAP for value in s.read()["values"])
        stop_exactly(m, s)
    return results


@test("e2-2s", kernels=BOTH, timeout=300)
def random_calls_during_suspend_break_nothing(m):
    """Suspend stops the callers at any point, and they continue after the resume."""
    with counting(m) as s:
        command = f"uapi_fuzz {SUSPEND_CALLS} 4 1000"
        task = m.spawn(command, timeout=600)
        suspends = 0
        while not task.done:
            suspend_to_ram(m)
            suspends += 1
        assert any(value["flags"] & VALUE_GAP for value in s.read()["values"]), suspends
        results = ktap.finished(command, task.wait(check=False))
        stop_exactly(m, s)
    return results
