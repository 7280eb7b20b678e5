# SPDX-License-Identifier: GPL-2.0-only
"""Suspend, a paused machine, kexec and panic.

Counts are exact, gaps are reported, and the hardware is restored for the next user.
"""

import time

from lab import kernels
from lab.framework import BOTH, skip, test
from lab.machine import Machine
from lab.qemu import args
from lab.session import (GAP_SUSPEND, GAP_RESUME, MS, SAMPLE_RECOVERED, VALUE_GAP, Session,
                         assert_numbered, samples_in)
from machine.registers import peek
from machine.test_lifecycle import (CTL_EN, DEBUGCTL_UNCORE_PMI, RING, TIMER, all_online, changes,
                                    expect_gap_flagged, furnish, gaps, hardware, more_samples,
                                    on_every_kind_of_box, sampling_session)

# Machines whose dies are frozen by one write, box by box, and by one write to a control that also
# unfreezes (with memory-mapped registers)
SUSPEND_SCENARIOS = ("e2-2s", "snbep-2s", "spr-2s")
STATE, KINDS = "/sys/power/state", "/sys/power/mem_sleep"
# wakeup attribute of the agent's serial line: traffic on it may wake the machine
LINE = "/sys/class/tty/ttyS1/power/wakeup"
SUSPENDING = "Suspending console"
CPU_AWAY = "is now offline"


# ---- kinds of suspend ----

def require(m, path, word):
    if word not in m.run(f"cat {path}", check=False).out:
        skip(f"{path} does not offer {word}")


def suspend_to_ram(m, while_suspended=lambda: None):
    """Suspend to RAM (S3) and resume; while_suspended() is called in between.

    QEMU resets the machine at the resume.
    """
    require(m, KINDS, "deep")
    m.write(KINDS, "deep")
    done = suspend_by(m, f"echo mem > {STATE}", while_suspended)
    if done.status:
        raise AssertionError(f"the machine did not suspend: {done.err}")


def suspend_by(m, command, while_suspended=lambda: None):
    """Run a command that suspends the machine to RAM; return its result.

    If the machine suspends, call while_suspended() and wake the machine.
    """
    task = m.spawn(command, timeout=60)
    m.wait_until(lambda: m.qmp("query-status")["status"] == "suspended" or task.done, what="S3")
    if not task.done:
        while_suspended()
        m.qmp("system_wakeup")
    return task.wait(check=False)


def console(m):
    return m.console.read_text(errors="replace")


def is_idle(m):
    """Return true if all CPUs of the guest are idle."""
    before = m.cpu_seconds()
    time.sleep(0.5)                 # only the CPU time of the host shows that they do not run
    return m.cpu_seconds() - before < 0.03


def suspend_to_idle(m):
    """Suspend to idle, which loses no register; traffic on the serial line wakes the machine."""
    require(m, STATE, "freeze")
    m.write(LINE, "enabled")
    before = console(m).count(SUSPENDING)
    task = m.spawn(f"echo freeze > {STATE}", timeout=60)
    # two checks, because a busy host may not run the guest for half a second before the suspend
    m.wait_until(lambda: task.done or console(m).count(SUSPENDING) > before and is_idle(m) and
                 is_idle(m),
                 what="suspend to idle")
    if task.done:
        raise AssertionError(f"the machine did not suspend: {task.wait(check=False).err}")
    m.sh("true")
    task.wait()


def hibernate_halfway(m):
    """Hibernate as far as possible without a disk.

    The kernel creates the memory image with all devices and all CPUs but one suspended, and
    resumes after five seconds.
    """
    require(m, "/sys/power/pm_test", "core")
    require(m, STATE, "disk")
    m.write("/sys/power/pm_test", "core")
    before = console(m).count(CPU_AWAY)
    try:
        m.run(f"echo disk > {STATE}", timeout=120)
    finally:
        m.write("/sys/power/pm_test", "none")
    assert console(m).count(CPU_AWAY) > before


