# SPDX-License-Identifier: GPL-2.0-only
"""Tracepoints: the events in perf and tracefs agree with the ring and the model."""

import collections
import contextlib
import re

from lab.accesses import accesses_now, all_reported
from lab.framework import BOTH, KERNELS, test
from lab.session import (LOST, MS, SAMPLE_THROTTLED, TRIGGER_OVERFLOW, US, Session, assert_numbered,
                         samples_in)
from machine import eventset
from machine.armed import WATCHDOG, run_armed

# a tracing instance separate from other tests, with the clock of samples
TRACING = "/sys/kernel/tracing/instances/ucore"
SETTINGS = {"trace_clock": "mono", "options/overwrite": 0, "buffer_size_kb": 2048}
TRACED = re.compile(r"\[(\d+)\] \S+ +(\d+)\.(\d{6}): (ucore_\w+): (.*)")
ACCESS = re.compile(r"(\w+) (read|write) 0x([0-9a-f]+) 0x([0-9a-f]+)")

IDLE = {"event": 0}
HZ = 100
FREEZE, UNFREEZE, GLOBAL_CTL = 1 << 31, 1 << 29, 0xc00


# ---- traces ----

@contextlib.contextmanager
def traced(m, *events):
    """Context manager: enable events; yield a function that returns the trace so far.

    An entry is (event, CPU, ns, fields).
    """
    m.run(f"mkdir {TRACING}")
    try:
        for name, value in SETTINGS.items():
            m.write(f"{TRACING}/{name}", value)
        for event in events:
            m.write(f"{TRACING}/events/ucore/{event}/enable", 1)
        yield lambda: list(events_in(m.run(f"cat {TRACING}/trace").out))
    finally:
        m.run(f"echo 0 > {TRACING}/events/enable; rmdir {TRACING}")


def events_in(trace):
    for cpu, seconds, us, event, text in TRACED.findall(trace):
        yield event, int(cpu), int(seconds + us) * US, fields_of(text)


def fields_of(text):
    """Return the fields of a line as a dict; convert numbers, and parse a register access."""
    if access := ACCESS.fullmatch(text.strip()):
        kind, way, address, value = access.groups()
        return {"kind": kind, "way": way, "address": int(address, 16), "value": int(value, 16)}
    return {name: number(word) for name, word in re.findall(r"(\w+)=(\S+)", text)}


def number(word):
    if re.fullmatch(r"0x[0-9a-f]+", word):
        return int(word, 16)
    return int(word) if re.fullmatch(r"-?\d+", word) else word


def only(trace, event):
    return [fields for name, _, _, fields in trace if name == event]


# ---- samples ----

def key_of(sample):
    """Return the identity and the contents of a sample."""
    return tuple(sample[name] for name in ("domain", "seq", "time", "flags", "frozen_ns"))


def armed_events():
    """Return, for each die, an event with a period and one without, for add_all()."""
    period = eventset.period_for("imc1", 0, 0, IDLE, HZ)
    return [event for die in (0, 1) for event in (("imc1", die, 0, period, IDLE),
                                                  ("cbo1", die, 0, 0, IDLE))]


def both_dies(times):
    return lambda _, found: all(sum(sample["domain"] == die for sample in found) >= times
                                for die in (0, 1))


def assert_one_to_one(traced_samples, samples):
    """Check that traced samples and samples of the ring are the same.

    traced_samples: list of (CPU, ns, fields) in any order
    """
    by_key = {key_of(fields): (cpu, ns, fields) for cpu, ns, fields in traced_samples}
    assert len(by_key) == len(traced_samples) == len(samples), (len(traced_samples), len(samples))
    for sample in samples:
        assert key_of(sample) in by_key, (sample, sorted(by_key)[:3])
        cpu, ns, fields = by_key[key_of(sample)]
        assert cpu == sample["cpu"], (sample, cpu)
        assert fields["values"] == len(sample["values"]), (sample, fields)
        trigger = "overflow" if sample["trigger"] == TRIGGER_OVERFLOW else "timer"
        assert fields["trigger"] == trigger, (sample, fields)
        # written after the unfreeze; a clock with a resolution of us is truncated
        assert sample["time"] + sample["frozen_ns"] <= ns + US, (sample, ns)


