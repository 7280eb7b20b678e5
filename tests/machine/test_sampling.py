# SPDX-License-Identifier: GPL-2.0-only
"""Sampling: each trigger makes a record, whose values are the counts at its freeze."""

import errno
import re
import statistics
from itertools import zip_longest

from lab import truth
from lab.accesses import accesses_of
from lab.framework import BOTH, test
from lab.qemu import args
from lab.session import (EVENT_NONE, FIXED, LOST, MS, SAMPLE_THROTTLED, SAMPLE_USER,
                         TRIGGER_OVERFLOW, TRIGGER_TIMER, US, VALUE_UNFROZEN, Session, assert_equal,
                         die_of, flagged, interrupting, once_per_freeze, refused, sample_until,
                         samples_in, started_by_pmis, totals_at)
from machine import eventset
from machine.armed import WATCHDOG, assert_skews, each_overflowed, run_armed, run_polled
from machine.timers import assert_same_instants, budget_of, traced

CLOCK = {"event": 0x00}
# platform -> box types that cannot interrupt; platform -> box type -> bits of its counters
NO_OVERFLOW = {"ivbep": ("cbo", "irp"), "hswep": ("cbo", "sbox", "irp"),
               "bdxep": ("cbo", "sbox", "irp"), "bdxde": ("cbo", "irp"), "skx": ()}
WIDTHS = {"ivbep": {"ubox": 44, "r2pcie": 44, "r3qpi": 44, "imc": 48},
          "hswep": {"ubox": 48, "r2pcie": 48, "r3qpi": 44, "imc": 48},
          "bdxep": {"ubox": 48, "r2pcie": 48, "r3qpi": 48, "imc": 48}}


# ---- helpers ----

def armed_set(session, ctr, hz):
    """Return events with periods on counter @ctr of each box that can interrupt, for add_all().

    With counter 0, also on the fixed counters.
    """
    wanted = []
    for number, (die, box) in enumerate(eventset.boxes_of(session)):
        events = eventset.events_of(box, session.platform)
        if eventset.type_of(box) in NO_OVERFLOW[session.platform]:
            continue
        for c in (ctr, FIXED) if ctr == 0 else (ctr,):
            if c in events:
                # different periods, so that the overflows do not stay in step
                period = eventset.period_for(box, die, c, events[c], hz + number % 7,
                                             session.platform)
                wanted.append((box, die, c, period, events[c]))
    return wanted


# ---- overflow ----

@test(("e2-2s", "hswep-2s", "bdxep-1s", "bdxde-1s", "skx-1s"), timeout=120)
def every_counter_that_can_overflow_ends_intervals_exactly(m):
    for ctr in range(4):
        with Session(m) as s:
            wanted = armed_set(s, ctr, 5)
        run_armed(m, wanted, each_overflowed(2))


@test("e2-2s-full", timeout=120)
def global_status_bit_of_each_box_leads_to_its_overflow(m):
    """The driver finds the box of an overflow by the bit that the model sets in the status.

    If the driver knows the bit as that of another box, it reads the status of the wrong box and
    misses the overflow.
    """
    m.write(WATCHDOG, 0)
    with budget_of(m, 100), Session(m, ring=1 << 22) as s:
        s.add_all(armed_set(s, 0, 5))
        mark = m.truth_length()
        s.start()
        samples = once_per_freeze(sample_until(m, s, lambda found: each_overflowed(1)(s, found)))
        at = {event: f"{c.box}.{c.ctr}" for event, c in s.events.items()}
        for die in (0, 1):
            found = [{at[event] for event in flagged(sample)} for sample in samples
                     if sample["domain"] == die and flagged(sample)]
            due = [set(freeze["cause"]) for freeze in m.truth("freeze", mark)
                   if freeze["socket"] == die and freeze["cause"]]
            for number, (wrong, right) in enumerate(zip_longest(found, due)):
                assert wrong == right, f"overflow {number} of die {die}: {right}, found {wrong}"
        assert not s.status()["recovered"], s.status()


