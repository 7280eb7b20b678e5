# SPDX-License-Identifier: GPL-2.0-only
"""E5-2600 v1: dies that are frozen box by box, and polled periods.

There is no global control, no status and no overflow interrupt. The model logs the freeze of
each box, so that every value, skew, delay and the order of the writes can be compared. The
rules for a box control (no bit 17, no frz without frz_en, frz_en while a counter is on) are
checked by the model's strict mode in every test.
"""

import errno
import json
import re
import statistics

from lab import truth
from lab.framework import test
from lab.qemu import rates
from lab.session import (BOX_OVERFLOW, FIXED, MS, SAMPLE_POLLED, TRIGGER_TIMER, US, VALUE_UNFROZEN,
                         Session, assert_equal, die_of, flagged, freezes_since, interrupting,
                         refused, sample_until, samples_in, totals_at)
from machine import eventset
from machine.armed import assert_skews, each_overflowed, run_polled
from machine.timers import assert_requests_every, assert_late_by_one_poll, budget_of, traced

CLOCK = {"event": 0x00}
# events that count each cycle of a box once: box -> counter, fields
CLOCKS = {"cbo0": (0, CLOCK), "cbo1": (3, CLOCK), "pcu0": (1, CLOCK), "ha0": (2, CLOCK),
          "imc0": (3, CLOCK), "imc1": (FIXED, {}), "imc3": (0, CLOCK), "qpi0": (0, {"event": 0x14}),
          "qpi1": (3, {"event": 0x14}), "r2pcie0": (1, {"event": 0x01}),
          "r3qpi0": (2, {"event": 0x01}), "ubox0": (FIXED, {})}
BOX_FIXED_OVERFLOW, BOX_FREEZE = 2, 4       # ucore.h
RUN = 0x10000


# ---- helpers ----

def times(event):
    """Return box -> time of the write to its control, from a freeze or unfreeze of the log."""
    return {box["box"]: box["t"] for box in event["boxes"]}


def unfreezes_of(machine, mark):
    """Return sequence number of a freeze -> the log line of its unfreeze."""
    return {line["seq"]: line for line in machine.truth("unfreeze", mark)}


def with_freezes(samples, freezes):
    """Yield (sample, its freeze), matched by their order on each die."""
    for die in (0, 1):
        of_die = [sample for sample in samples if sample["domain"] == die]
        yield from zip(of_die, [freeze for freeze in freezes if freeze["socket"] == die])


def all_clocks(dies=(0, 1)):
    return [(box, die, ctr, 0, fields) for die in dies for box, (ctr, fields) in CLOCKS.items()]


def timer_run(machine, wanted, count, timer_ns=20 * MS):
    """Return exact timer samples as (sample, freeze, unfreeze); wanted=None: all counters."""
    # a slower timer for all counters, because the serial port is slow
    with Session(machine, timer_ns=timer_ns if wanted else 100 * MS, ring=1 << 22) as s:
        s.add_all(wanted or eventset.full_set(s))
        mark = machine.truth_length()
        s.start()
        samples = sample_until(machine, s, lambda found: len(found) >= count)
        freezes = s.freezes(mark)
        assert_equal(s.sample_differences(samples, freezes))
        unfreezes = unfreezes_of(machine, mark)
    return [(sample, freeze, unfreezes[freeze["seq"]])
            for sample, freeze in with_freezes(samples, freezes)]


# ---- frozen box by box ----

@test(("snbep-2s", "snbep-1s"), timeout=120)
def timer_sample_counts_match_each_box_freeze(m):
    dies = 2 if m.scenario == "snbep-2s" else 1
    run = timer_run(m, None, 20 * dies)
    for sample, freeze, _ in run:
        assert freeze["reason"] == "boxes" and sample["trigger"] == TRIGGER_TIMER, (sample, freeze)
        assert len(sample["values"]) == 57 and len(freeze["boxes"]) == 13, (sample, freeze)
        unfrozen = [v["event"] for v in sample["values"] if v["flags"] & VALUE_UNFROZEN]
        assert len(unfrozen) == 3, sample       # all counters of the UBox
    assert {sample["domain"] for sample, *_ in run} == set(range(dies))


