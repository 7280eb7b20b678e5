# SPDX-License-Identifier: GPL-2.0-only
"""The machine model of Skylake-SP and Cooper Lake, register by register: see test_model.py."""

from lab.framework import test
from lab.qemu import rates
from machine.e5regs import EN, FIXED, OV_EN, Msr, Pci, ids, read
from machine.registers import bare, poke, preload, rules, wait_frozen

GLOBAL_CTL, GLOBAL_STATUS, GLOBAL_CONFIG = 0x700, 0x701, 0x702
FRZ_ALL, WK_ON_PMI, UNFRZ_ALL = 1 << 63, 1 << 62, 1 << 61
STATUS = (("r", 0, GLOBAL_STATUS),)
CAPID6 = 0x9c
RST = 1 << 17
# same options as in test_witness_skx.py, so that the tests share a boot
ONE_BOOT = {**bare, "perf": True}


class Offsets(Pci):
    """A PCI box with other register offsets; controls are 8 bytes apart."""

    def __init__(self, function, ctr0, ctl0, box_ctl, status):
        super().__init__(function)
        self.box_ctl, self._ctr0, self._ctl0, self._status = box_ctl, ctr0, ctl0, status

    def _ctl_at(self, i):
        return self._ctl0 + 8 * i

    def _ctr_at(self, i):
        return self._ctr0 + 8 * i

    def write_box(self, value):
        return (("ew", self._at, self.box_ctl, value),)

    def write_status(self, value):
        return (("ew", self._at, self._status, value),)

    def status(self):
        return (("er", self._at, self._status),)

    def upper(self, i):
        """Return the read of the second dword of a control."""
        return (("er", self._at, self._ctl_at(i) + 4),)

    def write_upper(self, i, value):
        return (("ew", self._at, self._ctl_at(i) + 4, value),)


def cha(n, cpu=0):
    at = 0xe00 + 0x10 * n
    return Msr(cpu, at, at + 1, at + 8, status=at + 7)


def iio(n):
    at = 0xa40 + 0x20 * n
    return Msr(0, at, at + 8, at + 1, status=at + 7)


def irp(n):
    at = 0xa58 + 0x20 * n
    return Msr(0, at, at + 3, at + 1, status=at + 7)


def m2m(function):
    return Offsets(function, 0x200, 0x228, 0x258, 0x260)


def upi(function):
    return Offsets(function, 0x318, 0x350, 0x378, 0x37c)


BOXES = {"cha0": cha(0), "cha3": cha(3), "iio0": iio(0), "iio5": iio(5), "irp0": irp(0),
         "irp5": irp(5), "ubox0": Msr(0, None, 0x705, 0x709, status=0x708, fixed=(0x703, 0x704)),
         "pcu0": Msr(0, 0x710, 0x711, 0x717, status=0x716), "imc0": Pci("7f:0a.2"),
         "imc2": Pci("7f:0b.2"), "imc4": Pci("7f:0c.6"), "m2m0": m2m("7f:08.0"),
         "m2m1": m2m("7f:09.0"), "upi0": upi("7f:0e.0"), "upi2": upi("7f:10.0"),
         "m3upi0": Pci("7f:12.1"), "m3upi2": Pci("7f:12.5"), "m2pcie0": Pci("7f:15.1"),
         "m2pcie3": Pci("7f:16.5")}

# implemented bits of controls; rst (bit 17, and bit 19 of iMC's fixed control) reads 0
PLAIN = 0xffd6ffff
LEGAL = {"cha": 0xffdeffff, "iio": 0x7fffffd6ffff, "ubox": 0x1fd6ffff, "pcu": 0xdfd6c0ff}
LEGAL_FIXED = {"ubox": 0x500000, "imc": 0xd00000}
COUNTERS = {"irp": (0, 1), "ubox": (0, 1, FIXED), "m3upi": (0, 2), "imc": (0, 3, FIXED)}


def kind_of(name):
    return name.rstrip("0123456789")


