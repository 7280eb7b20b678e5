# SPDX-License-Identifier: GPL-2.0-only
"""Results of a program that prints TAP or KTAP without nesting."""

import re

from lab.framework import KERNELS, Result, test
from lab.machine import CheckFailed

LINE = re.compile(r"^(ok|not ok) \d+(?: - | )?(.*?)(?: # SKIP ?(.*))?$")
PLAN = re.compile(r"^1\.\.(\d+)", re.M)


def run(machine, command, timeout=300):
    """Run a test program in the guest; return its results."""
    return finished(command, machine.run(command, timeout=timeout, check=False))


def finished(command, done):
    """Return the results of a test program that has ended."""
    results = list(parsed(done.out))
    plan = PLAN.search(done.out)
    if not plan or int(plan[1]) != len(results):
        raise CheckFailed(f"{command} ended early, with exit {done.status}:\n{done.out}{done.err}")
    return results


def register(module, program, scenario, kernels=KERNELS, **options):
    """Register tests for a program and its 32-bit build, with the name of the module.

    The 32-bit build runs on one kernel only, because 32-bit callers run the same code in all
    kernels.
    """
    for name, booted in ((program, kernels), (f"{program}32", kernels[:1])):
        def one(m, name=name):
            return run(m, name)
        one.__name__, one.__module__ = name, module
        test(scenario, kernels=booted, **options)(one)


def parsed(text):
    """Yield the results. Remarks precede the result that they explain."""
    remarks = []
    for line in text.splitlines():
        match = LINE.match(line)
        if not match:
            remarks.append(line.lstrip("# "))
            continue
        ok, name, reason = match.groups()
        verdict = "failed" if ok == "not ok" else "passed" if reason is None else "skipped"
        explanation = reason or "\n".join(remarks)
        yield Result(name, verdict, explanation.removeprefix("SKIP "))
        remarks = []
