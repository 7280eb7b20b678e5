# SPDX-License-Identifier: GPL-2.0-only
"""All dies are frozen, read and unfrozen at the same moment, on a clocked machine with two dies.

Virtual time consists of the instructions and accesses of each CPU (qemu/README.md), so that the
load of the host does not matter. An IPI costs 100 us here: the CPU that sends the IPI is late by
this time, unless the readers wait for each other. Therefore the bounds hold for each command, and
not only for the best one.
"""

import contextlib
import json

from lab import access_costs
from lab.framework import test
from lab.session import US, Session, frozen_windows
from machine import eventset
from machine.cores import CoreSession, core_windows, cores

IPI_NS = 100 * US
# one CPU in each die, which is the reader
CLOCKED = {"settings": {**access_costs.settings(), "clock.ipi": IPI_NS, "machine.icount": 0,
                        "machine.cores": 1}, "timeout": 300}
# Maximum time between the freezes, or the unfreezes, of two dies. A CPU reads the clock every 64
# iterations of its wait, and a register write costs 200 ns
TOGETHER_NS = US
# A domain of core counters is frozen after the die, by the same CPU
NESTED_NS = 2 * US
READS = 20


def windows_of(m, session, *commands):
    """Execute commands that freeze both dies once; return the answers, and a pair of (freeze,
    unfreeze) for each command."""
    mark = m.truth_length()
    answers = session.commands(commands)
    windows = frozen_windows(m, mark)
    assert sorted(windows) == [0, 1], windows
    assert all(len(of_die) == len(commands) for of_die in windows.values()), windows
    return answers, list(zip(windows[0], windows[1]))


def apart(pair, edge):
    """Return the time between the freezes (edge 0) or the unfreezes (1) of two dies."""
    return abs(pair[0][edge] - pair[1][edge])


def a_counter_of_each_die(session):
    session.add_all([("imc0", die, 0, 0, {"event": 4, "umask": 3}) for die in (0, 1)])


@contextlib.contextmanager
def busy(m, cpu):
    """Keep a CPU busy: the clock of an idle CPU would advance to that of the CPU that sends an IPI."""
    loop = m.spawn(f"exec spin {cpu}")
    m.wait_until(loop.output, what="a loop on another CPU")
    yield
    loop.kill(9)
    loop.wait(check=False)


@test("e2-2s", **CLOCKED)
def dies_freeze_and_unfreeze_together_although_an_ipi_is_slow(m):
    for cpu in (0, 1):
        with busy(m, 1 - cpu), Session(m, cpu=cpu) as s:
            a_counter_of_each_die(s)
            _, (started,) = windows_of(m, s, "start")
            assert apart(started, 1) < TOGETHER_NS, f"START on CPU {cpu}: {started}"
            answers, windows = windows_of(m, s, *["read"] * READS)
            for answer, window in zip(answers, windows):
                assert apart(window, 0) < TOGETHER_NS, f"READ on CPU {cpu}: {window}"
                assert answer["skew_ns"] < TOGETHER_NS, f"READ on CPU {cpu}: {answer}"
            for command in ("reset", "stop"):
                _, (window,) = windows_of(m, s, command)
                assert apart(window, 0) < TOGETHER_NS, f"{command} on CPU {cpu}: {window}"


def between_dies(answer):
    """Return the reported skew without that of the boxes of one die."""
    return answer["skew_ns"] - max(die["skew_ns"] for die in answer["domains"])


@test(("e2-2s", "snbep-2s"), **CLOCKED)
def dies_are_read_in_parallel_in_each_read(m):
    """Both dies are frozen during nearly the whole READ. On v1 the boxes are frozen one by one."""
    with Session(m) as s:
        s.add_all(eventset.full_set(s))
        s.start()
        answers, windows = windows_of(m, s, *["read"] * READS)
        for answer, (first, second) in zip(answers, windows):
            common = min(first[1], second[1]) - max(first[0], second[0])
            longest = max(first[1] - first[0], second[1] - second[0])
            assert common > 0.9 * longest, (first, second)
            assert between_dies(answer) < TOGETHER_NS, answer


@test("e2-2s", **CLOCKED)
def cores_and_dies_freeze_at_one_instant(m):
    """LLC misses of the dies' readers are read together with a memory controller of each die."""
    with cores(m), CoreSession(m) as s:
        readers = [domain["reader"] for domain in json.loads(m.sh("ucoretool info -j"))["domains"]
                   if domain["scope"] == "die"]
        s.add_all([s.place(cpu, 0, event=0x2e, umask=0x41) for cpu in readers])
        a_counter_of_each_die(s)
        s.start()
        s.read_exactly()
        mark = m.truth_length()
        answers, of_dies = windows_of(m, s, *["read"] * READS)
        of_cores = core_windows(m, mark)
        assert len(of_cores) == 2 and all(len(of) == READS for of in of_cores.values()), of_cores
        for answer, dies, *of_read in zip(answers, of_dies, *of_cores.values()):
            windows = [*dies, *of_read]
            freezes = [freeze for freeze, _ in windows]
            assert max(freezes) - min(freezes) < NESTED_NS, windows
            assert max(freezes) < min(unfreeze for _, unfreeze in windows), windows
            assert answer["skew_ns"] < NESTED_NS, answer
