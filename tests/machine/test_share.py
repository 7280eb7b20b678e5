# SPDX-License-Identifier: GPL-2.0-only
"""Boxes that two sessions share: neither session affects counts, samples or end of the other."""

import errno

from lab.accesses import accesses_of
from lab.framework import KERNELS, test
from lab.session import (FIXED, Session, assert_equal, flagged, freezes_since, refused,
                         sample_until, totals_at)
from machine import eventset
from machine.armed import WATCHDOG
from machine.timers import budget_of

CLOCK = {"event": 0x00}
SHARED = 32         # UCORE_BOX_F_SHARED
RING = 1 << 22
# prefixes of the names of filter and match fields
FILTERS = {"filter", "tid", "band", "addr", "opc", "match", "mask"}


def halves(session):
    """Add an event on each counter, and share the counters of each box between two sessions.

    The first session has all events with filters. The UBox of v1 is left out: it is not frozen,
    so that its count becomes less exact with each freeze of the other session.
    """
    wanted = [event for event in eventset.full_set(session)
              if session.platform != "snbep" or event[0] != "ubox0"]
    first = [event for event in wanted if event[2] in (0, 2) or FILTERS & {
        name.rstrip("0123456789").split("_")[0] for name in event[4]}]
    return first, [event for event in wanted if event not in first]


def is_shared(session, box, die=0):
    """Return true if several sessions currently have counters of the box."""
    return any(listed["caps"] & SHARED for listed in session.command("boxes")["boxes"]
               if (listed["die"], listed["name"]) == (die, box))


@test(("e2-2s", "snbep-2s", "skx-2s"), kernels=KERNELS)
def two_sessions_share_all_boxes(m):
    with Session(m) as a, Session(m) as b:
        for s, wanted in zip((a, b), halves(a)):
            s.add_all(wanted)
        assert is_shared(a, "imc0")
        a.start()
        a.read_exactly()
        b.start()
        for s in (a, b, a):
            s.read_exactly()
        b.reset_exactly()
        for s in (a, b):
            s.read_exactly()
        b.stop_exactly()
        a.read_exactly()
        b.start()
        for s in (b, a):
            s.read_exactly()
        a.stop_exactly()
        b.read_exactly()
        a.start()
        for s in (b, a):
            s.read_exactly()


@test("spr-2s")
def two_sessions_share_discovered_boxes(m):
    with Session(m) as a, Session(m) as b:
        for box in ("imc0", "cha1", "upi0"):
            for die in (0, 1):
                a.add(box, die, counter=0, event=1)
                b.add(box, die, counter=1, event=1)
        b.add("imc0", counter=FIXED)
        a.start()
        b.start()
        for s in (a, b):
            s.read_exactly()
        a.reset_exactly()
        for s in (b, a):
            s.read_exactly()
        a.stop_exactly()
        b.read_exactly()
        a.start()
        for s in (b, a):
            s.read_exactly()


@test(("e2-2s", "snbep-2s", "skx-2s"), kernels=KERNELS)
def equal_events_of_three_sessions_use_the_same_counters(m):
    with Session(m) as a, Session(m) as b, Session(m) as c:
        for s in (a, b, c):
            s.add_all([event for event in halves(s)[1] if event[0] != "ubox0"])
        assert_shared_between_starts(a, b, c)


@test("snbep-2s")
def equal_events_share_a_counter_that_no_freeze_stops(m):
    """The model reports each write to the control of a counter of the UBox that counts."""
    with Session(m) as a, Session(m) as b, Session(m) as c:
        for s in (a, b, c):
            s.add("ubox0", counter=0, event=0x42)
        for s in (a, b):
            s.start()
        a.stop()
        for s in (c, a):
            s.start()
        counts = [s.read()["values"][0]["count"] for s in (a, c, b)]
        # b began before c, and is read after it
        assert 0 < counts[0] and 0 < counts[1] < counts[2], counts


@test("spr-2s")
def equal_events_use_the_same_discovered_counters(m):
    with Session(m) as a, Session(m) as b, Session(m) as c:
        for s in (a, b, c):
            for box in ("imc0", "cha1", "upi0"):
                for die in (0, 1):
                    s.add(box, die, event=1)
            s.add("imc0", counter=FIXED)
        assert_shared_between_starts(a, b, c)


def assert_shared_between_starts(a, b, c):
    """Start, reset and stop three sessions with equal events. Each count must be exact."""
    assert all(at.ctr == b.events[event].ctr for event, at in a.events.items())
    a.start()
    a.read_exactly()
    b.start_beside()
    for s in (b, a):
        s.read_exactly()
    c.start_beside()
    for s in (a, b, c):
        s.read_exactly()
    b.reset_exactly()
    for s in (c, b, a):
        s.read_exactly()
    a.stop_beside()
    for s in (b, c):
        s.read_exactly()
    c.stop_beside()
    b.read_exactly()
    b.stop_exactly()


