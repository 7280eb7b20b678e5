# SPDX-License-Identifier: GPL-2.0-only
"""The tests that judge a mutant: the KUnit suites, the lab's tests, and the tools' unit tests.

Each mutant is inserted into a copy of the tree with its own builds, never into the tree itself.
"""

import dataclasses
import re
import shutil
import subprocess
from pathlib import Path

from lab import artifacts, framework, kernels, kunit, linked_kunit
from lab.artifacts import BuildError, TOP
from lab.machine import CheckFailed, CommandFailed, Machine

COPIED = ("Kbuild", "Makefile", "dkms.conf", "driver", "uapi", "tests", "tools")
MACHINE, KERNEL_LOG = "the machine", "the kernel's log"
# time (s) after which a guest hangs that runs the suites on a kernel without debug options
QUICK_TIMEOUT = 90
# parameter of the kernel that selects KUnit cases by suite and name
FILTER = "/sys/module/kunit/parameters/filter_glob"
LAB_KERNEL = "6.1"
# options of the lab: this kernel, another one for tests that it does not run, or a test's own one
LAB_KERNELS = (("-k", LAB_KERNEL), ("-k", "6.12"), ("-k", "debug"), ())
# checks that compare facts of a platform with another source, and the lab's options for checks
CHECKS, CHECKS_OPTIONS = ("test_constraints",), ("--tests", "tests/check")
# Kbuild rule with the driver files that the KUnit suites do not link. Only the lab tests them
NOT_LINKED = re.compile(r"filter-out (.*?),\s*\$\(ucore-y\)", re.S)
COMPILE_ERROR = re.compile(r":\d+:\d+: (?:fatal )?error: (?!.*No space)|"
                           r"ERROR: modpost: .* undefined|: undefined reference to ")
COUNTING = ("every_counter_counts_exactly", "counts_survive_stop_and_start",
            "filters_and_special_fields")
SAMPLING = ("every_counter_that_can_overflow", "timer_samples_of_both_dies",
            "overflow_sample_holds_all", "polled_periods_are_sampled", "uapi_ring", "uapi_samples")
# The lab's tests that judge the survivors of the suites: first path that fits -> patterns
LAB_TESTS = {
    "driver/main.c": ("uapi_device", "uapi_perms", "rmmod_and_insmod", "loading_writes_no",
                      "rmmod_at_random"),
    "driver/abi/": ("test_uapi", "test_share"),
    "driver/box/": (*COUNTING, "test_share", "close_restores", "dead_box_is_reported",
                    "test_selftest", "gnr"),
    "driver/cpu/": ("test_pmi", "test_budget", "spurious_pmi"),
    "driver/event/": (*COUNTING, "uapi_events", "test_rotate"),
    "driver/find/discovery/": ("test_discovery", "test_spr", "test_dmr", "test_foreign"),
    "driver/find/": ("every_counter_counts_exactly", "test_links", "hidden_boxes", "boxes_match",
                     "test_core_versions", "test_hybrid", "test_icx"),
    "driver/hotplug/": ("offline", "test_suspend", "reader_moves"),
    "driver/hw/": (*COUNTING, *SAMPLING, "boxes_match", "test_icx", "test_skx", "test_spr"),
    "driver/irq/": (*SAMPLING, "test_faults", "test_rotate", "test_conflict", "wraps"),
    "driver/platforms/": (*COUNTING, *SAMPLING, "boxes_match", "test_icx", "test_skx", "test_spr"),
    "driver/reg/": (*COUNTING, "no_freeze_reads", "takes_the_minimum", "test_spr",
                    "test_core_versions"),
    "driver/sample/": (*SAMPLING, "test_parallel_read", "test_tasks", "test_budget", "wraps"),
    "driver/session/": (*COUNTING, "uapi_session", "uapi_events", "test_share", "test_tasks",
                        "test_pmi", "takes_the_minimum"),
    "driver/": ("uapi_device", "uapi_session", *COUNTING, *SAMPLING),
}


