# SPDX-License-Identifier: GPL-2.0-only
"""`make check`: `make mutants` selects mutants as documented."""

import argparse
import subprocess
import tempfile
from pathlib import Path

from check.test_check import fail_on
from lab import kunit, tables
from lab.artifacts import TOP
from lab.framework import test
from lab.progress import Progress
from mutation import judges, mutate, rows, run

CODE = """\
#include "a<b.h"
#define LIMIT 7 /* 8 */
#define LOW2(x) ((x) & 3)
/* x < 1 and f(2); are words */
static int f(const struct s *s, int x)
{
\tconst char *said = "3 < 4";

\tif (!s || x < 0x1f)
\t\treturn 0;
\tdone(s, x,
\t     5);
\tlockdep_assert_held(&s->lock);
\treturn x >= 10ULL;	// 9 > 8
}
"""


def changes(text):
    return [(mutant.line, mutant.old, mutant.new) for mutant in mutate.of_text("a.c", text)]


@test(machine=False)
def mutants_cover_code_and_each_kind():
    assert changes(CODE) == [
        (2, "7", "8"), (3, "3", "4"),
        (9, "!", ""), (9, "||", "&&"), (9, "<", "<="), (9, "0x1f", "0x20"), (10, "0", "1"),
        (11, "done(s, x,\n\t     5);", ";"), (12, "5", "6"),
        (14, ">=", ">"), (14, "10", "11")], changes(CODE)


@test(machine=False)
def mutant_is_one_change():
    for mutant in mutate.of_text("a.c", CODE):
        changed = mutant.applied(CODE)
        assert changed != CODE and len(changed) - len(CODE) == len(mutant.new) - len(mutant.old)
    pointers = "\tstruct s **a = &b;\n\tx = y << 2;\n\tp->q = -1;\n"
    assert changes(pointers) == [(2, "2", "3"), (3, "1", "0")], changes(pointers)


@test(machine=False)
def seed_repeats_the_selection():
    texts = run.sources()
    assert {"driver/sample/readout.c", "driver/main.c", "driver/hw/ivbep.h"} < set(texts), texts
    first, again, other = (mutate.drawn(texts, seed)[:50] for seed in (1, 1, 2))
    assert first == again != other
    assert len({mutant.path for mutant in first}) > 10


@test(machine=False)
def table_lists_survivors_and_reasons():
    mutants = mutate.of_text("driver/box/a.c", CODE)
    table = "\n".join(run.table_of([(mutants[0], "ucore_box.x"), (mutants[4], "")],
                                   {"driver/box/a.c": CODE}, argparse.Namespace(seed=3)))
    assert "SEED=3`: 1 of 2 killed" in table, table
    assert "| `driver/box/` | 2 | 1 |" in table, table
    assert "if (!s \\|\\| x < 0x1f) -> if (!s \\|\\| x <= 0x1f)` | not explained |" in table, table


@test(machine=False)
def table_of_rows_lists_survivors_and_other_killers():
    mutant = mutate.of_text("driver/box/a.c", CODE)[0]
    row = [rows.Row("Section", f"cell {number}", ()) for number in range(3)]
    table = "\n".join(run.row_table_of([(row[0], mutant, "ucore_box.x"), (row[1], mutant, ""),
                                        (row[2], mutant, f"{run.OTHER}ucore_box.y")]))
    assert "3 mutants, 1 killed by a test that the row names, 1 by another test" in table, table
    assert "| Section: cell 1 | not explained |" in table, table
    assert "| Section: cell 2 | `ucore_box.y` |" in table, table


@test(machine=False)
def every_survivor_is_explained():
    page = run.TABLE.read_text()
    fail_on(*(line for marks in (run.MARKS, run.ROW_MARKS)
              for line in tables.parted(page, marks)[1].splitlines() if run.UNEXPLAINED in line))


@test(machine=False)
def every_row_of_registers_has_one_mutant():
    page = list(rows.of_page(rows.PAGE.read_text()))
    assert len(page) > 100, "the page was not read"
    fail_on(*rows.mistakes(page, rows.changes(), lambda path: (TOP / path).read_text()))


