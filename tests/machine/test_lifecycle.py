# SPDX-License-Identifier: GPL-2.0-only
"""Ends of sessions: close, kill, rmmod, CPU offline, the in-tree driver.

In each case the hardware is stopped and restored, and the counts are exact.
"""

import errno
import re

from lab import ktap
from lab.framework import BOTH, KERNELS, test
from lab.qemu import args
from lab.session import (GAP, GAP_OFFLINE, GAP_ONLINE, GAP_READER_MOVED, MS, SAMPLE, SAMPLE_GAP,
                         VALUE_OFFLINE, Refused, Session, assert_equal, assert_numbered,
                         samples_in)
from lab.truth import totals_of
from machine.eventset import DATA_READS, MACHINES, UNLIKE

DEBUGCTL, DEBUGCTL_UNCORE_PMI = 0x1d9, 1 << 13
CTL_EN = 1 << 22
CAS_READS = {"event": 0x04, "umask": 0x03}
# about 20 samples a second and die, because the serial port is slow
PERIOD = 2000000
TIMER = 20 * MS
RING = 1 << 18
REFCNT = "/sys/module/ucore/refcnt"

# ucore.h
STATE_READY, STATE_INTREE = 0, 4


# ---- registers before a session ----

def hardware(m):
    """Return the registers that a session must restore: name -> value."""
    found = {}
    for s, socket in enumerate(m.oracle("state")["sockets"]):
        for key in ("global_ctl", "global_status", "frozen"):
            found[f"{s}:{key}"] = socket[key]
        for box in socket["boxes"]:
            found[f"{s}:{box['box']}:filters"] = box["filters"]
            found[f"{s}:{box['box']}:status"] = box["status"]
    for s, socket in enumerate(m.oracle("counters")["sockets"]):
        for counter in socket:
            found[f"{s}:{counter['box']}.{counter['ctr']}:ctl"] = counter["ctl"]
    for cpu in m.oracle("cpus")["cpus"]:
        found[f"cpu{cpu['cpu']}:debugctl"] = cpu["debugctl"]
    return found


# (CPU, MSR, value) before the session: global control, filters of C-Boxes, PCU and UBox (v3)
V2 = ((0, 0xc00, 0x40000002), (2, 0xc00, 0x1), (0, 0xd14, 0x1f), (2, 0xd1a, 0x8001),
      (2, 0xc34, 0x04030201))
V1 = ((0, 0xd14, 0x1f), (2, 0xd34, 0xff83fc00), (2, 0xc34, 0x04030201))
V3 = ((0, 0x700, 0x40000002), (0, 0xe05, 0x1f), (0, 0x707, 0x2a), (1, 0xe16, 0x8001))
V3_OF_DIE_1 = ((2, 0x700, 0x20001), (2, 0xe06, 0x8001), (2, 0x715, 0x04030201))
SKX = ((0, 0x700, 0x4000000000000002), (0, 0xe05, 0x1f), (1, 0xe16, 0x8001), (2, 0x700, 0x20001),
       (2, 0xe06, 0x8001), (2, 0x715, 0x04030201))
# platform -> (MSRs, PCI function of ha0, which has ADDRMATCH0 at 40h)
FOUND = {"ivbep": (V2, "7f:0e.1"), "snbep": (V1, "7f:0e.1"),
         "hswep": (V3 + V3_OF_DIE_1, "7f:12.1"), "bdxep": (V3 + V3_OF_DIE_1, "7f:12.1"),
         "bdxde": (V3, "ff:12.1"), "skx": (SKX, None)}
# first box with a filter, by platform; default: cbo0
FIRST = {"skx": "cha0"}


def filters_of(platform):
    return f"0:{FIRST.get(platform, 'cbo0')}:filters"


