# SPDX-License-Identifier: GPL-2.0-only
"""`make races`: the debug kernel's tests on a kernel that detects data races (KCSAN).

    python3 -m soak.races [PATTERN ...]     tests/lab/run -k kcsan, and its table

A race with ucore on one side is reported in the kernel log, and its test fails.  Without a failure
the table is written into Documentation/testing/figures.md.
"""

import re
import subprocess
import sys
import time

from lab import kernels, tables
from lab.artifacts import TOP
from soak import figures

KERNEL = "kcsan"
RESULT = re.compile(r"^(not ok|ok) \d+ - (\S+?)(?: \[[^]]*\])?(:.*)?$")
SKIPPED = re.compile(r"# SKIP\b", re.I)


def run(patterns):
    """Return verdict -> number of results, and the tests; copy the output to stdout."""
    counts, tests = {"ok": 0, "not ok": 0, "skipped": 0}, set()
    with subprocess.Popen([TOP / "tests/lab/run", "-k", KERNEL, *patterns], stdout=subprocess.PIPE,
                          text=True) as runner:
        for line in runner.stdout:
            print(line, end="", flush=True)
            if result := RESULT.match(line.split(" # ")[0].rstrip()):
                counts["skipped" if SKIPPED.search(line) else result[1]] += 1
                tests.add(result[2])
    return counts, tests, runner.returncode


def main(patterns):
    began = time.monotonic()
    counts, tests, status = run(patterns)
    if status or counts["not ok"] or not counts["ok"]:
        return status or 1
    minutes = (time.monotonic() - began) / 60
    rows = [("run", f"{minutes:.0f} min on {kernels.get(KERNEL).release}, KCSAN"),
            ("tests; results, skipped", f"{len(tests)}; {counts['ok']:,}, {counts['skipped']}"),
            ("data races with ucore on one side or both", figures.ENDS_RUN)]
    which = f" TESTS=\"{' '.join(patterns)}\"" if patterns else ""
    tables.put(figures.TABLE, "races", [f"`make races{which}`:", "", *tables.of(("what", "figures"), rows)])
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
