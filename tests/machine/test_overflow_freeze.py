# SPDX-License-Identifier: GPL-2.0-only
"""Exact overflow samples on platforms with discovery tables, whose overflows send no PMI.

An overflow freezes the die, and polls of the global status find it (UCORE_SESSION_F_NO_PMI). A
trial in the self-test of each box shows whether the hardware does this. On a machine that differs
in one property, the driver falls back to polled periods.
"""

import errno
import json

from lab.framework import test
from lab.qemu import rates
from lab.session import (BOX_OVERFLOW, FIXED, GAP, MS, SAMPLE_FROZEN, SAMPLE_POLLED, SAMPLE_RECOVERED,
                         Session, assert_equal, flagged, interrupting, refused, sample_until)
from machine.armed import each_overflowed, run_armed, run_polled
from machine.eventset import instance_of, type_of
from machine.tables import found
from machine.test_no_pmi import SILENT, assert_late, overflow_windows
from machine.timers import budget_of

CAP_OVERFLOW_PMI = 2
CLOCK = {"event": 1}
ENABLE, STATUS, FREEZE, DIE, RESUME = (1 << bit for bit in range(8, 13))
TRIAL = ENABLE | STATUS | FREEZE | DIE | RESUME
# a period that is long enough for polls: at least 128 million counts (UCORE_POLL_MIN_NS)
POLLABLE = 150_000_000
# without a clock event, or without a control
NEVER_BOX = ("ubox", "iio_free", "pciex16", "pciex8")


# ---- helpers ----

def clock_of(box, platform):
    """Return the fields of the clock event of a box."""
    return {**CLOCK, "umask": 2} if box.startswith("cxlcm") and platform != "dmr" else CLOCK


def period_of(box, die, hz, platform):
    return rates.rate(type_of(box), instance_of(box), die, platform=platform,
                      **clock_of(box, platform)) // hz


def armed(s, boxes, dies=(0,), hz=10, ctr=0):
    """Return an event with a period for each box."""
    return [(box, die, ctr, period_of(box, die, hz + n, s.platform), clock_of(box, s.platform))
            for die in dies for n, box in enumerate(boxes)]


def selftest(s, box, die=0):
    return s.command(f"selftest {s.ids[die, box]}")


def caps_of(s, box, die=0):
    """Return the present capabilities of a box."""
    return next(row["caps"] for row in s.command("boxes")["boxes"] if row["box"] == s.ids[die, box])


def one_of_each_type(s):
    boxes = {}
    for die, box in sorted(s.ids):
        if type_of(box) not in NEVER_BOX:
            boxes.setdefault((die, type_of(box)), box)
    return boxes


def assert_samples(samples):
    for sample in samples:
        assert sample["flags"] & SILENT == SILENT, sample
        assert not sample["flags"] & SAMPLE_RECOVERED and not sample["ip"], sample
        assert sample["late_ns"], sample


def run_frozen(m, boxes, dies=(0,), times=2, **options):
    """Sample overflows of boxes; check every count with the model's count at the overflow."""
    with Session(m) as s:
        wanted = armed(s, boxes, dies, **options)
    samples = run_armed(m, wanted, each_overflowed(times), no_pmi=True)
    assert_samples(samples)
    return samples


# ---- correct machines ----

@test(("spr-2s", "gnr-2s", "emr-1s", "dmr-2s"), timeout=180)
def overflows_of_each_box_type_are_sampled_exactly(m):
    with Session(m) as s:
        assert not found(m)["caps"] & CAP_OVERFLOW_PMI
        boxes = one_of_each_type(s)
        wanted = [(box, die, None, period_of(box, die, 6 + n, s.platform),
                   clock_of(box, s.platform))
                  for n, ((die, _), box) in enumerate(boxes.items())]
    assert_samples(run_armed(m, wanted, each_overflowed(2), no_pmi=True))


@test(("spr-1s", "srf-1s", "grr-1s", "cwf-1s"), timeout=120)
def overflows_of_one_socket_are_sampled_exactly(m):
    run_frozen(m, ("cha1", "iio0", "imc1"), hz=30)


@test("spr-2s")
def late_ns_covers_the_time_for_which_the_die_stood_still(m):
    with budget_of(m, 100), Session(m, ring=1 << 22, no_pmi=True) as s:
        s.add_all(armed(s, ("imc1",), hz=40))
        # a counter without a period must stand at the same instant
        s.add("cha2", 0, 3, **CLOCK)
        mark = m.truth_length()
        s.start()
        samples = sample_until(m, s, lambda taken: len(taken) >= 30)
        assert_equal(s.sample_differences(samples, s.freezes(mark)))
        assert_late(samples, overflow_windows(m, mark, 0))
        status = s.status()
    assert status["polled"] == status["overflows"] == len(samples), status


MANY = {"boxes.cha": 60, "machine.cores": 60, "machine.plugged": 2}