@dataclasses.dataclass(frozen=True)
class Copy:
    """A copy of the tree with its builds."""
    where: Path

    @property
    def tree(self):
        return self.where / "tree"

    @property
    def lab(self):
        return self.where / "lab"

    def out(self, kernel):
        return self.where / f"kunit-{kernel}"

    def made(self):
        shutil.rmtree(self.tree, ignore_errors=True)
        self.tree.mkdir(parents=True)
        subprocess.run(["cp", "-a", "--parents", *COPIED, self.tree], cwd=TOP, check=True)
        for path in self.tree.rglob("*.[ch]"):
            # make the source newer than the build of a mutant that an interrupted run has left
            for built in self.where.glob("kunit-*"), self.lab.glob("module-*"):
                for out in built:
                    built_from = out / path.relative_to(self.tree)
                    if built_from.exists() and built_from.read_bytes() != path.read_bytes():
                        path.touch()
        return self

    def _make(self, kernel, out, *variables):
        command = artifacts.module_command(kernels.get(kernel), out, *variables)
        done = subprocess.run(list(map(str, command)), cwd=self.tree, text=True, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if done.returncode:
            raise BuildError(done.stdout)
        return out

    def suites(self, kernel):
        """Build the module with the suites, and return it; raise BuildError if this fails."""
        out = self.out(kernel)
        variables = linked_kunit.variables(kernels.get(kernel), out)
        made = self._make(kernel, out, *variables)
        return next(made.rglob("tests/kunit/*.ko"))

    def module(self):
        """Build the module as the lab does, where the lab builds it."""
        out = self.lab / f"module-{kernels.get(LAB_KERNEL).release}"
        return self._make(LAB_KERNEL, out)


def unlinked():
    """Return the paths of the driver files that the suites do not link."""
    rule = NOT_LINKED.search((TOP / "tests/kunit/Kbuild").read_text())[1]
    left = {name.replace(".o", ".c") for name in re.findall(r"[\w/]+\.o", rule)}
    assert "driver/main.c" in left, left
    return left


def does_not_compile(log):
    """Return true if the mutant has ended the build, and not the host."""
    return COMPILE_ERROR.search(log)


# ---- KUnit ----

def run_suites(machine, module, glob, timeout):
    """Load the suites whose names fit; return the first failed case, or "" if all pass."""
    parameter = ""
    if machine.run(f"test -w {FILTER}", check=False).status:
        parameter = f"filter_glob='{glob}'"
    else:
        machine.run(f"printf %s '{glob}' >{FILTER}")
    suites = machine.spawn(f"insmod /{module.name} {parameter}", timeout=timeout)
    watched = kunit.Watched(machine.console)
    end = machine.wait_until(lambda: watched.failed() or suites.done, timeout, "suites")
    if end is not True:
        return kunit.failed_case(machine.console.read_text(errors="replace"))
    suites.wait()
    failed = kunit.failed_case(machine.dmesg())
    machine.rmmod(module.stem)
    return failed


def first_failure(module, kernel, globs):
    """Return the case that fails, the machine or the kernel's log with a complaint, or ""."""
    timeout = kunit.TIMEOUT if kernel == "debug" else QUICK_TIMEOUT
    with Machine(None, kernel, module=False, files={f"/{module.name}": module},
                 cmdline=kunit.CPUS) as machine:
        try:
            machine.run("dmesg -c")
            for glob in globs:
                if failed := run_suites(machine, module, glob, timeout):
                    return failed if glob == "*" else glob
            if not re.search(r"^.*?ok \d+ ", machine.dmesg(), re.M):
                return f"{MACHINE}: no results"
            machine.mark("end of the suites")
            machine.check_log()
            if kernel == "debug":
                framework.no_leaks(machine)
        except (CheckFailed, CommandFailed) as error:
            if failed := kunit.failed_case(machine.dmesg()):
                return failed
            return f"{KERNEL_LOG}: " + str(error).strip().splitlines()[0][:60]
    return ""


def suites_verdict(module, kernel, globs=("*",)):
    """Return what detects the mutant; "" if nothing does.

    A guest that hangs can be caused by the host, and is tried again.
    """
    for _ in range(2):
        try:
            verdict = first_failure(module, kernel, globs)
        except Exception as error:      # whatever ends the guest or its agent
            verdict = f"{MACHINE}: {type(error).__name__}"
        if not verdict.startswith(MACHINE):
            break
    return verdict


# ---- the lab and the tools ----

def lab_patterns(path):
    """Return the patterns of the folder of a driver file; none for a file of the tools."""
    return next((patterns for prefix, patterns in LAB_TESTS.items() if path.startswith(prefix)), ())


def checks_verdict(copy, path):
    """Return the check that detects the mutant of a platform's facts; "" if none does."""
    if not path.startswith("driver/platforms/"):
        return ""
    return lab_verdict(copy, CHECKS, [CHECKS_OPTIONS])


# A mutant may leave a variable unused
LENIENT = ("env", "UCORE_WARNINGS=allowed")


def lab_failure(copy, patterns, options):
    """Return the lab's first test that fails; "" if none does, None if there are no such tests."""
    done = subprocess.run([*LENIENT, f"UCORE_BUILD={copy.lab}", "tests/lab/run", "-x", "-j", "1",
                           *options, *patterns], cwd=copy.tree, text=True, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if "no test matches" in done.stdout:
        return None
    failed = kunit.FAILED.findall(done.stdout)
    return failed[0] if failed else "the lab" if done.returncode else ""


def lab_verdict(copy, patterns, choices=LAB_KERNELS):
    """Return the lab's test that detects the mutant twice; "" if none does.

    @choices are options of the lab. The first one that selects tests is used.
    """
    for options in choices:
        verdict = lab_failure(copy, patterns, options)
        if verdict:
            # a leak is found after all tests
            again = (verdict,) if verdict.startswith("test_") else patterns
            return verdict if lab_failure(copy, again, options) else ""
        if verdict is not None:
            break
    return ""


def unit_verdict(copy, program, name):
    """Return the tools' unit test if it detects the mutant; only this program is run."""
    out = copy.where / "tools"
    where = out / f"test_{program}"
    subprocess.run(["make", "-s", "-C", "tests/tools", f"O={out}", where], cwd=copy.tree,
                   check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    done = subprocess.run([where], cwd=copy.tree / "tests/tools", text=True, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return f"{program}: {name}" if re.search(rf"^not ok \d+ - {name}$|FAILED.*\b{name}$",
                                             done.stdout, re.M) else ""


def named_lab_verdict(copy, names):
    """Return which of these tests of the lab, the checks and the tools detects the mutant."""
    machine = [name for name in names if name.startswith("test_")]
    checks = [name for name in machine if (TOP / f"tests/check/{name.split('.')[0]}.py").exists()]
    programs = [name.split(": ") for name in names if ": " in name]
    lab = [name for name in machine if name not in checks]
    lab += [f"test_uapi.{program} " for program, _ in programs if program.startswith("uapi_")]
    verdict = ""
    if lab:
        verdict = lab_verdict(copy, lab)
    if not verdict and checks:
        verdict = lab_verdict(copy, checks, [CHECKS_OPTIONS])
    for program, name in programs:
        if not verdict and (TOP / f"tests/tools/test_{program}.c").exists():
            verdict = unit_verdict(copy, program, name)
    return verdict
