# SPDX-License-Identifier: GPL-2.0-only
"""Attribution: samples at overflows of a core event, and the tasks that ran at a sample."""

import contextlib
import errno
import json

from lab.framework import BOTH, test
from lab.session import (MS, SAMPLE, SAMPLE_CONTEXT, SAMPLE_USER, TASKS, TRIGGER_CORE, Session,
                         assert_equal, assert_numbered, assert_taken, refused, samples_in)

HARDWARE, SOFTWARE = 0, 1                       # UCORE_PERF_*
INSTRUCTIONS, PAGE_FAULTS = 1, 2                # perf's numbers
FIRST_KERNEL_IP = 1 << 63
KNOWN = 1                                       # UCORE_TASK_F_KNOWN
# scenario -> a clock event; the machines have two dies with two CPUs each
MACHINES = {"e2-2s": {"event": 0}, "spr-2s": {"event": 1}}
CLOCK = MACHINES["e2-2s"]


# ---- tasks with known activity ----

@contextlib.contextmanager
def running(m, command, fed=False):
    """Context manager: run a command that prints its pid first; yield (process, pid)."""
    process = m.spawn(command, fed=fed)
    try:
        yield process, int(m.wait_until(process.output, what=command).split()[0])
    finally:
        process.kill(9)
        process.wait(check=False)


@contextlib.contextmanager
def faulting(m, cpu):
    """Yield the pid of a process on a CPU and a function that makes it fault on a number of
    pages, and makes the kernel fault on @kernel further pages.

    The function returns the total numbers of faults that perf has counted, all and those in
    user mode.
    """
    with running(m, f"exec fault {cpu}", fed=True) as (process, pid):
        def fault(pages, kernel=0):
            def lines():
                return process.output().split("\n")[:-1]
            answers = len(lines())
            process.feed(f"{pages} {kernel}\n")
            answer = m.wait_until(lambda: lines()[answers:], what="faults")[0]
            return [int(number) for number in answer.split()]
        fault(10, 10)           # first faults, which include those on code pages and output
        yield pid, fault


def spinning(m, cpu, name):
    """Context manager: run a busy loop with this name on a CPU."""
    return running(m, f"exec taskset {1 << cpu:x} sh -c "
                      f"'echo $$; printf {name} >/proc/$$/comm; while :; do :; done'")


# ---- core triggers ----