@test("snbep-2s")
def skew_and_frozen_time_match_the_model(m):
    run = timer_run(m, all_clocks(), 60)
    assert_skews([sample["skew_ns"] for sample, *_ in run],
                 [freeze["skew"] for _, freeze, _ in run])
    for sample, freeze, unfreeze in run:
        # the driver measures from before the freeze of the first box to after the last unfreeze
        whole = unfreeze["t"] - freeze["first"]
        assert 0 < sample["skew_ns"] < sample["frozen_ns"], sample
        assert sample["frozen_ns"] > whole * 0.999 - US, (sample, freeze, unfreeze)
    longer = [sample["frozen_ns"] - (unfreeze["t"] - freeze["first"])
              for sample, freeze, unfreeze in run]
    assert statistics.median(longer) < 500 * US, longer


@test("snbep-2s")
def skew_covers_only_the_session_boxes(m):
    """The skew is 0 with one box, and larger with many boxes than with two."""
    one = timer_run(m, [("imc0", 0, 0, 0, CLOCK), ("ubox0", 0, FIXED, 0, {})], 10)
    assert {sample["skew_ns"] for sample, *_ in one} == {0}, one
    two = timer_run(m, [("cbo0", 0, 0, 0, CLOCK), ("imc0", 0, 0, 0, CLOCK)], 20)
    many = timer_run(m, all_clocks((0,)), 20)
    skews = [[sample["skew_ns"] for sample, *_ in run] for run in (two, many)]
    # the minimum, because a busy host may delay the CPU between two writes
    assert min(skews[0]) * 1.5 < min(skews[1]), skews


@test("snbep-2s")
def read_reports_skew_within_and_between_dies(m):
    with Session(m) as s:
        s.add_all(all_clocks())
        s.start()
        for _ in range(5):
            answer = s.read_exactly()
            dies = answer["domains"]
            assert all(0 < die["skew_ns"] < die["frozen_ns"] for die in dies), dies
            ends = [die["time"] + die["skew_ns"] for die in dies]
            assert answer["skew_ns"] == max(ends) - min(die["time"] for die in dies), answer
    assert die_of(m, 0)["skew_max_ns"] >= dies[0]["skew_ns"], dies


@test("snbep-2s")
def boxes_freeze_and_unfreeze_in_one_order(m):
    """Boxes are frozen and unfrozen in the same order, so that their counting times are similar."""
    for _, freeze, unfreeze in timer_run(m, all_clocks(), 20):
        frozen, unfrozen = times(freeze), times(unfreeze)
        assert sorted(frozen, key=frozen.get) == sorted(unfrozen, key=unfrozen.get), \
            (freeze, unfreeze)
        assert max(frozen.values()) < min(unfrozen.values()), (freeze, unfreeze)


@test("snbep-2s")
def ubox_starts_just_before_other_boxes_unfreeze(m):
    """The UBox's counters are programmed first and start last; their counts show the start."""
    gaps = []
    for _ in range(4):
        with Session(m) as s:
            s.add("ubox0", counter=1, event=0x42, umask=0x08)
            s.add("ubox0", counter=FIXED)
            s.add_all([w for w in eventset.full_set(s) if w[0] != "ubox0" and w[1] == 0])
            mark = m.truth_length()
            s.start()
            s.read_exactly()
            freeze, unfreeze = m.truth("freeze", mark)[0], m.truth("unfreeze", mark)[0]
            for counter in freeze["counters"]:
                if counter["box"] == "ubox0":
                    count = counter["total"] - s.base[0][counter["box"], counter["ctr"]]
                    began = freeze["t"] - count * 1000000000 // counter["rate"]
                    # one count of the slower event takes tens of nanoseconds
                    assert began <= unfreeze["first"] + US, (began, unfreeze)
                    gaps.append(unfreeze["first"] - began)
    # a small gap shows that the UBox starts after the hundreds of accesses for other boxes
    assert min(gaps) < 200 * US, gaps


