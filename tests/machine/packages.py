# SPDX-License-Identifier: GPL-2.0-only
"""Events by their names, as many of them at once as all boxes of a machine can hold."""

import json

from lab.qemu import args
from lab.session import BOX_FREE_RUNNING, Session, assert_equal
from machine.eventset import type_of
from machine.first_run import FirstRun


class Place:
    """A box that takes events while it has counters, and they agree on its filters."""

    def __init__(self, die, box, counters):
        self.die, self.box, self.free, self._filters = die, box, set(range(counters)), {}

    def take(self, fields, counters):
        """True if there is room; then it is taken."""
        filters = {name: value for name, value in fields.items() if name.startswith("filter_")}
        usable = self.free & counters
        if not usable or any(self._filters.get(name, value) != value
                             for name, value in filters.items()):
            return False
        # an event without a bit would find that of another one
        if filters and self._filters and filters.keys() != self._filters.keys():
            return False
        self.free.discard(max(usable))
        self._filters |= filters
        return True


def packs(events, boxes):
    """Label -> fields of events that all boxes of the machine can hold together."""
    left = list(events)
    while left:
        places = [Place(die, box, counters) for die, box, counters in boxes]
        pack, rest = {}, []
        for kind, name, fields, counters in left:
            for place in places:
                if type_of(place.box) == kind and place.take(fields, counters):
                    pack[f"{place.box}/{name},die={place.die}/"] = fields
                    break
            else:
                rest.append((kind, name, fields, counters))
        assert pack, rest[0]
        yield pack
        left = rest


def stat(m, labels):
    """The lines of `stat --per-box` for these events, one for each."""
    m.write("/tmp/pack", ",".join(labels))
    out = m.run("ucoretool stat --per-box -j -e \"$(cat /tmp/pack)\" -- true", timeout=120).out
    rows = [row for row in map(json.loads, out.splitlines()) if "summary" not in row]
    assert {row["event"] for row in rows} == set(labels), rows
    return rows


def count_named(m, events):
    """Counts (type, name, fields, counters) at the rates that the model promises; how many."""
    platform, counted = args.Scenario(m.scenario).platform, 0
    with Session(m) as s:
        boxes = [(box["die"], box["name"], box["counters"]) for box in s.boxes
                 if not box["caps"] & BOX_FREE_RUNNING]
    for pack in packs(events, boxes):
        mark = m.truth_length()
        rows = stat(m, pack)
        assert len(rows) == len(pack), rows
        run = FirstRun(m, mark)
        assert_equal(list(filter(None, (
            run.difference(row["box"], row["die"], None, pack[row["event"]], row["count"],
                           platform) for row in rows))))
        counted += len(rows)
    return counted
