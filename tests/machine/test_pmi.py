# SPDX-License-Identifier: GPL-2.0-only
"""The overflow interrupt: routing to the selected cores, and coexistence with perf."""

import errno
import json

from lab.framework import BOTH, KERNELS, test
from lab.session import (SAMPLE_CONTEXT, SAMPLE_RECOVERED, Session, assert_equal, die_of, refused,
                         sample_until, started_by_pmis)
from lab.truth import pmis_of
from machine import eventset
from machine.armed import WATCHDOG

DEBUGCTL_UNCORE_PMI = 1 << 13
CORE_SEL = 0x7fff
# The driver's message when it routes PMIs to all cores
WIDE = "routing it to all cores"


# ---- helpers ----

def cpus(machine):
    return machine.oracle("cpus")["cpus"]


def arm(session, dies=(0, 1), hz=100):
    """Add an event that overflows @hz times per second and one without a period, on each die."""
    for die in dies:
        period = eventset.period_for("imc1", die, 0, {"event": 0}, hz, session.platform)
        session.add("imc1", die, 0, period, event=0)
        session.add("cbo1" if (die, "cbo1") in session.ids else "cha1", die, 1, event=0)


def nmis(machine):
    """Return the number of NMIs of each CPU since boot, as counted by Linux."""
    words = machine.sh("grep NMI: /proc/interrupts").split()[1:]
    return [int(word) for word in words if word.isdigit()]


def grown(before, after):
    return [new - old for old, new in zip(before, after)]


def sample_exactly(machine, session, count, enough=lambda samples: True):
    """Start, sample until each die has @count samples, stop; the samples are exact and their
    PMIs arrived."""
    dies = {at.die for at in session.events.values()}
    mark = machine.truth_length()
    session.start()
    samples = sample_until(machine, session, lambda found: all(
        sum(sample["domain"] == die for sample in found) >= count for die in dies)
        and enough(found))
    assert_equal(session.sample_differences(samples, session.freezes(mark)))
    return samples


def assert_in_time(samples):
    late = [sample for sample in samples if sample["flags"] & SAMPLE_RECOVERED]
    assert not late, f"{len(late)} of {len(samples)} had no PMI: {late[0]}"


def few_late(samples, row=60):
    """Check that few PMIs are late next to perf.

    The hardware drops a PMI while perf's handler keeps LVTPC masked. A busy host keeps it
    masked for long, so any sequence of samples in time is sufficient.
    """
    late = [bool(sample["flags"] & SAMPLE_RECOVERED) for sample in samples]
    return any(sum(late[i:i + row]) < row / 10 for i in range(len(late) - row + 1))


def assert_late_were_dropped(machine, samples, mark):
    """Check that no sample was recovered without a PMI, unless the hardware dropped the PMI."""
    late = sum(bool(sample["flags"] & SAMPLE_RECOVERED) for sample in samples)
    dropped = sum(pmi["result"] == "masked" for pmi in machine.truth("pmi", mark))
    assert late <= dropped, f"{late} samples of {len(samples)} were late, {dropped} PMIs dropped"


def assert_all_delivered(machine, mark):
    results = {pmi["result"] for pmi in machine.truth("pmi", mark)}
    assert results == {"delivered"}, results


# ---- the selected core ----

@test(("e2-2s", "hswep-2s", "skx-2s"), kernels=KERNELS)
def pmi_goes_to_the_requested_cores_only(m):
    m.write(WATCHDOG, 0)
    for chosen in ((0, 2), (1, 3), (0, 3)):
        with Session(m, ring=1 << 20) as s:
            arm(s)
            for cpu in chosen:
                s.command(f"cpu {cpu}")
            before, mark = pmis_of(m), m.truth_length()
            samples = sample_exactly(m, s, 10)
            got = [new - old for old, new in zip(before, pmis_of(m))]
        assert_in_time(samples)
        assert_all_delivered(m, mark)
        assert {(s["domain"], s["cpu"]) for s in samples} == {(0, chosen[0]), (1, chosen[1])}
        assert [cpu for cpu, n in enumerate(got) if n] == list(chosen), (chosen, got)