@test("snbep-2s")
def sessions_freezing_a_shared_die_stay_exact(m):
    with Session(m, timer_ns=7 * MS, ring=1 << 20) as a, Session(m, ring=1 << 20) as b:
        a.add("imc0", 0, 0, **CLOCK)
        a.add("cbo0", 0, 0, **CLOCK)
        b.add("ha0", 0, 1, eventset.period_for("ha0", 0, 1, CLOCK, 90, "snbep"), **CLOCK)
        b.add("imc1", 0, FIXED)
        mark = m.truth_length()
        a.start()
        b.start()
        m.wait_until(lambda: min(s.status()["samples"] for s in (a, b)) > 10, what="samples")
        b.stop()
        a.stop()
        freezes = [freeze for freeze in freezes_since(m, mark)
                   if ("ha0", 1) in totals_at(freeze)]
        assert all(set(times(freeze)) == {"imc0", "cbo0", "ha0", "imc1"} for freeze in freezes), \
            freezes
        for s in (a, b):
            truths = {tuple(s.true_count(event, {0: totals}) for event in s.events)
                      for totals in map(totals_at, m.truth("freeze", mark))
                      if s is a or ("ha0", 1) in totals}
            counts = [tuple(value["count"] for value in sample["values"])
                      for sample in samples_in(s.drain())]
            strays = [count for count in counts if count not in truths]
            assert len(counts) > 10 and not strays, strays


@test("snbep-2s")
def box_freeze_does_not_stop_boxes_of_other_sessions(m):
    with Session(m, box_freeze=True) as s, Session(m) as other:
        for box in ("imc0", "qpi0"):
            s.add(box, 0, CLOCKS[box][0], **CLOCKS[box][1])
        other.add("ha0", 0, 0, **CLOCK)
        other.start()
        s.start()
        mark = m.truth_length()
        answers = [s.read() for _ in range(5)]
        lines = m.truth("box-freeze", mark)
        assert {line["box"] for line in lines} == {"imc0", "qpi0"}, lines
        assert not m.truth("freeze", mark), m.truth("freeze", mark)
        for number, answer in enumerate(answers):
            totals = {}
            for line in lines[2 * number:2 * number + 2]:
                totals.update({(c["box"], c["ctr"]): c["total"] for c in line["counters"]})
            assert_equal(s.differences(answer["values"], {0: totals}))
            assert answer["domains"][0]["skew_ns"], answer


# ---- reported capabilities ----

@test(("snbep-2s", "snbep-1s"))
def info_reports_neither_global_freeze_nor_interrupt(m):
    info = json.loads(m.sh("ucoretool info -j"))
    assert info["platform"] == "snbep" and not info["global_freeze"], info
    assert not info["overflow_pmi"] and not info["discovery"], info
    said = m.sh("ucoretool info")
    assert "freeze box by box, sample by a timer or by polling" in said, said
    assert "SKEW" in said, said
    with Session(m) as s:
        for (die, box), caps in s.caps.items():
            assert not caps & (BOX_OVERFLOW | BOX_FIXED_OVERFLOW), (die, box, caps)
            assert bool(caps & BOX_FREEZE) == (box != "ubox0"), (die, box, caps)


@test("snbep-2s", alone=True)
def session_lifecycle_never_writes_reserved_bits(m):
    """Strict mode detects no write of 1 to bit 17 of a box control or to other reserved bits."""
    with Session(m, timer_ns=20 * MS, ring=1 << 20) as s:
        s.add_all(eventset.full_set(s))
        for _ in range(2):
            s.start()
            m.wait_until(lambda: s.status()["samples"] > 4, what="samples")
            s.read()
            s.command("reset")
            s.live()
            s.stop()
    m.settle()
    m.rmmod()
    assert not m.oracle("violations")["count"], m.oracle("violations")["list"][:5]
    for socket in m.oracle("state")["sockets"]:
        words = {box["box"]: box["box_ctl"] for box in socket["boxes"] if box["box"] != "ubox0"}
        assert set(words.values()) == {RUN}, words
    assert not [c for socket in m.oracle("counters")["sockets"] for c in socket if c["ctl"]]
    m.insmod()


