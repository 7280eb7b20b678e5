# SPDX-License-Identifier: GPL-2.0-only
"""`make check`: functions of tools/verify-here.sh. machine/test_verify_here.py runs the script."""

import re
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

from check.test_check import fail_on
from lab.artifacts import TOP
from lab.framework import test

SCRIPT = TOP / "tools/verify-here.sh"
# a shell that has the functions of the script, but not its commands
FUNCTIONS = f"eval \"$(sed '/^command=/,$d' '{SCRIPT}')\"; "
FINDINGS = """\
passed      owners        all controls were zero
FAILED      width         general counters are narrower than expected: cbo0 of die 0
FAILED      box freeze    the freeze of a box does not stop the clock event: cbo1 of die 0
FAILED      width         fixed counters are narrower than expected: clock0 of die 0
{}
"""
END = "1 passed, 3 failed, 0 not tested"


# Programs of a fake machine whose files are in @root
PROGRAMS = {
    "id": "echo 0",
    "sync": ":",
    "dmesg": "cat @root/dev/kmsg; echo '[    9.1] ucore: 7 boxes on 1 domains'",
    "insmod": "echo 'ucore 1 0 -' >>@root/proc/modules",
    "rmmod": "grep -v \"^$1 \" @root/proc/modules >@root/left; cp @root/left @root/proc/modules",
    "modprobe": "echo \"$1 1 0 -\" >>@root/proc/modules",
    "ucoretool": "[ $1 = info ] && { echo 'state      ready'; echo 'platform   skl'; exit; }\n"
                 "[ ! -e @root/slow ] || { touch @root/verifying; exec sleep 60; }\n"
                 f"printf '%s\\n' head '' 'passed      owners        all' '{END}' >$4",
}
FILES = {
    "proc/cpuinfo": "processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 94\n"
                    "model name\t: A Core\nstepping\t: 3\nmicrocode\t: 0xf0\nflags\t\t: fpu\n",
    "proc/modules": "snd 1 0 -\nintel_uncore 1 0 -\n",
    "sys/module/ucore/version": "0.1\n", "sys/module/ucore/srcversion": "ABC\n", "dev/kmsg": "",
    "sys/bus/event_source/devices/uncore_arb": "", "ucore.ko": "",
}


def fake_machine(root):
    """Make files and programs below a directory; return a command that runs the script there."""
    for name, text in FILES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    (root / "bin").mkdir()
    for name, text in PROGRAMS.items():
        (root / "bin" / name).write_text("#!/bin/sh\n" + text.replace("@root", str(root)) + "\n")
        (root / "bin" / name).chmod(0o755)
    # the states of processes are real
    script = re.sub(r"(?<![\w.])/(proc(?!/\$)|sys|dev/kmsg|dev/ucore)\b", rf"{root}/\1",
                    SCRIPT.read_text())
    (root / "script").write_text(script.replace("PATH=$PATH:", f"PATH={root}/bin:$PATH:"))
    return [root / "script", "run", root / "ucore.ko", root / "bin/ucoretool", root / "out", "abc"]


def shell(commands, stdin="", **environment):
    """Return stdout and stderr of commands that follow the functions of the script."""
    done = subprocess.run(["sh", "-c", FUNCTIONS + commands], input=stdin, text=True, check=False,
                          capture_output=True, env={"PATH": "/usr/bin:/bin", **environment})
    return done.stdout + done.stderr


def judged(**files):
    """Return the failures that the script finds in files of its directory."""
    files = {"findings": FINDINGS.format(END), "errors": "", "log": "", "before": "x", "after": "x",
             **files}
    with tempfile.TemporaryDirectory() as work:
        for name, text in files.items():
            (Path(work) / name).write_text(text)
        return shell(f"work={work}; failures").splitlines()


@test(machine=False)
def report_leaves_out_names_paths_and_times():
    log = ("[   12.345678][  T123] ucore: 7 boxes on 1 domains\n"
           "[   12.4] WARNING: CPU: 1 PID: 7 Comm: secret at /home/alice/x/driver/box/freeze.c:9\n"
           "[   12.5] ucore: orchard and orchard.example and alice saw readers and write/read\n")
    with tempfile.TemporaryDirectory() as work:
        said = shell(f"work={work}; uname() {{ echo orchard.example; }}; nameless", log,
                     SUDO_USER="alice")
    assert said == ("ucore: 7 boxes on 1 domains\n"
                    "WARNING: CPU: 1 PID: 7 at freeze.c:9\n"
                    "ucore: (name) and (name) and (name) saw readers and write/read\n"), said


@test(machine=False)
def each_failed_check_is_named_once():
    assert judged() == ["box freeze", "width"], judged()
    passed = {"findings": f"passed      owners        all\n{END}\n"}
    assert not judged(**passed), judged(**passed)
    assert judged(**passed, after="y") == ["the machine is not as before"]
    assert judged(**passed, log="unchecked MSR access error: RDMSR from 0x700\n") == ["kernel log"]
    assert not judged(**passed, log="ucore: 7 boxes on 1 domains\n")
    unfinished = judged(findings="", errors="ucoretool verify: no device\n")
    assert unfinished == ["verify did not finish (ucoretool verify: no device)"], unfinished


