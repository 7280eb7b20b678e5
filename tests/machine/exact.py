# SPDX-License-Identifier: GPL-2.0-only
"""A session that counts during other activity and is compared to the last count.

    with counting(m) as s:
        ...                 # any activity, except on imc2 and imc3
        stop_exactly(m, s)

The totals of stopped counters are compared, so that no freeze must be found in the model's log,
however long it is.  Without other activity, `count_and_stop_exactly()` compares at each freeze.
"""

import contextlib

from lab.session import MS, Session, assert_equal, frozen_totals
from lab.truth import totals_of

CAS_READS, CLOCK = {"event": 0x04, "umask": 0x03}, {"event": 0}
PERIOD = 20_000_000     # period of the imc's reads: some overflows a second
TIMER = 500 * MS
RING = 1 << 20


@contextlib.contextmanager
def counting(m):
    """Counters of two boxes on each die, sampled by overflows of die 0 and by a timer."""
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
    """Starts, reads and stops a session: all is the model's at each freeze, and all went on."""
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