def assert_sent(pmis, cpus):
    """Check that each PMI went to exactly these CPUs.

    A slow CPU may still be in the previous NMI with LVTPC masked; then another CPU serves the
    PMI.
    """
    for seq in {pmi["seq"] for pmi in pmis}:
        sent = [pmi for pmi in pmis if pmi["seq"] == seq]
        assert {pmi["cpu"] for pmi in sent} == cpus, sent
        assert "delivered" in {pmi["result"] for pmi in sent}, sent


@test(("e2-2s", "hswep-2s"))
def pmi_goes_to_all_selected_cores_and_one_serves_it(m):
    m.write(WATCHDOG, 0)
    with Session(m, ring=1 << 20) as s:
        arm(s)
        s.command("cpu 0 1 3")
        served = [die_of(m, die)["pmis"] for die in (0, 1)]
        before, taken, mark = pmis_of(m), nmis(m), m.truth_length()
        samples = sample_exactly(m, s, 10)
        got = grown(before, pmis_of(m))
        # each CPU takes an NMI for each PMI; a CPU that the host delays takes it later
        m.wait_until(lambda: grown(taken, nmis(m)) == got, what=f"{got} NMIs more than {taken}")
        served = [die_of(m, die)["pmis"] - served[die] for die in (0, 1)]
        pmis = m.truth("pmi", mark)
    assert_in_time(samples)
    assert {s["cpu"] for s in samples if s["domain"] == 0} <= {0, 1}, samples
    assert {s["cpu"] for s in samples if s["domain"] == 1} == {3}, samples
    assert got[0] and got[1] and not got[2] and got[3], got
    # one CPU serves the PMI and takes one sample
    started = started_by_pmis(samples)
    assert served == [sum(s["domain"] == die for s in started) for die in (0, 1)], served
    assert_sent([pmi for pmi in pmis if not pmi["socket"]], {0, 1})
    assert_sent([pmi for pmi in pmis if pmi["socket"]], {3})


@test("e2-2s")
def cpus_of_a_die_without_events_are_ignored(m):
    """SET_PMI_CPUS with CPUs of die 1 does not change the PMI CPUs of die 0."""
    with Session(m, ring=1 << 20) as s:
        arm(s, dies=(0,))
        s.command("cpu 3 2")
        reader, before = die_of(m, 0)["reader"], pmis_of(m)
        samples = sample_exactly(m, s, 10)
        got = grown(before, pmis_of(m))
    assert {sample["cpu"] for sample in samples} == {reader}, samples
    assert [cpu for cpu, n in enumerate(got) if n] == [reader], got


@test("e2-2s")
def invalid_cpu_sets_are_refused(m):
    with Session(m) as s, Session(m) as other:
        arm(s)
        readers = [d["reader"] for d in json.loads(m.sh("ucoretool info -j"))["domains"]]
        m.write("/sys/devices/system/cpu/cpu3/online", 0)
        try:
            for cpus, number in (("", errno.EINVAL), ("1 1", errno.EINVAL), ("1 64", errno.ENOENT),
                                 ("1 4294967295", errno.ENOENT), ("1 3", errno.EAGAIN)):
                with refused(number):
                    s.command(f"cpu {cpus}")
        finally:
            m.write("/sys/devices/system/cpu/cpu3/online", 1)
        # CPUs of both dies; another session has selected other PMI CPUs
        other.command("cpu 3 2")
        for cpus in ("1 2", "1 3", "1 2 3"):
            with refused(errno.EBUSY):
                s.command(f"cpu {cpus}")
        assert readers[0] == die_of(m, 0)["reader"], "a set that was refused has changed something"
        s.command("cpu 1 3 2")
        assert [die_of(m, die)["reader"] for die in (0, 1)] == [1, 3]
        s.start()
        with refused(errno.EBUSY):
            s.command("cpu 1 3 2")


# ---- more cores than pmi_core_sel has bits ----

