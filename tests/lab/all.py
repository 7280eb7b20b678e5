#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""`make test`: every stage in turn, and one line that sums them up."""

import re
import subprocess
import sys
import time

from artifacts import TOP

# Targets of the top-level Makefile, which know what they need
STAGES = ("kunit", "check", "tools-test", "lab")
CLOSING = re.compile(r"^(\d+) passed, (\d+) failed, (\d+) skipped$")


def run_stage(name):
    """Runs one stage; returns its counts.  A stage that dies counts as failed."""
    print(f"=== {name}", flush=True)
    command = ["make", "--no-print-directory", name]
    started = time.monotonic()
    counts = None
    with subprocess.Popen(command, cwd=TOP, stdout=subprocess.PIPE, text=True) as stage:
        for line in stage.stdout:
            closing = CLOSING.match(line)
            if closing:
                counts = [int(count) for count in closing.groups()]
            else:
                print(line, end="", flush=True)
    counts = counts or [0, 0, 0]
    if not any(counts) or (stage.returncode and not counts[1]):
        counts[1] += 1
    print(f"=== {name}: {summary(counts)}, {time.monotonic() - started:.0f} s", flush=True)
    return counts


def summary(counts):
    return "{} passed, {} failed, {} skipped".format(*counts)


def main():
    totals = [sum(column) for column in
              zip(*(run_stage(name) for name in STAGES))]
    print(summary(totals))
    return 1 if totals[1] else 0


if __name__ == "__main__":
    sys.exit(main())
