# SPDX-License-Identifier: GPL-2.0-only
"""Units of discovery tables that do not respond when the module is loaded."""

import errno
import json

from lab.framework import test
from lab.session import BOX_ABSENT, BOX_DEAD, Session, refused
from machine.tables import NO_BOX, UNIT_NO_ANSWER, UNIT_OK, found

# boxes of gnr-2s in memory and in PCI config space, on both dies; the last one never responds
ASLEEP = ((0, "upi1"), (1, "b2cxl0"), (1, "upi0"), (0, "b2cxl0"))
NEVER = ASLEEP[-1]
SECOND = 1.1


def inject(machine, fault, boxes):
    for die, name in boxes:
        machine.inject(f"{fault} {die} {name}")


def absent(session):
    """Return die, name -> id of the boxes that have not responded yet."""
    return {(box["die"], box["name"]): box["box"] for box in session.listed
            if box["caps"] & BOX_ABSENT}


def reasons(machine):
    """Return die, name -> reason and box id of the units that the sleeping boxes belong to."""
    units = found(machine, everything=True)["units"]
    named = {(unit["die"], unit["name"]): (unit["reason"], unit["box"]) for unit in units}
    return {box: named[box] for box in ASLEEP}


def accesses_of(machine, box):
    """Return the number of accesses to a box's registers since the model was started."""
    die, name = box
    return machine.oracle("accesses")["sockets"][die]["boxes"].get(name, {"all": 0})["all"]


def uptime(machine):
    return float(machine.sh("cat /proc/uptime").split()[0])


def assert_said_nothing(machine, boxes):
    """Check that no output of the tool counts, names or complains about absent boxes."""
    doctor = machine.run("ucoretool doctor -j", check=False).out
    assert "respond" not in doctor and "units in the discovery tables cannot" not in doctor, doctor
    assert json.loads(machine.sh("ucoretool info -j"))["boxes"] == boxes
    rows = [json.loads(line) for line in machine.sh("ucoretool list -j").splitlines()]
    rows = [row for row in rows if row.get("type") != "core"]
    assert len(rows) == boxes and all(row["type"] for row in rows), (len(rows), boxes)


@test("gnr-2s", loaded=False)
def unit_asleep_at_load_counts_exactly_once_awake(m):
    inject(m, "dead", ASLEEP)
    m.insmod()
    with Session(m) as s:
        ids = absent(s)
        assert set(ids) == set(ASLEEP), ids
        present = len(s.listed) - len(ids)
        assert all(box["caps"] & BOX_DEAD for box in s.listed if box["caps"] & BOX_ABSENT)
        with refused(errno.ENODEV):
            s.add("upi1", 0, 0, event=1)
    assert reasons(m) == {box: (UNIT_NO_ANSWER, ids[box]) for box in ASLEEP}
    assert_said_nothing(m, present)
    result = m.run("ucoretool stat --timeout 1 -e upi0/CLOCKTICKS,die=1/", check=False)
    assert result.status == 2 and "upi0 on die 1 does not respond" in result.err, result.err
    # a session that counts next to absent boxes is no reason to read them
    with Session(m) as s:
        s.add("upi0", 0, 0, event=1)
        s.start()
        m.sh(f"sleep {SECOND}")
        before = {box: accesses_of(m, box) for box in ASLEEP}
        m.sh(f"sleep {3 * SECOND}")
        assert {box: accesses_of(m, box) for box in ASLEEP} == before, before
    # awake: without a reload, at the next list of boxes
    inject(m, "alive", ASLEEP[:-1])
    m.sh(f"sleep {SECOND}")
    with Session(m) as s:
        assert absent(s) == {NEVER: ids[NEVER]}, absent(s)
        assert {box: s.ids[box] for box in ASLEEP[:-1]} == {box: ids[box] for box in ASLEEP[:-1]}
        events = [s.add(name, die, 0, event=1) for die, name in ASLEEP[:-1]]
        s.start()
        s.read_exactly()
        values = s.read_exactly()["values"]
        assert all(values[event]["count"] for event in events), values
    assert reasons(m) == {box: (UNIT_NO_ANSWER if box == NEVER else UNIT_OK, ids[box])
                          for box in ASLEEP}
    assert_said_nothing(m, present + len(ASLEEP) - 1)
    # one read in a second, however often the boxes are listed
    m.sh(f"sleep {SECOND}")
    since, before = uptime(m), accesses_of(m, NEVER)
    m.sh("for i in $(seq 20); do ucoretool info -j >/dev/null; done")
    made, seconds = accesses_of(m, NEVER) - before, uptime(m) - since
    assert 1 <= made <= min(seconds + 1, 20), (made, seconds)
    # a box that has responded, and stops, is a dead one
    inject(m, "dead", ASLEEP[:1])
    with Session(m) as s:
        s.add("upi1", 0, 0, event=1)
        s.start()
        s.command("read")
        caps = s.command("boxes")["boxes"][ids[ASLEEP[0]]]["caps"]
        assert caps & (BOX_DEAD | BOX_ABSENT) == BOX_DEAD, caps
    m.rmmod()
    m.inject("power-on")


@test("gnr-2s", kernels=("6.1",), loaded=False)
def unit_awake_is_counted_by_add_event_alone(m):
    """ADD_EVENT probes the box at once, however short ago the last probe was."""
    inject(m, "dead", ASLEEP)
    m.insmod()
    with Session(m) as s:
        die, name = ASLEEP[1]
        inject(m, "alive", ASLEEP[1:2])
        s.add(name, die, 0, event=1)
        s.start()
        s.read_exactly()
        assert s.read_exactly()["values"][0]["count"]
    assert reasons(m)[ASLEEP[1]][0] == UNIT_OK
    assert NO_BOX not in {box for reason, box in reasons(m).values()}
    m.rmmod()
    m.inject("power-on")