@test("e2-2s")
def read_of_a_shared_counter_takes_the_minimum_of_accesses(m):
    with Session(m, full_reads=True) as a, Session(m, full_reads=True) as b:
        for s in (a, b):
            s.add("imc0", **CLOCK)
            s.add("imc0", counter=FIXED)
            s.start()
        # freeze, unfreeze, and two dwords of each counter
        for s in (a, b):
            assert accesses_of(m, s, "read")["reported"] == 2 + 4


@test("e2-2s")
def read_of_a_shared_die_takes_the_minimum_of_accesses(m):
    with Session(m, full_reads=True) as a, Session(m, full_reads=True) as b:
        for counter in (0, 2):
            a.add("imc0", counter=counter, **CLOCK)
        for counter in (1, FIXED):
            b.add("imc0", counter=counter, **({} if counter == FIXED else CLOCK))
        a.start()
        b.start()
        # freeze, unfreeze, and two dwords of each counter of the session
        for s in (a, b):
            assert accesses_of(m, s, "read")["reported"] == 2 + 4


@test("e2-2s")
def counters_and_filters_of_other_sessions_are_refused(m):
    opcode = {"event": 0x35, "umask": 0x01}
    with Session(m) as a, Session(m) as b:
        a.add("cbo0", counter=1, **opcode, filter_opc=0x182)
        with refused(errno.EBUSY):
            b.add("cbo0", counter=1, **CLOCK)
        with refused(errno.EADDRINUSE):
            b.add("cbo0", **opcode, filter_opc=0x180)
        said = m.run("ucoretool stat --strict -e cbo0/TOR_INSERTS.OPCODE,filter_opc=0x180/ -- true",
                     check=False)
        assert said.status and "(session) uses other values" in said.err, said.err
        b.add("cbo0", **opcode, filter_opc=0x182)
        b.add("cbo0", counter=3, **CLOCK)
        b.add("cbo1", **opcode, filter_opc=0x180)
        b.start()
        a.start_beside()
        for s in (a, b):
            s.read_exactly()
        a.stop_beside()
        b.read_exactly()


# ---- overflow ----

def assert_own(session, periods, samples, freezes):
    """Check that samples are those of the session's own overflows, at the ends of its periods,
    and exact."""
    names = {event: f"{at.box}.{at.ctr}" for event, at in session.events.items()}
    armed = {names[event] for event in periods}
    own = [freeze for freeze in freezes if freeze["socket"] == 0 and
           freeze["reason"] == "overflow" and armed & set(freeze["cause"])]
    assert len(samples) == len(own) and samples, (len(samples), len(own))
    base = dict.fromkeys(periods, 0)
    for sample, freeze in zip(samples, own):
        assert_equal(session.differences(sample["values"], {0: totals_at(freeze)}))
        who = flagged(sample)
        assert {names[event] for event in who} == armed & set(freeze["cause"]), (sample, freeze)
        for value in sample["values"]:
            event = value["event"]
            if event in who:
                counted, base[event] = value["count"] - base[event], value["count"]
                assert 0 <= counted - periods[event] <= 3, (names[event], counted, periods)


@test("e2-2s")
def sessions_sharing_a_box_keep_their_own_periods(m):
    """Each session samples its own periods on one box, the second one also after STOP of the first."""
    m.write(WATCHDOG, 0)
    with budget_of(m, 100), Session(m, ring=RING) as a, Session(m, ring=RING) as b:
        wanted = {a: [(0, 31), (2, 0)], b: [(1, 37), (FIXED, 23), (3, 0)]}
        periods = {}
        for s, counters in wanted.items():
            periods[s] = {}
            for counter, hz in counters:
                fields = {} if counter == FIXED else CLOCK
                period = eventset.period_for("imc0", 0, counter, fields, hz) if hz else 0
                event = s.add("imc0", 0, counter, period, **fields)
                if hz:
                    periods[s][event] = period
        mark = m.truth_length()
        a.start()
        b.start()
        of_a = sample_until(m, a, lambda found: len(found) > 10 and
                            b.status()["samples"] > 10)
        before = b.status()["samples"]
        of_b = sample_until(m, b, lambda found: len(found) > before + 10)
        freezes = freezes_since(m, mark)
        assert_own(a, periods[a], of_a, freezes)
        assert_own(b, periods[b], of_b, freezes)