def plug(m, core):
    """Plug a CPU, a thread of a core of socket 0; return its CPU number in Linux."""
    before = present(m)
    m.qmp("device_add", driver="max-x86_64-cpu", id=f"core{core}", socket_id=0, core_id=core,
          thread_id=0)
    m.wait_until(lambda: present(m) - before, what="the CPU")
    cpu, = present(m) - before
    at = f"/sys/devices/system/cpu/cpu{cpu}"
    m.write(f"{at}/online", 1)
    assert int(m.sh(f"cat {at}/topology/core_id")) == core
    return cpu


def present(m):
    return {int(name[3:]) for name in m.sh("cd /sys/devices/system/cpu; ls -d cpu[0-9]*").split()}


@test("hswep-1s", settings={"machine.cores": 18, "machine.plugged": 2})
def pmi_core_sel_has_a_bit_for_the_18th_core(m):
    m.write(WATCHDOG, 0)
    last = plug(m, 17)
    for chosen, route in (([last], 1 << 17), ([1, last], 1 << 17 | 2)):
        seen = set()

        def note(_):
            seen.add(m.oracle("state")["sockets"][0]["global_ctl"] & 0x3ffff)
            return True
        with Session(m, ring=1 << 20) as s:
            arm(s, dies=(0,))
            s.command("cpu " + " ".join(map(str, chosen)))
            mark = m.truth_length()
            samples = sample_exactly(m, s, 10, note)
        assert_in_time(samples)
        assert {sample["cpu"] for sample in samples} <= set(chosen), samples
        assert route in seen and seen <= {route, 0}, seen
        cores = {cpu["cpu"]: cpu["core"] for cpu in cpus(m)}
        targets = {cores[pmi["cpu"]] for pmi in m.truth("pmi", mark)}
        assert targets == {bit for bit in range(18) if route >> bit & 1}, targets


@test("bdxep-1s", settings={"machine.cores": 24, "machine.plugged": 2})
def core_not_in_pmi_core_sel_is_refused(m):
    m.write(WATCHDOG, 0)
    last = plug(m, 23)
    with Session(m, ring=1 << 20) as s:
        arm(s, dies=(0,))
        for cpus_ in (f"{last}", f"0 {last}"):
            with refused(errno.ERANGE):
                s.command(f"cpu {cpus_}")
        samples = sample_exactly(m, s, 10)
    assert_in_time(samples)
    assert last not in {sample["cpu"] for sample in samples}, samples


# ---- ucoretool ----

def cpus_of_record(m, options):
    """Record; return die -> CPUs that took PMIs of samples, and the number of PMIs of each CPU."""
    before = pmis_of(m)
    m.run(f"ucoretool record {options} -e imc/CAS_COUNT.RD/ -c 200000 --count 30 -o /tmp/chosen")
    samples = [json.loads(line) for line in m.run("ucoretool script -i /tmp/chosen -j").out
               .splitlines()]
    by_die = {}
    for sample in samples:
        if sample["record"] == "sample":
            by_die.setdefault(sample["die"], set()).add(sample["cpu"])
    return by_die, grown(before, pmis_of(m))


@test("e2-2s")
def record_pmi_cpus_selects_the_cores(m):
    by_die, got = cpus_of_record(m, "--pmi-cpus 1,3")
    assert by_die == {0: {1}, 1: {3}}, by_die
    assert not got[0] and not got[2] and got[1] and got[3], got
    # two CPUs of die 0; die 1 keeps its reader
    by_die, got = cpus_of_record(m, "--pmi-cpus 1,0")
    reader = die_of(m, 1)["reader"]
    assert by_die[0] <= {0, 1} and by_die[1] == {reader}, by_die
    assert got[0] and got[1] and got[reader] and not got[5 - reader], got
    failed = m.run("ucoretool record --pmi-cpus 1,1 -e imc/CAS_COUNT.RD/ -c 200000 --count 1",
                   check=False)
    assert failed.status and "Name each CPU once" in failed.err, failed.err


