# SPDX-License-Identifier: GPL-2.0-only
"""Is the machine what the driver takes it for?  The trial of each box, and `ucoretool verify`.

An honest machine is found honest; of machines that lie about one thing that is found, and
what was claimed is claimed no more.
"""

import json
import re

from lab.framework import test

VERIFY = "ucoretool verify --yes --report /tmp/verify"
LINE = re.compile(r"(held|FAILED|not tried) +(\w+(?: freeze)?)  +(.*)")


def verify(m, status):
    """[(verdict, what, text)] of a run that ends with that status; the report says the same."""
    done = m.run(VERIFY, timeout=240, check=False)
    assert done.status == status, done.out + done.err
    found = [match.groups() for match in map(LINE.fullmatch, done.out.splitlines()) if match]
    assert found, done.out
    report = m.sh("cat /tmp/verify")
    for verdict, what, text in found:
        assert text in report, (verdict, what, text)
    assert not re.search(r"0x[0-9a-f]{4}|\b[0-9a-f]{4}:[0-9a-f]{2}:", report), report
    return found


def failed(found):
    return {what for verdict, what, _ in found if verdict == "FAILED"}


def held(found):
    return {what for verdict, what, _ in found if verdict == "held"}


def boxes(m):
    return [json.loads(line) for line in m.sh("ucoretool list -j").splitlines()]


@test(("e2-2s", "spr-2s"), timeout=300)
def an_honest_machine_holds(m):
    found = verify(m, 0)
    assert not failed(found), found
    assert {"width", "control", "run", "freeze", "box freeze", "owners", "clocks",
            "memory"} <= held(found), found
    overflow = any("overflow" in box["caps"] for box in boxes(m))
    assert ({"interrupts", "status"} <= held(found)) == overflow, found


@test("e2-2s", settings={"boxes.ha-width": 40}, strict=False, timeout=300)
def a_counter_that_is_narrower(m):
    found = verify(m, 1)
    assert failed(found) == {"width"}, found
    assert {box["width"] for box in boxes(m) if box["type"] == "ha"} == {40}
    assert "fewer bits" in m.dmesg()


@test("e2-2s", settings={"model.frz-all": "no"}, strict=False, timeout=300)
def a_freeze_that_does_not_freeze(m):
    # what counts on while its session is stopped may overflow when nobody listens any more
    m.allow(r"NMI received for unknown reason|Dazed and confused")
    found = verify(m, 1)
    assert "freeze" in failed(found), found
    assert "box freeze" in held(found), found
    out = m.sh("ucoretool stat -j -e imc0/CAS_COUNT.RD,die=0/ -- sleep 0.01")
    assert "unfrozen" in out, out


@test("e2-2s", settings={"faults.core-map": "1 0"}, strict=False, timeout=300)
def cores_that_are_numbered_in_another_way(m):
    m.allow(r"NMI received for unknown reason|Dazed and confused")
    found = verify(m, 1)
    assert "interrupts" in failed(found) <= {"interrupts", "status"}, found


# by two, so that the bits of one type are those of another that is armed, too; and
# memory controllers that count a few of the lines that are read, and too many of those written
@test("e2-2s", strict=False, timeout=300,
      settings={"model.status-shift": 2, "rates.imc.*.*.0x04.0x03": 1000,
                "rates.imc.*.*.0x04.0x0c": 4_000_000_000})
def status_bits_and_events_that_are_elsewhere(m):
    m.allow(r"NMI received for unknown reason|Dazed and confused")
    found = verify(m, 1)
    assert failed(found) == {"status", "memory"}, found
