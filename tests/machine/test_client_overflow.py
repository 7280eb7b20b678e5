# SPDX-License-Identifier: GPL-2.0-only
"""Exact overflow samples of client processors, without a PMI.

An overflow clears the level that enables all boxes, if the mode for this is set. Polls of the
global status find it (UCORE_SESSION_F_NO_PMI). No source states what clears the status. A trial in
the self-test of each box finds out. On a machine that does something else, periods are polled.
"""

import errno
import json

from lab.framework import test
from lab.session import (BOX_OVERFLOW, FIXED, SAMPLE_FROZEN, SAMPLE_POLLED, VALUE_CONFLICT, Session,
                         assert_equal, flagged, refused, sample_until)
from machine import eventset
from machine.armed import each_overflowed, run_armed, run_polled
from machine.eventset import type_of
from machine.registers import peek, poke
from machine.test_client import GLOBAL_CTL, RUN
from machine.test_overflow_freeze import (DIE, FREEZE, POLLABLE, RESUME, STATUS, TRIAL,
                                          assert_samples, caps_of, registers, selftest)
from machine.timers import budget_of

MACHINES = ("snb-1s", "hsw-1s", "skl-1s", "icl-1s", "tgl-1s", "adl-1s")
BOX_FIXED_OVERFLOW = 1 << 1
LOOKUPS, REQUESTS = {"event": 0x34, "umask": 0x8f}, {"event": 0x81, "umask": 1}
EVENTS = {"cbo": (0, LOOKUPS), "arb": (0, REQUESTS), "clock": (FIXED, {})}
SLOW = 1 << 40


def wanted(s, hz, boxes=None):
    """Return an event with a period for each box, or for @boxes."""
    events = []
    for n, (die, box) in enumerate(sorted(s.ids)):
        if type_of(box) not in EVENTS or (boxes and box not in boxes):
            continue
        ctr, fields = EVENTS[type_of(box)]
        events.append((box, die, ctr, eventset.period_for(box, die, ctr, fields, hz + n,
                                                          s.platform), fields))
    return events


def sample(m, boxes=None, hz=10, times=2):
    with Session(m) as s:
        events = wanted(s, hz, boxes)
    samples = run_armed(m, events, each_overflowed(times), no_pmi=True)
    assert_samples(samples)
    return samples


# ---- correct machines ----

@test(MACHINES, timeout=120)
def overflows_of_each_box_are_sampled_exactly(m):
    sample(m)


@test("snb-1s", kernels=("debug",), timeout=300)
def overflows_are_sampled_exactly_under_the_debug_kernel(m):
    sample(m, hz=6)


@test("cml-1s", timeout=120)
def overflows_of_ten_cbos_share_a_status_bit(m):
    sample(m, [f"cbo{n}" for n in range(10)], hz=5)


@test("adl-1s")
def memory_controllers_run_on_after_an_overflow(m):
    """The overflow stops the other boxes. The skew includes the time until the driver freezes them."""
    mark = m.truth_length()
    events = [("clock0", 0, FIXED, eventset.period_for("clock0", 0, FIXED, {}, 12, "adl"), {}),
              *((f"imc{n}", 0, 0, 0, {"event": 1}) for n in (0, 1))]
    samples = run_armed(m, events, lambda _, found: len(found) > 3, no_pmi=True)
    lines = [line for line in m.truth(since=mark) if line["ev"] in ("freeze", "box-freeze")]
    skews = [ran_on["t"] - freeze["t"] for freeze, _, ran_on in zip(lines, lines[1:], lines[2:])
             if freeze.get("reason") == "overflow" and ran_on.get("box") == "imc1"]
    assert len(skews) >= len(samples) >= 3, (skews, samples)
    for sample_, skew in zip(samples, skews[-len(samples):]):
        assert sample_["skew_ns"] >= skew > 0, (skew, sample_)


@test("skl-1s")
def both_counters_of_a_cbo_overflow(m):
    """No status shows which of them it was."""
    events = [("cbo2", 0, ctr, eventset.period_for("cbo2", 0, ctr, fields, 12 + ctr, "skl"), fields)
              for ctr, fields in enumerate((LOOKUPS, {"event": 0x22, "umask": 0x41}))]
    assert_samples(run_armed(m, events, each_overflowed(3), no_pmi=True))