def dies_of(m):
    return range(args.Scenario(m.scenario).sockets)


def session_of(m, **options):
    if args.Scenario(m.scenario).platform != "spr":
        return sampling_session(m, **options)
    s = Session(m, ring=RING, **options)
    for die in dies_of(m):
        for box in ("cha0", "imc0", "upi0"):    # MSRs, memory, config space
            s.add(box, die, event=1)
    s.start()
    return s


def assert_exact_over_suspend(m, suspend, **options):
    """Call suspend(session) while a session counts; compare records, samples and READ."""
    with session_of(m, **options) as s:
        more_samples(m, s)
        suspend(s)
        answer = s.read()
        assert all(v["flags"] & VALUE_GAP for v in answer["values"]), answer
        answer = s.read()
        assert not any(v["flags"] & VALUE_GAP for v in answer["values"]), answer
        more_samples(m, s)
        s.stop_exactly()
        records = s.drain()
    for die in dies_of(m):
        assert gaps(records, die) == [GAP_SUSPEND, GAP_RESUME], gaps(records, die)
        expect_gap_flagged(records, die, GAP_RESUME)
    assert_numbered(records)


def through_ram(m, **options):
    # counts of unfrozen counters between their last read and the suspend are lost
    assert_exact_over_suspend(
        m, lambda s: suspend_to_ram(m, lambda: s.forget_unread(set(dies_of(m)))), **options)


@test(SUSPEND_SCENARIOS, kernels=BOTH, timeout=120)
def timer_session_survives_suspend_to_ram(m):
    through_ram(m, timer_ns=TIMER)


@test(("e2-2s", "snbep-2s"), kernels=BOTH, timeout=120)
def overflow_session_survives_suspend_to_ram(m):
    through_ram(m)


@test("e2-2s", kernels=BOTH, timeout=120)
def session_survives_suspend_to_idle(m):
    assert_exact_over_suspend(m, lambda _: suspend_to_idle(m), timer_ns=TIMER)


@test("e2-2s", kernels=BOTH, timeout=120)
def session_survives_hibernation_without_disk(m):
    assert_exact_over_suspend(m, lambda _: hibernate_halfway(m))


@test("e2-2s", kernels=BOTH, timeout=120)
def interrupt_arrives_after_suspend(m):
    """Resume restores the PMI route, so that most overflows do not wait for the watchdog."""
    with sampling_session(m) as s:
        more_samples(m, s)
        suspend_to_ram(m)
        s.drain()
        mark = m.truth_length()
        more_samples(m, s, 20)
        s.stop_exactly()
        samples = samples_in(s.drain())
    late = [sample for sample in samples if sample["flags"] & SAMPLE_RECOVERED]
    assert len(late) <= len(samples) // 4, f"{len(late)} of {len(samples)} had no PMI"
    assert any(line["result"] == "delivered" for line in m.truth("pmi", since=mark))


@test(("e2-2s", "snbep-2s"), kernels=BOTH, alone=True, timeout=120)
def registers_are_restored_during_suspend(m):
    """During suspend all registers are as before the session; after resume they are at reset."""
    found = furnish(m)
    left = []
    s = on_every_kind_of_box(m)
    suspend_to_ram(m, lambda: left.extend(changes(without_debugctl(hardware(m)), found)))
    assert not left, left
    more_samples(m, s)
    s._process.feed("quit\n")
    s._process.wait(timeout=30)
    now = hardware(m)
    set_still = [name for name, value in now.items() if name.endswith(":ctl") and value & CTL_EN]
    assert not set_still, set_still
    assert now["0:global_ctl"] == 0 and not now["0:frozen"], now["0:global_ctl"]
    assert now["0:cbo0:filters"][0] == 0, now["0:cbo0:filters"]