@test("e2-2s")
def idle_flit_period_of_a_million_ends_intervals(m):
    """The example of the manual: overflows after 1,000,000 TxL_FLITS_G0.IDLE of QPI port 0."""
    idle = {"event": 0, "umask": 1}
    run_armed(m, [("qpi0", die, 1, 1000000, idle) for die in (0, 1)], each_overflowed(5))


@test("hswep-1s", settings={"model.status-shift": "5", "model.cbox-ov-en": "yes"}, timeout=120)
def moved_status_bits_and_cbox_overflows_are_handled(m):
    every_counter_that_can_overflow_ends_intervals_exactly(m)
    run_polled(m, [(box, 0, 0, 40000000, CLOCK) for box in ("cbo0", "cbo1", "sbox0", "sbox1")],
               each_overflowed(3))


@test("skx-1s", settings={"model.status-shift": "9", "model.box-enables": "yes"}, timeout=120)
def moved_skylake_status_bits_and_box_enables_are_handled(m):
    every_counter_that_can_overflow_ends_intervals_exactly(m)


# with these settings a box sends an overflow only if BOX_CTL[17] is set, as on v2
@test("bdxep-1s", settings={"model.status-shift": "11", "model.box-enables": "yes"}, timeout=120)
def box_controls_with_enables_are_handled(m):
    every_counter_that_can_overflow_ends_intervals_exactly(m)


@test(("e2-2s", "hswep-2s", "skx-2s"))
def overflow_sample_holds_all_counters_of_its_die(m):
    """A sample holds the counters of all boxes of its die, and none of the other die."""
    with Session(m) as s:
        wanted = eventset.full_set(s)
    periods = {("imc2", 0, 1): 40, ("qpi1", 1, 0): 60, ("upi1", 1, 0): 60}
    wanted = [(box, die, ctr, eventset.period_for(box, die, ctr, fields, periods[box, die, ctr],
                                                  s.platform)
               if (box, die, ctr) in periods else 0, fields)
              for box, die, ctr, _, fields in wanted]
    samples = run_armed(m, wanted, lambda _, found: len({s["domain"] for s in found}) == 2
                        and len(found) > 10)
    half = eventset.COUNTERS_OF[m.scenario] // 2
    assert all(len(sample["values"]) == half for sample in samples)


@test(("e2-2s", "hswep-2s", "bdxep-2s"))
def unsupported_periods_are_refused(m):
    with Session(m) as s:
        for kind in NO_OVERFLOW[s.platform]:
            with refused(errno.EOPNOTSUPP):
                s.add(f"{kind}0", period=interrupting(1000000), **CLOCK)
            with refused(errno.ERANGE):     # too short to be polled
                s.add(f"{kind}0", period=1000, **CLOCK)
        for kind, width in WIDTHS[s.platform].items():
            with refused(errno.ERANGE):
                s.add(f"{kind}0", period=1 << width, event=1)
            s.add(f"{kind}0", period=(1 << width) - 1, event=1)


@test(("e2-2s", "hswep-2s"))
def polled_periods_are_sampled_with_exact_counts(m):
    """The polled periods are on boxes that cannot interrupt. imc0 has no period."""
    with Session(m) as s:
        wanted = [(f"{kind}0", die, 0, 30000000 + 5000000 * number, CLOCK)
                  for number, kind in enumerate(NO_OVERFLOW[s.platform]) for die in (0, 1)]
    polled = range(len(wanted))
    run_polled(m, [*wanted, ("imc0", 0, 0, 0, CLOCK)], lambda _, found: all(
        sum(event in flagged(sample) for sample in found) >= 5 for event in polled))


# ---- box freeze ----

def box_freezes(machine, mark, die=0):
    """Return box -> [(time, totals) of each freeze by its box control]."""
    found = {}
    for line in machine.truth("box-freeze", mark):
        if line["socket"] == die:
            totals = {(c["box"], c["ctr"]): c["total"] for c in line["counters"]}
            found.setdefault(line["box"], []).append((line["t"], totals))
    return found


