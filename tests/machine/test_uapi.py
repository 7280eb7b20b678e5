# SPDX-License-Identifier: GPL-2.0-only
"""The contract of uapi/ucore.h: the programs of tests/uapi, 64- and 32-bit callers."""

from lab import ktap
from lab.framework import BOTH, KERNELS, test

# the head of each program describes its subject
PROGRAMS = ("uapi_sizes", "uapi_device", "uapi_events", "uapi_session", "uapi_ring",
            "uapi_samples", "uapi_hostile", "uapi_perms")
STATE_NOT_INTEL, STATE_UNKNOWN, STATE_HIDDEN = 1, 2, 3


def both(m, command):
    """Run the 64-bit and the 32-bit build of a program; return the results of both."""
    program, _, arguments = command.partition(" ")
    return ktap.run(m, command) + ktap.run(m, f"{program}32 {arguments}")


# These take minutes on the debug kernel, which runs the same commands in the other programs
LONG = ("uapi_sizes", "uapi_perms")
for name in PROGRAMS:
    ktap.register(__name__, name, "e2-2s", ("6.1",) if name in LONG else KERNELS, timeout=300)


# The debug kernel has no pid namespaces
@test("e2-2s", kernels=BOTH)
def session_owner_in_another_pid_namespace_is_listed(m):
    return both(m, "uapi_device --on-purpose owner_in_another_pid_namespace_is_reported")


# The debug kernel has no userfaultfd
@test("e2-2s")
def waiter_for_a_stalled_caller_can_be_killed(m):
    return both(m, "uapi_session --on-purpose waiter_for_a_stalled_caller_can_be_killed")


@test("e2-2s")
def session_of_a_stalled_caller_is_revoked(m):
    return both(m, "uapi_session --on-purpose session_of_a_stalled_caller_is_revoked")


# A socket with so many counters that two samples exceed the smallest ring
@test("e2-2s", kernels=("6.1",),
      settings={"machine.cores": 15, "machine.plugged": 2, "boxes.cbo": 15,
                "boxes.imc": 8, "boxes.qpi": 3, "boxes.r3qpi": 3})
def ring_too_small_for_two_samples_is_refused(m):
    return both(m, "uapi_session --on-purpose ring_too_small_is_refused")


# A machine with more than UCORE_EVENTS_MAX / UCORE_GROUP_MAX counters
@test("spr-2s-full", timeout=180)
def events_of_a_session_are_limited(m):
    return both(m, "uapi_limits")


@test()
def plain_pc_has_no_boxes(m):
    return both(m, f"uapi_none {STATE_NOT_INTEL}")


@test("e2-2s", kernels=("6.1",), settings={"machine.model": 250, "machine.uncore": "no"})
def unknown_processor_has_no_boxes(m):
    return both(m, f"uapi_none {STATE_UNKNOWN}")


@test("e2-2s", kernels=("6.1",), settings={"machine.uncore": "no"})
def hidden_uncore_has_no_boxes(m):
    return both(m, f"uapi_none {STATE_HIDDEN}")