@test("e2-2s", kernels=KERNELS)
def traced_samples_match_the_ring(m):
    with traced(m, "ucore_sample", "ucore_lost") as trace:
        samples = run_armed(m, armed_events(), both_dies(10))
        found = trace()
    assert not only(found, "ucore_lost"), found
    assert len({fields["session"] for fields in only(found, "ucore_sample")}) == 1, found
    assert_one_to_one([(cpu, ns, fields) for _, cpu, ns, fields in found], samples)


@test("e2-2s", perf=True, timeout=120)
def perf_records_samples_with_scheduler_events(m):
    m.run("rm -f /tmp/perf.data /tmp/recording")
    perf = m.spawn("cd /tmp && exec perf record -q -a -k CLOCK_MONOTONIC -m 1024 "
                   "-e ucore:ucore_sample -e sched:sched_switch -o /tmp/perf.data "
                   "-- sh -c 'touch /tmp/recording; exec sleep 3600' 2>&1")
    m.wait_until(lambda: not m.run("test -e /tmp/recording", check=False).status, timeout=60,
                 what="perf's beginning")
    samples = run_armed(m, armed_events(), both_dies(20))
    perf.kill(2)
    perf.wait(check=False, timeout=60)
    lines = m.run("perf script -i /tmp/perf.data --ns -F cpu,time,event,trace 2>/dev/null",
                  timeout=120).out
    found = re.findall(r"\[(\d+)\] +(\d+)\.(\d{9}): +(\w+):(\w+): (.*)", lines)
    mine = [(int(cpu), int(seconds + ns), fields_of(text))
            for cpu, seconds, ns, system, _, text in found if system == "ucore"]
    switches = [int(seconds + ns) for _, seconds, ns, _, event, _ in found
                if event == "sched_switch"]
    assert_one_to_one(mine, samples)
    # samples and scheduler events use the same clock, so that their times overlap
    times = [sample["time"] for sample in samples]
    assert sum(min(times) < when < max(times) for when in switches) > 10, len(switches)
    assert m.sh("grep '^ucore ' /proc/modules").split()[2] == "0", "perf keeps the module"


# ---- the other events ----

@test("e2-2s", kernels=BOTH)
def lost_samples_are_traced(m):
    """The sequence numbers of traced samples and losses have no gap.

    Before the ring is full, a busy host drops periods, which LOST records report.
    """
    with traced(m, "ucore_sample", "ucore_lost") as trace:
        with Session(m, timer_ns=5 * MS, ring=4096) as s:
            s.add("imc0", 0, 0, **IDLE)
            s.start()
            m.wait_until(lambda: s.status()["lost"] > 5, what="lost samples")
            s.stop()
            status, records = s.status(), s.drain()
        found = trace()
    lost_records = [record["seq"] for record in records if record["type"] == LOST]
    lost = only(found, "ucore_lost")
    assert lost[-1]["lost"] == status["lost"], (lost, status)
    seqs = lost_records + [fields["seq"] for fields in only(found, "ucore_sample")]
    for before, fields in zip([{"lost": 0}, *lost], lost):
        more = fields["lost"] - before["lost"]
        seqs += range(fields["seq"] - more + 1, fields["seq"] + 1)
    assert sorted(seqs) == list(range(status["samples"] + len(lost_records))), (seqs, status)
    assert_numbered(records)
    assert [fields["seq"] for fields in only(found, "ucore_sample")] == \
        [sample["seq"] for sample in samples_in(records)]


