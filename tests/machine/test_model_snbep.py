# SPDX-License-Identifier: GPL-2.0-only
"""The machine model of E5-2600 v1, register by register; see test_model.py.

There are no global registers, no status and no overflow. Each box is frozen by its own control,
and the model's log has the time of each.
"""

from lab import qmp
from lab.framework import test
from lab.qemu import rates
from machine.e5regs import BOX_STATUS, EN, FIXED, OV_EN, Msr, Pci, ids, legal_bits, read
from machine.registers import bare, poke, preload, rules

RUN, FRZ, FRZ_ALONE, INIT = 0x10000, 0x10100, 0x100, 0x10103
RST, IMC_FIXED_RST = 1 << 17, 1 << 19


def cbo(n, cpu=0):
    at = 0xd00 + 0x20 * n
    return Msr(cpu, at + 0x04, at + 0x10, at + 0x16)


def ubox(cpu=0):
    return Msr(cpu, None, 0xc10, 0xc16, fixed=(0xc08, 0xc09))


def pcu(cpu=0):
    return Msr(cpu, 0xc24, 0xc30, 0xc36)


BOXES = {"cbo0": cbo(0), "cbo1": cbo(1), "ubox0": ubox(), "pcu0": pcu(), "ha0": Pci("7f:0e.1"),
         "imc0": Pci("7f:10.0"), "imc1": Pci("7f:10.1"), "imc2": Pci("7f:10.4"),
         "imc3": Pci("7f:10.5"), "qpi0": Pci("7f:08.2"), "qpi1": Pci("7f:09.2"),
         "r2pcie0": Pci("7f:13.1"), "r3qpi0": Pci("7f:13.5"), "r3qpi1": Pci("7f:13.6")}
CBO0, HA0, IMC0, QPI0 = (BOXES[name] for name in ("cbo0", "ha0", "imc0", "qpi0"))

FUNCTIONS = {"7f:0e.1": 0x3c46, "7f:10.0": 0x3cb0, "7f:10.1": 0x3cb1, "7f:10.4": 0x3cb4,
             "7f:10.5": 0x3cb5, "7f:08.2": 0x3c41, "7f:09.2": 0x3c42, "7f:08.6": 0x3c86,
             "7f:09.6": 0x3c96, "7f:13.1": 0x3c43, "7f:13.5": 0x3c44, "7f:13.6": 0x3c45,
             "7f:0b.0": 0x3ce0, "ff:0b.0": 0x3ce0, "ff:13.6": 0x3c45}

# implemented bits of controls and counters; rst (bit 17, and bit 19 of iMC's fixed control) reads 0
LEGAL = {"cbo": 0xffccffff, "ubox": 0x1fc4ffff, "pcu": 0xdfe4c0ff, "ha": 0xffc4ffff,
         "imc": 0xffc4ffff, "qpi": 0xffe4ffff, "r2pcie": 0xffc4ffff, "r3qpi": 0xffc4ffff}
WIDTH = {"cbo": 44, "ubox": 44, "r2pcie": 44, "r3qpi": 44}


def kind_of(name):
    return name.rstrip("0123456789")


def counters_of(name):
    last = {"ubox": 1, "r3qpi": 2}.get(kind_of(name), 3)
    return (0, last, FIXED) if name.startswith(("ubox", "imc")) else (0, last)


@test("snbep-2s", **bare)
def controls_and_counters_keep_their_bits(m):
    found = legal_bits(m, {name: (box, counters_of(name)) for name, box in BOXES.items()})
    for (name, i), bits in found.items():
        control, width = (EN, 48) if i == FIXED else \
            (LEGAL[kind_of(name)], WIDTH.get(kind_of(name), 48))
        assert bits == [control, (1 << width) - 1], (name, i, [hex(b) for b in bits])


@test("snbep-2s", **bare)
def functions_are_at_their_addresses(m):
    assert ids(m, FUNCTIONS) == {at: (device,) * 2 for at, device in FUNCTIONS.items()}
    assert poke(m, ("er", "7f:0b.0", 0x40), ("er", "ff:0b.0", 0x40),
                ("er", "ff:0b.0", 0x54)) == [0, 1, 0xfac688]


