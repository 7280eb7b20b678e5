# SPDX-License-Identifier: GPL-2.0-only
"""`make mutants`: judges mutants of the driver with the tests, and keeps the tables of verdicts.

    python3 -m mutation.run [--kernels K,...] [--jobs J] [--anew] [--only-drawn] [--no-lab] N SEED

The mutants are those of the rows of design/registers.md (rows.py), and N mutants of all files of
driver/, which SEED selects.  There are J copies of the tree, for J mutants at a time.  A mutant
that does not compile is replaced by another.  The judges are the KUnit suites on each of the
kernels, the checks of facts, then the lab's tests that fit its folder (judges.py).  The mutant of
a row is first judged by the tests that the row names.  A mutant is killed if a test fails with it,
or if the kernel reports an error, leaks memory or hangs twice.  The suites must pass without
mutants, otherwise no verdict is given.

A drawn mutant with an explanation is not judged: it counts as a survivor.

While the driver is unchanged, killed mutants stay killed.  An interrupted run continues, and a run
after new tests tries the survivors again.  Use --anew after weakening a test.
"""

import argparse
import concurrent.futures
import os
import queue
import re
import sys
import threading

from lab import tables
from lab.artifacts import BUILD, BuildError, TOP
from lab.progress import Progress, hash_of
from mutation import judges, mutate, rows

COPIES = BUILD / "mutants"
TABLE = TOP / "Documentation/testing.md"
# reasons why mutants may survive, one per line: "path: old line -> new line | reason", or
# "section: first cell | reason" for the mutant of a row
EXPLAINED = TOP / "tests/mutation/explained.txt"
MARKS, ROW_MARKS = "make mutants", "make mutants rows"
KERNELS = ("6.1", "debug")
TESTS = ("tests/kunit", "tests/machine", "tests/uapi", "tests/tools")
OTHER = "another test: "
UNEXPLAINED = "not explained"


def note(text):
    print(f"# {text}", file=sys.stderr, flush=True)


def sources():
    """Return path -> text of all C files and headers of the driver."""
    return {str(path.relative_to(TOP)): path.read_text()
            for path in sorted((TOP / "driver").rglob("*.[ch]"))}


# ---- judging ----

def by_suites(mutant, copy, kernels, lab=True):
    """Return what detects the mutant of the suites on the kernels, the checks and the lab.

    Files that the suites do not link are judged by the lab on the debug kernel, too.
    """
    choices = [judges.LAB_KERNELS]
    if mutant.path in judges.unlinked() or not mutant.path.startswith("driver/"):
        if mutant.path.startswith("driver/"):
            copy.module()
            choices += [[("-k", kernel)] for kernel in kernels if kernel == "debug"]
    else:
        for kernel in kernels:
            if verdict := judges.suites_verdict(copy.suites(kernel), kernel):
                return verdict
    if verdict := judges.checks_verdict(copy, mutant.path):
        return verdict
    patterns = judges.lab_patterns(mutant.path) if lab else ()
    verdicts = (judges.lab_verdict(copy, patterns, options) for options in choices if patterns)
    return next(filter(None, verdicts), "")


def by_row(row, mutant, copy, kernels):
    """Return which of the tests of the row detects the mutant, or OTHER and another test."""
    suites = [name for name in row.tests if name.startswith("ucore_")]
    verdict = ""
    if suites and mutant.path.startswith("driver/") and mutant.path not in judges.unlinked():
        verdict = judges.suites_verdict(copy.suites(kernels[0]), kernels[0], suites)
    verdict = verdict or judges.named_lab_verdict(copy, row.tests)
    if verdict:
        return verdict
    verdict = by_suites(mutant, copy, kernels)
    return f"{OTHER}{verdict}" if verdict else ""


def judged(mutant, text, copy, judge):
    """Return the verdict of judge(copy) ("": none, None: does not compile), and whether it is
    final.

    A guest that hangs can be caused by the host. This verdict is not final.
    """
    path = copy.tree / mutant.path
    path.write_text(mutant.applied(text))
    try:
        verdict = judge(copy)
        return verdict, judges.MACHINE not in verdict
    except BuildError as error:
        if not judges.does_not_compile(str(error)):
            raise
        return None, True
    finally:
        path.write_text(text)


