# SPDX-License-Identifier: GPL-2.0-only
"""The driver and each version of the core PMU: CPUID, counting, sampling and refusals."""

import errno
import json

from lab.coretruth import pmus
from lab.framework import test
from lab.qemu import core
from lab.session import (BOX_OVERFLOW, MS, SAMPLE_CONTEXT, SAMPLE_RECOVERED, TRIGGER_TIMER,
                         assert_equal, refused, sample_until, samples_in)
from lab.truth import totals_of
from machine import eventset, witness
from machine.armed import each_overflowed
from machine.cores import (BOOT, CoreSession, cores, event_for, full_set, perf_samples, rate_of,
                           released_to_perf, run_cores, set_watchdog)

LLC_REFERENCES, BRANCHES = 3, 5     # bits of predefined events
PERF_EVENTS = {"cycles": core.rate(0x3c), "instructions": core.rate(0xc0),
               "r412e": core.rate(0x2e, 0x41)}


# ---- helpers ----

def core_info(m, kind="core"):
    """Return the section of `ucoretool info` on a kind of cores."""
    return json.loads(m.sh("ucoretool info -j"))[kind]


def assert_core_info(m, kind="core", **expected):
    found = core_info(m, kind)
    assert {name: found[name] for name in expected} == expected, found


def count_exactly(m, counters):
    """Count on all counters of all cores, and compare; return the last READ and zero counters.

    counters: expected number of counters of a core
    """
    with CoreSession(m) as s:
        s.add_all(full_set(s))
        assert len(s.events) == counters * len(s.cpus()), (len(s.events), s.cpus())
        s.start()
        for _ in range(3):
            answer = s.read_exactly()
        s.stop()
        assert_equal(s.differences(s.read()["values"], s._totals()))
    silent = [str(s.events[v["event"]]) for v in answer["values"] if not v["count"]]
    return answer, silent


