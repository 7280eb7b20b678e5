# SPDX-License-Identifier: GPL-2.0-only
"""The machine model of E5-2600 v3, v4 and D-1500, register by register: see test_model.py."""

from lab.framework import test
from lab.qemu import rates
from machine.e5regs import EN, FIXED, OV_EN, Msr, Pci, ids, legal_bits, read
from machine.registers import bare, poke, preload, rules, wait_frozen

GLOBAL_CTL, GLOBAL_STATUS, GLOBAL_CONFIG = 0x700, 0x701, 0x702
FRZ_ALL, WK_ON_PMI, UNFRZ_ALL = 0x80000000, 0x40000000, 0x20000000
STATUS = (("r", 0, GLOBAL_STATUS),)
CAPID4 = 0x94
DEBUGCTL = 0x1d9
SBOX_STRIDE = 0xa


def cbo(n, cpu=0):
    return Msr(cpu, 0xe00 + 0x10 * n, 0xe01 + 0x10 * n, 0xe08 + 0x10 * n, status=0xe07 + 0x10 * n)


def sbox(n, cpu=0):
    at = 0x720 + SBOX_STRIDE * n
    return Msr(cpu, at, at + 1, at + 6, status=at + 5)


def ubox(cpu=0):
    return Msr(cpu, None, 0x705, 0x709, status=0x708, fixed=(0x703, 0x704))


def pcu(cpu=0):
    return Msr(cpu, 0x710, 0x711, 0x717, status=0x716)


BOXES = {"cbo0": cbo(0), "cbo1": cbo(1), "sbox0": sbox(0), "sbox3": sbox(3), "ubox0": ubox(),
         "pcu0": pcu(), "ha0": Pci("7f:12.1"), "ha1": Pci("7f:12.5"), "imc0": Pci("7f:14.0"),
         "imc3": Pci("7f:15.1"), "imc4": Pci("7f:17.0"), "imc7": Pci("7f:18.1"),
         "irp0": Pci("00:05.6"), "qpi0": Pci("7f:08.2"), "qpi1": Pci("7f:09.2"),
         "qpi2": Pci("7f:0a.2"), "r2pcie0": Pci("7f:10.1"), "r3qpi0": Pci("7f:0b.1"),
         "r3qpi1": Pci("7f:0b.2"), "r3qpi2": Pci("7f:0b.5")}

# PCI function -> low byte of its device id (2fxx on v3, 6fxx on v4) on a two-socket machine
FUNCTIONS = {"7f:12.1": 0x30, "7f:12.5": 0x38, "7f:14.0": 0xb0, "7f:14.1": 0xb1, "7f:15.0": 0xb4,
             "7f:15.1": 0xb5, "7f:17.0": 0xd0, "7f:17.1": 0xd1, "7f:18.0": 0xd4,
             "7f:18.1": 0xd5, "00:05.6": 0x39, "80:05.6": 0x39, "7f:08.2": 0x32,
             "7f:09.2": 0x33, "7f:0a.2": 0x3a, "7f:08.6": 0x86, "7f:09.6": 0x96,
             "7f:10.1": 0x34, "7f:0b.1": 0x36, "7f:0b.2": 0x37, "7f:0b.5": 0x3e,
             "7f:10.5": 0x1e, "7f:1e.3": 0xc0, "ff:18.1": 0xd5}

# implemented bits of controls; rst (bit 17, and bit 19 of iMC's fixed control) reads 0
RST = 1 << 17
LEGAL = {"cbo": 0xffceffff, "sbox": 0xffceffff, "ubox": 0x1fd6ffff, "pcu": 0xdff6c0ff,
         "ha": 0xffd6ffff, "imc": 0xffd6ffff, "irp": 0xffc6ffff, "qpi": 0xfff6ffff,
         "r2pcie": 0xffd6ffff, "r3qpi": 0xfff6ffff}
LEGAL_FIXED = {"ubox": 0x500000, "imc": 0xd80000 & ~(1 << 19)}


def kept(name, i, widths):
    kind = name.rstrip("0123456789")
    control = LEGAL_FIXED[kind] if i == FIXED else LEGAL[kind] & ~RST
    return [control, (1 << (48 if i == FIXED else widths.get(kind, 48))) - 1]


def counters_of(name):
    last = {"ubox": 1, "r3qpi": 2}.get(name.rstrip("0123456789"), 3)
    return (0, last, FIXED) if name.startswith(("ubox", "imc")) else (0, last)


def check_legal_bits(m, widths):
    found = legal_bits(m, {name: (box, counters_of(name)) for name, box in BOXES.items()})
    for (name, i), bits in found.items():
        assert bits == kept(name, i, widths), (name, i, [hex(b) for b in bits])


