# SPDX-License-Identifier: GPL-2.0-only
"""`make mutants`: selects mutants, builds and runs the KUnit suites with each, and keeps the table.

    python3 -m mutation.run [--lab] [--jobs J] [--anew] N SEED

Each mutant is inserted into a copy of the tree, never into the tree itself.  There are J copies,
for J mutants at a time.  A mutant that does not compile is replaced by another.  A mutant is killed
if a suite fails with it, or if the kernel reports an error, leaks memory or hangs twice.  The same
suites must pass without mutants, otherwise no verdict is given.  With --lab, survivors are also run
against the lab's tests.

While the driver is unchanged, killed mutants stay killed.  An interrupted run continues, and a run
after new tests tries the survivors again.  Use --anew after weakening a test.
"""

import argparse
import concurrent.futures
import dataclasses
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
from lab.progress import Progress, hash_of
from mutation import mutate

COPIES = BUILD / "mutants"
COPIED = ("Kbuild", "Makefile", "dkms.conf", "driver", "uapi", "tests", "tools")
TABLE = TOP / "Documentation/testing.md"
# reasons why mutants may survive, one per line: "path: old line -> new line | reason"
EXPLAINED = TOP / "tests/mutation/explained.txt"
MARKS = "make mutants"
MACHINE, KERNEL_LOG = "the machine", "the kernel's log"
LAB = threading.Lock()
# Kbuild rule with the driver files that the KUnit suites do not link. Only the lab tests them
NOT_LINKED = re.compile(r"filter-out (.*?),\s*\$\(ucore-y\)", re.S)


def note(text):
    print(f"# {text}", file=sys.stderr, flush=True)


# ---- copies ----

