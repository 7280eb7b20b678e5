# SPDX-License-Identifier: GPL-2.0-only
"""`make bench PLATFORM=clocked`: time of samples, compared with perf, and the share of each
cost.

lab.clocked measures. This module prints the results, writes them into Documentation/cost.md and
compares them with figures.json. `make test-all` does the same comparison (FIGURES=update writes
that file).

usage: python3 -m lab.bench_clocked compares only, in a minute
"""

import json
import os
import sys

from lab import artifacts, bench, clocked, access_costs, tables
from lab.clocked import ITSELF, OURS, OVERFLOW, PERF, READ, RING, TOOLS
from lab.machine import Machine

FIGURES = artifacts.TOP / "tests/lab/figures.json"
# Figures in which ucore must be better than perf. Accesses are not among them: perf makes no
# unneeded access, and freezes nothing, so that ucore makes two writes more
AHEAD = ("insns", "syscall", "busy_ns")
# The ring consists mostly of accesses, so that it shows the effect of their prices
SAMPLES = (RING, OVERFLOW)
OF_PRICES = {"stated": TOOLS, "twice as dear": {RING: TOOLS[RING]}}
HEADS = ("accesses", "instructions", "of a sample alone", "system calls", "µs a sample", "CPU % at 10 ms", "frozen, µs",
         "shortest, µs")
GUARDED = ("accesses", "syscall", "sample_insns", "frozen_insns")


# ---- Figures that may not become worse ----

def title_of(name):
    return bench.PLATFORMS[name].machine.split(",")[0]


def short_run(name, found_sets):
    run = clocked.Run(name, found_sets, OURS, periods=False)
    return {f"{title_of(name)}, {what}, {tool}": {key: round(row[key], 1) for key in GUARDED}
            for (what, tool), row in run.rows.items()}


def readers_of_four(name):
    """Return how long a sample by four readers freezes the die."""
    events = clocked.all_of(bench.PLATFORMS[name])
    with Machine(clocked.SCENARIOS[name], clocked.KERNEL, strict=False,
                 settings=access_costs.settings() | {"machine.plugged": 4}) as machine:
        machine.insmod()
        return {f"{title_of(name)}, {events.title}, 4 readers":
                {"frozen_ns": clocked.frozen_ns(machine, events, 4)}}


def loading(name):
    return {f"{title_of(name)}, loading": {"own_insns": clocked.loading(name).own}}


def guarded():
    """Return the figures of short runs that figures.json limits, by path."""
    found = {}
    for name in clocked.SCENARIOS:
        few, some, every = clocked.sets(bench.PLATFORMS[name])
        found |= short_run(name, (few, some, every) if name == "ivbep" else (few, every))
        found |= readers_of_four(name) | loading(name)
    return found


def limit(value, allowed):
    """Return the allowed maximum of a figure: an absolute or a relative tolerance."""
    return value + allowed.get("more", 0) + value * allowed.get("percent", 0) / 100


def worse(found, figures):
    """Return the figures that exceed the limits of the file, as lines of text."""
    allowed, lines = figures["allowed"], []
    if set(found) != set(figures["paths"]):
        lines.append(f"figures.json is of {', '.join(figures['paths'])}")
    for title, row in figures["paths"].items():
        for key, value in row.items():
            now = found.get(title, {}).get(key, 0)
            if now > limit(value, allowed[key]):
                lines.append(f"{title}: {key}: {now:,.1f} instead of {value:,.1f}")
    return lines


def check():
    """Compare with the file, or write it; return true if no figure is worse."""
    found, figures = guarded(), json.loads(FIGURES.read_text())
    if os.environ.get("FIGURES") == "update":
        FIGURES.write_text(json.dumps(figures | {"paths": found}, indent=1) + "\n")
        return True
    for text in (lines := worse(found, figures)):
        print(f"WORSE than figures.json allows: {text}")
    return not lines


# ---- The tables ----

def cells(row, ring):
    return (f"{row['accesses']:,.1f}", f"{row['insns']:,.0f}",
            f"{row['sample_insns']:,}" if ring else "-", f"{row['syscall']:.1f}",
            f"{row['busy_ns'] / 1000:,.1f}",
            f"{row['busy_ns'] / clocked.INTERVAL_MS / 10000:.2f}",
            f"{row['frozen_ns'] / 1000:.1f}" if row["frozen_ns"] else "-",
            f"{row['shortest_us']:,}" if row["shortest_us"] else "-")