def box_differences(session, number, values, freezes):
    """Return texts for values that differ from the counts at the box freeze @number."""
    wrong = []
    for value in values:
        at = session.events[value["event"]]
        if at.box not in freezes:       # the UBox has no box control
            continue
        true = session.true_count(value["event"], {at.die: freezes[at.box][number][1]})
        if value["count"] != true or value["flags"]:
            wrong.append(f"freeze {number}: {at} says {value}, truth {true}")
    return wrong


def skews(freezes):
    """Return, for each freeze of a session, the time from the first to the last box write (ns)."""
    return [max(instants) - min(instants) for instants in
            zip(*([t for t, _ in of_box] for of_box in freezes.values()))]


def add_boxes(session):
    """Add counters of three boxes. No box freeze stops the last one, the UBox."""
    session.add("imc0", counter=0, event=0x04, umask=0x03)
    session.add("imc0", counter=FIXED)
    session.add("cbo0", counter=0, **CLOCK)
    session.add("ubox0", counter=0, event=0x42)


@test("e2-2s")
def box_freeze_stops_its_own_boxes_only(m):
    with Session(m, box_freeze=True, full_reads=True) as s, Session(m) as other:
        add_boxes(s)
        other.add("ha0", counter=0, **CLOCK)
        other.start()
        mark = m.truth_length()
        s.start()
        answers = [s.read() for _ in range(7)]
        accesses = accesses_of(m, s, "read")
        s.stop()
        freezes = box_freezes(m, mark)
        assert set(freezes) == {"imc0", "cbo0"} and not m.truth("freeze", mark), freezes
        for number, answer in enumerate(answers):
            assert_equal(box_differences(s, number, answer["values"], freezes))
            assert answer["values"][3]["flags"] == VALUE_UNFROZEN, answer
        # two boxes frozen and unfrozen, six dwords and MSRs of four counters
        assert accesses["reported"] == 4 + 6, accesses
        assert_skews([answer["domains"][0]["skew_ns"] for answer in answers], skews(freezes)[:7])
        last = answers[-1]["domains"][0]
        assert 0 < last["skew_ns"] < last["frozen_ns"], last
        assert last["time_running"] < last["time_enabled"], last
        die = other.read()["domains"][0]
        assert die["time_running"] == die["time_enabled"], die


@test("e2-2s")
def timer_samples_with_box_freeze_are_exact_and_freeze_no_die(m):
    with Session(m, box_freeze=True, timer_ns=10 * MS, ring=1 << 20) as s:
        add_boxes(s)
        mark = m.truth_length()
        s.start()
        samples = sample_until(m, s, lambda found: len(found) > 30)
        freezes = box_freezes(m, mark)
        assert not m.truth("freeze", mark), m.truth("freeze", mark)
        for number, sample in enumerate(samples):
            assert_equal(box_differences(s, number, sample["values"], freezes))
    # STOP freezes the boxes once more, unless its freeze is that of the last sample
    assert {len(of_box) for of_box in freezes.values()} in ({len(samples) + 1}, {len(samples)}), \
        freezes.keys()
    assert_skews([sample["skew_ns"] for sample in samples], skews(freezes)[:len(samples)])


@test("e2-2s")
def overflow_freezes_the_die_with_box_freeze(m):
    """An overflow freezes the die, but a READ between two overflows does not."""
    wanted = [("imc1", 0, 0, eventset.period_for("imc1", 0, 0, CLOCK, 60), CLOCK),
              ("cbo0", 0, 0, 0, CLOCK)]
    run_armed(m, wanted, lambda s, found: s.read() and len(found) > 20, box_freeze=True)


@test("e2-2s")
def reset_with_box_freeze_zeroes_all_counters(m):
    with Session(m, box_freeze=True, ring=1 << 20) as s:
        add_boxes(s)
        s.add("ubox0", counter=1, period=1 << 43, event=0x41)
        s.start()
        m.wait_until(lambda: s.read()["domains"][0]["time_enabled"] > 300 * MS, what="counts")
        before, mark = s.read()["values"], m.truth_length()
        _, after = s.commands(["reset", "read"])
        freezes = box_freezes(m, mark)
        for old, new in zip(before, after["values"]):
            at = s.events[new["event"]]
            if at.box in freezes:
                (_, zero), (_, read) = freezes[at.box]
                assert new["count"] == read[at.box, at.ctr] - zero[at.box, at.ctr], (at, new)
            assert 0 < new["count"] < old["count"], (at, old, new)


