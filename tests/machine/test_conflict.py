# SPDX-License-Identifier: GPL-2.0-only
"""Something else in the guest writes the registers that a session counts with."""

import contextlib
import json

from lab.framework import BOTH, test
from lab.session import GAP, GAP_CONFLICT, VALUE_CHANGED, Refused, Session
from machine.registers import poke

LOOK = 10       # seconds between two scans of the watchdog
CLOCK = {"event": 0}
V2_CBO0_CTL0 = 0xd10


def msr_of(m, kind, die=0):
    """Return the MSR of the control of a type's first box, from `ucoretool list`."""
    boxes = [json.loads(line) for line in m.sh("ucoretool list -j").splitlines()]
    found = next(box for box in boxes
                 if (box["type"], box["instance"], box["die"]) == (kind, 0, die))
    return int(found["address"], 0)


def wait_told(m, s):
    m.wait_until(lambda: s.status()["conflicts"], timeout=4 * LOOK, what="look of the guard")


def flags(s):
    return [value["flags"] & VALUE_CHANGED for value in s.read()["values"]]


def told(s, name):
    """Check that exactly one record reports a conflict, and only of that box."""
    gaps = [record for record in s.drain() if record["type"] == GAP]
    assert [gap["reason"] for gap in gaps] == [GAP_CONFLICT], gaps
    assert [gap["box"] for gap in gaps] == [s.ids[0, name]], (gaps, name)


def logged(m, name):
    found = [line for line in m.dmesg().splitlines() if "another program or firmware writes" in line]
    assert len(found) == 1 and name in found[0], found
    out = m.run("ucoretool doctor", check=False).out
    assert f"{name} of die 0: another program or firmware wrote controls" in out, out


@test("e2-2s", kernels=BOTH, strict=False, alone=True)
def control_written_by_another_program_is_reported(m):
    with Session(m, ring=1 << 16) as s:
        s.add("cbo0", 0, 0, **CLOCK)
        s.add("imc0", 0, 0, **CLOCK)
        s.start()
        poke(m, ("w", 0, V2_CBO0_CTL0, 0x400011))
        wait_told(m, s)
        assert flags(s) == [VALUE_CHANGED, 0], s.read()
        told(s, "cbo0")
        logged(m, "cbo0")
        # the next START writes its own
        s.stop()
        s.command("reset")
        assert flags(s) == [0, 0], s.read()


@test("spr-2s", strict=False, alone=True)
def box_frozen_by_another_program_is_reported(m):
    with Session(m, ring=1 << 16) as s:
        s.add("cha0", 0, 0, event=1)
        s.add("cha1", 0, 0, event=1)
        s.start()
        poke(m, ("w", 0, msr_of(m, "cha"), 1))
        wait_told(m, s)
        assert flags(s) == [VALUE_CHANGED, 0], s.read()
        told(s, "cha0")
        logged(m, "cha0")


@test(("e2-2s", "snbep-1s", "hswep-2s", "skx-1s", "icx-1s", "spr-2s"))
def undisturbed_controls_report_no_conflict(m):
    """On a counter of each box, a scan must not take the read-back value for a change."""
    seen = set()
    with Session(m) as s:
        for (die, name) in sorted(s.ids):
            kind = name.rstrip("0123456789")
            if kind in seen:
                continue
            seen.add(kind)
            # free-running counters do not support this event
            with contextlib.suppress(Refused):
                s.add(name, die, 0, event=1)
        assert len(s.events) > 4, s.events
        s.start()
        before = m.oracle("accesses")["total"]["all"]
        m.sh(f"sleep {LOOK + 2}")
        looked = m.oracle("accesses")["total"]["all"] - before
        assert not s.status()["conflicts"], s.status()
    # each event's control and its box control were read by a scan
    assert looked >= len(s.events), looked
    assert "another program or firmware writes" not in m.dmesg()
