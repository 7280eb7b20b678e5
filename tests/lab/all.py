# SPDX-License-Identifier: GPL-2.0-only
"""`make test`: every stage in turn, and one line that sums them up."""

import re
import subprocess
import sys
import time

from lab.artifacts import TOP

# Targets of the top-level Makefile, which know what they need
STAGES = ("kunit", "check", "tools-test", "lab")
CLOSING = re.compile(r"^(\d+) passed, (\d+) failed, (\d+) skipped$")
TAP = re.compile(r"^(ok|not ok) \d+.*?(# SKIP.*)?$")


def run_stage(name):
    """Runs one stage; returns its counts.  A stage that dies counts as failed.

    They stand in its closing line, or else its TAP is counted.
    """
    print(f"=== {name}", flush=True)
    command = ["make", "--no-print-directory", name]
    started = time.monotonic()
    counts, closing = [0, 0, 0], False
    with subprocess.Popen(command, cwd=TOP, stdout=subprocess.PIPE, text=True) as stage:
        for line in stage.stdout:
            match = CLOSING.match(line)
            if match:
                counts, closing = [int(count) for count in match.groups()], True
                continue
            print(line, end="", flush=True)
            match = TAP.match(line)
            if match and not closing:
                counts[2 if match[2] else match[1] == "not ok"] += 1
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