@test("spr-2s", settings=MANY, timeout=120)
def overflows_in_the_second_status_word_are_found(m):
    """60 CHAs fill most of the first word, so that imc and upi have bits in the second one."""
    position = {unit["name"]: unit["word"][2] >> 32 & 0xffff
                for unit in found(m, everything=True)["units"] if unit["die"] == 0}
    assert min(position["imc0"], position["upi1"]) >= 64 > position["cha59"], position
    run_frozen(m, ("cha0", "cha59", "imc0", "imc3", "upi1", "cxldp0"), (0, 1), hz=20)


@test("unknown-1s")
def unknown_type_without_clock_event_is_not_tried(m):
    """Nothing can be observed without an event that counts clocks."""
    with Session(m, no_pmi=True) as s:
        with refused(errno.EOPNOTSUPP):
            s.add("type_00", 0, 0, 10000000, **CLOCK)
        assert not selftest(s, "type_00")["tested"] & TRIAL


@test("spr-2s", settings={"discovery.global-access": "pci"}, timeout=120)
def overflows_are_found_by_a_status_in_config_space(m):
    run_frozen(m, ("cha1", "imc0", "upi1"), (0, 1), hz=20)


@test("spr-2s", settings={"discovery.global-access": "mmio"}, timeout=120)
def overflows_are_found_by_a_status_in_memory(m):
    run_frozen(m, ("cha1", "imc0", "upi1"), (0, 1), hz=20)


# ---- what a client is told ----

@test("spr-2s", loaded=False, alone=True)
def box_reports_overflows_after_its_trial(m):
    m.insmod()
    with Session(m) as plain:
        assert not any(caps & BOX_OVERFLOW for caps in plain.caps.values()), plain.caps
        # a session that may poll starts no trial, and gets polled periods
        answer = plain.command(f"add {plain.ids[0, 'cha0']} 0 {POLLABLE} event=1")
        assert answer["poll_ns"] and not selftest(plain, "cha0")["tested"] & TRIAL
        with refused(errno.EOPNOTSUPP):
            plain.add("cha0", 0, 1, interrupting(POLLABLE), **CLOCK)
    with Session(m, no_pmi=True) as s:
        s.add("cha0", 0, 0, 10000000, **CLOCK)
        assert caps_of(s, "cha0") & BOX_OVERFLOW and not caps_of(s, "cha1") & BOX_OVERFLOW
        result = selftest(s, "cha0")
        assert result["tested"] & TRIAL == TRIAL and not result["failed"], result
        # neither the UBox has a clock event, nor is the overflow of a fixed counter known
        for box, ctr in (("ubox0", 0), ("imc0", FIXED)):
            with refused(errno.EOPNOTSUPP):
                s.add(box, 0, ctr, 10000000, **({} if ctr == FIXED else CLOCK))
    # without the flag the period is polled as before, and nothing stands still
    with Session(m, ring=1 << 20) as plain:
        answer = plain.command(f"add {plain.ids[0, 'cha0']} 0 {POLLABLE} event=1")
        assert answer["poll_ns"], answer
        plain.start()
        m.wait_until(lambda: plain.status()["samples"] >= 3, what="samples")
        plain.stop()
        records = [record for record in plain.drain() if "flags" in record]
    assert records and all(r["flags"] & (SAMPLE_POLLED | SAMPLE_FROZEN) == SAMPLE_POLLED
                           for r in records), records


def registers(m):
    """Return all counters and controls of the model, and the global controls."""
    return [(s["global_ctl"], s["frozen"], s["status_words"])
            for s in m.oracle("state")["sockets"]]


@test(("spr-2s", "gnr-2s"), loaded=False, alone=True)
def trial_leaves_all_registers_as_found(m):
    before = registers(m)
    m.insmod()
    with Session(m, no_pmi=True) as s:
        for (die, _), box in one_of_each_type(s).items():
            s.add(box, die, None, 1 << 40, **clock_of(box, s.platform))
    m.settle()
    assert registers(m) == before, (registers(m), before)
    for socket in m.oracle("counters")["sockets"]:
        assert not [counter for counter in socket if counter["ctl"]], socket


@test("spr-2s", loaded=False, alone=True)
def status_is_not_used_before_a_trial(m):
    """No public source states when a bit is set, so that a session that counts ignores them."""
    m.insmod()
    with Session(m, ring=1 << 20, timer_ns=50 * MS) as s:
        s.add("cha0", 0, 0, **CLOCK)
        s.start()
        m.inject("status 0 4")
        records = []
        m.wait_until(lambda: records.extend(s.drain()) or len(records) >= 60, what="samples")
        s.stop()
    assert not any(record["type"] == GAP for record in records), records
    assert m.oracle("state")["sockets"][0]["status_words"][0] == 4


# ---- other sessions on the die ----