@test("hswep-2s", **bare)
def v3_controls_and_counters_keep_their_bits(m):
    check_legal_bits(m, {"sbox": 44, "r3qpi": 44})


@test("bdxep-2s", **bare)
def v4_controls_and_counters_keep_their_bits(m):
    check_legal_bits(m, {})


def check_functions(m, generation, extra):
    wanted = {at: (generation | low,) * 2 for at, low in {**FUNCTIONS, **extra}.items()}
    assert ids(m, wanted) == wanted
    assert poke(m, ("er", "7f:10.5", 0x40), ("er", "ff:10.5", 0x40),
                ("er", "ff:10.5", 0x54)) == [0, 1, 0xfac688]
    assert poke(m, ("er", "7f:1e.3", CAPID4))[0] >> 6 & 3 == 1
    assert poke(m, ("er", "ff:1e.3", CAPID4))[0] & ~0xc0, "no bit but those of the chop"


@test("hswep-2s", **bare)
def v3_functions_are_at_their_addresses(m):
    check_functions(m, 0x2f00, {})
    assert poke(m, ("er", "7f:0a.6", 0)) == [0xffffffff]


@test("bdxep-2s", **bare)
def v4_functions_are_at_their_addresses(m):
    check_functions(m, 0x6f00, {"7f:0a.6": 0x46})


@test("bdxde-1s", **bare)
def d1500_has_one_home_agent_and_no_links(m):
    found = ids(m, ("ff:12.1", "ff:14.0", "ff:15.1", "ff:10.1", "ff:0b.1", "ff:0b.2", "00:05.6"))
    assert list(found.values()) == [(0x6f00 | low,) * 2
                                    for low in (0x30, 0xb0, 0xb5, 0x34, 0x36, 0x37, 0x39)], found
    for absent in ("ff:12.5", "ff:17.0", "ff:08.2", "ff:0b.5"):
        assert poke(m, ("er", absent, 0)) == [0xffffffff], absent
    assert poke(m, ("er", "ff:0b.1", 0xf4), ("er", "ff:1e.3", CAPID4)) == [0, 0xa5c3001a]
    assert poke(m, ("r", 0, 0x720), ("r", 0, 0xe00), ("r", 0, 0xe20)) == [None, 0, None]


@test("hswep-2s", **bare)
def absent_msrs_fault(m):
    assert poke(m, ("r", 0, 0x70b), ("w", 0, 0x71b, 0), ("r", 0, 0xe0c), ("r", 0, 0xe20)) == \
        [None] * 4
    assert poke(m, ("r", 0, GLOBAL_CONFIG), ("r", 2, GLOBAL_CONFIG), ("r", 0, 0x747)) == [2, 2, 0]


@test("hswep-2s", **bare)
def global_control_has_eighteen_cores(m):
    poke(m, ("w", 0, GLOBAL_CTL, FRZ_ALL | WK_ON_PMI | 0x3ffff))
    assert poke(m, ("r", 0, GLOBAL_CTL)) == [WK_ON_PMI | 0x3ffff] and rules(m) == []
    poke(m, ("w", 0, GLOBAL_CTL, 0x40000))
    assert poke(m, ("r", 0, GLOBAL_CTL)) == [0] and rules(m) == ["reserved"]
    m.inject("power-on")


# (box, counter, bit in the global status)
REPORTS = (("ubox0", FIXED, 0), ("ubox0", 1, 1), ("pcu0", 3, 2), ("ha0", 0, 21), ("ha1", 1, 22),
           ("imc0", 2, 23), ("imc3", FIXED, 23), ("imc4", 3, 24), ("imc7", 0, 24),
           ("qpi0", 0, 25), ("qpi1", 3, 26), ("qpi2", 1, 26), ("r3qpi0", 0, 27),
           ("r3qpi1", 2, 28), ("r3qpi2", 1, 28), ("r2pcie0", 3, 29))


def overflow(m, box, i, width):
    """Let one counter overflow after 1000 events; return the global status and its box status."""
    control = EN | OV_EN | (0 if i == FIXED or box.box_ctl else 0x42)
    poke(m, ("w", 0, GLOBAL_CTL, FRZ_ALL), *box.write_ctr(i, preload(1000, width=width)),
         *box.write_ctl(i, control), ("w", 0, GLOBAL_CTL, UNFRZ_ALL | 0x20000))
    wait_frozen(m)
    return read(m, STATUS, box.status())


def disarm(box, i, bits, status):
    """Return writes that disable a counter, and clear the box status and the global status."""
    return (*box.write_ctl(i, 0), *box.write_status(status), ("w", 0, GLOBAL_STATUS, bits))


def status_bit(name, i):
    if name.startswith("imc"):
        return 1 if i == FIXED else 2 << i
    return 0 if i == FIXED else 1 << i


