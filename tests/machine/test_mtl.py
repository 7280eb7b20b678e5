# SPDX-License-Identifier: GPL-2.0-only
"""Meteor Lake to Lunar Lake: a global control for each tile, and no report of an overflow."""

import errno

from lab.framework import test
from lab.session import BOX_OVERFLOW, VALUE_CONFLICT, Session, refused
from machine import eventset
from machine.registers import peek, poke
from machine.test_skx import count_exactly, info_of

RUN = 1 << 29
COMPUTE, SOC = 0x240e, 0x200e
TILES = {"mtl-1s": (COMPUTE, SOC), "lnl-1s": (COMPUTE,)}
BOTH_TILES = {"cbo0": {"event": 0x34, "umask": 0x8f}, "hac_arb0": {"event": 0x81, "umask": 0x01}}
FOUND = ((0, 0), (RUN, 0), (0, RUN))


def levels(m):
    return tuple(peek(m, "r", 0, at) for at in TILES[m.scenario])


@test(tuple(TILES))
def global_controls_are_restored_as_found(m):
    """Other software may let one tile count and not the other."""
    for both in FOUND:
        found = both[:len(TILES[m.scenario])]
        poke(m, *(("w", 0, at, value) for at, value in zip(TILES[m.scenario], found)))
        with Session(m) as s:
            s.add_all(eventset.full_set(s))
            s.start()
            assert set(levels(m)) == {RUN}
            s.read_exactly()
            s.stop_exactly()
        m.settle()
        assert levels(m) == found, found
        assert poke(m, ("r", 0, 0x2442), ("r", 0, 0x2412)) == [0, 0], "the boxes are stopped"


@test("mtl-1s", strict=False, alone=True)
def lost_enable_of_one_tile_is_reported(m):
    """A deep package C-state may clear the global control of one tile only."""
    with Session(m, ring=1 << 16) as s:
        for box, fields in BOTH_TILES.items():
            s.add(box, 0, 0, **fields)
        s.start()
        poke(m, ("w", 0, SOC, 0))
        # a read would write both
        m.wait_until(lambda: levels(m) == (RUN, RUN), timeout=40, what="both levels")
        m.wait_until(lambda: s.status()["conflicts"], timeout=40, what="a scan of the watchdog")
        first = s.read()["values"]
        assert all(value["flags"] & VALUE_CONFLICT for value in first), first
        assert all(new["count"] > old["count"] for new, old in zip(s.read()["values"], first))


@test(tuple(TILES))
def no_overflow_is_offered(m):
    with Session(m) as s:
        assert not any(caps & BOX_OVERFLOW for (_, box), caps in s.caps.items()
                       if not box.startswith("core"))
        with refused(errno.ERANGE):
            s.add("cbo0", event=1, thresh=0x40)


@test("mtl-1s", settings={"machine.model": "0xc6"})
def arrow_lake_is_a_platform_of_its_own(m):
    assert info_of(m)["platform"] == "arl"
    count_exactly(m)
