# SPDX-License-Identifier: GPL-2.0-only
"""`make check`: `make mutants` selects mutants as documented."""

import tempfile
from pathlib import Path

from lab.framework import test
from lab.progress import Progress
from mutation import mutate, run

CODE = """\
#include "a<b.h"
#define LIMIT 7
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
        (8, "!", ""), (8, "||", "&&"), (8, "<", "<="), (8, "0x1f", "0x20"), (9, "0", "1"),
        (10, "done(s, x,\n\t     5);", ";"), (11, "5", "6"),
        (13, ">=", ">"), (13, "10", "11")], changes(CODE)


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
    assert "driver/sample/readout.c" in texts and "driver/main.c" not in texts, texts.keys()
    first, again, other = (mutate.drawn(texts, seed)[:50] for seed in (1, 1, 2))
    assert first == again != other
    assert len({mutant.path for mutant in first}) > 10


@test(machine=False)
def table_lists_survivors_and_reasons():
    mutants = mutate.of_text("driver/box/a.c", CODE)
    table = "\n".join(run.table_of([(mutants[0], "ucore_box.x"), (mutants[2], "")],
                                   {"driver/box/a.c": CODE}, 3, False))
    assert "SEED=3`: 1 of 2 killed, by KUnit alone" in table, table
    assert "| `driver/box/` | 2 | 1 |" in table, table
    assert "if (!s \\|\\| x < 0x1f) -> if (!s \\|\\| x <= 0x1f)` | not explained |" in table, table


@test(machine=False)
def killed_mutants_are_kept_and_survivors_retried():
    first, second, third, fourth = mutate.of_text("driver/box/a.c", CODE)[:4]
    verdicts = {first: ("ucore_box.x", True), second: ("", False), third: (None, True),
                fourth: ("the machine: TimeoutError", False)}
    tried = []

    def judge(mutant):
        tried.append(mutant)
        return verdicts[mutant]

    def all_of(folder, key="a", tests="KUNIT_CASE(x)"):
        tried.clear()
        known = run.Known(Progress("mutants", key, Path(folder)), tests)
        assert [known.verdict(mutant, judge) for mutant in verdicts] == \
            [verdict for verdict, _ in verdicts.values()]
        return list(tried)

    with tempfile.TemporaryDirectory() as folder:
        assert all_of(folder) == [first, second, third, fourth]
        assert all_of(folder) == [second, fourth]
        assert all_of(folder, tests="KUNIT_CASE(y)") == [first, second, fourth]
        assert all_of(folder, key="b") == [first, second, third, fourth]


@test(machine=False)
def mutant_fails_to_compile_only_by_its_own_file():
    mutant = mutate.of_text("driver/box/a.c", CODE)[0]
    assert run.does_not_compile(mutant, "x/driver/box/a.c:8:5: error: expected expression")
    for log in ("make: *** Interrupt", "x/driver/box/ba.h:8:5: warning: a.c", "ld: no space left"):
        assert not run.does_not_compile(mutant, log), log