@test("spr-2s", loaded=False, alone=True, timeout=120)
def trial_waits_for_an_idle_die(m):
    m.insmod()
    with Session(m) as counting, Session(m, ring=1 << 22, no_pmi=True) as s:
        counting.add_all([("cha3", 0, ctr, 0, {"event": 0x90 + ctr}) for ctr in range(4)])
        s.add_all(armed(s, ("imc1",), hz=50))
        counting.start()
        reads = m.oracle("state")["sockets"][0]["freezes"]
        for box in ("imc0", "cha0"):
            with refused(errno.EBUSY):
                s.add(box, 0, 0, 10000000, **CLOCK)
        # nothing was frozen, and what the other session counts is exact
        assert m.oracle("state")["sockets"][0]["freezes"] == reads
        counting.read_exactly()
        # the tested box is sampled beside the session that counts
        mark = m.truth_length()
        s.start()
        samples = sample_until(m, s, lambda taken: len(taken) >= 10)
        assert_equal(s.sample_differences(
            [sample for sample in samples if flagged(sample)],
            [freeze for freeze in s.freezes(mark) if freeze["cause"]]))
        assert_samples([sample for sample in samples if flagged(sample)])
        counting.stop_exactly()
        s.add("imc0", 0, 0, 10000000, **CLOCK)


@test("spr-2s", timeout=120)
def polled_and_frozen_periods_of_one_event_share_a_die(m):
    """One session polls the periods of an event on a box, and another lets them freeze the die."""
    with budget_of(m, 100), Session(m, ring=1 << 22, no_pmi=True) as silent, \
            Session(m, ring=1 << 22) as polled:
        silent.add_all(armed(silent, ("imc1", "cha1"), hz=40))
        period = POLLABLE
        polled.add("imc1", 0, 0, period, **CLOCK)
        polled.add("imc1", 0, 1, period, **CLOCK)
        mark = m.truth_length()
        silent.start()
        polled.start()
        m.wait_until(lambda: min(silent.status()["samples"], polled.status()["samples"]) >= 12,
                     what="samples")
        polled.stop()
        samples = sample_until(m, silent, lambda taken: len(taken) >= 12)
        records = [record for record in polled.drain() if "flags" in record]
        assert_equal(silent.sample_differences(
            [sample for sample in samples if flagged(sample)],
            [f for f in silent.freezes(mark) if {"imc1.0", "cha1.0"} & set(f["cause"])]))
    assert all(record["flags"] & SAMPLE_POLLED for record in records), records
    counts = [value["count"] // period for record in records for value in record["values"]
              if value["flags"] & 1]
    assert counts == sorted(counts) and len(counts) >= 12, counts


# ---- machines on which an overflow does something else ----

def flaw(name, what, failed, text, settings):
    """Register a test of a machine that differs in one property."""
    def run(m):
        m.insmod()
        with Session(m, no_pmi=True) as s:
            for _ in range(2):
                with refused(errno.EOPNOTSUPP):
                    s.add("cha0", 0, 0, 10000000, **CLOCK)
            result = selftest(s, "cha0")
            assert result["failed"] & TRIAL == failed and text in result["reason"], result
            assert bool(result["missing"]) == (what == "control"), result
            assert not caps_of(s, "cha0") & BOX_OVERFLOW
        state = m.oracle("state")["sockets"][0]
        assert not state["frozen"] and not any(state["status_words"]), state
        assert text in m.dmesg()
        # a failed trial is no problem of the machine
        assert not json.loads(m.sh("ucoretool info -j"))["reason"]
        run_polled(m, [("cha0", 0, 0, POLLABLE, CLOCK)], lambda _, taken: len(taken) >= 5)
        m.rmmod()
    run.__name__ = name
    # the model calls a write of a bit that a control lacks a violation
    test("spr-2s", settings=settings, loaded=False, strict=what != "control", timeout=120)(run)


flaw("control_without_overflow_enable_is_polled", "control", ENABLE,
     "do not keep the overflow enable", {"boxes.cha-ctl-absent": 1 << 20})
flaw("overflow_enable_without_effect_is_polled", "nothing", STATUS | FREEZE | DIE,
     "does not set the bit", {"model.overflow": "ignored"})
flaw("overflow_that_freezes_its_box_only_is_polled", "box", DIE,
     "only some boxes", {"model.overflow": "box"})
flaw("overflow_without_status_bit_is_polled", "bit", STATUS,
     "does not set the bit", {"model.overflow": "no-bit"})
flaw("overflow_with_status_bit_of_another_box_is_polled", "bit", STATUS,
     "does not set the bit", {"model.overflow": "other-bit"})


@test("spr-2s", settings={"model.overflow": "stuck"}, loaded=False, alone=True, timeout=120)
def freeze_that_does_not_end_is_tried_once(m):
    """The die of the first trial is lost until a reset. The other die is not tried, and counts."""
    m.insmod()
    with Session(m, no_pmi=True) as s:
        for die, box in ((0, "cha0"), (0, "cha1"), (1, "cha0")):
            with refused(errno.EOPNOTSUPP):
                s.add(box, die, 0, 10000000, **CLOCK)
        result = selftest(s, "cha0")
        assert result["failed"] & TRIAL == RESUME and "until a reboot" in result["reason"], result
        assert not selftest(s, "cha0", 1)["tested"] & TRIAL
    assert "does not end" in m.dmesg()
    assert "does not end" in json.loads(m.sh("ucoretool info -j"))["reason"]
    with Session(m) as s:
        s.add("cha0", 1, 0, **CLOCK)
        s.start()
        assert all(value["count"] for value in s.read_exactly()["values"])
