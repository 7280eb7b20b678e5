# SPDX-License-Identifier: GPL-2.0-only
"""Overflows that freeze the die without a PMI (UCORE_SESSION_F_NO_PMI), found by polls."""

import errno

from lab.framework import KERNELS, test
from lab.session import (FIXED, SAMPLE_CONTEXT, SAMPLE_FROZEN, SAMPLE_POLLED, SAMPLE_RECOVERED,
                         SAMPLE_THROTTLED, US, Session, assert_equal, die_of, flagged,
                         interrupting, refused, sample_until)
from machine import eventset
from machine.armed import WATCHDOG, run_armed
from machine.cores import CoreSession, cores
from machine.test_pmi import CORE_SEL, arm, nmis
from machine.timers import budget_of

CLOCK = {"event": 0}
SILENT = SAMPLE_POLLED | SAMPLE_FROZEN


# ---- helpers ----

def silent_set(session, hz=40):
    """Return events with periods on a PCI box, an MSR box and the UBox's fixed counter of each
    die, and an event without a period."""
    second = "cbo1" if (0, "cbo1") in session.ids else "cha1"
    wanted = []
    for die in sorted({die for die, _ in session.ids}):
        for box, ctr in (("imc1", 0), ("pcu0", 0), ("ubox0", FIXED)):
            period = eventset.period_for(box, die, ctr, CLOCK, hz, session.platform)
            wanted.append((box, die, ctr, period, {} if ctr == FIXED else CLOCK))
        wanted.append((second, die, 1, 0, CLOCK))
    return wanted


def assert_no_interrupt(m, mark, before):
    """Check that neither the model has sent a PMI since @mark nor Linux has counted an NMI."""
    assert not m.truth("pmi", mark), m.truth("pmi", mark)[0]
    assert nmis(m) == before, (before, nmis(m))


def has_route(m):
    """Return whether pmi_core_sel of die 0 selects a core. The reader may be any CPU."""
    return bool(m.oracle("state")["sockets"][0]["global_ctl"] & CORE_SEL)


def overflow_windows(m, mark, die):
    """Return the frozen time (ns) of each freeze of a die by an overflow."""
    ends = {line["seq"]: line["frozen_ns"] for line in m.truth("unfreeze", mark)}
    return [ends[freeze["seq"]] for freeze in m.truth("freeze", mark)
            if freeze["socket"] == die and freeze["reason"] == "overflow"
            and freeze["seq"] in ends]


def assert_late(samples, windows):
    """Check that late_ns and frozen_ns of each sample cover the time for which the die stood
    still.

    The clocks may differ by 1 in 1000.
    """
    assert len(samples) == len(windows) and samples, (len(samples), len(windows))
    for sample, window in zip(samples, windows):
        assert sample["late_ns"] + sample["frozen_ns"] >= window * 0.999 - US, (sample, window)


# ---- exact samples without an interrupt ----

@test(("e2-2s", "hswep-2s", "bdxep-1s", "skx-2s", "icx-1s"), kernels=KERNELS)
def overflow_samples_without_pmi_are_exact(m):
    m.write(WATCHDOG, 0)
    with Session(m) as s:
        wanted = silent_set(s)
    before, mark = nmis(m), m.truth_length()
    samples = run_armed(m, wanted, each_overflowed_if_armed(3, wanted), no_pmi=True)
    assert_no_interrupt(m, mark, before)
    for sample in samples:
        assert sample["flags"] & SILENT == SILENT, sample
        assert not sample["flags"] & (SAMPLE_CONTEXT | SAMPLE_RECOVERED), sample
        assert not sample["ip"] and not sample["pid"] and sample["late_ns"], sample


def each_overflowed_if_armed(times, wanted):
    armed = [number for number, event in enumerate(wanted) if event[3]]

    def enough(_, samples):
        seen = [event for sample in samples for event in flagged(sample)]
        return all(seen.count(event) >= times for event in armed)
    return enough


@test(("e2-2s", "skx-2s"))
def late_ns_covers_the_time_for_which_the_die_stood_still(m):
    m.write(WATCHDOG, 0)
    with budget_of(m, 100), Session(m, ring=1 << 22, no_pmi=True) as s:
        arm(s, dies=(0,), hz=40)
        mark, before = m.truth_length(), die_of(m, 0)
        s.start()
        samples = sample_until(m, s, lambda found: len(found) >= 30)
        assert_equal(s.sample_differences(samples, s.freezes(mark)))
        status = s.status()
        assert_late(samples, overflow_windows(m, mark, 0))
    assert status["polled"] == status["overflows"] == len(samples), status
    assert status["polls"] >= len(samples) and not status["recovered"], status
    assert all(die_of(m, 0)[name] == before[name] for name in ("pmis", "recovered")), before


@test("e2-2s")
def read_and_timer_find_overflows_without_pmi(m):
    """READs and timer samples find overflows before the poll; late_ns is a bound for these,
    too."""
    m.write(WATCHDOG, 0)
    with budget_of(m, 100), Session(m, ring=1 << 22, timer_ns=700 * US, no_pmi=True) as s:
        arm(s, dies=(0,), hz=100)
        mark = m.truth_length()
        s.start()
        samples = sample_until(m, s, lambda found: s.read() and
                               sum(bool(flagged(sample)) for sample in found) >= 30)
        assert_equal(s.sample_differences([x for x in samples if flagged(x)],
                                          [f for f in s.freezes(mark) if f["cause"]]))
        silent = [sample for sample in samples if flagged(sample)]
        assert all(sample["flags"] & SILENT == SILENT for sample in silent), silent[0]
        assert not any(sample["flags"] & SILENT for sample in samples if not flagged(sample))
        assert_late(silent, overflow_windows(m, mark, 0))


