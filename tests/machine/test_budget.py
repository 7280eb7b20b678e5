# SPDX-License-Identifier: GPL-2.0-only
"""The budget of CPU time: whatever sessions ask for, others on the reader's CPU get on."""

import contextlib
import errno

from lab.framework import KERNELS, test
from lab.session import (FIXED, SAMPLE_STRETCHED, US, Session, assert_numbered, refused,
                         samples_in)
from machine import eventset
from machine.test_sampling import NO_OVERFLOW
from machine.timers import BUDGET

SECOND = 10**9
CLOCK = {"event": 0x00}
# The reader of die 0, and a CPU of die 1 from which sessions are driven: both are busy all the
# time, so that a host of two cores has as much to do whether sessions run or not
READER, DRIVER = 0, 2
PERIOD = 100 * US
TIMERS = 16
# Entry and exit of an emulated interrupt take tens of microseconds, which nobody sees from within:
# at thousands a second that is a tenth of a CPU
EMULATED = 40


@contextlib.contextmanager
def budget_of(m, percent):
    usual = m.sh(f"cat {BUDGET}")
    m.write(BUDGET, percent)
    try:
        yield
    finally:
        m.write(BUDGET, usual)


# ---- what is left ----

@contextlib.contextmanager
def spinning(m):
    """Yields a function: (time, turns) of a loop on the reader since then."""
    process = m.spawn(f"exec spin {READER} {DRIVER}", timeout=300)

    def told():
        # the last line may be a half one
        return [tuple(map(int, line.split())) for line in process.output().split("\n")[:-1]]
    m.wait_until(lambda: len(told()) > 5, what="a loop that counts")
    try:
        yield told
    finally:
        process.kill(9)
        process.wait(check=False)


def speed(told, begin, end):
    """Turns per second between two instants of the guest."""
    inside = [line for line in told if begin <= line[0] <= end]
    (first, turns), (last, more) = inside[0], inside[-1]
    return (more - turns) / (last - first)


def lull(m, clock):
    """A while in which nothing happens: (begin, end)."""
    begin = clock()
    m.run("sleep 0.7")
    return begin, clock()


def share_left(m, told, clock, load):
    """Speed of the loop under a load, of what it was before and is after."""
    quiet = [lull(m, clock)]
    begin, end = load()
    quiet.append(lull(m, clock))
    m.wait_until(lambda: told()[-1][0] > quiet[-1][1], what="the loop's last count")
    lines = told()
    return speed(lines, begin, end) / max(speed(lines, *span) for span in quiet)


def assert_half_is_left(m, load):
    """The host may be busy at the wrong moment: the best of three counts."""
    shares = []
    with spinning(m) as told, Session(m, cpu=DRIVER) as s:
        s.add("imc0", 1, **CLOCK)       # stopped: its READ is a look at the clock
        while len(shares) < 3 and max(shares, default=0) < 0.5:
            shares.append(share_left(m, told, lambda: s.read()["domains"][0]["time"], load))
    assert max(shares) >= 0.5, shares


# ---- timers ----

def timer_sessions(m, stack):
    """Sessions of one counter each, on as many boxes of die 0; the first has a ring."""
    sessions = []
    with Session(m) as s:
        boxes = [box for die, box in s.ids if die == 0 and
                 0 in eventset.events_of(box, s.platform)][:TIMERS]
    assert len(boxes) == TIMERS, boxes
    for box in boxes:
        s = Session(m, timer_ns=PERIOD, ring=0 if sessions else 1 << 20, cpu=DRIVER)
        stack.enter_context(s)
        s.add(box, 0, 0, **eventset.events_of(box, s.platform)[0])
        sessions.append(s)
    return sessions


def time_of(s):
    return s.read()["domains"][0]["time"]


@test("e2-2s", kernels=KERNELS, timeout=240)
def sixteen_timers_leave_half_of_the_cpu(m):
    with budget_of(m, EMULATED), contextlib.ExitStack() as stack:
        sessions = timer_sessions(m, stack)

        def load():
            # not start(): what the model says of so many freezes is not asked for
            for s in sessions:
                s.command("start")
            begin = time_of(sessions[0])
            m.run("sleep 1")
            end = time_of(sessions[0])
            for s in sessions:
                s.command("stop")
            return begin, end
        assert_half_is_left(m, load)
        for s in sessions:
            assert_all_periods_are_told(s)
        judge_records(sessions[0])


def assert_all_periods_are_told(s):
    """Of a stopped session: each period has its sample, or counts as dropped."""
    status, budget = s.status(), s.budget()
    periods = s.read()["domains"][0]["time_enabled"] // PERIOD
    # each time that it ran ended within a period
    assert periods - 4 <= status["samples"] <= periods, (periods, status)
    assert budget["dropped"] and budget["put_off"], budget
    assert budget["sample_ns"] * 100 <= PERIOD * EMULATED and budget["busy_ns"], budget


def judge_records(s):
    records, status, dropped = s.drain(), s.status(), s.budget()["dropped"]
    assert_numbered(records)
    samples = samples_in(records)
    if status["lost"] == dropped:       # the ring was large enough
        assert len(samples) + dropped == status["samples"], (len(samples), status)
    assert any(sample["flags"] & SAMPLE_STRETCHED for sample in samples), samples[-3:]


# ---- overflows ----

def every_period_1(s):
    """All counters of die 0; those that can overflow do at each count."""
    return [(box, die, ctr, 0 if eventset.type_of(box) in NO_OVERFLOW[s.platform] else 1, fields)
            for box, die, ctr, _, fields in eventset.full_set(s) if die == 0]


@test("e2-2s", kernels=KERNELS, timeout=240)
def a_period_of_1_everywhere_leaves_half_of_the_cpu(m):
    with Session(m, ring=1 << 16, cpu=DRIVER) as s:
        s.add_all(every_period_1(s))

        def load():
            s.command("start")
            begin = time_of(s)
            m.run("sleep 1")
            end = time_of(s)
            s.command("stop")
            return begin, end
        assert_half_is_left(m, load)
        assert s.status()["overflows"] > 10, s.status()
        assert_numbered(s.drain())


# ---- commands ----

@test("e2-2s", kernels=KERNELS, timeout=240)
def a_loop_of_reads_leaves_half_of_the_cpu(m):
    with Session(m, cpu=DRIVER) as s:
        s.add_all([event for event in eventset.full_set(s) if event[1] == 0])
        s.start()
        done = []

        def load():
            done.append(s.command(f"reads {SECOND}"))
            return done[-1]["from"], done[-1]["until"]
        assert_half_is_left(m, load)
        assert done[-1]["reads"] > 10, done
        s.read_exactly()


@test("e2-2s", kernels=KERNELS)
def a_timer_that_leaves_no_time_is_refused(m):
    with budget_of(m, 1):
        with Session(m, timer_ns=PERIOD, ring=65536) as s:
            s.add("imc0", 0, FIXED)
            with refused(errno.ERANGE):
                s.start()
            least = s.budget()["timer_min_ns"]
            assert least == s.budget()["sample_ns"] * 100 > PERIOD, s.budget()
        with Session(m, timer_ns=least, ring=65536) as s:
            s.add("imc0", 0, FIXED)
            s.start()
        said = m.run("ucoretool record --timer 100us -n 1 -e imc/CAS_COUNT.RD/ -o /dev/null",
                     check=False)
        assert said.status == 2 and "1 % of a timer of 100 us: from " in said.err, said.err
