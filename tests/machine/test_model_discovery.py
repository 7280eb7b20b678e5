# SPDX-License-Identifier: GPL-2.0-only
"""The machine model's discovery platforms, register by register, without any driver.

These are the properties in qemu/README.md: table, three kinds of access, overflow, strict mode.
test_witness_discovery.py compares the model with Linux's own driver.
"""

from lab.framework import test
from lab.qemu import rates
from machine.registers import bare, peek, poke, preload, rules, wait_frozen

MSR, MMIO, PCI = 0, 1, 2
GLOBAL_CTL, GLOBAL_STATUS, CHA_COUNT = 0x2ff0, 0x2ff2, 0x2ffe
FRZ, RST, INIT = 0x1, 0x300, 0x301
OV_EN, RST_CTR, EDGE, TID_EN = 1 << 20, 1 << 17, 1 << 18, 1 << 16
INVERT, FIXED_EN = 1 << 23, 1 << 22
# The first MSR of a box: control, +1 status, +2 controls, +8 counters
CHA0, IIO0, IRP0, M2PCIE0, PCU0, UBOX0, MDF0 = \
    0x2000, 0x3000, 0x3400, 0x3200, 0x2fc0, 0x2fd0, 0x2800
MSR_STATUS, MSR_CTL, MSR_CTR, FILTER0 = 1, 2, 8, 0xe
# memory: offsets from the box control
WINDOW, WINDOW_SIZE = 0xf000000000, 0x100000000
IMC0, CXLCM0, CXLDP0 = 0xa2800, 0x20000000, 0x28000000
IMC_STATUS, IMC_CTL, IMC_CTR, IMC_FIXED_CTL, IMC_FIXED_CTR = 0x5c, 0x40, 8, 0x54, 0x38
# PCI: function, config offset of the box control
UPI0, M3UPI0, M2M0 = ("01.1", 0x318), ("05.1", 0xa0), ("0c.0", 0x438)
TABLE = "00.4"
PMON_DVSEC = 0x130
FIRST_CPU = (0, 2)          # for each socket of spr-2s
ONLY_SOCKET = 1             # bus of a single socket, as of socket 1: the uncore bus is ffh


def imc(channel, socket=0):
    return WINDOW + WINDOW_SIZE * socket + IMC0 + channel % 2 * 0x8000 + channel // 2 * 0x80000


def function(slot, socket=0):
    return f"{(0x7f, 0xff)[socket]:02x}:{slot}"


def clean(m, socket=0):
    """Freeze a die, disable its counters, clear its status and reset the model's access counts."""
    cpu = FIRST_CPU[socket]
    commands = [("w", cpu, GLOBAL_CTL, FRZ)]
    for box in (CHA0, CHA0 + 0x10, IIO0, PCU0, UBOX0):
        commands += [("w", cpu, box, INIT), ("w", cpu, box + MSR_STATUS, 0xf)]
    commands += [("mw", 4, imc(0, socket), INIT), ("mw", 4, imc(0, socket) + IMC_STATUS, 0x1f)]
    for slot, base in (UPI0, M2M0):
        commands.append(("ew", function(slot, socket), base, INIT))
    commands.append(("w", cpu, GLOBAL_STATUS, 0x1ffffff))
    commands += [("w", cpu, box, 0) for box in (CHA0, CHA0 + 0x10, IIO0, PCU0, UBOX0)]
    commands += [("mw", 4, imc(0, socket), 0), ("ew", function(UPI0[0], socket), UPI0[1], 0),
                 ("ew", function(M2M0[0], socket), M2M0[1], 0)]
    poke(m, *commands)
    m.inject("reset")


def counter(m, box, ctr, socket=0):
    return next(c for c in m.oracle("counters")["sockets"][socket]
                if (c["box"], c["ctr"]) == (box, ctr))


# ---- The table ----

def bar(m, where, number=0):
    """Return the address in a BAR of 32 or 64 bits."""
    low = peek(m, "er", where, 0x10 + 4 * number)
    high = peek(m, "er", where, 0x14 + 4 * number) if low & 6 == 4 else 0
    return high << 32 | low & ~0xf


def table(m, socket=0, number=0, offset=0, records=None, stride=4):
    """Return the records of the table as lists of words."""
    base = bar(m, function(TABLE, socket), number) + offset
    if records is None:
        records = 1 + (peek(m, "mr", 8, base) >> 16 & 0x3ff)
    words = poke(m, ("md", base, records * stride))
    return [words[i * stride:(i + 1) * stride] for i in range(records)]


def pci_address(bus, slot, offset):
    dev, fn = slot.split(".")
    return bus << 20 | int(dev, 16) << 15 | int(fn) << 12 | offset


