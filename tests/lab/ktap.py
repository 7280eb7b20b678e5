# SPDX-License-Identifier: GPL-2.0-only
"""Results of a program that prints TAP or KTAP without nesting."""

import re

from lab.framework import KERNELS, Result, test
from lab.machine import CheckFailed

LINE = re.compile(r"^(ok|not ok) \d+(?: - | )?(.*?)(?: # SKIP ?(.*))?$")
PLAN = re.compile(r"^1\.\.(\d+)", re.M)


def run(machine, command, timeout=300):
    """Runs a test program in the guest; returns its results."""
    return finished(command, machine.run(command, timeout=timeout, check=False))


def finished(command, done):
    """The results of a test program that has ended."""
    results = list(parsed(done.out))
    plan = PLAN.search(done.out)
    if not plan or int(plan[1]) != len(results):
        raise CheckFailed(f"{command} ended early, with exit {done.status}:\n{done.out}{done.err}")
    return results


def register(module, program, scenario, **options):
    """Makes a test of a program, and of its 32-bit twin, named as if they stood in the module.

    32-bit callers come to the same code in every kernel: for them one is enough.
    """
    for name, kernels in ((program, KERNELS), (f"{program}32", KERNELS[:1])):
        def one(m, name=name):
            return run(m, name)
        one.__name__, one.__module__ = name, module
        test(scenario, kernels=kernels, **options)(one)


def parsed(text):
    """Remarks stand before the result that they explain."""
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
