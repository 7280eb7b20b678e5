# SPDX-License-Identifier: GPL-2.0-only
"""Cost of a sample in time, on a machine whose clock advances by instructions and accesses.

The machine has one die and one CPU, which does nothing else. An instruction takes 1 ns and an
access its cost (access_costs.py). Time is therefore counted and not measured, and runs repeat
to the nanosecond. Parallel reads use more CPUs, each of which has a clock of its own
(qemu/README.md).

The guest runs one script by itself, because commands of the host would arrive at a different
time in each run. Each tool runs for few and for many intervals, with its program in memory. The
cost is the difference, divided by the number of intervals in its output, minus the cost of the
idle guest in the same time. The frozen time of the die and the instructions in it are those of
the middle sample.
"""

import dataclasses
import os
import re
import statistics

from lab import bench, access_costs
from lab.machine import Machine

KERNEL = "6.1"
INTERVAL_MS, FEW, MANY = 10, 10, 110
# The recorder writes the ring whenever a quarter is full. The number of samples is so large
# that one write more or less does not matter
MANY_SAMPLES = 1010
# periods to try until one is sustained; START's limit applies to the documented costs
RING_US = (10, 12, 14, 16, 18, 20, 22, 25, 28, 32, 36, 40, 50, 64, 80, 100, 125, 160, 200, 250, 320, 400,
           500, 640, 800, 1000, 1250, 1600, 2000, 4000)
PERF_US = (1000, 2000, 3000, 5000, 8000, 10000, 15000, 20000, 30000, 50000)
# duration of a try, and the fraction of its samples that counts as sustained without a loss
TRY_MS, SUSTAINED = 100, 0.98
# period of a clock event: one overflow in some ten milliseconds
OVERFLOWS = 10000000
SCENARIOS = {"ivbep": "clock-e5", "spr": "clock-spr"}
IDLE, RING, READ, PERF = "idle", "ucore ring", "ucore READ", "perf stat"
# titles: the cost of READ in a caller's own program, and of a sample by overflow
ITSELF, OVERFLOW = "READ itself", "ucore overflow"
# Commands that load the module of a tool
LOAD = {"ucore": ("insmod /lib/modules/*/ucore.ko core_pmu=0", "have"),
        "intel_uncore": ("modprobe intel_uncore",), "msr": ("insmod /lib/modules/*/msr.ko",)}


@dataclasses.dataclass(frozen=True)
class Events:
    """Events that all tools count, and the minimum number of accesses for them."""
    counters: int
    ucore: tuple
    perf: tuple
    limit: int

    @property
    def title(self):
        return f"{self.counters} counters"


def some(platform, counters):
    """Return this number of counters of four memory channels."""
    imc = next(box for box in platform.boxes if box.name == "imc")
    event, each = f"event={imc.event:#x}", counters // 4
    general = min(each, imc.counters)
    ucore, perf = [], []
    for i in range(4):
        ucore += [f"imc{i}/{event}/"] * general + [f"imc{i}/fixed/"] * (each - general)
        perf += [f"uncore_imc_{i}/{event}/"] * general
        perf += [f"uncore_imc_{i}/event=0xff/"] * ((each - general) * imc.perf_fixed)
    return Events(counters, tuple(ucore), tuple(perf), counters * imc.of_one + 2)


def all_of(platform):
    found = bench.full_set(platform)
    return Events(found.counters // bench.SOCKETS, found.ucore, found.perf,
                  found.reads + found.words)


def sets(platform):
    return some(platform, 4), some(platform, 20), all_of(platform)


# ---- The script of the guest ----

class Script:
    """Script of the guest with numbered marks. Output goes to a file with the number of the last
    mark.
    """

    def __init__(self):
        self.lines = ["cd /tmp"]
        self.marks = 0
        self.module = None
        self.need("ucore")

    def add(self, *lines):
        self.lines += lines

    def need(self, module):
        """Load the module of a tool, and unload that of another tool."""
        if module != self.module:
            self.add(*([f"rmmod {self.module}"] if self.module else []), *LOAD[module])
            self.module = module

    def marked(self, command, count):
        """Add a run between two marks; return the number of the first one."""
        first = self.marks
        self.marks += 2
        self.add(f"poke mark {first}", f"{command} >/tmp/log 2>&1", f"poke mark {first + 1}",
                 f"echo {first} $({count}) >>/tmp/results")
        return first

    def measured(self, tool, many=MANY):
        def command(intervals):
            return tool.command(f"{(intervals + 0.5) * INTERVAL_MS / 1000:.4f}")
        self.add(f"{command(FEW)} >/dev/null 2>&1")
        count = tool.intervals or "echo 0"
        return tuple(self.marked(command(n), count) for n in (FEW, many))

    def shortest(self, key, periods, command, count):
        """Return the first period (us) at which no sample is missing."""
        self.add(f"for us in {' '.join(map(str, periods))}; do",
                 f"{command} >/tmp/log 2>&1 || continue",
                 f"n=$({count})",
                 f"[ $((n * us)) -ge {int(TRY_MS * 1000 * SUSTAINED)} ] || continue",
                 f"grep -q ', [1-9][0-9]* records lost' /tmp/log && continue",
                 f"echo {key} $us >>/tmp/results; break", "done")

    def text(self):
        return "\n".join(self.lines) + "\n"


