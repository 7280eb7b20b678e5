# SPDX-License-Identifier: GPL-2.0-only
"""Hardware that violates the manual: late or duplicate interrupts, stuck counters, faulting
registers.

Counts stay exact, or the driver reports the error.
"""

import errno

from lab.framework import test
from lab.session import (MS, US, VALUE_DEAD, Session, assert_equal, flagged, refused,
                         sample_until)
from machine.armed import WATCHDOG
from machine.test_faults import (CLOCK, UNKNOWN_NMI, arm, assert_gap, drain_until, is_dead,
                                 recovered, samples_around_a_gap, wait_samples)

# delays around the driver's wait for a PMI (1 ms) and the scan of the watchdog (20 ms)
LATE = (20 * US, 700 * US, 3 * MS, 15 * MS, 60 * MS)


# ---- interrupts ----

def sampled_exactly(m, fault, samples=12):
    """Sample overflows while a fault delays or repeats PMIs; check that each sample is exact.

    Return the samples and the PMIs of the model's log.
    """
    mark = m.truth_length()
    with Session(m, ring=1 << 20) as s:
        arm(s)
        s.start()
        wait_samples(m, s, 2)
        m.inject(fault)
        found = sample_until(m, s, lambda taken: len(taken) >= samples)
        # the driver may freeze the die to check an unexpected interrupt
        overflows = [freeze for freeze in s.freezes(mark) if freeze["reason"] == "overflow"]
        assert_equal(s.sample_differences(found, overflows))
        assert all(flagged(sample) for sample in found), found
    m.inject("delay-pmi 0 0")
    m.inject("double-pmi 0 0")
    return found, m.truth("pmi", mark)


def assert_late_pmis_are_exact(m):
    m.write(WATCHDOG, 0)
    for delay in LATE:
        found, pmis = sampled_exactly(m, f"delay-pmi 0 {delay}")
        assert len(pmis) >= 10, (delay, pmis)
        # the driver did not wait for interrupts that came after the scan of the watchdog
        assert delay < 60 * MS or any(recovered(found)[3:]), delay
    # without the delay PMIs are in time again
    found, _ = sampled_exactly(m, "delay-pmi 0 0")
    assert not all(recovered(found)[3:]), found


def assert_duplicate_pmis_are_exact(m, *later):
    m.write(WATCHDOG, 0)
    for after in later:
        found, pmis = sampled_exactly(m, f"double-pmi 0 1000 {after}")
        # some freezes have sent more than one PMI
        assert len(pmis) > len({pmi["seq"] for pmi in pmis}) >= 10, (after, pmis)


@test(("e2-2s", "hswep-2s"), timeout=120)
def late_pmis_neither_lose_nor_repeat_samples(m):
    assert_late_pmis_are_exact(m)


@test(("e2-2s", "hswep-2s"), timeout=120)
def duplicate_simultaneous_pmis_make_one_sample(m):
    assert_duplicate_pmis_are_exact(m, 0)


@test(("e2-2s", "hswep-2s"), timeout=120)
def repeated_pmis_make_no_sample(m):
    """The first PMI was served, and the second has no overflow: it is an unknown NMI."""
    m.allow(*UNKNOWN_NMI)
    assert_duplicate_pmis_are_exact(m, 30 * US, 2 * MS)


# ---- counters and registers ----

# alone, because a stuck counter keeps its value
@test(("e2-2s", "spr-2s"), alone=True)
def stuck_counter_does_not_affect_others(m):
    cha = "cbo0" if m.scenario == "e2-2s" else "cha0"
    fields = CLOCK if m.scenario == "e2-2s" else {"event": 1}
    with Session(m) as s:
        stuck = s.add("imc1", 0, 1, **fields)
        for box in ("imc1", cha):
            s.add(box, 0, 2, **fields)
        s.start()
        s.read_exactly()
        m.inject("stuck 0 imc1.1")
        first, second = (s.read_exactly()["values"] for _ in range(2))
        assert first[stuck]["count"] == second[stuck]["count"], (first, second)
        assert all(new["count"] > old["count"] for old, new in zip(first, second)
                   if old["event"] != stuck), (first, second)
        m.inject("loose 0 imc1.1")
        later = s.read_exactly()["values"]
        assert later[stuck]["count"] > second[stuck]["count"], later
        s.stop_exactly()


def assert_faulting_box_is_reported(m, box, fields):
    with Session(m, timer_ns=5 * MS, ring=1 << 20) as s:
        dead = s.add(box, 0, 3, **fields)
        fine = s.add("imc0", 0, 0, **fields)
        s.start()
        records = []
        drain_until(m, s, records, lambda found: len(found) >= 3, "samples")
        m.inject(f"fault 0 {box}")
        drain_until(m, s, records, samples_around_a_gap, "a gap, and samples after it")
        values = {value["event"]: value for value in s.read()["values"]}
        s.stop()
        assert_gap(s, records + s.drain(), box)
        assert values[dead]["flags"] & VALUE_DEAD and not values[fine]["flags"] & VALUE_DEAD, values
    assert is_dead(m, box)
    with Session(m) as s:
        with refused(errno.ENODEV):
            s.add(box, 0, 3, **fields)


# alone, because the driver cannot stop a faulting box, which counts when its MSRs work again
@test(("e2-2s", "spr-2s"), alone=True)
def faulting_msrs_are_reported_and_others_count_on(m):
    box, fields = ("cbo1", CLOCK) if m.scenario == "e2-2s" else ("cha1", {"event": 1})
    try:
        assert_faulting_box_is_reported(m, box, fields)
    finally:
        m.inject(f"no-fault 0 {box}")
    with Session(m) as s:
        s.add(box, 0, 3, **fields)
        s.start()
        assert not s.read_exactly()["values"][0]["flags"]
    assert not is_dead(m, box)
