# SPDX-License-Identifier: GPL-2.0-only
"""`make mutants`: draws mutants, builds and runs the KUnit suites with each, and keeps the table.

    python3 -m mutants.run [--lab] [--jobs J] [--anew] N SEED

Each mutant is put into a copy of the tree, never into the tree itself; there are J copies, for
as many at a time.  One that does not compile is no mutant, and another is drawn.  Killed is one with which a suite fails, the kernel
complains, leaks or hangs; the same suites pass without it, or nothing is said at all.  Where
--lab is given, those that live meet the lab's tests, too.

As long as the driver is the same, who was killed stays so: an interrupted run goes on, and one
after tests were added tries those that live.  --anew tries all.
"""

import argparse
import concurrent.futures
import dataclasses
import hashlib
import json
import os
import queue
import re
import shutil
import subprocess
import sys
import threading
from pathlib import Path

from lab import artifacts, kernels, kunit, tables
from lab.artifacts import BUILD, BuildError, TOP
from mutants import mutate

COPIES = BUILD / "mutants"
COPIED = ("Kbuild", "Makefile", "dkms.conf", "driver", "uapi", "tests", "tools")
TABLE = TOP / "Documentation/testing.md"
# Why mutants live that should: "path: old line -> new line | reason", one a line
EXPLAINED = TOP / "tests/mutants/explained.txt"
NAME = "make mutants"
# The suites have no part of these: files, ioctls and loading are tested in the lab alone
NOT_LINKED = re.compile(r"filter-out (.*?),\s*\$\(ucore-y\)", re.S)


def note(text):
    print(f"# {text}", file=sys.stderr, flush=True)


# ---- copies ----

