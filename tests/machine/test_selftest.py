# SPDX-License-Identifier: GPL-2.0-only
"""The self-test of each box, and `ucoretool verify`.

A correct machine passes. On a machine that differs from the documentation in one property,
verify finds that property, and the driver stops offering it.
"""

import errno
import json
import re

from lab.framework import test
from lab.session import Session, refused
from machine.registers import poke
from machine.tables import appended, record
from machine.test_discovery import CHA0_MSR, HOLE_MSR, NEW

# first word of the record of cha0 on spr-2s, with a larger width; control register of cbo1
WIDER = record(CHA0_MSR, 0, width=56)[0]
CBO1_CTL0 = 0xd30
VERIFY = "ucoretool verify --yes --report /tmp/verify"
LINE = re.compile(r"(passed|FAILED|not tested) +(\w+(?: freeze)?)  +(.*)")


def verify(m, status):
    """Return [(verdict, what, text)] of a run with the expected exit status; the report must
    agree."""
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


def passed(found):
    return {what for verdict, what, _ in found if verdict == "passed"}


def boxes(m):
    return [json.loads(line) for line in m.sh("ucoretool list -j").splitlines()]


# one correct machine of each generation, for which verify must report no error
# Servers that differ in more than the numbers of their boxes
CORRECT = ("e2-2s", "spr-2s", "snbep-2s", "hswep-2s", "bdxep-2s", "skx-2s", "icx-2s", "snr-1s",
           "gnr-2s", "grr-1s", "dmr-2s")


@test(CORRECT, timeout=300)
def verify_passes_on_a_correct_machine(m):
    found = verify(m, 0)
    assert not failed(found), found
    absent = {what for verdict, what, text in found
              if verdict == "not tested" and text.startswith("no box has this feature")}
    assert absent <= {"freeze", "box freeze"}, found
    # memory is not tested on Diamond Rapids, because its event names are not published
    if "dmr" in m.scenario:
        absent.add("memory")
    assert {"width", "control", "run", "freeze", "box freeze", "owners", "clocks",
            "memory"} <= passed(found) | absent, found
    interrupts = json.loads(m.sh("ucoretool info -j"))["overflow_pmi"]
    assert ({"interrupts", "status"} <= passed(found)) == interrupts, found
    # without interrupts, an overflow must freeze the die
    assert ("overflow" in passed(found)) == ("discovery" in passed(found)), found


@test("e2-2s", timeout=300)
def verify_uses_another_box_when_one_is_in_use(m):
    with Session(m) as s:
        # other events than verify's, which would share their counters
        s.add_all([("qpi0", 0, ctr, 0, {"event": 0}) for ctr in range(4)])
        s.start()
        texts = [text for verdict, what, text in verify(m, 0) if what == "interrupts"]
    assert any(text.startswith("qpi1 of die 0: each of 2") for text in texts), texts
    assert not any(text.startswith("qpi0 of die 0") for text in texts), texts


@test("e2-2s", settings={"boxes.ha-width": 40}, strict=False, timeout=300)
def verify_detects_a_narrower_counter(m):
    found = verify(m, 1)
    assert failed(found) == {"width"}, found
    assert {box["width"] for box in boxes(m) if box["type"] == "ha"} == {40}
    assert "fewer bits" in m.dmesg()


@test("e2-2s", settings={"model.frz-all": "no"}, strict=False, timeout=300)
def verify_detects_an_ineffective_freeze(m):
    # a counter that counts on after STOP may overflow without a handler
    m.allow(r"NMI received for unknown reason|Dazed and confused")
    found = verify(m, 1)
    assert "freeze" in failed(found), found
    assert "box freeze" in passed(found), found
    out = m.sh("ucoretool stat -j -e imc0/CAS_COUNT.RD,die=0/ -- sleep 0.01")
    assert "unfrozen" in out, out
    reason = "the die's freeze does not stop it"
    assert reason in m.sh("ucoretool info") and reason in m.sh("ucoretool doctor")


