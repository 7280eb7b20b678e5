# SPDX-License-Identifier: GPL-2.0-only
"""Conflicts: another program in the guest writes control registers that a session uses."""

import contextlib
import json

from lab.framework import test
from lab.session import GAP, GAP_CONFLICT, VALUE_CONFLICT, Refused, Session
from machine.registers import poke

SCAN_PERIOD = 10        # seconds between two scans of the watchdog
CLOCK = {"event": 0}
V2_CBO0_CTL0 = 0xd10


def msr_of(m, kind, die=0):
    """Return the MSR of the control of a type's first box, from `ucoretool list`."""
    boxes = [json.loads(line) for line in m.sh("ucoretool list -j").splitlines()]
    found = next(box for box in boxes
                 if (box["type"], box["instance"], box["die"]) == (kind, 0, die))
    return int(found["address"], 0)


def wait_for_conflict(m, s):
    m.wait_until(lambda: s.status()["conflicts"], timeout=4 * SCAN_PERIOD,
                 what="a scan of the watchdog")


def flags(s):
    return [value["flags"] & VALUE_CONFLICT for value in s.read()["values"]]


def assert_one_conflict_record(s, name):
    """Check that exactly one record reports a conflict, and only of that box."""
    gaps = [record for record in s.drain() if record["type"] == GAP]
    assert [gap["reason"] for gap in gaps] == [GAP_CONFLICT], gaps
    assert [gap["box"] for gap in gaps] == [s.ids[0, name]], (gaps, name)


def assert_conflict_logged(m, name):
    found = [line for line in m.dmesg().splitlines()
             if "another program or firmware writes" in line]
    assert len(found) == 1 and name in found[0], found
    out = m.run("ucoretool doctor", check=False).out
    assert f"{name} of die 0: another program or firmware wrote controls" in out, out


@test("e2-2s", strict=False, alone=True)
def control_written_by_another_program_is_reported(m):
    with Session(m, ring=1 << 16) as s:
        s.add("cbo0", 0, 0, **CLOCK)
        s.add("imc0", 0, 0, **CLOCK)
        s.start()
        poke(m, ("w", 0, V2_CBO0_CTL0, 0x400011))
        wait_for_conflict(m, s)
        assert flags(s) == [VALUE_CONFLICT, 0], s.read()
        assert_one_conflict_record(s, "cbo0")
        assert_conflict_logged(m, "cbo0")
        # the next START writes the control again, so that the conflict ends
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
        wait_for_conflict(m, s)
        assert flags(s) == [VALUE_CONFLICT, 0], s.read()
        assert_one_conflict_record(s, "cha0")
        assert_conflict_logged(m, "cha0")


@test(("e2-2s", "snbep-1s", "hswep-2s", "skx-1s", "icx-1s", "spr-2s"))
def undisturbed_controls_report_no_conflict(m):
    """Count with each box type, and check that a scan reports no read-back value as a conflict."""
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
        m.sh(f"sleep {SCAN_PERIOD + 2}")
        accesses = m.oracle("accesses")["total"]["all"] - before
        assert not s.status()["conflicts"], s.status()
    # a scan has read the control of each event
    assert accesses >= len(s.events), accesses
    assert "another program or firmware writes" not in m.dmesg()