@test(machine=False)
def row_without_its_mutant_is_detected():
    page = list(rows.of_page("## A\n\n| r | shown by |\n|---|---|\n| x | `t.a` |\n| y | `t.b` |\n"))
    assert [row.tests for row in page] == [("t.a",), ("t.b",)], page
    lines = ["section A", "row x", "file f.c", "-one", "-two", "+2", "", "row y", "file f.c", "-ab",
             "+b"]

    def mistakes(*changed, content="one\ntwo\nab\n"):
        text = "\n".join(line for line in (*lines, *changed) if line)
        return list(rows.mistakes(page, list(rows.of_file(text)), lambda _: content))
    assert not mistakes()
    assert mistakes("row x", "file f.c", "-ab", "+c") == ["A: x: 2 mutants"]
    assert mistakes(content="one\ntwo\nab\nab\n") and mistakes(content="one\n two\nab\n")
    assert mistakes("row z", "file f.c", "-ab", "+c")
    lines[7:] = []
    assert mistakes() == ["A: y: 0 mutants"], mistakes()


@test(machine=False)
def every_driver_file_has_lab_tests_that_exist():
    listed = subprocess.run([TOP / "tests/lab/run", "-l", "-k", judges.LAB_KERNEL], check=True,
                            capture_output=True, text=True).stdout
    fail_on(*(f"{folder}: no test matches {pattern}"
              for folder, patterns in judges.LAB_TESTS.items() for pattern in patterns
              if pattern not in listed))
    assert all(judges.lab_patterns(path) for path in run.sources())
    assert judges.lab_patterns("driver/abi/ioctl.c") == judges.LAB_TESTS["driver/abi/"]


@test(machine=False)
def killed_mutants_are_kept_and_survivors_retried():
    first, second, third, fourth = mutate.of_text("driver/box/a.c", CODE)[:4]
    verdicts = {first: ("ucore_box.x", True), second: ("", True), third: (None, True),
                fourth: ("the machine: TimeoutError", False)}
    tried = []

    def judge(mutant):
        tried.append(mutant)
        return verdicts[mutant]

    def all_of(folder, key="a", tests="KUNIT_CASE(x)", state="1"):
        tried.clear()
        known = run.Known(Progress("mutants", key, Path(folder)), tests, state)
        assert [known.verdict(mutant, judge) for mutant in verdicts] == \
            [verdict for verdict, _ in verdicts.values()]
        return list(tried)

    with tempfile.TemporaryDirectory() as folder:
        assert all_of(folder) == [first, second, third, fourth]
        assert all_of(folder) == [fourth]
        assert all_of(folder, tests="KUNIT_CASE(y)") == [first, fourth]
        assert all_of(folder, state="2") == [second, fourth]
        assert all_of(folder, key="b") == [first, second, third, fourth]


@test(machine=False)
def mutant_fails_to_compile_only_by_an_error_in_code():
    for log in ("x/driver/box/a.c:8:5: error: expected expression",
                "x/driver/hw/a.h:8:5: error: static assertion failed",
                'ERROR: modpost: "f" [x.ko] undefined!'):
        assert judges.does_not_compile(log), log
    for log in ("make: *** Interrupt", "x/driver/box/ba.h:8:5: warning: a.c", "ld: no space left",
                "x/a.c:8:5: fatal error: error writing to x.s: No space left on device"):
        assert not judges.does_not_compile(log), log


LOG = """\
[    1.0]     # Subtest: ucore_reg
[    1.1]         # Subtest: reads_take_one_access
[    1.1]         ok 1 MSR
[    1.1]     # reads_take_one_access: EXPECTATION FAILED at a.c:3
[    1.1]         not ok 2 ECAM
[    1.2]     ok 2 writes_take_one_access
"""


@test(machine=False)
def failed_parameter_has_the_name_of_its_case():
    assert kunit.failed_case(LOG) == "reads_take_one_access"
    (name, messages), = kunit.failures(LOG)
    assert name == "ECAM" and "FAILED at a.c:3" in messages[0] and not messages[1:], messages
    assert kunit.failed_case(LOG.replace("not ok", "ok")) == ""
    assert kunit.failed_case(LOG.replace("not ok", "ok").replace("    ok 2 w", "    not ok 2 w")) \
        == "writes_take_one_access"


@test(machine=False)
def warning_about_a_mutant_is_no_detection():
    """The lab compiles the driver with -Werror, but not a mutant."""
    program = ("from lab import artifacts; kernel = artifacts.kernels.Kernel("
               "'6.1', '', None, None, '/build', None); print(artifacts.lab_command(kernel, '/out'))")

    def flags(*environment):
        return subprocess.run([*environment, "python3", "-B", "-c", program], cwd=TOP / "tests",
                              check=True, text=True, capture_output=True).stdout
    assert "-Werror" in flags() and "-Werror" not in flags(*judges.LENIENT)