def furnish(m):
    """Write values to the registers that a session must restore; return hardware()."""
    m.run("modprobe -q msr", check=False)      # built into the debug kernel
    platform = args.Scenario(m.scenario).platform
    msrs, ha0 = FOUND[platform]
    for cpu, msr, value in (*msrs, (1, DEBUGCTL, DEBUGCTL_UNCORE_PMI)):
        m.run(f"wrmsr {cpu} {msr:#x} {value:#x}")
    if ha0:
        m.run("printf '\\000\\020\\0\\0' | dd bs=4 seek=16 count=1 conv=notrunc "
              f"of=/sys/bus/pci/devices/0000:{ha0}/config")
    found = hardware(m)
    assert found[filters_of(platform)][0] == 0x1f, found[filters_of(platform)]
    assert not ha0 or found["0:ha0:filters"][0] == 0x1000, found["0:ha0:filters"]
    # v1 has no global control
    assert found["0:global_ctl"] == (0 if msrs is V1 else msrs[0][2]), found["0:global_ctl"]
    return found


def changes(now, before):
    return [f"{name}: {value:#x}, found {before[name]:#x}" if isinstance(value, int) else
            f"{name}: {value}, found {before[name]}"
            for name, value in now.items() if value != before[name]]


def assert_restored(m, found):
    """Check that hardware() returns to @found, and that nothing counts.

    The exit of a killed process takes some time.
    """
    try:
        m.wait_until(lambda: hardware(m) == found, timeout=10)
    except TimeoutError:
        left = changes(hardware(m), found)
        raise AssertionError("not restored:\n" + "\n".join(left[:20])) from None
    first, second = totals_of_disabled(m, found), totals_of_disabled(m, found)
    assert first == second, "a disabled counter counts"


def totals_of_disabled(m, found):
    """Return the model's totals of the counters that were disabled in @found."""
    return {(s, name): total for s, totals in enumerate(totals_of(m))
            for name, total in totals.items()
            if not found[f"{s}:{name[0]}.{name[1]}:ctl"] & CTL_EN}


# (box, counter, fields) to use, where the box exists
BORROWED = (("imc1", "fixed", {}), ("cbo1", None, {"event": 0x34, "umask": 0x11,
                                                   "filter_state": 0x1f}),
            ("cbo0", None, {"event": 0x35, "umask": 0x41, "filter_opc": 0x182, "filter_nid": 3}),
            ("pcu0", None, {"event": 0x0b, "band0": 12}),
            ("ha0", None, {"event": 0x20, "umask": 3, "addr_match": 0x4000, "opc_match": 0x11}),
            ("qpi0", None, {"event": 0x38, "match0": 0x8, "mask0": 0x8}),
            ("ubox0", "fixed", {}), ("r2pcie0", None, {"event": 0x01}),
            ("r3qpi0", None, {"event": 0x01}), ("irp0", None, {"event": 0x00}),
            ("sbox0", None, {"event": 0x00}),
            ("cha0", None, {"event": 0x35, "umask": 0x21, **DATA_READS}),
            ("cha1", None, {"event": 0x34, "umask": 0x11, "filter_state": 0x3ff}),
            ("iio0", None, {"event": 0x01}), ("m2m0", None, {"event": 0x00}),
            ("upi0", None, {"event": 0x05, "umask_ext": 0x2001}),
            ("m3upi0", None, {"event": 0x01}), ("m2pcie0", None, {"event": 0x01}))
WITH_UBOX_FILTER = ("hswep", "bdxep", "bdxde")


def on_every_kind_of_box(m, period=PERIOD):
    """Return a running session that uses every kind of register that it must restore."""
    first = filters_of(args.Scenario(m.scenario).platform)
    before = hardware(m)[first]
    s = Session(m, timer_ns=TIMER, ring=RING)
    for die in sorted({die for die, _ in s.ids}):
        s.add("imc0", die, period=period, **CAS_READS)
        s.add_all([(box, die, counter, 0, fields) for box, counter, fields in BORROWED
                   if (die, box) in s.ids])
        if s.platform in WITH_UBOX_FILTER:
            s.add("ubox0", die, event=0x41, filter_cid=3)
    s.start()
    m.wait_until(lambda: s.status()["overflows"] > 4, what="overflows")
    assert hardware(m)[first] != before, "the filters were not programmed"
    return s


# ---- ends of sessions ----

@test(MACHINES, kernels=KERNELS)
def close_restores_the_hardware(m):
    found = furnish(m)
    s = on_every_kind_of_box(m)
    s._process.feed("quit\n")
    s._process.wait(timeout=30)
    assert_restored(m, found)