@test("e2-2s")
def option_box_freeze_freezes_no_die(m):
    mark = m.truth_length()
    out = m.run("ucoretool stat --box-freeze --per-box -e imc0/CAS_COUNT.RD/ -e cbo0/CLOCKTICKS/ "
                "-e ubox/EVENT_MSG.DOORBELL_RCVD/ -I 20 --count 5").out
    assert not m.truth("freeze", mark), m.truth("freeze", mark)
    rows = [line for line in out.splitlines() if " ubox0 " in line]
    assert rows and all(line.rstrip().endswith("unfrozen") for line in rows), out
    assert "unfrozen" not in "".join(line for line in out.splitlines() if line not in rows), out
    skew = float(re.search(r"skew between them at most ([\d.]+) us", out)[1])
    assert skew > 0, out


# ---- sessions ----

@test("e2-2s")
def sessions_with_their_own_periods_share_a_die(m):
    with Session(m, ring=1 << 20) as a, Session(m, ring=1 << 20) as b:
        period = {}
        for s, box, hz in ((a, "imc0", 37), (b, "ha0", 53)):
            period[box] = eventset.period_for(box, 0, 0, CLOCK, hz)
            s.add(box, 0, 0, period[box], **CLOCK)
        a.add("cbo0", 0, 0, **CLOCK)
        b.add("pcu0", 0, 3, **CLOCK)
        mark = m.truth_length()
        a.start()
        b.start()
        m.wait_until(lambda: min(s.status()["samples"] for s in (a, b)) > 5, what="samples")
        b.stop()
        a.stop()
        freezes = m.truth("freeze", mark)
        for s, box in ((a, "imc0"), (b, "ha0")):
            samples = samples_in(s.drain())
            own = [f for f in freezes if f"{box}.0" in f["cause"]]
            assert_equal(s.sample_differences(samples, own))
            first = [sample["values"][0]["count"] for sample in samples]
            assert all(0 <= new - old - period[box] <= 3
                       for old, new in zip([0] + first, first)), (box, period[box], first)


# ---- timer ----

@test(("e2-2s", "hswep-2s", "snbep-2s"))
def timer_samples_of_both_dies_are_exact_and_simultaneous(m):
    period = 10 * MS
    wanted = [(box, die, 0, 0, CLOCK) for die in (0, 1) for box in ("imc0", "cbo1", "qpi0")]
    with traced(m, "timer_trigger") as timers:
        samples = run_armed(m, wanted, lambda _, found: len(found) > 60, timer_ns=period)
        assert_same_instants(timers(), samples, period)
    assert all(s["trigger"] == TRIGGER_TIMER and s["trigger_event"] == EVENT_NONE
               for s in samples), samples
    for die in (0, 1):
        times = [s["time"] for s in samples if s["domain"] == die]
        assert all(new > old for old, new in zip(times, times[1:])), times


@test("e2-2s")
def overflow_and_timer_sampling_combine(m):
    wanted = [("imc1", 0, 0, eventset.period_for("imc1", 0, 0, CLOCK, 70), CLOCK),
              ("cbo0", 0, 0, 0, CLOCK)]
    samples = run_armed(m, wanted, lambda _, found: len(found) > 40, timer_ns=9 * MS)
    triggers = [sample["trigger"] for sample in samples]
    assert triggers.count(TRIGGER_OVERFLOW) > 5 and triggers.count(TRIGGER_TIMER) > 5, triggers


# ---- times ----

