# SPDX-License-Identifier: GPL-2.0-only
"""`make bench`: the cost of an interval with ucore and perf, compared with the minimum.

usage: python3 -m lab.bench [PLATFORM ...]

The results are counts, not times.  The machine model counts each access to an uncore register,
each port I/O, IPI and system call.  A tool runs twice, for few and for many intervals.  The cost
of an interval is the difference, divided by the number of intervals in the output, because that
excludes the start and the end.  The cost of an idle guest in the same time is subtracted.

On the discovery platforms, the growth of the cost with boxes and with dies is measured, too.
Instructions and times come from a machine that does nothing else (PLATFORM=clocked,
bench_clocked.py).  Here several CPUs wait for each other and for the host, and execute
instructions while they wait.
"""

import dataclasses
import importlib
import json
import sys
import time
from typing import Callable

from lab import artifacts, kernels, tables
from lab.machine import RUNS, Machine
from lab.qemu import args, platforms
from lab.session import Session

PAGE = artifacts.TOP / "Documentation/cost.md"
KERNEL = "6.1"
SOCKETS = 2

METRICS = ("accesses", "ports", "ipis", "syscalls")
HEADS = {"accesses": "register accesses", "ports": "port I/Os", "ipis": "IPIs",
         "syscalls": "system calls"}
# The scheduler sends more IPIs than a read of two dies
SHOWN = ("accesses", "ports", "syscalls")


@dataclasses.dataclass(frozen=True)
class BoxType:
    """The boxes of a type on a socket, and an event that always counts."""
    name: str
    pmu: str            # name in the in-tree driver
    instances: int
    event: int
    counters: int
    accesses: int       # for one counter
    fixed: bool = False
    perf_fixed: bool = True     # the in-tree driver supports the fixed counter
    has_control: bool = True    # the box has a control that can freeze it
    low: bool = True            # counts so few events per clock that low dwords are exact

    @property
    def of_one(self):
        """Return the accesses to read a counter: one if its low dword is exact at the interval."""
        return 1 if self.low else self.accesses

    @property
    def all_counters(self):
        """Return the number of counters of all boxes of a socket."""
        return self.instances * (self.counters + self.fixed)


@dataclasses.dataclass(frozen=True)
class Bench:
    size: str
    scenario: str
    boxes: tuple
    small: tuple        # (box type, event) that the small set counts on two boxes
    interval_ms: int
    few: int
    many: int
    global_freeze: bool = True  # one write freezes a die; false: one write for each box
    status_words: int = 1       # words of the global status, all read by each scan of the watchdog
    # the documentation says that the small set counts at most one per clock
    small_low: bool = True

    def words(self, boxes):
        """Return the writes that freeze and unfreeze a die with this number of boxes in use."""
        return 2 if self.global_freeze else 2 * boxes

    @property
    def machine(self):
        platform = args.Scenario(self.scenario).platform
        return f"{platforms.PLATFORMS[platform].title}, {self.size}"


# box types of the largest chips of v3 and v4 in addition to C-Boxes
V3_AND_V4 = (
    BoxType("ubox", "uncore_ubox", 1, 0x42, 2, 1, True, has_control=False),
    BoxType("pcu", "uncore_pcu", 1, 0x00, 4, 1),
    BoxType("sbox", "uncore_sbox_{}", 4, 0x00, 4, 1),
    BoxType("ha", "uncore_ha_{}", 2, 0x00, 4, 2),
    BoxType("imc", "uncore_imc_{}", 8, 0x00, 4, 2, True),
    BoxType("irp", "uncore_irp", 1, 0x00, 4, 2),
    BoxType("qpi", "uncore_qpi_{}", 3, 0x14, 4, 2),
    BoxType("r2pcie", "uncore_r2pcie", 1, 0x01, 4, 2),
    # on v3 no event with at most one increment per clock counts on all three counters
    BoxType("r3qpi", "uncore_r3qpi_{}", 3, 0x07, 3, 2, low=False),
)


