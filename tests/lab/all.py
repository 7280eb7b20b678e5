# SPDX-License-Identifier: GPL-2.0-only
"""`make test`, `make quick` and `make test-all`: run stages and print one summary line.

The lab's tests wait for their machines for a third of the time. The other stages therefore run in
parallel with the lab. The lab's output appears immediately, the output of each other stage at its
end. Failed tests are repeated at the end, with their messages and then as a list.

usage: python3 -m lab.all test|quick|test-all
"""

import collections
import dataclasses
import os
import re
import subprocess
import sys
import threading
import time

from lab.artifacts import TOP

# One more than the CPUs, because tests wait for a third of the time. With more, the CPUs of a
# machine wait for each other, and need up to 1.7 times the CPU time
LAB_JOBS = 1 + os.cpu_count()
# minimal machines that are installed at the same time
FRESH_JOBS = 1


@dataclasses.dataclass(frozen=True)
class Plan:
    """One stage: a target of the top-level Makefile with its variables, and what it does."""
    target: str
    purpose: str
    settings: tuple = ()


# The run that is one stage of the next longer run, and rows of stages. Rows run in parallel
RUNS = {
    "quick": (None, (
        (Plan("kunit", "the driver's unit tests", ("KERNEL=6.1",)),),
        (Plan("lab", "a counting and a sampling machine", ("SELECT=quick", f"JOBS={LAB_JOBS}")),),
    )),
    "test": (None, (
        (Plan("kunit", "the driver's unit tests, on Debian's kernel: half a minute, 2 minutes more "
                       "to build them", ("KERNEL=6.1",)),),
        (Plan("tools-test", "ucoretool on a fake device: 2 to 5 minutes"),),
        (Plan("lab", "the driver on emulated machines: 4 minutes, once 4 more to build QEMU",
              ("SELECT=short", f"JOBS={LAB_JOBS}")),),
    )),
    "test-all": (Plan("test", "the short run"), (
        (Plan("kunit", "the unit tests on the debug kernel: 3 to 12 minutes; 10 to 15 more, once, "
                       "to build that kernel"),
         Plan("check", "compilers and style: 4 to 12 minutes, one when nothing changed; 5 more, "
                       "once, for trees of clang"),
         Plan("lab-kernels", "a short list of the lab's on an RT kernel and the newest kernel: 2 to "
                             "5 minutes; 5 more, once, for these kernels and their compilers "
                             "(300 MB)", ("JOBS=1", "KERNELS=6.1-rt 7")),
         Plan("kunit", "the unit tests on Debian's newest kernel, with 66 CPUs: 3 to 6 minutes, 1 "
                       "if they are built", ("KERNEL=7", "CPUS=66"))),
        (Plan("fresh-test", "each stage's installing and building on a minimal Debian: 5 to 20 "
                            "minutes, none when nothing changed that asks for packages",
              (f"JOBS={FRESH_JOBS}",)),),
        (Plan("lab", "the other tests on emulated machines: 15 to 30 minutes",
              ("SELECT=rest", f"JOBS={LAB_JOBS}")),),
    )),
}
LIVE = ("lab", "test")      # stages whose output appears immediately
SILENCE = 30        # seconds after which a line says which stages run
CLOSING = re.compile(r"^(\d+) passed, (\d+) failed, (\d+) skipped$")
TAP = re.compile(r"^(ok|not ok) \d+.*?(# SKIP.*)?$")
PRINTING = threading.Lock()
REMARKS = 20        # number of message lines of a failure that are repeated

printed = time.monotonic()     # when a line was printed last


def say(text):
    global printed
    with PRINTING:
        print(text, flush=True)
        printed = time.monotonic()


class Stage:
    """One stage. A stage that dies counts as failed.

    The counts come from the closing line of the stage, or else from its TAP.
    """

    def __init__(self, plan):
        self.plan = plan
        self.name = plan.target
        self.started = None     # while the stage runs
        self.counts = [0, 0, 0]
        self.failures = []      # line of each failed test, with its remarks
        self._live = plan.target in LIVE
        self._lines = []
        self._last = collections.deque(maxlen=REMARKS)
        self._closed = False
        self._failure = None    # test that the next remark belongs to

    def run(self):
        say(f"=== {self.name}: {self.plan.purpose}")
        started = self.started = time.monotonic()
        command = ["make", "--no-print-directory", self.name, *self.plan.settings]
        with subprocess.Popen(command, cwd=TOP, stdout=subprocess.PIPE, text=True) as stage:
            for line in stage.stdout:
                self.take(line.rstrip("\n"))
            _, status, used = os.wait4(stage.pid, 0)
            stage.returncode = os.waitstatus_to_exitcode(status)
        self.started = None
        # a stage that repeats no test has a closing line, and no results
        if not (any(self.counts) or self._closed) or (stage.returncode and not self.counts[1]):
            self.counts[1] += 1
            self.failures.append([f"not ok - ended with {stage.returncode}",
                                  *(f"# {line}" for line in self._last)])
        self._lines.append(f"=== {self.name}: {summary(self.counts)}, "
                           f"{time.monotonic() - started:.0f} s, "
                           f"{used.ru_utime + used.ru_stime:.0f} of CPU")
        say("\n".join(self._lines))

    def take(self, line):
        """Process a line of the stage's output."""
        self._last.append(line)
        closing = CLOSING.match(line)
        if closing:
            self.counts, self._closed = [int(count) for count in closing.groups()], True
            return
        match = TAP.match(line)
        if match and not self._closed:
            self.counts[2 if match[2] else match[1] == "not ok"] += 1
        self._note(line, match)
        if self._live:
            say(line)
        else:
            self._lines.append(line)

    def _note(self, line, match):
        """Add a remark to the verdict before it."""
        if match:
            self._failure = [line] if match[1] == "not ok" and not match[2] else None
            self.failures += [self._failure] if self._failure else []
        elif not line.startswith("#"):
            self._failure = None
        elif self._failure and len(self._failure) <= REMARKS:
            self._failure.append(line)


def repeated(stages):
    """Return the failures of all stages with their messages, and then without, for the end of the
    output."""
    failures = [(f"{stage.name}: {verdict}", remarks) for stage in stages
                for verdict, *remarks in stage.failures]
    return [line for verdict, remarks in failures for line in (verdict, *remarks)] \
        + [verdict for verdict, _ in failures]


def run_in_turn(stages):
    for stage in stages:
        stage.run()


def report_silence(stages, ended):
    """Print which stages run whenever nothing was printed for some time."""
    while not ended.wait(1):
        running = [stage for stage in stages if stage.started]
        if running and time.monotonic() > printed + SILENCE:
            say("=== running: " + ", ".join(
                f"{stage.name} for {time.monotonic() - stage.started:.0f} s" for stage in running))


def summary(counts):
    return "{} passed, {} failed, {} skipped".format(*counts)


def main(name):
    first, rows = RUNS[name]
    first = [Stage(first)] if first else []
    rows = [[Stage(plan) for plan in row] for row in rows]
    stages = [stage for row in rows for stage in row]
    ended = threading.Event()
    threading.Thread(target=report_silence, args=(stages, ended), daemon=True).start()
    run_in_turn(first)
    threads = [threading.Thread(target=run_in_turn, args=(row,)) for row in rows]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    ended.set()
    totals = [sum(column) for column in zip(*(stage.counts for stage in first + stages))]
    for line in repeated(first + stages):
        print(line)
    print(summary(totals))
    return 1 if totals[1] else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
