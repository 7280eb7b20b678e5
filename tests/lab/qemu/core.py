# SPDX-License-Identifier: GPL-2.0-or-later
"""How fast the model's core PMU counts: README.md's rule, the same as corepmu.c; change both.

    rate(0x2e, 0x41)            increments per second of an event, in user mode and kernel
    rate(0xc0, usr=True)
    fixed_rate(1)
"""

CYCLES = 2600000000
FIXED = (CYCLES // 2, CYCLES, CYCLES, 4 * CYCLES)
CLOCK_EVENT, INSTRUCTIONS = 0x3c, 0xc0
PULSE_CYCLES = 4

# The architecture's predefined events in the order of their bits in CPUID.0AH:EBX
PREDEFINED = {
    "UNHALTED_CORE_CYCLES": (0x3c, 0x00),
    "INSTRUCTIONS_RETIRED": (0xc0, 0x00),
    "UNHALTED_REFERENCE_CYCLES": (0x3c, 0x01),
    "LLC_REFERENCES": (0x2e, 0x4f),
    "LLC_MISSES": (0x2e, 0x41),
    "BRANCH_INSTRUCTIONS_RETIRED": (0xc4, 0x00),
    "BRANCH_MISSES_RETIRED": (0xc5, 0x00),
}


def raw(event, umask):
    if (event, umask) in ((0x3c, 0), (0x3c, 1)):
        return CYCLES
    if (event, umask) == (INSTRUCTIONS, 0):
        return CYCLES // 2
    return 1000000 + 500 * ((event * 256 + umask) * 40503 % 131071)


def in_rings(value, usr, os):
    """Three fifths of all events happen in user mode; without a selected ring, all count."""
    if usr == os:
        return value
    return value * 3 // 5 if usr else value - value * 3 // 5


def rate(event, umask=0, *, usr=False, os=False, any_thread=False, edge=False, inv=False,
         cmask=0, threads=1):
    value = in_rings(raw(event, umask), usr, os)
    if any_thread and event != CLOCK_EVENT:
        value *= threads
    depth = 4 if event == INSTRUCTIONS else 1
    cmask = cmask or int(edge)
    if cmask:
        value = 0 if cmask > depth else value * 2 // (depth + 1) * (depth - cmask + 1) // depth
        if inv:
            cycles = in_rings(CYCLES, usr, os)
            value = cycles - min(value, cycles)
    return value // PULSE_CYCLES if edge else value


def fixed_rate(i, *, usr=False, os=False, any_thread=False, threads=1):
    return in_rings(FIXED[i], usr, os) * (threads if any_thread and i == 0 else 1)