@test(UNLIKE, kernels=KERNELS)
def kill_restores_the_hardware(m):
    found = furnish(m)
    for _ in range(3):
        s = on_every_kind_of_box(m)
        s.__exit__()        # SIGKILL
        assert_restored(m, found)


@test(UNLIKE, kernels=KERNELS)
def last_session_of_a_die_restores_it(m):
    """Two sessions share a die. The end of one does not affect the other one."""
    found = furnish(m)
    with Session(m) as one, Session(m, ring=RING) as two:
        one.add("ha0", 0, event=0x20, umask=1, addr_match=0x8000)
        two.add("imc0", 0, period=PERIOD, **CAS_READS)
        one.start()
        two.start()
        one.__exit__()
        before = two.status()["overflows"]
        m.wait_until(lambda: two.status()["overflows"] > before + 5, what="overflows")
        assert hardware(m)["0:ha0:filters"] == found["0:ha0:filters"]
        two.stop_exactly()
    assert_restored(m, found)


@test(UNLIKE, kernels=KERNELS)
def stopped_session_does_not_count(m):
    with on_every_kind_of_box(m) as s:
        s.stop_exactly()
        counting = [name for name, value in hardware(m).items()
                    if name.endswith(":ctl") and value & CTL_EN]
        assert totals_of(m) == totals_of(m), counting


# ---- rmmod ----

def expect_in_use(m, who):
    result = m.run("rmmod ucore", check=False)
    assert result.status, f"rmmod with {who}"
    assert "Resource temporarily unavailable" in result.err or "in use" in result.err, result.err


@test("e2-2s", kernels=KERNELS, alone=True)
def rmmod_waits_for_users(m):
    found = furnish(m)
    node = m.spawn("exec 3</dev/ucore; exec sleep 1000")
    m.wait_until(lambda: int(m.read(REFCNT)), what="open node")
    expect_in_use(m, "an open node")
    node.kill(9)
    node.wait(check=False)

    s = on_every_kind_of_box(m)
    expect_in_use(m, "a running session")
    before = s.status()["samples"]
    m.wait_until(lambda: s.status()["samples"] > before + 5, what="samples")
    s.__exit__()
    m.wait_until(lambda: m.read(REFCNT) == "0\n", what="last user gone")
    m.rmmod()
    assert_restored(m, found)


# Users that are killed at a random moment; the module may be unloaded when the next user starts
USERS = """
i=0
while [ ! -e /tmp/enough ]; do
    ucoretool record --timer 1ms -e imc/CAS_COUNT.RD,period=10000/ -o /dev/null 2>/dev/null &
    sleep 0.$((i % 9))$((i % 7))
    kill -9 $!; wait $!
    sleep $((i % 2 * {pause}))
    i=$((i + 1))
done
"""
# kernel -> number of removals, and seconds without a user after every second user. Without this
# pause the next user opens the device before rmmod runs on the debug kernel, nearly each time
REMOVALS = {"6.1": (10, 0), "debug": (2, 2)}


@test("e2-2s", kernels=KERNELS, alone=True, timeout=240)
def rmmod_at_random_moments_leaves_nothing(m):
    """rmmod is refused, or the device of a later user is absent; nothing remains in either case."""
    found = furnish(m)
    removals, pause = REMOVALS.get(m.kernel.name, REMOVALS["6.1"])
    users = m.spawn(USERS.replace("{pause}", str(pause)))
    refused = done = 0
    try:
        while min(done, refused) < removals:
            # a slow machine would otherwise hardly ever meet one of the two cases
            used = refused < done
            m.wait_until(lambda used=used: (m.read(REFCNT) != "0\n") == used,
                         what=f"a device that is {'used' if used else 'unused'}")
            m.run(f"sleep 0.0{done}")
            if m.run("rmmod ucore", check=False).status:
                refused += 1
            else:
                done += 1
                m.insmod()
    finally:
        m.run("touch /tmp/enough")
        users.wait(timeout=60, check=False)
        m.run("rm /tmp/enough")
    m.wait_until(lambda: m.read(REFCNT) == "0\n", what="last user gone")
    assert_restored(m, found)


