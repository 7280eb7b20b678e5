# SPDX-License-Identifier: GPL-2.0-only
"""The machine model of Diamond Rapids, register by register, without any driver.

Each die has two tables and two global controls, each of which freezes all boxes.
"""

from lab.framework import test
from machine.registers import bare, peek, poke, preload, rules, wait_frozen

WINDOW, WINDOW_SIZE, POINTED, BLOCK_GLOBAL = 0xf000000000, 0x100000000, 0x3fe00000, 0x3ff80000
HUB_GLOBAL, HUB_STATUS, BLOCK_STATUS, POINTER = 0x2ff0, 0x2ff2, 8, 0x710
CBO0, PCU0, SANTA0 = 0x2000, 0x2fc0, 0x32000000
MSR_STATUS, MSR_CTL, MSR_CTR = 1, 2, 8
MEMORY_CTL, MEMORY_CTR, MEMORY_STATUS = 0x28, 8, 0x50
FRZ, INIT, OV_EN = 0x1, 0x301, 1 << 20
MSR, MMIO = 0, 1
FIRST_CPU = (0, 2)
DEBUGCTL = 0x1d9


def at(offset, socket=0):
    return WINDOW + WINDOW_SIZE * socket + offset


def counter(m, box, ctr, socket=0):
    return next(c for c in m.oracle("counters")["sockets"][socket]
                if (c["box"], c["ctr"]) == (box, ctr))


def clean(m):
    """Freeze socket 0 by both controls, reset boxes of both tables, clear status and counts."""
    block = at(BLOCK_GLOBAL)
    poke(m, ("w", 0, HUB_GLOBAL, FRZ), ("mw", 8, block, FRZ), ("w", 0, PCU0, INIT),
         ("w", 0, CBO0, INIT), ("mw", 4, at(SANTA0), INIT), ("w", 0, PCU0 + MSR_STATUS, 0xf),
         ("w", 0, CBO0 + MSR_STATUS, 0xf), ("mw", 4, at(SANTA0) + MEMORY_STATUS, 0xf),
         ("w", 0, HUB_STATUS, 0x3ffff), ("mw", 8, block + BLOCK_STATUS, 0x7f),
         ("w", 0, PCU0, 0), ("w", 0, CBO0, 0), ("mw", 4, at(SANTA0), 0))
    m.inject("reset")


@test("dmr-2s", **bare)
def msr_points_to_the_second_table(m):
    for socket, cpu in enumerate(FIRST_CPU):
        assert peek(m, "r", cpu, POINTER) == at(POINTED, socket)
        words = poke(m, ("md", at(POINTED, socket), 8 * 4))
        records = [words[i:i + 4] for i in range(0, len(words), 4)]
        assert records[0] == [MMIO << 62 | 7 << 16 | 4 << 8, at(BLOCK_GLOBAL, socket),
                              7 << 8 | BLOCK_STATUS, 0]
        named = [(r[2] & 0xffff, r[2] >> 16 & 0xffff, r[2] >> 32) for r in records[1:]]
        assert named == [(31, 0, 0), (31, 1, 1), (32, 0, 2), (33, 0, 3), (34, 0, 4), (38, 0, 5),
                         (38, 1, 6)], named
        assert [r[0] >> 62 for r in records[1:]] == [MSR, MSR, MMIO, MMIO, MMIO, MMIO, MMIO]
        assert records[1][1] == CBO0 and records[3][1] == at(SANTA0, socket)
    where = "7f:00.4"
    assert peek(m, "er", where, 0) == 0x09a18086
    assert poke(m, ("w", 0, POINTER, 0)) == []
    assert rules(m) == ["read-only"]


@test("dmr-2s", **bare)
def either_global_control_freezes_all_boxes(m):
    clean(m)
    block = at(BLOCK_GLOBAL)
    poke(m, ("w", 0, PCU0 + MSR_CTL, 1), ("w", 0, CBO0 + MSR_CTL, 1))
    for first, second in ((("w", 0, HUB_GLOBAL), ("mw", 8, block)),
                          (("mw", 8, block), ("w", 0, HUB_GLOBAL))):
        before = [counter(m, box, 0)["total"] for box in ("pcu0", "cbo0")]
        poke(m, (*first, 0))
        assert m.oracle("state")["sockets"][0]["frozen"]
        poke(m, (*second, 0))
        m.wait_until(lambda: all(
            counter(m, box, 0)["total"] > old for box, old in zip(("pcu0", "cbo0"), before)))
        poke(m, (*first, FRZ))
        assert m.oracle("state")["sockets"][0]["frozen"]
        held = poke(m, ("r", 0, HUB_GLOBAL), ("mr", 8, block))
        assert sorted(held) == [0, FRZ], held
        poke(m, (*second, FRZ))
    clean(m)


@test("dmr-2s", **bare)
def overflow_sets_the_status_of_its_table(m):
    block = at(BLOCK_GLOBAL)
    for box, registers, hub, in_block in (
            ("pcu0", (("w", 0, PCU0 + MSR_CTR, preload(1000)), ("w", 0, PCU0 + MSR_CTL, OV_EN | 1)),
             1 << 0, 0),
            ("cbo0", (("w", 0, CBO0 + MSR_CTR, preload(1000)), ("w", 0, CBO0 + MSR_CTL, OV_EN | 1)),
             0, 1 << 0),
            ("santa0", (("mw", 8, at(SANTA0) + MEMORY_CTR, preload(1000)),
                        ("mw", 8, at(SANTA0) + MEMORY_CTL, OV_EN | 1)), 0, 1 << 2)):
        clean(m)
        poke(m, *registers, ("w", 0, HUB_GLOBAL, 0), ("mw", 8, block, 0))
        wait_frozen(m)
        assert poke(m, ("r", 0, HUB_STATUS), ("mr", 8, block + BLOCK_STATUS)) == \
            [hub, in_block], box
        assert poke(m, ("r", 0, HUB_GLOBAL), ("mr", 8, block)) == \
            [FRZ if hub else 0, FRZ if in_block else 0], box
    clean(m)
