# SPDX-License-Identifier: GPL-2.0-only
"""The machine model of client processors, register by register: see test_model.py."""

from lab.framework import test
from lab.qemu import rates
from machine.e5regs import EN, FIXED, OV_EN, Msr, read
from machine.registers import bare, peek, poke, preload, rules, wait_frozen

RUN, WAKE, ON_OVERFLOW = 1 << 29, 1 << 30, 1 << 31
MCHBAR = 0xfedc0000
CLEAR = 0x393           # on the oldest processors
ONES = (1 << 64) - 1


class Client:
    """Addresses of a platform: the global control and its status, and boxes."""

    def __init__(self, ctl, status, cbo, arb, clock):
        self.ctl, self.status = ctl, status
        self.boxes = {"cbo0": cbo, "arb0": arb, "clock0": clock}

    def write(self, value):
        return (("w", 0, self.ctl, value),)


def box(ctl, ctr):
    return Msr(0, None, ctl, ctr)


def clock(ctl):
    return Msr(0, None, None, None, fixed=(ctl, ctl + 1))


SNB = Client(0x391, 0x392, box(0x700, 0x706), box(0x3b2, 0x3b0), clock(0x394))
SKL = Client(0xe01, 0xe02, box(0x700, 0x706), box(0x3b2, 0x3b0), clock(0x394))
TGL = Client(0xe01, 0xe02, box(0x700, 0x702), box(0x3b2, 0x3b0), clock(0x394))
ADL = Client(0x2ff0, 0x2ff2, box(0x2000, 0x2002), box(0x2fd0, 0x2fd2), clock(0x2fde))
EVENT = {"cbo0": 0x8f34, "arb0": 0x0181, "clock0": 0}
BIT = {"clock0": 1 << 0, "arb0": 1 << 1, "cbo0": 1 << 3}


def first(name):
    return FIXED if name == "clock0" else 0


def arm(client, name, events, *, width=44, more=0):
    """Return commands that make the box overflow after a number of events."""
    at, i = client.boxes[name], first(name)
    return (*client.write(0), *at.write_ctr(i, preload(events, width=width)),
            *at.write_ctl(i, EVENT[name] | OV_EN | EN), *client.write(RUN | more))


