# SPDX-License-Identifier: GPL-2.0-only
"""Overflow interrupts of client processors.

No source states which CPUs a bit of pmi_core_sel interrupts, or that it interrupts any. A trial finds
out when a session first needs an interrupt. On a machine without an interrupt, periods are polled.
"""

import errno
import json

from lab.framework import test
from lab.session import (BOX_OVERFLOW, SAMPLE_FROZEN, SAMPLE_POLLED, SAMPLE_RECOVERED, Session,
                         die_of, interrupting, refused, sample_until, started_by_pmis)
from machine import eventset
from machine.armed import WATCHDOG, each_overflowed, run_armed, run_polled
from machine.registers import peek, poke
from machine.test_client import GLOBAL_CTL
from machine.test_client_overflow import EVENTS, LOOKUPS, SLOW, wanted
from machine.test_overflow_freeze import POLLABLE, TRIAL, caps_of, registers, selftest
from machine.timers import budget_of

MACHINES = ("snb-1s", "hsw-1s", "skl-1s", "icl-1s", "tgl-1s", "adl-1s")
PMI = 1 << 13           # UCORE_SELFTEST_PMI
DEBUGCTL, UNCORE_PMI = 0x1d9, 1 << 13
GLOBAL_STATUS_UNCORE = 1 << 61
INTERRUPTS = "bit {} of pmi_core_sel interrupts CPUs {}"


def sample(m, boxes=None, hz=10, times=2):
    with Session(m) as s:
        events = wanted(s, hz, boxes)
    samples = run_armed(m, events, each_overflowed(times))
    assert not any(sample["flags"] & (SAMPLE_POLLED | SAMPLE_FROZEN) for sample in samples), samples
    return samples


def interrupts(m):
    return json.loads(m.sh("ucoretool info -j"))["overflow_pmi"]


def bits(m):
    """Return the lines of the log that state which CPUs each bit interrupts."""
    loaded = m.dmesg().rpartition("boxes on 1 domains")[2]
    return [line.split("domain 0: ")[1] for line in loaded.splitlines()
            if "of pmi_core_sel interrupts" in line]


def try_pmi(m, box="cbo0"):
    """Let a session need an interrupt; return the result of the box's self-test."""
    ctr, fields = EVENTS[box.rstrip("0123456789")]
    with Session(m) as s:
        s.add(box, 0, ctr, SLOW, **fields)
        return selftest(s, box)


# ---- correct machines ----

@test(MACHINES, timeout=120)
def overflows_of_each_box_interrupt(m):
    samples = sample(m)
    assert interrupts(m)
    assert die_of(m, 0)["pmis"] >= len(started_by_pmis(samples)) >= len(samples) - 1, die_of(m, 0)


@test("snb-1s", kernels=("debug",), timeout=300)
def overflows_interrupt_under_the_debug_kernel(m):
    sample(m, hz=6)


@test("skl-1s", loaded=False, alone=True)
def trial_names_the_cpus_of_each_bit(m):
    m.insmod()
    assert not interrupts(m)
    result = try_pmi(m)
    assert result["tested"] & (TRIAL | PMI) == TRIAL | PMI and not result["failed"], result
    assert bits(m) == [INTERRUPTS.format(n, n) for n in range(4)], bits(m)
    assert interrupts(m)
    # the trial is that of the die: the next box needs none
    result = try_pmi(m, "cbo1")
    assert result["tested"] & (TRIAL | PMI) == TRIAL, result
    assert len(bits(m)) == 4


@test(("snb-1s", "icl-1s", "adl-1s"), loaded=False, alone=True)
def trial_leaves_all_registers_as_found(m):
    m.run("modprobe -q msr", check=False)
    before, debugctl = registers(m), [peek(m, "r", cpu, DEBUGCTL) for cpu in range(4)]
    m.insmod()
    assert try_pmi(m, "clock0")["tested"] & PMI
    m.settle()
    assert registers(m) == before, (registers(m), before)
    assert [peek(m, "r", cpu, DEBUGCTL) for cpu in range(4)] == debugctl


@test("skl-1s", loaded=False, alone=True)
def events_without_a_period_make_no_trial(m):
    m.insmod()
    with Session(m) as s:
        s.add("cbo0", 0, 0, **LOOKUPS)
        assert not selftest(s, "cbo0")["tested"] & (TRIAL | PMI)
    with Session(m, no_pmi=True) as s:
        s.add("cbo0", 0, 0, SLOW, **LOOKUPS)
        assert selftest(s, "cbo0")["tested"] & (TRIAL | PMI) == TRIAL
        assert not interrupts(m)


@test("skl-1s", loaded=False, alone=True)
def trial_waits_for_an_idle_die(m):
    """A period is polled meanwhile, or refused if it must not be."""
    m.insmod()
    with Session(m) as other:
        other.add("clock0", 0, EVENTS["clock"][0])
        other.start()
        with Session(m) as s:
            answer = s.command(f"add {s.ids[0, 'cbo0']} 0 {POLLABLE} event=0x34 umask=0x8f")
            assert answer["poll_ns"]
            with refused(errno.EBUSY):
                s.add("cbo0", 0, 0, interrupting(SLOW), **LOOKUPS)
            assert not selftest(s, "cbo0")["tested"] & (TRIAL | PMI)
        other.stop()
    assert try_pmi(m)["tested"] & PMI


