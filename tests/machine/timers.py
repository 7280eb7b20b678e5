# SPDX-License-Identifier: GPL-2.0-only
"""The driver's timers in the kernel's trace: the time of each run, and the requested time of the next.

    with traced(m, "poll_tick") as timers:
        samples = run_polled(m, ...)
        (timer,) = timers().values()
    assert_asks_every(timer, 2 * MS)

A busy host runs timers late.  The checks do not depend on that delay, because a requested time is
compared with the time of the request.
"""

import bisect
import contextlib
import dataclasses
import itertools
import re

from lab.session import US

# A tracing instance separate from other tests, with the clock of samples. A full buffer accepts
# no more entries, so it has the first 5000 runs of a timer, however slow the host is
TRACING = "/sys/kernel/tracing/instances/timers"
SETTINGS = {"trace_clock": "mono", "options/overwrite": 0, "buffer_size_kb": 512}
# No limit: an emulated CPU is slow, and timers that are put off are the business of test_budget
BUDGET = "/sys/module/ucore/parameters/cpu_time_max_percent"
EVENTS = ("hrtimer_start", "hrtimer_expire_entry")
EVENT = re.compile(r"\[(\d+)\] .* (\d+)\.(\d{6}): hrtimer_(start|expire_entry): .* "
                   r"(?:expires|now)=(\d+)")


@dataclasses.dataclass(frozen=True)
class Timer:
    """A timer on one CPU. Its trace times are exact to 1 us, the requested times to 1 ns."""
    asked: list         # (when, for which instant): by START, and by each run
    runs: list          # (begin, end): end is the time at which it requested the next run


@contextlib.contextmanager
def budget_of(m, percent):
    usual = m.sh(f"cat {BUDGET}")
    m.write(BUDGET, percent)
    try:
        yield
    finally:
        m.write(BUDGET, usual)


# ---- tracing ----

@contextlib.contextmanager
def traced(m, function):
    """Yields a function: CPU -> Timer, of those since then that call this one of the driver's."""
    with budget_of(m, 100):
        address = m.sh(f"grep ' {function}.*\\[ucore\\]' /proc/kallsyms").split()[0]
        m.run(f"mkdir {TRACING}")
        try:
            for name, value in SETTINGS.items():
                m.write(f"{TRACING}/{name}", value)
            for event in EVENTS:
                m.write(f"{TRACING}/events/timer/{event}/filter", f"function == 0x{address}")
                m.write(f"{TRACING}/events/timer/{event}/enable", 1)
            yield lambda: timers_in(m.run(f"cat {TRACING}/trace").out)
        finally:
            m.run(f"echo 0 > {TRACING}/events/enable; rmdir {TRACING}")


def timers_in(trace):
    by_cpu = {}
    for cpu, seconds, us, event, instant in EVENT.findall(trace):
        by_cpu.setdefault(int(cpu), []).append((event, int(seconds + us) * US, int(instant)))
    return {cpu: timer_of(events) for cpu, events in by_cpu.items()}


def timer_of(events):
    """Group the events (name, time, requested time). The last run can find its session stopped
    and then requests nothing."""
    return Timer([(when, instant) for event, when, instant in events if event == "start"],
                 [(begin, end) for (event, begin, _), (following, end, _)
                  in itertools.pairwise(events)
                  if event == "expire_entry" and following == "start"])


# ---- requested times ----

def assert_asks_every(timer, period):
    """Each time for the next instant of one grid: none is left out that was not over already."""
    grid = timer.asked[0][1]
    assert len(timer.asked) == 1 + len(timer.runs) > 10, timer
    for when, instant in timer.asked:
        assert (instant - grid) % period == 0 and instant <= when + period + US, \
            (when, instant, grid)


# ---- samples, and the runs that took them ----

def until_traced(timer, samples):
    """Samples that were taken before the trace ended."""
    return [sample for sample in samples if sample["time"] <= timer.runs[-1][1]]


def assert_same_instants(timers, samples, period):
    """Check that the timers of all dies run at the same times, counted from the start of one of
    them.

    Each run took a sample. A die that started more than a period later has lost no sample. The
    sample of STOP, for a due period, has no run.
    """
    begun = {sample["cpu"]: sample["time"] - sample["time_enabled"] for sample in samples}
    assert set(begun) == set(timers), (begun, timers.keys())
    firsts = [{cpu: base + (max(begun[cpu] - base, 0) // period + 1) * period for cpu in timers}
              for base in begun.values()]
    asked = {cpu: timer.asked[0][1] for cpu, timer in timers.items()}
    assert asked in firsts, (asked, begun)
    for cpu, timer in timers.items():
        assert_asks_every(timer, period)
        of_die = [sample for sample in until_traced(timer, samples) if sample["cpu"] == cpu]
        assert len(of_die) == len(timer.runs), (len(of_die), len(timer.runs))
        for sample, (start, end) in zip(of_die, timer.runs):
            assert start - US <= sample["time"] <= end + US, (sample, start, end)


def assert_late_by_one_look(timer, samples):
    """Check that each polled sample reports the time since the previous poll.

    The first poll comes after START. The last sample can be that of STOP.
    """
    ends = [end for _, end in timer.runs]
    judged = until_traced(timer, samples[:-1])
    assert len(judged) > 10, (judged, timer)
    for sample in judged:
        look = bisect.bisect(ends, sample["time"])
        assert timer.runs[look][0] - US <= sample["time"], (sample, timer.runs[look])
        since = sample["time"] - sample["late_ns"]
        if look:
            begin, end = timer.runs[look - 1]
            assert begin - US <= since <= end + US, (sample, begin, end)
        else:
            assert sample["late_ns"] == sample["time_enabled"], sample