@test("e2-2s")
def sessions_with_another_pmi_core_are_refused(m):
    with Session(m) as a, Session(m) as b:
        a.command("cpu 1")
        b.command("cpu 1")
        b.command("cpu 2")
        with refused(errno.EBUSY):
            b.command("cpu 0")


# alone, because other tests leave pmi_core_sel or DEBUGCTL set, which ucore then restores
@test("e2-2s", kernels=BOTH, alone=True)
def pmi_route_and_debugctl_are_enabled_only_while_armed(m):
    def routes_and_enabled_cpus():
        route = [s["global_ctl"] & CORE_SEL for s in m.oracle("state")["sockets"]]
        return route, [c["cpu"] for c in cpus(m) if c["debugctl"] & DEBUGCTL_UNCORE_PMI]
    with Session(m) as s, Session(m) as quiet:
        quiet.add("ha0", event=0)
        quiet.start()
        assert routes_and_enabled_cpus() == ([0, 0], []), routes_and_enabled_cpus()
        arm(s, hz=10)
        s.command("cpu 1")
        s.start()
        assert routes_and_enabled_cpus() == ([2, 1], [1, 2]), routes_and_enabled_cpus()
        s.stop()
        assert routes_and_enabled_cpus() == ([0, 0], []), routes_and_enabled_cpus()


# ---- LVTPC, with and without perf ----

@test("e2-2s", kernels=KERNELS)
def lvtpc_stays_armed_without_perf(m):
    m.write(WATCHDOG, 0)
    mark = m.truth_length()
    with Session(m, ring=1 << 20) as s:
        arm(s, hz=400)
        assert_in_time(sample_exactly(m, s, 60))
    assert_all_delivered(m, mark)


@test("e2-2s", kernels=KERNELS)
def nmi_watchdog_and_pmi_coexist(m):
    m.write(WATCHDOG, 1)
    try:
        with Session(m, ring=1 << 20) as s:
            arm(s, hz=200)
            mark = m.truth_length()
            assert_late_were_dropped(m, sample_exactly(m, s, 60, few_late), mark)
    finally:
        m.write(WATCHDOG, 0)


@test("e2-2s", kernels=BOTH, perf=True, timeout=90)
def perf_record_and_pmi_coexist(m):
    """NMIs of both go to the same CPUs; each handler gets its own NMIs only."""
    m.write(WATCHDOG, 1)
    perf = m.spawn("cd /tmp && exec perf record -q -a -e cycles -c 2600000 -o /tmp/perf.data "
                   "-- sleep 3600 2>&1")
    m.wait_until(lambda: sum(cpu["core_pmi"] for cpu in cpus(m)) > 20, timeout=40,
                 what="perf's PMIs")
    core = [cpu["core_pmi"] for cpu in cpus(m)]
    with Session(m, ring=1 << 20) as s:
        arm(s, hz=200)
        for cpu in (1, 2):
            s.command(f"cpu {cpu}")
        mark = m.truth_length()
        samples = sample_exactly(m, s, 200, few_late)
        m.wait_until(lambda: all(cpu["core_pmi"] > old + 20 for cpu, old in zip(cpus(m), core)),
                     timeout=40, what="perf's PMIs on every CPU, still")
    assert_late_were_dropped(m, samples, mark)
    perf.kill(2)
    perf.wait(check=False)
    lines = m.run("perf script -i /tmp/perf.data -F cpu 2>/dev/null | wc -l", timeout=60).out
    assert int(lines) > 50, lines


@test("e2-1s", settings={"machine.core-pmu": "no"})
def lvtpc_masked_by_linux_is_unmasked_and_masked_again(m):
    for _ in range(2):
        mark = m.truth_length()
        with Session(m, ring=1 << 20) as s:
            arm(s, dies=(0,), hz=300)
            assert_in_time(sample_exactly(m, s, 30))
        assert_all_delivered(m, mark)
    before = pmis_of(m)
    m.inject("pmi 0")
    assert pmis_of(m) == before, "the door was left open"


