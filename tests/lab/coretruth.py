# SPDX-License-Identifier: GPL-2.0-only
"""What the machine model knows of the cores' own counters.

Its log has them at each freeze while it is told to record cores (qemu/README.md, "The core
PMU"). The box of CPU n is called "coren" here. Linux and QEMU number the CPUs alike, unless a
scenario plugs them one by one.
"""

CTL_INT, FIXED_INT = 1 << 20, 8
STATUS_FIXED = 32


def pmus(machine):
    """CPU -> its core PMU: registers, and all counters."""
    return {core["cpu"]: core for core in machine.oracle("cores")["cores"]}


def box_of(cpu):
    return f"core{cpu}"


def totals_at(cpu, counters):
    return {(box_of(cpu), c["ctr"]): c["total"] for c in counters}


def has_overflowed(counter, status):
    """It carried and was to interrupt."""
    name = str(counter["ctr"])
    if name.startswith("fixed"):
        bit, interrupts = STATUS_FIXED + int(name[5:]), counter["ctl"] & FIXED_INT
    else:
        bit, interrupts = counter["ctr"], counter["ctl"] & CTL_INT
    return bool(interrupts and status >> bit & 1)


def freezes_of(machine, mark):
    """The cores' freezes since mark, in the shape of those of dies, with "cpu" for "socket".

    The reason is "overflow" if a counter that was to interrupt had carried by then.
    """
    found = []
    for number, freeze in enumerate(machine.truth("core-freeze", mark)):
        box = box_of(freeze["cpu"])
        cause = [f"{box}.{c['ctr']}" for c in freeze["counters"]
                 if has_overflowed(c, freeze["status"])]
        found.append({"cpu": freeze["cpu"], "seq": number, "t": freeze["t"], "cause": cause,
                      "reason": "overflow" if cause else freeze["reason"],
                      "counters": [{"box": box, **c} for c in freeze["counters"]]})
    return found
