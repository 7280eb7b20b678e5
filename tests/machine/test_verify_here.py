# SPDX-License-Identifier: GPL-2.0-only
"""`make verify-here` after the build: tools/verify-here.sh tries ucore, and restores the machine.

The machine has no hypervisor flag, as a real one. The kernel's own driver is loaded, unless a test
says otherwise. Documentation/silicon.md promises what these tests check.
"""

import re
import signal

from lab.framework import test
from machine.registers import peek, poke
from machine.test_client import GLOBAL_CTL, RUN
from machine.test_selftest import HOST

SCRIPT, REPORTS = "/verify-here.sh", "/tmp/silicon"
HERE = {"loaded": False, "strict": False, "alone": True, "timeout": 300}
# scenario -> name of the report, types of boxes
MACHINES = {"skl-1s": ("06-5e-03", "cbo arb clock imc_free"),
            "adl-1s": ("06-97-02", "cbo arb clock imc_free imc"),
            "e2-2s": ("06-3e-04", "cbo ubox pcu ha imc qpi r2pcie r3qpi irp"),
            "spr-2s": ("06-8f-08", "cha iio imc upi")}
CLIENT = "skl-1s"
STATE = ("cut -d' ' -f1 /proc/modules; ls /sys/bus/event_source/devices /dev; "
         "ls /tmp | grep -v silicon || true")


def command(m, *parameters):
    """Return the command of a run, which writes its report to REPORTS."""
    return " ".join(("sh", SCRIPT, "run", str(m.module_path("ucore")), "/bin/ucoretool", REPORTS,
                     "0123abc", *parameters))


def prepared(m, intree=True):
    """Make the machine one whose name is known; return its state."""
    m.sh(f"hostname {HOST}; rm -rf {REPORTS}")
    if intree:
        m.run("modprobe intel_uncore")
    return m.sh(STATE)


def refused(m, *words, before="", run=""):
    """Check that a run changes nothing, and says why."""
    state = m.sh(STATE)
    done = m.run(f"{before} {run or command(m)}", check=False)
    assert done.status == 2 and not done.out, (done.status, done.out, done.err)
    for word in words:
        assert word in done.err, (word, done.err)
    assert m.sh(STATE) == state


def result_of(done, verdict):
    assert f"\nResult: {verdict}\n" in done.out, done.out + done.err


# ---- complete runs ----

@test(tuple(MACHINES), **HERE)
def machine_is_as_before_and_the_report_names_no_machine(m):
    name, types = MACHINES[m.scenario]
    before = prepared(m)
    assert "intel_uncore" in before and "uncore_" in before, before
    done = m.run(command(m), timeout=240)
    assert m.sh(STATE) == before
    result_of(done, "every check passed")
    plan, report = done.err, done.out
    assert "unload the kernel's driver intel_uncore" in plan and "- load the module ucore" in plan
    assert m.sh(f"ls {REPORTS}") == f"{name}.txt" and name in done.err, done.err
    assert m.sh(f"cat {REPORTS}/{name}.txt").strip() == report.strip()
    assert len(report.splitlines()) <= 60, report
    for wanted in ("commit 0123abc", "no hypervisor", "microcode", f"model {int(name[3:5], 16)} ",
                   "Machine: as before", "Kernel log:\n  ucore: "):
        assert wanted in report, (wanted, report)
    rows = re.findall(r"^(\w+) +(\d+) +[\d-]+ +[\d-]+  ", report, re.M)
    assert set(types.split()) <= {row[0] for row in rows}, rows
    private = rf"{HOST}|root|(^|[ (])/\w|0x[0-9a-f]{{5}}|\b[0-9a-f]{{2}}:[0-9a-f]{{2}}\b"
    assert not (found := re.search(private, report, re.M)), found


@test(CLIENT, **HERE)
def registers_are_as_before_without_intel_uncore(m):
    before = prepared(m, intree=False)
    poke(m, ("w", 0, GLOBAL_CTL[m.scenario], RUN | 0xf))
    before = m.sh(STATE)
    done = m.run(command(m, "uncertain=1"), timeout=240)
    result_of(done, "every check passed")
    assert "core_pmu=0 uncertain=1\n" in done.out and "intel_uncore: not loaded" in done.out
    assert "unload the kernel's driver" not in done.err, done.err
    assert m.sh(STATE) == before
    assert peek(m, "r", 0, GLOBAL_CTL[m.scenario]) == RUN | 0xf
    assert poke(m, ("r", 0, 0x700), ("r", 0, 0x3b2), ("r", 0, 0x394)) == [0, 0, 0]


@test(CLIENT, settings={"model.overflow": "ignored"}, **HERE)
def failed_check_is_named(m):
    before = prepared(m)
    done = m.run(command(m), timeout=240, check=False)
    assert done.status == 1, done.out + done.err
    result_of(done, "FAILED: overflow")
    assert re.search("^FAILED +overflow ", done.out, re.M), done.out
    assert re.search("^  cbo: ", done.out, re.M) and m.sh(STATE) == before, done.out