@test("e2-2s", settings={"faults.core-map": "1 0"}, strict=False, timeout=300)
def verify_detects_other_core_numbering(m):
    m.allow(r"NMI received for unknown reason|Dazed and confused")
    found = verify(m, 1)
    assert "interrupts" in failed(found) <= {"interrupts", "status"}, found


# shifted by two, so that the status bits of one type are those of another armed type; and
# memory controllers that count too few of the reads and too many of the writes
@test("e2-2s", strict=False, timeout=300,
      settings={"model.status-shift": 2, "rates.imc.*.*.0x04.0x03": 1000,
                "rates.imc.*.*.0x04.0x0c": 4_000_000_000})
def verify_detects_moved_status_bits_and_events(m):
    m.allow(r"NMI received for unknown reason|Dazed and confused")
    found = verify(m, 1)
    assert failed(found) == {"status", "memory"}, found


# ---- machines with one wrong property ----

def flaw(name, what, scenario="e2-2s", settings=None, named="", also=()):
    """Register a test of a machine with one wrong property, which `verify` must name."""
    def run(m):
        m.allow(r"NMI received for unknown reason|Dazed and confused")
        found = verify(m, 1)
        assert what in failed(found) <= {what, *also}, found
        texts = [text for verdict, check, text in found if verdict == "FAILED" and check == what]
        assert any(named in text for text in texts), (named, texts)
    run.__name__ = name
    test(scenario, settings=settings, strict=False, timeout=300)(run)


flaw("cores_whose_numbers_have_holes", "interrupts",
     settings={"faults.core-map": "0 -1 1"}, also={"status"})
flaw("a_box_freeze_that_does_not_freeze", "box freeze", settings={"model.box-freeze": "no"},
     named="imc0 of die 0")
flaw("a_control_without_a_threshold_bit", "control", settings={"boxes.ha-ctl-absent": 1 << 30},
     named="ha0 of die 0")
flaw("a_clock_that_does_not_count", "run", settings={"rates.imc.1.1.fixed": 0},
     named="imc1 of die 1", also={"clocks", "interrupts"})
# the table reports a larger width for the first unit of die 0, a CHA
flaw("a_width_that_the_table_overstates", "width", scenario="spr-2s",
     settings={"discovery.0:record.1.0": hex(WIDER)}, named="cha0 of die 0")
flaw("an_overflow_that_freezes_its_box_only", "overflow", scenario="spr-2s",
     settings={"model.overflow": "box"}, named="only some boxes")
flaw("a_unit_that_does_not_respond", "discovery", scenario="spr-2s",
     settings=appended([record(HOLE_MSR, NEW, 1)], 0), named="1 of ")


@test("e2-2s", loaded=False, strict=False, timeout=300)
def verify_detects_a_control_of_another_owner(m):
    poke(m, ("w", 2, CBO1_CTL0, 1 << 22 | 0x11))
    m.insmod()
    found = verify(m, 1)
    assert failed(found) == {"owners"}, found
    assert any(verdict == "FAILED" and "cbo1 of die 1" in text for verdict, _, text in found), found


# ---- the trial of the reserved overflow enable of C-Boxes and IRPs ----

def tried(m, status):
    """Load the module with the trial; return [(verdict, text)] of verify about it."""
    m.insmod(parameters="try_overflow=1")
    mark = m.truth_length()
    found = [(verdict, text) for verdict, what, text in verify(m, status) if what == "overflow"]
    # the boxes work after the trial, and their periods are polled in either case
    assert not [box for box in boxes(m) if box["type"] in ("cbo", "irp") and
                "overflow" in box["caps"]]
    with Session(m) as s:
        s.add("cbo0", 0, 0, event=0)
        s.add("irp0", 0, 0, event=0)
        s.start()
        s.read_exactly()
    return found, mark


