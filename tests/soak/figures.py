# SPDX-License-Identifier: GPL-2.0-only
"""Results of long runs, and the position of their tables in the documentation."""

import dataclasses
import re

from lab import tables
from lab.artifacts import TOP

TABLE = TOP / "Documentation/testing/figures.md"
# Last lines that uapi_fuzz and each test of uapi_faults print
CALLS = re.compile(r"^# (\d+) calls: (\d+) commands done, (\d+) refused, (\d+) mappings, "
                   r"(\d+) descriptors passed, (\d+) processes, (\d+) killed$", re.M)
REACHED = re.compile(r"^# (\d+) places of the driver reached, "
                     r"(\d+) sequences kept, (\d+) processes guided$", re.M)
CROWDS = re.compile(r"^# (\d+) crowds: (\d+) sessions, (\d+) refused \(EDQUOT\), (\d+) events, "
                    r"(\d+) refused \(ENOSPC\), at most (\d+) in a session$", re.M)
MOVES = re.compile(r"^# (\d+) CPU hotplug operations$", re.M)
FAULTS = re.compile(r"^# (\d+) faults, (\d+) refused$", re.M)

# Result of a check that ends the run at the first error, so that there is no number to count
ENDS_RUN = "none (otherwise the run fails)"
# Fields of which the merged results of several boots have the maximum instead of the sum
LARGEST = {"crowd_largest", "places", "sequences", "events", "longest_ns"}


@dataclasses.dataclass
class Figures:
    kernel: str = ""
    boots: int = 0
    broken: int = 0             # failed boots, which are not part of the other fields
    seconds: float = 0
    calls: int = 0
    done: int = 0
    refused: int = 0
    mappings: int = 0
    passed: int = 0
    processes: int = 0
    killed: int = 0
    crowds: int = 0             # processes with up to UCORE_SESSIONS_MAX sessions
    crowd_sessions: int = 0
    crowd_edquot: int = 0       # sessions beyond the limit of a user
    crowd_events: int = 0
    crowd_enospc: int = 0       # events beyond the counters of a box
    crowd_largest: int = 0      # events of one session
    places: int = 0             # driver places that calls reached; 0: the kernel has no KCOV
    sequences: int = 0          # call sequences that reached new places
    guided: int = 0             # processes that began with such a sequence
    faults: int = 0
    faults_refused: int = 0
    load_faults: int = 0        # faults during the loading of the module
    load_refused: int = 0
    moves: int = 0              # CPU hotplug operations
    suspends: int = 0           # suspends to RAM
    recordings: int = 0
    perf_recordings: int = 0
    pmis_lost: int = 0          # overflow interrupts suppressed by the model
    misfortunes: int = 0        # other hardware faults
    events: int = 0             # counters of the concurrent session
    counted: int = 0
    samples: int = 0
    lost: int = 0               # samples reported as lost
    missing: int = 0            # records that are neither present nor reported as lost
    overflows: int = 0
    recovered: int = 0
    longest_ns: int = 0         # longest freeze of a die for a sample

    def take_calls(self, text):
        """Add the results that uapi_fuzz printed."""
        counts = list(map(int, CALLS.search(text).groups()))
        for name, count in zip(("calls", "done", "refused", "mappings", "passed", "processes",
                                "killed"), counts):
            setattr(self, name, getattr(self, name) + count)
        crowds = list(map(int, CROWDS.search(text).groups()))
        for name, count in zip(("crowds", "crowd_sessions", "crowd_edquot", "crowd_events",
                                "crowd_enospc"), crowds):
            setattr(self, name, getattr(self, name) + count)
        self.crowd_largest = max(self.crowd_largest, crowds[-1])
        self.moves += sum(map(int, MOVES.findall(text)))
        # the first two numbers include the earlier runs of this boot
        for places, sequences, guided in REACHED.findall(text):
            self.places, self.sequences = int(places), int(sequences)
            self.guided += int(guided)

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
        """Yield (title, figures) of each row; most rows without results are left out."""
        boots = f", {self.boots} boots" if self.boots > 1 else ""
        yield "run", f"{self.seconds / 60:.0f} min on {self.kernel}{boots}"
        if self.broken:
            yield "failed boots, not included in the other rows", f"{self.broken}"
        yield "random calls", f"{self.calls:,}"
        yield "... successful commands, refused commands", f"{self.done:,}, {self.refused:,}"
        yield "... mappings, descriptors passed to another process", f"{self.mappings:,}, {self.passed:,}"
        yield "... processes, number of these that were killed", f"{self.processes:,}, {self.killed:,}"
        if self.crowds:
            yield "... processes with hundreds of sessions; sessions, refused by EDQUOT", \
                f"{self.crowds:,}; {self.crowd_sessions:,}, {self.crowd_edquot:,}"
            yield "... events in groups of these sessions, refused by ENOSPC, most in a session", \
                f"{self.crowd_events:,}, {self.crowd_enospc:,}, {self.crowd_largest:,}"
        if self.places:
            most = ", largest number of a boot" if self.boots > 1 else ""
            yield "places of the driver that the calls reached (without interrupts, timers, " \
                "readers on other CPUs and the end of a process)" + most, f"{self.places:,}"
            yield "... call sequences kept because they reached a new place" + most, \
                f"{self.sequences:,}"
            yield "... processes that replayed a kept sequence", f"{self.guided:,}"
        yield "injected faults, calls that failed because of them", \
            f"{self.faults:,}, {self.faults_refused:,}"
        if self.load_faults:
            yield "faults injected during loading, one in each allocation; failed loads", \
                f"{self.load_faults:,}; {self.load_refused:,}"
        for what, count in (("CPU hotplug operations during the calls", self.moves),
                            ("suspends to RAM", self.suspends),
                            ("recordings by `ucoretool`", self.recordings),
                            ("recordings of core cycles by `perf`, every second one with the NMI watchdog",
                             self.perf_recordings),
                            ("overflow interrupts suppressed by the model", self.pmis_lost),
                            ("other hardware faults: late, duplicate and spurious interrupts, a spurious "
                             "status bit, a box that stops responding and returns, faulting registers, "
                             "a stuck counter", self.misfortunes)):
            if count:
                yield what, f"{count:,}"
        yield "concurrent session: events, sum of the counts", f"{self.events}, {self.counted:,}"
        yield "... counts that differ from the model", ENDS_RUN
        yield "... samples, overflows", f"{self.samples:,}, {self.overflows:,}"
        yield "... overflows without an interrupt, found by the watchdog", f"{self.recovered:,}"
        yield "... records reported as lost; records missing without a report", f"{self.lost:,}; {self.missing:,}"
        yield "... longest freeze for a sample", f"{self.longest_ns / 1e6:.1f} ms"
        yield "memory leaks (kmemleak), protocol violations in the model's log, errors in the kernel log", ENDS_RUN


def written(name, command, figures):
    tables.put(TABLE, name, [f"`{command}`:", "", *tables.of(("what", "figures"), figures.rows())])