@test("e2-2s", kernels=KERNELS)
def pmis_and_freezes_are_traced_for_each_sample(m):
    m.write(WATCHDOG, 0)
    with traced(m, "ucore_pmi", "ucore_freeze", "ucore_unfreeze", "ucore_sample") as trace:
        samples = run_armed(m, armed_events(), both_dies(10))
        found = trace()
    for die in (0, 1):
        of_die = [(event, fields) for event, _, _, fields in found if fields["domain"] == die]
        changes = [event for event, _ in of_die if event in ("ucore_freeze", "ucore_unfreeze")]
        assert changes == ["ucore_freeze", "ucore_unfreeze"] * (len(changes) // 2), changes
        freezes = {fields["time"]: fields["by"] for event, fields in of_die
                   if event == "ucore_freeze"}
        lengths = {fields["time"] - fields["frozen_ns"]: fields["frozen_ns"]
                   for event, fields in of_die if event == "ucore_unfreeze"}
        pmis = [fields["overflows"] for event, fields in of_die if event == "ucore_pmi"]
        overflowed = [sample for sample in samples if sample["domain"] == die]
        # STOP may have found the last overflow before its interrupt
        assert sum(pmis) >= len(overflowed) - 1 >= 9, (pmis, len(overflowed))
        for sample in overflowed:
            assert freezes[sample["time"]] == "overflow" or sample is overflowed[-1], \
                (sample, freezes)
            # the watchdog unfreezes a throttled die
            if not sample["flags"] & SAMPLE_THROTTLED:
                assert lengths[sample["time"]] == sample["frozen_ns"], (sample, lengths)


@test("e2-2s", kernels=BOTH)
def each_register_access_is_traced_once(m):
    """The trace has as many accesses as the model, and a READ is freeze, counters, unfreeze."""
    with Session(m) as s, traced(m, "ucore_reg") as trace:
        for die in (0, 1):
            for box in ("cbo0", "imc0", "imc1", "qpi0"):
                s.add(box, die, 0, **IDLE)
        s.start()

        def measure():
            m.run(f"echo > {TRACING}/trace")
            made = accesses_now(m, s, "read")
            return made, [(cpu, fields) for _, cpu, _, fields in trace()]
        made, accesses = all_reported(
            m, s, measure,
            lambda found: len(found[1]) == found[0]["reported"] == found[0]["all"])
    kinds = collections.Counter((fields["kind"], fields["way"]) for _, fields in accesses)
    assert len(accesses) == made["reported"] == made["all"], (kinds, made)
    assert kinds["msr", "read"] == made["rdmsr"] and kinds["msr", "write"] == made["wrmsr"], \
        (kinds, made)
    assert kinds["ecam", "read"] == made["ecam_read"], (kinds, made)
    by_cpu = {}
    for cpu, fields in accesses:
        by_cpu.setdefault(cpu, []).append(fields)
    assert len(by_cpu) == 2, by_cpu
    for of_cpu in by_cpu.values():
        for fields, command in ((of_cpu[0], FREEZE), (of_cpu[-1], UNFREEZE)):
            assert fields["way"] == "write" and fields["address"] == GLOBAL_CTL, of_cpu
            assert fields["value"] & (FREEZE | UNFREEZE) == command, of_cpu
        assert all(fields["way"] == "read" for fields in of_cpu[1:-1]), of_cpu


@test("e2-2s")
def enabled_tracepoints_do_not_block_unload(m):
    """Unloading removes enabled tracepoints, and loading adds them again."""
    with traced(m, "ucore_sample", "ucore_reg"):
        with Session(m, timer_ns=5 * MS, ring=1 << 20) as s:
            s.add("imc0", 0, 0, **IDLE)
            s.start()
            m.wait_until(lambda: s.status()["samples"] > 5, what="samples")
        m.settle()
        m.rmmod()
        assert "ucore" not in m.sh(f"ls {TRACING}/events"), "events are left"
    m.insmod()
    with traced(m, "ucore_sample") as trace:
        samples = run_armed(m, armed_events(), both_dies(3))
        found = trace()
    assert_one_to_one([(cpu, ns, fields) for _, cpu, ns, fields in found], samples)
