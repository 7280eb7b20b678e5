# SPDX-License-Identifier: GPL-2.0-only
"""Collect the lab's tests, run them boot by boot in several processes, and print TAP."""

import argparse
import dataclasses
import fnmatch
import importlib
import multiprocessing
import multiprocessing.connection
import os
import shutil
import sys
import time
from pathlib import Path

from lab import artifacts, framework, kernels, selection, worker
from lab.machine import RUNS
from lab.qemu import args

# folder of the packages: lab and the folders of tests
TESTS = Path(__file__).resolve().parents[1]
KEPT_RUNS = 20


def main():
    options = parse_arguments()
    tests = collected(options.tests)
    tests += on_other_kernels(tests, options.kernel or ())
    groups = grouped(selected(tests, options))
    if options.list:
        for test in (test for group in groups for test in group):
            print(test)
        return 0
    if not groups:
        sys.exit("run: no test matches")
    reporter = Reporter(sum(map(len, groups)))
    Scheduler(groups, reporter, new_run_directory(), options).run()
    reporter.finish()
    return 1 if reporter.counts[worker.FAILED] else 0


def parse_arguments():
    parser = argparse.ArgumentParser(prog="tests/lab/run", description="Runs the lab's tests.")
    parser.add_argument("patterns", nargs="*", metavar="PATTERN",
                        help="run tests whose name contains it, or matches it (*, ?)")
    parser.add_argument("-j", "--jobs", type=int, default=jobs())
    parser.add_argument("-k", "--kernel", action="append", type=kernels.known,
                        help="only on this kernel; one that no test asks for (6.1-rt, 7) is "
                        "booted with the tests of 6.1")
    parser.add_argument("-s", "--scenario", action="append",
                        help="only those on this machine")
    parser.add_argument("--select", choices=selection.SELECTIONS,
                        help="only the tests of `make test` (short), of `make quick` (quick), "
                        "or all that `make test` does not run (rest)")
    parser.add_argument("-x", "--stop", action="store_true", help="stop at the first failed test")
    parser.add_argument("-l", "--list", action="store_true", help="list tests, run none")
    parser.add_argument("--tests", type=Path, default=TESTS / "machine", metavar="DIR",
                        help="where test_*.py are")
    return parser.parse_args()