def v3_or_v4(cores, scenario):
    cbo = BoxType("cbo", "uncore_cbox_{}", cores, 0x00, 4, 1)
    return Bench(f"{cores} cores", scenario, (cbo, *V3_AND_V4),
                 ("imc", "event=0x00", 2), 100, 4, 16)


PLATFORMS = {
    "ivbep": Bench("ten cores", "e2-2s-full", (
        BoxType("cbo", "uncore_cbox_{}", 10, 0x00, 4, 1),
        BoxType("ubox", "uncore_ubox", 1, 0x44, 2, 1, True),
        BoxType("pcu", "uncore_pcu", 1, 0x00, 4, 1),
        BoxType("ha", "uncore_ha_{}", 2, 0x00, 4, 2),
        BoxType("imc", "uncore_imc_{}", 4, 0x00, 4, 2, True),
        BoxType("qpi", "uncore_qpi_{}", 2, 0x14, 4, 2),
        BoxType("r2pcie", "uncore_r2pcie", 1, 0x01, 4, 2),
        BoxType("r3qpi", "uncore_r3qpi_{}", 2, 0x01, 3, 2),
        BoxType("irp", "uncore_irp", 1, 0x00, 4, 2),
    ), ("imc", "event=0x04,umask=0x03", 2), 50, 4, 24),
    "snbep": Bench("eight cores", "snbep-2s-full", (
        BoxType("cbo", "uncore_cbox_{}", 8, 0x00, 4, 1),
        BoxType("ubox", "uncore_ubox", 1, 0x44, 2, 1, True, has_control=False),
        BoxType("pcu", "uncore_pcu", 1, 0x00, 4, 1),
        BoxType("ha", "uncore_ha", 1, 0x00, 4, 2),
        BoxType("imc", "uncore_imc_{}", 4, 0x00, 4, 2, True),
        BoxType("qpi", "uncore_qpi_{}", 2, 0x14, 4, 2),
        BoxType("r2pcie", "uncore_r2pcie", 1, 0x01, 4, 2),
        BoxType("r3qpi", "uncore_r3qpi_{}", 2, 0x01, 3, 2),
    ), ("imc", "event=0x04,umask=0x03", 2), 50, 4, 24, global_freeze=False),
    "hswep": v3_or_v4(18, "hswep-2s-full"),
    "bdxep": v3_or_v4(24, "bdxep-2s-full"),
    "skx": Bench("28 cores", "skx-2s-full", (
        BoxType("cha", "uncore_cha_{}", 28, 0x00, 4, 1),
        BoxType("iio", "uncore_iio_{}", 6, 0x01, 4, 1),
        BoxType("irp", "uncore_irp_{}", 6, 0x01, 2, 1),
        BoxType("ubox", "uncore_ubox", 1, 0x42, 2, 1, True, has_control=False),
        BoxType("pcu", "uncore_pcu", 1, 0x00, 4, 1),
        BoxType("imc", "uncore_imc_{}", 6, 0x00, 4, 2, True),
        BoxType("m2m", "uncore_m2m_{}", 2, 0x00, 4, 2),
        BoxType("upi", "uncore_upi_{}", 3, 0x01, 4, 2),
        BoxType("m3upi", "uncore_m3upi_{}", 3, 0x01, 3, 2),
        BoxType("m2pcie", "uncore_m2pcie_{}", 3, 0x01, 4, 2),
    ), ("imc", "event=0x04,umask=0x03", 2), 120, 4, 12, small_low=False),
    "icx": Bench("40 cores", "icx-2s-full", (
        BoxType("cha", "uncore_cha_{}", 40, 0x00, 4, 1),
        BoxType("iio", "uncore_iio_{}", 6, 0x01, 4, 1),
        BoxType("irp", "uncore_irp_{}", 6, 0x01, 2, 1),
        BoxType("m2pcie", "uncore_m2pcie_{}", 6, 0x01, 4, 1),
        BoxType("ubox", "uncore_ubox", 1, 0x42, 2, 1, True, has_control=False),
        BoxType("pcu", "uncore_pcu", 1, 0x00, 4, 1),
        BoxType("imc", "uncore_imc_{}", 12, 0x00, 4, 1, True),
        BoxType("m2m", "uncore_m2m_{}", 4, 0x00, 4, 2),
        BoxType("upi", "uncore_upi_{}", 3, 0x01, 4, 2),
        BoxType("m3upi", "uncore_m3upi_{}", 3, 0x01, 4, 2),
    ), ("imc", "event=0x04,umask=0x0f", 1), 160, 4, 12, status_words=2),
    "spr": Bench("60 cores", "spr-2s-full", (
        BoxType("cha", "uncore_cha_{}", 60, 0x01, 4, 1),
        BoxType("iio", "uncore_iio_{}", 12, 0x01, 4, 1),
        BoxType("irp", "uncore_irp_{}", 12, 0x01, 2, 1),
        BoxType("m2pcie", "uncore_m2pcie_{}", 8, 0x01, 4, 1),
        BoxType("pcu", "uncore_pcu", 1, 0x01, 4, 1),
        BoxType("ubox", "uncore_type_5", 1, 0x01, 2, 1, True, False),
        BoxType("imc", "uncore_imc_{}", 8, 0x01, 4, 1, True, False),
        BoxType("m2m", "uncore_m2m_{}", 4, 0x01, 4, 2, low=False),
        BoxType("upi", "uncore_upi_{}", 4, 0x01, 4, 2, low=False),
        BoxType("m3upi", "uncore_m3upi_{}", 4, 0x01, 4, 2, low=False),
    ), ("imc", "event=0x05,umask=0xcf", 1), 250, 3, 9),
}