@test("snbep-2s", **bare)
def global_and_status_registers_are_absent(m):
    assert poke(m, ("r", 0, 0xc00), ("r", 0, 0xc01), ("w", 0, 0xc00, 0), ("r", 0, 0xc06),
                ("r", 0, 0xc15), ("r", 0, 0xc35), ("r", 0, 0xd1a), ("r", 0, 0xd44)) == [None] * 8
    assert poke(m, ("er", "7f:0e.1", BOX_STATUS)) == [0] and rules(m) == []
    poke(m, ("ew", "7f:0e.1", BOX_STATUS, 0xf))
    assert poke(m, ("er", "7f:0e.1", BOX_STATUS)) == [0] and rules(m) == ["no-register"]
    for fault in ("freeze 0", "status 0 1", "carry 0 imc0.0"):
        try:
            m.inject(fault)
        except qmp.QmpError:
            continue
        raise AssertionError(fault)


def running(m, name):
    return {box["box"]: box["running"] for box in m.oracle("state")["sockets"][0]["boxes"]}[name]


@test("snbep-2s", **bare)
def frz_requires_frz_en(m):
    assert read(m, CBO0.write_box(FRZ_ALONE), CBO0.box()) == [FRZ_ALONE]
    assert running(m, "cbo0") and rules(m) == ["frz-without-en"]
    assert read(m, CBO0.write_box(RUN), CBO0.write_box(FRZ), CBO0.box()) == [FRZ]
    assert not running(m, "cbo0")
    poke(m, *CBO0.write_box(RUN))
    assert running(m, "cbo0") and rules(m) == []


@test("snbep-2s", **bare)
def bit_17_of_a_box_control_is_reserved(m):
    for name in ("cbo0", "pcu0", "imc0"):
        poke(m, *BOXES[name].write_box(0x30100))
        assert rules(m) == ["box-ctl"] and not running(m, name), name
    assert read(m, IMC0.box()) == [FRZ]
    m.inject("power-on")


def filled(box):
    """Return writes that freeze a box, and set a control and its counter."""
    return (*box.write_box(FRZ), *box.write_ctl(1, EN | 5), *box.write_ctr(1, 99))


@test("snbep-2s", **bare)
def box_resets_only_its_own_registers(m):
    for name in ("cbo0", "pcu0", "qpi0", "r2pcie0", "r3qpi0"):
        box = BOXES[name]
        assert read(m, filled(box), box.write_box(FRZ | 2), box.ctl(1), box.ctr(1),
                    box.write_box(FRZ | 1), box.ctl(1)) == [EN | 5, 0, 0], name
    assert rules(m) == []
    for box in (HA0, IMC0):
        assert read(m, filled(box), box.write_box(INIT), box.ctl(1), box.ctr(1)) == [EN | 5, 99]
        assert read(m, box.write_ctl(1, RST), box.ctr(1)) == [99]
        assert rules(m) == ["box-ctl", "reserved"]
    m.inject("power-on")


@test("snbep-2s", **bare)
def control_reset_bit_clears_its_counter(m):
    for name in ("cbo0", "pcu0", "qpi0", "r2pcie0", "r3qpi0"):
        box = BOXES[name]
        assert read(m, filled(box), box.write_ctl(1, RST), box.ctr(1)) == [0], name
    box = ubox()
    assert read(m, box.write_ctr(1, 99), box.write_ctl(1, RST), box.ctr(1)) == [0]
    assert read(m, IMC0.write_ctr(FIXED, 99), IMC0.write_ctl(FIXED, IMC_FIXED_RST),
                IMC0.ctr(FIXED)) == [0]
    assert rules(m) == []
    m.inject("power-on")


@test("snbep-2s", **bare)
def carry_raises_no_interrupt(m):
    mark = m.truth_length()
    boxes = {"cbo0": 44, "ubox0": 44, "pcu0": 48, "imc0": 48, "qpi1": 48, "r3qpi1": 44}
    for name, width in boxes.items():
        event = 0x42 if name == "ubox0" else 0
        poke(m, *BOXES[name].write_box(FRZ), *BOXES[name].write_ctr(0, preload(1000, width=width)),
             *BOXES[name].write_ctl(0, EN | event), *BOXES[name].write_box(RUN))
    m.wait_until(lambda: all(value < 1 << 43 for value in
                             read(m, *(BOXES[name].ctr(0) for name in boxes))), what="wraps")
    assert not m.truth("freeze", since=mark) and not m.truth("pmi", since=mark)
    assert rules(m) == []
    m.inject("power-on")