@test("hswep-2s", **bare)
def overflow_freezes_and_identifies_its_box(m):
    for name, i, bit in REPORTS:
        box = BOXES[name]
        width = 44 if name.startswith("r3qpi") else 48
        bits = status_bit(name, i)
        assert overflow(m, box, i, width) == [1 << bit, bits], (name, i)
        assert read(m, disarm(box, i, 1 << bit, bits), STATUS, box.status()) == [0, 0], (name, i)
    m.inject("power-on")


@test("hswep-2s", **bare)
def sbox_control_write_sets_one_bit(m):
    def write(*words):
        return [value is None for value in poke(m, *(("w", 0, 0x73e, word) for word in words))]
    assert write(0x3) and poke(m, ("r", 0, 0x73e)) == [0]
    assert not write(0x1, 0x3, 0x10003)     # as Linux does
    assert not write(0x10103, 0x10000) and write(0x10102)
    m.inject("power-on")


@test("hswep-2s", **bare)
def box_controls_have_freeze_and_two_resets(m):
    box = BOXES["ha1"]
    poke(m, *box.write_box(0x30100), *box.write_ctl(0, EN | 1), *box.write_ctr(0, 5))
    assert read(m, box.box(), box.write_box(0x30102), box.ctl(0), box.ctr(0)) == [0x100, EN | 1, 0]
    assert read(m, box.write_box(0x30103), box.ctl(0)) == [0] and rules(m) == []
    m.inject("power-on")


# (box, counter, control without EN, arguments of rates.rate()) on v3; the test sets the filters
CBO_FILTER0, CBO_FILTER1 = 0x15 << 17 | 2 << 6 | 0x2b, 0x182 << 20 | 0x6
MATCH = 0x12345678940
COUNTED = (("cbo0", 0, 0x1134, {"event": 0x34, "umask": 0x11, "state": 0x15}),
           ("cbo0", 1, 0x4134, {"event": 0x34, "umask": 0x41, "state": 0x15}),
           ("cbo0", 2, 0x4037, {"event": 0x37, "umask": 0x40, "nid": 6}),
           ("cbo0", 3, 0x0135, {"event": 0x35, "umask": 1, "opc": 0x182, "link": 2}),
           ("cbo1", 0, 0x4336, {"event": 0x36, "umask": 0x43, "opc": 0x182, "nid": 6}),
           ("cbo1", 2, 0x180037, {"event": 0x37, "tid": 0x2b}),
           ("sbox3", 1, 0x0302, {"event": 0x02, "umask": 3}),
           ("sbox3", 2, 0x01800302, {"event": 0x02, "umask": 3, "thresh": 1, "invert": True}),
           ("ubox0", 0, 0x0041, {"event": 0x41, "tid": 0x2b}),
           ("pcu0", 0, 0x000b, {"event": 0x0b, "bands": (20, 0, 0, 0)}),
           ("pcu0", 1, 0x200060, {"event": 0x160}),
           ("ha1", 2, 0x0320, {"event": 0x20, "umask": 3, "address": MATCH, "opcode": 0x2a}),
           ("ha1", 3, 0x0301, {"event": 1, "umask": 3}),
           ("imc7", 1, 0x08800080, {"event": 0x80, "thresh": 8, "invert": True}),
           ("irp0", 1, 0x0115, {"event": 0x15, "umask": 1}),
           ("qpi2", 0, 0x200102, {"event": 0x102, "umask": 1}),
           ("r2pcie0", 2, 0x01, {"event": 1}), ("r3qpi2", 2, 0x0107, {"event": 7, "umask": 1}))


@test("hswep-2s", **bare)
def count_equals_rate_times_time(m):
    mark = m.truth_length()
    setup = [("w", 0, GLOBAL_CTL, FRZ_ALL), ("w", 0, 0x707, 0x2b), ("w", 0, 0x715, 20),
             ("ew", "7f:12.5", 0x40, MATCH & 0xffffffff), ("ew", "7f:12.5", 0x44, MATCH >> 32),
             ("ew", "7f:12.5", 0x48, 0x2a)]
    for n in (0, 1):
        setup += [("w", 0, 0xe05 + 0x10 * n, CBO_FILTER0), ("w", 0, 0xe06 + 0x10 * n, CBO_FILTER1)]
    for name, i, control, _ in COUNTED:
        setup += BOXES[name].write_ctl(i, EN | control)
    poke(m, *setup, ("w", 0, GLOBAL_CTL, UNFRZ_ALL), ("w", 0, GLOBAL_CTL, FRZ_ALL))
    time = m.truth("freeze", since=mark)[-1]["t"] - m.truth("unfreeze", since=mark)[-1]["t"]
    values = read(m, *(BOXES[name].ctr(i) for name, i, *_ in COUNTED))
    for (name, i, _, arguments), value in zip(COUNTED, values):
        kind = name.rstrip("0123456789")
        rate = rates.rate(kind, int(name[len(kind):]), 0, platform="hswep", **arguments)
        assert value == rate * time // 10**9, (name, i)
    m.inject("power-on")