@test("skl-1s", loaded=False, alone=True)
def sessions_with_and_without_interrupts_share_a_die(m):
    """The interrupt serves both while both run, and polls serve the one that is left."""
    m.insmod()
    m.write(WATCHDOG, 0)
    with budget_of(m, 100), Session(m, ring=1 << 22, no_pmi=True) as silent, \
            Session(m, ring=1 << 22) as loud:
        silent.add("cbo1", 0, 0, eventset.period_for("cbo1", 0, 0, LOOKUPS, 20, "skl"), **LOOKUPS)
        loud.add("cbo2", 0, 0, eventset.period_for("cbo2", 0, 0, LOOKUPS, 30, "skl"), **LOOKUPS)
        assert interrupts(m)
        silent.start()
        loud.start()
        both = sample_until(m, loud, lambda taken: len(taken) >= 5)
        assert not any(taken["flags"] & SAMPLE_POLLED for taken in both), both
        before = silent.status()["samples"]
        samples = sample_until(m, silent, lambda _: silent.status()["samples"] >= before + 4)
        assert all(taken["flags"] & (SAMPLE_POLLED | SAMPLE_FROZEN) ==
                   SAMPLE_POLLED | SAMPLE_FROZEN for taken in samples[-3:]), samples


# ---- which CPUs the bits reach ----

def chosen(m, cpu, hz=20):
    """Sample with the PMI sent to a CPU; return the CPUs that received it."""
    with Session(m, ring=1 << 20) as s:
        s.add("cbo0", 0, 0, eventset.period_for("cbo0", 0, 0, LOOKUPS, hz, s.platform), **LOOKUPS)
        s.command(f"cpu {cpu}")
        s.start()
        samples = sample_until(m, s, lambda taken: len(taken) >= 5)
    return {sample["cpu"] for sample in started_by_pmis(samples)}


@test("skl-1s", settings={"faults.core-map": "2 0 3 1"}, loaded=False, alone=True)
def bits_that_number_slices_are_found(m):
    m.insmod()
    m.write(WATCHDOG, 0)
    assert try_pmi(m)["tested"] & PMI
    assert bits(m) == [INTERRUPTS.format(n, cpu) for n, cpu in enumerate((2, 0, 3, 1))], bits(m)
    for cpu in (3, 1):
        assert chosen(m, cpu) == {cpu}
    sample(m, ["cbo0", "clock0"])


@test("adl-1s", settings={"faults.core-map": "-1 -1 0 -1 1"}, loaded=False, alone=True)
def cpus_without_a_bit_cannot_be_chosen(m):
    m.insmod()
    assert try_pmi(m)["tested"] & PMI
    assert bits(m) == [INTERRUPTS.format(2, 0), INTERRUPTS.format(4, 1)], bits(m)
    for cpu in (2, 3):
        with Session(m) as s, refused(errno.ERANGE):
            s.command(f"cpu {cpu}")
    assert chosen(m, 1) == {1}
    sample(m, ["cbo0", "clock0"])


@test("skl-1s", settings={"faults.core-map": "-1 1 -1 -1"}, loaded=False, alone=True)
def reader_without_a_bit_leaves_pmis_to_another_cpu(m):
    m.insmod()
    assert try_pmi(m)["tested"] & PMI
    samples = sample(m, ["cbo0"], hz=20, times=5)
    assert {taken["cpu"] for taken in started_by_pmis(samples)} == {1}, samples


@test("skl-1s", loaded=False, alone=True)
def cpu_that_comes_online_is_tried(m):
    m.insmod()
    m.set_online(3, False)
    assert try_pmi(m)["tested"] & PMI
    assert bits(m) == [INTERRUPTS.format(n, n) for n in range(3)], bits(m)
    m.set_online(3, True)
    with Session(m) as s, refused(errno.ERANGE):
        s.command("cpu 3")
    assert try_pmi(m, "cbo1")["tested"] & PMI
    assert INTERRUPTS.format(3, 3) in bits(m), bits(m)
    assert chosen(m, 3) == {3}


# ---- how the PMI arrives ----

@test("skl-1s", settings={"model.hlt-sleeps": "yes"}, loaded=False, alone=True)
def sleeping_cores_are_woken(m):
    m.insmod()
    assert try_pmi(m)["tested"] & PMI
    assert len(bits(m)) == 4, bits(m)
    sample(m, ["cbo0"], hz=20, times=5)


@test("skl-1s", settings={"core.uncore-bit": "yes"}, loaded=False, alone=True)
def status_bit_61_is_cleared(m):
    m.run("modprobe -q msr", check=False)
    m.insmod()
    assert try_pmi(m)["tested"] & PMI
    assert len(bits(m)) == 4, bits(m)
    sample(m, ["cbo0"], hz=20, times=5)
    assert not any(peek(m, "r", cpu, 0x38e) & GLOBAL_STATUS_UNCORE for cpu in range(4))


