# SPDX-License-Identifier: GPL-2.0-only
"""Hybrid processors: two kinds of cores with different counters and events."""

import errno
import json

from lab.framework import test
from lab.qemu import core
from lab.session import VALUE_GAP, assert_equal, refused
from machine import witness
from machine.armed import each_overflowed
from machine.cores import (BOOT, CoreSession, assert_exact_over_offline, cores, event_for, full_set,
                           may_count, rate_of, released_to_perf, run_cores)
from machine.test_core_versions import assert_core_info, core_info, sample_by_timer
from machine.test_suspend import suspend_to_ram
from machine.test_tasks import spinning

# Linux's perf knows both kinds of Alder Lake. CPUs 2 and 3 are efficient cores. As on silicon, CPUID
# reports the counters that both kinds have; Linux adds those that only performance cores have.
ALDER_LAKE = {"settings": {"machine.core-pmu": "yes", "core.version": 5, "core.hybrid": "yes",
                           "core.atoms": 0xc, "core.metrics": "yes", "core.eax": 0x07300605,
                           "core.ecx": 7, "core.edx": 0x8603},
              "cmdline": "nmi_watchdog=0", "perf": True}


# ---- CPU 0 is a performance core, CPU 1 an efficient core ----

@test("e2-1s", **BOOT["hybrid"])
def both_kinds_of_cores_count_exactly(m):
    with cores(m):
        assert_core_info(m, state="ready", counters=8, fixed=4, full_width_writes=1, events=0x7f,
                         cpu_type=0x40, boxes=1, cpus=1)
        assert_core_info(m, "atom", state="ready", counters=6, fixed=3, full_width_writes=0,
                         events=0x77, cpu_type=0x20, boxes=1, cpus=1)
        with CoreSession(m) as s:
            s.add_all(full_set(s))
            assert [len(s.counters(cpu)) for cpu in s.cpus()] == [12, 9], s.boxes
            s.start()
            for _ in range(3):
                answer = s.read_exactly()
            s.stop()
            assert_equal(s.differences(s.read()["values"], s._totals()))
        silent = [s.events[v["event"]] for v in answer["values"] if not v["count"]]
        # only the efficient core lacks LLC references
        assert {at.box for at in silent} <= {"core1"}, silent
        sample_by_timer(m)