def at_interval(platform):
    """Return a row of bench.PLATFORMS with the interval of the clocked machine."""
    return dataclasses.replace(platform, interval_ms=INTERVAL_MS)


def make_ring(platform, events):
    return dataclasses.replace(bench.ucore_ring(at_interval(platform), events.ucore), share=1)


def make_read(platform, events):
    return bench.ucore_stat(at_interval(platform), events.ucore)


def make_perf(platform, events):
    return bench.perf_stat(at_interval(platform), events.perf)


def make_itself(platform, events):
    """Read all counters by a program that does nothing else."""
    if events.counters != all_of(platform).counters:
        return None
    commands = "create\\nfill event=0\\nstart\\nburst $(cat /tmp/reads)\\nquit\\n"

    def command(seconds):
        reads = int(float(seconds) * 1000 / INTERVAL_MS)
        return f'echo {reads} >/tmp/reads; printf "{commands}" | session'
    return bench.Tool(command, "cat /tmp/reads")


def make_overflow(platform, events):
    """Record with an overflow of one of a few counters; Sapphire Rapids has no overflow
    interrupts."""
    if events.counters > 4 or platform is not bench.PLATFORMS["ivbep"]:
        return None
    first, *others = events.ucore
    sampled = [f"{first.rstrip('/')},period={OVERFLOWS}/", *others]
    return bench.Tool(lambda seconds: f"ucoretool record {bench.options(sampled)} -o /tmp/out -- sleep {seconds}",
                      "ucoretool script -j -i /tmp/out | grep -c '\"trigger\":\"overflow\"'")


# Title -> module of the tool, and a function (platform, events) -> bench.Tool, or None if the tool
# does not support them
OURS = {RING: ("ucore", make_ring), READ: ("ucore", make_read), ITSELF: ("ucore", make_itself),
        OVERFLOW: ("ucore", make_overflow)}
TOOLS = OURS | {PERF: ("intel_uncore", make_perf)}


def write_script(platform, found_sets, tools, periods):
    """Return the script, and (set, tool) -> marks."""
    script, marks = Script(), {}
    script.add(f"poke mark {script.marks}")
    marks[IDLE] = script.measured(bench.IDLE)
    for title, (module, make) in tools.items():
        script.need(module)
        for events in found_sets:
            tool = make(platform, events)
            if not tool:
                continue
            marks[events.title, title] = script.measured(tool, MANY_SAMPLES if title == RING else MANY)
            if periods and title in (RING, PERF):
                add_periods(script, events, title)
    return script.text(), marks


def add_periods(script, events, tool):
    seconds = TRY_MS / 1000
    key = f"shortest:{events.counters}:{tool.replace(' ', '_')}"
    if tool == RING:
        script.shortest(key, RING_US, f"ucoretool record --timer ${{us}}us "
                        f"{bench.options(events.ucore)} -o /tmp/out -- sleep {seconds}",
                        "sed -n 's/ samples of .*//p' /tmp/log")
    else:
        script.shortest(key, PERF_US, f"perf stat -a -I $((us / 1000)) -x, -o /tmp/out "
                        f"-e {','.join(events.perf)} -- sleep {seconds}",
                        "grep '^ ' /tmp/out | cut -d, -f1 | sort -u | wc -l")


# ---- Separate runs ----

@dataclasses.dataclass(frozen=True)
class Loading:
    """Instructions of loading the module, and the driver's part of these."""
    all: int
    own: int


def loading(platform):
    """Measure loading with Linux's function_graph; without access costs a nanosecond is one
    instruction."""
    script = "\n".join([
        "cd /sys/kernel/tracing", "echo load_module do_one_initcall >set_ftrace_filter",
        "echo function_graph >current_tracer", LOAD["ucore"][0], "echo 0 >tracing_on",
        "cat trace >/tmp/trace"]) + "\n"
    with Machine(SCENARIOS[platform], KERNEL, strict=False, script=script) as machine:
        shown = machine.fetch("/tmp/trace").decode()
    took = re.findall(r"([\d.]+) us\s*\|\s*(?:do_one_initcall\(\);|\})", shown)
    own, whole = (int(1000 * float(us)) for us in took)
    return Loading(whole, own)


def shortfall(machine, events, us, seconds, readers=1, dies=1):
    """Return the text of record's message on missing samples; "" if none is missing."""
    done = machine.run(f"ucoretool record --timer {us}us --readers {readers} {bench.options(events.ucore)} "
                       f"-o /dev/null -- sleep {seconds} 2>&1", timeout=1800)
    # truncate the log, which has an unused line for each freeze and unfreeze
    os.truncate(machine.directory / "model.log", 0)
    samples, lost = re.search(r"^(\d+) samples .* (\d+) records lost", done.out, re.M).groups()
    due = int(dies * seconds * 1e6 / us)
    if int(samples) >= due * SUSTAINED and not int(lost):
        return ""
    return f"{due} samples were due: {done.out.strip()}"