def legal(name, i):
    kind = kind_of(name)
    return LEGAL_FIXED[kind] if i == FIXED else LEGAL.get(kind, PLAIN) & ~RST


@test("skx-2s", **ONE_BOOT)
def controls_and_counters_keep_their_bits(m):
    m.inject("strict no")
    for name, box in BOXES.items():
        for i in COUNTERS.get(kind_of(name), (0, 3)):
            ones = (1 << 64) - 1 if isinstance(box, Msr) else 0xffffffff
            found = read(m, box.write_ctl(i, ones), box.ctl(i), box.write_ctl(i, 0),
                         box.write_ctr(i, (1 << 64) - 1), box.ctr(i))
            assert found == [legal(name, i), (1 << 48) - 1], (name, i, [hex(f) for f in found])
    m.inject("power-on")
    m.inject("strict yes")


@test("skx-2s", **ONE_BOOT)
def upi_control_has_two_dwords(m):
    box = BOXES["upi2"]
    m.inject("strict no")
    assert read(m, box.write_upper(1, 0xffffffff), box.upper(1), box.ctl(1),
                box.write_ctl(1, 0x420f), box.upper(1)) == [0xffefff, 0, 0xffefff]
    m.inject("power-on")
    m.inject("strict yes")


FUNCTIONS = {"00:08.0": 0x2014, "80:08.0": 0x2014, "7f:08.0": 0x2066, "7f:09.0": 0x2066,
             "7f:0a.2": 0x2042, "7f:0a.6": 0x2046, "7f:0b.2": 0x204a, "7f:0c.2": 0x2042,
             "7f:0c.6": 0x2046, "7f:0d.2": 0x204a, "7f:0e.0": 0x2058, "7f:0f.0": 0x2058,
             "7f:10.0": 0x2058, "7f:12.1": 0x204d, "7f:12.2": 0x204e, "7f:12.5": 0x204d,
             "7f:15.1": 0x2088, "7f:16.1": 0x2088, "7f:17.1": 0x2088, "7f:16.5": 0x2088,
             "7f:1e.3": 0x2083, "ff:1e.3": 0x2083}


@test("skx-2s", **ONE_BOOT)
def functions_are_at_their_addresses(m):
    wanted = {at: (device, device) for at, device in FUNCTIONS.items()}
    assert ids(m, wanted) == wanted
    assert poke(m, ("er", "00:08.0", 0xc0), ("er", "80:08.0", 0xc0),
                ("er", "80:08.0", 0xd4)) == [0, 1, 0xfac688]
    fuses = poke(m, ("er", "7f:1e.3", CAPID6))[0]
    assert bin(fuses & 0xfffffff).count("1") == 4 and fuses >> 28, hex(fuses)
    assert fuses & 0xfffffff != 0xf, "the slices are not the first ones"


@test("cpx-1s", **ONE_BOOT)
def cooper_lake_has_six_links(m):
    found = ids(m, ("ff:0e.4", "ff:10.4", "ff:13.1", "ff:14.2"))
    assert list(found.values()) == [(low, low) for low in (0x2058, 0x2058, 0x204d, 0x204e)], found
    assert poke(m, ("er", "ff:12.5", 0)) == [0xffffffff]


@test("skx-2s", **ONE_BOOT)
def absent_msrs_fault(m):
    assert poke(m, ("r", 0, 0x707), ("r", 0, 0x70b), ("r", 0, 0xe40), ("r", 0, 0xa46),
                ("w", 0, 0xb00, 0), ("r", 0, 0xb60)) == [None] * 6
    assert poke(m, ("r", 0, GLOBAL_CONFIG), ("r", 2, GLOBAL_CONFIG), ("r", 0, 0xe3b)) == [4, 4, 0]