@test("e2-1s", **BOOT["hybrid"])
def both_kinds_of_cores_sample_exactly(m):
    with cores(m), CoreSession(m, ring=1 << 20) as s:
        wanted = []
        for cpu in (0, 1):
            for number, ctr in enumerate(s.counters(cpu)):
                fields = event_for(0 if cpu else number, ctr)
                wanted.append(s.place(cpu, ctr, rate_of(ctr, fields) // (10 + number), **fields))
        samples = run_cores(m, s, wanted, each_overflowed(2))
    assert {sample["cpu"] for sample in samples} == {0, 1}, samples


@test("e2-1s", **BOOT["hybrid"])
def counters_of_the_other_kind_are_refused(m):
    """The registers do not exist there, and the model reports every access to them."""
    with cores(m), CoreSession(m) as s:
        for ctr in (6, 7):
            s.on(0, ctr, event=0xc0)
            with refused(errno.ENXIO):
                s.on(1, ctr, event=0xc0)
        s.on(0, "fixed3")
        with refused(errno.ENXIO):
            s.on(1, "fixed3")
        with refused(errno.ERANGE):
            s.on(1, 0, (1 << 31) + 1, event=0x3c)
        s.start()
        s.read_exactly()
        s.stop()


@test("e2-1s", **BOOT["hybrid"])
def efficient_core_counts_exactly_over_cpu_offline_and_online(m):
    assert_exact_over_offline(m)


@test("e2-1s", **BOOT["hybrid"])
def both_kinds_of_cores_survive_suspend_to_ram(m):
    with cores(m), CoreSession(m) as s:
        s.add_all(full_set(s))
        s.start()
        s.read_exactly()
        suspend_to_ram(m, lambda: s.forget_unread(set(s.domain_of.values())))
        assert all(v["flags"] & VALUE_GAP for v in s.read()["values"])
        for _ in range(2):
            s.read_exactly()
        s.stop_exactly()


@test("e2-1s", **BOOT["hybrid"])
def events_name_the_kind_of_core(m):
    """A name without a box counts on both kinds, as `perf stat -e cycles` does."""
    with cores(m):
        listed = m.sh("ucoretool list")
        assert " core " in listed and " atom " in listed, listed
        counted = {line["event"]: line["count"] for line in map(json.loads, m.sh(
            "ucoretool stat -j --timeout 100 -e LLC_MISSES,core/LLC_REFERENCES/,"
            "atom/BRANCH_MISSES_RETIRED,cpu=1/").splitlines()) if "event" in line}
        assert list(counted) == ["core/LLC_MISSES/", "atom/LLC_MISSES/", "core/LLC_REFERENCES/",
                                 "atom/BRANCH_MISSES_RETIRED,cpu=1/"], counted
        assert all(counted.values()), counted
        for event, reason in (("atom/LLC_REFERENCES/", "does not have LLC_REFERENCES"),
                              ("atom/TOPDOWN.SLOTS/", "no event or field"),
                              ("atom/fixed=3/", "no fixed counter 3"),
                              ("core/LLC_MISSES,cpu=1/", "cpu 1 has no core")):
            result = m.run(f"ucoretool stat --timeout 1 -e {event}", check=False)
            assert result.status and reason in result.err, (event, result.err)
        doctor = m.run("ucoretool doctor", check=False).out
        assert "type core are available" in doctor and "type atom are available" in doctor, doctor


@test("e2-1s", settings={"core.version": 5, "core.hybrid": "yes", "core.atoms": 2,
                         "core.atom-type": 0x30}, cmdline="nmi_watchdog=0")
def cores_of_an_unknown_kind_have_no_boxes(m):
    with cores(m):
        assert_core_info(m, state="ready", boxes=1, cpus=1)
        found = core_info(m, "other")
        assert found["state"] == "unknown kind" and found["cpu_type"] == 0x30, found
        assert "CPUID.1AH" in found["reason"] and not found["boxes"], found
        with CoreSession(m) as s:
            assert s.cpus() == [0], s.boxes
            s.add_all(full_set(s))
            s.start()
            s.read_exactly()
            s.stop()


# ---- perf on a hybrid processor ----

@test("adl-1s", timeout=120, **ALDER_LAKE)
def perf_and_ucore_use_both_kinds_in_turn(m):
    """While one of them has counters of any core, the other one gets EBUSY on every core."""
    with cores(m):
        with CoreSession(m) as s:
            s.on(0, 0, event=0xc0)
            assert {may_count(m, cpu) for cpu in (0, 1, 2, 3)} == {errno.EBUSY}
            s.add_all([place for place in full_set(s) if place[:3] != ("core0", s.domain_of[0], 0)])
            s.start()
            s.read_exactly()
            s.stop_exactly()
        with released_to_perf(m):
            for cpu, pmu in ((0, "cpu_core"), (2, "cpu_atom")):
                events = {f"{pmu}/cycles/": core.rate(0x3c), f"{pmu}/instructions/": core.rate(0xc0)}
                measured = witness.measure(m, f"-C {cpu}", events)
                wrong = [text for event, rate in events.items()
                         if (text := witness.difference(measured.get((event, None)), rate))]
                assert not wrong, wrong
            holder = m.spawn("exec perfopen 2 hold")
            assert m.wait_until(holder.output, what="perf's event") == "0\n"
            with CoreSession(m) as s:
                for cpu in s.cpus():
                    with refused(errno.EBUSY):
                        s.on(cpu, 0, event=0xc0)
            assert {core_info(m, kind)["state"] for kind in ("core", "atom")} == {"in use by perf"}
            holder.kill(9)
            holder.wait(check=False)
        with CoreSession(m) as s:
            s.add_all(full_set(s))
            s.start()
            s.read_exactly()


@test("adl-1s", timeout=120, **ALDER_LAKE)
def instructions_of_a_thread_trigger_on_both_kinds(m):
    for cpu in (1, 2):
        with spinning(m, cpu, "worker") as (_, pid):
            m.run("ucoretool record --core-event instructions:u -c 20000000 --count 5 "
                  f"-p {pid} -e cbo0/event=0x34,umask=0x8f/ -o /tmp/samples", timeout=60)
        rows = [json.loads(line) for line in m.sh("ucoretool script -j -i /tmp/samples").splitlines()]
        samples = [row for row in rows if row.get("trigger") == "core"]
        assert len(samples) >= 5, rows
        assert {(row["cpu"], row["pid"]) for row in samples} == {(cpu, pid)}, (cpu, pid, samples)