class Known:
    """Verdicts on mutants of this driver: the test that kills each; None: does not compile.

    A survivor ("") is only known as long as the tests, whose hash is @state, are the same.
    """

    def __init__(self, progress, tests, state):
        self._progress = progress
        self._state = state
        self._verdicts = {key: verdict for key, verdict in (progress.stored() or {}).items()
                          if self._holds(*verdict, tests)}
        self._writing = threading.Lock()

    def _holds(self, killer, state, tests):
        if killer == "":
            return state == self._state
        return killer is None or judges.KERNEL_LOG in killer or \
            re.split(r"[. ]", killer)[-1] in tests

    @staticmethod
    def _key(mutant):
        return f"{mutant.path}:{mutant.start}:{mutant.new}"

    def verdict(self, mutant, judge):
        """Return the stored verdict, or call judge(mutant), which returns (verdict, is final)."""
        key = self._key(mutant)
        if key in self._verdicts:
            return self._verdicts[key][0]
        verdict, is_final = judge(mutant)
        if is_final:
            with self._writing:
                self._verdicts[key] = verdict, self._state
                self._progress.store(self._verdicts)
        return verdict


def known(name, options):
    """Return the stored verdicts, unless --anew is given; verdicts of removed tests are dropped."""
    progress = Progress(name, hash_of("driver", "uapi", "tools/events"))
    if options.anew:
        progress.forget()
    text = "".join(path.read_text() for folder in TESTS for path in (TOP / folder).rglob("*.[cp]*")
                   if path.suffix in (".c", ".py"))
    return Known(progress, text, hash_of(*TESTS) + ",".join(options.kernels) + str(options.no_lab))


def in_copies(copies, mutants, count, judge, name=str):
    """Return (mutant, verdict) of the first @count mutants that compile, in order.

    judge(mutant, copy) judges a mutant in one of the copies. name(mutant) is printed.
    """
    free, running, found = queue.SimpleQueue(), {}, {}
    for copy in copies:
        free.put(copy)

    def try_it(mutant):
        copy = free.get()
        try:
            return judge(mutant, copy)
        finally:
            free.put(copy)

    def collect():
        for done in concurrent.futures.wait(running, return_when="FIRST_COMPLETED").done:
            at, mutant = running.pop(done)
            verdict = done.result()
            if verdict is None:
                note(f"does not compile: {name(mutant)}")
                continue
            found[at] = mutant, verdict
            print(f"{len(found)}/{count} {name(mutant)}: {verdict or 'LIVES'}", flush=True)

    with concurrent.futures.ThreadPoolExecutor(len(copies)) as pool:
        for number, mutant in enumerate(mutants):
            if len(found) == count:
                break
            running[pool.submit(try_it, mutant)] = number, mutant
            # a mutant that does not compile is replaced by another
            while running and (len(running) == len(copies) or
                               len(found) + len(running) == count):
                collect()
        while running:
            collect()
    return [found[at] for at in sorted(found)]


def drawn_judged(texts, copies, options):
    """Return (mutant, verdict) of the first options.count mutants that compile, in drawn order."""
    before, explained = known("mutants", options), reasons()

    def judge(mutant, copy):
        if changed_line(mutant, texts[mutant.path]) in explained:
            return ""
        return before.verdict(mutant, lambda m: judged(
            m, texts[m.path], copy, lambda c: by_suites(m, c, options.kernels, not options.no_lab)))
    return in_copies(copies, mutate.drawn(texts, options.seed), options.count, judge)


def rows_judged(copies, options):
    """Return (row, mutant, verdict) of each row of the page."""
    before, pairs = known("mutants-rows", options), rows.mutants()
    row_of = {id(mutant): row for row, mutant in pairs}

    def judge(mutant, copy):
        row = row_of[id(mutant)]
        return before.verdict(mutant, lambda m: judged(
            m, (TOP / m.path).read_text(), copy, lambda c: by_row(row, m, c, options.kernels)))
    results = in_copies(copies, [mutant for _, mutant in pairs], len(pairs), judge,
                        lambda mutant: str(row_of[id(mutant)]))
    if len(results) < len(pairs):
        sys.exit("the mutant of a row does not compile")
    return [(row_of[id(mutant)], mutant, verdict) for mutant, verdict in results]


