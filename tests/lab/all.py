# SPDX-License-Identifier: GPL-2.0-only
"""`make test`: every stage, and one line that sums them up.

The lab waits for its machines a third of the time, so what else takes long runs beside it, one
test after another.  Its output appears as it comes, theirs in one piece at the end of each.
"""

import re
import subprocess
import sys
import threading
import time

from lab.artifacts import TOP

# Targets of the top-level Makefile, which know what they need; what each waits for
BESIDE = {"tools-test": "ucoretool on a fake device: 2 to 5 minutes",
          "kunit": "unit tests on the debug kernel: 3 to 12 minutes; "
                   "10 to 15 more, once, to build that kernel",
          "check": "compilers and style: 4 to 12 minutes, one when nothing changed; "
                   "5 more, once, for trees of clang",
          "fresh-test": "each stage's installing and building on a minimal Debian: 5 to 12 minutes, "
                        "none when nothing changed that asks for packages"}
LAB = {"lab": "tests on emulated machines: 20 to 40 minutes"}
CLOSING = re.compile(r"^(\d+) passed, (\d+) failed, (\d+) skipped$")
TAP = re.compile(r"^(ok|not ok) \d+.*?(# SKIP.*)?$")
PRINTING = threading.Lock()


def say(text):
    with PRINTING:
        print(text, flush=True)


class Stage:
    """One stage; one that dies counts as failed.

    Its counts stand in its closing line, or else its TAP is counted.
    """

    def __init__(self, name, live, *settings):
        self.name = name
        self._settings = settings
        self.counts = [0, 0, 0]
        self._live = live
        self._lines = []
        self._closed = False

    def run(self):
        started = time.monotonic()
        command = ["make", "--no-print-directory", self.name, *self._settings]
        with subprocess.Popen(command, cwd=TOP, stdout=subprocess.PIPE, text=True) as stage:
            for line in stage.stdout:
                self._take(line.rstrip("\n"))
        if not any(self.counts) or (stage.returncode and not self.counts[1]):
            self.counts[1] += 1
        self._lines.append(f"=== {self.name}: {summary(self.counts)}, "
                           f"{time.monotonic() - started:.0f} s")
        say("\n".join(self._lines))

    def _take(self, line):
        closing = CLOSING.match(line)
        if closing:
            self.counts, self._closed = [int(count) for count in closing.groups()], True
            return
        match = TAP.match(line)
        if match and not self._closed:
            self.counts[2 if match[2] else match[1] == "not ok"] += 1
        if self._live:
            say(line)
        else:
            self._lines.append(line)


def run_in_turn(stages, purposes):
    for stage in stages:
        say(f"=== {stage.name}: {purposes[stage.name]}")
        stage.run()


def summary(counts):
    return "{} passed, {} failed, {} skipped".format(*counts)


def main():
    beside = [Stage(name, False, "JOBS=1") for name in BESIDE]
    lab = [Stage(name, True) for name in LAB]
    thread = threading.Thread(target=run_in_turn, args=(beside, BESIDE))
    thread.start()
    run_in_turn(lab, LAB)
    thread.join()
    totals = [sum(column) for column in zip(*(stage.counts for stage in beside + lab))]
    print(summary(totals))
    return 1 if totals[1] else 0


if __name__ == "__main__":
    sys.exit(main())
