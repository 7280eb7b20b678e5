# SPDX-License-Identifier: GPL-2.0-only
"""Core counters on platforms other than v2, and on machines without an uncore."""

import json

from lab.framework import test
from lab.qemu import core
from lab.session import MS, SAMPLE_POLLED, assert_equal, flagged, sample_until
from machine.armed import each_overflowed
from machine.cores import CoreSession, cores, full_set, run_cores

CAS_READS = {"event": 0x04, "umask": 0x03}


def of_cores(s, found):
    return [each for each in found if each.get("domain", each.get("socket")) in
            s.domain_of.values()]


@test("snbep-1s")
def core_interrupts_and_uncore_is_polled_on_v1(m):
    """E5-2600 v1: one session has core and uncore periods, and one READ reads both."""
    with cores(m), CoreSession(m, ring=1 << 20) as s:
        armed = s.add_all([s.place(cpu, 0, core.CYCLES // 20, event=0x3c) for cpu in s.cpus()])
        polled = s.add("imc0", 0, 0, 2000000, **CAS_READS)
        s.add("imc1", 0, 0, **CAS_READS)
        mark = m.truth_length()
        s.start()
        samples = sample_until(m, s, lambda found: all(
            sum(event in flagged(sample) for sample in found) > 3 for event in (*armed, polled)))
        assert_equal(s.sample_differences(of_cores(s, samples), of_cores(s, s.freezes(mark))))
    for sample in samples:
        assert bool(sample["flags"] & SAMPLE_POLLED) == (polled in flagged(sample)), sample
    with cores(m), CoreSession(m) as s:
        s.add_all([s.place(cpu, 0, event=0x2e, umask=0x41) for cpu in s.cpus()])
        s.add("imc0", 0, 0, **CAS_READS)
        s.start()
        for _ in range(3):
            s.read_exactly()


@test("spr-1s")
def core_and_discovered_boxes_work_together(m):
    with cores(m), CoreSession(m, timer_ns=20 * MS, ring=1 << 20) as s:
        s.add_all([s.place(cpu, 0, event=0x2e, umask=0x41) for cpu in s.cpus()])
        s.on(0, "fixed1", core.CYCLES // 30)        # interrupts, unlike the uncore boxes
        s.add("imc0", 0, 0, event=0x05, umask=0xcf)
        s.add("cha0", 0, 0, event=0x01)
        mark = m.truth_length()
        s.start()
        samples = sample_until(m, s, lambda found: len(found) > 60)
        assert_equal(s.sample_differences(samples, s.freezes(mark)))
    assert any(flagged(sample) for sample in samples), samples


@test("e2-1s", settings={"machine.uncore": "no"})
def core_boxes_work_without_an_uncore(m):
    with cores(m):
        info = json.loads(m.sh("ucoretool info -j"))
        assert info["state"] == "ready" and info["reason"], info
        with CoreSession(m, ring=1 << 20) as s:
            assert {box["name"] for box in s.boxes} == {"core0", "core1"}, s.boxes
            s.add_all(full_set(s))
            s.start()
            s.read_exactly()
        with CoreSession(m, ring=1 << 20) as s:
            run_cores(m, s, [s.place(cpu, 0, core.CYCLES // 30, event=0x3c) for cpu in s.cpus()],
                      each_overflowed(5))


@test("e2-smt")
def threads_of_a_core_have_separate_counters(m):
    """The same counter counts different events on the two threads, and interrupts its own."""
    siblings = [int(cpu) for cpu in m.sh(
        "cat /sys/devices/system/cpu/cpu0/topology/core_cpus_list").replace("-", ",").split(",")]
    assert len(siblings) == 2, siblings
    events = list(zip(siblings, (0x3c, 0xc0)))
    with cores(m):
        with CoreSession(m) as s:
            s.add_all([s.place(cpu, 0, event=event) for cpu, event in events])
            s.start()
            s.read_exactly()
        with CoreSession(m, ring=1 << 20) as s:
            samples = run_cores(m, s, [s.place(cpu, 0, core.rate(event) // 30, event=event)
                                       for cpu, event in events], each_overflowed(5))
    assert {sample["cpu"] for sample in samples} == set(siblings), samples
    assert all(sample["domain"] == s.domain_of[sample["cpu"]] for sample in samples), samples