@dataclasses.dataclass(frozen=True)
class Copy:
    """A copy of the tree with its build."""
    where: Path

    @property
    def tree(self):
        return self.where / "tree"

    def made(self):
        shutil.rmtree(self.tree, ignore_errors=True)
        self.tree.mkdir(parents=True)
        subprocess.run(["cp", "-a", "--parents", *COPIED, self.tree], cwd=TOP, check=True)
        for path in self.tree.rglob("*.[ch]"):
            # make the source newer than the build of a mutant that an interrupted run has left
            built_from = self.out / path.relative_to(self.tree)
            if built_from.exists() and built_from.read_bytes() != path.read_bytes():
                path.touch()
        return self

    @property
    def out(self):
        return self.where / "kunit"

    def built(self):
        """Build the module with the suites, and return it; raise BuildError if this fails."""
        command = artifacts.module_command(kernels.get("debug"), self.out, "SUBDIR=tests/kunit")
        done = subprocess.run(list(map(str, command)), cwd=self.tree, text=True, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if done.returncode:
            raise BuildError(done.stdout)
        return next(self.out.rglob("tests/kunit/*.ko"))


def sources():
    """Return path -> text of the driver files that the suites link."""
    rule = NOT_LINKED.search((TOP / "tests/kunit/Kbuild").read_text())[1]
    left = {name.replace(".o", ".c") for name in re.findall(r"[\w/]+\.o", rule)}
    assert "driver/main.c" in left, left
    left.add("driver/ucore_trace.c")
    return {str(path.relative_to(TOP)): path.read_text()
            for path in sorted((TOP / "driver").rglob("*.c"))
            if str(path.relative_to(TOP)) not in left}


# ---- verdicts ----

def kunit_verdict(module):
    """Return the suite that detects the mutant; "" if none does."""
    try:
        log, complaints = kunit.run_in_guest(module, to_the_end=False)
    except Exception as error:      # whatever ends the guest or its agent
        return f"{MACHINE}: {type(error).__name__}"
    if failed := kunit.FAILED.findall(log):
        return failed[0]
    if complaints:
        return f"{KERNEL_LOG}: " + complaints[0].strip().splitlines()[0][:60]
    return "" if re.search(r"^.*?ok \d+ ", log, re.M) else f"{MACHINE}: no results"


def lab_verdict(copy):
    """Return the lab test that detects the mutant; the copy has its own build directory."""
    with LAB:       # the lab runs its tests in parallel itself
        done = subprocess.run(["env", f"UCORE_BUILD={copy.where / 'lab'}", "tests/lab/run",
                               "-k", "6.1"], cwd=copy.tree, text=True, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    failed = kunit.FAILED.findall(done.stdout)
    return failed[0] if failed else "the lab" if done.returncode else ""


def does_not_compile(mutant, log):
    """Return true if gcc reports an error in the mutant's file; another error has ended the
    build."""
    return re.search(rf"{re.escape(Path(mutant.path).name)}:\d+:\d+: (?:fatal )?error:", log)


def judged(mutant, texts, copy, lab):
    """Return the killer ("": none, None: does not compile), and whether the verdict is final.

    The verdict of a suite or of the kernel log is final. A guest that hangs can be caused by
    the host, and is tried again.
    """
    path = copy.tree / mutant.path
    path.write_text(mutant.applied(texts[mutant.path]))
    try:
        module = copy.built()
        verdict = kunit_verdict(module)
        if verdict.startswith(MACHINE):
            verdict = kunit_verdict(module)
        if verdict:
            return verdict, not verdict.startswith(MACHINE)
        return lab_verdict(copy) if lab else "", False
    except BuildError as error:
        if not does_not_compile(mutant, str(error)):
            raise
        return None, True
    finally:
        path.write_text(texts[mutant.path])


class Known:
    """Verdicts on mutants of this driver: the suite that kills each; None: does not compile."""

    def __init__(self, progress, tests):
        self._progress = progress
        self._verdicts = {key: killer for key, killer in (progress.stored() or {}).items()
                          if killer is None or killer.split(".")[-1] in tests}
        self._writing = threading.Lock()

    @staticmethod
    def _key(mutant):
        return f"{mutant.path}:{mutant.start}:{mutant.new}"

    def verdict(self, mutant, judge):
        """Return the stored verdict, or call judge(mutant), which returns (verdict, is final)."""
        key = self._key(mutant)
        if key in self._verdicts:
            return self._verdicts[key]
        verdict, is_final = judge(mutant)
        if is_final:
            with self._writing:
                self._verdicts[key] = verdict
                self._progress.store(self._verdicts)
        return verdict


def known(anew):
    """Return the stored verdicts, unless --anew is given; verdicts of removed tests are dropped."""
    progress = Progress("mutants", hash_of("driver", "uapi"))
    if anew:
        progress.forget()
    return Known(progress, "".join(path.read_text() for path in (TOP / "tests/kunit").glob("*.c")))


def all_judged(texts, copies, options):
    """Return (mutant, verdict) of the first options.count mutants that compile, in drawn order."""
    free, running, found = queue.SimpleQueue(), {}, {}
    before = known(options.anew)
    for copy in copies:
        free.put(copy)

    def try_it(mutant):
        copy = free.get()
        try:
            return judged(mutant, texts, copy, options.lab)
        finally:
            free.put(copy)

    def collect():
        for done in concurrent.futures.wait(running, return_when="FIRST_COMPLETED").done:
            at, mutant = running.pop(done)
            verdict = done.result()
            if verdict is None:
                note(f"does not compile: {mutant}")
                continue
            found[at] = mutant, verdict
            print(f"{len(found)}/{options.count} {mutant}: {verdict or 'LIVES'}", flush=True)

    with concurrent.futures.ThreadPoolExecutor(len(copies)) as pool:
        for number, mutant in enumerate(mutate.drawn(texts, options.seed)):
            running[pool.submit(before.verdict, mutant, try_it)] = number, mutant
            # a mutant that does not compile is replaced by another
            while running and (len(running) == len(copies) or
                               len(found) + len(running) == options.count):
                collect()
            if len(found) == options.count:
                break
        while running:
            collect()
    return [found[at] for at in sorted(found)]


# ---- the table ----

def changed_line(mutant, text):
    """Return `path: old line -> new line`, which does not depend on line numbers."""
    def line_of(where):
        return re.sub(r"\s+", " ", where.splitlines()[mutant.line - 1]).strip()
    return f"{mutant.path}: {line_of(text)} -> {line_of(mutant.applied(text))}"


def reasons():
    lines = EXPLAINED.read_text().splitlines() if EXPLAINED.exists() else []
    return dict(line.rsplit(" | ", 1) for line in lines if " | " in line)


def table_of(results, texts, seed, lab):
    """Return lines of Markdown: numbers of mutants of each folder, and each surviving mutant."""
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
    parser.add_argument("--lab", action="store_true", help="run the lab's tests with the survivors, too")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), choices=range(1, 65),
                        metavar="J", help="number of mutants tested at a time")
    parser.add_argument("--anew", action="store_true", help="ignore stored verdicts")
    parser.add_argument("count", type=int, choices=range(1, 10000), metavar="N")
    parser.add_argument("seed", type=int)
    options = parser.parse_args()
    copies = [Copy(COPIES / str(number)).made() for number in range(options.jobs)]
    texts = sources()
    note("the suites without a mutant")
    modules = [copy.built() for copy in copies]
    if verdict := kunit_verdict(modules[0]):
        sys.exit(f"the suites fail without any mutant: {verdict}")
    results = all_judged(texts, copies, options)
    tables.put(TABLE, MARKS, table_of(results, texts, options.seed, options.lab))


if __name__ == "__main__":
    main()