@test("e2-1s", loaded=False, strict=False, timeout=300)
def faulting_overflow_enable_is_tried_without_damage(m):
    found, _ = tried(m, 0)
    assert [verdict for verdict, _ in found] == ["passed"], found
    tried_boxes = [box for box in boxes(m) if box["type"] in ("cbo", "irp")]
    assert f" {len(tried_boxes)} boxes tried" in found[0][1], found


@test("e2-1s", settings={"model.cbox-ov-en": "yes"}, loaded=False, strict=False, timeout=300)
def working_overflow_enable_is_reported(m):
    found, mark = tried(m, 1)
    # an IRP has no bit in the model's global status
    assert [verdict for verdict, _ in found] == ["FAILED"] and "cbo0 of die 0" in found[0][1] and \
        "irp" not in found[0][1], found
    causes = {cause for freeze in m.truth("freeze", mark) for cause in freeze["cause"]}
    assert "cbo0.0" in causes, causes


@test("e2-1s", settings={"model.cbox-ov-en": "yes"}, timeout=300)
def overflow_enable_is_not_tried_without_the_parameter(m):
    assert "overflow" not in {what for _, what, _ in verify(m, 0)}


# ---- a hypervisor that ignores MSRs ----

IGNORED = {"machine.hypervisor": "yes", "machine.msrs-ignored": "yes"}


@test("e2-2s", settings=IGNORED, loaded=False, strict=False, timeout=300)
def msrs_ignored_by_a_hypervisor_are_no_counters(m):
    m.insmod()
    with Session(m) as s:
        with refused(errno.ENODEV):
            s.add("cbo0", 0, 0, event=0)
    assert "a hypervisor ignores it" in m.dmesg(), m.dmesg()
    found = verify(m, 1)
    assert "width" in failed(found), found
    assert any(what == "machine" and "a hypervisor" in text for _, what, text in found), found


# ---- output, and permissions ----

HOST = "cherry-orchard"


@test("e2-2s", timeout=300)
def verify_report_identifies_no_machine(m):
    """The plan before the tests names effects, duration and permissions; the report no machine."""
    m.sh(f"hostname {HOST}")
    done = m.run(VERIFY, timeout=240)
    plan, _, rest = done.out.partition("\n\n")
    for said in ("a die on which nothing counts is frozen for about 100 us each time",
                 "about a second", "need CAP_SYS_NICE (root)", "Other sessions continue to count"):
        assert said in plan, plan
    assert not re.search("^(passed|FAILED|not tested)", plan, re.M) and "passed" in rest, done.out
    report = m.sh("cat /tmp/verify")
    for word in (HOST, "root", "/root", "localhost"):
        assert word not in report, (word, report)
    # data that identify a machine or network
    address = r"0x[0-9a-f]+|\b[0-9a-f]{2}:[0-9a-f]{2}\b|\d+\.\d+\.\d+\.\d+"
    assert not re.search(address, report), report


@test("e2-2s", timeout=300)
def verify_without_permission_reports_what_is_missing(m):
    node = m.sh("stat -c %a /dev/ucore")
    before = m.oracle("accesses")["total"]
    said = m.run("as 1000 ucoretool verify --yes", check=False)
    assert said.status == 1 and "/dev/ucore" in said.err and "ermission" in said.err, \
        (node, said.out, said.err)
    assert not said.out and m.oracle("accesses")["total"] == before, said.out
    m.sh("chmod 666 /dev/ucore")
    try:
        # the process can use only the CPUs of its affinity
        said = m.run("taskset 1 as 1000 ucoretool verify --yes", check=False, timeout=240)
        assert "need CAP_SYS_NICE" in said.out, said.out
        lines = re.findall("^(.*?) +interrupts +(.*)", said.out, re.M)
        assert said.status == 0 and lines, said.out + said.err
        assert {verdict for verdict, text in lines if "die 1" in text} == {"not tested"}, lines
    finally:
        m.sh(f"chmod {node} /dev/ucore")