@test(UNLIKE, alone=True)
def rmmod_and_insmod_repeat_without_residue(m):
    found = furnish(m)
    for _ in range(5):
        on_every_kind_of_box(m).__exit__()
        m.wait_until(lambda: m.read(REFCNT) == "0\n", what="last user gone")
        m.rmmod()
        assert_restored(m, found)
        m.insmod()
    assert_restored(m, found)


@test(MACHINES, kernels=BOTH, loaded=False, alone=True)
def loading_writes_no_register(m):
    found = furnish(m)
    m.inject("reset")
    m.insmod()
    m.run("ucoretool list && ucoretool info")
    assert_restored(m, found)
    made = m.oracle("accesses")["total"]
    assert made["all"] < 2000, made
    m.rmmod()
    assert_restored(m, found)
    made = m.oracle("accesses")["total"]
    assert not any(made[kind] for kind in ("wrmsr", "ecam_write", "cf8_write", "mmio_write")), \
        made


# ---- CPU hotplug ----

# On v1 dies are frozen box by box, and periods are polled. On v3 the PMI has another route
WORDS, ROUTES = ("e2-2s", "snbep-2s"), ("e2-2s", "hswep-2s")


def all_online(m):
    for cpu in (1, 2, 3):
        m.set_online(cpu, True)


def reader(s, die):
    return next(d["cpu"] for d in s.read()["domains"] if d["domain"] == die)


def more_samples(m, s, count=10):
    before = s.status()["samples"]
    m.wait_until(lambda: s.status()["samples"] >= before + count, what="samples")


def gaps(records, die):
    return [r["reason"] for r in records if r["type"] == GAP and r["domain"] == die]


def sampling_session(m, **options):
    s = Session(m, ring=RING, **options)
    for die in sorted({die for die, _ in s.ids}):
        s.add("imc0", die, period=0 if "timer_ns" in options else PERIOD, **CAS_READS)
        s.add("cbo0" if (die, "cbo0") in s.ids else "cha0", die, event=0x00)
        s.add("ubox0", die, counter="fixed")
    s.start()
    return s


def reader_goes(m, **options):
    with sampling_session(m, **options) as s:
        try:
            more_samples(m, s)
            cpu = reader(s, 1)
            m.set_online(cpu, False)
            more_samples(m, s)
            assert reader(s, 1) != cpu, f"CPU {cpu} reads on"
            m.set_online(cpu, True)
            more_samples(m, s)
        finally:
            all_online(m)
        s.stop_exactly()
        records = s.drain()
        assert gaps(records, 1) == [GAP_READER_MOVED], gaps(records, 1)
        assert gaps(records, 0) == [], gaps(records, 0)
        assert_numbered(records)


@test(WORDS, kernels=KERNELS)
def timer_sampling_survives_reader_offline(m):
    reader_goes(m, timer_ns=TIMER)


@test(ROUTES, kernels=KERNELS)
def overflow_sampling_survives_pmi_core_offline(m):
    reader_goes(m)
    recovered = [line for line in m.truth("pmi") if line["result"] == "delivered"]
    assert recovered, "no PMI at all"


@test(ROUTES, kernels=KERNELS)
def overflow_sampling_without_pmi_survives_reader_offline(m):
    """The polls of the global status move to the next reader."""
    mark = m.truth_length()
    reader_goes(m, no_pmi=True)
    assert not m.truth("pmi", mark), m.truth("pmi", mark)[0]


@test("snbep-2s")
def polled_sampling_survives_reader_offline(m):
    reader_goes(m)
    assert not m.truth("pmi"), m.truth("pmi")[0]


@test(ROUTES, kernels=KERNELS)
def chosen_pmi_core_offline_is_replaced(m):
    with Session(m, ring=RING) as s:
        s.command("cpu 3")
        s.add("imc0", 1, period=PERIOD, **CAS_READS)
        s.start()
        try:
            more_samples(m, s)
            m.set_online(3, False)
            more_samples(m, s)
            assert reader(s, 1) == 2
        finally:
            all_online(m)
        s.stop_exactly()
        records = s.drain()
        cpus = [sample["cpu"] for sample in samples_in(records)]
        assert set(cpus) == {2, 3} and cpus == sorted(cpus, reverse=True), cpus
        assert gaps(records, 1) == [GAP_READER_MOVED], gaps(records, 1)