def unit(access, address, kind, instance, position, *, regs=4, ctl=2, ctr=8, status=1):
    return [access << 62 | status << 32 | ctr << 24 | 48 << 16 | ctl << 8 | regs, address,
            position << 32 | instance << 16 | kind, 0]


def spr_2s_units(socket):
    """Return the units of scenario spr-2s: type, instance, access, address and layout."""
    window = WINDOW + WINDOW_SIZE * socket
    bus = (0x7f, 0xff)[socket]
    upi = {"ctl": 0x38, "status": 0x60}
    listed = [(0, MSR, CHA0 + 0x10 * i, i, {}) for i in range(4)]
    listed += [(1, MSR, IIO0 + 0x10 * i, i, {}) for i in range(2)]
    listed += [(2, MSR, IRP0 + 0x10 * i, i, {"regs": 2}) for i in range(2)]
    listed += [(3, MSR, M2PCIE0 + 0x10 * i, i, {}) for i in range(2)]
    listed += [(4, MSR, PCU0, 0, {}), (5, MSR, UBOX0, 0, {"regs": 2})]
    listed += [(6, MMIO, imc(i, socket), i, {"ctl": 0x40, "status": 0x5c}) for i in range(4)]
    listed += [(7, PCI, pci_address(bus, slot, 0x438), i, {"ctl": 0x30, "status": 0x50})
               for i, slot in enumerate(("0c.0", "0d.0"))]
    listed += [(8, PCI, pci_address(bus, slot, 0x318), i, upi)
               for i, slot in enumerate(("01.1", "02.1"))]
    listed += [(9, PCI, pci_address(bus, slot, 0xa0), i, upi)
               for i, slot in enumerate(("05.1", "06.1"))]
    listed += [(11, MSR, MDF0, 0, {}),
               (12, MMIO, window + CXLCM0, 0, {"regs": 8, "ctl": 0x48, "status": 0x90}),
               (13, MMIO, window + CXLDP0, 0, {"ctl": 0x28, "status": 0x50})]
    return [unit(access, address, kind, instance, position, **layout)
            for position, (kind, access, address, instance, layout) in enumerate(listed)]


@test("spr-2s", **bare)
def discovery_table_matches_the_specification(m):
    for socket in (0, 1):
        units = spr_2s_units(socket)
        assert table(m, socket) == \
            [[len(units) << 16 | 4 << 8, GLOBAL_CTL, len(units) << 8 | 2, 0], *units]


@test("spr-2s", **bare)
def discovery_function_has_a_dvsec(m):
    where = function(TABLE)
    assert peek(m, "er", where, 0) == 0x09a78086
    assert [peek(m, "er", where, 0x100 + 4 * i) for i in (0, 4, 5, 6)] == \
        [0x11010018, 0x13010023, 0x01018086, 0x04010002]
    assert [peek(m, "er", where, PMON_DVSEC + 4 * i) for i in range(4)] == \
        [0x00010023, 0x01018086, 0x04010001, 0]
    assert peek(m, "er", where, 0x10) & 0xf == 4
    nodes = [m.sh(f"cat /sys/bus/pci/devices/0000:{function(TABLE, s)}/numa_node") for s in (0, 1)]
    assert nodes == ["0", "1"]
    ubox = [poke(m, *(("er", function("00.0", s), offset) for offset in (0, 0xc0, 0xd4)))
            for s in (0, 1)]
    assert ubox == [[0x32508086, 0, 0xfac688], [0x32508086, 1, 0xfac688]]


@test("spr-2s", settings={
    "discovery.bar": "3", "discovery.bar-type": "32", "discovery.prefetchable": "yes",
    "discovery.offset": "0x1000", "discovery.stride": "6", "discovery.max-units": "3",
    "discovery.record.2.0": "0", "discovery.1:record.3.1": "0x1a0", "discovery.global.1": "7",
    "discovery.config.0x138": "0xdead0001", "discovery.cha-count": "2",
    "discovery.upi-table": "absent", "discovery.append.1": "1 2 3"}, **bare)
def forged_table_is_presented_unchanged(m):
    assert poke(m, ("er", function(TABLE), 0x1c), ("er", function(TABLE), PMON_DVSEC + 8),
                ("er", function(TABLE), PMON_DVSEC + 12))[1:] == [0xdead0001, 0x1003]
    assert peek(m, "er", function(TABLE), 0x1c) & 0xf == 8
    assert poke(m, ("er", function(TABLE), 0x10), ("r", 0, CHA_COUNT)) == [0, 2]
    for socket in (0, 1):
        units = [u for u in spr_2s_units(socket) if u[2] & 0xffff not in (8, 9)] + [[1, 2, 3, 0]]
        units[1][0] = 0
        if socket:
            units[2][1] = 0x1a0
        found = table(m, socket, number=3, offset=0x1000, stride=6, records=len(units) + 1)
        assert found[0][:3] == [3 << 16 | 6 << 8, 7, 25 << 8 | 2]
        assert [record[:4] for record in found[1:]] == units
        assert not any(any(record[4:]) for record in found)
    assert peek(m, "er", function(UPI0[0]), 0) == 0x32418086


