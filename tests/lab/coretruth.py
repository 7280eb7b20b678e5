# SPDX-License-Identifier: GPL-2.0-only
"""Counts of the core PMU in the machine model.

While recording of cores is enabled, the model's log has the counts at each freeze (qemu/README.md,
"The core PMU"). The box of CPU n is called "coren" here. Linux and QEMU number the CPUs alike,
unless a scenario plugs them one by one.
"""

CTL_INT, FIXED_INT = 1 << 20, 8
STATUS_FIXED = 32


def pmus(machine):
    """Return CPU -> registers and all counters of its core PMU."""
    return {core["cpu"]: core for core in machine.oracle("cores")["cores"]}


def box_of(cpu):
    return f"core{cpu}"


def totals_at(cpu, counters):
    return {(box_of(cpu), c["ctr"]): c["total"] for c in counters}


def has_overflowed(counter, status):
    """Return true if the counter has carried and its interrupt is enabled."""
    name = str(counter["ctr"])
    if name.startswith("fixed"):
        bit, interrupts = STATUS_FIXED + int(name[5:]), counter["ctl"] & FIXED_INT
    else:
        bit, interrupts = counter["ctr"], counter["ctl"] & CTL_INT
    return bool(interrupts and status >> bit & 1)


def freezes_of(machine, mark):
    """Return the freezes of cores since @mark in the format of die freezes, with "cpu" for
    "socket".

    The reason is "overflow" if a counter with an enabled interrupt had carried.
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


def totals_of(machine):
    """Return CPU -> total of each counter of its core."""
    return {cpu: totals_at(cpu, pmu["counters"]) for cpu, pmu in pmus(machine).items()}


def events_at(freeze, before, names):
    """Return event -> count at a freeze.

    names: event select with umask, or the name of a fixed counter -> event
    """
    counts = {}
    for c in freeze["counters"]:
        what = c["ctr"] if str(c["ctr"]).startswith("fixed") else c["ctl"] & 0xffff
        counts[names[what]] = c["total"] - before[c["box"], c["ctr"]]
    return counts


def compared(samples, freezes, before, names):
    """Compare core samples; return (number of equal values, text of each difference).

    samples: samples of cores as returned by truth.samples_of(). freezes: freezes of these
    samples.
    """
    equal, differences = 0, []
    for cpu in sorted({s["cpu"] for s in samples} | {f["cpu"] for f in freezes}):
        of_cpu = [sample for sample in samples if sample["cpu"] == cpu]
        truths = [freeze for freeze in freezes if freeze["cpu"] == cpu]
        if len(of_cpu) != len(truths):
            differences.append(f"CPU {cpu}: {len(of_cpu)} samples, {len(truths)} freezes")
        for sample, freeze in zip(of_cpu, truths):
            true = events_at(freeze, before[cpu], names)
            wrong = [f"CPU {cpu} sample {sample['seq']}: {value['event']} says {value['count']}, "
                     f"truth {true.get(value['event'])}" for value in sample["values"]
                     if value["count"] != true.get(value["event"])]
            equal += len(sample["values"]) - len(wrong)
            differences += wrong
    return equal, differences