@test(tuple(MACHINES))
def core_event_overflows_trigger_one_sample_each(m):
    period, wanted = 200, 40
    with faulting(m, 1) as (pid, fault), Session(m, ring=1 << 20) as s:
        s.add_all([("imc0", die, 0, 0, MACHINES[m.scenario]) for die in (0, 1)])
        s.command(f"trigger {SOFTWARE} {PAGE_FAULTS} {period} tid={pid}")
        # the faults of the loop are between these two totals, with a few of the process itself
        before, mark = fault(1)[0], m.truth_length()
        s.start()
        after = fault(period * wanted + period // 2)[0]
        s.stop()
        records = s.drain()
        freezes = s.freezes(mark)
        status, budget = s.status(), s.budget()
    assert (after - before) // period == wanted, (before, after)
    samples = samples_in(records)
    assert_numbered(records)
    assert status["samples"] == wanted, status
    assert len(samples) == wanted - budget["dropped"] and len(samples) > wanted / 4, budget
    for sample in samples:
        assert sample["trigger"] == TRIGGER_CORE and sample["flags"] & SAMPLE_CONTEXT, sample
        assert sample["pid"] == sample["tid"] == pid and sample["cpu"] == 1, sample
        assert sample["domain"] == 0 and sample["ip"], sample
        assert 0 < sample["late_ns"] < 1000 * MS, sample
    assert_equal(s.sample_differences(records, freezes))


@test(tuple(MACHINES))
def trigger_counts_in_user_mode_only_or_in_both_modes(m):
    """The process faults in user mode and in the kernel by turns. The period is odd, so that a
    trigger that counts both overflows in both."""
    period, pages = 21, 430         # 430 faults are 10 more than 20 periods
    for user in (True, False):
        with faulting(m, 1) as (pid, fault), Session(m, ring=1 << 20) as s:
            s.add("imc0", 0, 0, **MACHINES[m.scenario])
            s.command(f"trigger {SOFTWARE} {PAGE_FAULTS} {period} tid={pid}{' user' * user}")
            before = fault(1, 1)[user]
            s.start()
            after = fault(pages, pages)[user]
            s.stop()
            samples = samples_in(s.drain())
            status = s.status()
            assert_taken(s, samples)
        overflows = (after - before) // period
        assert overflows == pages * (1 if user else 2) // period, (before, after)
        assert status["samples"] == overflows, (user, status, before, after)
        assert len(samples) > overflows / 4, (user, len(samples))
        assert all(bool(sample["flags"] & SAMPLE_USER) == (sample["ip"] < FIRST_KERNEL_IP)
                   for sample in samples), samples
        in_user = [sample["ip"] < FIRST_KERNEL_IP for sample in samples]
        assert all(in_user) if user else any(in_user) and not all(in_user), (user, samples)


@test("e2-2s", kernels=BOTH, perf=True)
def perf_hardware_events_trigger_and_other_users_count_on(m):
    with running(m, "exec taskset 8 sh -c 'echo $$; while :; do :; done'") as (_, pid), \
         Session(m, ring=1 << 20) as s:
        s.add_all([("imc0", die, 0, 0, CLOCK) for die in (0, 1)])
        s.command(f"trigger {HARDWARE} {INSTRUCTIONS} 10000000 tid={pid} user")
        mark = m.truth_length()
        s.start()
        records = []
        counted = m.run("perf stat -x, -e instructions:u -C 3 -- sleep 0.3 2>&1").out
        m.wait_until(lambda: records.extend(s.drain()) or len(samples_in(records)) >= 10,
                     what="samples")
        s.stop()
        records += s.drain()
        freezes = s.freezes(mark)
        assert_taken(s, samples_in(records))
    assert int(counted.split(",")[0]) > 10000000, counted
    assert all(sample["pid"] == pid and sample["cpu"] == 3 and sample["domain"] == 1
               for sample in samples_in(records)), records
    assert_equal(s.sample_differences(records, freezes))


@test("e2-2s", kernels=BOTH)
def trigger_ends_with_its_task_cpu_or_session(m):
    """Invalid triggers are refused; the module can be unloaded with an overflow in progress."""
    with Session(m, ring=1 << 20) as s:
        s.add("imc0", 0, 0, **CLOCK)
        for words, number in (("7 0 1 cpu=0", errno.EINVAL), ("1 2 1", errno.EINVAL),
                              ("1 2 1 cpu=0 tid=1", errno.EINVAL), ("1 2 0 cpu=0", errno.ERANGE),
                              ("1 2 1 cpu=999", errno.ENOENT), ("1 2 1 tid=999999", errno.ESRCH),
                              ("1 9999 1 cpu=0", errno.EOPNOTSUPP)):
            with refused(number):
                s.command(f"trigger {words}")
        with faulting(m, 1) as (pid, fault):
            s.command(f"trigger {SOFTWARE} {PAGE_FAULTS} 100 tid={pid}")
            s.command(f"trigger {SOFTWARE} 0 1000000 cpu=1")       # cpu-clock: 1 ms
            s.start()
            with refused(errno.EBUSY):
                s.command("trigger 1 2 1 cpu=0")
            fault(1000)
        m.wait_until(lambda: s.status()["samples"] > 20, what="samples")
        m.write("/sys/devices/system/cpu/cpu1/online", 0)
        gone = s.status()["samples"]
        m.run("sleep 0.1")
        assert s.status()["samples"] == gone, (gone, s.status())
        m.write("/sys/devices/system/cpu/cpu1/online", 1)
        s.stop()
        s.start()
        assert s.read()["values"], "it counts on"
    m.rmmod()
    m.insmod()


# ---- tasks on each CPU ----

@test(tuple(MACHINES), kernels=BOTH)
def samples_list_the_tasks_of_all_cpus(m):
    with spinning(m, 1, "left") as (_, left), spinning(m, 3, "right") as (_, right), \
         Session(m, ring=1 << 20, timer_ns=10 * MS, tasks=True) as s:
        s.add_all([("imc0", die, 0, 0, MACHINES[m.scenario]) for die in (0, 1)])
        s.start()
        # drain only after STOP, because output makes an interrupt thread of the serial port run
        m.wait_until(lambda: m.run("sleep 0.3") and s.status()["samples"] >= 60, what="samples")
        s.stop()
        records = s.drain()
    assert_numbered(records)
    for die, (cpu, name, pid) in enumerate(((1, "left", left), (3, "right", right))):
        of_die = [r for r in records if r["domain"] == die and r["type"] in (TASKS, SAMPLE)]
        tasks, samples = of_die[::2], of_die[1::2]
        assert [r["type"] for r in of_die] == [TASKS, SAMPLE] * len(samples), of_die
        assert [r["time"] for r in tasks] == [r["time"] for r in samples], of_die
        for record in tasks:
            assert [task["cpu"] for task in record["tasks"]] == [2 * die, 2 * die + 1], record
            assert all(task["since"] <= record["time"] for task in record["tasks"]), record
        seen = [task for record in tasks for task in record["tasks"] if task["flags"] & KNOWN]
        # the task is unknown if the CPU has switched tasks more than once in a sample, which is rare
        assert len(seen) > 1.5 * len(tasks), (len(seen), len(tasks))
        here = [task for task in seen if task["cpu"] == cpu]
        mine = [task for task in here if task["pid"] == task["tid"] == pid]
        assert len(mine) > 0.7 * len(here), (len(mine), here)
        assert {task["comm"] for task in mine} == {name}, mine
        assert any(task["pid"] == 0 and task["comm"].startswith("swapper")
                   for task in seen if task["cpu"] == 2 * die), seen


# ---- the tool ----

def rows_of(m, options):
    return [json.loads(line) for line in m.run(f"ucoretool report -i /tmp/who {options} -j").out
            .splitlines()]


@test("e2-2s")
def report_lists_the_recorded_tasks(m):
    count = "-e imc0/CAS_COUNT.RD,die=0/ -e imc0/CAS_COUNT.WR/ -o /tmp/who"
    with spinning(m, 1, "left") as (_, left), spinning(m, 3, "right") as (_, right):
        m.run(f"ucoretool record --timer 10ms --tasks --count 60 {count}")
        rows = rows_of(m, "--sort comm,pid")
    reads = [row for row in rows if row["event"].startswith("imc0/CAS_COUNT.RD")]
    assert [row["count"] for row in reads] == sorted((row["count"] for row in reads),
                                                    reverse=True), reads
    by_pid = {row["pid"]: row for row in reads}
    assert by_pid[left]["comm"] == "left" and by_pid[left]["percent"] > 50, reads
    # this task is on the other die, whose memory controller was not counted
    assert by_pid[right]["comm"] == "right" and by_pid[right]["count"] == 0, reads
    assert by_pid[0]["comm"] == "idle", reads
    text = m.run("ucoretool report -i /tmp/who --sort comm,cpu").out
    assert "coincidence, not causation" in text, text

    out = m.run(f"ucoretool record --core-event task-clock -c 5000000 {count} "
                "-- sh -c 'echo $$; i=0; while [ $i -lt 20000 ]; do i=$((i + 1)); done'").out
    rows = rows_of(m, "--sort pid,ip")
    assert {row["pid"] for row in rows} == {int(out.split()[0])}, (out, rows)
    assert all(int(row["ip"], 16) for row in rows), rows
    samples = [line for line in m.run("ucoretool script -i /tmp/who -j").out.splitlines()
               if json.loads(line).get("trigger") == "core"]
    assert sum(row["intervals"] for row in rows
               if row["event"].startswith("imc0/CAS_COUNT.WR")) == len(samples) > 2, rows
    refused_text = m.run("ucoretool record --core-event nosuch -c 5 -e imc0/CAS_COUNT.RD/ "
                         "-- true 2>&1", check=False).out
    assert "unknown. Use" in refused_text, refused_text


def calls(m, cpu):
    """Number of function calls from other CPUs that interrupted a CPU."""
    line = next(line for line in m.sh("cat /proc/interrupts").splitlines() if "CAL:" in line)
    return int(line.split()[1 + cpu])


@test("e2-2s")
def restarts_do_not_interrupt_all_cpus_each_time(m):
    """The session runs on CPU 0 and reads die 0; CPU 3 is of the other die."""
    rounds = 50
    with Session(m, ring=1 << 16, timer_ns=10 * MS, tasks=True, cpu=0) as s:
        s.add("imc0", 0, 0, **CLOCK)
        s.start()
        s.stop()
        before = calls(m, 3)
        for _ in range(rounds):
            s.start()
            s.stop()
        made = calls(m, 3) - before
    # adding and removing probes takes more than 20 calls; wake-ups of other tasks are calls, too
    assert made < 10 * rounds, f"{made} calls in {rounds} times START and STOP"


@test("e2-2s")
def module_is_unloaded_shortly_after_a_session_with_tasks(m):
    """The probes of the session are still attached, and other tasks run."""
    with spinning(m, 1, "one"), spinning(m, 1, "another"):
        for _ in range(3):
            with Session(m, ring=1 << 16, timer_ns=10 * MS, tasks=True) as s:
                s.add("imc0", 0, 0, **CLOCK)
                s.start()
                s.stop()
            m.rmmod()
            m.insmod()
