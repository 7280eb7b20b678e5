# SPDX-License-Identifier: GPL-2.0-only
"""The clocked machine, whose time is computed from instructions and register accesses: cost of
samples, limits, and the same measurements with other tools.
"""

import concurrent.futures
import contextlib
import json
import re
import threading

from lab import bench, bench_clocked, bench_parallel, clocked, peers, access_costs
from lab.clocked import RING, TOOLS
from lab.framework import test
from lab.machine import Machine
from lab.session import US, Session
from machine import eventset
from machine.test_sampling import NO_OVERFLOW


# number of recordings in start_and_stop_drop_no_period()
ENDS = 30


class Watched(Machine):
    """A machine whose state the host queries all the time."""

    def _wait_ready(self):
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            ended = threading.Event()
            queries = pool.submit(self._query, ended)
            try:
                super()._wait_ready()
            finally:
                ended.set()
            assert queries.result() > 1000, queries.result()

    def _query(self, ended):
        queries = 0
        while not ended.is_set():
            self.qmp("query-status")
            queries += 1
        return queries


def short(times=1, boots=Machine):
    """Return a measurement of four counters."""
    return clocked.Run("ivbep", clocked.sets(bench.PLATFORMS["ivbep"])[:1], {RING: TOOLS[RING]},
                       times=times, periods=False, boots=boots)


@test(machine=False, timeout=120)
def clocked_runs_repeat_to_the_nanosecond():
    """Runs do not depend on the activity of the host."""
    first, second = short(), short(boots=Watched)
    key = ("4 counters", RING)
    assert first.log == second.log
    assert first.rows == second.rows and first.rows[key]["frozen_ns"]


@test(machine=False, timeout=120)
def clocked_time_is_instructions_plus_access_costs():
    """The frozen time is that computed from instructions and accesses, also with double costs."""
    once, twice = (short(times).rows["4 counters", RING] for times in (1, 2))
    events = clocked.sets(bench.PLATFORMS["ivbep"])[0]
    for times, row in ((1, once), (2, twice)):
        assert abs(row["accesses"] - events.limit) < 0.5, row
        # the frozen time includes the write that freezes, but not the write that unfreezes
        paid = times * (4 * access_costs.PRICES["ecam"].ns + access_costs.PRICES["wrmsr"].ns)
        assert row["frozen_ns"] == row["frozen_insns"] * access_costs.INSTRUCTION_NS + paid, row


@test(machine=False, timeout=300)
def path_costs_are_within_the_figures():
    """Compare the costs of a sample with figures.json, with the tolerances in that file.

    `FIGURES=update python3 -m lab.bench_clocked` updates the file.
    """
    figures = json.loads(bench_clocked.FIGURES.read_text())
    lines = bench_clocked.worse(bench_clocked.guarded(), figures)
    assert not lines, "\n".join(lines)


@test(machine=False, timeout=180)
def period_accepted_by_start_loses_no_sample():
    """The shortest period that START accepts loses no sample."""
    found_sets = clocked.sets(bench.PLATFORMS["ivbep"])
    for title, (limit_us, missing) in clocked.sustained("ivbep", found_sets, seconds=0.5).items():
        assert not missing, f"{title}, {limit_us} us: {missing}"


@test(machine=False, timeout=300)
def start_and_stop_drop_no_period():
    """No period is dropped with the shortest period, whenever STOP occurs within a period."""
    events = clocked.sets(bench.PLATFORMS["ivbep"])[0]
    with Machine(clocked.SCENARIOS["ivbep"], clocked.KERNEL, strict=False,
                 settings=access_costs.settings()) as m:
        m.insmod()
        m.run("have")
        us = clocked.start_limit_us(m, events)
        record = f"ucoretool record --timer {us}us {bench.options(events.ucore)} -o /dev/null"
        output = m.run(f"for i in $(seq {ENDS}); do {record} -- sleep 0.00$i 2>&1; done",
                       timeout=240).out
    lost = re.findall(r"^\d+ samples .* (\d+) records lost", output, re.M)
    assert lost == ["0"] * ENDS, output


@test(machine=False, timeout=300)
def period_accepted_by_start_with_readers_loses_no_sample():
    events = clocked.all_of(bench.PLATFORMS["ivbep"])
    with Machine(clocked.SCENARIOS["ivbep"], clocked.KERNEL, strict=False,
                 settings=access_costs.settings() | {"machine.plugged": 4}) as m:
        m.insmod()
        m.run("have")
        alone, *parallel = (clocked.start_limit_us(m, events, readers) for readers in (1, 2, 4))
        assert alone > parallel[0] > parallel[1], (alone, parallel)
        for readers, limit_us in zip((2, 4), parallel):
            missing = clocked.shortfall(m, events, limit_us, 0.3, readers)
            assert not missing, f"{readers} readers, {limit_us} us: {missing}"


