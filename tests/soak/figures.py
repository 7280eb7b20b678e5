# SPDX-License-Identifier: GPL-2.0-only
"""Results of long runs, and the position of their tables in the documentation."""

import dataclasses
import re

from lab import tables
from lab.artifacts import TOP

TABLE = TOP / "Documentation/testing/figures.md"
# The last lines of uapi_fuzz and of each test of uapi_faults
CALLS = re.compile(r"^# (\d+) calls: (\d+) commands done, (\d+) refused, (\d+) mappings, "
                   r"(\d+) descriptors passed, (\d+) processes, (\d+) killed$", re.M)
REACHED = re.compile(r"^# (\d+) places of the driver reached, (\d+) ways kept, (\d+) processes led$", re.M)
MOVES = re.compile(r"^# (\d+) times a CPU went or came$", re.M)
FAULTS = re.compile(r"^# (\d+) faults, (\d+) refused$", re.M)

# not counted, because such a boot does not end successfully
ENDS_IT = "none, or the run had ended there"
# Not summed up when several boots are put together, but the largest of them
LARGEST = {"places", "ways", "events", "longest_ns"}


@dataclasses.dataclass
class Figures:
    kernel: str = ""
    boots: int = 0
    broken: int = 0             # boots that ended with something wrong, and count for nothing else
    seconds: float = 0
    calls: int = 0
    done: int = 0
    refused: int = 0
    mappings: int = 0
    passed: int = 0
    processes: int = 0
    killed: int = 0
    places: int = 0             # driver places reached by calls; 0: unknown to the kernel
    ways: int = 0               # ... that were kept of those there
    led: int = 0                # processes that began with one
    faults: int = 0
    faults_refused: int = 0
    load_faults: int = 0        # while the module was loaded
    load_refused: int = 0
    moves: int = 0              # a CPU went or came
    sleeps: int = 0
    recordings: int = 0
    perf_recordings: int = 0
    pmis_lost: int = 0          # on purpose
    misfortunes: int = 0        # the hardware misbehaved otherwise
    events: int = 0             # counters of the concurrent session
    counted: int = 0
    samples: int = 0
    lost: int = 0               # samples reported as lost
    missing: int = 0            # samples that are neither present nor reported
    overflows: int = 0
    recovered: int = 0
    longest_ns: int = 0         # longest freeze of its die for a sample

    def take_calls(self, text):
        """Add the results that uapi_fuzz printed at its end."""
        counts = list(map(int, CALLS.search(text).groups()))
        for name, count in zip(("calls", "done", "refused", "mappings", "passed", "processes",
                                "killed"), counts):
            setattr(self, name, getattr(self, name) + count)
        self.moves += sum(map(int, MOVES.findall(text)))
        for places, ways, led in REACHED.findall(text):     # the first two of all runs so far
            self.places, self.ways = int(places), int(ways)
            self.led += int(led)

    def take_faults(self, text):
        """Add the results that uapi_faults printed."""
        for injected, refused in FAULTS.findall(text):
            self.faults += int(injected)
            self.faults_refused += int(refused)

    def take_loading(self, text):
        """Add the results that uapi_faultload printed."""
        injected, refused = map(int, FAULTS.search(text).groups())
        self.load_faults += injected
        self.load_refused += refused

    def add(self, other):
        """Add the results of another boot."""
        self.kernel = other.kernel
        for field in dataclasses.fields(self)[1:]:
            both = getattr(self, field.name), getattr(other, field.name)
            setattr(self, field.name, max(both) if field.name in LARGEST else sum(both))

    def rows(self):
        """(what, how many), of what there was."""
        boots = f", {self.boots} boots" if self.boots > 1 else ""
        yield "run", f"{self.seconds / 60:.0f} min on {self.kernel}{boots}"
        if self.broken:
            yield "boots that something was wrong with, not counted here", f"{self.broken}"
        yield "calls at random", f"{self.calls:,}"
        yield "... commands done, refused", f"{self.done:,}, {self.refused:,}"
        yield "... mappings, descriptors passed on", f"{self.mappings:,}, {self.passed:,}"
        yield "... processes, of these killed", f"{self.processes:,}, {self.killed:,}"
        if self.places:
            yield ("places of the driver reached by the calls themselves: not in interrupts, timers, "
                   "other CPUs' readers, at a process's end" +
                   ("; most in a boot" if self.boots > 1 else "")), f"{self.places:,}"
            yield "... ways to new ones kept" + (", most in a boot" if self.boots > 1 else ""), \
                f"{self.ways:,}"
            yield "... processes led", f"{self.led:,}"
        yield "faults injected, calls that they made fail", \
            f"{self.faults:,}, {self.faults_refused:,}"
        if self.load_faults:
            yield "faults of the module's loading, each allocation once; that it was not loaded for", \
                f"{self.load_faults:,}; {self.load_refused:,}"
        for what, count in (("CPUs that went or came meanwhile", self.moves),
                            ("times that the machine slept", self.sleeps),
                            ("recordings by `ucoretool`", self.recordings),
                            ("recordings by `perf` of the cores' cycles, the NMI watchdog on half of the time",
                             self.perf_recordings),
                            ("overflow interrupts lost on purpose", self.pmis_lost),
                            ("times that the hardware misbehaved otherwise: interrupts late, twice or for no "
                             "reason, a status bit that nobody raised, a box that answers no more and "
                             "comes back, registers that fault, a counter that is stuck",
                             self.misfortunes)):
            if count:
                yield what, f"{count:,}"
        yield "a session beside it: events, counts", f"{self.events}, {self.counted:,}"
        yield "... counts that are not the model's", ENDS_IT
        yield "... samples, overflows", f"{self.samples:,}, {self.overflows:,}"
        yield "... overflows without an interrupt, found by the guard", f"{self.recovered:,}"
        yield "... records told as lost; missing and not told", f"{self.lost:,}; {self.missing:,}"
        yield "... longest freeze for a sample", f"{self.longest_ns / 1e6:.1f} ms"
        yield "leaks (kmemleak), violations of the hardware's protocol, complaints in the kernel log", ENDS_IT


def written(name, command, figures):
    tables.put(TABLE, name, [f"`{command}`:", "", *tables.of(("what", "figures"), figures.rows())])