@dataclasses.dataclass(frozen=True)
class EventSet:
    """Events that both tools count, and the minimum cost of a sample of a die."""
    counters: int       # counters of all dies
    ucore: tuple
    perf: tuple
    reads: int          # accesses that read the counters
    whole_reads: int    # the same with both dwords of each counter
    words: int          # writes that freeze and unfreeze

    @property
    def title(self):
        return f"{self.counters} counters"

    @property
    def limit(self):
        return SOCKETS * (self.reads + self.words)

    @property
    def whole(self):
        return SOCKETS * (self.whole_reads + self.words)


def full_set(bench):
    ucore, perf = [], []
    for box in bench.boxes:
        event = f"event={box.event:#x}"
        ucore += [f"{box.name}/{event}/"] * box.counters + [f"{box.name}/fixed/"] * box.fixed
        for i in range(box.instances):
            name = box.pmu.format(i)
            perf += [f"{name}/{event}/"] * box.counters
            perf += [f"{name}/event=0xff/"] * (box.fixed and box.perf_fixed)
    counters = sum(box.all_counters for box in bench.boxes)
    controls = sum(box.instances for box in bench.boxes if box.has_control)
    return EventSet(SOCKETS * counters, tuple(ucore), tuple(perf),
                    sum(box.all_counters * box.of_one for box in bench.boxes),
                    sum(box.all_counters * box.accesses for box in bench.boxes),
                    bench.words(controls))


def small_set(bench):
    kind, event, accesses = bench.small
    return EventSet(SOCKETS * 2, tuple(f"{kind}{i}/{event}/" for i in range(2)),
                    tuple(f"uncore_{kind}_{i}/{event}/" for i in range(2)),
                    2 if bench.small_low else 2 * accesses, 2 * accesses, bench.words(2))


# ---- Counts of the model ----

def snapshot(machine):
    total = machine.oracle("accesses")["total"]
    cpus = machine.oracle("cpus")["cpus"]
    uncore = ("rdmsr", "wrmsr", "msr_fault", "ecam_read", "ecam_write",
              "cf8_read", "cf8_write", "mmio_read", "mmio_write")
    return {"seconds": time.monotonic(),
            "accesses": sum(total[kind] for kind in uncore),
            "ports": total["port_io"],
            "ipis": sum(cpu["ipi_targets"] for cpu in cpus),
            "syscalls": sum(cpu["syscalls"] for cpu in cpus)}


