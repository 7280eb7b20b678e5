# SPDX-License-Identifier: GPL-2.0-only
"""The core PMU of the model: direct register accesses, for each version, without a driver.

Overflow interrupts are set to be lost, because nothing would handle the NMI.  CPU 0 only.
"""

import contextlib

from lab.coretruth import pmus
from lab.framework import test
from lab.qemu import core
from machine.cores import (BOOT, EVTSEL0, FIXED_CTL, GLOBAL_CTRL, OVF_CTRL, STATUS,
                           set_watchdog)
from machine.registers import bare, peek, poke, rules

PMC0, A_PMC0, FIXED0 = 0xc1, 0x4c1, 0x309
DEBUGCTL, CAPABILITIES, STATUS_SET, INUSE = 0x1d9, 0x345, 0x391, 0x392
USR, OS, EDGE, PC, INT, ANY, EN, INV = (1 << bit for bit in (16, 17, 18, 19, 20, 21, 22, 23))
COUNT = EN | USR | OS
CYCLES, INSTRUCTIONS, LLC_MISSES = 0x3c, 0xc0, 0x412e
FROZEN, BUFFER, CHANGED = 1 << 59, 1 << 62, 1 << 63
MANY = 1000000


def w(msr, value):
    return "w", 0, msr, value


def r(msr):
    return "r", 0, msr


def faults(m, *commands):
    """Return true if all of these accesses fault."""
    values = poke(m, *commands)
    return values == [None] * len(commands), values


@contextlib.contextmanager
def by_hand(m, version=3, fixed=3, gp=4):
    """Context manager: disable and zero all counters, before and after."""
    rest = [w(first + i, 0) for i in range(gp) for first in (EVTSEL0, PMC0)]
    if version >= 2:
        rest = [w(GLOBAL_CTRL, 0), *rest, w(FIXED_CTL, 0),
                *(w(FIXED0 + i, 0) for i in range(fixed)),
                w(OVF_CTRL, every(gp, fixed) | BUFFER | CHANGED)]
    watchdog = set_watchdog(m, 0)
    m.inject(f"lose-core-pmi 0 {MANY}")
    poke(m, *rest)
    m.inject("record-cores yes")
    yield
    m.inject("record-cores no")
    poke(m, *rest)
    m.inject("lose-core-pmi 0 0")
    set_watchdog(m, watchdog)


def every(gp=4, fixed=3):
    return (1 << gp) - 1 | ((1 << fixed) - 1) << 32


def rate(m, name):
    """Return the current increments per second of a counter of CPU 0."""
    return next(c["rate"] for c in pmus(m)[0]["counters"] if c["ctr"] == name)


# ---- version 3, which most machines have ----

@test("e2-2s", **bare)
def counter_write_sign_extends_32_bits(m):
    with by_hand(m):
        values = poke(m, *(command for value in (0x80000000, 0x7fffffff, 0x1234500000001, 0)
                           for command in (w(PMC0, value), r(PMC0))))
        assert values == [0xffff80000000, 0x7fffffff, 1, 0], values
        # a write of a fixed counter sets all 48 bits
        assert poke(m, w(FIXED0, 0x7fffffffffff), r(FIXED0)) == [0x7fffffffffff]
        assert faults(m, r(A_PMC0), w(A_PMC0, 0), r(CAPABILITIES))[0]


@test("e2-2s", **bare)
def reserved_or_absent_registers_fault(m):
    with by_hand(m):
        good, values = faults(
            m, r(PMC0 + 4), r(EVTSEL0 + 4), r(FIXED0 + 3), w(STATUS, 0), r(STATUS_SET), r(INUSE),
            w(EVTSEL0, 1 << 32), w(FIXED_CTL, 1 << 12), w(GLOBAL_CTRL, 1 << 4),
            w(GLOBAL_CTRL, 1 << 35), w(OVF_CTRL, 1 << 4), w(OVF_CTRL, 1 << 59),
            w(FIXED0, 1 << 48))
        assert good, values
        found = rules(m)        # accesses to absent registers violate no rule
        assert found == ["core-reserved"] * 8, found
        legal = EVTSEL0, 0xffffffff & ~EN
        assert poke(m, w(*legal), r(EVTSEL0), w(FIXED_CTL, 0xfff), r(FIXED_CTL),
                    w(OVF_CTRL, every() | 1 << 61 | BUFFER | CHANGED)) == [legal[1], 0xfff]