@test("skx-2s", **ONE_BOOT)
def global_control_bits_are_at_the_top(m):
    cores = (1 << 48) - 1
    poke(m, ("w", 0, GLOBAL_CTL, FRZ_ALL | WK_ON_PMI | cores))
    assert poke(m, ("r", 0, GLOBAL_CTL)) == [WK_ON_PMI | cores] and rules(m) == []
    assert m.oracle("state")["sockets"][0]["frozen"]
    # the unfreeze bit of E5-2600 selects a core here, so that the die stays frozen
    poke(m, ("w", 0, GLOBAL_CTL, 0x20000000))
    assert m.oracle("state")["sockets"][0]["frozen"]
    poke(m, ("w", 0, GLOBAL_CTL, UNFRZ_ALL))
    assert not m.oracle("state")["sockets"][0]["frozen"] and rules(m) == []
    poke(m, ("w", 0, GLOBAL_CTL, 1 << 48))
    assert rules(m) == ["reserved"]
    m.inject("power-on")


# (box, counter, bit in the global status)
REPORTS = (("ubox0", FIXED, 0), ("ubox0", 1, 1), ("pcu0", 3, 2), ("cha0", 0, 3), ("cha3", 3, 6),
           ("imc0", 2, 39), ("imc2", FIXED, 39), ("imc4", 3, 40), ("upi0", 0, 41), ("upi2", 3, 43),
           ("m3upi0", 2, 46), ("iio0", 3, 56), ("irp0", 1, 56), ("iio5", 0, 61), ("m2m0", 1, 62),
           ("m2m1", 0, 63))


def status_bit(name, i):
    if name.startswith("imc"):
        return 1 if i == FIXED else 2 << i
    return 0 if i == FIXED else 1 << i


@test("skx-2s", **ONE_BOOT)
def overflow_freezes_and_identifies_its_box(m):
    for name, i, bit in REPORTS:
        box = BOXES[name]
        bits = status_bit(name, i)
        control = EN | OV_EN | (0 if i == FIXED or box.box_ctl else 0x42)
        poke(m, ("w", 0, GLOBAL_CTL, FRZ_ALL), *box.write_ctr(i, preload(1000)),
             *box.write_ctl(i, control), ("w", 0, GLOBAL_CTL, UNFRZ_ALL | 1))
        wait_frozen(m)
        assert read(m, STATUS, box.status()) == [1 << bit, bits], (name, i)
        poke(m, *box.write_ctl(i, 0), *box.write_status(bits),
             ("w", 0, GLOBAL_STATUS, 1 << bit))
        assert read(m, STATUS, box.status()) == [0, 0], (name, i)
    m.inject("power-on")


@test("skx-2s", **ONE_BOOT)
def free_running_counters_have_36_bits(m):
    """They count from reset and wrap; the fastest clock wraps every 137 s."""
    clock, rate = 0xa45 + 5 * 0x20, rates.iio_free_running("clock", 5, 0)
    first, last = (poke(m, ("r", 0, clock))[0] for _ in range(2))
    assert (last - first) % (1 << 36) < 20 * rate and max(first, last) < 1 << 36, (first, last)
    ports = poke(m, *(("r", 0, 0xb00 + 0x10 * s + p) for s in range(6) for p in range(16)))
    assert all(ports) and max(ports) < 1 << 36, ports


@test("skx-2s", **ONE_BOOT)
def stacks_and_links_report_their_ends(m):
    valid = 1 << 63
    assert poke(m, ("r", 0, 0x300), ("r", 2, 0x300)) == \
        [valid | 0x107f080400, valid | 0x90ff888480]
    assert poke(m, ("w", 0, 0x300, 0)) == [] and rules(m) == ["read-only"]
    # link 0 to link 1 of the other socket, link 2 not trained; the rest is noise
    ends = poke(m, *(("er", f"{bus}:{device}.0", reg) for bus in ("7f", "ff")
                     for device in ("0e", "0f", "10") for reg in (0x120, 0x94)))
    assert [status & 0x10 for status in ends[::2]] == [0x10, 0x10, 0] * 2, ends
    assert [peer & 0xf1f00 for peer in ends[1::2]] == [0x10100, 0x10000, 0, 0x100, 0, 0], ends
