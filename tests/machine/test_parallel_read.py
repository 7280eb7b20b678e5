# SPDX-License-Identifier: GPL-2.0-only
"""Parallel reads: several CPUs of a die each read a part, and the values equal those of one
reader.

The host determines whether a helper CPU is in time. Each read is judged by the number of
helpers that took part, and some must have taken part.
"""

from lab.accesses import BOX_ACCESSES, read_by
from lab.framework import test
from lab.qemu.platforms import PLATFORMS
from lab.session import MS, Session, assert_equal, assert_taken, sample_until
from machine import eventset
from machine.armed import run_armed
from machine.timers import budget_of

# settings of a die with four CPUs, one reader and up to three helpers
FOUR = {"machine.cores": 4}
DISTINCT = {"event": "0x90+", "umask": "1+"}    # another event on each counter


def no_budget(m):
    """Disable the budget, because helpers stop at their budget and emulated accesses are slow."""
    return budget_of(m, 100)


def add_everything(s):
    """Add an event on each counter of the machine."""
    if PLATFORMS[s.platform].discovery:
        s.fill(**DISTINCT)
    else:
        s.add_all(eventset.full_set(s))


def assert_shared(made, helpers, readers, accesses):
    """Check the accesses of each CPU in a READ: a helper that took part has read one share.

    The reader has read its own share and those of the helpers that did not take part.
    """
    share = -(-accesses // readers) + BOX_ACCESSES
    assert sum(made) == accesses, (made, accesses)
    assert sum(map(bool, made)) == 1 + helpers < 1 + readers, (made, helpers)
    assert max(made) <= 2 + share * (readers - helpers), (made, helpers, share)


@test(("e2-1s", "spr-1s"), settings=FOUR)
def parallel_read_matches_a_single_reader(m):
    with Session(m, full_reads=True) as s:
        add_everything(s)
        s.start()
        alone, nobody = read_by(m, s)
    accesses = max(alone)
    assert sum(alone) == accesses and not nobody, (alone, nobody)

    for readers in (2, 4):
        def some_helped():
            made, helpers = read_by(m, s)
            assert_shared(made, helpers, readers, accesses)
            return helpers >= readers // 2

        with no_budget(m), Session(m, readers=readers, full_reads=True) as s:
            add_everything(s)
            s.start()
            m.wait_until(some_helped, timeout=30, what=f"helpers of a {readers} readers")
            for _ in range(5):
                s.read_exactly()
            s.stop_exactly()


@test("e2-1s", settings=FOUR)
def parallel_read_serves_overflow_samples(m):
    with Session(m) as s:
        wanted = eventset.full_set(s)
    armed = ("imc2", 0, 1)
    wanted = [(box, die, ctr, eventset.period_for(box, die, ctr, fields, 40)
               if (box, die, ctr) == armed else 0, fields) for box, die, ctr, _, fields in wanted]
    with no_budget(m):
        samples = run_armed(m, wanted, lambda s, found:
                            len(found) > 10 and s.status()["parallel_reads"],
                            readers=4)
    assert all(len(sample["values"]) == len(wanted) for sample in samples)


@test("e2-1s", settings=FOUR)
def helper_cpu_hotplug_keeps_samples_exact(m):
    """Sampling does not wait for offline helpers, and each sample is correct."""
    others = (1, 2, 3)

    def set_online(cpus, online):
        for cpu in cpus:
            m.set_online(cpu, online)

    def more(what):
        before = s.status()[what]
        m.wait_until(lambda: s.status()[what] > before + 2, timeout=30, what=what)

    with no_budget(m), Session(m, timer_ns=20 * MS, ring=1 << 22, readers=4) as s:
        add_everything(s)
        s.command("cpu 0")
        mark = m.truth_length()
        s.start()
        try:
            for leaving in (others[:1], others[1:], others):
                more("parallel_reads")
                set_online(leaving, False)
                more("samples")
                set_online(leaving, True)
        finally:
            set_online(others, True)
        more("parallel_reads")
        samples = sample_until(m, s, lambda found: len(found) > 10)
        assert_equal(s.sample_differences(samples, s.freezes(mark)))
        assert_taken(s, samples)