@test("e2-2s", **bare)
def counter_counts_while_both_enables_are_set(m):
    """A counter counts if its own enable, the global enable and USR or OS are set."""
    with by_hand(m):
        for name, select, local, bit in (
                (0, EVTSEL0, COUNT | CYCLES, 1), (3, EVTSEL0 + 3, COUNT | CYCLES, 8),
                ("fixed0", FIXED_CTL, 3, 1 << 32), ("fixed2", FIXED_CTL, 0x300, 1 << 34)):
            for word, enables, counts in ((local, bit, True), (local, every() & ~bit, False),
                                          (0, every(), False), (local, every(), True)):
                poke(m, w(GLOBAL_CTRL, 0), w(select, word), w(GLOBAL_CTRL, enables))
                assert bool(rate(m, name)) == counts, (name, word, enables)
            poke(m, w(GLOBAL_CTRL, 0), w(select, 0))
        poke(m, w(EVTSEL0, EN | CYCLES), w(GLOBAL_CTRL, every()))
        assert not rate(m, 0), "neither ring is chosen"


@test("e2-2s", **bare)
def overflow_sets_its_bit_until_cleared(m):
    """Status bits 0 to 3 and 32 to 34. Counters without an interrupt also set their bits."""
    with by_hand(m):
        mark = m.truth_length()
        poke(m, *(w(PMC0 + i, (1 << 32) - 100) for i in range(4)),
             *(w(FIXED0 + i, (1 << 48) - 100) for i in range(3)),
             *(w(EVTSEL0 + i, COUNT | CYCLES) for i in range(4)), w(FIXED_CTL, 0x333),
             w(GLOBAL_CTRL, every()))
        m.wait_until(lambda: peek(m, *r(STATUS)) == every(), what="seven overflows")
        values = poke(m, w(GLOBAL_CTRL, 0), w(OVF_CTRL, 1 | 1 << 33), r(STATUS), r(OVF_CTRL))
        assert values == [every() & ~(1 | 1 << 33), 0], values
        assert poke(m, w(OVF_CTRL, every()), r(STATUS)) == [0]
        assert not m.truth("core-pmi", mark), "none of them was to interrupt"


@test("e2-2s", **bare)
def overflow_interrupts_when_int_is_set(m):
    with by_hand(m):
        mark = m.truth_length()
        poke(m, w(PMC0 + 1, (1 << 32) - 1000), w(FIXED0 + 2, (1 << 48) - 1000),
             w(EVTSEL0 + 1, COUNT | INT | CYCLES), w(FIXED_CTL, 0xb00), w(GLOBAL_CTRL, every()))
        m.wait_until(lambda: peek(m, *r(STATUS)) == 2 | 1 << 34, what="two overflows")
        pmis = m.truth("core-pmi", mark)
    assert sorted(str(ctr) for pmi in pmis for ctr in pmi["cause"]) == ["1", "fixed2"], pmis
    assert {pmi["result"] for pmi in pmis} == {"lost"}, pmis


@test("e2-2s", **bare)
def bits_62_and_63_are_set_and_cleared(m):
    with by_hand(m):
        m.inject(f"core-status 0 {BUFFER | CHANGED | 1 << 44:#x}")
        assert peek(m, *r(STATUS)) == BUFFER | CHANGED
        assert poke(m, w(OVF_CTRL, BUFFER), r(STATUS), w(OVF_CTRL, CHANGED), r(STATUS)) == \
            [CHANGED, 0]


