# SPDX-License-Identifier: GPL-2.0-only
"""The machine model of Ice Lake-SP and Snow Ridge, register by register: see test_model.py."""

from lab.framework import test
from lab.qemu import rates
from machine.e5regs import EN, FIXED, OV_EN, Msr, ids, read
from machine.registers import bare, peek, poke, preload, rules, wait_frozen
from machine.test_model_skx import FRZ_ALL, UNFRZ_ALL, WK_ON_PMI, Offsets

GLOBAL_CTL, GLOBAL_STATUS, GLOBAL_CONFIG = 0x700, 0x70e, 0x702
STATUS = (("r", 0, GLOBAL_STATUS),), (("r", 0, GLOBAL_STATUS + 1),)
ONES = (1 << 64) - 1
# same options as in test_witness_icx.py, so that the tests share a boot
ICX = {**bare, "perf": True, "settings": {"boxes.cha": "40"}}
SNR = {**bare, "perf": True}
WINDOW = 0xf000000000


class Memory:
    """A channel of a memory controller."""

    box_ctl = 0

    def __init__(self, controller, channel):
        self._at = WINDOW + 0x100000 + 0x40000 * controller + 0x22800 + 0x4000 * channel

    def _ctl_at(self, i):
        return self._at + (0x54 if i == FIXED else 0x40 + 4 * i)

    def _ctr_at(self, i):
        return self._at + (0x38 if i == FIXED else 8 + 8 * i)

    def write_ctl(self, i, value):
        return (("mw", 4, self._ctl_at(i), value),)

    def write_ctr(self, i, value):
        return (("mw", 8, self._ctr_at(i), value),)

    def write_box(self, value):
        return (("mw", 4, self._at, value),)

    def write_status(self, value):
        return (("mw", 4, self._at + 0x5c, value),)

    def ctl(self, i):
        return (("mr", 4, self._ctl_at(i)),)

    def ctr(self, i):
        return (("mr", 8, self._ctr_at(i)),)

    def status(self):
        return (("mr", 4, self._at + 0x5c),)


class M3upi(Offsets):
    """Controls are 4 bytes apart."""

    def __init__(self, function):
        super().__init__(function, 0xa8, 0xd8, 0xa0, 0xf8)

    def _ctl_at(self, i):
        return 0xd8 + 4 * i


def cha(at):
    return Msr(0, at, at + 1, at + 8, status=at + 7)


def stack(at):
    return Msr(0, at, at + 8, at + 1, status=at + 7)


def m2m(function):
    return Offsets(function, 0x440, 0x468, 0x438, 0x4a8)


def upi(function):
    return Offsets(function, 0x320, 0x350, 0x318, 0x37c)


# first and last CHA of each MSR range, and boxes of all other types
BOXES = {"cha0": cha(0xe00), "cha17": cha(0xeee), "cha18": cha(0xf0a), "cha33": cha(0xfdc),
         "cha34": cha(0xb60), "cha39": cha(0xba6),
         **{f"iio{s}": stack(at) for s, at in
            enumerate((0xa50, 0xa70, 0xa90, 0xae0, 0xb00, 0xb20))},
         "irp0": Msr(0, 0xa4a, 0xa4d, 0xa4b, status=0xa4f),
         "irp5": Msr(0, 0xb1a, 0xb1d, 0xb1b, status=0xb1f),
         "m2pcie0": Msr(0, 0xa40, 0xa46, 0xa41, status=0xa45),
         "m2pcie5": Msr(0, 0xb10, 0xb16, 0xb11, status=0xb15),
         "ubox0": Msr(0, None, 0x705, 0x709, status=0x708, fixed=(0x703, 0x704)),
         "pcu0": Msr(0, 0x710, 0x711, 0x717, status=0x716),
         "imc0": Memory(0, 0), "imc2": Memory(0, 2), "imc10": Memory(3, 1),
         "m2m0": m2m("7e:0c.0"), "m2m3": m2m("7e:0f.0"), "upi0": upi("7e:02.1"),
         "upi2": upi("7e:04.1"), "m3upi0": M3upi("7e:05.1"), "m3upi2": M3upi("7e:07.1")}
