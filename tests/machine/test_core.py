# SPDX-License-Identifier: GPL-2.0-only
"""Core counters together with the uncore's and with perf.

The machine has version 3, as most machines of the model; test_core_versions.py has the others.
"""

import errno
import json

from lab import ktap
from lab.coretruth import pmus
from lab.framework import BOTH, KERNELS, test
from lab.qemu import core
from lab.session import (MS, SAMPLE_CONTEXT, SAMPLE_RECOVERED, TRIGGER_TIMER,
                         assert_equal, flagged, refused, sample_until, samples_in)
from machine import eventset
from machine.armed import each_overflowed
from machine.cores import (BUFFER, CHANGED, GLOBAL_CTRL, CoreSession, assert_exact_over_offline,
                           core_windows, cores, event_for, full_set, may_count, perf_samples,
                           rate_of, released_to_perf, run_cores)

# increments per second; test_witness.py checks that perf measures the same rates
CYCLES, INSTRUCTIONS = core.CYCLES, core.rate(0xc0)
LLC_MISSES = core.rate(0x2e, 0x41)
ALL_COUNTERS = 0x70000000f
UNKNOWN_NMI = ("NMI received for unknown reason", "Dazed and confused", "strange power saving")


# ---- helpers ----

def stat(m, *events):
    """Run `ucoretool stat` for half a second; return event -> (CPU, or None for a die) -> count."""
    spelled = " ".join(f"-e {event}" for event in events)
    out = m.sh(f"ucoretool stat --per-box -j --timeout 500 {spelled}")
    found = {}
    for row in map(json.loads, out.splitlines()):
        if "event" in row:
            found.setdefault(row["event"], {})[row.get("cpu")] = row["count"]
    return found


def near(count, rate, cycles):
    """Check that a count is as large as expected for a number of cycles of the same CPU."""
    return abs(count - rate * cycles / CYCLES) <= 2 + 1e-6 * cycles


def touched(m):
    """Return CPU -> number of accesses to its core PMU registers."""
    return {cpu["cpu"]: cpu["core_rdmsr"] + cpu["core_wrmsr"]
            for cpu in m.oracle("cpus")["cpus"]}


def each_seen(ids, times):
    def enough(samples):
        seen = [event for sample in samples for event in flagged(sample)]
        return all(seen.count(event) >= times for event in ids)
    return enough


def late(samples):
    return sum(bool(sample["flags"] & SAMPLE_RECOVERED) for sample in samples)


def dropped(m, mark):
    """Return the number of PMIs that the hardware dropped because LVTPC was masked."""
    return sum(line.get("result") == "masked" for line in m.truth(since=mark)
               if line["ev"] in ("pmi", "core-pmi"))


def uncore_set(hz):
    """Return an event that overflows, on a counter of each die, for add_all()."""
    clock = {"event": 0}
    return [("imc1", die, 0, eventset.period_for("imc1", die, 0, clock, hz), clock)
            for die in (0, 1)]


# ---- ucoretool ----

@test("e2-2s")
def core_counters_require_permission(m):
    with cores(m):
        return ktap.run(m, "uapi_perms --cores") + ktap.run(m, "uapi_perms32 --cores")


@test("e2-2s")
def get_core_does_not_disturb_perf(m):
    with cores(m), released_to_perf(m):
        return ktap.run(m, "uapi_perms --perf")


@test("e2-2s")
def core_info_matches_cpuid(m):
    assert "cores      off" in m.sh("ucoretool info")
    with cores(m):
        info = json.loads(m.sh("ucoretool info -j"))["core"]
        eax = info["eax"]
        assert info["state"] == "ready" and info["events"] == 0x7f, info
        assert (info["version"], info["counters"], info["width"], eax >> 24) == \
            (eax & 0xff, eax >> 8 & 0xff, eax >> 16 & 0xff, 7), info
        assert (info["fixed"], info["fixed_width"]) == \
            (info["edx"] & 0x1f, info["edx"] >> 5 & 0xff), info
        listed = m.sh("ucoretool list").splitlines()
        assert len([line for line in listed if " core " in line]) == 1, listed