@dataclasses.dataclass(frozen=True)
class Copy:
    """A copy of the tree, and what is built from it."""
    where: Path

    @property
    def tree(self):
        return self.where / "tree"

    def made(self):
        shutil.rmtree(self.tree, ignore_errors=True)
        self.tree.mkdir(parents=True)
        subprocess.run(["cp", "-a", "--parents", *COPIED, self.tree], cwd=TOP, check=True)
        for path in self.tree.rglob("*.[ch]"):
            # newer than a mutant that an interrupted run has left there
            built_from = self.out / path.relative_to(self.tree)
            if built_from.exists() and built_from.read_bytes() != path.read_bytes():
                path.touch()
        return self

    @property
    def out(self):
        return self.where / "kunit"

    def built(self):
        """The suites' module; BuildError."""
        command = artifacts.module_command(kernels.get("debug"), self.out, "SUBDIR=tests/kunit")
        done = subprocess.run(list(map(str, command)), cwd=self.tree, text=True, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if done.returncode:
            raise BuildError(done.stdout[-2000:])
        return next(self.out.rglob("tests/kunit/*.ko"))


def sources():
    """path -> text of the files that the suites link."""
    rule = NOT_LINKED.search((TOP / "tests/kunit/Kbuild").read_text())[1]
    left = {name.replace(".o", ".c") for name in re.findall(r"[\w/]+\.o", rule)}
    assert "driver/main.c" in left, left
    left.add("driver/ucore_trace.c")
    return {str(path.relative_to(TOP)): path.read_text()
            for path in sorted((TOP / "driver").rglob("*.c"))
            if str(path.relative_to(TOP)) not in left}


# ---- verdicts ----

def kunit_verdict(module):
    """Who noticed; "" if nobody did."""
    try:
        log, complaints = kunit.run_in_guest(module, to_the_end=False)
    except Exception as error:      # whatever ends the guest or its agent
        return f"the machine: {type(error).__name__}"
    if failed := kunit.FAILED.findall(log):
        return failed[0]
    if complaints:
        return "the kernel's log: " + complaints[0].strip().splitlines()[0][:60]
    return "" if re.search(r"^.*?ok \d+ ", log, re.M) else "no results"


def lab_verdict(copy):
    """The same by the lab's tests, in the copy, with a build directory of its own."""
    done = subprocess.run(["env", f"UCORE_BUILD={copy.where / 'lab'}", "tests/lab/run",
                           "-k", "6.1"], cwd=copy.tree, text=True, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    failed = kunit.FAILED.findall(done.stdout)
    return failed[0] if failed else "the lab" if done.returncode else ""


def judged(mutant, texts, copy, lab):
    """By whom it was killed; "": by nobody; None: it does not compile."""
    path = copy.tree / mutant.path
    path.write_text(mutant.applied(texts[mutant.path]))
    try:
        verdict = kunit_verdict(copy.built())
        return verdict or (lab and lab_verdict(copy)) or ""
    except BuildError:
        return None
    finally:
        path.write_text(texts[mutant.path])


class Killed:
    """Mutants of this driver that are known to die, and those that do not compile (None)."""

    def __init__(self, texts, path=COPIES / "killed.json", anew=False):
        self._path = path
        self._driver = hashlib.sha256(json.dumps(texts, sort_keys=True).encode()).hexdigest()
        self._verdicts = {}
        self._writing = threading.Lock()
        if self._path.exists() and not anew:
            kept = json.loads(self._path.read_text())
            if kept["driver"] == self._driver:
                self._verdicts = kept["verdicts"]

    @staticmethod
    def _key(mutant):
        return f"{mutant.path}:{mutant.start}:{mutant.new}"

    def verdict(self, mutant, judge):
        """The one that is known, or that of judge(mutant), which is then kept unless it lives."""
        key = self._key(mutant)
        if key not in self._verdicts:
            verdict = judge(mutant)
            if verdict == "":
                return verdict
            with self._writing:
                self._verdicts[key] = verdict
                self._path.write_text(json.dumps({"driver": self._driver,
                                                  "verdicts": self._verdicts}))
        return self._verdicts[key]


def all_judged(texts, copies, options):
    """(mutant, verdict) of the first so many that compile, in the order they were drawn."""
    free, found, killed = queue.SimpleQueue(), {}, Killed(texts, anew=options.anew)
    for copy in copies:
        free.put(copy)

    def try_it(mutant):
        copy = free.get()
        try:
            return judged(mutant, texts, copy, options.lab)
        finally:
            free.put(copy)

    def judge(mutant):
        return killed.verdict(mutant, try_it)

    drawn, running = mutate.drawn(texts, options.seed), {}
    with concurrent.futures.ThreadPoolExecutor(len(copies)) as pool:
        for number, mutant in enumerate(drawn):
            running[pool.submit(judge, mutant)] = number, mutant
            # one that does not compile makes room for one more
            while running and (len(running) == len(copies) or
                               len(found) + len(running) == options.count):
                for done in concurrent.futures.wait(running, return_when="FIRST_COMPLETED").done:
                    at, mutant = running.pop(done)
                    verdict = done.result()
                    if verdict is None:
                        note(f"does not compile: {mutant}")
                        continue
                    found[at] = mutant, verdict
                    print(f"{len(found)}/{options.count} {mutant}: {verdict or 'LIVES'}", flush=True)
            if len(found) == options.count:
                break
    return [found[at] for at in sorted(found)]


# ---- the table ----

def changed_line(mutant, text):
    """`path: old line -> new line`: what stays true when lines move."""
    def line_of(where):
        return re.sub(r"\s+", " ", where.splitlines()[mutant.line - 1]).strip()
    return f"{mutant.path}: {line_of(text)} -> {line_of(mutant.applied(text))}"


def reasons():
    lines = EXPLAINED.read_text().splitlines() if EXPLAINED.exists() else []
    return dict(line.rsplit(" | ", 1) for line in lines if " | " in line)


def table_of(results, texts, seed, lab):
    """Markdown: how many of each folder, and each that lives."""
    known, folders = reasons(), {}
    for mutant, verdict in results:
        folders.setdefault(mutant.path.rsplit("/", 1)[0], []).append(verdict)
    alive = [mutant for mutant, verdict in results if not verdict]
    by = "KUnit and the lab" if lab else "KUnit alone"
    yield f"`make mutants N={len(results)} SEED={seed}`: {len(results) - len(alive)} of " \
          f"{len(results)} killed, by {by}."
    yield ""
    yield from tables.of(("folder", "mutants", "killed"),
                         ((f"`{folder}/`", len(verdicts), sum(map(bool, verdicts)))
                          for folder, verdicts in sorted(folders.items())))
    if alive:
        yield ""
        yield from tables.of(("lives", "why"),
                             ((f"`{tables.cell(changed)}`",
                               tables.cell(known.get(changed, "not explained")))
                              for changed in sorted(changed_line(m, texts[m.path]) for m in alive)))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--lab", action="store_true", help="those that live meet the lab's tests")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="as many at a time")
    parser.add_argument("--anew", action="store_true", help="forget who was killed before")
    parser.add_argument("count", type=int)
    parser.add_argument("seed", type=int)
    options = parser.parse_args()
    copies = [Copy(COPIES / str(number)).made() for number in range(options.jobs)]
    texts = sources()
    note("the suites, as they are")
    modules = [copy.built() for copy in copies]
    if verdict := kunit_verdict(modules[0]):
        sys.exit(f"the suites fail without any mutant: {verdict}")
    results = all_judged(texts, copies, options)
    tables.put(TABLE, NAME, table_of(results, texts, options.seed, options.lab))


if __name__ == "__main__":
    main()