# ---- cores and threads ----

@test("e2-smt")
def pmi_on_both_threads_makes_one_sample(m):
    m.write(WATCHDOG, 0)
    threads = {(c["core"], c["thread"]): c["cpu"] for c in cpus(m)}
    for core in (0, 1):
        mine = {threads[core, 0], threads[core, 1]}
        with Session(m, ring=1 << 20) as s:
            arm(s, dies=(0,), hz=200)
            s.command(f"cpu {min(mine)}")
            before, mark = pmis_of(m), m.truth_length()
            samples = sample_exactly(m, s, 50)
            got, pmis = grown(before, pmis_of(m)), m.truth("pmi", mark)
        assert_in_time(samples)
        # each sample had its own freeze (sample_exactly)
        assert len({pmi["seq"] for pmi in pmis}) >= len(samples)
        assert_sent(pmis, mine)
        assert all(bool(n) == (cpu in mine) for cpu, n in enumerate(got)), got
        assert {sample["cpu"] for sample in samples} <= mine


def samples_by_pmis(m, count):
    """Sample die 0 @count times in a session of its own. Return the CPU of each sample that a PMI
    started, with the CPUs that received this PMI."""
    mark = m.truth_length()
    with Session(m, ring=1 << 20) as s:
        arm(s, dies=(0,), hz=50)
        s.command("cpu 0")
        samples = sample_exactly(m, s, count)
        freezes = s.sampled(samples, s.freezes(mark))
    sent = {}
    for pmi in m.truth("pmi", mark):
        sent.setdefault(pmi["seq"], set()).add(pmi["cpu"])
    return [(sample["cpu"], sent[freeze["seq"]])
            for sample, freeze in zip(samples, freezes, strict=True)
            if sample["flags"] & SAMPLE_CONTEXT]


@test("e2-2s", settings={"faults.core-map": "1 0", "model.debugctl-gate": "no"})
def pmi_on_another_core_is_served_there(m):
    """Cores are numbered in another way, so that each PMI is misrouted. A PMI that a READ on
    the reader has already served is recognised, too. The driver routes PMIs to all cores if a busy
    host delays two PMIs, until the session ends. The next session starts with one core again."""
    m.write(WATCHDOG, 0)
    served = []
    for _ in range(20):
        served += samples_by_pmis(m, 10)
        if (1, {1}) in served:
            break
    assert (1, {1}) in served and all(cpu in sent_to for cpu, sent_to in served), served


def stop_before_the_pmi(m, mark):
    """Let a delayed PMI arrive on another core after STOP; return false if it arrived before."""
    with Session(m) as s:
        arm(s, dies=(0,), hz=2)
        s.command("cpu 0")
        s.start()
        m.wait_until(lambda: any(freeze["reason"] == "overflow" for freeze in s.freezes(mark)),
                     what="an overflow")
        s.stop()
        in_flight = not m.truth("pmi", mark)
        m.wait_until(lambda: m.truth("pmi", mark), what="the PMI")
    return in_flight


@test("e2-2s", settings={"faults.core-map": "1 0", "model.debugctl-gate": "no"})
def pmi_on_another_core_after_stop_is_claimed(m):
    """STOP services an overflow and disables the PMI, which arrives later on another core."""
    m.write(WATCHDOG, 0)
    m.inject("delay-pmi 0 400000000")
    before = pmis_of(m)
    found = [stop_before_the_pmi(m, m.truth_length()) for _ in range(3)]
    assert any(found), found
    cpus_of_pmis = [cpu for cpu, n in enumerate(grown(before, pmis_of(m))) if n]
    assert cpus_of_pmis == [1], cpus_of_pmis