def jobs():
    """Return one and a half times the CPUs, because a test waits a third of the time."""
    return max(os.cpu_count() * 3 // 2, 1)


def collected(directory):
    for path in sorted(directory.glob("test_*.py")):
        name = path.resolve().relative_to(TESTS).with_suffix("")
        importlib.import_module(".".join(name.parts))
    return framework.united(framework.registry)


def on_other_kernels(tests, names):
    """Return copies of the 6.1 or debug tests for kernels that no test names."""
    return [dataclasses.replace(test, boot=dataclasses.replace(test.boot, kernel=name))
            for name in names if name not in kernels.NAMES
            for test in tests if test.boot and
            test.boot.kernel == ("debug" if name in kernels.LIKE_DEBUG else "6.1")]


def selected(tests, options):
    def wanted(test):
        # a test of another kernel, such as 7, runs only if -k names that kernel
        if not options.kernel and test.boot and test.boot.kernel not in kernels.NAMES:
            return False
        if options.kernel and (not test.boot or test.boot.kernel not in options.kernel):
            return False
        if options.scenario and (not test.boot or test.boot.scenario not in options.scenario):
            return False
        if options.select and not selection.SELECTIONS[options.select](test):
            return False
        return not options.patterns or any(
            pattern in str(test) or fnmatch.fnmatch(str(test), pattern)
            for pattern in options.patterns)
    return [test for test in tests if wanted(test)]


def grouped(tests):
    """Group tests by boot, slow boots first; the search for leaks comes last.

    Within a boot, tests that need the same state are adjacent (worker.py).
    """
    groups = {}
    for test in tests:
        groups.setdefault(test.boot or test, []).append(test)
    for boot, group in groups.items():
        group.sort(key=lambda test: (not test.strict, test.alone, not test.loaded, not test.module))
        if group[0].boot and framework.searched(boot):
            group.append(framework.leak_test(boot))

    def weight(group):
        debug = bool(group[0].boot) and group[0].boot.kernel == "debug"
        return (debug, len(group))
    return sorted(groups.values(), key=weight, reverse=True)


def new_run_directory():
    """Create build/lab/run-DATE-PID; link `last` to it; remove the oldest."""
    RUNS.mkdir(parents=True, exist_ok=True)
    for old in sorted(RUNS.glob("run-*"))[:-KEPT_RUNS]:
        shutil.rmtree(old, ignore_errors=True)
    directory = RUNS / f"run-{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}"
    directory.mkdir()
    link = RUNS / f"last-{os.getpid()}"
    link.symlink_to(directory.name)
    link.rename(RUNS / "last")
    return directory


def prepared(boot, module):
    """Build the files of a boot; return an error text, or "" for success."""
    try:
        args.binary()
        kernels.get(boot.kernel)
        artifacts.programs()
        if module:
            artifacts.module(boot.kernel)
            artifacts.tools()
    except (artifacts.BuildError, OSError, SystemExit) as error:
        return f"could not be built: {error}"
    return ""


class Scheduler:
    """Runs the groups in several worker processes, one group in each."""

    def __init__(self, groups, reporter, directory, options):
        self._waiting = list(groups)
        self._reporter = reporter
        self._directory = directory
        self._jobs = options.jobs
        self._stop = options.stop
        self._running = {}      # connection -> (process, tests without a verdict)
        self._problems = {}     # kernel -> reason why it cannot be booted
        self._started = 0

    def run(self):
        try:
            while (self._waiting or self._running) and not self._is_stopped():
                while self._waiting and len(self._running) < self._jobs:
                    self._start(self._waiting.pop(0))
                for connection in self._ready():
                    self._receive(connection)
        finally:
            for process, _ in self._running.values():
                process.terminate()

    def _is_stopped(self):
        return self._stop and self._reporter.counts[worker.FAILED]

    def _ready(self):
        """Return the connections with messages; wait() without connections would block forever."""
        return multiprocessing.connection.wait(list(self._running)) if self._running else ()

    def _start(self, group):
        boot = group[0].boot
        if boot:
            group = self._buildable(boot, group)
            if not group:
                return
        self._started += 1
        directory = self._directory / f"{self._started:02}-{boot or group[0].name}".replace(" ", "-")
        ours, theirs = multiprocessing.Pipe(duplex=False)
        process = multiprocessing.Process(target=worker_main, args=(group, directory, theirs))
        process.start()
        theirs.close()
        self._running[ours] = (process, list(group))

    def _buildable(self, boot, group):
        """Return the tests whose files can be built; report the others as failed."""
        for module in sorted({test.module for test in group}):
            key = (boot.kernel, module)
            if key not in self._problems:
                self._reporter.note(f"building what {boot} needs")
                self._problems[key] = prepared(boot, module)
            if self._problems[key]:
                why = self._problems[key]
                for test in (test for test in group if test.module >= module):
                    self._reporter.failure(test, why)
                    why = why.splitlines()[0]       # print the build log only once
                return [test for test in group if test.module < module]
        return group

    def _receive(self, connection):
        process, left = self._running[connection]
        try:
            event, index, *details = connection.recv()
        except EOFError:
            process.join()
            del self._running[connection]
            for test in filter(None, left):
                self._reporter.failure(test, f"the worker died ({process.exitcode})")
            return
        if event == "start":
            self._reporter.start(left[index])
        elif event == "result":
            self._reporter.result(left[index], *details)
        else:
            self._reporter.end(left[index])
            left[index] = None


def worker_main(group, directory, connection):
    """Run a group in the child process. The parent detects a crash by the end of the pipe."""
    def report(event, test, *details):
        connection.send((event, group.index(test), *details))
    worker.run_group(group, directory, report)


def named(test, result):
    return f"{test}: {result.name}" if result.name else str(test)


class Reporter:
    """Writes TAP to stdout and the progress to stderr."""

    def __init__(self, total):
        self.counts = {worker.PASSED: 0, worker.FAILED: 0, worker.SKIPPED: 0}
        self._kept = 0
        self._running = []
        self._live = sys.stderr.isatty()
        self._ended, self._total = 0, total
        print("TAP version 13", flush=True)

    def note(self, text):
        print(f"# {text}", file=sys.stderr, flush=True)

    def start(self, test):
        self._running.append(test)
        if self._live:
            self._status()
        else:
            self.note(f"running {test}")

    def end(self, test):
        self._ended += 1
        if test in self._running:
            self._running.remove(test)
        if self._live:
            self._status()

    def failure(self, test, text):
        """Report a test that could not run."""
        self.result(test, framework.Result("", worker.FAILED, text), ())
        self.end(test)

    def result(self, test, result, cost):
        """Print a verdict. @cost: elapsed and CPU seconds of the test, given with its last
        result."""
        self._erase()
        if result.verdict == worker.KEPT:
            self._kept += 1
            print(f"# kept: {named(test, result)}: {result.text}", flush=True)
            return
        self.counts[result.verdict] += 1
        print(self._line(test, result, cost))
        if result.verdict == worker.FAILED:
            print("\n".join(f"#   {line}" for line in result.text.splitlines()))
        sys.stdout.flush()

    def finish(self):
        self._erase()
        print(f"1..{sum(self.counts.values())}")
        if self._kept:
            print(f"# {self._kept} results of earlier runs are not counted")
        print(", ".join(f"{count} {verdict}" for verdict, count in self.counts.items()), flush=True)

    def _line(self, test, result, cost):
        ok = "not ok" if result.verdict == worker.FAILED else "ok"
        tail = f" # SKIP {result.text}" if result.verdict == worker.SKIPPED else \
            " # {:.1f} s, {:.1f} of CPU".format(*cost) if cost else ""
        return f"{ok} {sum(self.counts.values())} - {named(test, result)}{tail}"

    def _status(self):
        text = f"[{self._ended}/{self._total}] running: {', '.join(map(str, self._running))}"
        width = shutil.get_terminal_size().columns - 1
        print(f"\r\033[K{text[:width]}", end="", file=sys.stderr, flush=True)

    def _erase(self):
        if self._live:
            print("\r\033[K", end="", file=sys.stderr, flush=True)
