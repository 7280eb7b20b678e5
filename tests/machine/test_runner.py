# SPDX-License-Identifier: GPL-2.0-only
"""The lab itself: agent, boot, and a runner that reports each kind of failure."""

import hashlib
import re
import subprocess
import sys
from argparse import Namespace
from pathlib import Path

from lab import dmesg
from lab.all import REMARKS, Plan, Stage, repeated
from lab.artifacts import module
from lab.framework import BOTH, Boot, Test, pairs, test
from lab.machine import CommandFailed, CommandTimeout
from lab.runner import selected

HERE = Path(__file__).resolve().parent
PLAIN = {"module": False, "loaded": False}


@test(kernels=BOTH, **PLAIN)
def requested_kernel_is_booted(m):
    assert m.sh("uname -r") == m.kernel.release


@test(**PLAIN)
def stdout_and_stderr_are_separate_and_binary(m):
    result = m.run("head -c 300000 /dev/urandom > /tmp/x; cat /tmp/x; md5sum /tmp/x >&2")
    assert hashlib.md5(result.raw_out).hexdigest() == result.err.split()[0]


@test(**PLAIN)
def long_output_is_complete(m):
    assert m.sh("seq 1 150000") == "\n".join(map(str, range(1, 150001)))


@test(**PLAIN)
def failing_command_raises(m):
    try:
        m.run("echo why >&2; exit 3")
    except CommandFailed as error:
        assert error.result.status == 3 and "why" in str(error)
    else:
        raise AssertionError("no CommandFailed")
    assert m.run("exit 4", check=False).status == 4


@test(**PLAIN)
def overdue_command_is_killed(m):
    try:
        m.run("echo before; sleep 1000", timeout=1)
    except CommandTimeout as error:
        assert "before" in str(error)
    else:
        raise AssertionError("no CommandTimeout")
    m.wait_until(lambda: "sleep" not in m.sh("ps"), what="its end")


@test(**PLAIN)
def commands_run_concurrently(m):
    loop = m.spawn("while :; do echo tick; sleep 0.05; done")
    m.wait_until(lambda: loop.output().count("tick") > 3)
    assert m.sh("echo other") == "other"
    loop.kill()
    assert loop.wait(check=False).status == -15


@test(**PLAIN)
def background_process_does_not_block_the_agent(m):
    m.run("sleep 1000 &")
    assert "sleep 1000" in m.sh("ps")


@test("e2-2s", kernels=("debug",), **PLAIN)
def debug_kernel_has_its_checkers_enabled(m):
    log = m.dmesg()
    signs = {"debug": ("KernelAddressSanitizer initialized",
                       "kmemleak: Kernel memory leak detector initialized"),
             "kcsan": ("kcsan: enabled early",)}
    for sign in ("Lock dependency validator", *signs[m.kernel.name]):
        assert sign in log, sign
    m.run("ls /sys/kernel/debug/failslab/probability /sys/kernel/debug/kunit /proc/self/fail-nth")
    if m.kernel.name == "debug":
        # directories of Linux whose code uses objects of the driver, and the driver
        files = [m.kernel.build / name for name in ("kernel/irq_work.o", "lib/llist.o", "mm/vmalloc.o",
                                                    "fs/char_dev.o", "drivers/base/class.o")]
        assert [f for f in (*files, module("debug")) if b"__asan_" not in f.read_bytes()] == []


COMPLAINTS = """\
WARNING: CPU: 0 PID: 63 at kernel/irq_work.c:117 irq_work_queue+0x2f/0x40
BUG: KASAN: slab-use-after-free in session_stop+0x12/0x90 [ucore]
BUG: sleeping function called from invalid context at include/linux/sched/mm.h:306
UBSAN: shift-out-of-bounds in driver/box.c:12:3
WARNING: possible circular locking dependency detected
WARNING: suspicious RCU usage
Uhhuh. NMI received for unknown reason 30 on CPU 1.
unchecked MSR access error: RDMSR from 0xd04 at rIP: 0xffffffff81a592eb
kmemleak: 2 new suspected memory leaks (see /sys/kernel/debug/kmemleak)
rcu: INFO: rcu_preempt detected stalls on CPUs/tasks:
watchdog: BUG: soft lockup - CPU#1 stuck for 26s! [insmod:71]
INFO: task ucoretool:88 blocked for more than 120 seconds.
""".splitlines()