def start_limit_us(machine, events, readers=1):
    """Return the shortest period (us) that START accepts."""
    refused = machine.run(f"ucoretool record --timer 10us --readers {readers} {bench.options(events.ucore)} "
                          "-o /dev/null -- true", check=False)
    found = re.search(r"at least (\d+) us", refused.err)
    return int(found[1]) if found else 10


def frozen_ns(machine, events, readers=1):
    """Return the time (ns) for which a timer's sample freezes the die: the median of a hundred."""
    machine.run(f"ucoretool record --timer 1ms --readers {readers} {bench.options(events.ucore)} "
                "-o /tmp/frozen -- sleep 0.1 && ucoretool script -j -i /tmp/frozen >/tmp/frozen.json",
                timeout=600)
    shown = machine.fetch("/tmp/frozen.json").decode()
    return statistics.median_low(map(int, re.findall(r'"frozen_ns":(\d+)', shown)))


def sustained(platform, found_sets, seconds=10):
    """Return title -> START's shortest period (us), and the missing samples at that period."""
    with Machine(SCENARIOS[platform], KERNEL, strict=False, settings=access_costs.settings()) as machine:
        machine.insmod()
        machine.run("have")
        limits = {events.title: start_limit_us(machine, events) for events in found_sets}
        return {events.title: (limits[events.title],
                               shortfall(machine, events, limits[events.title], seconds))
                for events in found_sets}


# ---- Results ----

def spent(before, after):
    return {key: after["clock"][key] - before["clock"][key] for key in after["clock"]}


class Run:
    """One boot with the sets of a platform.

    tools: as TOOLS; tools of one module are adjacent. files: files of
    the guest in addition to perf. boots: the machine class.
    """

    def __init__(self, platform, found_sets, tools=TOOLS, times=1, periods=True, files=(),
                 boots=Machine):
        self.times = times
        text, self._marks = write_script(bench.PLATFORMS[platform], found_sets, tools, periods)
        perf = any(module == "intel_uncore" for module, _ in tools.values())
        with boots(SCENARIOS[platform], KERNEL, perf=perf, strict=False, script=text,
                   settings=access_costs.settings(times), files=files) as machine:
            shown = machine.sh("cat /tmp/results").splitlines()
            self._results = dict(line.split() for line in shown)
            self.log = machine.truth()
        self._at = {event["value"]: number for number, event in enumerate(self.log)
                    if event["ev"] == "marker"}
        self.rows = {key: self._row(*key) for key in self._marks if key != IDLE}

    def _between(self, mark):
        return self.log[self._at[mark]:self._at[mark + 1] + 1]

    def _cost(self, marks):
        """Return the cost of many intervals minus that of few, and the difference of the
        intervals."""
        few, many = (spent(window[0], window[-1]) for window in map(self._between, marks))
        intervals = [int(self._results[str(mark)]) for mark in marks]
        return {key: many[key] - few[key] for key in many}, intervals[1] - intervals[0]

    def _row(self, title, tool):
        cost, intervals = self._cost(self._marks[title, tool])
        if intervals < 1:
            raise RuntimeError(f"{tool} showed nothing of {title}: {self._results}")
        idle = self._cost(self._marks[IDLE])[0] if tool != ITSELF else dict.fromkeys(cost, 0)
        row = {key: cost[key] / intervals - idle[key] / (MANY - FEW) for key in cost}
        row["accesses"] = sum(row[key] for key in ("rdmsr", "wrmsr", "ecam", "cf8", "mmio"))
        row["shortest_us"] = int(self._results.get(
            f"shortest:{title.split()[0]}:{tool.replace(' ', '_')}", 0))
        return row | self._frozen(self._marks[title, tool][1])

    def _frozen(self, mark):
        """Return the freeze of the middle sample in ns and instructions, and the instructions
        between samples without periodic work: the lower quartile, because overflows occur at
        any time relative to the kernel's timers."""
        events = self._between(mark)
        freezes = [event for event in events if event["ev"] == "freeze"]
        unfreezes = [event for event in events if event["ev"] == "unfreeze"]
        if len(freezes) < 3:
            return {"freezes": 0, "frozen_ns": 0, "frozen_insns": 0, "sample_insns": 0}
        # the freezes of START and STOP are few
        middle = statistics.median_low
        between = [spent(*pair)["insns"] for pair in zip(freezes, freezes[1:])]
        return {"freezes": len(freezes), "frozen_ns": middle(event["frozen_ns"] for event in unfreezes),
                "frozen_insns": middle(spent(*pair)["insns"] for pair in zip(freezes, unfreezes)),
                "sample_insns": sorted(between)[len(between) // 4]}

    def shares(self, key):
        """Return the percentage of the time of each cost."""
        row = self.rows[key]
        parts = {"instructions": row["insns"] * access_costs.INSTRUCTION_NS}
        for name, price in access_costs.PRICES.items():
            parts[name] = row[name] * price.ns * self.times
        return {name: 100 * ns / row["busy_ns"] for name, ns in parts.items() if round(ns)}