WORDS = [(INSTRUCTIONS, {}), (LLC_MISSES, {}),
         (CYCLES, {"usr": True}), (INSTRUCTIONS, {"os": True}),
         (INSTRUCTIONS, {"cmask": 1}), (INSTRUCTIONS, {"cmask": 4}), (INSTRUCTIONS, {"cmask": 5}),
         (INSTRUCTIONS, {"cmask": 2, "inv": True}), (LLC_MISSES, {"cmask": 1, "inv": True}),
         (LLC_MISSES, {"edge": True}), (INSTRUCTIONS, {"edge": True, "usr": True, "cmask": 2}),
         (LLC_MISSES, {"any_thread": True, "threads": 2}),
         (CYCLES, {"any_thread": True, "threads": 2})]


def word(event, usr=False, os=False, edge=False, inv=False, cmask=0, any_thread=False, **_):
    rings = USR | OS if usr == os else USR if usr else OS
    return (EN | event | rings | edge * EDGE | inv * INV | any_thread * ANY | cmask << 24)


@test("e2-smt", **bare)
def event_select_fields_follow_the_rates(m):
    with by_hand(m):
        poke(m, w(GLOBAL_CTRL, every()))
        for event, fields in WORDS:
            poke(m, w(EVTSEL0, 0), w(EVTSEL0, word(event, **fields)))
            promised = core.rate(event & 0xff, event >> 8, **fields)
            assert rate(m, 0) == promised, (hex(event), fields, rate(m, 0), promised)
        for i in range(3):
            for field, fields in ((1, {"os": True}), (2, {"usr": True}), (3, {}),
                                  (7, {"any_thread": True, "threads": 2})):
                poke(m, w(FIXED_CTL, 0), w(FIXED_CTL, field << 4 * i))
                assert rate(m, f"fixed{i}") == core.fixed_rate(i, **fields), (i, field)


@test("e2-2s", **bare)
def strict_mode_detects_each_violation(m):
    with by_hand(m):
        poke(m, w(EVTSEL0, COUNT | CYCLES), w(GLOBAL_CTRL, 1), w(PMC0, 0),
             w(EVTSEL0, COUNT | INSTRUCTIONS))
        found = rules(m)
        assert found == ["core-running"] * 2, found
        poke(m, w(EVTSEL0, CYCLES), w(EVTSEL0, COUNT | CYCLES), w(GLOBAL_CTRL, 0))
        m.inject("core-status 0 1")
        assert not rules(m)
        poke(m, w(PMC0, 0), w(EVTSEL0, COUNT | INSTRUCTIONS), w(EVTSEL0, 0))
        found = rules(m)
        assert found == ["core-status"] * 2, found
        poke(m, w(OVF_CTRL, 1), w(PMC0, 0), w(EVTSEL0, COUNT | INSTRUCTIONS))
        assert not rules(m)


# ---- the other versions ----

@test("e2-1s", **BOOT["v1"], **bare)
def version_1_has_selects_and_counters_only(m):
    with by_hand(m, version=1, gp=2):
        good, values = faults(m, r(PMC0 + 2), r(EVTSEL0 + 2), r(FIXED0), r(FIXED_CTL), r(STATUS),
                              r(GLOBAL_CTRL), r(OVF_CTRL), r(STATUS_SET), r(A_PMC0),
                              w(EVTSEL0, ANY))
        assert good, values
        assert rules(m) == ["core-reserved"]
        # the counter has 40 bits
        assert poke(m, w(PMC0, 0xffffffff), r(PMC0)) == [0xffffffffff]
        poke(m, w(EVTSEL0, COUNT | CYCLES))
        assert rate(m, 0) == core.CYCLES, "the enable bit is enough"
        first, second = poke(m, r(PMC0), r(PMC0))
        assert first < second < 1 << 40, (first, second)


@test("e2-1s", **BOOT["v1"], **bare)
def version_1_overflow_interrupts_and_counts_on(m):
    """The log has the carry, which no register shows, until the counter is written."""
    with by_hand(m, version=1, gp=2):
        mark = m.truth_length()
        poke(m, w(PMC0, (1 << 32) - 1000), w(PMC0 + 1, (1 << 32) - 1000),
             w(EVTSEL0, COUNT | INT | CYCLES), w(EVTSEL0 + 1, COUNT | CYCLES))
        m.wait_until(lambda: pmus(m)[0]["status"] == 3, what="two overflows")
        pmis = m.truth("core-pmi", mark)
        value, = poke(m, w(EVTSEL0, 0), w(EVTSEL0 + 1, 0), r(PMC0))
        assert [pmi["cause"] for pmi in pmis] == [[0]], pmis
        assert 0 < value < 1 << 39, hex(value)
        poke(m, w(PMC0, 0))
        assert pmus(m)[0]["status"] == 2
        assert not rules(m)