@test(machine=False)
def kernel_warnings_are_recognised():
    assert dmesg.hits("\n".join(COMPLAINTS)) == COMPLAINTS


@test(kernels=BOTH, **PLAIN)
def healthy_boot_has_no_warning(m):
    assert dmesg.hits(m.dmesg()) == []


@test(machine=False)
def test_runs_on_each_of_its_machines():
    assert pairs("e2-2s", ("6.1", "debug")) == [("e2-2s", "6.1"), ("e2-2s", "debug")]
    assert pairs(("e2-2s", "spr-1s"), ("6.12", "6.1")) == \
        [("e2-2s", "6.12"), ("e2-2s", "6.1"), ("spr-1s", "6.12")]


@test(machine=False)
def test_of_another_kernel_runs_only_on_request():
    tests = [Test("a", print, Boot("e2-2s", kernel, ()), 60) for kernel in ("6.1", "7")]
    options = Namespace(kernel=None, scenario=None, select=None, patterns=[])
    assert selected(tests, options) == tests[:1]
    options.kernel = ["7"]
    assert selected(tests, options) == tests[1:]


@test(machine=False)
def failed_tests_are_listed_with_their_first_messages():
    kunit, check = Stage(Plan("kunit", "")), Stage(Plan("check", ""))
    for line in ("ok 1 - a", "# of nobody", "not ok 2 - b", "#   why", "  of nobody", "# nor this",
                 "not ok 3 - c # SKIP no", "# nor that", "not ok 4 - d",
                 *(f"# {i}" for i in range(2 * REMARKS)), "ok 5 - e",
                 "2 passed, 2 failed, 1 skipped"):
        kunit.take(line)
    check.take("not ok 1 - f")
    assert kunit.counts == [2, 2, 1] and check.counts == [0, 1, 0], (kunit.counts, check.counts)
    assert repeated([kunit, check]) == [
        "kunit: not ok 2 - b", "#   why", "kunit: not ok 4 - d", *(f"# {i}" for i in range(REMARKS)),
        "check: not ok 1 - f",
        "kunit: not ok 2 - b", "kunit: not ok 4 - d", "check: not ok 1 - f"]


@test(machine=False)
def stage_that_dies_is_a_failed_test():
    program = "from lab.all import *; s = Stage(Plan('none', '')); s.run(); print(*repeated([s]))"
    done = subprocess.run([sys.executable, "-c", program], cwd=HERE.parent, capture_output=True,
                          text=True, check=False)
    assert "=== none: 0 passed, 1 failed, 0 skipped" in done.stdout, done
    assert done.stdout.splitlines()[-1] == " ".join(2 * ["none: not ok - ended with 2"]), done


@test(machine=False, timeout=180)
def runner_reports_each_failure_kind():
    done = subprocess.run([HERE.parent / "lab/run", "--tests", HERE / "selftest", "-j", "1"],
                          capture_output=True, text=True, check=False)
    lines = re.findall(r"^(ok|not ok) \d+ - test_fixtures\.(\w+)", done.stdout, re.M)
    verdicts = {name: verdict for verdict, name in lines}
    good = {"passes", "warns_as_expected", "skips"}
    bad = {"warns", "command_fails", "hangs", "guest_panics", "worker_dies",
           "hangs_without_machine", "returns_no_results"}
    assert {name for name, verdict in verdicts.items() if verdict == "ok"} == good, done.stdout
    assert {name for name, verdict in verdicts.items() if verdict != "ok"} == bad, done.stdout
    assert re.search("AgentError: the guest ended(?s:.*)QEMU: ended with 0(?s:.*)"
                     "console.log: .*sysrq triggered crash", done.stdout), done.stdout
    assert "# kept: test_fixtures.passed_in_an_earlier_run: stage: passed on 1 May\n" in done.stdout
    assert done.stdout.splitlines()[-2:] == ["# 1 results of earlier runs are not counted",
                                             "2 passed, 7 failed, 1 skipped"], done.stdout
    assert done.returncode == 1


@test(machine=False)
def runner_stops_at_the_first_failure_on_request():
    done = subprocess.run([HERE.parent / "lab/run", "--tests", HERE / "selftest", "-x", "-j", "1",
                           "worker_dies", "returns_no_results"],
                          capture_output=True, text=True, check=False)
    assert done.stdout.splitlines()[-1] == "0 passed, 1 failed, 0 skipped", done.stdout
    assert done.returncode == 1