# ---- polled periods ----

def polled_clocks(hz):
    """Return clock events with different periods on all box types of both dies, for add_all()."""
    return [(box, die, ctr, eventset.period_for(box, die, ctr, fields, hz + number % 5, "snbep"),
             fields)
            for die in (0, 1) for number, (box, (ctr, fields)) in enumerate(CLOCKS.items())]


@test("snbep-2s", timeout=120)
def polled_periods_are_exact_and_delays_are_reported(m):
    samples = run_polled(m, polled_clocks(15), each_overflowed(4))
    assert {sample["domain"] for sample in samples} == {0, 1}
    assert not any(sample["skew_ns"] > sample["frozen_ns"] for sample in samples), samples


def run_polled_traced(m, wanted, enough):
    """Return the samples of polled periods on die 0, and the polling timer."""
    with traced(m, "poll_tick") as timers:
        samples = run_polled(m, wanted, enough)
        timer, = timers().values()
    return samples, timer


@test(("snbep-2s", "snbep-1s"))
def polled_samples_are_late_by_at_most_one_poll(m):
    """The period ends after 10.7 ms. The driver polls each 2 ms, as for a clock of 5 GHz."""
    wanted = [("imc0", 0, 0, 10000000, CLOCK), ("cbo0", 0, 0, 0, CLOCK), ("ubox0", 0, FIXED, 0, {})]
    samples, timer = run_polled_traced(m, wanted, lambda _, found: len(found) > 60)
    assert_requests_every(timer, 2 * MS)
    assert_late_by_one_poll(timer, samples)


@test("snbep-2s")
def poll_rate_follows_the_shortest_possible_period(m):
    """poll_ns is the period at 5 GHz times the event's maximum per clock, 100 us to 10 ms."""
    with Session(m) as s:
        def poll_ns(box, counter, period, **fields):
            terms = " ".join(f"{name}={value}" for name, value in fields.items())
            bits = 1 << 32 if counter == FIXED else 1 << counter
            return s.command(f"add {s.ids[0, box]} {bits} {period} {terms}")["poll_ns"]
        # maximum per clock: CAS_COUNT 1, RPQ_OCCUPANCY 22, events without a documented maximum 139
        for counter, fields, most in ((0, {"event": 0x04, "umask": 3}, 1), (1, {"event": 0x80}, 22),
                                      (2, {"event": 0x43}, 139), (FIXED, {}, 1),
                                      (3, {"event": 0x80, "thresh": 5}, 1)):
            with refused(errno.ERANGE):
                poll_ns("imc0", counter, 500000 * most - 1, **fields)
            assert poll_ns("imc0", counter, 500000 * most, **fields) == 100 * US, fields
            assert poll_ns("imc1", counter, 5000000 * most, **fields) == 1 * MS, fields
            assert poll_ns("imc2", counter, 50000000 * most, **fields) == 10 * MS, fields
            assert poll_ns("imc3", counter, 1 << 60, **fields) == 10 * MS, fields


@test("snbep-2s")
def shortest_period_is_polled_every_100_us(m):
    """WPQ_INSERTS is a slow event: more than a hundred periods a second, each seen by the next
    poll."""
    wanted = [("imc0", 0, 0, 500000, {"event": 0x20})]
    samples, timer = run_polled_traced(m, wanted, lambda _, found: len(found) > 20)
    assert_requests_every(timer, 100 * US)
    assert_late_by_one_poll(timer, samples)


