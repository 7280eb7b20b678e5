# SPDX-License-Identifier: GPL-2.0-only
"""Rotation of event groups: exact counts, times of the groups, and accesses of a switch."""

import errno
import json

from lab.framework import BOTH, test
from lab.qemu.rates import rate
from lab.session import MS, Session, refused
from lab.truth import totals_of

TIME_SLICE = 20 * MS
# event of each group on one counter; these events have constant rates in the model
EVENTS = ({"event": 0x01}, {"event": 0x02}, {"event": 0x04, "umask": 0x03})
# accesses of a switch that reads two counters and changes one event: on v2 freeze, unfreeze,
# two dwords of each, one control; on Sapphire Rapids one access each
SWITCH = {"e2-2s": 2 + 2 * 2 + 1, "spr-2s": 2 + 2 + 1}


def rates_in_time_slices(m, time_slice):
    """Return, for each group, counts divided by its time, relative to the rate of the model.

    The total of each count must equal the model's.
    """
    with Session(m, rotate_ns=time_slice) as s:
        before = totals_of(m)[0]["imc0", 0]
        s.add("imc0", counter=1, **EVENTS[0])
        for group, fields in enumerate(EVENTS, 1):
            s.add("imc0", counter=0, group=group, **fields)
        s.start()
        answer = m.wait_until(lambda: min((a := s.read())["running"]) > 10 * time_slice and a,
                              timeout=60, what="ten time slices of each group")
        running = answer["domains"][0]["time_running"]
        assert answer["running"][0] == running == sum(answer["running"][1:]), answer
        s.stop()
        counts = [value["count"] for value in s.read()["values"]]
        assert sum(counts[1:]) == totals_of(m)[0]["imc0", 0] - before, counts
        return [value["count"] / ran * 1e9 / rate("imc", 0, 0, platform=s.platform, **fields)
                for value, ran, fields in zip(answer["values"][1:], answer["running"][1:], EVENTS)]


@test(("e2-2s", "spr-2s"), kernels=BOTH)
def rotated_rates_match_unrotated_rates(m):
    """The rates agree to one per cent.

    A host may stop a CPU for milliseconds between its clock and the freeze. The time slices are
    long for that reason, and a disturbed run is repeated.
    """
    for _ in range(3):
        shares = rates_in_time_slices(m, 100 * MS)
        if all(abs(share - 1) < 0.01 for share in shares):
            return
    raise AssertionError(shares)


@test(("e2-2s", "spr-2s"), kernels=BOTH)
def group_switch_takes_the_minimum_of_accesses(m):
    def made():
        status = s.status()
        return m.oracle("accesses")["total"]["all"], status["reads"] + status["writes"]

    def switches():
        """Return true if several switches passed without accesses of the watchdog."""
        before = made()
        m.wait_until(lambda: made()[1] > before[1] + 3 * SWITCH[m.scenario], timeout=30,
                     what="four switches")
        said = s.status()
        after = m.oracle("accesses")["total"]["all"] - before[0]
        reported = said["reads"] + said["writes"] - before[1]
        again = s.status()
        assert reported % SWITCH[m.scenario] == 0, reported
        return after == reported and again["reads"] == said["reads"]

    with Session(m, rotate_ns=200 * MS) as s:
        for group in (1, 2):
            s.add("imc0", counter=0, group=group, **EVENTS[group])
            s.add("imc0", counter=1, group=group, **EVENTS[0])
        s.add("imc0", counter=2, **EVENTS[0])
        s.start()
        m.wait_until(switches, timeout=60, what="switches alone")


@test("e2-2s", kernels=BOTH)
def other_sessions_of_the_box_count_during_rotation(m):
    with Session(m) as other, Session(m, rotate_ns=2 * MS) as s:
        other.add("imc0", counter=2, **EVENTS[2])
        for group in (1, 2, 3):
            s.add("imc0", counter=0, group=group, **EVENTS[group - 1])
            s.add("imc0", 1, counter=0, group=group, **EVENTS[group - 1])
        before = totals_of(m)[0]["imc0", 2]
        other.start()
        s.start()
        m.wait_until(lambda: min(s.read()["running"]) > 20 * MS, timeout=60, what="ten time slices")
        s.command("reset")
        s.stop()
        other.stop()
        count = other.read()["values"][0]["count"]
        assert count == totals_of(m)[0]["imc0", 2] - before, count


@test("e2-2s")
def stat_rotates_events(m):
    wanted = ",".join(f"imc/event={event:#x}/" for event in (1, 2, 4, 5, 6, 7))
    said = m.run(f"ucoretool stat -j -e {wanted} --timeout 1s --rotate 5ms")
    rows = [json.loads(line) for line in said.out.splitlines() if "event" in json.loads(line)]
    assert len(rows) == 6 and all(row["note"] == "scaled" for row in rows), rows
    assert all(30 < row["running_percent"] < 70 for row in rows), rows
    assert m.run(f"ucoretool stat -e {wanted} --no-rotate -- true", check=False).status


@test("e2-2s")
def unrotatable_events_are_refused(m):
    with Session(m) as s:
        with refused(errno.EINVAL):
            s.add("imc0", group=1, **EVENTS[0])
        for words, number in (("rotate=999999", errno.ERANGE),
                              (f"rotate={10 ** 12 + 1}", errno.ERANGE),
                              ("rotate=1000000 timer=1000000", errno.EINVAL),
                              ("rotate=1000000 ring=4096", errno.EINVAL)):
            with refused(number):
                s.command(f"create {words}")
    with Session(m, rotate_ns=TIME_SLICE) as s:
        for period, group in ((1000000, 1), (1000000, 0), (0, 64)):
            with refused(errno.EINVAL):
                s.add("imc0", period=period, group=group, **EVENTS[0])
        s.add("imc0", group=63, **EVENTS[0])
        # all groups of a session share the filters of a box
        opcode = {"event": 0x35, "umask": 0x01}
        s.add("cbo0", group=1, **opcode, filter_opc=0x182)
        with refused(errno.EADDRINUSE):
            s.add("cbo0", group=2, **opcode, filter_opc=0x180)
