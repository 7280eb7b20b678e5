# SPDX-License-Identifier: GPL-2.0-only
"""Longest times for which ucore disables interrupts, counted on the clocked machine.

    python3 -m soak.irqs_off        measures, and writes the table into Documentation/testing/figures.md

The machine has one die and one CPU; an instruction takes 1 ns and an access its cost
(lab/access_costs.py).  Every counter is in use.  Linux's function_graph tracer records the start
and the end of each function of ucore, and whether interrupts were off.

The tracer costs instructions itself, so several rounds are run.  The first round traces all
functions.  Each later round traces the functions that were called with interrupts off, but not by
another such function, until the set no longer changes.  The buffer of the first round keeps only
its last part.  The functions in PURPOSES are therefore always traced, and must be found.
"""

import dataclasses
import re
import sys

from lab import bench, clocked, access_costs, tables
from lab.machine import Machine
from soak import figures

TRACING = "/sys/kernel/tracing"
# Lines of the trace: "0) d.h1.
#
#
# foo() {", "...
#
# + 12.345 us
#
# }", "...
#
# foo();", "[ucore]" after names. The interrupt flag in the line of an end has no meaning
LINE = re.compile(r"^\s*\d+\)\s+(?P<flags>[^\s|]+)[\s|!+#*@$]*(?:(?P<us>[\d.]+) us)?[\s|]*"
                  r"(?:(?P<end>\})|(?P<name>\w+)(?: \[ucore\])?\(\)(?P<leaf>;?))")
OFF = "dD"
OPTIONS = 64            # limit of the tool's option -e
# purposes of functions; a function that is missing here is shown by its name
PURPOSES = {
    "rendezvous_here": "START, STOP, RESET, READ: a reader's share",
    "pmi_nmi": "the NMI itself",
    "timer_trigger": "a timer's sample",
    "poll_tick": "a look at polled periods",
    "pmi_service": "the service of an overflow",
    "rotate_tick": "a turn of groups",
    "watchdog_tick": "the guard: counters that could wrap are read, or controls are looked at, some at a time",
    "selftest_here": "a box is tried for the first time",
    "restore_here": "the last session goes: boxes as they were found",
    "offline_here": "falling asleep: last counts are read, boxes stopped",
    "suspend_here": "falling asleep: boxes as they were found",
    "online_here": "waking up: all is programmed again",
    "acquire_here": "waking up: what the registers hold is noted",
    "restart_here": "waking up: timers begin anew",
    "ucore_nmi_enable_here": "a CPU is to take PMIs",
    "ucore_nmi_disable_here": "a CPU takes no more PMIs",
    "route_here": "PMIs are routed",
    "unroute_here": "PMIs are routed no more",
}


def script(platform, wanted):
    """Return a script with the longest operations that traces the functions `wanted`, or all."""
    events = clocked.all_of(bench.PLATFORMS[platform])
    options = bench.options(events.ucore)
    # a period so short that no poll could find its end; twice as many events, up to the tool's
    # limit
    interrupting = options.replace("imc/fixed/", "imc/fixed,period=400000/")
    twice = bench.options((events.ucore + events.ucore)[:OPTIONS])
    filters = wanted or ["*:mod:ucore"]
    quiet = ">/dev/null 2>&1"
    return "\n".join([
        "cd /tmp", "insmod /lib/modules/*/ucore.ko core_pmu=0", f"cd {TRACING}",
        "echo 65536 >buffer_size_kb", "echo latency-format >trace_options",
        *(f"echo '{name}' >>set_ftrace_filter" for name in filters),
        # the functions that charge the budget are not part of the measured time
        "echo 'charged_here ucore_budget_*' >set_ftrace_notrace",
        "echo function_graph >current_tracer", "cd /tmp",
        # self-test of a box; START, READ, STOP; timers; polled periods
        "have",
        f"ucoretool stat -I 10 {options} -- sleep 0.03 {quiet}",
        f"ucoretool record --timer 10ms {options} -o /tmp/out -- sleep 0.1 {quiet}",
        f"ucoretool record -c 4000000 {options} -o /tmp/out -- sleep 0.05 {quiet}",
        f"ucoretool record {interrupting} -o /tmp/out -- sleep 0.01 {quiet}",
        f"ucoretool stat --rotate 4ms {twice} -- sleep 0.05 {quiet}",
        # scans of the watchdog, and a suspend in between
        "echo 0 >/sys/module/suspend/parameters/pm_test_delay",
        "echo freezer >/sys/power/pm_test",
        f"(sleep 12; echo mem >/sys/power/state) & ucoretool stat {options} -- sleep 14 {quiet}",
        f"echo 0 >{TRACING}/tracing_on", f"cat {TRACING}/trace >/tmp/trace",
    ]) + "\n"


def outermost(lines):
    """(name, us) of each function that was called with interrupts off, by none that was, too.

    While one runs no other task does.
    """
    name, depth = "", 0
    for match in filter(None, map(LINE.match, lines)):
        off = match["flags"][0] in OFF
        if match["leaf"]:
            if off and not depth:
                yield match["name"], float(match["us"] or 0)
        elif match["name"]:
            if off and not depth:
                name = match["name"]
            depth += bool(off or depth)
        elif depth:
            depth -= 1
            if not depth:
                yield name, float(match["us"] or 0)


def traced(platform, wanted=()):
    """Name -> the longest time, us."""
    with Machine(clocked.SCENARIOS[platform], clocked.KERNEL, strict=False,
                 script=script(platform, wanted), settings=access_costs.settings()) as machine:
        lines = machine.fetch("/tmp/trace").decode().splitlines()
    longest = {}
    for name, us in outermost(lines):
        longest[name] = max(us, longest.get(name, 0))
    return longest


@dataclasses.dataclass(frozen=True)
class Measured:
    """Results of a platform: name -> us, the longest first."""
    title: str
    counters: int
    functions: dict

    @property
    def longest_us(self):
        return max(self.functions.values())


def measured(platform):
    """Measure with fewer functions in each round.

    At the start of the buffer, callees of a function that began earlier are taken for outermost
    functions. Each traced function costs its caller time.
    """
    wanted, found = None, traced(platform).keys() | PURPOSES
    while wanted != sorted(found):
        wanted = sorted(found)
        found = traced(platform, wanted)
    by_length = dict(sorted(found.items(), key=lambda pair: -pair[1]))
    bench_of = bench.PLATFORMS[platform]
    return Measured(bench_of.machine.split(",")[0], clocked.all_of(bench_of).counters, by_length)


def rows(found):
    yield "all counters of a die", [f"{one.title}, {one.counters}" for one in found]
    names = list(dict.fromkeys(name for one in found for name in one.functions))
    for name in names:
        yield PURPOSES.get(name, f"`{name}()`"), \
            [f"{one.functions[name]:.1f}" if name in one.functions else "-" for one in found]


def main():
    found = [measured(platform) for platform in clocked.SCENARIOS]
    if missing := PURPOSES.keys() - {name for one in found for name in one.functions}:
        sys.exit(f"interrupts off: not called: {', '.join(sorted(missing))}")
    (_, heads), *table = rows(found)
    lines = list(tables.of(("interrupts off for, µs, at most", *heads),
                           ((what, *cells) for what, cells in table)))
    tables.put(figures.TABLE, "irqs off", lines)
    print("\n".join(lines))


if __name__ == "__main__":
    sys.exit(main())
