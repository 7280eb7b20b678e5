# SPDX-License-Identifier: GPL-2.0-only
"""The contract of every command: the programs of tests/uapi, 64- and 32-bit."""

import ktap
from artifacts import TOP
from framework import test

KERNELS = ("6.1", "6.12", "debug")
COMPAT_KERNELS = ("6.1", "debug")


def register(program, kernels):
    def run(m):
        return ktap.run(m, program)
    run.__name__ = program
    test("e2-2s", kernels=kernels, timeout=300)(run)


for source in sorted((TOP / "tests/uapi").glob("*.c")):
    register(source.stem, KERNELS)
    register(source.stem + "32", COMPAT_KERNELS)
