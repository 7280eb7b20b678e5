# SPDX-License-Identifier: GPL-2.0-only
"""Nehalem and Westmere: an enable bit and a status bit for each counter, in each of two packages.

The manual describes the interrupt and the freeze with it. A trial finds out what the machine does.
"""

import errno
import json

from lab.framework import test
from lab.session import (BOX_OVERFLOW, FIXED, SAMPLE_FROZEN, SAMPLE_POLLED, VALUE_CONFLICT,
                         Session, flagged, interrupting, refused, sample_until, started_by_pmis)
from machine import eventset
from machine.armed import each_overflowed, run_armed, run_polled
from machine.registers import peek, poke
from machine.test_overflow_freeze import POLLABLE, TRIAL, caps_of, selftest
from machine.test_skx import count_exactly, info_of
from machine.timers import budget_of

CTL, STATUS = 0x391, 0x392
EN, FRZ = 0xff | 1 << 32, 1 << 63
OTHERS = 1 << 61 | 1 << 63      # status bits that show no counter
PMI = 1 << 13                   # UCORE_SELFTEST_PMI
MISSES = {"event": 0x09, "umask": 0x03}
CPU_OF = (0, 2)                 # the first CPU of each package
SLOW = 1 << 40


def boxes_with(ctrs, hz=20):
    """Return events with a period on counters of the blocks of both packages."""
    fields = {**MISSES}
    return [("uncore0", die, ctr, eventset.period_for("uncore0", die, ctr, fields, hz + ctr + 3 * die,
                                                      "nhm"), fields)
            for die in (0, 1) for ctr in ctrs]


@test("nhm-2s")
def blocks_of_both_packages_count_exactly(m):
    rows = list(map(json.loads, m.sh("ucoretool list -j").splitlines()))
    assert sorted((row["die"], row["type"], row["counters"], row["width"], row["fixed"],
                   row.get("fixed_width", 0), row["access"]) for row in rows) == [
        entry for die in (0, 1) for entry in ((die, "clock", 0, 0, 1, 48, "msr"),
                                              (die, "uncore", 8, 48, 0, 0, "msr"))], rows
    assert not info_of(m)["reason"], info_of(m)
    count_exactly(m)


@test("nhm-2s", strict=False)
def global_controls_are_restored_as_found(m):
    """Another program may have enabled some of the counters, or selected cores."""
    for found in (0, 0x3, EN, 0x1 | 0xf << 48 | FRZ):
        for cpu in CPU_OF:
            poke(m, ("w", cpu, CTL, found))
        with Session(m) as s:
            for die in (0, 1):
                s.add("uncore0", die, 7, **MISSES)
            s.start()
            assert [peek(m, "r", cpu, CTL) for cpu in CPU_OF] == [EN, EN]
            s.read_exactly()
            s.stop_exactly()
        m.settle()
        assert [peek(m, "r", cpu, CTL) for cpu in CPU_OF] == [found, found], hex(found)
        assert [peek(m, "r", cpu, 0x3c7) for cpu in CPU_OF] == [0, 0]


@test("nhm-2s", timeout=120)
def overflows_of_any_counter_are_sampled_without_an_interrupt(m):
    samples = run_armed(m, boxes_with((0, 3, 7)), each_overflowed(2), no_pmi=True)
    assert all(sample["flags"] & (SAMPLE_POLLED | SAMPLE_FROZEN) == SAMPLE_POLLED | SAMPLE_FROZEN
               for sample in samples if flagged(sample)), samples


@test("nhm-2s", timeout=300)
def overflows_of_any_counter_interrupt(m):
    samples = run_armed(m, boxes_with((0, 3, 7), hz=6), each_overflowed(2))
    assert not any(sample["flags"] & (SAMPLE_POLLED | SAMPLE_FROZEN) for sample in samples), samples
    assert len(started_by_pmis(samples)) >= len(samples) - 2, samples
    assert json.loads(m.sh("ucoretool info -j"))["overflow_pmi"]


@test("nhm-2s", strict=False)
def wrap_of_an_unarmed_counter_is_no_overflow(m):
    """It sets its status bit, too, and freezes nothing."""
    with budget_of(m, 100), Session(m, ring=1 << 22) as s:
        s.add("uncore0", 0, 0, eventset.period_for("uncore0", 0, 0, MISSES, 4, "nhm"), **MISSES)
        for ctr in range(1, 8):
            s.add("uncore0", 0, ctr, **MISSES)
        s.start()
        poke(m, *(("w", 0, 0x3b0 + ctr, (1 << 48) - 1000 * ctr) for ctr in range(1, 8)))
        samples = sample_until(m, s, lambda taken: len(taken) >= 3)
    values = [value for sample in samples for value in sample["values"]]
    assert not any(value["flags"] & VALUE_CONFLICT for value in values), samples


@test("nhm-2s")
def periods_of_the_clock_are_polled(m):
    """A PMI of the clock may need an enabled general counter, so that its overflows are not used."""
    period = eventset.period_for("clock0", 1, FIXED, {}, 10, "nhm")
    run_polled(m, [("clock0", 1, FIXED, period, {})], each_overflowed(3))
    for no_pmi in (False, True):
        with Session(m, no_pmi=no_pmi) as s, refused(errno.EOPNOTSUPP):
            s.add("clock0", 0, FIXED, SLOW if no_pmi else interrupting(SLOW))


@test("nhm-2s", loaded=False, alone=True, settings={"core.uncore-bit": "yes"})
def trial_finds_the_cpus_of_each_package(m):
    m.run("modprobe -q msr", check=False)
    before = [peek(m, "r", cpu, 0x1d9) for cpu in range(4)]
    m.insmod()
    with Session(m) as s:
        for die in (0, 1):
            s.add("uncore0", die, 0, SLOW, **MISSES)
            result = selftest(s, "uncore0", die)
            assert result["tested"] & (TRIAL | PMI) == TRIAL | PMI and not result["failed"], result
            assert caps_of(s, "uncore0", die) & BOX_OVERFLOW
    lines = [line.partition("domain ")[2] for line in m.dmesg().splitlines()
             if "of pmi_core_sel interrupts" in line]
    assert lines == [f"{die}: bit {core} of pmi_core_sel interrupts CPUs {2 * die + core}"
                     for die in (0, 1) for core in (0, 1)], lines
    m.settle()
    for cpu in CPU_OF:
        assert poke(m, *(("r", cpu, msr) for msr in (CTL, STATUS, 0x395, 0x3c0))) == [0] * 4
    assert [peek(m, "r", cpu, 0x1d9) for cpu in range(4)] == before
    assert not any(peek(m, "r", cpu, 0x38e) & 1 << 61 for cpu in range(4))


def polled(name, settings, failed):
    """Register a test of a machine that differs in one property."""
    def run(m):
        m.insmod()
        with Session(m) as s:
            s.add("uncore0", 0, 0, SLOW, **MISSES)
            result = selftest(s, "uncore0")
            assert result["failed"] & (TRIAL | PMI) == failed, result
            with refused(errno.EOPNOTSUPP):
                s.add("uncore0", 0, 1, interrupting(SLOW), **MISSES)
        run_polled(m, [("uncore0", 0, 2, POLLABLE // 20, MISSES)], each_overflowed(3))
        m.rmmod()
    run.__name__ = name
    test("nhm-2s", settings=settings, loaded=False, alone=True)(run)


polled("machine_without_an_interrupt_is_polled", {"model.pmi": "no"}, PMI)
polled("freeze_that_needs_a_selected_core_is_not_used", {"model.freeze-with-pmi": "yes"},
       1 << 10 | 1 << 11)