@test("e2-2s")
def frozen_and_running_times_match_the_model(m):
    with Session(m, timer_ns=5 * MS, ring=1 << 20) as s:
        s.add_all([("imc0", 0, i, 0, CLOCK) for i in range(4)])
        mark = m.truth_length()
        s.start()
        samples = sample_until(m, s, lambda found: len(found) > 60)
        windows = model_windows(m, mark, s.sampled(samples, s.freezes(mark))[:-1])
    pairs = list(zip(samples, samples[1:], windows))
    enabled = [b["time_enabled"] - a["time_enabled"] for a, b, _ in pairs]
    frozen = [e - (b["time_running"] - a["time_running"]) for (a, b, _), e in zip(pairs, enabled)]
    assert enabled == [b["time"] - a["time"] for a, b, _ in pairs]
    for (sample, _, window), gone in zip(pairs, frozen):
        # both include the frozen time of the model; the clocks may differ by 1 in 1000
        assert sample["frozen_ns"] > window * 0.99 - US, (sample, window)
        assert gone > window * 0.99 - US, (gone, window)
    # the median, because the host may delay a CPU during a freeze
    assert statistics.median(s["frozen_ns"] - w for s, _, w in pairs) < 100 * US, pairs
    assert statistics.median(g - w for g, (_, _, w) in zip(frozen, pairs)) < 100 * US, frozen


def model_windows(machine, mark, freezes):
    """Return the durations of the freezes in the model (ns)."""
    long = {line["seq"]: line["frozen_ns"] for line in machine.truth("unfreeze", mark)}
    return [long[freeze["seq"]] for freeze in freezes]


@test("e2-2s", kernels=BOTH)
def samples_report_the_interrupted_context(m):
    busy = m.spawn("exec taskset 1 sh -c 'echo $$; while :; do :; done'")
    try:
        pid = int(m.wait_until(busy.output, what="the busy loop"))
        with Session(m, ring=1 << 20) as s:
            s.command("cpu 0")
            s.add("imc0", 0, FIXED, eventset.period_for("imc0", 0, FIXED, {}, 200))
            s.start()
            samples = sample_until(m, s, lambda found: len(found) > 40)
    finally:
        busy.kill(9)
        busy.wait(check=False)
    assert all(s["cpu"] == 0 and s["ip"] for s in started_by_pmis(samples)), samples
    hits = [s for s in samples if s["pid"] == s["tid"] == pid and s["flags"] & SAMPLE_USER]
    assert len(hits) > len(samples) / 2, samples


# ---- throttling ----

# Sample rate limit (per second) that every host can exceed: 5 in a window of 10 ms. The sixth
# overflow throttles its counter. The two other counters are throttled after one more overflow each
STORM = 500
IN_WINDOW = 8


@test("e2-2s")
def overflow_storm_is_throttled_and_losses_are_counted(m):
    parameter = "/sys/module/ucore/parameters/max_sample_rate"
    usual = m.sh(f"cat {parameter}")
    m.write(parameter, STORM)
    try:
        storm(m)
    finally:
        m.write(parameter, usual)


def storm(machine):
    before = die_of(machine, 0)
    with Session(machine, ring=16384) as s:
        s.add("imc0", 0, FIXED, 50)             # 62 ns of a clock of 800 MHz
        s.add("imc0", 0, 0, 100, **CLOCK)
        s.add("ubox0", 0, FIXED, 7)
        mark = machine.truth_length()
        s.start()
        records = []
        for overflows in (30, 500, 600):        # the ring has room for about 100 samples
            machine.wait_until(lambda: s.status()["overflows"] > overflows,
                               what=f"{overflows} overflows")
            assert machine.sh("echo alive") == "alive"
            records += s.drain()
        s.stop_exactly()
        status = s.status()
        records += s.drain()
        # start again, because the next record reports the last losses
        s.start()
        machine.wait_until(lambda: s.status()["overflows"] > status["overflows"], what="a sample")
        s.stop()
        records += s.drain()
        status = s.status()
        freezes = s.freezes(mark)
    assert_accounted(records, status)
    assert_throttled(s, mark, samples_in(records), freezes)
    after = die_of(machine, 0)
    assert after["throttled"] > before["throttled"], (before, after)
    assert_equal(stray_values(s, samples_in(records), freezes))