# minimum speed of a loop on the reader, relative to its speed without sessions
LEFT = 0.5


def speed(m, output, seconds=0.3):
    """Return the rounds per nanosecond of a loop, which output() returns with the time."""
    def now():
        return [int(word) for word in output().split("\n")[-2].split()]
    before = now()
    m.wait_until(lambda: now()[0] - before[0] > seconds * 1e9, timeout=240, what="a loop that counts")
    after = now()
    return (after[1] - before[1]) / (after[0] - before[0])


def storm(m, stack, period):
    """Run 16 sessions with 100 us timers on all counters of the die; with a period where
    possible."""
    with Session(m) as s:
        if period:
            wanted = [(box, die, ctr, 0 if eventset.type_of(box) in NO_OVERFLOW[s.platform] else period,
                       fields) for box, die, ctr, _, fields in eventset.full_set(s)]
        else:
            wanted = list(bench_parallel.counters(bench.PLATFORMS[s.platform], s))
    boxes = list(dict.fromkeys(box for box, *_ in wanted))
    sessions = []
    for i in range(16):
        mine = boxes[i::16]
        s = stack.enter_context(Session(m, timer_ns=100 * US, ring=1 << 16))
        s.add_all([event for event in wanted if event[0] in mine])
        sessions.append(s)
    return sessions


def half_is_left(platform, period):
    with Machine(clocked.SCENARIOS[platform], clocked.KERNEL, strict=False,
                 settings=access_costs.settings()) as m, contextlib.ExitStack() as stack:
        m.insmod()
        sessions = storm(m, stack, period)
        loop = m.spawn("exec spin 0")
        m.wait_until(lambda: loop.output().count("\n") > 3, timeout=120, what="a loop that counts")
        quiet = speed(m, loop.output)
        for s in sessions:
            s.command("start")
        busy = speed(m, loop.output)
        overflows = sum(s.status()["overflows"] for s in sessions)
        budgets = [s.budget() for s in sessions]
        for s in sessions:
            s.command("stop")
        loop.kill(9)
        loop.wait(check=False)
        assert all(budget["dropped"] for budget in budgets), budgets
        assert bool(overflows) == bool(period), overflows
        assert busy >= quiet * LEFT, (busy, quiet)


@test(machine=False, timeout=300)
def sixteen_timers_with_period_of_1_leave_half_of_the_cpu():
    """As in test_budget.py, but in computed time, in which each access has its documented cost."""
    half_is_left("ivbep", 1)


@test(machine=False, timeout=300)
def sixteen_timers_of_439_counters_leave_half_of_the_cpu():
    half_is_left("spr", 0)


@test(machine=False)
def peers_count_the_same_counters():
    """Events that a tool does not support are left out: PCM has no HA, R2PCIe, R3QPI and IRP,
    no QPI of one socket and one C-Box per core; LIKWID has no IRP."""
    platform = bench.PLATFORMS["ivbep"]
    wanted = {4: (4, 4), 20: (20, 20), 97: (30, 93)}
    for events in clocked.sets(platform):
        found = peers.counters(platform, events)
        assert len(set(found)) == len(found) == events.counters
        assert (len(peers.of_pcm(found)), len(peers.of_likwid(found))) == wanted[events.counters]
        # each counter is named exactly once
        named = peers.likwid(platform, events, 10).command("1").split("-g ")[1].split()[0].split(",")
        assert len({name.split(":")[1] for name in named}) == wanted[events.counters][1]
        grouped = peers.perf_groups(events, 10).command("1")
        assert grouped.count("event=") == len(events.perf) and grouped.count("{") == len(
            {event.split("/")[0] for event in events.perf})


@test(machine=False)
def worse_figures_are_detected():
    row = {"accesses": 10, "syscall": 4, "sample_insns": 1000, "frozen_insns": 100}
    part = {"percent": 3}
    figures = {"allowed": {"accesses": {"more": 0.5}, "syscall": {"more": 0.5}, "sample_insns": part,
                           "frozen_insns": part}, "paths": {"a": row}}
    allowed = {"sample_insns": 1030, "frozen_insns": 103}
    assert not bench_clocked.worse({"a": row | allowed}, figures)
    for better in ({"accesses": 9}, {"sample_insns": 10}):
        assert not bench_clocked.worse({"a": row | better}, figures)
    for bad in ({"accesses": 11}, {"syscall": 5}, {"sample_insns": 1031}, {"frozen_insns": 104}):
        assert len(bench_clocked.worse({"a": row | bad}, figures)) == 1, bad
    assert bench_clocked.worse({}, figures) and bench_clocked.worse({"a": row, "b": row}, figures)