@test("e2-2s")
def overflow_storm_without_pmi_is_throttled(m):
    m.write(WATCHDOG, 0)
    with budget_of(m, 5), Session(m, ring=1 << 22, no_pmi=True) as s:
        s.add("ubox0", 0, FIXED, 2000)
        before, mark = nmis(m), m.truth_length()
        s.start()
        sample_until(m, s, lambda found: any(sample["flags"] & SAMPLE_THROTTLED
                                             for sample in found))
        assert_no_interrupt(m, mark, before)
        assert s.budget()["dropped"], s.budget()


# ---- sessions that need a PMI, and sessions that need none ----

@test(("e2-2s", "hswep-2s"))
def pmi_serves_all_sessions_while_one_needs_it(m):
    m.write(WATCHDOG, 0)

    def more(*sessions):
        before = [s.status()["samples"] for s in sessions]
        m.wait_until(lambda: all(s.status()["samples"] >= old + 10
                                 for s, old in zip(sessions, before)), what="samples")

    with budget_of(m, 100), Session(m, ring=1 << 22, no_pmi=True) as silent, \
            Session(m, ring=1 << 22) as loud:
        arm(silent, dies=(0,))
        period = eventset.period_for("imc0", 0, 1, CLOCK, 90, loud.platform)
        loud.add("imc0", 0, 1, period, **CLOCK)
        mark = m.truth_length()
        silent.start()
        assert not has_route(m)
        more(silent)
        assert not m.truth("pmi", mark), m.truth("pmi", mark)[0]
        loud.start()
        assert has_route(m)
        more(silent, loud)
        assert m.truth("pmi", mark)
        loud.stop()
        assert not has_route(m)
        stopped = m.truth_length()
        more(silent)
        assert not m.truth("pmi", stopped), m.truth("pmi", stopped)[0]
        samples = sample_until(m, silent, lambda _: True)
        # START and STOP of the other session freeze the die, too
        assert_equal(silent.sample_differences(
            [sample for sample in samples if flagged(sample)],
            [f for f in silent.freezes(mark) if "imc1.0" in f["cause"]]))
        flags = [bool(sample["flags"] & SAMPLE_FROZEN) for sample in samples]
        first, last = flags.index(False), len(flags) - flags[::-1].index(False)
        # polled, then with PMIs, then polled
        assert first >= 10 and not any(flags[first:last]) and all(flags[last:]), flags
        assert all(not sample["flags"] & SAMPLE_RECOVERED for sample in samples)
        records = [r for r in loud.drain() if "flags" in r]
        assert records and not any(r["flags"] & (SAMPLE_FROZEN | SAMPLE_RECOVERED)
                                   for r in records), records


@test("e2-2s")
def start_and_stop_of_both_kinds_in_any_order_set_the_route(m):
    """Each of the two kinds starts and stops first; the route is set while one needs a PMI."""
    m.write(WATCHDOG, 0)
    for order in ("sLls", "sLSl", "LsSl", "LslS"):
        with Session(m, ring=1 << 20, no_pmi=True) as silent, Session(m, ring=1 << 20) as loud:
            arm(silent, dies=(0,), hz=50)
            loud.add("imc0", 0, 1, eventset.period_for("imc0", 0, 1, CLOCK, 50, loud.platform),
                     **CLOCK)
            running = set()
            for step in order:
                kind = step.lower()
                session = silent if kind == "s" else loud
                if kind in running:
                    session.stop()
                    running.remove(kind)
                else:
                    session.start()
                    running.add(kind)
                assert has_route(m) == ("l" in running), (order, step)
                if kind in running:
                    m.wait_until(lambda s=session: s.status()["samples"] >= 3, what="samples")
            assert not running and not silent.status()["recovered"], silent.status()
            assert not loud.status()["recovered"], loud.status()


# ---- periods that are refused ----

@test(("e2-2s", "snbep-2s", "snr-1s"))
def period_that_cannot_freeze_is_refused(m):
    """EOPNOTSUPP as for a period that must interrupt; an event without a period is accepted."""
    with Session(m, no_pmi=True) as s:
        boxes = ["cbo0"] if s.platform == "ivbep" else ["imc0", "pcu0"]
        for box in boxes:
            for period in (10000000, interrupting(10000000)):
                with refused(errno.EOPNOTSUPP):
                    s.add(box, 0, 0, period, event=1)
            s.add(box, 0, 0, 0, event=1)


@test("e2-2s")
def period_of_a_core_without_pmi_is_refused(m):
    with cores(m), CoreSession(m, no_pmi=True) as s:
        with refused(errno.EOPNOTSUPP):
            s.on(0, 0, 1000000, event=0x3c)
        s.on(0, 0, event=0x3c)


@test("e2-2s")
def time_between_polls_follows_the_shortest_possible_period(m):
    """poll_ns is an eighth of the period at 5 GHz, 100 us to 10 ms."""
    with Session(m, no_pmi=True) as s:
        for number, (period, due) in enumerate(((1000, 100 * US), (4000000, 100 * US),
                                                (8000000, 200 * US), (1 << 40, 10000 * US))):
            answer = s.command(f"add {s.ids[0, f'imc{number}']} 0 {period} event=0")
            assert answer["poll_ns"] == due, (period, answer)