def shares(run, key):
    return ", ".join(f"{name} {share:.0f} %" for name, share in run.shares(key).items()
                     if share >= 0.5)


def table(events, runs):
    """Return the Markdown lines of a set with each price list."""
    rows = [("limit", events.limit, "", "", 0, "", "", "", "")]
    for name, run in runs.items():
        for tool in OF_PRICES[name]:
            title = tool if name == "stated" else f"{tool}, {name}"
            if (events.title, tool) in run.rows:
                rows.append((title, *cells(run.rows[events.title, tool], tool in SAMPLES)))
    yield from tables.of((events.title, *HEADS), rows)
    yield ""
    for tool in (RING, PERF):
        yield f"* {tool}: {shares(runs['stated'], (events.title, tool))}"
    yield f"* {PERF} takes {times_ours(events, runs['stated'])} the instructions"
    yield ""


def times_ours(events, run):
    """Return perf's instructions divided by those of ucore."""
    perf = run.rows[events.title, PERF]["insns"]
    ours = {tool: run.rows[events.title, tool]["insns"] for tool in (RING, READ, ITSELF)
            if (events.title, tool) in run.rows}
    return " and ".join(f"{perf / insns:.1f} times {tool}'s" for tool, insns in ours.items())


def ahead(events, run):
    """Return the figures in which ucore is not better than perf or not at the limit, as lines
    of text."""
    perf, lines = run.rows[events.title, PERF], []
    for tool in (RING, READ):
        ours = run.rows[events.title, tool]
        lines += [f"{events.title}: {key}: perf {perf[key]:,.1f}, {tool} {ours[key]:,.1f}"
                  for key in AHEAD if ours[key] >= perf[key]]
        # the watchdog scans once a second
        if abs(ours["accesses"] - events.limit) > 1:
            lines.append(f"{events.title}: {tool}: {ours['accesses']:.1f} accesses, "
                         f"limit {events.limit}")
    if not run.rows[events.title, RING]["shortest_us"]:
        lines.append(f"{events.title}: no period was sustained")
    return lines


def price_table():
    rows = [("an instruction", access_costs.INSTRUCTION_NS,
             "QEMU's icount has no less: 0.4 of them in a clock of 2.6 GHz")]
    rows += [(f"{price.what} (`{name}`)", price.ns, price.source)
             for name, price in access_costs.PRICES.items()]
    yield from tables.of(("what", "ns", "who says so"), rows)
    yield ""


def sustain(platform, sets, run):
    """Check that the ring keeps the shortest period that START accepts; return the errors."""
    lines = []
    for title, (limit_us, missing) in clocked.sustained(platform, sets).items():
        run.rows[title, RING]["shortest_us"] = limit_us
        if missing:
            lines.append(f"{title}: START takes {limit_us} us, {missing}")
    return lines


def measured():
    """Return the Markdown lines of a measurement and the errors."""
    lines, wrong = list(price_table()), []
    for platform in clocked.SCENARIOS:
        sets = clocked.sets(bench.PLATFORMS[platform])
        print(f"# measuring a clocked {platform}", file=sys.stderr, flush=True)
        runs = {name: clocked.Run(platform, sets, OF_PRICES[name], times)
                for name, times in access_costs.SETS.items()}
        wrong += sustain(platform, sets, runs["stated"])
        lines += [f"### {title_of(platform)}, one die", ""]
        loading = clocked.loading(platform)
        lines += [f"Loading the module: {loading.all:,} instructions, {loading.own:,} of them its "
                  "own; the rest is the kernel's, that links it and makes its functions traceable.",
                  ""]
        for events in sets:
            lines += table(events, runs)
            wrong += ahead(events, runs["stated"])
    return lines, wrong


def compare():
    """Measure everything; return the results, and true if no figure exceeds its limit."""
    lines, wrong = measured()
    bench.written("clocked", lines)
    for text in wrong:
        print(f"NOT ahead: {text}")
    return {"lines": lines}, check() and not wrong


if __name__ == "__main__":
    sys.exit(0 if check() else 1)