def without_debugctl(now):
    """Return the registers without DEBUGCTL, which a CPU loses when it goes offline."""
    return {name: value for name, value in now.items() if not name.endswith(":debugctl")}


# ---- a paused machine ----

@test("e2-2s")
def stopped_machine_loses_no_count(m):
    with sampling_session(m, timer_ns=TIMER) as s:
        for _ in range(3):
            more_samples(m, s, 3)
            m.qmp("stop")
            time.sleep(0.5)         # the machine is paused for this time
            m.qmp("cont")
        answer = s.stop_exactly()
        assert not any(v["flags"] & VALUE_GAP for v in answer["values"]), answer
        assert_numbered(s.drain())


# ---- a socket whose CPUs are offline at load ----

@test("e2-2s", loaded=False, cmdline="maxcpus=1")
def socket_offline_at_load_is_reported(m):
    m.insmod()
    said = m.run("ucoretool info", check=False).out
    assert "no CPU online" in said and "load ucore again" in said, said
    said = m.run("ucoretool doctor", check=False).out
    assert "no CPU online" in said and "warnings: 0" not in said, said
    m.rmmod()
    all_online(m)
    m.insmod()
    said = m.run("ucoretool info").out
    assert "no CPU online" not in said, said
    with Session(m) as s:
        assert {die for die, _ in s.ids} == {0, 1}, s.ids


# ---- kexec ----

MAKE_INITRD = "cd / && find . -xdev ! -name vmlinux | cpio -o -H newc > /tmp/initrd"


def next_kernel_finds_nothing(kernel):
    files = {"/vmlinux": kernels.get(kernel).vmlinux}
    with Machine("e2-2s", kernel=kernel, files=files) as m:
        m.insmod()
        found = furnish(m)
        on_every_kind_of_box(m)
        m.run(MAKE_INITRD, timeout=120)
        m.run('kexec /vmlinux /tmp/initrd "$(cat /proc/cmdline)"', timeout=60)
        m.spawn("kexec -e")
        m.wait_kexec()
        now = hardware(m)
        left = changes(without_debugctl(now), found)
        assert not left, left
        on = [name for name, value in now.items()
              if name.endswith(":debugctl") and value & DEBUGCTL_UNCORE_PMI]
        assert not on, on
        # the second kernel and ucore in that kernel read the restored value
        assert peek(m, "r", 0, 0xc00) == found["0:global_ctl"]
        m.insmod()
        with sampling_session(m, timer_ns=20 * MS) as s:
            more_samples(m, s)
            s.stop_exactly()
        m.check_log()
        m.check_model()


@test(machine=False, timeout=300)
def kexec_finds_the_hardware_restored():
    for kernel in BOTH:
        next_kernel_finds_nothing(kernel)


# ---- panic ----

# Box types whose boxes a panicking CPU can also stop on the other die, because they are in config
# space
OF_OTHER_DIES = ("imc", "ha", "qpi", "r2pcie", "r3qpi")


def panic_on_cpu_0(kernel):
    with Machine("e2-2s", kernel=kernel, cmdline="panic=0") as m:
        m.insmod()
        found = furnish(m)
        on_every_kind_of_box(m)
        m.allow("Kernel panic")
        m.spawn("taskset 1 sh -c 'echo c > /proc/sysrq-trigger'")
        m.wait_until(lambda: "end Kernel panic" in console(m), timeout=60, what="panic")
        now = without_debugctl(hardware(m))
        left = [text for text in changes(now, found) if text.startswith("0:")]
        assert not left, left
        counting = [name for name, value in now.items()
                    if name.startswith("1:") and name.endswith(":ctl") and value & CTL_EN
                    and name[2:].startswith(OF_OTHER_DIES)]
        assert not counting, counting
        m.check_log()
        m.check_model()


@test(machine=False, timeout=180)
def panic_restores_the_die_of_its_cpu():
    for kernel in BOTH:
        panic_on_cpu_0(kernel)