def made_by(m):
    """Return the number of uncore register accesses of each CPU."""
    return [cpu["pmon"] for cpu in m.oracle("cpus")["cpus"]]


def run_apart(m, apart):
    """Sample and READ with two readers; check that the CPUs @apart access no register.

    Return the reader of each die.
    """
    before = made_by(m)
    with Session(m, timer_ns=TIMER, ring=RING, cpu=1, readers=2) as s:
        for die in (0, 1):
            s.add("imc0", die, period=PERIOD, **CAS_READS)
            s.add_all([("imc1", die, ctr, 0, {"event": 0}) for ctr in range(4)])
        s.start()
        more_samples(m, s, 50)
        s.read()
        readers = [reader(s, die) for die in (0, 1)]
        s.stop_exactly()
    made = [now - then for then, now in zip(before, made_by(m))]
    assert not any(made[cpu] for cpu in apart), made
    return readers


@test("e2-2s", cmdline="isolcpus=0,2")
def isolated_cpus_are_not_used(m):
    assert run_apart(m, (0, 2)) == [1, 3]


@test("e2-2s", cmdline="isolcpus=0,2,3")
def die_with_isolated_cpus_only_is_read(m):
    assert run_apart(m, (0, 3)) == [1, 2]


@test("e2-2s", kernels=KERNELS)
def unused_cpu_offline_disturbs_nothing(m):
    with sampling_session(m, timer_ns=TIMER) as s:
        try:
            more_samples(m, s)
            m.set_online(5 - reader(s, 1), False)
            more_samples(m, s)
        finally:
            all_online(m)
        s.stop_exactly()
        records = s.drain()
        assert gaps(records, 1) == [], gaps(records, 1)
        assert_numbered(records)


def die_goes(m, **options):
    with sampling_session(m, **options) as s:
        try:
            more_samples(m, s)
            m.set_online(2, False)
            m.set_online(3, False)
            expect_die_offline(m, s)
            s.forget_unread({1})
            m.set_online(3, True)
            more_samples(m, s, 20)
            assert reader(s, 1) == 3
        finally:
            all_online(m)
        s.stop_exactly()
        records = s.drain()
        assert [g for g in gaps(records, 1) if g != GAP_READER_MOVED] == \
            [GAP_OFFLINE, GAP_ONLINE], gaps(records, 1)
        assert gaps(records, 0) == [], gaps(records, 0)
        expect_gap_flagged(records, 1, GAP_ONLINE)
        assert_numbered(records)


def expect_gap_flagged(records, die, reason):
    """Check that the first sample after a gap, and no other one, has SAMPLE_GAP."""
    of_die = [r for r in records if r["domain"] == die]
    after = next(i for i, r in enumerate(of_die) if r["type"] == GAP and r["reason"] == reason)
    first = next(r for r in of_die[after:] if r["type"] == SAMPLE)
    samples_with_gap = [r for r in of_die if r["type"] == SAMPLE and r["flags"] & SAMPLE_GAP]
    assert samples_with_gap == [first], (first, samples_with_gap)


def expect_die_offline(m, s):
    """Check that die 1 keeps its last counts, die 0 counts on, and commands that need die 1
    return EAGAIN."""
    first = s.read()
    more_samples(m, s)      # a die beyond its budget may be frozen for some milliseconds
    second = s.read()
    for old, new in zip(first["values"], second["values"]):
        offline = s.events[new["event"]].die == 1
        assert bool(new["flags"] & VALUE_OFFLINE) == offline, new
        assert (old["count"] == new["count"]) == offline, (old, new)
    expect_refused(s, "reset", errno.EAGAIN)
    expect_refused(s, "cpu 3", errno.EBUSY, errno.EAGAIN)
    with Session(m) as other:
        expect_refused(other, "cpu 3", errno.EAGAIN)
        other.add("imc1", 1, **CAS_READS)
        expect_refused(other, "start", errno.EAGAIN)