@test("skl-1s", perf=True, settings={"core.uncore-bit": "yes"}, timeout=120,
      alone=True)
def perf_samples_beside_uncore_interrupts(m):
    """perf unmasks LVTPC after it has enabled its counters. It loses its PMIs for good if a counter
    overflows in between, so that its period is longer than a pause of the host."""
    m.write(WATCHDOG, 0)
    m.spawn("exec spin 0")
    m.spawn("cd /tmp && exec perf record -q -C 0 -e cycles -c 400000000 -o /tmp/perf.data "
            "-- sleep 3600 2>&1")
    m.wait_until(lambda: m.oracle("cpus")["cpus"][0]["core_pmi"] > 5, timeout=40,
                 what="perf's PMIs")
    before = m.oracle("cpus")["cpus"][0]["core_pmi"]
    with budget_of(m, 100), Session(m, ring=1 << 22) as s:
        s.add("cbo0", 0, 0, eventset.period_for("cbo0", 0, 0, LOOKUPS, 20, "skl"), **LOOKUPS)
        s.start()
        sample_until(m, s, lambda taken: len(taken) >= 10)
    m.wait_until(lambda: m.oracle("cpus")["cpus"][0]["core_pmi"] > before + 5, timeout=40,
                 what="more of perf's PMIs")


@test("skl-1s")
def lost_pmi_is_recovered(m):
    m.write(WATCHDOG, 0)
    with budget_of(m, 100), Session(m, ring=1 << 22) as s:
        s.add("cbo0", 0, 0, eventset.period_for("cbo0", 0, 0, LOOKUPS, 20, "skl"), **LOOKUPS)
        assert interrupts(m)
        m.inject("lose-pmi 0 1")
        s.start()
        samples = sample_until(m, s, lambda taken: len(taken) >= 5)
    late = [bool(taken["flags"] & SAMPLE_RECOVERED) for taken in samples]
    assert late[0] and not any(late[1:]), late


@test("skl-1s", alone=True)
def reader_moves_while_overflows_interrupt(m):
    m.write(WATCHDOG, 0)
    with budget_of(m, 100), Session(m, ring=1 << 22) as s:
        s.add("cbo0", 0, 0, eventset.period_for("cbo0", 0, 0, LOOKUPS, 20, "skl"), **LOOKUPS)
        s.command("cpu 2")
        s.start()
        m.wait_until(lambda: s.status()["samples"] >= 3, what="samples")
        m.set_online(2, False)
        before = s.status()["samples"]
        samples = sample_until(m, s, lambda taken: s.status()["samples"] >= before + 4)
        m.set_online(2, True)
    assert samples[0]["cpu"] == 2 and samples[-1]["cpu"] != 2, samples
    assert not any(taken["flags"] & (SAMPLE_POLLED | SAMPLE_RECOVERED) for taken in samples), samples


# ---- machines without an interrupt ----

@test(("snb-1s", "skl-1s", "adl-1s"), settings={"model.pmi": "no"}, loaded=False,
      alone=True)
def periods_are_polled_without_an_interrupt(m):
    m.insmod()
    result = try_pmi(m)
    assert result["failed"] & (TRIAL | PMI) == PMI, result
    assert "interrupts no CPU" in result["reason"], result
    assert not interrupts(m) and not bits(m)
    with Session(m) as s:
        assert caps_of(s, "cbo0") & BOX_OVERFLOW, "it still freezes the die"
        for box in ("cbo0", "cbo1"):
            with refused(errno.EOPNOTSUPP):
                s.add(box, 0, 0, interrupting(SLOW), **LOOKUPS)
    run_polled(m, [("cbo0", 0, 0, POLLABLE // 20, LOOKUPS)], lambda _, taken: len(taken) >= 5)
    verdict = m.run("ucoretool verify --yes", check=False)
    assert "pmi" in verdict.out and "interrupts no CPU" in verdict.out, verdict.out
    # exact samples need no interrupt
    with Session(m) as s:
        events = wanted(s, 10)
    run_armed(m, events, each_overflowed(2), no_pmi=True)


@test("skl-1s")
def verify_finds_interrupts(m):
    out = m.sh("ucoretool verify --yes")
    assert "interrupts a CPU" in out, out
    assert "clock0 of die 0: each of 4 CPUs received its interrupts" in out, out


@test("skl-1s", strict=False)
def another_program_that_clears_the_route_is_noticed(m):
    """The watchdog finds the overflow whose PMI reaches nobody, and its service selects the CPU
    again."""
    def recovered(taken):
        late = [bool(sample["flags"] & SAMPLE_RECOVERED) for sample in taken]
        return late.count(True) == 1 and not late[-1]
    m.write(WATCHDOG, 0)
    with budget_of(m, 100), Session(m, ring=1 << 22) as s:
        s.add("cbo0", 0, 0, eventset.period_for("cbo0", 0, 0, LOOKUPS, 5, "skl"), **LOOKUPS)
        s.start()
        poke(m, ("w", 0, GLOBAL_CTL["skl-1s"], 1 << 29 | 1 << 31))
        sample_until(m, s, recovered)