@dataclasses.dataclass(frozen=True)
class Tool:
    """Commands that run a tool for some seconds, and that count its intervals."""
    command: Callable   # seconds -> shell command
    intervals: str      # shell command that counts them in its output
    share: int = 1      # number of lines of output for one interval (one for each die)


def cost_of(machine, bench, tool, intervals):
    # half an interval more, so that the last interval does not coincide with the end
    seconds = f"{(intervals + 0.5) * bench.interval_ms / 1000:.3f}"
    before = snapshot(machine)
    machine.run(tool.command(seconds), timeout=120)
    after = snapshot(machine)
    cost = {metric: after[metric] - before[metric] for metric in after}
    if tool.intervals:
        intervals = int(machine.sh(tool.intervals)) / tool.share
    return cost, intervals


def per_interval(machine, bench, tool):
    cost_of(machine, bench, tool, bench.few)            # load the pages of the program into memory
    few, many = (cost_of(machine, bench, tool, n) for n in (bench.few, bench.many))
    intervals = many[1] - few[1]
    return {metric: (many[0][metric] - few[0][metric]) / intervals for metric in few[0]}


# ---- The tools ----

def options(events):
    return " ".join(f"-e '{event}'" for event in events)


def ucore_stat(bench, events):
    return Tool(lambda seconds: f"ucoretool stat -I {bench.interval_ms} {options(events)} "
                                f"-j -o /tmp/out -- sleep {seconds}",
                "grep -o '^{\"time_ns\":[0-9]*' /tmp/out | sort -u | wc -l")


def ucore_ring(bench, events, extra=""):
    return Tool(lambda seconds: f"ucoretool record --timer {bench.interval_ms}ms {extra} "
                                f"{options(events)} -o /tmp/out -- sleep {seconds}",
                "ucoretool script -j -i /tmp/out | grep -c '\"trigger\":\"timer\"'", SOCKETS)


def perf_stat(bench, events):
    return Tool(lambda seconds: f"perf stat -a -I {bench.interval_ms} -x, -o /tmp/out "
                                f"-e {','.join(events)} -- sleep {seconds}",
                "grep '^ ' /tmp/out | cut -d, -f1 | sort -u | wc -l")


WHOLE = "ucore ring, whole"
IDLE = Tool(lambda seconds: f"sleep {seconds}", "")


def measure(machine, bench, event_set):
    def cost(tool):
        return per_interval(machine, bench, tool)
    rows = {}
    machine.insmod()
    machine.run("have")     # run the self-test of the boxes, which is not part of a session's cost
    baseline = cost(IDLE)
    rows["ucore READ"] = cost(ucore_stat(bench, event_set.ucore))
    rows["ucore ring"] = cost(ucore_ring(bench, event_set.ucore))
    if event_set.whole > event_set.limit:
        rows[WHOLE] = cost(ucore_ring(bench, event_set.ucore, "--full-reads"))
    machine.rmmod()
    machine.run("modprobe intel_uncore")
    rows["perf stat"] = cost(perf_stat(bench, event_set.perf))
    machine.run("modprobe -r intel_uncore")
    return {title: beside(baseline, row) for title, row in rows.items()}


def beside(baseline, row):
    """Return the cost minus that of an idle guest, scaled to the length of the interval."""
    longer = row["seconds"] / baseline["seconds"]
    return {metric: cost - baseline[metric] * longer if metric in ("ipis", "syscalls") else cost
            for metric, cost in row.items()}


# ---- Output ----

def written(name, lines):
    """Print a table, and write it into the page."""
    lines = list(lines)
    print("\n".join(lines))
    tables.put(PAGE, f"bench {name}", lines)


def heads(metrics):
    return [HEADS[metric] for metric in metrics]