@test(CLIENT, **HERE)
def tool_that_fails_is_reported(m):
    before = prepared(m)
    m.sh("printf '#!/bin/sh\\n[ $1 != verify ] || { echo no >&2; exit 3; }\\nucoretool \"$@\"\\n' "
         ">/tmp/tool; chmod +x /tmp/tool")
    try:
        done = m.run(command(m).replace("/bin/ucoretool", "/tmp/tool"), check=False)
    finally:
        m.sh("rm /tmp/tool")
    assert done.status == 1, done.out + done.err
    result_of(done, "FAILED: verify did not finish (no)")
    assert m.sh(STATE) == before


# ---- interrupted runs ----

def until(m, process, condition):
    m.wait_until(lambda: process.done or not m.run(condition, check=False).status, what=condition)
    assert not process.done, process.wait(check=False).err


def interrupted(m, sig, status, when):
    """Interrupt a run when a condition is true."""
    before = prepared(m)
    process = m.spawn(f"exec {command(m)}", timeout=120)
    until(m, process, when)
    process.kill(sig)
    done = process.wait(check=False)
    assert done.status in (status, -sig), (done.status, done.err)
    assert "interrupted" in done.err and "Result" not in done.out, done.out + done.err
    assert m.sh(STATE) == before
    assert not m.sh(f"ls {REPORTS}"), "no report, and no file with a step"


@test(CLIENT, **HERE)
def control_c_during_verify_restores_the_machine(m):
    interrupted(m, signal.SIGINT, 130, "pidof ucoretool && [ -e /dev/ucore ]")


@test("e2-2s", **HERE)
def signals_at_other_times_restore_the_machine(m):
    interrupted(m, signal.SIGTERM, 143, "pidof ucoretool")
    interrupted(m, signal.SIGHUP, 129, "! grep -q ^intel_uncore /proc/modules")
    interrupted(m, signal.SIGINT, 130, "grep -q ^ucore /proc/modules")


@test(CLIENT, **HERE)
def signal_to_the_script_alone_ends_verify(m):
    before = prepared(m)
    process = m.spawn(f"exec {command(m)}", timeout=120)
    # not the short `ucoretool info` before it
    until(m, process, "grep -qs verify /proc/$(pidof ucoretool)/cmdline")
    m.sh("kill -TERM $(cut -d' ' -f4 /proc/$(pidof ucoretool)/stat)")       # its parent
    assert process.wait(check=False).status == 143
    assert m.run("pidof ucoretool", check=False).status == 1 and m.sh(STATE) == before


@test(CLIENT, **HERE)
def device_that_another_program_opened_is_named(m):
    """The module stays. When the program has ended, the printed command restores the machine."""
    before = prepared(m)
    process = m.spawn(f"exec {command(m)}", timeout=120)
    until(m, process, "[ -e /dev/ucore ]")
    other = m.spawn("exec sleep 300 </dev/ucore")
    done = process.wait(check=False)
    assert done.status == 1 and "FAILED: the machine is not as before" in done.out, done.out
    assert "Machine: now has module ucore\n" in done.out, done.out
    assert re.search(r"another program has opened /dev/ucore \(.*\). When it has ended: rmmod ucore$",
                     done.err, re.M), done.err
    other.kill()
    other.wait(check=False)
    m.sh("rmmod ucore")
    assert m.sh(STATE) == before


# ---- machines and users that are refused ----

@test((CLIENT, "e2-2s"), settings={"machine.hypervisor": "yes"}, **HERE)
def guest_is_refused(m):
    refused(m, "a virtual machine", "hypervisor flag", "Run this on the host")
    refused(m, "a virtual machine", run=f"sh {SCRIPT} check /nowhere")


@test(CLIENT, perf=True, **HERE)
def users_of_the_boxes_are_respected(m):
    prepared(m)
    refused(m, "needs root", before="as 1000")
    refused(m, "missing", run=command(m).replace("/bin/ucoretool", "/nowhere"))
    perf = m.spawn("exec perf stat -a -e uncore_cbox_0/event=0x34,umask=0x8f/ sleep 300")
    m.wait_until(lambda: m.sh("grep ^intel_uncore /proc/modules").split()[2] != "0", what="perf")
    refused(m, "intel_uncore is in use", "Stop the program")
    perf.kill()
    perf.wait(check=False)
    m.insmod()
    refused(m, "ucore is loaded", "modprobe -r ucore")
    assert "ucore " in m.read("/proc/modules")


@test(CLIENT, **HERE)
def module_that_the_kernel_refuses_is_no_change(m):
    before = prepared(m)
    done = m.run(command(m).replace(str(m.module_path("ucore")), "/bin/busybox"), check=False)
    assert done.status == 2 and "the kernel refuses the module" in done.err, done.err
    assert "Result" not in done.out and m.sh(STATE) == before, done.out


@test(CLIENT, settings={"machine.model": "46"}, **HERE)
def unsupported_processor_is_refused_by_name(m):
    before = m.sh(STATE)
    done = m.run(command(m), check=False)
    assert done.status == 2 and "Result" not in done.out, done.out + done.err
    assert re.search(r"family 6, model 46 \(0x2e\), stepping 3: not supported: \w", done.err), \
        done.err
    assert m.sh(STATE) == before
