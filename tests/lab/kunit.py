# SPDX-License-Identifier: GPL-2.0-only
"""`make kunit`: the KUnit suites on the debug kernel or another one, read by Linux's own parser.

usage: python3 -m lab.kunit [KERNEL [CPUS]]
"""

import re
import subprocess
import sys
import time

from lab import agent, artifacts, framework, linked_kunit
from lab.machine import CheckFailed, CommandFailed, Machine

FAILED = re.compile(r"^.*?not ok \d+ (?:- )?([\w.]+)", re.M)
# A failed parameter of a case, which has eight spaces before it. The name of the case is above it
PARAMETER = re.compile(r"(?:^|\] ) {8,}not ok ")
# A failed case, or a failed parameter of a case; the line of a failed suite has fewer spaces
FAILED_CASE = re.compile(r"(?:^|\] ) {4,}not ok \d+ (?:- )?(.+)")
RESULT = re.compile(r"(?:^|\] ) *(?:not )?ok \d+ ")
SUBTEST = re.compile(r"# Subtest: ([\w.]+)")
COUNT = re.compile(r"(passed|failed|crashed|skipped|errors): (\d+)")
# The results are read from the log, and are longer than the log of a machine with one CPU
# A boot with 66 CPUs on a busy host has a step that takes longer than the 20 s after which Linux
# reports a soft lockup (it frees the memory of initialization). Suites that hang end by TIMEOUT
CMDLINE = "log_buf_len=1M watchdog_thresh=60"
# QEMU 7.2 has no x2APIC without KVM
CPUS_MAX = 255
TIMEOUT = 300
# maximum seconds without output on an idle host; the suites print each half second
QUIET = 15


def note(text):
    print(f"# {text}", file=sys.stderr, flush=True)


def failed_case(log):
    """Return the name of the first failed case in a log; "" if there is none."""
    found = FAILED.search(log)
    if found and PARAMETER.search(found[0]):
        return SUBTEST.findall(log, 0, found.start())[-1]
    return found[1] if found else ""


def failures(log):
    """Yield the name and the messages of each failed case in a log."""
    messages = []
    for line in log.splitlines():
        failed = FAILED_CASE.search(line)
        if failed:
            yield failed[1], messages
        messages = [] if RESULT.search(line) else [*messages, line]


class Watched:
    """Console of running suites."""

    def __init__(self, console):
        self._console = console
        self._seen = 0
        self._patience = 0
        self._when = time.monotonic()

    def failed(self):
        """Return the line of the first failed test; raise TimeoutError if the suites hang."""
        with open(self._console, "rb") as console:
            console.seek(self._seen)
            whole, end, _ = console.read().rpartition(b"\n")
        if end:
            self._seen += len(whole) + 1
            self._when, self._patience = time.monotonic(), 0
        self._patience = max(self._patience, agent.patience())
        if time.monotonic() > self._when + QUIET * self._patience:
            raise TimeoutError("the suites hang")
        found = FAILED.search(whole.decode(errors="replace"))
        return found and found[0]


def run_in_guest(module, kernel="debug", to_the_end=True, cpus=2):
    """Load the suites; return the kernel log and other errors. Stop at the first failure or
    hang."""
    complaints = []
    files = {f"/{module.name}": module}
    with Machine(None, kernel, module=False, files=files, cmdline=CMDLINE, cpus=cpus) as machine:
        try:
            # at boot the kernel reports that it has no suites; discard that line
            machine.run("dmesg -c")
            suites = machine.spawn(f"insmod /{module.name}", timeout=TIMEOUT)
            if not to_the_end:
                watched = Watched(machine.console)
                end = machine.wait_until(lambda: watched.failed() or suites.done, TIMEOUT, "suites")
                if end is not True:
                    return end, complaints
            suites.wait()
            log = machine.dmesg()
            machine.rmmod(module.stem)
            machine.mark("end of kunit")
            machine.check_log()
            if kernel == "debug":
                framework.no_leaks(machine)
        except (CheckFailed, CommandFailed) as error:
            complaints.append(str(error))
            log = machine.dmesg()
    return log, complaints


def parse(log):
    """Print the results with kunit.py parse; return its counts."""
    parser = linked_kunit.source() / "tools/testing/kunit/kunit.py"
    done = subprocess.run([sys.executable, parser, "parse"], input=log, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    print(done.stdout, flush=True)
    closing = done.stdout[done.stdout.rfind("Testing complete"):]
    return {word: int(count) for word, count in COUNT.findall(closing)}


def main(kernel="debug", cpus="2"):
    if not cpus.isdigit() or not 1 <= int(cpus) <= CPUS_MAX:
        raise SystemExit(f"kunit: CPUS={cpus}: the emulated machine can have 1 to {CPUS_MAX} CPUs")
    note(f"fetching or building kernel {kernel} (cached), and building the suites")
    module = artifacts.kunit_module(kernel)
    note(f"running the suites with {cpus} CPUs")
    log, complaints = run_in_guest(module, kernel, cpus=int(cpus))
    counts = parse(log)
    failed = sum(counts.get(word, 0) for word in ("failed", "crashed", "errors"))
    # in TAP, which the stages of test-all repeat at their end
    found = [*failures(log), *((text.partition("\n")[0], text.splitlines()[1:])
                               for text in complaints)]
    for number, (name, messages) in enumerate(found, 1):
        print(f"not ok {number} - {name}", *(f"# {line}" for line in messages), sep="\n")
    failed += len(complaints) or not counts
    print(f"{counts.get('passed', 0)} passed, {failed} failed, {counts.get('skipped', 0)} skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
