#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""`make bench`: what one interval costs, for ucore and for perf, beside the limit.

Counts, not times: the machine model counts each access to an uncore register,
each port I/O, IPI and system call, and each instruction of the guest.  A tool
runs twice, for few and for many intervals; the difference, divided by the
intervals that its output shows, is free of what starting and ending cost.  What
an idle guest does in the same time is subtracted.
"""

import dataclasses
import json
import sys
from typing import Callable

import artifacts
import kernels
import machine_args
from lab import RUNS, Machine

SCENARIO, KERNEL = "e2-2s-full", "6.1"
SOCKETS = 2
INTERVAL_MS = 50
FEW, MANY = 4, 24

# Every counter of a socket: (box type, in-tree PMU, instances, raw event, counters,
# fixed counter, register accesses of one counter)
BOXES = (
    ("cbo", "uncore_cbox_{}", 10, 0x00, 4, False, 1),
    ("ubox", "uncore_ubox", 1, 0x44, 2, True, 1),
    ("pcu", "uncore_pcu", 1, 0x00, 4, False, 1),
    ("ha", "uncore_ha_{}", 2, 0x00, 4, False, 2),
    ("imc", "uncore_imc_{}", 4, 0x00, 4, True, 2),
    ("qpi", "uncore_qpi_{}", 2, 0x14, 4, False, 2),
    ("r2pcie", "uncore_r2pcie", 1, 0x01, 4, False, 2),
    ("r3qpi", "uncore_r3qpi_{}", 2, 0x01, 3, False, 2),
    ("irp", "uncore_irp", 1, 0x00, 4, False, 2),
)

METRICS = ("accesses", "ports", "ipis", "syscalls", "insns")
HEADS = ("register accesses", "port I/Os", "IPIs", "system calls", "guest instructions")


@dataclasses.dataclass(frozen=True)
class EventSet:
    """What both tools count, and what a sample of it must cost at least."""
    title: str
    ucore: tuple
    perf: tuple
    whole: int          # accesses of all counters, whole
    low: int            # the same, low dwords only


def full_set():
    ucore, perf, whole, low = [], [], 0, 0
    for box, pmu, instances, event, counters, fixed, cost in BOXES:
        ucore += [f"{box}/event={event:#x}/"] * counters + [f"{box}/fixed/"] * fixed
        for i in range(instances):
            name = pmu.format(i)
            perf += [f"{name}/event={event:#x}/"] * counters
            perf += [f"{name}/event=0xff/"] * fixed
        whole += instances * (counters + fixed) * cost
        low += instances * (counters + fixed)
    return EventSet("194 counters", tuple(ucore), tuple(perf),
                    SOCKETS * (whole + 2), SOCKETS * (low + 2))


def small_set():
    event = "event=0x04,umask=0x03"
    return EventSet("4 counters",
                    tuple(f"imc{i}/{event}/" for i in range(2)),
                    tuple(f"uncore_imc_{i}/{event}/" for i in range(2)),
                    SOCKETS * (2 * 2 + 2), SOCKETS * (2 + 2))


# ---- What the model counted ----

def snapshot(machine):
    total = machine.oracle("accesses")["total"]
    cpus = machine.oracle("cpus")["cpus"]
    uncore = ("rdmsr", "wrmsr", "msr_fault", "ecam_read", "ecam_write",
              "cf8_read", "cf8_write", "mmio_read", "mmio_write")
    return {"accesses": sum(total[kind] for kind in uncore),
            "ports": total["port_io"],
            "ipis": sum(cpu["ipi_targets"] for cpu in cpus),
            "syscalls": sum(cpu["syscalls"] for cpu in cpus),
            "insns": sum(cpu["insns"] for cpu in cpus)}


@dataclasses.dataclass(frozen=True)
class Tool:
    """How to run one for some seconds, and how many intervals it then made."""
    command: Callable   # seconds -> shell command
    intervals: str      # shell command that counts them in its output
    share: int = 1      # counted once for each die?


def cost_of(machine, tool, intervals):
    # half an interval more: the last one must not race with the end
    seconds = f"{(intervals + 0.5) * INTERVAL_MS / 1000:.3f}"
    before = snapshot(machine)
    machine.run(tool.command(seconds), timeout=120)
    after = snapshot(machine)
    cost = {metric: after[metric] - before[metric] for metric in METRICS}
    if tool.intervals:
        intervals = int(machine.sh(tool.intervals)) / tool.share
    return cost, intervals


def per_interval(machine, tool):
    cost_of(machine, tool, FEW)                 # page in the program
    few, many = (cost_of(machine, tool, n) for n in (FEW, MANY))
    intervals = many[1] - few[1]
    return {metric: (many[0][metric] - few[0][metric]) / intervals for metric in METRICS}


# ---- What is compared ----

def options(events):
    return " ".join(f"-e '{event}'" for event in events)


def ucore_stat(events):
    return Tool(lambda seconds: f"ucoretool stat -I {INTERVAL_MS} {options(events)} "
                                f"-j -o /tmp/out -- sleep {seconds}",
                "grep -o '^{\"time_ns\":[0-9]*' /tmp/out | sort -u | wc -l")


def ucore_ring(events, extra=""):
    return Tool(lambda seconds: f"ucoretool record --timer {INTERVAL_MS}ms {extra} "
                                f"{options(events)} -o /tmp/out -- sleep {seconds}",
                "ucoretool report -j -i /tmp/out | grep -c '\"trigger\":\"timer\"'", SOCKETS)


def perf_stat(events):
    return Tool(lambda seconds: f"perf stat -a -I {INTERVAL_MS} -x, -o /tmp/out "
                                f"-e {','.join(events)} -- sleep {seconds}",
                "grep '^ ' /tmp/out | cut -d, -f1 | sort -u | wc -l")


IDLE = Tool(lambda seconds: f"sleep {seconds}", "")


def measure(machine, event_set):
    rows = {}
    machine.insmod()
    baseline = per_interval(machine, IDLE)
    rows["ucore READ"] = per_interval(machine, ucore_stat(event_set.ucore))
    rows["ucore ring"] = per_interval(machine, ucore_ring(event_set.ucore))
    rows["ucore ring, low dwords"] = per_interval(
        machine, ucore_ring(event_set.ucore, "--low-dword"))
    machine.rmmod()
    machine.run("modprobe intel_uncore")
    rows["perf stat"] = per_interval(machine, perf_stat(event_set.perf))
    machine.run("modprobe -r intel_uncore")
    for row in rows.values():
        for metric in ("ipis", "syscalls", "insns"):
            row[metric] = max(row[metric] - baseline[metric], 0)
    return rows


# ---- What is printed ----

def line(title, cells):
    print(f"  {title:26}" + "".join(f"{cell:>20}" for cell in cells))


def show(event_set, rows):
    print(f"\n{event_set.title} on {SOCKETS} sockets, per interval")
    line("", HEADS)
    line("limit", (event_set.whole, 0, SOCKETS - 1, "1, ring 0", ""))
    line("limit, low dwords", (event_set.low, 0, SOCKETS - 1, "1, ring 0", ""))
    for title, row in rows.items():
        line(title, [f"{row[metric]:,.1f}" for metric in METRICS])
    perf, ours = rows["perf stat"], rows["ucore READ"]
    line("perf / ucore READ", [f"{perf[m] / ours[m]:.1f}" if ours[m] >= 0.5 else "-"
                               for m in METRICS])


def at_limit(event_set, rows):
    """Whole intervals, so the accesses must come out exact."""
    wanted = {"ucore READ": event_set.whole, "ucore ring": event_set.whole}
    good = True
    for title, limit in wanted.items():
        seen = rows[title]["accesses"]
        if abs(seen - limit) > limit * 0.01 or rows[title]["ports"]:
            print(f"NOT at the limit: {title}: {seen:.1f} accesses, "
                  f"{rows[title]['ports']:.1f} port I/Os instead of {limit} and 0")
            good = False
    return good


def prepare():
    print("# building what is missing", file=sys.stderr, flush=True)
    machine_args.prepare()
    kernels.get(KERNEL)
    artifacts.module(KERNEL)
    artifacts.tools()


def main():
    prepare()
    results, good = {}, True
    with Machine(SCENARIO, KERNEL, perf=True, strict=False) as machine:
        for event_set in (full_set(), small_set()):
            print(f"# measuring {event_set.title}", file=sys.stderr, flush=True)
            rows = measure(machine, event_set)
            show(event_set, rows)
            good = at_limit(event_set, rows) and good
            results[event_set.title] = rows
    (RUNS / "bench.json").write_text(json.dumps(results, indent=1) + "\n")
    print(f"\nnumbers: {RUNS / 'bench.json'}")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
