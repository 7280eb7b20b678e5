# SPDX-License-Identifier: GPL-2.0-only
"""No command costs more than its input: twice the events, groups, boxes or sessions cost at most
twice the time, on the clocked machine. No command holds a lock of several sessions, a CPU with
interrupts off or a frozen die for more than growth.LIMITS allows. No time is longer than that of
Documentation/cost-growth.md. `FIGURES=update python3 -m lab.growth` in tests/ updates that page.
"""

from lab import growth
from lab.framework import test
from lab.session import VALUE_DEAD, Session


def check(word, times):
    wrong = growth.wrong(word, times)
    assert not wrong, "\n".join(wrong)


def costs(word):
    """Return a decorator for a test with the machine of an input."""
    return test(growth.INPUTS[word].scenario, strict=False, settings=growth.SETTINGS, timeout=300)


@costs("events")
def cost_of_many_events_is_proportional(m):
    """Up to UCORE_EVENTS_MAX events in a session, in as many groups as they need."""
    check("events", growth.measured(m, "events"))


@costs("box")
def cost_of_many_groups_on_a_box_is_proportional(m):
    check("box", growth.measured(m, "box"))


@costs("boxes")
def cost_of_many_boxes_is_proportional(m):
    """Up to 1000 boxes on a die, which is far more than any processor has."""
    check("boxes", growth.measured(m, "boxes"))


@costs("running")
def cost_of_many_running_sessions_is_proportional(m):
    """Sessions on all counters of a die: each command of one freezes the counters of all."""
    check("running", growth.measured(m, "running"))


@costs("sessions")
def cost_of_many_sessions_is_proportional(m):
    check("sessions", growth.measured(m, "sessions"))


@test(machine=False, timeout=300)
def cost_on_1024_possible_cpus_is_bounded():
    check("cpus", growth.measured_by_cpus())


def start_beside_dead_boxes(m, number):
    """Return the time (ns) of START while a session uses boxes that do not respond any more."""
    with Session(m) as s:
        boxes = [box["name"] for box in s.boxes[1:] if box["name"].startswith("cha")][:number]
        s.add_all([(box, 0, 0, 0, {"event": 1}) for box in boxes])
        s.start()
        try:
            for box in boxes:
                m.inject(f"dead 0 {box}")
            assert all(value["flags"] & VALUE_DEAD for value in s.read()["values"])
            return growth.timed(m, "costs running 1")["START"]
        finally:
            for box in boxes:
                m.inject(f"alive 0 {box}")
            s.stop()


@costs("boxes")
def cost_of_many_dead_boxes_is_proportional(m):
    """START and the watchdog check for each dead box of the die that no running session uses it."""
    times = {number: start_beside_dead_boxes(m, number) for number in (140, 280, 560)}
    m.rmmod()       # the boxes that were dead have not been restored
    m.insmod()
    wrong = growth.steep({"START beside dead boxes": times})
    assert not wrong, "\n".join(wrong)


# ---- The checks themselves ----

@test(machine=False)
def superlinear_growth_is_detected():
    sizes = (1000, 2000, 4000)

    def times(cost):
        return {"READ": {size: cost(size) for size in sizes}}
    assert not growth.steep(times(lambda n: 500 + n))
    assert not growth.steep(times(lambda n: 100 * n))
    assert len(growth.steep(times(lambda n: n * n // 10))) == 2
    # a square that shows only at the largest size
    assert len(growth.steep(times(lambda n: 1000 * n + n * n // 10))) == 1


@test(machine=False)
def long_locks_and_freezes_are_detected():
    ms = 1_000_000
    assert not growth.long({"READ": {1: ms}, "START": {1: 9 * ms}, "other-freeze": {1: ms}})
    for command in ("READ", "switch", "GET_SESSIONS-page", "other-freeze"):
        assert len(growth.long({command: {1: ms, 2: ms + 1}})) == 1, command
    assert len(growth.long({"freeze-by-START": {1: 2 * ms}})) == 1


@test(machine=False)
def freezes_of_start_are_told_apart():
    def unfreeze(ns):
        return {"ev": "unfreeze", "frozen_ns": ns}
    log = [unfreeze(3), {"ev": "marker", "value": 1}, unfreeze(7), unfreeze(5),
           {"ev": "marker", "value": 2}, unfreeze(4), {"ev": "freeze"}]
    assert growth.freezes_of(log) == {"freeze-by-START": 7, "other-freeze": 4}
    assert not growth.freezes_of([])


@test(machine=False)
def times_beyond_the_page_are_detected():
    times = {"GET_SESSIONS-page": {1: 2000, 2: 4000}, "READ": {1: 1000, 2: 1_000_000}}
    table = growth.table_of(times)
    assert not growth.outdated(table, times)
    times["READ"][2] = 1_200_000
    assert not growth.outdated(table, times)
    times["READ"][2] = 1_300_000
    assert len(growth.outdated(table, times)) == 1
    assert len(growth.outdated(table, times | {"STOP": {1: 1, 2: 1}})) == 2
    # a row without a time for each size
    times = {"READ": {1: 1000, 2: 2000}, "other-freeze": {1: 500}}
    table = growth.table_of(times)
    assert table[-1] == "| other freeze | 0.5 | - | - |"
    assert not growth.outdated(table, times)