@test("spr-2s", settings={"discovery.second-table": "yes", "discovery.upi-table": "wrong",
                          "discovery.chain": "loop"}, **bare)
def second_table_has_the_memory_units(m):
    units = spr_2s_units(0)
    first, second = table(m), table(m, number=2)
    assert [record[0] >> 62 for record in first[1:]].count(MMIO) == 0
    assert second[1:] == [u for u in units if u[0] >> 62 == MMIO]
    assert second[0][1:] == first[0][1:]
    assert [record[1] for record in first if record[2] & 0xffff in (8, 9)] == [0xf8040] * 4
    assert poke(m, ("er", function(TABLE), PMON_DVSEC), ("er", function(TABLE), 0x150),
                ("er", function(TABLE), 0x15c)) == [0x15010023, 0x10010023, 2]


@test("spr-2s", settings={"discovery.memory-decode": "no"}, **bare)
def memory_decode_can_be_off(m):
    where = function(TABLE)
    assert not peek(m, "er", where, 4) & 2
    assert table(m, records=1)[0][0] != 25 << 16 | 4 << 8
    poke(m, ("ew", where, 4, peek(m, "er", where, 4) | 2))
    assert table(m, records=1)[0][0] == 25 << 16 | 4 << 8


@test("spr-2s", settings={"discovery.0:asleep": "yes", "faults.hide": "1:discovery imc1 cha2",
                          "discovery.chain": "broken", "discovery.chain-at": "before"}, **bare)
def table_can_read_all_ones_or_be_hidden(m):
    assert table(m, records=1) == [[(1 << 64) - 1] * 4]
    assert function(TABLE, 1) not in m.sh("ls /sys/bus/pci/devices")
    assert poke(m, ("er", function(TABLE), 0x110), ("er", function(TABLE), 0xa00)) == \
        [0xa0010023, 0xdeadbeef]
    assert poke(m, ("r", 0, CHA0 + 0x20), ("r", 0, CHA0 + 0x30), ("mr", 4, imc(1))) == \
        [None, 0, 0xffffffff]


@test("spr-1s", settings={"discovery.bar-type": "bad", "discovery.chain": "low",
                          "discovery.global-access": "pci"}, **bare)
def bad_bar_and_config_space_globals_are_presented(m):
    where = function(TABLE, ONLY_SOCKET)
    assert poke(m, ("er", where, PMON_DVSEC), ("er", where, 0x10))[0] == 0x04010023
    assert peek(m, "er", where, 0x10) & 0xf == 2
    at = function("00.5", ONLY_SOCKET)
    poke(m, ("ew", at, 0x400, FRZ), ("w", 0, UBOX0 + 0xf, preload(100)),
         ("w", 0, UBOX0 + 0xe, FIXED_EN | OV_EN))
    assert poke(m, ("er", at, 0x400), ("r", 0, GLOBAL_CTL)) == [FRZ, None]
    poke(m, ("ew", at, 0x404, 0), ("ew", at, 0x400, 0))
    wait_frozen(m)
    assert poke(m, ("er", at, 0x408), ("er", at, 0x40c)) == [1 << 6, 0]
    poke(m, ("w", 0, UBOX0 + MSR_STATUS, 4), ("ew", at, 0x408, 1 << 6))
    assert peek(m, "er", at, 0x408) == 0


@test("spr-2s", settings={"discovery.0:bar-type": "io", "discovery.0:chain": "self",
                          "discovery.1:chain": "misaligned", "discovery.1:chain-at": "before",
                          "discovery.1:bar-size": "0x1000", "discovery.1:offset": "0xf80",
                          "discovery.1:stride": "2", "discovery.1:max-units": "0"}, **bare)
def sockets_can_have_different_tables(m):
    assert poke(m, ("er", function(TABLE), 0x10), ("er", function(TABLE), PMON_DVSEC))[1] == \
        0x13010023
    assert peek(m, "er", function(TABLE), 0x10) & 3 == 1
    where = function(TABLE, 1)
    assert poke(m, ("er", where, 0x110), ("er", where, PMON_DVSEC + 12)) == [0x13210023, 0xf80]
    units = [record[:2] for record in spr_2s_units(1)]
    assert table(m, 1, offset=0xf80, stride=2, records=8) == \
        [[2 << 8, GLOBAL_CTL], *units[:7]]