@test("e2-2s", settings={"faults.core-map": "1 0", "model.debugctl-gate": "no"})
def pmi_in_flight_to_a_cpu_that_becomes_a_target_is_claimed(m):
    """The driver routes PMIs to all cores 20 ms after the second overflow. The PMI of this overflow
    arrives after 400 ms."""
    m.write(WATCHDOG, 0)
    m.inject("delay-pmi 0 400000000")
    # a driver that has routed PMIs to all cores before does so after the first overflow
    m.rmmod()
    m.insmod()
    wide = m.dmesg().count(WIDE)
    mark = m.truth_length()
    with Session(m) as s:
        arm(s, dies=(0,), hz=2)
        s.command("cpu 0")
        s.start()
        m.wait_until(lambda: m.dmesg().count(WIDE) > wide, what="a wide route")
        m.wait_until(lambda: len(m.truth("pmi", mark)) >= 2, what="the second PMI")
    first = [(pmi["cpu"], pmi["result"]) for pmi in m.truth("pmi", mark)[:2]]
    assert first == [(1, "delivered"), (1, "delivered")], first


@test("e2-2s", perf=True, timeout=90,
      settings={"faults.core-map": "1 0", "model.debugctl-gate": "no"})
def perf_nmi_on_the_target_leaves_a_misrouted_pmi_to_its_cpu(m):
    """CPU 0 is the target and handles NMIs of perf only. Each PMI arrives 100 ms after its overflow
    on CPU 1."""
    m.write(WATCHDOG, 0)
    m.spawn("exec spin 0")
    m.spawn("cd /tmp && exec perf record -q -C 0 -e cycles -c 26000000 -o /tmp/perf.data "
            "-- sleep 3600 2>&1")
    m.inject("delay-pmi 0 100000000")
    with Session(m, ring=1 << 20) as s:
        arm(s, dies=(0,), hz=5)
        s.command("cpu 0")
        m.wait_until(lambda: cpus(m)[0]["core_pmi"] > 20, timeout=40, what="perf's PMIs")
        sample_exactly(m, s, 10)
        m.wait_until(lambda: len(m.truth("pmi")) >= 10, what="ten PMIs")


@test("e2-2s", settings={"model.debugctl-gate": "no"})
def each_pmi_in_flight_at_stop_is_claimed(m):
    """The watchdog serves three overflows whose PMIs arrive after STOP."""
    m.write(WATCHDOG, 0)
    m.inject("delay-pmi 0 600000000")
    mark = m.truth_length()
    with Session(m) as s:
        arm(s, dies=(0,), hz=20)
        s.command("cpu 0")
        s.start()
        m.wait_until(lambda: sum(freeze["reason"] == "overflow" for freeze in s.freezes(mark)) >= 3,
                     what="three overflows")
        s.stop()
        assert not m.truth("pmi", mark), "a PMI arrived before STOP"
        m.wait_until(lambda: len({pmi["seq"] for pmi in m.truth("pmi", mark)}) >= 3,
                     what="three PMIs")
    assert all(pmi["result"] == "delivered" for pmi in m.truth("pmi", mark)), m.truth("pmi", mark)


@test("e2-1s", settings={"faults.core-map": "-1 1 -1 0"})
def pmi_goes_to_all_cores_when_numbers_have_holes(m):
    """Bit 0 selects no core, but bit 3 does. After lost PMIs the driver selects all cores."""
    with Session(m, ring=1 << 20) as s:
        arm(s, dies=(0,), hz=50)
        s.command("cpu 0")
        samples = sample_exactly(m, s, 30)
        assert m.oracle("state")["sockets"][0]["global_ctl"] & CORE_SEL == 0    # stopped
    late = [bool(sample["flags"] & SAMPLE_RECOVERED) for sample in samples]
    # perf's NMI may serve the first overflow in time; the driver then waits for eight more PMIs
    assert any(late[:2]) and not any(late[-15:]), late
    assert WIDE in m.dmesg()
    # the next session starts with the requested core, and its first lost PMI selects all cores
    with Session(m, ring=1 << 20) as s:
        arm(s, dies=(0,), hz=50)
        samples = sample_exactly(m, s, 30)
    late = [bool(sample["flags"] & SAMPLE_RECOVERED) for sample in samples]
    assert any(late[:2]) and not any(late[-15:]), late
