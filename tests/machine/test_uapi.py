# SPDX-License-Identifier: GPL-2.0-only
"""The contract of uapi/ucore.h: the programs of tests/uapi, 64- and 32-bit callers."""

from lab import ktap
from lab.framework import BOTH, KERNELS, test

# What each is about stands at its head
PROGRAMS = ("uapi_sizes", "uapi_device", "uapi_events", "uapi_session", "uapi_ring",
            "uapi_samples", "uapi_hostile", "uapi_perms")
STATE_NOT_INTEL, STATE_UNKNOWN, STATE_HIDDEN = 1, 2, 3


def both(m, command):
    """A 64-bit and a 32-bit caller."""
    program, _, arguments = command.partition(" ")
    return ktap.run(m, command) + ktap.run(m, f"{program}32 {arguments}")


for name in PROGRAMS:
    ktap.register(__name__, name, "e2-2s", timeout=300)


# The debug kernel has no pid namespaces
@test("e2-2s", kernels=BOTH)
def owner_of_another_pid_namespace(m):
    return both(m, "uapi_device --on-purpose foreign_pid_namespace")


# The debug kernel has no userfaultfd
@test("e2-2s", kernels=BOTH)
def who_waits_for_a_stalled_caller_can_be_killed(m):
    return both(m, "uapi_session --on-purpose who_waits_for_a_stalled_caller_can_be_killed")


@test("e2-2s", kernels=BOTH)
def a_session_ends_though_its_caller_stalls(m):
    return both(m, "uapi_session --on-purpose a_session_ends_though_its_caller_stalls")


# A socket with so many counters that two samples exceed the smallest ring
@test("e2-2s", kernels=("6.1",),
      settings={"machine.cores": 15, "machine.plugged": 2, "boxes.cbo": 15,
                "boxes.imc": 8, "boxes.qpi": 3, "boxes.r3qpi": 3})
def a_ring_must_hold_two_samples(m):
    return both(m, "uapi_session --on-purpose ring_too_small")


@test(kernels=KERNELS)
def a_plain_pc_has_no_boxes(m):
    return both(m, f"uapi_none {STATE_NOT_INTEL}")


@test("e2-2s", kernels=("6.1",), settings={"machine.model": 30, "machine.uncore": "no"})
def an_unknown_processor_has_no_boxes(m):
    return both(m, f"uapi_none {STATE_UNKNOWN}")


@test("e2-2s", kernels=("6.1",), settings={"machine.uncore": "no"})
def a_hidden_uncore_has_no_boxes(m):
    return both(m, f"uapi_none {STATE_HIDDEN}")
