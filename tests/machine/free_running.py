# SPDX-License-Identifier: GPL-2.0-only
"""Free-running counters compared with the model, although no freeze stops them.

The driver reads them while their die is frozen. The times of freeze and unfreeze in the model's
log therefore limit each increase from both sides, on a busy host, too. The shorter the two
freezes are in comparison with the time between them, the narrower are the limits.
"""

import re

from lab.qemu import args, rates
from lab.qemu.platforms import PLATFORMS
from lab.session import BOX_FREE_RUNNING, FIXED, Session, assert_equal, freezes_since
from machine.eventset import instance_of, type_of
from machine.first_run import FirstRun
from machine.packages import stat

# Total of two freezes, in parts of the time between them. The rates of two stacks differ by
# 0.6 %, of two ports by 1.2 %, of two directions and of two dies by more.
PRECISION = 0.004
LONGEST = 30        # seconds of a measurement that follows imprecise ones
OF_CONTROLLER = [("read", None), ("write", None), ("pmm_read", None), ("pmm_write", None),
                 ("dclk", None)]


def of_stack(ports, *kinds):
    """Return (kind, port) of each counter of a stack, in the order of their numbers."""
    return [("clock", 0), *((kind, port) for kind in kinds for port in range(ports))]


# Counters of a memory controller of client processors: 32 bits, and 64 bits
MCHBAR = "MCHBAR"
MCHBAR_32 = [(kind, MCHBAR) for kind in ("read", "write", "gt", "ia", "io")]
MCHBAR_64 = [(kind, MCHBAR) for kind in ("read", "write", "total")]


def rate_of(kind, port, instance, die):
    """Return the increments per second of a counter of a stack, or of a controller."""
    if port == MCHBAR:
        return rates.mc_traffic(kind, instance)
    if port is None:
        return rates.imc_free_running(kind, instance, die)
    return rates.iio_free_running(kind, instance, die, port)


def windows_since(m, mark):
    """Return die -> times of the freezes and unfreezes since @mark."""
    windows = {}
    for freeze in freezes_since(m, mark):
        windows.setdefault(freeze["socket"], []).append((freeze["t"], freeze["until"]))
    return windows


def is_precise(first, last):
    """Return true if two freezes are short enough to identify each counter."""
    frozen = sum(until - since for since, until in (first, last))
    return frozen < PRECISION * (last[0] - first[1])


def difference(what, increase, rate, first, last):
    """Return "" if an increase between two freezes (since, until) is possible, or else a text."""
    least = rate * (last[0] - first[1]) // 10**9 - 1
    most = rate * (last[1] - first[0]) // 10**9 + 1
    return "" if least <= increase <= most else f"{what}: {increase}, due {least} to {most}"


def match_the_model(m, of_type, count, clock, box="imc0"):
    """Check all free-running counters of a machine.

    of_type: box type -> (kind, port) of each of its counters. clock: fields of an event of
    @box of each die, so that a READ freezes each die.
    """
    with Session(m) as s:
        at, reads = {}, []
        for die in sorted({die for die, _ in s.ids}):
            s.add(box, die, **clock)
        for (die, name), caps in s.caps.items():
            for i, counter in enumerate(of_type[type_of(name)] if caps & BOX_FREE_RUNNING else ()):
                answer = s.command(f"add {s.ids[die, name]} {1 << 32 + i} 0")
                at[answer["event"]] = (*counter, instance_of(name), die)
        assert len(at) == count, len(at)
        s.start()

        def all_are_precise():
            reads.append(timed_read(m, s))
            return all(any(is_precise(a[die], b[die]) for _, a in reads for _, b in reads)
                       for die in reads[0][1])
        m.wait_until(all_are_precise, timeout=60, what="two short freezes of each die")
    assert_equal([text for j, last in enumerate(reads) for first in reads[:j]
                  for text in read_differences(first, last, at)])


def timed_read(m, session):
    """Return the values of a READ, event -> count, and the freeze of each die."""
    mark = m.truth_length()
    values = {value["event"]: value["count"] for value in session.read()["values"]}
    windows = windows_since(m, mark)
    assert all(len(of_die) == 1 for of_die in windows.values()), windows
    return values, {die: of_die[0] for die, of_die in windows.items()}


def read_differences(first, last, at):
    (before, begin), (after, end) = first, last
    return list(filter(None, (
        difference(where, after[event] - before[event], rate_of(*where), begin[where[-1]],
                   end[where[-1]]) for event, where in at.items())))


# ---- events with names ----

OF_PORT = re.compile(r"(BANDWIDTH|BW|UTIL)_(IN|OUT)\.(?:PART|PORT)(\d)")
OF_CONTROLLER_NAME = re.compile(r"UNC_M_(\w+)_FREERUN|imc_free/(\w+)_FREERUN")
OF_MCHBAR = {"rdcas_count": "read", "wrcas_count": "write", "total_reqcount": "total",
             "gt_requests": "gt", "ia_requests": "ia", "io_requests": "io"}


def meaning(name, platform):
    """Return (kind, port) of the free-running counter that an event name means; None if fixed."""
    if port := OF_PORT.search(name):
        return ("util_" * (port[1] == "UTIL") + port[2].lower(), int(port[3]))
    if re.search("IOCLK|IIO_CLOCKTICKS_FREERUN", name):
        return "clock", 0
    controller = OF_CONTROLLER_NAME.search(name)
    if controller:
        kind = (controller[1] or controller[2]).lower()
        if PLATFORMS[platform].client:
            return OF_MCHBAR.get(kind, kind), MCHBAR
        return ("dclk" if kind == "clockticks" else kind), None
    return None


def named_match_the_model(m, names):
    """Count events of free-running and fixed counters by name; check the counts of all boxes.

    Another session counts on each die, so that START and STOP freeze the dies.
    """
    m.run("have")       # the self-tests of the boxes are no runs of the session
    with Session(m) as other:
        dies = sorted({die for die, _ in other.ids})
        for die in dies:
            # this event exists on a CHA, on a CBO and on the block of Nehalem
            other.add(next(box for at, box in other.ids if at == die and
                           type_of(box) in ("cha", "cbo", "uncore")), die, event=0x34, umask=0x8f)
        other.start()
        seconds, precise = 0.3, False
        while not precise:
            assert seconds < LONGEST, "no short freezes"
            mark = m.truth_length()
            rows = stat(m, names, f"sleep {seconds}")
            windows = windows_since(m, mark)    # of START, of STOP, and of the end of the session
            begin, end = ({die: windows[die][i] for die in dies} for i in (0, 1))
            run = FirstRun(m, mark)
            assert_equal(list(filter(None, (
                named_difference(m, run, row, begin[row["die"]], end[row["die"]])
                for row in rows))))
            precise = all(is_precise(begin[die], end[die]) for die in dies)
            seconds *= 2


def named_difference(m, run, row, begin, end):
    platform = args.Scenario(m.scenario).platform
    counter, instance, die = meaning(row["event"], platform), instance_of(row["box"]), row["die"]
    if not counter:
        return run.difference(row["box"], die, FIXED, {}, row["count"], platform)
    return difference(f"{row['box']} {row['event']} of die {die}", row["count"],
                      rate_of(*counter, instance, die), begin, end)