@test("e2-2s")
def core_events_count_by_name_and_raw(m):
    with cores(m):
        wanted = {"core/UNHALTED_CORE_CYCLES/": CYCLES, "core/INSTRUCTIONS_RETIRED/": INSTRUCTIONS,
                  "core/event=0x2e,umask=0x41/": LLC_MISSES,
                  "core/INST_RETIRED.ANY/": INSTRUCTIONS}
        found = stat(m, "core/CPU_CLK_UNHALTED.THREAD/", *wanted)
        cycles = found["core/CPU_CLK_UNHALTED.THREAD/"]
        assert sorted(cycles) == list(range(int(m.sh("nproc")))), cycles
        for cpu, count in cycles.items():
            assert count > 0.3 * CYCLES, (cpu, count)
            for event, rate in wanted.items():
                assert near(found[event][cpu], rate, count), (cpu, event, found)


@test("e2-2s")
def core_and_imc_events_share_a_session(m):
    with cores(m):
        found = stat(m, "core/LLC_MISSES/", "core/UNHALTED_CORE_CYCLES/",
                     "imc0/CAS_COUNT.RD,die=1/")
        for cpu, count in found["core/UNHALTED_CORE_CYCLES/"].items():
            assert near(found["core/LLC_MISSES/"][cpu], LLC_MISSES, count), (cpu, found)
        assert found["imc0/CAS_COUNT.RD,die=1/"][None] > 0, found


@test("e2-2s", perf=True)
def core_counters_stay_with_their_first_owner(m):
    with cores(m, watchdog=True):
        doctor = m.run("ucoretool doctor", check=False).out
        assert "warning  cores      the NMI watchdog uses" in doctor, doctor
        result = m.run("ucoretool stat --timeout 1 -e core/LLC_MISSES/", check=False)
        assert result.status == 1 and "kernel.nmi_watchdog=0" in result.err, result.err
        assert "in use by perf" in m.sh("ucoretool info")
        m.sh("sysctl -w kernel.nmi_watchdog=0")
        # the driver learns this when it next needs the counters
        assert "in use by perf" in m.sh("ucoretool info")

        session = m.spawn("ucoretool stat -e core/LLC_MISSES,cpu=1/ -- sleep 1000")
        m.wait_until(lambda: '"sessions":1' in m.sh("ucoretool info -j"), what="the session")
        assert "cores      ready" in m.sh("ucoretool info")
        perf = m.run("perf stat -e cycles:u -C 0 -- true 2>&1", check=False).out
        assert "not counted" in perf or "busy" in perf or "not supported" in perf, perf
        session.kill()
        session.wait(timeout=30, check=False)
        m.run("perf stat -e cycles -C 0 -- true")


@test("e2-2s")
def core_and_die_overflows_sample_their_domain(m):
    """All PMIs arrive by the same LVTPC entry, and each sample has the domain that overflowed."""
    with cores(m):
        mark = m.truth_length()
        m.sh("ucoretool record -o /tmp/data --count 200 "
             "-e core/INSTRUCTIONS_RETIRED,period=5000000/ -e core/CPU_CLK_UNHALTED.THREAD/ "
             "-e imc0/CAS_COUNT.RD,period=200000/")
        cpus, dies, recovered = {}, {}, 0
        for row in map(json.loads, m.sh("ucoretool script -i /tmp/data -j").splitlines()):
            if row.get("record") != "sample":
                continue
            assert row["trigger"] == "overflow", row
            recovered += bool(row.get("recovered"))
            if "die" in row:
                dies.setdefault(row["die"], []).append(row)
            else:
                cpus.setdefault(row["cpu"], []).append(row)
        assert len(cpus) == int(m.sh("nproc")) and len(dies) == 2, (cpus.keys(), dies.keys())
        assert all(len(rows) >= 5 for rows in (*cpus.values(), *dies.values()))
        assert recovered <= dropped(m, mark), (recovered, dropped(m, mark))


@test("e2-2s")
def core_timer_samples_are_written(m):
    with cores(m):
        m.sh("ucoretool record -o /tmp/data --count 40 --timer 5ms "
             "-e core/UNHALTED_CORE_CYCLES,cpu=1/")
        rows = [json.loads(line) for line in m.sh("ucoretool script -i /tmp/data -j").splitlines()]
        samples = [row for row in rows if row.get("record") == "sample"]
        assert len(samples) == 40 and all(row["cpu"] == 1 for row in samples), samples[:2]


# ---- counts, compared with the model ----

