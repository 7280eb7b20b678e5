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
# A line of the trace has a CPU, flags, a duration and a function:
#     0) d.h1. |               |  foo [ucore]() {
#     0) d.h1. | + 12.345 us   |  }
#     0) d.h1. |   1.250 us    |  foo [ucore]();
# The interrupt flag of a closing brace has no meaning
LINE = re.compile(r"^\s*\d+\)\s+(?P<flags>[^\s|]+)[\s|!+#*@$]*(?:(?P<us>[\d.]+) us)?[\s|]*"
                  r"(?:(?P<end>\})|(?P<name>\w+)(?: \[ucore\])?\(\)(?P<leaf>;?))")
OFF = "dD"
OPTIONS = 64            # limit of the tool's option -e
# Row titles for functions. The row of a function that is not listed has the function's name
PURPOSES = {
    "rendezvous_here": "START, STOP, RESET, READ: the work of one reader",
    "pmi_nmi": "the NMI handler",
    "timer_trigger": "sample by a timer",
    "poll_tick": "poll of counters whose periods do not interrupt",
    "pmi_service": "service of an overflow interrupt",
    "rotate_tick": "rotation: switch to the next event group",
    "watchdog_tick": "watchdog: read of counters that could wrap, or a check of some controls",
    "selftest_here": "self-test of a box",
    "restore_here": "end of a session: restore of the boxes that no other session uses",
    "offline_here": "suspend: last read of the counters, stop of all sessions",
    "suspend_here": "suspend: restore of all boxes",
    "online_here": "resume: programming of all counters",
    "acquire_here": "resume: save of the registers' new values",
    "restart_here": "resume: restart of the timers",
    "ucore_nmi_enable_here": "addition of a CPU to the targets of PMIs",
    "ucore_nmi_disable_here": "removal of a CPU from the targets of PMIs",
    "route_here": "start of the routing of PMIs",
    "unroute_here": "end of the routing of PMIs",
}


def script(platform, wanted):
    """Return a script with the longest operations that traces the functions `wanted`, or all."""
    events = clocked.all_of(bench.PLATFORMS[platform])
    options = bench.options(events.ucore)
    # a period that is too short to be polled; twice as many events, up to the tool's limit
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
    """Yield (name, us) of each function with interrupts off whose caller had interrupts on.

    No other task runs between the start and the end of such a function.
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
    """Return the longest time (us) of each function, by name."""
    with Machine(clocked.SCENARIOS[platform], clocked.KERNEL, strict=False,
                 script=script(platform, wanted), settings=access_costs.settings()) as machine:
        lines = machine.fetch("/tmp/trace").decode().splitlines()
    longest = {}
    for name, us in outermost(lines):
        longest[name] = max(us, longest.get(name, 0))
    return longest


@dataclasses.dataclass(frozen=True)
class Measured:
    """Results of a platform; `functions` has the longest times (us) by name, in descending order."""
    title: str
    counters: int
    functions: dict

    @property
    def longest_us(self):
        return max(self.functions.values())


def measured(platform):
    """Measure with fewer functions in each round.

    If a function began before the first line in the buffer, its callees look like outermost
    functions. Each traced function adds time to its caller.
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