SNR_BOXES = {"cha0": cha(0x1c00), "cha5": cha(0x1c50), "iio0": stack(0x1e00),
             "iio4": stack(0x1e40), "m2pcie0": stack(0x1e50), "m2pcie4": stack(0x1e90),
             "irp0": Msr(0, 0x1ea0, 0x1ea8, 0x1ea1), "irp4": Msr(0, 0x1ee0, 0x1ee8, 0x1ee1),
             "pcu0": Msr(0, 0x1ef0, 0x1ef1, 0x1ef8),
             "ubox0": Msr(0, None, 0x1f91, 0x1f98, fixed=(0x1f93, 0x1f94)),
             "imc0": Memory(0, 0), "imc1": Memory(0, 1), "m2m0": m2m("ff:0c.0"),
             "pcie30": Offsets("00:04.0", 0x4e8, 0x508, 0x4e0, 0)}

# implemented bits of controls; rst reads 0; ov_en is bit 20
PLAIN, OVERFLOW = 0xffc4ffff, 1 << 20
LEGAL = {"cha": 0x3ffffffffccffff, "iio": 0x7ffffffc4ffff, "pcu": 0xdfc4c0ff}
COUNTERS = {"irp": (0, 1), "ubox": (0, 1, FIXED), "imc": (0, 3, FIXED)}


def kind_of(name):
    return "pcie3" if name == "pcie30" else name.rstrip("0123456789")


def assert_bits(m, boxes, legal):
    """Check the bits of the controls and counters of all boxes; legal: of (type, counter)."""
    at = [(name, i) for name in boxes for i in COUNTERS.get(kind_of(name), (0, 3))]
    m.inject("strict no")
    found = read(m, *(command for name, i in at for box in (boxes[name],) for command in
                      (box.write_ctl(i, ONES if isinstance(box, Msr) else 0xffffffff), box.ctl(i),
                       box.write_ctl(i, 0), box.write_ctr(i, ONES), box.ctr(i))))
    m.inject("power-on")
    m.inject("strict yes")
    wrong = [(name, i, hex(ctl), hex(ctr)) for (name, i), ctl, ctr in
             zip(at, found[::2], found[1::2], strict=True)
             if (ctl, ctr) != (legal(kind_of(name), i), (1 << 48) - 1)]
    assert not wrong, wrong


@test("icx-2s", **ICX)
def controls_and_counters_keep_their_bits(m):
    def legal(kind, i):
        if i == FIXED:
            return 0x500000
        return 0x1fd4ffff if kind == "ubox" else LEGAL.get(kind, PLAIN) | OVERFLOW
    assert_bits(m, BOXES, legal)


@test("snr-1s", **SNR)
def snow_ridge_reports_no_overflow(m):
    assert_bits(m, SNR_BOXES, lambda kind, i: 0x400000 if i == FIXED else LEGAL.get(kind, PLAIN))


UPPER = (("upi2", 0xffffff), ("m2m3", 0xff))


@test("icx-2s", **ICX)
def link_and_mesh_controls_have_two_dwords(m):
    m.inject("strict no")
    for name, bits in UPPER:
        box = BOXES[name]
        assert read(m, box.write_upper(1, 0xffffffff), box.upper(1), box.ctl(1),
                    box.write_ctl(1, 0x420f), box.upper(1)) == [bits, 0, bits], name
    m.inject("power-on")
    m.inject("strict yes")


@test("snr-1s", **SNR)
def root_port_control_has_two_dwords(m):
    box = SNR_BOXES["pcie30"]
    m.inject("strict no")
    assert read(m, box.write_upper(3, 0xffffffff), box.upper(3)) == [0x7fff]
    m.inject("power-on")
    m.inject("strict yes")


FUNCTIONS = {"7e:00.0": 0x3450, "fe:00.0": 0x3450, "7e:00.1": 0x3451, "fe:00.1": 0x3451,
             "7e:02.1": 0x3441, "7e:03.1": 0x3441, "7e:04.1": 0x3441, "7e:05.1": 0x3446,
             "7e:06.1": 0x3446, "7e:07.1": 0x3446, "7e:0c.0": 0x344a, "7e:0d.0": 0x344a,
             "7e:0e.0": 0x344a, "fe:0f.0": 0x344a, "7f:1e.3": 0x345b, "ff:1e.3": 0x345b}


