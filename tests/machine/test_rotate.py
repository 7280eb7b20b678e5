# SPDX-License-Identifier: GPL-2.0-only
"""Rotation of event groups: exact counts, times of the groups, and accesses of a switch."""

import errno
import json
import statistics

from lab.framework import test
from lab.session import MS, Session, refused
from lab.truth import EVENT_BITS, totals_of

TIME_SLICE = 20 * MS
# event of each group on one counter; these events have constant rates in the model
EVENTS = ({"event": 0x01}, {"event": 0x02}, {"event": 0x04, "umask": 0x03})
# accesses of a switch that reads two counters and changes one event: on v2 freeze, unfreeze,
# two dwords of each, one control; on Sapphire Rapids one access each
SWITCH = {"e2-2s": 2 + 2 * 2 + 1, "spr-2s": 2 + 2 + 1}


def bits(event, umask=0):
    return event | umask << 8


GROUPS = {bits(**fields): group for group, fields in enumerate(EVENTS, 1)}


def truth_of_groups(m, mark, before):
    """Return total of counter 1 -> {group: (count, time)} at each freeze of die 0 since @mark.

    Counter 1 counts for all groups, so that its total identifies a freeze. before: the totals
    of the die at the start.
    """
    truth, begin, total = {}, None, before["imc0", 0]
    counts, times = dict.fromkeys(GROUPS.values(), 0), dict.fromkeys(GROUPS.values(), 0)
    for line in m.truth(since=mark):
        if line.get("socket") != 0:
            continue
        if line["ev"] == "unfreeze":
            begin = line["t"]
        elif line["ev"] == "freeze" and begin is not None:
            at = {c["ctr"]: c for c in line["counters"] if c["box"] == "imc0"}
            if 0 not in at:     # a freeze before START
                continue
            group = GROUPS[at[0]["ctl"] & EVENT_BITS]
            counts[group] += at[0]["total"] - total
            times[group] += line["t"] - begin
            total = at[0]["total"]
            truth[at[1]["total"]] = {g: (counts[g], times[g]) for g in counts}
    return truth


@test(("e2-2s", "spr-2s"))
def rotated_counts_and_times_match_the_model(m):
    """Each READ has the counts that the model had in the time slices of each group.

    A busy host may stop a CPU between its clock and the register. The time of a group is
    therefore never longer than in the model, and the median of the differences is small.
    """
    with Session(m, rotate_ns=TIME_SLICE) as s:
        before = totals_of(m)[0]
        s.add("imc0", counter=1, **EVENTS[0])
        for group, fields in enumerate(EVENTS, 1):
            s.add("imc0", counter=0, group=group, **fields)
        mark = m.truth_length()
        s.start()
        answers = []

        def enough():
            answers.append(s.read())
            return min(answers[-1]["running"]) > 10 * TIME_SLICE and len(answers) > 30
        m.wait_until(enough, timeout=60, what="ten time slices of each group")
        s.stop()
        answers.append(s.read())
    truth, missing, told_before, true_before = truth_of_groups(m, mark, before), [], None, None
    for answer in answers:
        running = answer["domains"][0]["time_running"]
        assert answer["running"][0] == running == sum(answer["running"][1:]), answer
        counts = [value["count"] for value in answer["values"]]
        true = truth[before["imc0", 1] + counts[0]]
        assert counts[1:] == [true[group][0] for group in sorted(true)], (answer, true)
        told = dict(enumerate(answer["running"][1:], 1))
        assert all(told[group] <= true[group][1] * 1.001 + MS / 10 for group in true), (told, true)
        if told_before:
            missing += [1 - (told[g] - told_before[g]) / passed for g in true
                        if (passed := true[g][1] - true_before[g][1]) > TIME_SLICE / 4]
        told_before, true_before = told, true
    assert len(missing) > 30 and abs(statistics.median(missing)) < 0.01, missing


@test(("e2-2s", "spr-2s"))
def group_switch_takes_the_minimum_of_accesses(m):
    def made():
        status = s.status()
        return m.oracle("accesses")["total"]["all"], status["reads"] + status["writes"]

    def switches():
        """Return true if a switch passed without accesses of the watchdog, once a second."""
        before = made()
        m.wait_until(lambda: made()[1] > before[1], timeout=30, what="a switch")
        said = s.status()
        after = m.oracle("accesses")["total"]["all"] - before[0]
        reported = said["reads"] + said["writes"] - before[1]
        again = s.status()
        assert reported % SWITCH[m.scenario] == 0, reported
        return after == reported and again["reads"] == said["reads"]

    # long enough for the three commands at the end of switches() on a busy host
    with Session(m, rotate_ns=400 * MS) as s:
        for group in (1, 2):
            s.add("imc0", counter=0, group=group, **EVENTS[group])
            s.add("imc0", counter=1, group=group, **EVENTS[0])
        s.add("imc0", counter=2, **EVENTS[0])
        s.start()
        m.wait_until(switches, timeout=60, what="switches alone")


@test("e2-2s")
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