def assert_accounted(records, status):
    """Check that records and losses add up to all samples and agree with the sequence numbers."""
    lost = sum(record["lost"] for record in records if record["type"] == LOST)
    samples = samples_in(records)
    assert lost and lost <= status["lost"], (lost, status)
    assert len(samples) + status["lost"] == status["samples"], (len(samples), status)
    expected = 0
    for record in records:
        assert record["seq"] == expected + record.get("lost", 0), (record, expected)
        expected = record["seq"] + 1


def assert_throttled(session, mark, samples, freezes):
    """Check that no window of 10 ms has more overflows than the limit, by the model's clock."""
    times = [freeze["t"] for freeze in freezes if freeze["reason"] == "overflow"]
    for first, later in zip(times, times[60:]):
        # 60 overflows fill this number of windows, of which the first may be a partial one
        assert later - first > (60 // IN_WINDOW - 1) * 10 * MS, (first, later)
    # a throttled die does not stay frozen until its window ends
    ends = {line["seq"]: line["t"] for line in session.machine.truth("unfreeze", mark)}
    lengths = {counts_at(session, freeze): ends[freeze["seq"]] - freeze["t"] for freeze in freezes}
    last, others = [], []
    for sample in samples:
        length = lengths.get(counts_of(sample), 0)
        (last if sample["flags"] & SAMPLE_THROTTLED else others).append(length)
    assert last, "no sample says that it was throttled"
    # not the median, because a busy host often interrupts the guest at the last sample of a window
    short = sorted(last)[len(last) // 10]
    assert short < 4 * statistics.median(others), (last, others)


def counts_at(session, freeze):
    """Return the counts of the session's events in a freeze."""
    totals = {0: totals_at(freeze)}
    return tuple(session.true_count(event, totals) for event in session.events)


def counts_of(sample):
    return tuple(value["count"] for value in sample["values"])


def stray_values(session, samples, freezes):
    """Return the samples that equal no freeze; some were lost, so that the order does not match
    them."""
    truths = {counts_at(session, freeze) for freeze in freezes}
    return [f"{counts} was never frozen" for counts in map(counts_of, samples)
            if counts not in truths]


# ---- ucoretool ----

@test(("e2-2s", "hswep-2s"), kernels=BOTH)
def record_and_report_match_the_model(m):
    with budget_of(m, 100):
        assert_recorded_exactly(m)


def assert_recorded_exactly(m):
    events = truth.events_of(args.Scenario(m.scenario).platform)
    before, mark = truth.totals_of(m), m.truth_length()
    m.run("ucoretool record -e imc/CAS_COUNT.RD/ -c 300000 -e imc/CAS_COUNT.WR/ "
          "-e cbo/CLOCKTICKS/ -e ha/REQUESTS.READS/ --count 40 -o /tmp/record")
    samples = truth.samples_of(m, "/tmp/record")
    freezes = [f for f in m.truth("freeze", mark) if f["reason"] == "overflow"]
    for die in (0, 1):
        of_die = [s for s in samples if s["die"] == die]
        truths = [f for f in freezes if f["socket"] == die][:len(of_die)]
        equal, differences = truth.compared(of_die, truths, before, events)
        assert_equal(differences)
        assert equal == sum(len(s["values"]) for s in of_die) > 0
    assert len(samples) >= 40, len(samples)


@test("e2-2s", alone=True)
def revoked_recording_keeps_all_earlier_samples(m):
    recording = m.spawn("exec ucoretool record -e imc/CAS_COUNT.RD/ --timer 100ms -o /tmp/ended")
    session = m.wait_until(
        lambda: re.search(r"session (\d+) of ucoretool .*running",
                          m.run("ucoretool doctor", check=False).out),
        what="a session")[1]
    m.run("sleep 1")
    m.run(f"ucoretool revoke {session}")
    ended = recording.wait(timeout=60, check=False)
    revoked = re.search(r"session: revoked .* after (\d+) samples", ended.err)
    assert ended.status == 1 and revoked, (ended.status, ended.err)
    assert len(truth.samples_of(m, "/tmp/ended")) == int(revoked[1]) > 0, ended.err
