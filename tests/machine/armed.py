# SPDX-License-Identifier: GPL-2.0-only
"""Run sampling sessions, and check every value, flag and period of every sample."""

import statistics

from lab.session import (SAMPLE_POLLED, SAMPLE_THROTTLED, TRIGGER_OVERFLOW, US, Session,
                         assert_equal, assert_taken, flagged, once_per_freeze, sample_until)
from machine import eventset
from machine.timers import budget_of

# sysctl of perf's NMI watchdog. Tests that need each PMI in time turn it off, because LVTPC is
# masked while perf handles its NMI, and a PMI in this time is lost
WATCHDOG = "/proc/sys/kernel/nmi_watchdog"


def assert_periods(session, periods, samples, freezes):
    """Check that the flagged counters are those that overflowed, each after exactly one period.

    After a throttling pause (overflows that come too fast on a busy host), allow several
    periods.
    """
    at = {event: f"{c.box}.{c.ctr}" for event, c in session.events.items()}
    base = dict.fromkeys(periods, 0)
    paused = set()
    samples = once_per_freeze(samples)
    for sample, freeze in zip(samples, session.sampled(samples, freezes), strict=True):
        who = flagged(sample)
        assert {at[event] for event in who} == set(freeze["cause"]), (who, freeze["cause"])
        if who:
            assert sample["trigger"] == TRIGGER_OVERFLOW and sample["trigger_event"] == min(who)
        for value in sample["values"]:
            event = value["event"]
            if event in who:
                counted, base[event] = value["count"] - base[event], value["count"]
                more = counted - periods[event]
                if sample["domain"] in paused:
                    more %= periods[event]
                # the model's time has a resolution of 1 ns, in which fast clocks count up to 3
                assert 0 <= more <= 3, (at[event], counted, periods[event])
        if sample["flags"] & SAMPLE_THROTTLED:
            paused.add(sample["domain"])


def run_armed(machine, wanted, enough, **options):
    """Sample a set of events; check every value, flag and period.

    The check does not depend on the speed of the host. The CPU budget is tested by test_budget.
    """
    # without core counters there is no watchdog, and its file refuses writes
    machine.run(f"echo 0 2>/dev/null >{WATCHDOG}; [ $(cat {WATCHDOG} || echo 0) -eq 0 ]")
    with budget_of(machine, 100), Session(machine, ring=1 << 22, **options) as s:
        ids = s.add_all(wanted)
        periods = {event: w[3] for event, w in zip(ids, wanted) if w[3]}
        mark = machine.truth_length()
        s.start()
        samples = sample_until(machine, s, lambda found: enough(s, found))
        freezes = s.freezes(mark)
        assert_equal(s.sample_differences(samples, freezes))
        assert_periods(s, periods, samples, freezes)
        assert_taken(s, samples)
        status = s.status()
    assert status["overflows"] == sum(len(flagged(sample)) for sample in samples), status
    assert not status["recovered"], status
    return samples


def run_polled(machine, wanted, enough, **options):
    """Sample periods of counters that cannot interrupt, which the driver polls; check all."""
    with Session(machine, ring=1 << 22, **options) as s:
        ids = s.add_all(wanted)
        polled = {event: (period, eventset.rate_of(box, die, ctr, fields, s.platform))
                  for event, (box, die, ctr, period, fields) in zip(ids, wanted) if period}
        mark = machine.truth_length()
        s.start()
        samples = sample_until(machine, s, lambda found: enough(s, found))
        assert_equal(s.sample_differences(samples, s.freezes(mark)))
        assert_polls(polled, samples)
        assert_taken(s, samples)
        status = s.status()
    assert status["polled"] == status["overflows"] == sum(len(flagged(s)) for s in samples), status
    assert status["polls"] > len(samples) and not status["recovered"], status
    return samples


def assert_polls(polled, samples):
    """Check that each sample is of the first poll past a multiple of a period, and reports its
    delay.

    polled: event -> (period, counts per second)
    """
    ended = dict.fromkeys(polled, 0)        # number of periods that have ended
    for sample in samples:
        who = flagged(sample)
        assert sample["flags"] & SAMPLE_POLLED and sample["trigger"] == TRIGGER_OVERFLOW, sample
        assert who and sample["trigger_event"] == min(who), sample
        for value in sample["values"]:
            event, count = value["event"], value["count"]
            if event not in polled:
                continue
            period, rate = polled[event]
            assert (event in who) == (count // period > ended[event]), (sample, ended)
            if event in who:
                over = (count - (ended[event] + 1) * period) * 1000000000 // rate
                assert over <= latest(sample), f"over for {over} ns: {sample}"
            ended[event] = count // period


def latest(sample):
    """Return the maximum delay of a polled period: since the previous poll, or the frozen time
    of boxes.

    The clocks may differ by 1 in 1000.
    """
    return (sample["late_ns"] + sample["frozen_ns"]) * 1.001 + US


def assert_skews(reported, true):
    """Check that no skew is smaller than that of the model, and that the median is close to it.

    The driver measures from before the first write to after the last one. The clocks may differ
    by 1 in 1000, and the model writes its log before the last access ends.
    """
    assert len(reported) == len(true) and reported, (reported, true)
    assert all(t >= real * 0.999 - US for t, real in zip(reported, true)), (reported, true)
    assert statistics.median(t - real for t, real in zip(reported, true)) < 400 * US, \
        (reported, true)


def each_overflowed(times):
    def enough(session, samples):
        seen = [event for sample in samples for event in flagged(sample)]
        return all(seen.count(event) >= times for event in session.events)
    return enough