@test("hswep-2s", **bare)
def pmi_goes_to_the_selected_core(m):
    m.allow("NMI received for unknown reason|Dazed and confused")
    mark = m.truth_length()
    poke(m, *(("w", cpu, DEBUGCTL, 0x2000) for cpu in range(4)), ("w", 2, GLOBAL_CTL, FRZ_ALL),
         *ubox(2).write_ctr(FIXED, preload(1000)), *ubox(2).write_ctl(FIXED, EN | OV_EN),
         ("w", 2, GLOBAL_CTL, UNFRZ_ALL | 1 << 1))
    wait_frozen(m, 1)
    assert [(pmi["cpu"], pmi["result"]) for pmi in m.truth("pmi", since=mark)] == \
        [(3, "delivered")]
    m.wait_until(lambda: "NMI received for unknown reason" in m.dmesg(), what="NMI")
    m.inject("power-on")


@test("hswep-2s", **bare)
def five_free_running_msrs_count_from_reset(m):
    rate_of = {msr: rates.free_running(msr, 1) for msr in (0x3fc, 0x3fd, 0x60d, 0x3f8, 0x3f9)}
    before = m.oracle("state")["t"]
    values = poke(m, *(("r", 2, msr) for msr in rate_of))
    since = [value * 10**9 // rate for value, rate in zip(values, rate_of.values())]
    assert max(since) - min(since) < m.oracle("state")["t"] - before, since
    assert since == sorted(since) and min(since) > 0


# (rule, register writes that violate the rule while the die is frozen), on v3
VIOLATIONS = (("reserved", cbo(0).write_ctl(0, OV_EN)), ("reserved", sbox(0).write_ctl(0, OV_EN)),
              ("reserved", BOXES["irp0"].write_ctl(0, OV_EN)),
              ("reserved", (("w", 0, 0x707, 0x40),)), ("box-ctl", (("w", 0, 0x710, 0x200),)),
              ("status-not-set", (("w", 0, GLOBAL_STATUS, 1 << 34),)),
              ("width", BOXES["r3qpi0"].write_ctr(0, 1 << 44)),
              ("constraint", cbo(0).write_ctl(1, EN | 0x3b)))


@test("hswep-2s", **bare)
def v3_violations_are_detected(m):
    poke(m, ("w", 0, GLOBAL_CTL, FRZ_ALL))
    for rule, commands in VIOLATIONS:
        poke(m, *commands)
        assert rules(m) == [rule], (rule, commands)
    m.inject("power-on")


@test("bdxep-2s", **bare)
def v4_occupancies_exclude_counter_0(m):
    poke(m, ("w", 0, GLOBAL_CTL, FRZ_ALL), *pcu().write_ctl(0, EN | 0x4080))
    assert rules(m) == ["constraint"]
    poke(m, *pcu().write_ctl(1, EN | 0x4080), *cbo(0).write_ctl(1, EN | 0x3b))
    assert rules(m) == []
    m.inject("power-on")


# ---- Properties on which the manuals disagree ----

@test("hswep-1s", settings={"model.box-enables": "yes", "model.cbox-ov-en": "yes",
                            "boxes.ubox-width": "44", "boxes.sbox-width": "48",
                            "model.status-shift": "5"}, **bare)
def uncertain_model_facts_are_configurable(m):
    assert poke(m, ("er", "ff:1e.3", CAPID4))[0] >> 6 & 3 == 0     # two SBOXes
    poke(m, ("w", 0, GLOBAL_CTL, FRZ_ALL), *ubox().write_ctr(0, 1 << 44))
    assert read(m, ubox().ctr(0)) == [0] and rules(m) == ["width"]
    assert read(m, pcu().write_box(0x30100), pcu().box()) == [0x30100] and rules(m) == []
    poke(m, *pcu().write_box(0x100))
    assert rules(m) == ["box-ctl-ones"]
    poke(m, *sbox(1).write_box(0x10000), *sbox(1).write_box(0x30000), *cbo(1).write_box(0x30000))
    m.inject("reset")       # clear the violation of the first step, which sets one bit too few
    for box, bit in ((cbo(1), 4 + 5), (sbox(1), 31 + 5 - 32)):
        assert overflow(m, box, 2, 48) == [1 << bit, 4], bit
        poke(m, *disarm(box, 2, 1 << bit, 4))
    assert rules(m) == []