@test("e2-2s", kernels=KERNELS)
def every_counter_of_every_core_counts_exactly(m):
    with cores(m), CoreSession(m) as s:
        s.add_all(full_set(s))
        assert len(s.events) == 4 * 7, s.events
        s.start()
        for _ in range(3):
            last = s.read_exactly()["values"]
        s.reset_exactly()
        s.read_exactly()
        s.stop()
        assert_equal(s.differences(s.read()["values"], s._totals()))
        s.start()
        s.read_exactly()
    assert all(value["count"] and not value["flags"] for value in last), last


def count_of(m, event, clock):
    """Return the count of an event on CPU 1, and the count of @clock in the same time."""
    found = stat(m, f"core/{clock},cpu=1/", f"core/{event},cpu=1/")
    return found[f"core/{event},cpu=1/"][1], found[f"core/{clock},cpu=1/"][1]


@test("e2-2s", timeout=120)
def predefined_events_and_fixed_counters_have_names(m):
    with cores(m):
        for name, (event, umask) in core.PREDEFINED.items():
            count, cycles = count_of(m, name, "CPU_CLK_UNHALTED.THREAD")
            assert near(count, core.rate(event, umask), cycles), (name, count, cycles)
        for i, name in enumerate(("INST_RETIRED.ANY", "CPU_CLK_UNHALTED.THREAD",
                                  "CPU_CLK_UNHALTED.REF_TSC")):
            count, cycles = count_of(m, name, "UNHALTED_CORE_CYCLES")
            assert near(count, core.fixed_rate(i), cycles), (name, count, cycles)


# (event fields, arguments of core.rate()) on a core with two threads
SPELLED = [
    ({"event": 0xc0}, {}),
    ({"event": 0xc0, "usr": 1}, {"usr": True}),
    ({"event": 0xc0, "os": 1}, {"os": True}),
    ({"event": 0x2e, "umask": 0x41, "edge": 1}, {"edge": True}),
    ({"event": 0xc0, "thresh": 3}, {"cmask": 3}),
    ({"event": 0xc0, "thresh": 2, "invert": 1}, {"cmask": 2, "inv": True}),
    ({"event": 0xc0, "any": 1}, {"any_thread": True, "threads": 2}),
    ({"event": 0xc5, "usr": 1, "os": 1, "thresh": 1, "edge": 1}, {"cmask": 1, "edge": True}),
]


def rates_while_counting(m, some):
    """Return counter of CPU 1 -> its rate in the model, with @some on the general counters."""
    with CoreSession(m) as s:
        for ctr, (fields, _) in enumerate(some):
            s.on(1, ctr, **fields)
        s.on(1, "fixed0", any=1)
        s.on(1, "fixed1", usr=1)
        s.on(1, "fixed2", os=1)
        s.start()
        rates = {c["ctr"]: c["rate"] for c in pmus(m)[1]["counters"]}
        s.read_exactly()
    return rates