def cells(row, metrics):
    # the idle cost of the shorter run may exceed the cost of the longer one
    return [f"{row[metric]:,.0f}" if metric in ("accesses", "ports") else
            f"{row[metric]:,.1f}" if row[metric] >= 0 else "-" for metric in metrics]


def table(bench, event_set, rows):
    """Return the Markdown lines of a set on two sockets."""
    limits = [("limit", event_set.limit, 0, "READ 1, ring 0")]
    if event_set.whole > event_set.limit:
        limits.append(("limit, whole", event_set.whole, 0, "READ 1, ring 0"))
    yield from tables.of((event_set.title, *heads(SHOWN)),
                         limits + [(title, *cells(row, SHOWN)) for title, row in rows.items()])
    yield ""
    what = "of global control" if bench.global_freeze else \
        f"of {event_set.words // 2} box controls, one to freeze and one to release each"
    yield f"* limit: {SOCKETS} dies x ({event_set.counters // SOCKETS} counters in {event_set.reads} " \
          f"reads, + {event_set.words} writes {what})"
    if len(event_set.perf) * SOCKETS < event_set.counters:
        yield f"* perf counts {len(event_set.perf) * SOCKETS} of them: the in-tree driver does " \
              "not know the fixed ones here"
    yield ""


def at_limit(bench, event_set, rows):
    """Check that the accesses are at the limit, except for the scans of the watchdog, one per
    second and die.

    Intervals on a busy host are longer than requested. Half an access more is such a scan.
    """
    looks = SOCKETS * bench.status_words * bench.interval_ms / 1000
    wanted = {"ucore READ": event_set.limit, "ucore ring": event_set.limit}
    if WHOLE in rows:
        wanted[WHOLE] = event_set.whole
    good = True
    for title, limit in wanted.items():
        seen = rows[title]["accesses"]
        if abs(seen - limit) > limit * 0.01 + looks + 0.5 or rows[title]["ports"]:
            print(f"NOT at the limit: {title}: {seen:.1f} accesses, "
                  f"{rows[title]['ports']:.1f} port I/Os instead of {limit} and 0")
            good = False
    return good


# ---- How cost grows ----

GROWTH = "growth"        # measured with PLATFORM=spr
BURST_FEW, BURST_MANY, BURSTS = 5, 85, 4
READERS = (0, 2)        # CPUs of die 0 and die 1, which have two cores each
# Limits for the growth of instructions; other work of the guest adds some, accesses must be
# exact. Cost that is quadratic in the boxes would give 2.5, dies one after the other 2
LINEAR, ALIKE = 1.6, 1.5


def instructions(machine):
    return [cpu["insns"] for cpu in machine.oracle("cpus")["cpus"]]


def cost_of_loading(machine):
    before, accesses = instructions(machine), snapshot(machine)["accesses"]
    machine.run(f"taskset 1 insmod {machine.module_path()} core_pmu=0")
    return {"load_accesses": snapshot(machine)["accesses"] - accesses,
            "load_insns": instructions(machine)[0] - before[0]}


def burst(machine, session, reads, cpu):
    """Return instructions and accesses of the CPU; the minimum of several runs, because of
    other work."""
    costs = []
    for _ in range(BURSTS):
        before, accesses = instructions(machine)[cpu], snapshot(machine)["accesses"]
        session.command(f"burst {reads}")
        costs.append((instructions(machine)[cpu] - before,
                      snapshot(machine)["accesses"] - accesses))
    return min(costs)


def cost_of_snapshot(machine, dies):
    """Return the cost per die. Instructions are those of the last die's reader, which is not the
    CPU of READ.
    """
    with Session(machine, boxes=False, cpu=0, full_reads=True) as session:
        counters = session.fill(event=1)
        session.command("start")
        few, many = (burst(machine, session, reads, READERS[dies - 1])
                     for reads in (BURST_FEW, BURST_MANY))
    reads = BURST_MANY - BURST_FEW
    # the watchdog may have run
    return {"counters": counters // dies, "accesses": round((many[1] - few[1]) / reads / dies),
            "insns": (many[0] - few[0]) / reads}


