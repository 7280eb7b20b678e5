# SPDX-License-Identifier: GPL-2.0-only
"""A session that counts during other activity, with an exact comparison of its final counts.

    with counting(m) as s:
        ...                 # any activity, except on imc2 and imc3
        stop_exactly(m, s)

The comparison uses the totals of stopped counters, because the model's log of a long test is too
long to search for freezes.  Without other activity, `count_and_stop_exactly()` compares at each
freeze.
"""

import contextlib

from lab.session import MS, Session, assert_equal, frozen_totals
from lab.truth import totals_of

CAS_READS, CLOCK = {"event": 0x04, "umask": 0x03}, {"event": 0}
PERIOD = 20_000_000     # period of memory reads (counts), with a few overflows per second
TIMER = 500 * MS
RING = 1 << 20


@contextlib.contextmanager
def counting(m):
    """Context manager: a running session with counters of imc2 and imc3 of each die.

    Overflows on die 0 and a timer sample it.
    """
    with Session(m, timer_ns=TIMER, ring=RING) as s:
        for die in sorted({die for die, _ in s.ids}):
            s.add("imc2", die, 0, 0 if die else PERIOD, **CAS_READS)
            s.add("imc2", die, 1, **CLOCK)
            s.add("imc3", die, 2, **CAS_READS)
        s.start()
        yield s


def stop_exactly(m, s):
    """Stop the session, compare every count with the model, and return the totals."""
    s.stop()
    values = s.read()["values"]
    assert_equal(s.differences(values, dict(enumerate(totals_of(m)))))
    assert len(values) == len(s.events) and all(value["count"] for value in values), values
    return sum(value["count"] for value in values)


def count_and_stop_exactly(m, s):
    """Start, read and stop a session; compare the counts with the model at each freeze."""
    s.start()
    for _ in range(2):
        last = s.read_exactly()["values"]
    mark = m.truth_length()
    s.stop()
    stopped = s.read()["values"]
    assert_equal(s.differences(stopped, frozen_totals(m, mark, first=True)))
    slow = [(str(s.events[old["event"]]), old, new) for old, new in zip(last, stopped)
            if not 0 < old["count"] < new["count"]]
    assert not slow, slow