@test("e2-1s", **BOOT["v2"], **bare)
def version_2_lacks_any_thread_and_uncore_bits(m):
    with by_hand(m, gp=2):
        good, values = faults(m, w(EVTSEL0, ANY), w(FIXED_CTL, 4), w(OVF_CTRL, 1 << 61),
                              r(PMC0 + 2), r(STATUS_SET))
        assert good, values
        assert rules(m) == ["core-reserved"] * 3
        # an event absent in CPUID counts nothing, and CPUID reports wrong fixed counters
        poke(m, w(EVTSEL0, COUNT | 0x4f2e), w(EVTSEL0 + 1, COUNT | CYCLES), w(FIXED_CTL, 3),
             w(GLOBAL_CTRL, every(2)))
        assert (rate(m, 0), rate(m, 1), rate(m, "fixed0")) == (0, core.CYCLES, core.CYCLES // 2)


@test("e2-1s", **BOOT["v4"], **bare)
def version_4_has_full_writes_status_set_and_in_use(m):
    with by_hand(m):
        assert peek(m, *r(CAPABILITIES)) == 1 << 13
        value = 0x123456789abc
        assert poke(m, w(A_PMC0, value), r(A_PMC0), r(PMC0), w(PMC0, 1 << 31), r(A_PMC0)) == \
            [value, value, 0xffff80000000]
        assert faults(m, w(A_PMC0, 1 << 48), w(CAPABILITIES, 0), w(STATUS_SET, CHANGED),
                      w(INUSE, 0))[0]
        assert rules(m) == ["core-reserved"] * 4
        assert poke(m, w(STATUS_SET, 2 | 1 << 33), r(STATUS), w(OVF_CTRL, 2), r(STATUS)) == \
            [2 | 1 << 33, 1 << 33]
        assert poke(m, w(OVF_CTRL, 1 << 33), w(EVTSEL0 + 2, LLC_MISSES), w(FIXED_CTL, 0x30),
                    r(INUSE), w(EVTSEL0, CYCLES | INT), r(INUSE)) == \
            [4 | 1 << 33, 5 | 1 << 33 | 1 << 63]


@test("e2-1s", **BOOT["v4"], **bare)
def version_4_freezes_by_ctr_frz(m):
    """With DEBUGCTL[12], a PMI sets CTR_Frz in the status, which stops all counters."""
    with by_hand(m):
        mark = m.truth_length()
        poke(m, w(EVTSEL0, COUNT | CYCLES), w(GLOBAL_CTRL, 1), w(STATUS_SET, FROZEN))
        assert not rate(m, 0)
        assert poke(m, r(GLOBAL_CTRL), w(OVF_CTRL, FROZEN), r(STATUS)) == [1, 0]
        assert rate(m, 0) == core.CYCLES
        kinds = [line["ev"] for line in m.truth(since=mark) if line["ev"].startswith("core-")]
        assert kinds == ["core-unfreeze", "core-freeze", "core-unfreeze"], kinds


@test("e2-1s", **BOOT["v5"], **bare)
def version_5_has_eight_counters_and_four_fixed(m):
    with by_hand(m, gp=8, fixed=4):
        assert faults(m, w(EVTSEL0, ANY), w(FIXED_CTL, 4), r(PMC0 + 8), r(FIXED0 + 4))[1] == \
            [None, None, 0, 0], "addresses beyond are another's"
        assert rules(m) == ["core-reserved"] * 2
        poke(m, *(w(EVTSEL0 + i, COUNT | CYCLES) for i in range(8)), w(FIXED_CTL, 0x3333),
             w(GLOBAL_CTRL, every(8, 4)))
        assert [rate(m, i) for i in range(8)] == [core.CYCLES] * 8
        assert [rate(m, f"fixed{i}") for i in range(4)] == list(core.FIXED)