# ---- the tables ----

def changed_line(mutant, text):
    """Return `path: old line -> new line`, which does not depend on line numbers."""
    def line_of(where):
        return re.sub(r"\s+", " ", where.splitlines()[mutant.line - 1]).strip()
    return f"{mutant.path}: {line_of(text)} -> {line_of(mutant.applied(text))}"


def reasons():
    lines = EXPLAINED.read_text().splitlines() if EXPLAINED.exists() else []
    return dict(line.rsplit(" | ", 1) for line in lines if " | " in line)


def lives(names, known_reasons):
    """Yield the table of survivors, if there are any: name, reason."""
    if names:
        yield ""
        yield from tables.of(("lives", "why"),
                             ((f"`{tables.cell(name)}`" if "->" in name else tables.cell(name),
                               tables.cell(known_reasons.get(name, UNEXPLAINED)))
                              for name in sorted(names)))


def table_of(results, texts, options):
    """Return lines of Markdown: numbers of mutants of each folder, and each surviving mutant."""
    folders = {}
    for mutant, verdict in results:
        folders.setdefault(mutant.path.rsplit("/", 1)[0], []).append(verdict)
    alive = [mutant for mutant, verdict in results if not verdict]
    yield f"`make mutants N={len(results)} SEED={options.seed}`: {len(results) - len(alive)} of " \
          f"{len(results)} killed."
    yield ""
    yield from tables.of(("folder", "mutants", "killed"),
                         ((f"`{folder}/`", len(verdicts), sum(map(bool, verdicts)))
                          for folder, verdicts in sorted(folders.items())))
    yield from lives([changed_line(m, texts[m.path]) for m in alive], reasons())


def row_table_of(results):
    """Return lines of Markdown: rows whose mutant no test of the row kills, and survivors."""
    alive = [str(row) for row, _, verdict in results if not verdict]
    other = [(tables.cell(str(row)), f"`{tables.cell(verdict[len(OTHER):])}`")
             for row, _, verdict in results if verdict.startswith(OTHER)]
    yield f"Rows of [design/registers.md](design/registers.md): {len(results)} mutants, " \
          f"{len(results) - len(alive) - len(other)} killed by a test that the row names, " \
          f"{len(other)} by another test."
    if other:
        yield ""
        yield from tables.of(("row", "killed by"), other)
    yield from lives(alive, reasons())


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kernels", type=lambda text: tuple(text.split(",")), default=KERNELS,
                        metavar="K,...", help="kernels that run the suites, the fastest first")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), choices=range(1, 65),
                        metavar="J", help="number of mutants tested at a time")
    parser.add_argument("--anew", action="store_true", help="ignore stored verdicts")
    parser.add_argument("--only-drawn", action="store_true", help="leave out the mutants of the rows")
    parser.add_argument("--no-lab", action="store_true",
                        help="a quick look: leave out the lab's tests of drawn mutants, and the tables")
    parser.add_argument("count", type=int, choices=range(10000), metavar="N",
                        help="number of drawn mutants; 0: only those of the rows")
    parser.add_argument("seed", type=int)
    options = parser.parse_args()
    copies = [judges.Copy(COPIES / str(number)).made() for number in range(options.jobs)]
    texts = sources()
    note("the suites without a mutant")
    for kernel in options.kernels:
        modules = [copy.suites(kernel) for copy in copies]
        if verdict := judges.suites_verdict(modules[0], kernel):
            sys.exit(f"the suites fail on {kernel} without any mutant: {verdict}")
    if not options.only_drawn and not options.no_lab:
        tables.put(TABLE, ROW_MARKS, row_table_of(rows_judged(copies, options)))
    if options.no_lab:
        drawn_judged(texts, copies, options)
    elif options.count:
        tables.put(TABLE, MARKS, table_of(drawn_judged(texts, copies, options), texts, options))


if __name__ == "__main__":
    main()