@test("snb-1s")
def sessions_share_the_period_of_a_counter(m):
    period = eventset.period_for("cbo0", 0, 0, LOOKUPS, 20, "snb")
    with budget_of(m, 100), Session(m, ring=1 << 22, no_pmi=True) as s, \
            Session(m, ring=1 << 22, no_pmi=True) as other:
        for session in (s, other):
            session.add("cbo0", 0, 0, period, **LOOKUPS)
        s.start()
        other.start()
        for session in (s, other):
            samples = sample_until(m, session, lambda taken: len(taken) >= 6)
            ended = [value["count"] for taken in samples if flagged(taken)
                     for value in taken["values"]]
            # each ends its own periods, which began at its own START
            assert_equal([f"period {n}: {count}" for n, count in enumerate(ended, 1)
                          if not 0 <= count - n * period <= 3])
            assert len(ended) >= 5, ended


@test("skl-1s", timeout=120, settings={"model.pmi": "no"})
def polled_and_frozen_periods_share_a_cbo(m):
    """One session polls the periods of an event, and another one lets them freeze the die."""
    with budget_of(m, 100), Session(m, ring=1 << 22, no_pmi=True) as silent, \
            Session(m, ring=1 << 22) as polled:
        period = eventset.period_for("cbo1", 0, 0, LOOKUPS, 20, "skl")
        silent.add("cbo1", 0, 0, period, **LOOKUPS)
        polled.add("cbo1", 0, 1, period, **LOOKUPS)
        silent.start()
        polled.start()
        m.wait_until(lambda: min(silent.status()["samples"], polled.status()["samples"]) >= 8,
                     what="samples")
        polled.stop()
        samples = sample_until(m, silent, lambda taken: len(taken) >= 8)
        records = [record for record in polled.drain() if "flags" in record]
    assert_samples([taken for taken in samples if flagged(taken)])
    assert_equal([f"period {n}: {count}" for n, count in enumerate(
        (value["count"] for taken in samples if flagged(taken) for value in taken["values"]), 1)
        if not 0 <= count - n * period <= 3])
    assert records and all(record["flags"] & (SAMPLE_POLLED | SAMPLE_FROZEN) == SAMPLE_POLLED
                           for record in records), records


@test("skl-1s")
def overflow_without_the_mode_is_no_exact_sample(m):
    """Another program clears the mode, so that the boxes count on until the poll."""
    with Session(m, ring=1 << 22, no_pmi=True) as s:
        s.add("cbo0", 0, 0, eventset.period_for("cbo0", 0, 0, LOOKUPS, 2, "skl"), **LOOKUPS)
        s.start()
        poke(m, ("w", 0, 0xe01, RUN))
        samples = sample_until(m, s, lambda taken: len(taken) >= 2)
    first = samples[0]
    assert not first["flags"] & SAMPLE_FROZEN and first["flags"] & SAMPLE_POLLED, first
    assert all(value["flags"] & VALUE_CONFLICT for value in first["values"]), first
    # the unfreeze has set the mode again
    assert samples[1]["flags"] & SAMPLE_FROZEN, samples[1]


# ---- what clears the status ----

@test(("skl-1s", "adl-1s"), settings={"model.status-clear": "zero"}, timeout=120)
def status_that_zeros_clear_is_found(m):
    sample(m)


@test(("snb-1s", "hsw-1s"), settings={"model.status-clear": "other"}, timeout=120)
def status_that_another_register_clears_is_found(m):
    sample(m)


# ---- what a user is told ----

