# SPDX-License-Identifier: GPL-2.0-only
"""`make bench PLATFORM=core`: cost of a sample of the core counters.

The measurement is that of bench.py. Accesses are those to the registers of the core PMU on all
CPUs, including RDPMC, which perf uses to read its counters.
"""

import sys

from lab import bench, tables
from lab.machine import Machine
from lab.session import Session

SCENARIO, CPUS = "e2-2s", 4
INTERVAL_MS, FEW, MANY = 50, 4, 24
SHOWN = ("accesses", "ipis", "syscalls")
WATCHDOG = "/proc/sys/kernel/nmi_watchdog"
CYCLES_HZ, SAMPLES_HZ = 2600000000, 400

# Title, and the events of each CPU in the syntax of ucore and of perf
SETS = (
    ("every counter",
     ("core/LLC_MISSES/", "core/LLC_REFERENCES/", "core/BRANCH_INSTRUCTIONS_RETIRED/",
      "core/BRANCH_MISSES_RETIRED/", "core/INST_RETIRED.ANY/", "core/CPU_CLK_UNHALTED.THREAD/",
      "core/CPU_CLK_UNHALTED.REF_TSC/"),
     ("r412e", "r4f2e", "r00c4", "r00c5", "instructions", "cycles", "ref-cycles")),
    ("LLC misses", ("core/LLC_MISSES/",), ("r412e",)),
)


def limit_of(events):
    """Return the minimum: on each CPU a freeze, a read of each counter, an unfreeze."""
    return CPUS * (len(events) + 2)


def snapshot(machine):
    cpus = machine.oracle("cpus")["cpus"]
    found = bench.snapshot(machine)
    found["accesses"] = sum(cpu["core_rdmsr"] + cpu["core_wrmsr"] + cpu["core_rdpmc"]
                            for cpu in cpus)
    return found


def cost_of(machine, tool, intervals):
    seconds = f"{(intervals + 0.5) * INTERVAL_MS / 1000:.3f}"
    before = snapshot(machine)
    machine.run(tool.command(seconds), timeout=120)
    after = snapshot(machine)
    cost = {metric: after[metric] - before[metric] for metric in after}
    if tool.intervals:
        intervals = int(machine.sh(tool.intervals)) / tool.share
    return cost, intervals


def per_interval(machine, tool):
    cost_of(machine, tool, FEW)             # load the pages of the program into memory
    few, many = (cost_of(machine, tool, n) for n in (FEW, MANY))
    intervals = many[1] - few[1]
    return {metric: (many[0][metric] - few[0][metric]) / intervals for metric in few[0]}


def ucore_stat(events):
    return bench.Tool(lambda seconds: f"ucoretool stat -I {INTERVAL_MS} {bench.options(events)} "
                                      f"-j -o /tmp/out -- sleep {seconds}",
                      "grep -o '^{\"time_ns\":[0-9]*' /tmp/out | sort -u | wc -l")


def ucore_ring(events):
    return bench.Tool(lambda seconds: f"ucoretool record --timer {INTERVAL_MS}ms "
                                      f"{bench.options(events)} -o /tmp/out -- sleep {seconds}",
                      "ucoretool script -j -i /tmp/out | grep -c '\"trigger\":\"timer\"'", CPUS)


def perf_stat(events):
    return bench.Tool(lambda seconds: f"perf stat -a -I {INTERVAL_MS} -x, -o /tmp/out "
                                      f"-e {','.join(events)} -- sleep {seconds}",
                      "grep '^ ' /tmp/out | cut -d, -f1 | sort -u | wc -l")


def measure(machine, ours, perfs):
    baseline = per_interval(machine, bench.IDLE)
    rows = {"ucore READ": per_interval(machine, ucore_stat(ours)),
            "ucore ring": per_interval(machine, ucore_ring(ours)),
            "perf stat": per_interval(machine, perf_stat(perfs))}
    return {name: bench.beside(baseline, row) for name, row in rows.items()}


def table(title, events, rows):
    """Return the Markdown lines of a set on all CPUs."""
    yield from tables.of((f"{title}: {CPUS * len(events)} counters", *bench.heads(SHOWN)),
                         [("limit", limit_of(events), CPUS - 1, "READ 1, ring 0"),
                          *((name, *bench.cells(row, SHOWN)) for name, row in rows.items())])
    yield ""


def at_limit(events, rows):
    good = True
    for name in ("ucore READ", "ucore ring"):
        seen = rows[name]["accesses"]
        if abs(seen - limit_of(events)) > limit_of(events) * 0.01:
            print(f"NOT at the limit: {name}: {seen:.1f} accesses instead of {limit_of(events)}")
            good = False
    return good


# ---- samples by overflow ----

# NMI: status, freeze. Service: freeze, status, the counters, OVF_CTRL, preload, unfreeze
OVERFLOW_EXTRA = 7
RUNS = (10, 110)


def sampled(machine, samples):
    """Return the accesses from START to STOP of a session on CPU 1, and its number of samples."""
    with Session(machine) as session:
        cpu = next(box for box in session.boxes if box["cpu"] == 1)["box"]
        for bits, period, fields in ((1, CYCLES_HZ // SAMPLES_HZ, "event=0x3c"),
                                     (2, 0, "event=0xc0"), (4, 0, "event=0x2e umask=0x41")):
            session.command(f"add {cpu} {bits} {period} {fields}")
        before = snapshot(machine)["accesses"]
        session.command("start")
        machine.wait_until(lambda: session.status()["samples"] >= samples, what="samples")
        session.stop()
        status = session.status()
        if status["recovered"] or status["overflows"] != status["samples"]:
            raise AssertionError(f"not each sample by one interrupt: {status}")
        return snapshot(machine)["accesses"] - before, status["samples"]


def overflow(machine):
    """Return whether an overflow sample of three counters is at the limit, its accesses, and the
    limit.

    The accesses include the scans of the watchdog: one read every 20 ms while a trigger is
    armed.
    """
    few, many = (sampled(machine, samples) for samples in RUNS)
    cost = (many[0] - few[0]) / (many[1] - few[1])
    limit = 3 + OVERFLOW_EXTRA
    return abs(cost - limit) < 0.5, {"accesses": cost, "limit": limit}


def compare():
    """Return the results as bench.compare() does, and whether ucore is at the limit."""
    results, good, lines = {}, True, []
    with Machine(SCENARIO, bench.KERNEL, perf=True, strict=False) as machine:
        machine.write(WATCHDOG, 0)
        machine.insmod(cores=True)
        for title, ours, perfs in SETS:
            print(f"# measuring {title}", file=sys.stderr, flush=True)
            rows = measure(machine, ours, perfs)
            lines += table(title, ours, rows)
            good = at_limit(ours, rows) and good
            results[title] = rows
        at, results["overflow"] = overflow(machine)
    bench.written("core", lines + ["A sample by overflow, three counters of one CPU: "
                                   f"{results['overflow']['accesses']:.1f} accesses, limit "
                                   f"{results['overflow']['limit']}."])
    return results, good and at