def sample_exactly(m, hz=10):
    """Sample with a period on each counter of CPU 1 and on counter 0 of CPU 0; compare all."""
    with CoreSession(m, ring=1 << 20) as s:
        wanted = []
        for number, ctr in enumerate(s.counters(1)):
            fields = event_for(number, ctr)
            wanted.append(s.place(1, ctr, rate_of(ctr, fields) // (hz + number), **fields))
        wanted.append(s.place(0, 0, core.CYCLES // hz, event=0x3c))
        samples = run_cores(m, s, wanted, each_overflowed(2))
    assert {sample["cpu"] for sample in samples} == {0, 1}, samples


def sample_by_timer(m):
    with CoreSession(m, timer_ns=20 * MS, ring=1 << 20) as s:
        s.add_all(full_set(s))
        mark = m.truth_length()
        s.start()
        samples = sample_until(m, s, lambda found: len(found) > 40)
        assert_equal(s.sample_differences(samples, s.freezes(mark)))
    assert {sample["trigger"] for sample in samples} == {TRIGGER_TIMER}, samples


def agrees_with_perf(m, counters=3):
    """Compare with Linux's own driver of the same counters; ucore releases them first.

    The number of events is limited to the counters, because perf would otherwise multiplex and
    scale.
    """
    measured, events = {}, list(PERF_EVENTS)
    with released_to_perf(m):
        for i in range(0, len(events), counters):
            measured |= witness.measure(m, "-C 1", events[i:i + counters])
    wrong = {event: text for event, rate in PERF_EVENTS.items()
             if (text := witness.difference(measured.get((event, None)), rate))}
    assert not wrong, wrong


# ---- version 1: no global control and no status; the top bit of a counter shows its overflow ----

@test("e2-1s", **BOOT["v1"])
def version_1_counts_exactly(m):
    with cores(m):
        assert_core_info(m, state="ready", version=1, counters=2, width=40, fixed=0, events=0x7f,
                    global_control=0, full_width_writes=0, any_thread=0)
        _, silent = count_exactly(m, 2)
        assert not silent, silent
        sample_by_timer(m)
        agrees_with_perf(m, 2)


@test("e2-1s", **BOOT["v1"])
def version_1_samples_are_exact(m):
    with cores(m):
        mark = m.truth_length()
        with CoreSession(m, ring=1 << 20) as s:
            assert s.caps[s.place(0)[1], "core0"] & BOX_OVERFLOW
            wanted = [s.place(cpu, ctr, core.CYCLES // (20 + cpu + 3 * ctr), event=0x3c)
                      for cpu in (0, 1) for ctr in (0, 1)]
            samples = run_cores(m, s, wanted, each_overflowed(5))
            status = s.status()
        pmis = m.truth("core-pmi", mark)
        # each overflow of a counter is in exactly one sample
        assert sum(len(pmi["cause"]) for pmi in pmis) == status["overflows"], (pmis, status)
        assert not status["polled"], status
        late = [sample for sample in samples if sample["flags"] & SAMPLE_RECOVERED]
        missed = [pmi for pmi in pmis if pmi["result"] != "delivered"]
        assert len(late) <= len(missed), (late, missed)
        # the samples of STOP and recovered ones have no interrupted context
        without = [sample for sample in samples if not sample["flags"] & SAMPLE_CONTEXT]
        assert len(without) <= len(late) + 2, without
        agrees_with_perf(m, 2)


@test("e2-1s", **BOOT["v1"])
def version_1_counter_without_a_period_ends_no_interval(m):
    """Its top bit is clear, as that of a counter that has overflowed."""
    with cores(m), CoreSession(m, ring=1 << 20) as s:
        with refused(errno.ERANGE):
            s.on(1, 0, (1 << 31) + 1, event=0xc0)
        samples = run_cores(m, s, [s.place(1, 0, core.CYCLES // 50, event=0x3c),
                                   s.place(1, 1, event=0xc0)],
                            lambda _, found: len(found) > 10)
    assert all(len(sample["values"]) == 2 for sample in samples), samples


@test("e2-1s", **BOOT["v1"])
def version_1_lost_interrupt_is_recovered(m):
    with cores(m), CoreSession(m, ring=1 << 20) as s:
        s.on(1, 0, core.CYCLES // 40, event=0x3c)
        s.on(1, 1, event=0xc0)
        mark = m.truth_length()
        s.start()
        for _ in range(3):
            before = s.status()["recovered"]
            m.inject("lose-core-pmi 1 1")
            m.wait_until(lambda: s.status()["recovered"] > before, what="a recovered overflow")
        s.stop()
        samples = samples_in(s.drain())
        assert_equal(s.sample_differences(samples, s.freezes(mark)))
    assert len([1 for sample in samples if sample["flags"] & SAMPLE_RECOVERED]) >= 3, samples


@test("e2-1s", **BOOT["v1"])
def version_1_counters_change_owner(m):
    """The NMI watchdog, ucore and perf's sampling have the counters in turn, beside a die's PMIs."""
    m.allow("INFO: NMI handler .* took too long", "perf: interrupt took too long")
    with cores(m, watchdog=True), CoreSession(m, ring=1 << 24) as die:
        die.add("imc1", 0, 0, eventset.period_for("imc1", 0, 0, {"event": 0}, 50), event=0)
        mark = m.truth_length()
        die.start()
        with CoreSession(m) as s, refused(errno.EBUSY):
            s.on(1, 0, core.CYCLES // 30, event=0x3c)
        m.wait_until(lambda: die.status()["samples"] > 5, what="samples beside the watchdog")
        set_watchdog(m, 0)
        m.inject("record-cores yes")
        with CoreSession(m, ring=1 << 20) as s:
            run_cores(m, s, [s.place(cpu, 0, core.CYCLES // 30, event=0x3c) for cpu in (0, 1)],
                      each_overflowed(5))
        perf_samples(m)
        with CoreSession(m, ring=1 << 20) as s:
            run_cores(m, s, [s.place(1, 1, core.CYCLES // 30, event=0x3c)], each_overflowed(5))
        die.stop()
        samples = samples_in(die.drain())
        assert_equal(die.sample_differences(samples, die.freezes(mark)))


# ---- version 2: global registers and fixed counters; early parts report these wrongly ----

@test("e2-1s", **BOOT["v2"])
def version_2_uses_fixed_counters_that_cpuid_hides(m):
    with cores(m):
        assert_core_info(m, state="ready", version=2, counters=2, width=40, fixed=3, fixed_width=40,
                    edx=0, global_control=1, full_width_writes=0, any_thread=0)
        _, silent = count_exactly(m, 5)
        assert not silent, silent
        sample_exactly(m)
        sample_by_timer(m)
        agrees_with_perf(m)


@test("e2-1s", **BOOT["v2"])
def events_absent_in_cpuid_are_refused_by_name(m):
    names = list(core.PREDEFINED)
    missing = {names[LLC_REFERENCES], names[BRANCHES]}
    with cores(m):
        assert_core_info(m, events=0x7f & ~0x28, ebx=0x28)
        for name in names:
            result = m.run(f"ucoretool stat --timeout 1 -e core/{name}/", check=False)
            assert (result.status != 0) == (name in missing), (name, result.err)
            if name in missing:
                assert "does not have" in result.err and "CPUID.0AH" in result.err, result.err
        lacks = [line for line in m.sh("ucoretool info").splitlines() if "lacks" in line]
        assert lacks and set(lacks[0].split()[1:]) == missing, lacks


@test("e2-1s", **BOOT["v2"])
def short_counter_writes_limit_the_period(m):
    with cores(m), CoreSession(m) as s:
        with refused(errno.ERANGE):
            s.on(1, 0, (1 << 31) + 1, event=0x3c)
        s.on(1, 0, 1 << 31, event=0xc0)
        with refused(errno.ERANGE):
            s.on(1, "fixed0", 1 << 40)
        s.on(1, "fixed0", (1 << 40) - 1)
        s.start()
        pmu = pmus(m)[1]
        s.stop()
    values = {c["ctr"]: c["value"] for c in pmu["counters"]}
    # values some milliseconds after the start values -2^31 and 1
    assert (1 << 40) - (1 << 31) <= values[0] < (1 << 40) - (1 << 30), hex(values[0])
    assert 1 <= values["fixed0"] < 1 << 36, hex(values["fixed0"])


@test("e2-1s", **BOOT["narrow"])
def wraps_of_32_bits_are_folded_without_an_overflow(m):
    """Counters wrap in 1.6 s. A wrap also sets the status bit of a counter that is not armed."""
    with cores(m), CoreSession(m, ring=1 << 20) as s:
        s.add_all(full_set(s))
        mark = m.truth_length()
        s.start()
        fast = [event for event, at in s.events.items() if str(at.ctr).startswith("fixed")]
        m.wait_until(lambda: all(s.true_count(event, s._totals()) > 2.2 * 2**32
                                 for event in fast if s.events[event].ctr != "fixed0"),
                     timeout=40, what="two wraps")
        assert all(pmu["status"] for pmu in pmus(m).values()), pmus(m)
        s.read_exactly()
        assert not [r for r in s.drain() if r["type"] == 1], "a sample of nothing"
        s.stop()
        assert not m.truth("core-pmi", mark)
        assert not any(pmu["status"] for pmu in pmus(m).values()), pmus(m)


@test("e2-1s", **BOOT["narrow"])
def overflow_status_is_cleared_before_the_event_select_changes(m):
    """Two groups share a general counter, which wraps in its time slices. Strict mode checks that
    the overflow bit is clear when the event select is written."""
    with cores(m), CoreSession(m, rotate_ns=200 * MS) as s:
        s.on(1, 0, event=0x3c)
        wraps = [s.on(1, 1, group=1, event=0x3c), s.on(1, 1, group=2, event=0xc0)]
        mark = m.truth_length()
        s.start()
        m.wait_until(lambda: max(value["count"] for value in s.read()["values"]
                                 if value["event"] in wraps) > 2.2 * 2**32,
                     timeout=60, what="two wraps")
        s.stop()
        assert not m.truth("core-pmi", mark)


# ---- version 4: full-width writes, and a status bit that freezes ----

@test("e2-1s", **BOOT["v4"])
def version_4_counts_and_samples(m):
    with cores(m):
        assert_core_info(m, state="ready", version=4, counters=4, width=48, fixed=3, events=0x7f,
                    global_control=1, full_width_writes=1, any_thread=1)
        _, silent = count_exactly(m, 7)
        assert not silent, silent
        sample_exactly(m)
        sample_by_timer(m)
        agrees_with_perf(m)


@test("e2-1s", **BOOT["v4"])
def full_width_writes_accept_any_period(m):
    period = 1 << 47
    with cores(m), CoreSession(m) as s:
        with refused(errno.ERANGE):
            s.on(1, 0, 1 << 48, event=0x3c)
        s.on(1, 0, period, event=0x3c)
        s.start()
        value = next(c["value"] for c in pmus(m)[1]["counters"] if c["ctr"] == 0)
        s.stop()
    assert (1 << 48) - period <= value < (1 << 48) - period + (1 << 36), hex(value)


@test("e2-1s", **BOOT["v4"])
def debugctl_freeze_by_pmi_is_unfrozen(m):
    """With DEBUGCTL[12] set, each PMI sets CTR_Frz, and the service of the PMI clears it."""
    m.run("modprobe -q msr", check=False)
    with cores(m):
        m.run("wrmsr 1 0x1d9 0x1000")
        try:
            mark = m.truth_length()
            sample_exactly(m)
            assert "pmi" in {freeze["reason"] for freeze in m.truth("core-freeze", mark)
                             if freeze["cpu"] == 1}
        finally:
            m.run("wrmsr 1 0x1d9 0")
        assert not pmus(m)[1]["status"], pmus(m)[1]


# ---- version 5: eight counters, a fourth fixed one, no AnyThread ----

@test("e2-1s", **BOOT["v5"])
def version_5_counts_and_samples(m):
    with cores(m):
        assert_core_info(m, state="ready", version=5, counters=8, width=48, fixed=4, ecx=0xf,
                    any_thread=0, full_width_writes=1)
        _, silent = count_exactly(m, 12)
        assert not silent, silent
        sample_exactly(m)
        sample_by_timer(m)
        agrees_with_perf(m)


@test("e2-1s", **BOOT["v5"])
def any_thread_is_offered_only_where_present(m):
    with cores(m):
        fields = m.sh("ucoretool list fields core").split()
        assert "thresh" in fields and "any" not in fields, fields
        result = m.run("ucoretool stat --timeout 1 -e core/event=0xc0,any=1/", check=False)
        assert result.status != 0 and "any" in result.err, result


# ---- refused processors, with a reason ----

def assert_refused(m, state, reason):
    with cores(m):
        found = core_info(m)
        assert found["state"] == state and reason in found["reason"], found
        assert not [line for line in m.sh("ucoretool list").splitlines() if " core " in line]
        result = m.run("ucoretool stat --timeout 1 -e core/LLC_MISSES/", check=False)
        assert result.status != 0, result
        # the boxes of the uncore still count
        m.sh("ucoretool stat --timeout 1 -e imc/CAS_COUNT.RD/")
        assert totals_of(m)


@test("e2-1s", settings={"core.version": 6})
def perfmon_version_6_is_refused(m):
    assert_refused(m, "unknown version", "versions above 5")


@test("e2-1s", settings={"core.eax": 3 | 6 << 8 | 48 << 16 | 7 << 24})
def processor_with_missing_counters_is_refused(m):
    """CPUID reports six counters, but the registers of two do not respond."""
    assert_refused(m, "wrong CPUID", "do not respond")


@test("e2-1s", settings={"machine.core-pmu": "no"})
def processor_without_perfmon_has_no_core_boxes(m):
    assert_refused(m, "none", "no counters")