@test("icx-2s", **ICX)
def functions_are_at_their_addresses(m):
    wanted = {at: (device, device) for at, device in FUNCTIONS.items()}
    assert ids(m, wanted) == wanted
    assert poke(m, ("er", "7e:00.0", 0xc0), ("er", "fe:00.0", 0xc0),
                ("er", "fe:00.0", 0xd4)) == [0, 1, 0xfac688]
    fuses = poke(m, ("er", "ff:1e.3", 0x9c), ("er", "ff:1e.3", 0xa0))
    assert sum(bin(word).count("1") for word in fuses) == 40 and all(fuses), fuses
    assert fuses != [0xffffffff, 0xff], "the slices are not the first ones"


@test("snr-1s", **SNR)
def functions_of_snow_ridge_are_at_their_addresses(m):
    wanted = {"ff:00.0": 0x3460, "ff:00.1": 0x3451, "ff:0c.0": 0x344a, "00:04.0": 0x334a}
    assert ids(m, wanted) == {at: (device, device) for at, device in wanted.items()}


def controllers(m, function, count):
    """Return the addresses of memory controllers in a function; None for an absent one."""
    base, *offsets = poke(m, ("er", function, 0xd0),
                          *(("er", function, 0xd8 + 4 * i) for i in range(count)))
    assert base >> 29 and all(offset >> 11 for offset in offsets), "other bits are set, too"
    return [((base & 0x1fffffff) << 23) + ((offset & 0x7ff) << 12) if offset & 0x7ff else None
            for offset in offsets]


@test("icx-2s", **ICX)
def function_holds_the_controller_addresses(m):
    for socket, function in enumerate(("7e:00.1", "fe:00.1")):
        assert controllers(m, function, 4) == [
            WINDOW + (socket << 32) + 0x100000 + 0x40000 * i for i in range(4)]


@test("snr-1s", **SNR)
def absent_controller_has_no_address(m):
    at, absent = controllers(m, "ff:00.1", 2)
    assert (at, absent) == (WINDOW + 0x100000, None)
    # registers that Snow Ridge lacks: persistent memory counter, third channel, status
    assert poke(m, *(("mr", 4, at + offset) for offset in (0x22a0, 0x22a8, 0x2a800, 0x2285c))) == \
        [0xffffffff] * 4