@test("skl-1s", loaded=False, alone=True)
def box_reports_overflows_after_its_trial(m):
    m.insmod()
    with Session(m) as plain:
        assert not any(caps & (BOX_OVERFLOW | BOX_FIXED_OVERFLOW) for (_, box), caps in
                       plain.caps.items() if type_of(box) in EVENTS), plain.caps
        plain.add("cbo0", 0, 0, **LOOKUPS)
        assert not selftest(plain, "cbo0")["tested"] & TRIAL
    with Session(m, no_pmi=True) as s:
        for box, (ctr, fields), due in (("cbo1", EVENTS["cbo"], BOX_OVERFLOW),
                                        ("arb0", EVENTS["arb"], BOX_OVERFLOW),
                                        ("clock0", EVENTS["clock"], BOX_FIXED_OVERFLOW)):
            s.add(box, 0, ctr, SLOW, **fields)
            assert caps_of(s, box) & (BOX_OVERFLOW | BOX_FIXED_OVERFLOW) == due, box
            result = selftest(s, box)
            assert result["tested"] & TRIAL == TRIAL and not result["failed"], result
        assert not caps_of(s, "cbo0") & BOX_OVERFLOW


@test(("snb-1s", "icl-1s", "adl-1s"), loaded=False, alone=True)
def trial_leaves_all_registers_as_found(m):
    before = registers(m)
    m.insmod()
    with Session(m, no_pmi=True) as s:
        for box, die, ctr, _, fields in wanted(s, 1):
            s.add(box, die, ctr, SLOW, **fields)
    m.settle()
    assert registers(m) == before, (registers(m), before)
    for counter in m.oracle("counters")["sockets"][0]:
        assert not counter["ctl"], counter


# ---- machines on which an overflow does something else ----

def flaw(name, failed, text, settings, scenarios="skl-1s"):
    """Register a test of a machine that differs in one property."""
    def run(m):
        m.insmod()
        with Session(m, no_pmi=True) as s:
            for _ in range(2):
                with refused(errno.EOPNOTSUPP):
                    s.add("cbo0", 0, 0, 10000000, **LOOKUPS)
            result = selftest(s, "cbo0")
            assert result["failed"] & TRIAL == failed and text in result["reason"], result
            assert not caps_of(s, "cbo0") & BOX_OVERFLOW
        assert m.oracle("state")["sockets"][0]["global_ctl"] == 0
        with Session(m) as s:
            s.add("cbo0", 0, 0, **LOOKUPS)
            s.start()
            assert peek(m, "r", 0, GLOBAL_CTL[m.scenario]) == RUN, "the mode is not used"
        assert text in m.dmesg()
        samples = run_polled(m, [("cbo0", 0, 0, POLLABLE // 20, LOOKUPS)],
                             lambda _, taken: len(taken) >= 5)
        assert all(sample["flags"] & SAMPLE_POLLED for sample in samples)
        m.rmmod()
    run.__name__ = name
    test(scenarios, settings=settings, loaded=False, alone=True, timeout=120)(run)


flaw("overflow_enable_without_effect_is_polled", STATUS | FREEZE | DIE, "does not set the bit",
     {"model.overflow": "ignored"})
flaw("overflow_without_status_bit_is_polled", STATUS, "does not set the bit",
     {"model.overflow": "no-bit"})
flaw("status_that_nothing_clears_is_polled", RESUME, "does not end",
     {"model.status-clear": "never"}, ("snb-1s", "skl-1s"))


@test("skl-1s", settings={"model.status-clear": "never"}, loaded=False, alone=True)
def status_that_nothing_clears_is_no_sign_of_other_boxes(m):
    """After the first trial the bit of the clock stays set, and other boxes cannot be tried."""
    m.insmod()
    with Session(m, no_pmi=True) as s:
        for box in ("clock0", "arb0"):
            ctr, fields = EVENTS[type_of(box)]
            with refused(errno.EOPNOTSUPP):
                s.add(box, 0, ctr, SLOW, **fields)
        assert selftest(s, "clock0")["failed"] & TRIAL == RESUME
        assert selftest(s, "arb0")["failed"] & TRIAL
    with Session(m) as s:
        s.add_all([(box, 0, ctr, 0, fields) for box, _, ctr, _, fields in wanted(s, 1)])
        s.start()
        s.read_exactly()
    assert "does not end" in json.loads(m.sh("ucoretool info -j"))["reason"]
    m.rmmod()