@test(machine=False)
def check_names_what_another_distribution_lacks():
    lacks = shell("have() { [ $1 = sudo ]; }; check_build /nowhere")
    for word in ("a C compiler", "kernel headers in /nowhere", "ncurses"):
        assert word in lacks or word == "ncurses", lacks
    assert not shell("have() { :; }; check_build /nowhere")
    assert "root or sudo" in shell("have() { false; }; id() { echo 1; }; check_build /nowhere")


@test(machine=False)
def documentation_names_every_column_of_the_report():
    source = (TOP / "tools/ucoretool/verify/types.c").read_text()
    headings = re.findall(r'^\t\{ "([A-Z]+)", UCORE', source, re.M)
    assert len(headings) == 11, headings
    page = (TOP / "Documentation/silicon.md").read_text()
    fail_on(*(f"Documentation/silicon.md: no column {name}" for name in headings
              if f"`{name}`" not in page))


@test(machine=False)
def reasons_to_refuse_are_found_before_the_build():
    said = subprocess.run(["make", "-n", "--no-print-directory", "-C", TOP, "verify-here",
                           "OPTIONS=uncertain=1"], check=False, text=True, capture_output=True)
    steps = [said.stdout.find(step) for step in (
        "tools/verify-here.sh check", "deps.sh --host here", "-C tools", "verify-here.sh run")]
    assert steps == sorted(steps) and steps[0] >= 0, (steps, said.stdout, said.stderr)
    run = re.search(r"verify-here.sh run (.*)", said.stdout.replace("\\\n", ""))[1].split()
    assert [Path(word).name for word in run[:3]] == ["ucore.ko", "ucoretool", "silicon"], run
    assert re.fullmatch("unknown|[0-9a-f]{12}(-dirty)?", run[3]) and run[4:] == ["uncertain=1"], run


def shells():
    return [name for name in ("dash", "bash", "sh") if shutil.which(name)]


@test(machine=False)
def every_shell_runs_the_script():
    """The machine tests run it with busybox only."""
    for name in shells():
        with tempfile.TemporaryDirectory() as root:
            done = subprocess.run([name, *fake_machine(Path(root))], text=True, check=False,
                                  capture_output=True)
            modules = (Path(root) / "proc/modules").read_text()
            files = [path.name for path in (Path(root) / "out").iterdir()]
        said = (name, done.stdout, done.stderr)
        assert done.returncode == 0 and modules == FILES["proc/modules"], (*said, modules)
        assert files == ["06-5e-03.txt"], (*said, files)
        for line in ("processor  A Core, family 6, model 94 (0x5e), stepping 3", "platform   skl",
                     "ucore 0.1 (ABC), commit abc, parameters core_pmu=0",
                     "  ucore: 7 boxes on 1 domains", "Machine: as before",
                     "Result: every check passed"):
            assert f"\n{line}\n" in f"\n{done.stdout}", (line, *said)


@test(machine=False)
def every_shell_restores_the_modules_after_a_signal():
    for name in shells():
        for sig, status in ((signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)):
            with tempfile.TemporaryDirectory() as root:
                # a shell cannot trap a signal that its caller ignores, as nohup and `&` do
                command = ["env", "--default-signal", name, *fake_machine(Path(root))]
                (Path(root) / "slow").touch()
                with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                      text=True) as script:
                    while not (Path(root) / "verifying").exists() and script.poll() is None:
                        time.sleep(0.02)
                    script.send_signal(sig)
                    said = script.communicate(timeout=30)[1]
                modules = (Path(root) / "proc/modules").read_text()
                left = list((Path(root) / "out").iterdir())
            assert script.returncode == status and "interrupted" in said, (name, sig, said)
            assert modules == FILES["proc/modules"] and not left, (name, sig, modules, left, said)


@test(machine=False)
def machines_that_the_lab_lacks_are_refused():
    cpuinfo = FILES["proc/cpuinfo"]
    for file, text, reason in (
            ("proc/modules", "snd 1 0 -\n", "intel_uncore is built into this kernel"),
            ("proc/modules", "intel_uncore 1 2 -\n", "intel_uncore is in use"),
            ("sys/kernel/security/lockdown", "none [integrity] confidentiality\n",
             "signed modules only"),
            ("sys/module/module/parameters/sig_enforce", "Y\n", "signed modules only"),
            ("proc/cpuinfo", cpuinfo.replace("GenuineIntel", "AuthenticAMD"), "not an Intel")):
        with tempfile.TemporaryDirectory() as root:
            command = fake_machine(Path(root))
            (Path(root) / file).parent.mkdir(parents=True, exist_ok=True)
            (Path(root) / file).write_text(text)
            done = subprocess.run(["sh", *command], text=True, check=False, capture_output=True)
            modules = (Path(root) / "proc/modules").read_text()
        assert done.returncode == 2 and not done.stdout and reason in done.stderr, (reason, done)
        assert modules == (text if file == "proc/modules" else FILES["proc/modules"]), modules