def assert_periods(session, period, samples, freezes):
    """Check that each sample ends one of the session's periods and has the counts of a freeze."""
    event, last = next(iter(session.events)), 0
    for sample in samples:
        freeze = session.freeze_of(sample, freezes)
        assert freeze["reason"] == "overflow" and flagged(sample) == {event}, (sample, freeze)
        count = sample["values"][0]["count"]
        assert 0 <= count - last - period <= 3, (count, last, period)
        last = count


@test(("e2-2s", "skx-2s"))
def sessions_sharing_a_counter_keep_their_own_periods(m):
    """Three sessions use one counter: two with periods and one that only counts."""
    m.write(WATCHDOG, 0)
    with budget_of(m, 100), Session(m, ring=RING) as a, Session(m, ring=RING) as b, \
            Session(m) as c:
        periods = {s: eventset.period_for("imc0", 0, 0, CLOCK, hz) for s, hz in ((a, 31), (b, 19))}
        mark = m.truth_length()
        for s, period in periods.items():
            s.add("imc0", 0, 0, period, **CLOCK)
        c.add("imc0", 0, 0, **CLOCK)
        a.start()
        begin_beside(m, b)
        begin_beside(m, c)
        samples = {a: sample_until(m, a, lambda found: len(found) > 20 and
                                   b.status()["samples"] > 10)}
        of_c = c.read()
        before = b.status()["samples"]
        samples[b] = sample_until(m, b, lambda found: len(found) > before + 10)
        freezes = freezes_since(m, mark)
        for s, period in periods.items():
            assert_periods(s, period, samples[s], freezes)
        c.freeze_of(of_c, freezes)


def begin_beside(m, session):
    """START a session of one die, on which other sessions count by the same counters.

    START and READ freeze the die, unless an overflow has frozen it already. Of several overflows,
    the counts of a READ show in which the session began to count.
    """
    mark = m.truth_length()
    session.command("start")
    answer = session.read()
    while not answer["values"][0]["count"]:     # READ in the freeze of START
        answer = session.read()
    keys = {(at.box, at.ctr) for at in session.events.values()}
    freezes = [f for f in freezes_since(m, mark)
               if f["socket"] == 0 and keys <= totals_at(f).keys()]
    for i, freeze in enumerate(freezes):
        session.base = {0: totals_at(freeze)}
        if any(not session.differences(answer["values"], {0: totals_at(later)})
               for later in freezes[i:]):
            return
    raise AssertionError(f"no two freezes explain the counts of {answer}")


# ---- multiplexing ----

@test(("e2-2s", "spr-2s"))
def sessions_that_agree_use_a_counter_in_turns(m):
    """Three sessions need one counter. Their counts add up to those of the counter, and each time
    running is that of its own counts."""
    with Session(m, multiplex=True) as a, Session(m, multiplex=True) as b, \
            Session(m, multiplex=True) as c, Session(m) as other:
        for s, event in ((a, 1), (b, 2), (c, 1)):
            s.add("imc0", counter=0, event=event)
        b.add("imc0", counter=1, event=1)
        with refused(errno.EBUSY):
            other.add("imc0", counter=0, event=1)
        other.add("imc0", counter=2, event=1)
        for s in (other, a, b, c):
            s.start()
        m.wait_until(lambda: b.read()["running"][0] > 100_000_000,
                     what="ten time slices of a session")
        other.stop_exactly()
        for s in (c, a, b):
            s.stop()
        reads = [s.read() for s in (a, b, c)]
        shares = [read["running"][0] / read["domains"][0]["time_running"]
                  for read in reads]
        counts = [read["values"][0]["count"] for read in reads]
        truth = b.stopped_totals()[0]
        assert all(0.2 < share < 0.8 for share in shares), shares
        assert b.true_count(1, {0: truth}) == reads[1]["values"][1]["count"]
        # a and c share the counter in their time slices, c from its START on
        assert counts[2] <= counts[0], counts
        assert counts[0] + counts[1] == truth["imc0", 0] - a.base[0]["imc0", 0], counts


# ---- ends of sessions ----

@test(("e2-2s", "spr-2s"))
def killed_session_does_not_change_other_counts(m):
    with Session(m) as s:
        s.add("imc0", counter=1, event=1)
        s.add("imc0", counter=FIXED)
        s.start()
        for _ in range(3):
            with Session(m) as other:       # the end of this block kills the process (SIGKILL)
                other.add("imc0", counter=0, event=1)
                other.add("imc0", counter=2, event=1)
                other.start()
                other.read_exactly()
                s.read_exactly()
            m.wait_until(lambda: not is_shared(s, "imc0"), what="the end of the other")
            s.read_exactly()
        s.stop_exactly()
