# SPDX-License-Identifier: GPL-2.0-only
"""The machine whose time is what instructions and accesses cost, what a sample may cost, and how
others are asked for the same."""

import json

from lab import bench, bench_clocked, clocked, peers, prices
from lab.clocked import RING, TOOLS
from lab.framework import test


def short(times=1):
    """A run of four counters."""
    return clocked.Run("ivbep", clocked.sets(bench.PLATFORMS["ivbep"])[:1], {RING: TOOLS[RING]},
                       times=times, periods=False)


@test(machine=False, timeout=120)
def runs_repeat_to_the_nanosecond():
    first, second = short(), short()
    key = ("4 counters", RING)
    assert first.log == second.log
    assert first.rows == second.rows and first.rows[key]["frozen_ns"]


@test(machine=False, timeout=120)
def time_is_what_was_executed_and_its_price():
    """Whatever the prices are, the same is done, and no other time passes in a freeze."""
    once, twice = (short(times).rows["4 counters", RING] for times in (1, 2))
    events = clocked.sets(bench.PLATFORMS["ivbep"])[0]
    for times, row in ((1, once), (2, twice)):
        assert abs(row["accesses"] - events.limit) < 0.5, row
        # from the instant of the freeze: its own write is in the window, that of the release is not
        paid = times * (4 * prices.PRICES["ecam"].ns + prices.PRICES["wrmsr"].ns)
        assert row["frozen_ns"] == row["frozen_insns"] * prices.INSTRUCTION_NS + paid, row


@test(machine=False, timeout=180)
def no_path_costs_more_than_the_figures_allow():
    """An access or a system call more, or 3 % of instructions; FIGURES=update python3 -m
    lab.bench_clocked"""
    figures = json.loads(bench_clocked.FIGURES.read_text())
    lines = bench_clocked.worse(bench_clocked.guarded(), figures)
    assert not lines, "\n".join(lines)


@test(machine=False)
def peers_are_asked_for_the_same_counters():
    """As far as they count them: PCM no HA, R2PCIe, R3QPI and IRP, of one socket no QPI, of one
    core one C-Box; LIKWID no IRP."""
    platform = bench.PLATFORMS["ivbep"]
    wanted = {4: (4, 4), 20: (20, 20), 97: (30, 93)}
    for events in clocked.sets(platform):
        found = peers.counters(platform, events)
        assert len(set(found)) == len(found) == events.counters
        assert (len(peers.of_pcm(found)), len(peers.of_likwid(found))) == wanted[events.counters]
        # a counter is named once, and a box has as many as there are
        named = peers.likwid(platform, events, 10).command("1").split("-g ")[1].split()[0].split(",")
        assert len({name.split(":")[1] for name in named}) == wanted[events.counters][1]
        grouped = peers.perf_groups(events, 10).command("1")
        assert grouped.count("event=") == len(events.perf) and grouped.count("{") == len(
            {event.split("/")[0] for event in events.perf})


@test(machine=False)
def figures_that_are_worse_are_seen():
    row = {"accesses": 10, "syscall": 4, "sample_insns": 1000, "frozen_insns": 100}
    figures = {"allowed": {"sample_insns": 0.03, "frozen_insns": 0.03}, "paths": {"a": row}}
    allowed = {"sample_insns": 1030, "frozen_insns": 103}
    assert not bench_clocked.worse({"a": row | allowed}, figures)
    for better in ({"accesses": 9}, {"sample_insns": 10}):
        assert not bench_clocked.worse({"a": row | better}, figures)
    for bad in ({"accesses": 11}, {"syscall": 5}, {"sample_insns": 1031}, {"frozen_insns": 104}):
        assert len(bench_clocked.worse({"a": row | bad}, figures)) == 1, bad
    assert bench_clocked.worse({}, figures) and bench_clocked.worse({"a": row, "b": row}, figures)
