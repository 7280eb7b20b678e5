# SPDX-License-Identifier: GPL-2.0-only
"""`make test`: run all stages and print one summary line.

The lab's tests wait for their machines for a third of the time. The other long stages therefore
run in parallel with the lab, one after another. The lab's output appears immediately, the
output of each other stage at its end. Failed tests are repeated at the end.
"""

import os
import re
import subprocess
import sys
import threading
import time

from lab.artifacts import TOP

# Targets of the top-level Makefile that run next to the lab, with their durations
BESIDE = {"tools-test": "ucoretool on a fake device: 2 to 5 minutes",
          "kunit": "unit tests on the debug kernel: 3 to 12 minutes; "
                   "10 to 15 more, once, to build that kernel",
          "check": "compilers and style: 4 to 12 minutes, one when nothing changed; "
                   "5 more, once, for trees of clang",
          "lab-kernels": "a short list of the lab's on RT and newer kernels: 2 to 5 minutes; "
                         "10 more, once, for these kernels and their compilers (550 MB)",
          "fresh-test": "each stage's installing and building on a minimal Debian: 5 to 12 minutes, "
                        "none when nothing changed that asks for packages"}
# The last stage continues after the lab has ended, and waits for downloads and disks
LAST, LAST_JOBS = "fresh-test", 2
LAB = {"lab": "tests on emulated machines: 20 to 40 minutes"}
# twice the CPUs: tests wait for the CPUs of their machines and for the other stages
LAB_JOBS = 2 * os.cpu_count()
CLOSING = re.compile(r"^(\d+) passed, (\d+) failed, (\d+) skipped$")
TAP = re.compile(r"^(ok|not ok) \d+.*?(# SKIP.*)?$")
PRINTING = threading.Lock()
REMARKS = 20        # number of message lines of a failure that are repeated


def say(text):
    with PRINTING:
        print(text, flush=True)


class Stage:
    """One stage. A stage that dies counts as failed.

    The counts come from the closing line of the stage, or else from its TAP.
    """

    def __init__(self, name, live, *settings):
        self.name = name
        self._settings = settings
        self.counts = [0, 0, 0]
        self.failures = []      # line of each failed test, with its remarks
        self._live = live
        self._lines = []
        self._closed = False
        self._failure = None    # test that the next remark belongs to

    def run(self):
        started = time.monotonic()
        command = ["make", "--no-print-directory", self.name, *self._settings]
        with subprocess.Popen(command, cwd=TOP, stdout=subprocess.PIPE, text=True) as stage:
            for line in stage.stdout:
                self.take(line.rstrip("\n"))
            _, status, used = os.wait4(stage.pid, 0)
            stage.returncode = os.waitstatus_to_exitcode(status)
        if not any(self.counts) or (stage.returncode and not self.counts[1]):
            self.counts[1] += 1
            self.failures.append([f"ended with {stage.returncode}"])
        self._lines.append(f"=== {self.name}: {summary(self.counts)}, "
                           f"{time.monotonic() - started:.0f} s, "
                           f"{used.ru_utime + used.ru_stime:.0f} of CPU")
        say("\n".join(self._lines))

    def take(self, line):
        """Process a line of the stage's output."""
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
    """Yield the failures of all stages again, for the end of the output."""
    return [line for stage in stages for verdict, *remarks in stage.failures
            for line in (f"{stage.name}: {verdict}", *remarks)]


def run_in_turn(stages, purposes):
    for stage in stages:
        say(f"=== {stage.name}: {purposes[stage.name]}")
        stage.run()


def summary(counts):
    return "{} passed, {} failed, {} skipped".format(*counts)


def main():
    beside = [Stage(name, False, f"JOBS={LAST_JOBS if name == LAST else 1}") for name in BESIDE]
    lab = [Stage(name, True, f"JOBS={LAB_JOBS}") for name in LAB]
    thread = threading.Thread(target=run_in_turn, args=(beside, BESIDE))
    thread.start()
    run_in_turn(lab, LAB)
    thread.join()
    totals = [sum(column) for column in zip(*(stage.counts for stage in beside + lab))]
    for line in repeated(beside + lab):
        print(line)
    print(summary(totals))
    return 1 if totals[1] else 0


if __name__ == "__main__":
    sys.exit(main())