@test("snbep-2s", **bare)
def ubox_is_stopped_by_its_event_only(m):
    poke(m, *ubox().write_ctl(0, EN), *ubox().write_ctr(0, 0))      # selects nothing
    assert read(m, ubox().ctr(0)) == [0] and rules(m) == []
    poke(m, *ubox().write_ctl(0, EN | 0x42))
    m.wait_until(lambda: read(m, ubox().ctr(0)) > [0], what="counting")
    assert rules(m) == []
    poke(m, *ubox().write_ctr(0, 0), *ubox().write_ctl(0, EN | 0x41))
    assert rules(m) == ["not-frozen"] * 2
    m.inject("power-on")


# (rule, register writes that violate the rule while the box is frozen)
VIOLATIONS = (("reserved", CBO0.write_ctl(0, OV_EN)), ("reserved", HA0.write_ctl(0, 1 << 16)),
              ("reserved", IMC0.write_ctl(FIXED, EN | OV_EN)),
              ("reserved", ubox().write_ctl(FIXED, EN | OV_EN)),
              ("reserved", (("w", 0, 0xd14, 0x20),)),
              ("constraint", CBO0.write_ctl(2, EN | 0x35)),
              ("width", CBO0.write_ctr(0, 1 << 44)),
              ("reset-running", (*CBO0.write_ctl(0, EN), *CBO0.write_box(RUN),
                                 *CBO0.write_box(RUN | 2))),
              ("frz-en-cleared", (*CBO0.write_ctl(0, EN), *CBO0.write_box(0))),
              ("not-frozen", (*QPI0.write_box(RUN), *QPI0.write_ctl(0, EN))))


@test("snbep-2s", **bare)
def each_violation_is_detected(m):
    for rule, commands in VIOLATIONS:
        poke(m, *CBO0.write_box(FRZ), *HA0.write_box(FRZ), *IMC0.write_box(FRZ),
             *QPI0.write_box(FRZ))
        m.inject("reset")
        poke(m, *commands)
        assert rules(m) == [rule], (rule, commands)
        m.inject("power-on")


# ---- Dies that are frozen box by box ----

# (box, counter, control without EN, arguments of rates.rate()); start() sets the filters
CBO_FILTER, PCU_FILTER = 0x182 << 23 | 0x15 << 18 | 6 << 10 | 0xb, 20
MATCH = 0x12345678940
COUNTED = (("cbo0", 0, 0x4134, {"event": 0x34, "umask": 0x41, "state": 0x15, "nid": 6}),
           ("cbo0", 1, 0x0335, {"event": 0x35, "umask": 3, "opc": 0x182}),
           ("cbo1", 0, 0x0336, {"event": 0x36, "umask": 3, "opc": 0x182}),
           ("cbo1", 3, 0x080006, {"event": 0x06, "tid": 0xb}),
           ("pcu0", 0, 0x000b, {"event": 0x0b, "bands": (20, 0, 0, 0)}),
           ("pcu0", 3, 0x200060, {"event": 0x160}),
           ("ha0", 0, 0x0320, {"event": 0x20, "umask": 3, "address": MATCH, "opcode": 0x2a}),
           ("ha0", 1, 0x01800301, {"event": 1, "umask": 3, "thresh": 1, "invert": True}),
           ("imc3", 2, 0x08800080, {"event": 0x80, "thresh": 8, "invert": True}),
           ("imc3", FIXED, 0, {"fixed": True}),
           ("qpi1", 0, 0x200102, {"event": 0x102, "umask": 1}),
           ("r2pcie0", 2, 0x01800007, {"event": 7, "thresh": 1, "invert": True}),
           ("r3qpi1", 2, 0x01, {"event": 1}))
WITH_WORDS = list(dict.fromkeys(name for name, *_ in COUNTED))


def words(value, names):
    return [command for name in names for command in BOXES[name].write_box(value)]


def start(m, names=tuple(WITH_WORDS)):
    """Start counters of the boxes @names and of the UBox."""
    mark = m.truth_length()
    setup = words(FRZ, names) + [("w", 0, 0xd14, CBO_FILTER), ("w", 0, 0xd34, CBO_FILTER),
                                 ("w", 0, 0xc34, PCU_FILTER),
                                 ("ew", "7f:0e.1", 0x40, MATCH & 0xffffffff),
                                 ("ew", "7f:0e.1", 0x44, MATCH >> 32),
                                 ("ew", "7f:0e.1", 0x48, 0x2a)]
    for name, i, control, _ in COUNTED:
        if name in names:
            setup += BOXES[name].write_ctl(i, EN | control)
    poke(m, *setup, *ubox().write_ctl(FIXED, EN), *words(RUN, names))
    return mark


