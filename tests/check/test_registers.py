# SPDX-License-Identifier: GPL-2.0-only
"""`make check`: every test named in Documentation/design/registers.md exists.

The names are searched in the sources, so that no test is run.
"""

import re
import subprocess

from check.test_check import fail_on, tracked
from lab.artifacts import TOP
from lab.framework import test

TABLES = "Documentation/design/registers.md"
LAST = "shown by"       # the head of the column with names


def text_of(name):
    return (TOP / name).read_text()


def arrays(text, kind):
    """Name -> body of each array, or struct, of a kind."""
    return dict(re.findall(rf"^static (?:const )?struct {kind} (\w+)(?:\[\])? = \{{(.*?)^\}};",
                           text, re.M | re.S))


def kunit_cases():
    for name in tracked("tests/kunit", pattern=r"\.c$"):
        cases = arrays(text_of(name), "kunit_case")
        for suite in arrays(text_of(name), "kunit_suite").values():
            title = re.search(r'\.name = "(\w+)"', suite)[1]
            array = re.search(r"\.test_cases = (\w+)", suite)[1]
            for case in re.findall(r"KUNIT_CASE(?:_PARAM)?\((\w+)", cases[array]):
                yield f"{title}.{case}"


def lab_tests():
    for folder in ("machine", "check"):
        listed = subprocess.run([TOP / "tests/lab/run", "-l", "--tests", TOP / "tests" / folder],
                                check=True, capture_output=True, text=True).stdout
        yield from (line.split()[0] for line in listed.splitlines())


def subtests():
    """Return the subtests of programs that print TAP, with the name of the program."""
    for name in tracked("tests/uapi", pattern=r"/uapi_\w+\.c$"):
        program = name.rpartition("/")[2][:-2]
        for array in arrays(text_of(name), "test").values():
            yield from (f"{program}: {one}" for one in re.findall(r'^\t\{ "(\w+)"', array, re.M))
    for name in tracked("tests/tools", pattern=r"/test_\w+\.c$"):
        program = name.rpartition("/test_")[2][:-2]
        for array in arrays(text_of(name), "CMUnitTest").values():
            yield from (f"{program}: {one}" for one in
                        re.findall(r"^\tTEST\w*\((\w+)", array, re.M))
    yield from (f"cli: {one}" for one in
                re.findall(r'^@test "(.+)" \{$', text_of("tests/tools/cli.bats"), re.M))


def existing():
    return {*kunit_cases(), *lab_tests(), *subtests()}


def rows(text):
    """Return (first cell, names in the last cell) of each row below a head whose last cell is
    LAST."""
    wanted = False
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if not line.startswith("|"):
            wanted = False
        elif cells[-1] == LAST:
            wanted = True
        elif wanted and set(line) - set("|- "):
            yield cells[0], re.findall(r"`([^`]+)`", cells[-1])


def mistakes(text, known):
    for what, names in rows(text):
        if not names:
            yield f"{what}: no test shows it"
        yield from (f"{what}: there is no test {name}" for name in names if name not in known)


@test(machine=False)
def tests_named_in_register_table_exist():
    known, text = existing(), text_of(TABLES)
    assert len(list(rows(text))) > 100, "the table was not read"
    fail_on(*mistakes(text, known))


@test(machine=False)
def missing_test_is_detected():
    known = existing()
    for kind in ("ucore_box.dead_box_is_not_written", "test_check.kernel_doc", "event: missing_filters_get_defaults_or_errors",
                 "test_counting.every_counter_counts_exactly", "uapi_events: event_moves_to_make_room",
                 "cli: list fields prints the fields of a box type", "ucore_core_version_1.version_1_uses_enable_bits_of_controls",
                 "ucore_event.repeated_field_is_refused"):
        assert kind in known, kind
    head = f"| register | what ucore does | {LAST} |\n|---|---|---|\n"
    assert not list(mistakes(f"{head}| a | b | `ucore_box.dead_box_is_not_written` |", known))
    for cell in ("`ucore_box.dead_box_is_not_written`, `ucore_box.gone`", "`gone: filters`", "", "later"):
        assert len(list(mistakes(f"{head}| a | b | {cell} |", known))) == 1, cell