def expect_refused(s, command, *numbers):
    try:
        s.command(command)
    except Refused as refused:
        assert refused.errno in numbers, refused
    else:
        raise AssertionError(f"{command}: success")


@test(WORDS, kernels=KERNELS)
def timer_sampling_survives_die_offline(m):
    die_goes(m, timer_ns=TIMER)


@test(UNLIKE, kernels=KERNELS)
def overflow_sampling_survives_die_offline(m):
    die_goes(m)


@test(UNLIKE, kernels=KERNELS, alone=True)
def session_closed_with_die_offline_is_released(m):
    found = furnish(m)
    s = on_every_kind_of_box(m)
    try:
        m.set_online(2, False)
        m.set_online(3, False)
        s.__exit__()
        m.wait_until(lambda: m.read(REFCNT) == "0\n", what="last user gone")
        with Session(m) as again:
            again.add("imc0", 1, **CAS_READS)
    finally:
        all_online(m)
    assert_restored(m, found)


@test(WORDS, kernels=KERNELS, alone=True)
def session_stopped_with_die_offline_keeps_counts(m):
    found = furnish(m)
    with sampling_session(m) as s:
        try:
            more_samples(m, s)
            m.set_online(2, False)
            m.set_online(3, False)
            s.stop()
        finally:
            all_online(m)
        assert_equal(s.differences(s.read()["values"], s.stopped_totals()))
        s.start()
        more_samples(m, s)
        s.stop_exactly()
    assert_restored(m, found)


@test(WORDS, timeout=120)
def repeated_reader_moves_lose_nothing(m):
    with sampling_session(m, timer_ns=TIMER) as timer, Session(m, ring=RING) as overflow:
        overflow.add("imc1", 1, period=PERIOD, **CAS_READS)
        overflow.start()
        try:
            for _ in range(3):
                for cpu in (2, 3):
                    m.set_online(cpu, False)
                    more_samples(m, overflow, 2)
                    more_samples(m, timer, 2)
                    m.set_online(cpu, True)
        finally:
            all_online(m)
        for s in (timer, overflow):
            s.stop_exactly()
            assert_numbered(s.drain())


# ---- the in-tree driver ----

def info(m):
    """Return the text of `ucoretool info`, which exits with 1 if no boxes exist."""
    return m.run("ucoretool info", check=False).out


def expect_perf_counts(m, socket=0):
    """Check that perf counts DCLKs at their rate.

    Repeat, because the host may stop a CPU between the reads of perf's clock and of the counter.
    """
    promised = (0.8e9, 0.89e9)[socket]
    m.wait_until(lambda: abs(perf_rate(m, socket) - promised) < 0.1e9, timeout=60,
                 what=f"{promised:.2g} DCLKs per second of socket {socket} by perf")


def perf_rate(m, socket):
    out = m.run("perf stat -a --per-socket -x, -e uncore_imc_0/event=0xff/ sleep 0.5").err
    count, ns = re.search(rf"^S{socket},\d+,(\d+),,[^,]*,(\d+),", out, re.MULTILINE).groups()
    return int(count) * 1e9 / int(ns)


WITNESS = {"loaded": False, "strict": False, "perf": True, "alone": True}


@test(MACHINES, kernels=BOTH, **WITNESS)
def loaded_intree_driver_is_respected(m):
    m.run("modprobe intel_uncore")
    m.insmod()
    said = info(m)
    assert "intel_uncore" in said and "modprobe -r intel_uncore" in said, said
    refused = m.run("ucoretool stat -e imc/CAS_COUNT.RD/ -- true", check=False)
    assert refused.status == 1 and "modprobe -r intel_uncore" in refused.err, refused.err
    created = m.run("uapi_intree loaded_intree_driver_refuses_sessions", check=False)
    assert not created.status, created.out
    expect_perf_counts(m)


@test("e2-2s", kernels=BOTH, **WITNESS)
def ucore_works_after_intree_driver_unload(m):
    m.run("modprobe intel_uncore")
    m.insmod()
    m.run("modprobe -r intel_uncore")
    assert "modprobe" not in info(m), info(m)
    with sampling_session(m) as s:
        more_samples(m, s)
        s.stop_exactly()