def assert_free(m, at, rate, width=48):
    """Check that values read twice grew at their rate, by the model's own clock."""
    before, first, last, after = (m.oracle("state")["t"], peek(m, *at), peek(m, *at),
                                  m.oracle("state")["t"])
    assert 0 < last - first <= rate * (after - before) // 1000000000 + 1, (at, first, last)
    assert last < 1 << width and abs(last - rate * after // 1000000000) < rate * 5, (at, last)


@test("icx-2s", **ICX)
def free_running_counters_are_at_their_addresses(m):
    for s, (clock, ports) in enumerate(((0xa55, 0xaa0), (0xa75, 0xab0), (0xa95, 0xac0),
                                        (0xae5, 0xb30), (0xb05, 0xb40), (0xb25, 0xb50))):
        assert_free(m, ("r", 0, clock), rates.iio_free_running("clock", s, 0))
        assert_free(m, ("r", 2, ports + 7), rates.iio_free_running("in", s, 1, 7))
        assert_free(m, ("r", 0, ports + 8), rates.iio_free_running("out", s, 0, 0))
    for n, (offset, kind) in enumerate(((0x2290, "read"), (0x2298, "write"), (0x22a0, "pmm_read"),
                                        (0x22a8, "pmm_write"), (0x22b0, "dclk"))):
        at = WINDOW + 0x100000 + 0x40000 * (n % 4) + offset
        assert_free(m, ("mr", 8, at), rates.imc_free_running(kind, n % 4, 0))
    poke(m, ("mw", 4, WINDOW + 0x102290, 0))
    assert rules(m) == ["read-only"]


@test("icx-2s", **ICX)
def absent_registers_fault_or_read_all_ones(m):
    assert poke(m, ("r", 0, 0x701), ("r", 0, 0xe06), ("r", 0, 0xbb4), ("r", 0, 0xefc),
                ("r", 0, 0xa50 + 0xf), ("w", 0, 0xaa0, 0)) == [None] * 6
    assert poke(m, ("r", 0, GLOBAL_CONFIG), ("mr", 4, WINDOW), ("mr", 4, WINDOW + 0x12e800)) == \
        [40, 0xffffffff, 0xffffffff]


@test("snr-1s", **SNR)
def snow_ridge_has_no_global_registers(m):
    assert poke(m, *(("r", 0, msr) for msr in (0x700, 0x1f80, 0x1f81, 0x1f82, 0x1ef5))) == \
        [None] * 5
    assert peek(m, "r", 0, 0x1efc) == 0


@test("icx-2s", **ICX)
def global_control_bits_are_at_the_top(m):
    cores = (1 << 61) - 1
    poke(m, ("w", 0, GLOBAL_CTL, FRZ_ALL | WK_ON_PMI | cores))
    assert peek(m, "r", 0, GLOBAL_CTL) == WK_ON_PMI | cores and rules(m) == []
    assert m.oracle("state")["sockets"][0]["frozen"]
    poke(m, ("w", 0, GLOBAL_CTL, UNFRZ_ALL))
    assert not m.oracle("state")["sockets"][0]["frozen"] and rules(m) == []
    m.inject("power-on")


# (box, counter, bit in the two words of the global status)
REPORTS = (("ubox0", FIXED, 0), ("ubox0", 1, 1), ("pcu0", 3, 2), ("cha0", 0, 3), ("cha39", 3, 42),
           ("imc0", 2, 43), ("imc2", FIXED, 43), ("imc10", 3, 46), ("m2m0", 0, 47), ("m2m3", 1, 50),
           ("upi0", 0, 51), ("upi2", 3, 53), ("m3upi0", 3, 54), ("m3upi2", 0, 56), ("iio0", 3, 64),
           ("irp0", 1, 64), ("iio5", 0, 69), ("m2pcie0", 2, 70), ("m2pcie5", 0, 75))


def status_bit(name, i):
    if name.startswith("imc"):
        return 1 if i == FIXED else 2 << i
    return 0 if i == FIXED else 1 << i


@test("icx-2s", **ICX)
def overflow_freezes_and_identifies_its_box(m):
    for name, i, bit in REPORTS:
        box, word = BOXES[name], bit // 64
        statuses = [1 << bit if not word else 0, 1 << bit - 64 if word else 0]
        bits = status_bit(name, i)
        control = EN | OV_EN | (0 if i == FIXED or box.box_ctl is not None else 0x42)
        poke(m, ("w", 0, GLOBAL_CTL, FRZ_ALL), *box.write_ctr(i, preload(1000)),
             *box.write_ctl(i, control), ("w", 0, GLOBAL_CTL, UNFRZ_ALL | 1))
        wait_frozen(m)
        assert read(m, *STATUS, box.status()) == [*statuses, bits], (name, i)
        poke(m, *box.write_ctl(i, 0), *box.write_status(bits),
             ("w", 0, GLOBAL_STATUS + word, statuses[word]))
        assert read(m, *STATUS, box.status()) == [0, 0, 0], (name, i)
    m.inject("power-on")


def stack_ids(m, *functions):
    """Return the device id of each function, and socket and stack by SAD_CONTROL_CFG."""
    values = poke(m, *(("er", at, reg) for at in functions for reg in (0, 0x3f4)))
    return [(values[2 * n] >> 16, values[2 * n + 1] & 0xf, values[2 * n + 1] >> 4 & 7)
            for n in range(len(functions))]


@test("icx-2s", **ICX)
def stacks_and_links_report_their_ends(m):
    assert stack_ids(m, "00:06.0", "7e:10.0", "80:06.0", "fe:10.0") == \
        [(0x9a2, 0, 0), (0x9a2, 0, 3), (0x9a2, 1, 0), (0x9a2, 1, 3)]
    status, peer, last = poke(m, ("er", "fe:03.1", 0x120), ("er", "fe:03.1", 0x94),
                              ("er", "fe:04.1", 0x120))
    assert (status & 0x10, peer & 0xf1f00, last & 0x10) == (0x10, 0, 0)


@test("snr-1s", **SNR)
def stacks_of_snow_ridge_report_their_numbers(m):
    assert stack_ids(m, "00:06.0", "ff:10.0") == [(0x9a2, 0, 0), (0x9a2, 0, 4)]