# ---- Counting ----

def program(m, socket):
    """Program one counter of each kind of box; return (box, counter, rate of the model) of each."""
    cpu, upi, m2m = FIRST_CPU[socket], function(UPI0[0], socket), function(M2M0[0], socket)
    poke(m, ("w", cpu, CHA0 + FILTER0, 0x155), ("w", cpu, CHA0 + MSR_CTL, 0xc817fe00000135),
         ("w", cpu, CHA0 + MSR_CTL + 1, TID_EN | 0xff34),
         ("w", cpu, IIO0 + MSR_CTL, 7 << 48 | 0xff << 36 | 0x483),
         ("w", cpu, IIO0 + MSR_CTL + 3, 1 << 36 | 0x1c0),
         ("w", cpu, PCU0 + MSR_CTL + 1, 0x35), ("w", cpu, UBOX0 + 0xe, FIXED_EN),
         ("mw", 4, imc(0, socket) + IMC_CTL + 8, 0xcf05),
         ("mw", 4, imc(0, socket) + IMC_FIXED_CTL, FIXED_EN),
         ("mw", 4, imc(0, socket) + IMC_CTL, 8 << 24 | 0x80),
         ("mw", 4, imc(0, socket) + IMC_CTL + 4, INVERT | 8 << 24 | 0x80),
         ("ew", upi, UPI0[1] + 0x38 + 4, 0x123), ("ew", upi, UPI0[1] + 0x38, 0x0f02),
         ("ew", m2m, M2M0[1] + 0x30 + 24, EDGE | 0x24))
    wanted = {("cha0", 0): {"event": 0x35, "umask": 1, "umask_ext": 0xc817fe},
              ("cha0", 1): {"event": 0x34, "umask": 0xff, "tid": 0x155},
              ("iio0", 0): {"event": 0x83, "umask": 4, "ch_mask": 0xff, "fc_mask": 7},
              ("iio0", 3): {"event": 0xc0, "umask": 1, "ch_mask": 1},
              ("pcu0", 1): {"event": 0x35}, ("ubox0", "fixed"): {"fixed": True},
              ("imc0", 2): {"event": 5, "umask": 0xcf}, ("imc0", "fixed"): {"fixed": True},
              ("imc0", 0): {"event": 0x80, "thresh": 8},
              ("imc0", 1): {"event": 0x80, "thresh": 8, "invert": True},
              ("upi0", 0): {"event": 2, "umask": 0xf, "umask_ext": 0x123},
              ("m2m0", 3): {"event": 0x24, "edge": True}}
    return {key: rates.rate(key[0][:-1], 0, socket, platform="spr", **arguments)
            for key, arguments in wanted.items()}


