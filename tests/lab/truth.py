# SPDX-License-Identifier: GPL-2.0-only
"""Compares the samples of `ucoretool script` with the counts of the machine model.

A sample is matched with its freeze by their order on the die. A value is matched with its
counter by box and event.
"""

import json
import subprocess

from lab import artifacts
# Event select and umask in bits 15:0 of a control register
EVENT_BITS = 0xffff
FIXED = "fixed"             # counter of a fixed counter in the model's log
# Mark of `ucoretool script` for a count that continued while its die was frozen
UNFROZEN = "unfrozen"


def samples_of(machine, path):
    """Return the samples in a file of the guest: counts since the start, with a value per box.

    The host prints the samples, because this is faster.
    """
    report = subprocess.run([artifacts.tools() / "ucoretool", "script", "-i", "-", "--per-box",
                             "--totals", "-j"], input=machine.fetch(path), check=True,
                            capture_output=True)
    records = [json.loads(line) for line in report.stdout.splitlines()]
    return [record for record in records if record["record"] == "sample"]


def totals_of(machine):
    """Return the totals of each counter of each socket."""
    sockets = machine.oracle("counters")["sockets"]
    return [{(c["box"], c["ctr"]): c["total"] for c in socket} for socket in sockets]


def pmis_of(machine):
    """Return the number of uncore PMIs of each CPU since power-on."""
    return [cpu["pmi_delivered"] for cpu in machine.oracle("cpus")["cpus"]]


def events_of(platform="ivbep"):
    """Map each event as ucoretool prints it to bits 15:0 of its control register, or to FIXED."""
    listed = subprocess.run([artifacts.tools() / "ucoretool", "list", "events", "-j",
                             "--platform", platform], check=True, capture_output=True).stdout
    events = [json.loads(line) for line in listed.splitlines()]
    return {f"{event['type']}/{event['event']}/":
            int(event["code"], 0) | int(event["umask"], 0) << 8 if "code" in event else FIXED
            for event in events}


def sampled(freezes, reason, samples):
    """Return the freezes in which samples were taken.

    For a timer these are all freezes with a running counter. STOP's own freeze, the last one,
    is among them if the number of samples shows that a period was due.
    """
    if reason == "overflow":
        return [freeze for freeze in freezes if freeze["reason"] == reason]
    counting = [freeze for freeze in freezes if freeze["counters"]]
    of_dies = [freeze["socket"] for freeze in counting]
    due = {die for die in of_dies
           if sum(sample["die"] == die for sample in samples) == of_dies.count(die)}
    stops = {freeze["socket"]: freeze["seq"] for freeze in counting}
    return [freeze for freeze in counting
            if freeze["socket"] in due or freeze["seq"] != stops[freeze["socket"]]]


def polled(freezes, before, event, code, period):
    """Return the freezes in which a polled period was sampled.

    In these, a counter of the event has passed another multiple of the period. STOP's own
    freeze, the last one, can be among them.
    """
    kind, over, found = event.partition("/")[0], {}, []
    for freeze in freezes:
        die = freeze["socket"]
        now = {(die, c["box"]): (c["total"] - before[die][c["box"], c["ctr"]]) // period
               for c in freeze["counters"]
               if c["box"].rstrip("0123456789") == kind and c["ctl"] & EVENT_BITS == code}
        if any(periods > over.get(counter, 0) for counter, periods in now.items()):
            found.append(freeze)
        over |= now
    return found


def compared(samples, freezes, before, events):
    """Compare values; return (number of equal values, text of each difference).

    freezes: freezes of the model in which the samples were taken. before: totals_of() at the
    start.
    """
    equal, differences = 0, []
    for die in sorted({freeze["socket"] for freeze in freezes} | {s["die"] for s in samples}):
        of_die = [sample for sample in samples if sample["die"] == die]
        truths = [freeze for freeze in freezes if freeze["socket"] == die]
        if len(of_die) != len(truths):
            differences.append(f"die {die}: {len(of_die)} samples, {len(truths)} freezes")
        for sample, freeze in zip(of_die, truths):
            wrong = sample_differences(sample, freeze, before[die], events)
            equal += len(sample["values"]) - len(wrong)
            differences += wrong
    return equal, differences


def sample_differences(sample, freeze, before, events):
    counters = {(c["box"], FIXED if c["ctr"] == FIXED else c["ctl"] & EVENT_BITS): c
                for c in freeze["counters"]}
    wrong = []
    for value in sample["values"]:
        counter = counters.get((value["box"], events[value["event"]]))
        least, most = counted(counter, before, value, sample["frozen_ns"])
        if least is None or not least <= value["count"] <= most:
            wrong.append(f"die {sample['die']} sample {sample['seq']}: {value['box']} "
                         f"{value['event']} says {value['count']}, truth {least}"
                         + (f" to {most}" if most != least else ""))
    return wrong


def counted(counter, before, value, frozen_ns):
    """Return the minimum and maximum that a counter may show at a freeze; None if it did not
    count.

    A counter that no freeze stops counts until it is read, before the unfreeze.
    """
    if counter is None:
        return None, None
    count = counter["total"] - before[counter["box"], counter["ctr"]]
    late = counter["rate"] * frozen_ns // 10**9 + 1 if value.get("note") == UNFROZEN else 0
    return count, count + late