@test("snbep-2s")
def timer_and_polled_periods_combine(m):
    with Session(m, timer_ns=9 * MS, ring=1 << 20) as s:
        period = eventset.period_for("qpi0", 0, 0, {"event": 0x14}, 60, "snbep")
        s.add("qpi0", 0, 0, period, event=0x14)
        s.add("pcu0", 0, 0, **CLOCK)
        mark = m.truth_length()
        s.start()
        samples = sample_until(m, s, lambda found: len(found) > 60)
        assert_equal(s.sample_differences(samples, s.freezes(mark)))
        status = s.status()
    polled = [sample for sample in samples if sample["flags"] & SAMPLE_POLLED]
    timed = [sample for sample in samples if sample["trigger"] == TRIGGER_TIMER]
    assert len(polled) > 10 and len(timed) > 10 and len(polled) + len(timed) == len(samples)
    assert all(flagged(sample) == {0} for sample in polled) and not any(map(flagged, timed))
    assert status["polled"] == len(polled), status
    multiples = [sample["values"][0]["count"] // period for sample in polled]
    assert multiples == sorted(set(multiples)), multiples


@test("snbep-2s")
def interrupting_period_is_refused_on_v1(m):
    with Session(m) as s:
        for box, (ctr, fields) in CLOCKS.items():
            with refused(errno.EOPNOTSUPP):
                s.add(box, 0, ctr, interrupting(1 << 40), **fields)
            s.add(box, 0, ctr, 1 << 40, **fields)
        # SET_PMI_CPUS works without a PMI, and makes the first CPU the reader
        s.command("cpu 1 2")
        s.start()
        assert [die["cpu"] for die in s.read()["domains"]] == [1]


@test("snbep-2s")
def polling_follows_the_reader(m):
    with Session(m, ring=1 << 20) as s:
        period = eventset.period_for("ha0", 1, 0, CLOCK, 50, "snbep")
        s.add("ha0", 1, 0, period, **CLOCK)
        s.command("cpu 3")
        mark = m.truth_length()
        s.start()
        try:
            m.wait_until(lambda: s.status()["polled"] > 5, what="samples")
            m.write("/sys/devices/system/cpu/cpu3/online", 0)
            polled = s.status()["polled"]
            m.wait_until(lambda: s.status()["polled"] > polled + 5, what="samples on CPU 2")
        finally:
            m.write("/sys/devices/system/cpu/cpu3/online", 1)
        s.stop()
        samples = samples_in(s.drain())
        truths = [s.true_count(0, {1: totals_at(freeze)}) for freeze in m.truth("freeze", mark)
                  if freeze["socket"] == 1]
    assert {sample["cpu"] for sample in samples} == {2, 3}, samples
    counts = [sample["values"][0]["count"] for sample in samples]
    assert set(counts) <= set(truths), (counts, truths)
    multiples = [count // period for count in counts]
    assert multiples == sorted(set(multiples)) and multiples[0] >= 1, multiples


# ---- the memory controller ----

# The manual's table: event -> code
IMC_EVENTS = {
    "ACT_COUNT": 0x01, "PRE_COUNT": 0x02, "CAS_COUNT": 0x04, "DRAM_REFRESH": 0x05,
    "DRAM_PRE_ALL": 0x06, "MAJOR_MODES": 0x07, "PREEMPTION": 0x08, "ECC_CORRECTABLE_ERRORS": 0x09,
    "RPQ_INSERTS": 0x10, "RPQ_CYCLES_NE": 0x11, "RPQ_CYCLES_FULL": 0x12, "WPQ_INSERTS": 0x20,
    "WPQ_CYCLES_NE": 0x21, "WPQ_CYCLES_FULL": 0x22, "WPQ_READ_HIT": 0x23, "WPQ_WRITE_HIT": 0x24,
    "POWER_THROTTLE_CYCLES": 0x41, "POWER_SELF_REFRESH": 0x43, "RPQ_OCCUPANCY": 0x80,
    "WPQ_OCCUPANCY": 0x81, "POWER_CKE_CYCLES": 0x83, "POWER_CHANNEL_DLLOFF": 0x84,
    "POWER_CHANNEL_PPD": 0x85, "POWER_CRITICAL_THROTTLE_CYCLES": 0x86}


def imc_events(machine):
    """Return the iMC events that the tool lists, with one entry for each subevent."""
    events = [json.loads(line) for line in machine.run("ucoretool list events -j").out.splitlines()]
    found = [event for event in events if event["type"] == "imc" and
             event["event"].split(".")[0] in IMC_EVENTS]
    codes = {event["event"].split(".")[0]: int(event["code"], 0) for event in found}
    assert codes == IMC_EVENTS, codes
    assert all(event["counters"].split() == ["0", "1", "2", "3"] for event in found), found
    return found


def named_differences(machine, pack):
    """Compare counts of box -> four named events on die 1 with the rates and the time they ran."""
    labels = {f"{box}/{event['event']},die=1/": (box, event)
              for box, events in pack.items() for event in events}
    mark = machine.truth_length()
    out = machine.run(f"ucoretool stat --per-box -j -e {','.join(labels)} -- true").out
    unfrozen = times(machine.truth("unfreeze", mark)[0])
    frozen = times(machine.truth("freeze", mark)[0])
    wrong, rows = [], [row for row in map(json.loads, out.splitlines()) if "event" in row]
    for row in rows:
        box, event = labels[row["event"]]
        rate = rates.rate("imc", eventset.instance_of(box), 1, int(event["code"], 0),
                          int(event["umask"], 0), platform="snbep")
        due = rate * (frozen[box] - unfrozen[box]) // 1000000000
        if row["count"] != due or not due or row["box"] != box or row["die"] != 1:
            wrong.append(f"{row}: at {rate}/s that is {due}")
    return wrong + [f"{len(rows)} rows"] * (len(rows) != len(labels))


@test("snbep-2s", timeout=120)
def imc_events_count_by_name_at_their_rates(m):
    events = imc_events(m)
    for first in range(0, len(events), 16):
        assert_equal(named_differences(m, {
            f"imc{n}": four for n in range(4)
            if (four := events[first + 4 * n:first + 4 * n + 4])}))


@test("snbep-2s")
def fixed_counter_has_enable_and_reset(m):
    enable = 1 << 22

    def dclk(die=0):
        return next(c for c in m.oracle("counters")["sockets"][die]
                    if (c["box"], c["ctr"]) == ("imc2", FIXED))
    with Session(m) as s:
        s.add("imc2", 0, FIXED)
        s.add("imc2", 0, 1, **CLOCK)
        s.start()
        assert dclk()["ctl"] == enable and not dclk(1)["ctl"], dclk()
        assert dclk()["rate"] == eventset.rate_of("imc2", 0, FIXED, {}, "snbep"), dclk()
        s.read_exactly()
        s.reset_exactly()
        mark = m.truth_length()
        count = s.read_exactly()["values"][0]["count"]
        freeze, = m.truth("freeze", mark)
        shown = next(c["value"] for c in freeze["counters"] if c["ctr"] == FIXED)
        assert shown == count, "the register was not reset"
        s.stop()
        assert dclk()["ctl"] == 0, dclk()
        value = dclk()["value"]
        s.start()
        assert dclk()["ctl"] == enable
        assert s.read_exactly()["values"][0]["count"] > value
        # START reset the counter of the box, but the count of the session continues
        s.stop()
        assert dclk()["value"] < s.read()["values"][0]["count"]


# ---- ucoretool ----

EVENTS = "-e imc/CAS_COUNT.RD/ -e cbo/CLOCKTICKS/ -e ubox/EVENT_MSG.DOORBELL_RCVD/"


@test("snbep-2s")
def stat_prints_skew_and_unfrozen_counters(m):
    out = m.run(f"ucoretool stat --per-box {EVENTS} -I 20 --count 4").out
    unfrozen = {line.split()[2] for line in out.splitlines() if line.rstrip().endswith("unfrozen")}
    assert unfrozen == {"ubox0"}, out
    skew = float(re.search(r"skew between them at most ([\d.]+) us", out)[1])
    assert skew > 0, out
    rows = [json.loads(line)
            for line in m.run(f"ucoretool stat -j {EVENTS} -- true").out.splitlines()]
    notes = {row["event"]: row.get("note") for row in rows if "event" in row}
    assert notes == {"imc/CAS_COUNT.RD/": None, "cbo/CLOCKTICKS/": None,
                     "ubox/EVENT_MSG.DOORBELL_RCVD/": "unfrozen"}, notes
    assert rows[-1]["summary"]["max_skew_ns"] > 0, rows[-1]
    assert "SKEW" in m.sh("ucoretool info") and die_of(m, 1)["skew_max_ns"] > 0


@test("snbep-2s")
def report_marks_polled_recordings(m):
    with budget_of(m, 100):
        assert_polled_and_reported(m)


def assert_polled_and_reported(m):
    before, mark = truth.totals_of(m), m.truth_length()
    command = "ucoretool record -c 20000000 -e imc0/CLOCKTICKS/ -e imc/CAS_COUNT.RD/ " \
              "-e cbo/CLOCKTICKS/ --count 40 -o /tmp/polled"
    summary = m.run(command).err
    polled, polls, late = re.search(r"(\d+) of \1 periods were found by polling \((\d+) polls\); "
                                    r"samples are at most (\d+) us late", summary).groups()
    assert int(polled) >= 40 and int(polls) > int(polled) and int(late) == 4000, summary
    samples = truth.samples_of(m, "/tmp/polled")
    assert len(samples) == 40, len(samples)
    assert all(s["polled"] and s["late_ns"] and s["skew_ns"] and s["trigger"] == "overflow" and
               s["trigger_box"] == "imc0" for s in samples), samples[:2]
    events = truth.events_of("snbep")
    events["imc0/CLOCKTICKS/"] = events["imc/CLOCKTICKS/"]
    for die in (0, 1):
        of_die = [s for s in samples if s["die"] == die]
        freezes = [f for f in m.truth("freeze", mark) if f["socket"] == die][:len(of_die)]
        _, differences = truth.compared(of_die, freezes, before, events)
        assert_equal(differences)
    report = m.run("ucoretool script -i /tmp/polled").out
    heads = [line for line in report.splitlines() if " overflow of imc0 " in line]
    assert len(heads) == 40, report[:2000]
    assert all(re.search(r"skew [\d.]+ us polled, late < [\d.]+ us", line) for line in heads), heads


@test("snbep-2s")
def timer_recording_marks_unfrozen_counters(m):
    m.run("ucoretool record --timer 10ms -e imc/CAS_COUNT.RD/ "
          "-e ubox/EVENT_MSG.DOORBELL_RCVD/ --count 20 -o /tmp/timed")
    samples = truth.samples_of(m, "/tmp/timed")
    assert len(samples) == 20 and not any("polled" in s for s in samples), samples[:2]
    for sample in samples:
        notes = {value["box"]: value.get("note") for value in sample["values"]}
        assert sample["skew_ns"] and notes.pop("ubox0") == "unfrozen" and not any(notes.values()), \
            sample


@test("snbep-2s")
def record_refuses_options_unsupported_on_v1(m):
    def refused(options):
        failed = m.run(f"ucoretool record {options} -e imc/CAS_COUNT.RD/ --count 1 -o /tmp/refused",
                       check=False)
        assert failed.status, options
        return failed.err
    assert "imc has no overflow interrupt" in refused("--no-poll -c 20000000")
    # the shortest accepted period is that of the driver
    shortest = int(re.search(r"Use a period of at least (\d+)$", refused("-c 1000"))[1])
    assert str(shortest) in refused(f"-c {shortest - 1}")
    m.run(f"ucoretool record -c {shortest} -e imc/CAS_COUNT.RD/ --count 1 -o /tmp/accepted")