def times(event):
    return {box["box"]: box["t"] for box in event["boxes"]}


@test("snbep-2s", **bare)
def box_controls_freeze_a_die_and_are_logged(m):
    mark = start(m)
    poke(m, *words(FRZ, WITH_WORDS))
    unfreeze, freeze = m.truth("unfreeze", since=mark)[-1], m.truth("freeze", since=mark)[-1]
    assert len(m.truth("freeze", since=mark)) == 1 and freeze["reason"] == "boxes"
    for event in (unfreeze, freeze):
        when = times(event)
        assert list(sorted(when, key=when.get)) == WITH_WORDS
        assert (min(when.values()), max(when.values())) == (event["first"], event["t"])
        assert event["skew"] == event["t"] - event["first"] > 0
    logged = {(c["box"], c["ctr"]): c["value"] for c in freeze["counters"]}
    values = read(m, *(BOXES[name].ctr(i) for name, i, *_ in COUNTED), ubox().ctr(FIXED))
    for (name, i, _, arguments), value in zip(COUNTED, values):
        kind = kind_of(name)
        rate = rates.rate(kind, int(name[len(kind):]), 0, platform="snbep", **arguments)
        time = times(freeze)[name] - times(unfreeze)[name]
        assert value == logged[name, i] == rate * time // 10**9, (name, i)
    # the logged count is that at the last write of a box control
    assert values[-1] > logged["ubox0", FIXED] > 0
    m.inject("power-on")


@test("snbep-2s", **bare)
def freeze_ends_with_the_first_unfrozen_box(m):
    start(m)
    poke(m, *words(FRZ, WITH_WORDS))
    mark = m.truth_length()
    state = m.oracle("state")["sockets"][0]
    assert state["frozen"] and (state["freezes"], state["unfreezes"]) == (1, 1)
    poke(m, *words(RUN, WITH_WORDS[:1]))
    assert not m.oracle("state")["sockets"][0]["frozen"] and not m.truth("unfreeze", since=mark)
    poke(m, *words(RUN, WITH_WORDS[1:]), *words(FRZ, WITH_WORDS[::-1]))
    freeze, unfreeze = m.truth("freeze", since=mark)[-1], m.truth("unfreeze", since=mark)[-1]
    assert unfreeze["first"] == times(unfreeze)["cbo0"] and freeze["t"] == times(freeze)["cbo0"]
    assert m.oracle("state")["sockets"][0]["frozen_ns"] > unfreeze["frozen_ns"] > 0
    assert [event["seq"] for event in (unfreeze, freeze)] == [state["seq"], state["seq"] + 1]
    m.inject("power-on")


@test("snbep-2s", **bare)
def die_is_frozen_with_its_last_box(m):
    mark = start(m, ("cbo0", "imc3"))
    poke(m, *words(FRZ, ("cbo0",)))
    assert [event["box"] for event in m.truth("box-freeze", since=mark)] == ["cbo0"]
    assert not m.truth("freeze", since=mark) and not m.oracle("state")["sockets"][0]["frozen"]
    event = m.truth("box-freeze", since=mark)[-1]
    assert [c["value"] for c in event["counters"]] == read(m, CBO0.ctr(0), CBO0.ctr(1))
    poke(m, *words(FRZ, ("imc3",)))
    freeze = m.truth("freeze", since=mark)[-1]
    assert freeze["first"] == event["t"] and set(times(freeze)) == {"cbo0", "imc3"}
    m.inject("power-on")


@test("snbep-2s", **bare)
def disabled_box_is_not_part_of_a_freeze(m):
    mark = m.truth_length()
    poke(m, *words(FRZ, ("cbo0", "pcu0")), *words(RUN, ("cbo0", "pcu0")))
    assert not m.truth(since=mark)
    poke(m, *words(FRZ, ("cbo0",)), *CBO0.write_ctl(0, EN), *words(RUN, ("cbo0",)))
    assert [event["ev"] for event in m.truth(since=mark)] == ["box-unfreeze", "unfreeze"]
    poke(m, *words(FRZ, ("cbo0",)), *CBO0.write_ctl(0, 0), *words(RUN, ("cbo0",)))
    assert [event["ev"] for event in m.truth(since=mark)][2:] == ["box-freeze", "freeze"]
    assert not m.oracle("state")["sockets"][0]["frozen"]