@test("spr-2s", **bare)
def count_equals_rate_times_time(m):
    for socket in (0, 1):
        cpu, upi = FIRST_CPU[socket], function(UPI0[0], socket)
        clean(m, socket)
        wanted = program(m, socket)
        counters = m.oracle("counters")["sockets"][socket]
        assert {(c["box"], c["ctr"]): c["rate"] for c in counters if c["rate"]} == wanted
        mark = m.truth_length()
        poke(m, ("w", cpu, GLOBAL_CTL, 0), ("w", cpu, GLOBAL_CTL, FRZ))
        time = m.truth("freeze", since=mark)[-1]["t"] - m.truth("unfreeze", since=mark)[-1]["t"]
        counts = {key: rate * time // 10**9 for key, rate in wanted.items()}
        assert poke(m, ("r", cpu, CHA0 + MSR_CTR), ("r", cpu, UBOX0 + 0xf),
                    ("mr", 8, imc(0, socket) + IMC_CTR + 16),
                    ("mr", 4, imc(0, socket) + IMC_FIXED_CTR),
                    ("er", upi, UPI0[1] + 8), ("er", upi, UPI0[1] + 12)) == \
            [counts["cha0", 0], counts["ubox0", "fixed"], counts["imc0", 2],
             counts["imc0", "fixed"], counts["upi0", 0], 0]
        clean(m, socket)


@test("spr-2s", **bare)
def controls_read_back_and_reset_clears_them(m):
    clean(m)
    upi = function(UPI0[0])
    poke(m, ("w", 0, CHA0 + MSR_CTL, 0xfedcba98ff540000 | RST_CTR | 0x1234),
         ("ew", upi, UPI0[1] + 0x38, 0x1202), ("ew", upi, UPI0[1] + 0x3c, 0xabcdef))
    assert poke(m, ("r", 0, CHA0 + MSR_CTL), ("er", upi, UPI0[1] + 0x38),
                ("er", upi, UPI0[1] + 0x3c)) == [0xfedcba98ff541234, 0x1202, 0xabcdef]
    m3upi = function(M3UPI0[0])
    poke(m, ("pw", m3upi, M3UPI0[1], FRZ), ("pw", m3upi, M3UPI0[1] + 8, 0x1234))
    assert poke(m, ("er", m3upi, M3UPI0[1]), ("pr", m3upi, M3UPI0[1] + 8)) == [1, 0x1234]
    poke(m, ("w", 0, CHA0, RST), ("ew", upi, UPI0[1], 0x100), ("pw", m3upi, M3UPI0[1], 0x200))
    assert poke(m, ("r", 0, CHA0), ("r", 0, CHA0 + MSR_CTL), ("er", upi, UPI0[1] + 0x38),
                ("er", upi, UPI0[1] + 0x3c), ("pr", m3upi, M3UPI0[1] + 8)) == [0] * 5
    poke(m, ("pw", m3upi, M3UPI0[1], 0))
    clean(m)


@test("spr-2s", **bare)
def box_freeze_stops_one_box(m):
    clean(m)
    poke(m, ("w", 0, CHA0, FRZ), ("w", 0, CHA0 + MSR_CTL, 1), ("w", 0, PCU0 + MSR_CTL, 1),
         ("w", 0, GLOBAL_CTL, 0))
    m.wait_until(lambda: counter(m, "pcu0", 0)["value"] > 0)
    assert counter(m, "cha0", 0)["value"] == 0
    poke(m, ("w", 0, CHA0, 0))
    m.wait_until(lambda: counter(m, "cha0", 0)["value"] > 0)
    clean(m)


@test("spr-2s", **bare)
def memory_accepts_4_and_8_byte_accesses(m):
    clean(m)
    at = imc(0)
    poke(m, ("mw", 8, at + IMC_CTR, 0x123456789abc), ("mw", 4, at + IMC_CTR + 8, 0x11223344),
         ("mw", 4, at + IMC_CTR + 12, 0x5566), ("mw", 8, at + IMC_CTL, 0x0605 << 32 | 0x0405))
    assert poke(m, ("mr", 4, at + IMC_CTR), ("mr", 4, at + IMC_CTR + 4),
                ("mr", 8, at + IMC_CTR + 8),
                ("mr", 4, at + IMC_CTL), ("mr", 4, at + IMC_CTL + 4), ("mr", 8, at + IMC_CTL),
                ("mr", 2, at + IMC_CTR), ("mr", 4, at + 0x400)) == \
        [0x56789abc, 0x1234, 0x556611223344, 0x405, 0x605, 0x60500000405, 0x9abc, 0xffffffff]
    found = m.oracle("accesses")["sockets"][0]
    assert (found["boxes"]["imc0"]["mmio_read"], found["boxes"]["imc0"]["mmio_write"]) == (7, 4)
    assert found["total"]["all"] == 11
    clean(m)


@test("spr-2s", **bare)
def free_running_counters_never_stop(m):
    """They also count while the die is frozen. A suspend in an earlier test zeroes them."""
    def reading(cpu):
        before = m.oracle("state")["t"]
        values = poke(m, ("r", cpu, 0x340e + 0x10), ("r", cpu, 0x3803), ("r", cpu, 0x3808 + 0x17))
        return before, values, m.oracle("state")["t"]

    clean(m)
    for cpu, socket in ((0, 0), (2, 1)):
        first, then = reading(cpu), reading(cpu)
        least, most = then[0] - first[2], then[2] - first[0]
        for early, late, rate in zip(first[1], then[1],
                                     (rates.iio_free_running("clock", 1, socket),
                                      rates.iio_free_running("in", 0, socket, 3),
                                      rates.iio_free_running("out", 1, socket, 7))):
            assert rate * least // 10**9 - 1 <= late - early <= rate * most // 10**9 + 1, \
                (early, late, rate)
            assert early <= rate * first[2] // 10**9, (early, rate)
    assert poke(m, ("r", 0, 0x3820), ("w", 0, 0x3800, 0)) == [None, None]


# ---- Overflow ----

def overflow(m, increments=28000000):
    """Let the UBox's fixed counter of socket 1 overflow; return the unfreeze and the freeze."""
    mark = m.truth_length()
    poke(m, ("w", 2, UBOX0 + 0xf, preload(increments)), ("w", 2, UBOX0 + 0xe, FIXED_EN | OV_EN),
         ("w", 2, GLOBAL_CTL, 0))
    wait_frozen(m, 1)
    return m.truth("unfreeze", since=mark)[-1], m.truth("freeze", since=mark)[-1]


@test("spr-2s", **bare)
def overflow_freezes_at_the_exact_time(m):
    clean(m, 1)
    rate = rates.rate("ubox", 0, 1, fixed=True, platform="spr")
    unfreeze, freeze = overflow(m, rate // 100)
    assert freeze["t"] - unfreeze["t"] == 10000000
    assert freeze["cause"] == ["ubox0.fixed"] and freeze["reason"] == "overflow"
    assert poke(m, ("r", 2, UBOX0 + 0xf), ("r", 2, GLOBAL_CTL), ("r", 2, GLOBAL_STATUS),
                ("r", 2, UBOX0 + MSR_STATUS), ("r", 0, GLOBAL_STATUS)) == \
        [0, FRZ, 1 << 11, 1 << 2, 0]
    assert not any(cpu["pmi_sent"] for cpu in m.oracle("cpus")["cpus"])
    clean(m, 1)


@test("spr-2s", settings={"rates.imc.*.0.fixed": "1000000", "rates.upi.1.0.4.0": "500000",
                          "rates.cha.3.0.5.0": "250000"}, **bare)
def simultaneous_carries_make_one_freeze(m):
    clean(m)
    mark = m.truth_length()
    upi = function("02.1")
    for channel in (0, 3):
        poke(m, ("mw", 8, imc(channel) + IMC_FIXED_CTR, preload(10000)),
             ("mw", 4, imc(channel) + IMC_FIXED_CTL, FIXED_EN | OV_EN))
    poke(m, ("ew", upi, UPI0[1] + 8 + 16, preload(5000) & 0xffffffff),
         ("ew", upi, UPI0[1] + 8 + 20, 0xffff), ("ew", upi, UPI0[1] + 0x38 + 16, OV_EN | 4),
         ("w", 0, CHA0 + 0x30 + MSR_CTR, preload(2500)),
         ("w", 0, CHA0 + 0x30 + MSR_CTL, OV_EN | 5), ("w", 0, GLOBAL_CTL, 0))
    wait_frozen(m)
    freezes = m.truth("freeze", since=mark)
    assert sorted(freezes[-1]["cause"]) == ["cha3.0", "imc0.fixed", "imc3.fixed", "upi1.2"]
    assert poke(m, ("r", 0, GLOBAL_STATUS), ("mr", 4, imc(0) + IMC_STATUS),
                ("mr", 4, imc(3) + IMC_STATUS), ("er", upi, UPI0[1] + 0x60),
                ("r", 0, CHA0 + 0x30 + MSR_STATUS)) == \
        [1 << 3 | 1 << 12 | 1 << 15 | 1 << 19, 0x10, 0x10, 4, 1]
    # write 1 to clear, box first
    poke(m, ("w", 0, CHA0 + 0x30 + MSR_STATUS, 1),
         ("ew", upi, UPI0[1] + 0x60, 4), ("mw", 4, imc(0) + IMC_STATUS, 0x10),
         ("mw", 4, imc(3) + IMC_STATUS, 0x10),
         ("w", 0, GLOBAL_STATUS, 1 << 3 | 1 << 12 | 1 << 15 | 1 << 19))
    assert poke(m, ("r", 0, GLOBAL_STATUS), ("mr", 4, imc(3) + IMC_STATUS)) == [0, 0]


@test("boxes-100", **bare)
def status_words_cover_all_units(m):
    at = "ff:0c.0"
    poke(m, ("w", 0, GLOBAL_CTL, FRZ), ("ew", at, 0x440, preload(100000) & 0xffffffff),
         ("ew", at, 0x444, 0xffff), ("ew", at, 0x468, OV_EN | 1), ("w", 0, GLOBAL_CTL, 0))
    wait_frozen(m)
    assert poke(m, ("r", 0, GLOBAL_STATUS), ("r", 0, GLOBAL_STATUS + 1),
                ("r", 0, GLOBAL_STATUS + 2)) == [0, 1 << 80 - 64, None]
    poke(m, ("ew", at, 0x438 + 0x50, 1), ("w", 0, GLOBAL_STATUS + 1, 1 << 16))
    assert m.oracle("state")["sockets"][0]["status_words"] == [0, 0]


def overflow_effect(m):
    """Let counter 0 of cha1 overflow while that of cha2 counts.

    Return whether the die and each of the two boxes stand, and the words of the status.
    """
    clean(m)
    poke(m, ("w", 0, CHA0 + 0x10 + MSR_CTR, preload(100000)),
         ("w", 0, CHA0 + 0x10 + MSR_CTL, OV_EN | 1), ("w", 0, CHA0 + 0x20 + MSR_CTL, 1),
         ("w", 0, GLOBAL_CTL, 0))
    m.wait_until(lambda: counter(m, "cha1", 0)["value"] < 1 << 47, what="an overflow")
    first, later = (poke(m, ("r", 0, CHA0 + 0x10 + MSR_CTR), ("r", 0, CHA0 + 0x20 + MSR_CTR))
                    for _ in range(2))
    state = m.oracle("state")["sockets"][0]
    return (state["frozen"], *(old == new for old, new in zip(first, later)),
            state["status_words"][0], peek(m, "r", 0, CHA0 + 0x10 + MSR_STATUS))


@test("spr-2s", settings={"model.overflow": "ignored"}, **bare)
def overflow_enable_can_have_no_effect(m):
    assert overflow_effect(m) == (False, False, False, 0, 0)


@test("spr-2s", settings={"model.overflow": "box"}, **bare)
def overflow_can_freeze_its_box_only(m):
    assert overflow_effect(m) == (False, True, False, 1 << 1, 1)
    poke(m, ("w", 0, CHA0 + 0x10 + MSR_CTL, 1), ("w", 0, CHA0 + 0x10 + MSR_STATUS, 1),
         ("w", 0, GLOBAL_STATUS, 1 << 1), ("w", 0, GLOBAL_CTL, 0))
    before = counter(m, "cha1", 0)["value"]
    m.wait_until(lambda: counter(m, "cha1", 0)["value"] > before)


@test("spr-2s", settings={"model.overflow": "no-bit"}, **bare)
def overflow_can_set_no_status_bit(m):
    assert overflow_effect(m) == (True, True, True, 0, 1)


@test("spr-2s", settings={"model.overflow": "other-bit"}, **bare)
def overflow_can_set_the_status_bit_of_another_box(m):
    assert overflow_effect(m) == (True, True, True, 1 << 2, 1)


@test("spr-2s", settings={"model.overflow": "stuck"}, alone=True, **bare)
def freeze_by_an_overflow_can_last(m):
    assert overflow_effect(m) == (True, True, True, 1 << 1, 1)
    poke(m, ("w", 0, CHA0 + 0x10 + MSR_CTL, 1), ("w", 0, CHA0 + 0x10 + MSR_STATUS, 1),
         ("w", 0, GLOBAL_STATUS, 1 << 1), ("w", 0, GLOBAL_CTL, FRZ), ("w", 0, GLOBAL_CTL, 0))
    assert m.oracle("state")["sockets"][0]["frozen"]


@test("gnr-2s", alone=True, **bare)
def firmware_can_leave_dies_frozen(m):
    assert poke(m, ("r", 0, GLOBAL_CTL), ("r", 2, GLOBAL_CTL)) == [FRZ, FRZ]
    poke(m, ("w", 0, CHA0 + MSR_CTL, 1), ("w", 2, CHA0 + MSR_CTL, 1), ("w", 2, GLOBAL_CTL, 0))
    m.wait_until(lambda: counter(m, "cha0", 0, 1)["value"] > 0)
    assert counter(m, "cha0", 0)["value"] == 0
    ubox_fixed, clock = poke(m, ("r", 0, 0x3ff0 + 0xd), ("r", 0, 0x290e + 0x10))
    assert ubox_fixed == 0 and clock > 0


# ---- Other kinds of access ----

@test("unknown-1s", settings={"discovery.global-access": "mmio", "boxes.cha-access": "pci"},
      **bare)
def unknown_and_moved_unit_types_are_presented(m):
    found = table(m, ONLY_SOCKET)
    kinds = {}
    for record in found[1:]:
        kinds.setdefault(record[2] & 0xffff, []).append((record[0] >> 62, record[0] & 0xff))
    assert kinds == {0: [(PCI, 4)] * 4, 4: [(MSR, 4)], 5: [(MSR, 2)], 6: [(MMIO, 4)] * 2,
                     8: [(PCI, 4)], 77: [(MSR, 4)] * 2, 78: [(MMIO, 4)] * 2, 79: [(PCI, 4)] * 2,
                     80: [(MMIO, 8)]}
    assert found[0][0] >> 62 == MMIO and found[0][1:3] == [WINDOW + 0x3ff00000, 16 << 8 | 8]
    poke(m, ("mw", 4, found[0][1], FRZ))
    for record in found[1:]:
        at, ctl, value = record[1], record[0] >> 8 & 0xff, 0x1203
        access, slot = record[0] >> 62, f"{record[1] >> 15 & 0x1f:02x}.{record[1] >> 12 & 7}"
        write, read = {
            MSR: (("w", 0, at + ctl, value), ("r", 0, at + ctl)),
            MMIO: (("mw", 4, at + ctl, value), ("mr", 4, at + ctl)),
            PCI: (("ew", f"ff:{slot}", (at & 0xfff) + ctl, value),
                  ("er", f"ff:{slot}", (at & 0xfff) + ctl))}[access]
        assert poke(m, write, read) == [value], record
    enabled = [(c["box"], c["ctr"]) for c in m.oracle("counters")["sockets"][0] if c["rate"]]
    assert len(enabled) == len(found) - 1 and all(ctr == 0 for _, ctr in enabled)
    assert counter(m, "type_781", 0)["rate"] == \
        rates.rate("type_78", 1, 0, event=3, umask=0x12, platform="spr")


@test("spr-2s-full", **bare)
def full_socket_has_439_counters(m):
    access = {}
    for record in table(m, 1)[1:]:
        kind = record[0] >> 62
        fixed = record[2] & 0xffff in (5, 6)
        access[kind] = access.get(kind, 0) + (record[0] & 0xff) + fixed
    assert access == {MSR: 351, PCI: 48, MMIO: 40}
    assert [len(socket) for socket in m.oracle("counters")["sockets"]] == [439, 439]
    assert poke(m, ("r", 0, CHA_COUNT), ("r", 2, CHA_COUNT)) == [60, 60]


@test("monster", **bare)
def table_can_hold_a_thousand_units(m):
    found = table(m, ONLY_SOCKET)
    assert len(found) == 1001
    assert found[0][2] >> 8 == 1000 and found[0][2] & 0xff == 0xf0
    assert len({tuple(record[:2]) for record in found[1:]}) == 1000
    last = [next(r for r in reversed(found) if r[0] >> 62 == kind) for kind in (MSR, MMIO, PCI)]
    slot = f"{last[2][1] >> 15 & 0x1f:02x}.{last[2][1] >> 12 & 7}"
    poke(m, ("w", 0, last[0][1], FRZ), ("mw", 4, last[1][1], FRZ),
         ("ew", f"ff:{slot}", last[2][1] & 0xfff, FRZ))
    boxes = m.oracle("state")["sockets"][0]["boxes"]
    assert sorted(box["box"] for box in boxes if box["box_ctl"]) == \
        ["type_77149", "type_7899", "type_7999"]


# ---- Strict mode ----

# (rule, register writes that violate the rule); clean() runs before each
VIOLATIONS = (
    ("reserved", (("w", 0, CHA0 + MSR_CTL, 1 << 21),)),
    ("reserved", (("w", 0, PCU0 + MSR_CTL, 1 << 32),)),
    ("reserved", (("w", 0, CHA0 + FILTER0, 1 << 10),)),
    ("reserved", (("w", 0, GLOBAL_CTL, 0x10001),)),
    ("reserved", (("ew", function(UPI0[0]), UPI0[1] + 0x3c, 1 << 24),)),
    ("box-ctl", (("w", 0, CHA0, 0x10001),)),
    ("box-ctl", (("mw", 4, imc(0), 2),)),
    ("not-frozen", (("w", 0, GLOBAL_CTL, 0), ("w", 0, CHA0 + MSR_CTL, 1))),
    ("not-frozen", (("w", 0, CHA0 + MSR_CTL, 1), ("w", 0, GLOBAL_CTL, 0),
                    ("w", 0, CHA0 + MSR_CTR, 1))),
    ("reset-running", (("w", 0, CHA0 + MSR_CTL, 1), ("w", 0, GLOBAL_CTL, 0), ("w", 0, CHA0, RST))),
    ("status-not-set", (("w", 0, GLOBAL_STATUS, 1),)),
    ("status-not-set", (("mw", 4, imc(0) + IMC_STATUS, 1),)),
    ("width", (("w", 0, CHA0 + MSR_CTR, 1 << 48),)),
    ("width", (("mw", 8, imc(0) + IMC_CTR, 1 << 48),)),
    ("constraint", (("w", 0, CHA0 + MSR_CTL + 1, 0x36),)),
    ("constraint", (("w", 0, IIO0 + MSR_CTL, 0xc0),)),
    ("access-size", (("eb", function(UPI0[0]), UPI0[1] + 0x38, 0),)),
    ("access-size", (("mw", 2, imc(0) + IMC_CTL, 0),)),
    ("read-only", (("w", 0, CHA_COUNT, 1),)),
    ("no-register", (("mw", 4, imc(0) + 0x60, 0),)),
)


@test("spr-2s", timeout=120, **bare)
def each_violation_is_detected(m):
    for rule, commands in VIOLATIONS:
        clean(m)
        poke(m, *commands)
        assert rules(m) == [rule], (rule, commands)
    clean(m)


@test("spr-2s", **bare)
def clearing_in_wrong_order_is_detected(m):
    clean(m, 1)
    overflow(m)
    poke(m, ("w", 2, GLOBAL_STATUS, 1 << 11))
    assert rules(m) == ["global-before-box"]
    poke(m, ("w", 2, GLOBAL_CTL, 0))
    assert rules(m) == ["unfreeze-pending"]
    clean(m, 1)