def assert_level(m, client, platform):
    """Bit 29 starts and stops all boxes at one instant, and reads back."""
    start = [command for name, at in client.boxes.items()
             for command in at.write_ctl(first(name), EVENT[name] | EN)]
    poke(m, *client.write(0), *start, *client.write(RUN))
    assert peek(m, "r", 0, client.ctl) == RUN
    m.wait_until(lambda: read(m, client.boxes["cbo0"].ctr(0))[0] > 100000, what="counts")
    poke(m, *client.write(0))
    values = [read(m, at.ctr(first(name))) for name, at in client.boxes.items()]
    assert values == [read(m, at.ctr(first(name))) for name, at in client.boxes.items()], values
    assert peek(m, "r", 0, client.ctl) == 0
    clock_rate = rates.rate("clock", 0, 0, fixed=True, platform=platform)
    for name, (value,) in zip(("cbo0", "arb0"), values):
        rate = rates.rate(name[:-1], 0, 0, EVENT[name] & 0xff, EVENT[name] >> 8, platform=platform)
        assert abs(value - values[2][0] * rate // clock_rate) <= 1, (name, value, values)


@test("snb-1s", **bare)
def enable_is_a_level_on_sandy_bridge(m):
    assert_level(m, SNB, "snb")


@test("adl-1s", **bare)
def enable_is_a_level_on_alder_lake(m):
    assert_level(m, ADL, "adl")


@test("icl-1s", **bare)
def ice_lake_counts_since_reset(m):
    assert peek(m, "r", 0, 0xe01) == RUN and peek(m, "r", 0, 0x396) == 4
    assert poke(m, ("r", 0, 0x3b0), ("r", 0, 0x3b1)) == [None, 0], "the ARB has counter 1 only"


@test("tgl-1s", **bare)
def overflow_clears_enable_only_if_told(m):
    for name in TGL.boxes:
        width = 48 if name == "clock0" else 44
        poke(m, *arm(TGL, name, 1000, width=width, more=ON_OVERFLOW))
        wait_frozen(m)
        assert peek(m, "r", 0, TGL.ctl) == ON_OVERFLOW, "the overflow cleared the enable"
        # three clock cycles in a nanosecond
        assert read(m, TGL.boxes[name].ctr(first(name)))[0] < (3 if name == "clock0" else 1)
        assert peek(m, "r", 0, TGL.status) == BIT[name]
        poke(m, ("w", 0, TGL.status, BIT[name]), *arm(TGL, name, 1000, width=width))
        m.wait_until(lambda name=name: peek(m, "r", 0, TGL.status) == BIT[name], what="a status")
        assert peek(m, "r", 0, TGL.ctl) == RUN, "without bit 31 the boxes go on"
        poke(m, ("w", 0, TGL.status, BIT[name]), *TGL.write(0),
             *TGL.boxes[name].write_ctl(first(name), 0))
    assert rules(m) == []


@test("mtl-1s", **bare)
def each_tile_has_a_level(m):
    compute, soc = 0x240e, 0x200e
    counters = {compute: 0x2448, soc: 0x2018}
    poke(m, ("w", 0, 0x2442, EVENT["cbo0"] | EN), ("w", 0, 0x2012, EVENT["arb0"] | EN))
    for runs, stands in ((compute, soc), (soc, compute)):
        poke(m, ("w", 0, runs, RUN), ("w", 0, stands, 0))
        assert poke(m, ("r", 0, runs), ("r", 0, stands)) == [RUN, 0]
        before = poke(m, ("r", 0, counters[runs]), ("r", 0, counters[stands]))
        m.wait_until(lambda at=counters[runs], least=before[0]: peek(m, "r", 0, at) > least,
                     what="counts of one tile")
        assert peek(m, "r", 0, counters[stands]) == before[1], "the other tile stands"
    assert rules(m) == []
    for bits in (ON_OVERFLOW, WAKE, 1):
        poke(m, ("w", 0, compute, RUN | bits))
        assert rules(m) == ["reserved"], "only the enable bit is known"
    # no status, and no overflow enable
    assert poke(m, ("r", 0, compute + 1), ("r", 0, soc + 1), ("r", 0, compute + 2)) == [None] * 3
    poke(m, ("w", 0, 0x2443, OV_EN))
    assert rules(m) == ["reserved"]


def left(m, client, *commands):
    """Return the status after an overflow of the clock and further commands."""
    poke(m, *arm(client, "clock0", 1000, width=44, more=ON_OVERFLOW))
    wait_frozen(m)
    assert peek(m, "r", 0, client.status) == 1
    return poke(m, *commands, ("r", 0, client.status))[0]


def writes(client):
    """Return the ways to clear a status: write it back, write 0, write another register."""
    return {"ones": ("w", 0, client.status, 1), "zero": ("w", 0, client.status, 0),
            "other": ("w", 0, CLEAR, 1)}


def assert_cleared_by(m, client, how):
    for name, command in writes(client).items():
        if name == "other" and client.ctl > CLEAR:
            continue
        assert left(m, client, command) == (name != how), (name, how)
        poke(m, *client.boxes["clock0"].write_ctl(FIXED, 0))
        m.inject("power-on")


@test("snb-1s", **bare, settings={"model.status-clear": "other", "boxes.clock-fixed-width": "44"})
def status_is_cleared_by_another_register(m):
    assert_cleared_by(m, SNB, "other")


@test("skl-1s", **bare)
def status_is_cleared_by_ones(m):
    assert_cleared_by(m, SKL, "ones")


@test("skl-1s", **bare, settings={"model.status-clear": "zero"})
def status_is_cleared_by_zeros(m):
    assert_cleared_by(m, SKL, "zero")


@test("skl-1s", **bare, settings={"model.status-clear": "never"})
def status_may_not_clear(m):
    assert_cleared_by(m, SKL, "nothing")


def sent(m):
    return [cpu["pmi_sent"] for cpu in m.oracle("cpus")["cpus"]]


@test("skl-1s", **bare)
def pmi_reaches_the_selected_cores(m):
    before = sent(m)
    left(m, SKL)
    assert sent(m) == before, "no core is selected"
    poke(m, ("w", 0, SKL.status, 1), *arm(SKL, "clock0", 1000, more=ON_OVERFLOW | WAKE | 0b1010))
    wait_frozen(m)
    assert [new - old for new, old in zip(sent(m), before)] == [0, 1, 0, 1]
    assert peek(m, "r", 0, SKL.ctl) == ON_OVERFLOW | WAKE | 0b1010


@test("skl-1s", **bare, settings={"model.pmi": "no"})
def overflow_may_freeze_without_a_pmi(m):
    before = sent(m)
    poke(m, *arm(SKL, "clock0", 1000, more=ON_OVERFLOW | WAKE | 0xf))
    wait_frozen(m)
    assert sent(m) == before


@test("cml-1s", **bare)
def late_cbos_are_behind_the_power_registers(m):
    found = poke(m, ("r", 0, 0x396), ("r", 0, 0x760), ("r", 0, 0xf70), ("r", 0, 0xf90),
                 ("r", 0, 0xf9f))
    assert found == [10, 0, 0, 0, None], found
    m.inject("reset")
    poke(m, ("r", 0, 0x770))
    assert {row["msr"] for row in m.oracle("foreign")["msrs"]} >= {0x770}, "no CBO is there"


@test("snb-1s", **bare)
def traffic_counters_have_32_bits(m):
    assert peek(m, "pr", "00:00.0", 0) == 0x01008086
    assert poke(m, ("pr", "00:00.0", 0x48), ("pr", "00:00.0", 0x4c)) == [MCHBAR | 1, 0]
    kinds = {0x5050: "read", 0x5054: "write", 0x5040: "gt", 0x5044: "ia", 0x5048: "io"}
    at = [("mr", 4, MCHBAR + offset) for offset in kinds]
    wanted = [rates.mc_traffic(kind) for kind in kinds.values()]

    def grow_at_their_rates():
        """A busy host may stop the reads of one of the two."""
        start, end = poke(m, *at), poke(m, *at)
        grown = [(new - old) & 0xffffffff for new, old in zip(end, start)]
        return all(abs(n * wanted[0] / (grown[0] * rate) - 1) < 0.2
                   for n, rate in zip(grown, wanted))
    m.wait_until(grow_at_their_rates, what="two short reads")
    assert poke(m, ("mr", 4, MCHBAR + 0x15050)) == [0xffffffff], "there is one controller"


@test("tgl-1s", **bare, settings={"machine.mchbar": "no"})
def memory_window_may_be_disabled(m):
    assert peek(m, "pr", "00:00.0", 0x48) == MCHBAR


@test("adl-1s", **bare)
def memory_controllers_have_their_own_freeze(m):
    m.inject("strict no")
    for mc in (0, 1):
        at = MCHBAR + 0xd900 + 0x10000 * mc
        poke(m, ("mw", 4, at + 0xc4, 1), ("mw", 4, at + 0xd4, ONES >> 32),
             ("mw", 8, at + 0xf0, ONES))
        assert poke(m, ("mr", 4, at + 0xd4), ("mr", 8, at + 0xf0)) == [0x40fff, ONES]
        poke(m, ("mw", 4, at + 0xd4, 1), ("mw", 8, at + 0xf0, 0), ("mw", 4, at + 0xc4, 0))
        m.wait_until(lambda at=at: peek(m, "mr", 8, at + 0xf0), what="counts")
        assert peek(m, "r", 0, ADL.ctl) == 0, "the global control does not stop it"
        poke(m, ("mw", 4, at + 0xc4, 1))
        assert peek(m, "mr", 8, at + 0xf0) == peek(m, "mr", 8, at + 0xf0) > 0
    poke(m, ("mw", 4, MCHBAR + 0x1d9c0, 6))
    assert poke(m, *(("mr", size, MCHBAR + 0xd900 + 0x10000 * mc + register) for mc in (0, 1)
                     for size, register in ((4, 0xd4), (8, 0xf0)))) == [0] * 4
    m.inject("power-on")
    m.inject("strict yes")


# ---- Nehalem: a bit for each counter ----

NHM_CTL, NHM_STATUS, NHM_EN = 0x391, 0x392, 0xff | 1 << 32
NHM_FRZ, NHM_SHOWN = 1 << 63, 1 << 61 | 1 << 63


def nhm_arm(counter, more=0):
    """Return commands that make a counter of the block overflow after 1000 events."""
    return (("w", 0, NHM_CTL, 0), ("w", 0, 0x3b0 + counter, preload(1000)),
            ("w", 0, 0x3c0 + counter, 0x0309 | OV_EN | EN), ("w", 0, NHM_CTL, NHM_EN | more))


@test("nhm-2s", **bare)
def each_counter_of_nehalem_has_an_enable(m):
    poke(m, ("w", 0, NHM_CTL, 0), ("w", 0, 0x3c1, 0x0309 | EN), ("w", 0, 0x3c2, 0x0309 | EN),
         ("w", 0, 0x395, 1), ("w", 0, NHM_CTL, 0x2))
    m.wait_until(lambda: peek(m, "r", 0, 0x3b1), what="counts")
    assert poke(m, ("r", 0, NHM_CTL), ("r", 0, 0x3b2), ("r", 0, 0x394)) == [2, 0, 0]
    assert peek(m, "r", 2, NHM_CTL) == 0, "the other package has its own block"
    poke(m, ("w", 0, NHM_CTL, 1 << 32))
    stood = peek(m, "r", 0, 0x3b1)
    m.wait_until(lambda: peek(m, "r", 0, 0x394), what="clocks")
    assert poke(m, ("r", 0, 0x3b1), ("r", 0, 0x3b2)) == [stood, 0]
    assert peek(m, "r", 0, 0x396) is None, "the match register is not modelled"
    assert rules(m) == []
    poke(m, ("w", 0, NHM_CTL, 1 << 29))
    assert rules(m) == ["reserved"]


@test("nhm-2s", **bare)
def overflow_of_nehalem_clears_the_enables_only_if_told(m):
    for counter in (0, 7):
        poke(m, *nhm_arm(counter, NHM_FRZ))
        wait_frozen(m)
        assert peek(m, "r", 0, NHM_CTL) == NHM_FRZ
        assert peek(m, "r", 0, NHM_STATUS) == 1 << counter | NHM_SHOWN
        poke(m, ("w", 0, CLEAR, 1 << counter | NHM_SHOWN))
        assert peek(m, "r", 0, NHM_STATUS) == 0
        poke(m, *nhm_arm(counter))
        m.wait_until(lambda: peek(m, "r", 0, NHM_STATUS), what="a status")
        assert peek(m, "r", 0, NHM_CTL) == NHM_EN, "without bit 63 the counters go on"
        poke(m, ("w", 0, CLEAR, 1 << counter), ("w", 0, NHM_CTL, 0), ("w", 0, 0x3c0 + counter, 0))
        assert peek(m, "r", 0, NHM_STATUS) == NHM_SHOWN
    assert rules(m) == []
    poke(m, ("w", 0, NHM_STATUS, 0))
    assert rules(m) == ["read-only"]


@test("nhm-2s", **bare)
def pmi_of_nehalem_reaches_the_cores_of_its_package(m):
    before = sent(m)
    poke(m, *nhm_arm(3, NHM_FRZ | 1 << 49))
    wait_frozen(m)
    assert [new - old for new, old in zip(sent(m), before)] == [0, 1, 0, 0]