@test("e2-2s", kernels=BOTH, **WITNESS)
def intree_driver_may_load_and_unload_between_claims(m):
    m.insmod()
    program = m.spawn("uapi_intree intree_driver_loaded_later_refuses_events")
    m.wait_until(lambda: "ready" in program.output(), what="session")
    m.run("modprobe intel_uncore && touch /tmp/loaded")
    m.wait_until(lambda: "refused" in program.output() or program.done, what="refusals")
    m.run("modprobe -r intel_uncore && touch /tmp/unloaded")
    result = program.wait(timeout=30, check=False)
    assert not result.status, result.out


@test(MACHINES, kernels=BOTH, **WITNESS)
def intree_driver_load_is_refused_while_boxes_are_in_use(m):
    m.insmod()
    with sampling_session(m) as s:
        refused = m.run("modprobe intel_uncore", check=False)
        assert refused.status and "busy" in refused.err, refused.err
        assert "intel_uncore not loaded" in m.dmesg()
        more_samples(m, s)
        s.stop_exactly()
    m.run("modprobe intel_uncore")
    expect_perf_counts(m)


@test(MACHINES, kernels=BOTH, **WITNESS)
def intree_driver_works_after_ucore(m):
    m.insmod()
    on_every_kind_of_box(m).__exit__()
    m.wait_until(lambda: m.read(REFCNT) == "0\n", what="last user gone")
    m.rmmod()
    m.run("modprobe intel_uncore")
    for socket in range(args.Scenario(m.scenario).sockets):
        expect_perf_counts(m, socket)
    m.run("modprobe -r intel_uncore")
    m.insmod()
    with sampling_session(m) as s:
        more_samples(m, s)
        s.stop_exactly()


@test("spr-1s", kernels=BOTH, **WITNESS)
def intree_driver_without_a_pci_driver_is_respected(m):
    """On discovery platforms intel_uncore has no PCI driver; ucore finds it as a loaded module."""
    respect_intree_driver(m, "cha/CLOCKTICKS/")


def respect_intree_driver(m, event):
    """Check that ucore and intel_uncore refuse each other while one of them uses the boxes."""
    count = f"ucoretool stat -e {event} --"
    m.run("modprobe intel_uncore")
    m.insmod()
    assert "modprobe -r intel_uncore" in info(m), info(m)
    refused = m.run(f"{count} true", check=False)
    assert refused.status == 1 and "modprobe -r intel_uncore" in refused.err, refused.err
    m.run("modprobe -r intel_uncore")
    assert "modprobe" not in info(m), info(m)
    refused = m.run(f"{count} modprobe intel_uncore", check=False)
    assert "busy" in refused.err, refused.err
    m.run("modprobe intel_uncore")
    assert "modprobe -r intel_uncore" in info(m), info(m)


# ---- stress tests ----

HOTPLUG_LOOP = """
while [ ! -e /tmp/enough ]; do
    for cpu in 1 2 3 "2 3"; do
        for c in $cpu; do echo 0 > /sys/devices/system/cpu/cpu$c/online; done
        for c in $cpu; do echo 1 > /sys/devices/system/cpu/cpu$c/online; done
    done
done"""


@test(UNLIKE, kernels=KERNELS, timeout=120)
def concurrent_calls_stress_the_driver(m):
    found = furnish(m)
    results = ktap.run(m, "uapi_stress 6 1") + ktap.run(m, "uapi_stress32 3 2")
    assert_restored(m, found)
    return results


@test("e2-2s", kernels=KERNELS, timeout=180)
def concurrent_calls_stress_the_driver_during_hotplug(m):
    found = furnish(m)
    loop = m.spawn(HOTPLUG_LOOP)
    try:
        results = ktap.run(m, "uapi_stress 12 3")
    finally:
        m.run("touch /tmp/enough")
        loop.wait(timeout=60)
        m.run("rm /tmp/enough")
    # INIT clears DEBUGCTL, so the old value is lost with the CPU
    for cpu in (1, 2, 3):
        found[f"cpu{cpu}:debugctl"] = hardware(m)[f"cpu{cpu}:debugctl"] & ~DEBUGCTL_UNCORE_PMI
    assert_restored(m, found)
    return results