def growth_of(scenario, dies):
    print(f"# measuring {scenario}", file=sys.stderr, flush=True)
    with Machine(scenario, KERNEL, strict=False) as machine:
        loading = cost_of_loading(machine)
        row = cost_of_snapshot(machine, dies)
    return loading | row


SIZES = ("boxes-100", "boxes-500", "boxes-1000")
TWO_DIES = ("boxes-500", "boxes-1000-2s")       # one die and two dies with 500 boxes each


def slopes(rows, metric):
    """Return the cost of one more counter, for the smaller and for the larger machines."""
    small, middle, large = (rows[name] for name in SIZES)
    return [(b[metric] - a[metric]) / (b["counters"] - a["counters"])
            for a, b in ((small, middle), (middle, large))]


def growth_table(rows):
    yield from tables.of(("boxes", "counters of a die", "loading: registers", "loading: instructions",
                          "snapshot: accesses", "snapshot: instructions"), (
        (name.removeprefix("boxes-").replace("-2s", ", on two dies"), f"{row['counters']:,}",
         f"{row['load_accesses']:,}", f"{row['load_insns'] / 1e6:.1f} million",
         f"{row['accesses']:,}", f"{row['insns']:,.0f}") for name, row in rows.items()))


def grows_linearly(rows):
    good = True
    for metric in ("load_accesses", "load_insns", "accesses", "insns"):
        first, second = slopes(rows, metric)
        limit = 1.01 if "accesses" in metric else LINEAR
        if not 1 / limit < second / first < limit:
            print(f"NOT linear: {metric}: {first:.2f} for one more counter, then {second:.2f}")
            good = False
    one, two = (rows[name] for name in TWO_DIES)
    if two["accesses"] != one["accesses"] or two["insns"] > one["insns"] * ALIKE:
        print(f"NOT in parallel: the cost per die is {two} with two dies, {one} with one")
        good = False
    return good


def grow():
    rows = {name: growth_of(name, 1) for name in SIZES}
    rows[TWO_DIES[1]] = growth_of(TWO_DIES[1], 2)
    written(GROWTH, growth_table(rows))
    return rows, grows_linearly(rows)


# ---- Command line ----

def prepare():
    print("# building what is missing", file=sys.stderr, flush=True)
    args.binary()
    kernels.get(KERNEL)
    artifacts.module(KERNEL)
    artifacts.tools()


def compare(name):
    bench, rows = PLATFORMS[name], {}
    with Machine(bench.scenario, KERNEL, perf=True, strict=False) as machine:
        for event_set in (full_set(bench), small_set(bench)):
            print(f"# measuring {event_set.title}", file=sys.stderr, flush=True)
            rows[event_set] = measure(machine, bench, event_set)
    written(name, (line for event_set, found in rows.items() for line in table(bench, event_set, found)))
    good = all([at_limit(bench, event_set, found) for event_set, found in rows.items()])
    return {event_set.title: found for event_set, found in rows.items()}, good


# other benchmarks and their modules
OTHERS = {"core": "bench_cores", "parallel": "bench_parallel", "clocked": "bench_clocked", "polls": "bench_polls",
          "peers": "bench_peers"}


def main(*platforms):
    known = (*PLATFORMS, *OTHERS)
    unknown = set(platforms) - set(known)
    if unknown:
        sys.exit(f"bench: PLATFORM={unknown.pop()}? There are {', '.join(known)}.")
    prepare()
    results, verdicts = {}, []
    for platform in platforms or known:
        # imported late, because these import this module
        results[platform], good = compare(platform) if platform in PLATFORMS else \
            importlib.import_module(f"lab.{OTHERS[platform]}").compare()
        verdicts.append(good)
        if platform == "spr":
            results[GROWTH], good = grow()
            verdicts.append(good)
    (RUNS / "bench.json").write_text(json.dumps(results, indent=1) + "\n")
    print(f"\nnumbers: {RUNS / 'bench.json'}")
    return 0 if all(verdicts) else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
