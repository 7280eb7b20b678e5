# SPDX-License-Identifier: GPL-2.0-only
"""Comparison of counts with the documented rates of the model."""

from lab.qemu import args
from lab.session import FIXED, is_frozen
from machine import eventset

# platforms with memory controllers that no global control stops
APART = ("adl", "mtl", "lnl")


class FirstRun:
    """The time from the first unfreeze of each die since @mark to the next freeze."""

    def __init__(self, machine, mark, runs_before=0):
        """runs_before: number of runs since @mark that are ignored."""
        self._begin, self._end, self._until = {}, {}, {}    # die -> line; time of the unfreeze
        lines, opened, runs = {}, {}, []
        apart = args.Scenario(machine.scenario).platform in APART
        for line in machine.truth(since=mark):
            if apart and line["ev"] == "box-unfreeze":
                opened[line["socket"], line["box"]] = line["t"]
            elif line["ev"] == "box-freeze" and (line["socket"], line["box"]) in opened:
                at = line["socket"], line["box"]
                runs.append((at, opened.pop(at), line["t"]))
            if line["ev"] in ("freeze", "unfreeze") and (lines.get(line["socket"]) or
                                                         line["ev"] == "unfreeze"):
                lines.setdefault(line["socket"], []).append(line)
        for die, of_die in lines.items():
            self._begin[die], self._end[die], *rest = of_die[2 * runs_before:]
            self._until[die] = rest[0]["t"] if rest else None
        # (die, box) -> times of a box that only its control stops: after those of its die
        self._apart = {}
        for at, start, stop in runs:
            if at[0] in self._begin and start > self._begin[at[0]]["t"]:
                self._apart.setdefault(at, (start, stop))

    def least_seconds(self, die, box):
        """Return the counting time of a box (s), or its minimum if the box is never frozen."""
        begin, end = self._begin[die], self._end[die]
        if is_frozen(end, box):
            return (instant(end, box) - instant(begin, box)) / 1e9
        return (end["t"] - begin["first"]) / 1e9

    def most_seconds(self, die, box):
        """Return the counting time of a box (s), or its maximum if the box is never frozen."""
        begin, end = self._begin[die], self._end[die]
        if is_frozen(end, box):
            return self.least_seconds(die, box)
        return (self._until[die] - begin["first"] + begin["frozen_ns"]) / 1e9

    def limits_of_unfrozen(self, die):
        """Return minimum and maximum time (s) between two reads of counters that no freeze
        stops, each read in a freeze of the die."""
        begin, end = self._begin[die], self._end[die]
        return ((end["t"] - begin["t"]) / 1e9,
                (self._until[die] - begin["t"] + begin["frozen_ns"]) / 1e9)

    def difference(self, box, die, ctr, fields, count, platform):
        """Return "" if a count equals documented rate times time, otherwise a text."""
        rate = eventset.rate_of(box, die, ctr, fields, platform)
        begin, end = self._begin[die], self._end[die]
        if not is_frozen(end, box):
            return self._of_the_unfrozen(end, box, ctr, fields, count, rate)
        start, stop = self._apart.get((die, box)) or (instant(begin, box), instant(end, box))
        due = rate * (stop - start) // 1000000000
        return "" if rate and count == due else \
            f"{box} of die {die}, {fields}: {count}, at {rate}/s that is {due}"

    def _of_the_unfrozen(self, end, box, ctr, fields, count, rate):
        """Return "" if a count of the UBox of v1 is possible, otherwise a text.

        The start of the UBox is not logged, but the model has its rate. The UBox began before
        the first box was unfrozen and was read when the last box was frozen.
        """
        bits = fields.get("event", 0) | fields.get("umask", 0) << 8
        model = [c["rate"] for c in end["counters"] if c["box"] == box and
                 (c["ctr"] == FIXED if ctr == FIXED else
                  c["ctr"] != FIXED and c["ctl"] & 0xffff == bits)]
        least = rate * (end["t"] - self._begin[end["socket"]]["first"]) // 1000000000
        return "" if rate and model == [rate] and count >= least else \
            f"{box}, {fields}: {count}, at {rate}/s at least {least}; the model's rate {model}"


def instant(line, box):
    """Return the time (ns) at which a freeze or unfreeze took effect in a box.

    Without a global control this is the time of the write to the box control.
    """
    words = {word["box"]: word["t"] for word in line.get("boxes", ())}
    return words[box] if words else line["t"]
