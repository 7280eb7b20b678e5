# SPDX-License-Identifier: GPL-2.0-only
"""Timers of the driver in the kernel's trace: time of each run, requested time of the next run.

    with traced(m, "poll_tick") as timers:
        samples = run_polled(m, ...)
        (timer,) = timers().values()
    assert_requests_every(timer, 2 * MS)

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
# module parameter; traced() sets 100 %, because a budget would delay timers of slow emulated CPUs
# (tested in test_budget.py)
BUDGET = "/sys/module/ucore/parameters/cpu_time_max_percent"
EVENTS = ("hrtimer_start", "hrtimer_expire_entry")
EVENT = re.compile(r"\[(\d+)\] .* (\d+)\.(\d{6}): hrtimer_(start|expire_entry): .* "
                   r"(?:expires|now)=(\d+)")


@dataclasses.dataclass(frozen=True)
class Timer:
    """A timer on one CPU. Its trace times are exact to 1 us, the requested times to 1 ns."""
    requests: list      # (time of the request, requested time): by START, and by each run
    runs: list          # (begin, end): end is the time at which the run requested the next one


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
    """Context manager: trace the timers whose callback is @function of the driver.

    Yield a function that returns CPU -> Timer.
    """
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

def assert_requests_every(timer, period):
    """Check that each run requests the next multiple of @period (ns), and skips only past ones."""
    grid = timer.requests[0][1]
    assert len(timer.requests) == 1 + len(timer.runs) > 10, timer
    for when, instant in timer.requests:
        assert (instant - grid) % period == 0 and instant <= when + period + US, \
            (when, instant, grid)


# ---- samples, and the runs that took them ----

def until_traced(timer, samples):
    """Return the samples that were taken before the trace ended."""
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
    first_requests = {cpu: timer.requests[0][1] for cpu, timer in timers.items()}
    assert first_requests in firsts, (first_requests, begun)
    for cpu, timer in timers.items():
        assert_requests_every(timer, period)
        of_die = [sample for sample in until_traced(timer, samples) if sample["cpu"] == cpu]
        assert len(of_die) == len(timer.runs), (len(of_die), len(timer.runs))
        for sample, (start, end) in zip(of_die, timer.runs):
            assert start - US <= sample["time"] <= end + US, (sample, start, end)


def assert_late_by_one_poll(timer, samples):
    """Check that each polled sample reports the time since the previous poll.

    The first poll comes after START. The last sample can be that of STOP.
    """
    ends = [end for _, end in timer.runs]
    judged = until_traced(timer, samples[:-1])
    assert len(judged) > 10, (judged, timer)
    for sample in judged:
        poll = bisect.bisect(ends, sample["time"])
        assert timer.runs[poll][0] - US <= sample["time"], (sample, timer.runs[poll])
        since = sample["time"] - sample["late_ns"]
        if poll:
            begin, end = timer.runs[poll - 1]
            assert begin - US <= since <= end + US, (sample, begin, end)
        else:
            assert sample["late_ns"] == sample["time_enabled"], sample
