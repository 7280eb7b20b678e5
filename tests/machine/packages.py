# SPDX-License-Identifier: GPL-2.0-only
"""Count named events in packs of as many as the counters of the machine can count at once."""

import json

from lab.qemu import args
from lab.session import BOX_FREE_RUNNING, Session, assert_equal
from machine.eventset import type_of
from machine.first_run import FirstRun


class Place:
    """A box with its free counters and the filter values of the events that it has."""

    def __init__(self, die, box, counters):
        self.die, self.box, self.free, self._filters = die, box, set(range(counters)), {}

    def take(self, fields, counters):
        """Reserve a counter for an event; return false if none is free or a filter conflicts."""
        filters = {name: value for name, value in fields.items() if name.startswith("filter_")}
        usable = self.free & counters
        if not usable or any(self._filters.get(name, value) != value
                             for name, value in filters.items()):
            return False
        # a filter bit that one event sets would also restrict an event that does not set it
        if filters and self._filters and filters.keys() != self._filters.keys():
            return False
        self.free.discard(max(usable))
        self._filters |= filters
        return True


def packs(events, boxes):
    """Yield packs of events (label -> fields) that the boxes can count at the same time."""
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


def stat(m, labels, command="true"):
    """Return the rows of `ucoretool stat --per-box` for these events, one for each box."""
    m.write("/tmp/pack", ",".join(labels))
    out = m.run(f"ucoretool stat --per-box -j -e \"$(cat /tmp/pack)\" -- {command}",
                timeout=120).out
    rows = [row for row in map(json.loads, out.splitlines()) if "summary" not in row]
    assert {row["event"] for row in rows} == set(labels), rows
    return rows


def count_named(m, events):
    """Count events (type, name, fields, counters), compare the rates, return the number of rows."""
    m.run("have")       # the self-tests of the boxes are no runs of the session
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