@test("e2-smt")
def event_fields_count_at_their_rates(m):
    with cores(m):
        for some in (SPELLED[:4], SPELLED[4:]):
            rates = rates_while_counting(m, some)
            for ctr, (fields, meaning) in enumerate(some):
                promised = core.rate(fields["event"], fields.get("umask", 0), **meaning)
                assert rates[ctr] == promised, (fields, rates[ctr], promised)
            assert (rates["fixed0"], rates["fixed1"], rates["fixed2"]) == \
                (CYCLES, CYCLES * 3 // 5, CYCLES * 2 // 5), rates


@test("e2-2s")
def global_control_freezes_and_is_restored(m):
    """The control is 0 in a freeze, has all enables otherwise, and STOP restores the old value.

    The driver accesses no other CPU.
    """
    m.run("modprobe -q msr", check=False)
    with cores(m):
        found = 1 << 33 | 5
        m.run(f"wrmsr 1 {GLOBAL_CTRL:#x} {found:#x}")
        others = {cpu: touched(m)[cpu] for cpu in (0, 2, 3)}
        with CoreSession(m) as s:
            s.on(1, 2, event=0xc0)
            s.on(1, "fixed1")
            s.start()
            assert pmus(m)[1]["global_ctrl"] == ALL_COUNTERS, pmus(m)[1]
            mark = m.truth_length()
            s.read_exactly()
            frozen, = m.truth("core-freeze", mark)
            assert (frozen["cpu"], frozen["global_ctrl"]) == (1, 0), frozen
            # only the two counters of the session are also enabled by their own controls
            counting = [c["ctr"] for c in pmus(m)[1]["counters"] if c["rate"]]
            assert counting == [2, "fixed1"], counting
            s.stop()
            assert pmus(m)[1]["global_ctrl"] == found, pmus(m)[1]
        m.settle()
        assert pmus(m)[1]["global_ctrl"] == found, pmus(m)[1]
        assert {cpu: touched(m)[cpu] for cpu in (0, 2, 3)} == others, "another CPU was touched"
        m.run(f"wrmsr 1 {GLOBAL_CTRL:#x} 0xf")


@test("e2-2s")
def read_costs_one_access_per_counter_and_two_writes(m):
    with cores(m), CoreSession(m) as s:
        s.add_all(full_set(s))
        s.start()
        before, status = touched(m), s.status()
        s.command("burst 10")
        after, now = touched(m), s.status()
        spent = [after[cpu] - before[cpu] for cpu in sorted(after)]
        assert spent == [10 * (7 + 2)] * 4, spent
        assert now["reads"] + now["writes"] - status["reads"] - status["writes"] == \
            sum(spent), (now, status)


# ---- samples, compared with the model ----

def armed_set(s, hz):
    """Return an event on every counter of every core, with different periods."""
    return [(box, domain, ctr, rate_of(ctr, fields) // (hz + number % 11), fields)
            for number, (box, domain, ctr, _, fields) in enumerate(full_set(s))]


@test("e2-2s", kernels=KERNELS, timeout=120)
def every_counter_ends_intervals_and_samples_are_exact(m):
    with cores(m), CoreSession(m, ring=1 << 20) as s:
        mark = m.truth_length()
        samples = run_cores(m, s, armed_set(s, 5), each_overflowed(2))
        status = s.status()
        carried = sum(len(pmi["cause"]) for pmi in m.truth("core-pmi", mark))
        assert late(samples) <= dropped(m, mark), (late(samples), dropped(m, mark))
    assert {sample["cpu"] for sample in samples} == {0, 1, 2, 3}, samples
    # each overflow of a counter is in exactly one sample
    assert carried == status["overflows"], (carried, status)
    # samples contain the interrupted context, except recovered samples and those of STOP
    without = [sample for sample in samples if not sample["flags"] & SAMPLE_CONTEXT]
    assert len(without) <= late(samples) + 4, without


@test("e2-2s")
def core_sample_holds_the_counters_of_its_cpu_only(m):
    with cores(m), CoreSession(m, ring=1 << 20) as s:
        wanted = full_set(s)
        wanted[0] = s.place(0, 0, CYCLES // 50, event=0x3c)
        samples = run_cores(m, s, wanted, lambda _, found: len(found) > 10)
    assert {sample["cpu"] for sample in samples} == {0}, samples
    assert {len(sample["values"]) for sample in samples} == {7}, samples


@test("e2-2s", kernels=KERNELS)
def core_timer_samples_are_exact(m):
    with cores(m), CoreSession(m, timer_ns=20 * MS, ring=1 << 20) as s:
        s.add_all([s.place(cpu, ctr, **event_for(cpu, ctr)) for cpu in s.cpus()
                   for ctr in (0, "fixed0")])
        s.add("imc0", 0, 0, event=0)
        mark = m.truth_length()
        s.start()
        samples = sample_until(m, s, lambda found: len(found) > 100)
        assert_equal(s.sample_differences(samples, s.freezes(mark)))
    assert {sample["trigger"] for sample in samples} == {TRIGGER_TIMER}, samples
    assert len({sample["domain"] for sample in samples}) == 5, samples


@test("e2-2s", kernels=KERNELS, timeout=120)
def core_and_die_overflows_reach_their_sessions(m):
    """PMIs of cores and dies use one LVTPC entry, and CPUs take other NMIs at the same time."""
    with cores(m), CoreSession(m, ring=1 << 20) as s:
        ids = s.add_all(uncore_set(70) + [s.place(cpu, 0, CYCLES // (40 + cpu), event=0x3c)
                                          for cpu in s.cpus()])
        mark = m.truth_length()
        s.start()
        m.wait_until(lambda: s.status()["samples"] >= 5 * len(ids), what="samples")
        m.check_log()
        # Linux requests the backtrace of a CPU long before it sends the NMI. An NMI of ucore
        # may deliver the backtrace, and then the other NMI has no handler
        m.allow("NMI received for unknown reason", "Dazed and confused")
        for _ in range(3):
            m.write("/proc/sysrq-trigger", "l")     # an NMI for each CPU's stack
        samples = sample_until(m, s, each_seen(ids, 10))
        assert_equal(s.sample_differences(samples, s.freezes(mark)))
        status = s.status()
        assert late(samples) <= dropped(m, mark), (late(samples), dropped(m, mark))
    assert all(len(flagged(sample)) == 1 for sample in samples), samples
    assert status["overflows"] == len(samples), status


@test("e2-2s")
def lost_core_interrupt_is_recovered(m):
    with cores(m), CoreSession(m, ring=1 << 20) as s:
        s.on(1, 0, CYCLES // 40, event=0x3c)
        s.on(1, "fixed0")
        mark = m.truth_length()
        s.start()
        for _ in range(5):
            before = s.status()["recovered"]
            m.inject("lose-core-pmi 1 1")
            m.wait_until(lambda: s.status()["recovered"] > before, what="a recovered overflow")
        s.stop()
        samples = samples_in(s.drain())
        assert_equal(s.sample_differences(samples, s.freezes(mark)))
        windows = core_windows(m, mark)[1]
        lost = [pmi for pmi in m.truth("core-pmi", mark) if pmi["result"] == "lost"]
        assert len(lost) == 5 <= late(samples) <= 5 + dropped(m, mark), (samples, lost)
    # nothing freezes the counter before the watchdog finds the overflow
    surplus = [sample["frozen_ns"] - (end - begin) for sample, (begin, end)
               in zip(samples, windows) if sample["flags"] & SAMPLE_RECOVERED]
    assert min(surplus) < MS / 2, surplus


# ---- overflow status ----

def raise_status(m, cpu, bits):
    m.inject(f"core-status {cpu} {bits:#x}")


def status_of(m, cpu):
    return pmus(m)[cpu]["status"]


@test("e2-2s")
def overflow_status_is_cleared_at_all_three_points(m):
    """The three points are new events, a reload and the end of counting; strict mode checks the
    order."""
    every = ALL_COUNTERS | BUFFER | CHANGED
    with cores(m), CoreSession(m) as s:
        s.on(1, 3, event=0xc0)
        s.on(1, "fixed2")
        for command in ("start", "reset", "stop"):
            raise_status(m, 1, every)
            assert status_of(m, 1) == every, hex(status_of(m, 1))
            s.command(command)
            assert not status_of(m, 1), (command, hex(status_of(m, 1)))


@test("e2-2s")
def overflow_status_is_cleared_before_reload_and_other_bits_are_ignored(m):
    """Other bits: counters that are not armed, the PEBS buffer, and CondChgd."""
    others = ALL_COUNTERS & ~1 | BUFFER | CHANGED
    with cores(m), CoreSession(m, ring=1 << 20) as s:
        armed = s.on(1, 0, CYCLES // 20, event=0x3c)
        s.on(1, 1, event=0xc0)
        s.start()
        for _ in range(3):
            raise_status(m, 1, others)
            before = s.status()["samples"]
            m.wait_until(lambda: s.status()["samples"] > before + 1, what="a reload")
            assert not status_of(m, 1) & others, hex(status_of(m, 1))
        s.stop()
        samples, status = samples_in(s.drain()), s.status()
    assert all(flagged(sample) == {armed} for sample in samples), samples
    assert status["overflows"] == len(samples), status


@test("e2-1s", settings={"core.uncore-bit": "yes"})
def status_bit_61_of_uncore_pmi_is_no_core_overflow(m):
    with cores(m), CoreSession(m, ring=1 << 20) as s:
        ids = s.add_all(uncore_set(100)[:1] + [s.place(cpu, 0, CYCLES // 30, event=0x3c)
                                               for cpu in (0, 1)])
        mark = m.truth_length()
        s.start()
        samples = sample_until(m, s, each_seen(ids, 5))
        assert_equal(s.sample_differences(samples, s.freezes(mark)))
        took = {pmi["cpu"] for pmi in m.truth("pmi", mark) if pmi["result"] == "delivered"}
    assert all(len(flagged(sample)) == 1 for sample in samples), samples
    assert took and not any(status_of(m, cpu) >> 61 & 1 for cpu in took), "the PMI clears the bit"


@test("e2-2s", kernels=BOTH, alone=True)
def spurious_interrupt_is_left_to_the_kernel(m):
    """The spurious interrupt is not handled, and the next overflow of the core is sampled."""
    def unknown_nmis():
        return m.dmesg().count(UNKNOWN_NMI[0])

    def stray():
        m.inject("pmi 1")
        return unknown_nmis() > before
    m.allow(*UNKNOWN_NMI)
    m.run("modprobe -q msr", check=False)
    with cores(m), CoreSession(m, ring=1 << 20) as s:
        s.on(1, 0, CYCLES // 10, event=0x3c)
        m.run("wrmsr 1 0x1d9 0x2000")
        before, mark = unknown_nmis(), m.truth_length()
        s.start()
        m.wait_until(stray, what="the kernel's message about an unknown NMI")
        samples = sample_until(m, s, lambda found: len(found) > 5)
        assert_equal(s.sample_differences(samples, s.freezes(mark)))
        m.run("wrmsr 1 0x1d9 0")


# ---- perf ----

@test("e2-2s", kernels=KERNELS)
def perf_and_ucore_exclude_each_other(m):
    """While perf or ucore holds core counters, the other one gets EBUSY on every CPU."""
    with cores(m):
        with CoreSession(m) as s:
            s.on(1, 0, event=0xc0)
            assert {may_count(m, cpu) for cpu in (0, 1, 3)} == {errno.EBUSY}
            s.start()
            assert may_count(m, 1) == errno.EBUSY
            s.read_exactly()
        with released_to_perf(m):
            assert may_count(m, 0) == 0
            holder = m.spawn("exec perfopen 2 hold")
            assert m.wait_until(holder.output, what="perf's event") == "0\n"
            with CoreSession(m) as s:
                with refused(errno.EBUSY):
                    s.on(1, 0, event=0xc0)
                s.add("imc0", 0, 0, event=0)        # perf holds only core counters
                s.start()
                s.read_exactly()
            info = json.loads(m.sh("ucoretool info -j"))["core"]
            assert info["state"] == "in use by perf" and "in use by perf" in info["reason"], info
            holder.kill(9)
            holder.wait(check=False)
        with CoreSession(m) as s:
            s.on(1, 0, event=0xc0)
            s.start()
            s.read_exactly()


@test("e2-2s", perf=True, timeout=180)
def core_counters_change_owner_while_a_die_is_sampled(m):
    """Perf and ucore use the core counters in turn. Uncore PMIs use the same LVTPC entry."""
    m.allow("INFO: NMI handler .* took too long", "perf: interrupt took too long")
    # the ring is read at the end, which a busy host reaches after minutes
    with cores(m), CoreSession(m, ring=1 << 24) as die:
        die.add_all(uncore_set(50))
        mark = m.truth_length()
        die.start()
        for _ in range(2):
            perf_samples(m)
            with CoreSession(m, ring=1 << 20) as s:
                run_cores(m, s, [s.place(cpu, 0, CYCLES // 30, event=0x3c) for cpu in s.cpus()],
                          each_overflowed(5))
        die.stop()
        samples = samples_in(die.drain())
        assert_equal(die.sample_differences(samples, die.freezes(mark)))
        assert late(samples) <= dropped(m, mark), (late(samples), dropped(m, mark))


# ---- CPU hotplug ----

@test("e2-2s", kernels=KERNELS)
def counts_are_exact_over_cpu_offline_and_online(m):
    assert_exact_over_offline(m)


@test("e2-2s")
def cpu_offline_at_load_has_no_box(m):
    m.set_online(1, False)
    try:
        with cores(m):
            m.set_online(1, True)
            with CoreSession(m) as s:
                assert s.cpus() == [0, 2, 3], s.cpus()
                s.add_all(full_set(s))
                s.start()
                s.read_exactly()
    finally:
        m.set_online(1, True)


@test("e2-2s", kernels=BOTH)
def counters_released_while_cpu_is_offline_return_to_perf(m):
    with cores(m):
        with CoreSession(m) as s:
            s.on(1, 0, event=0xc0)
            s.on(1, "fixed0")
            s.start()
            m.set_online(1, False)
        with released_to_perf(m):
            before = touched(m)[1]
            m.set_online(1, True)
            assert touched(m)[1] == before, "its registers were touched"
            assert may_count(m, 1) == 0
