# SPDX-License-Identifier: GPL-2.0-or-later
"""How fast the model counts: README.md's rule, the same as rates.c; change both.

    rate("imc", 0, 1, event=0x04, umask=0x03)   increments per second, socket 1
    rate("imc", 0, 1, fixed=True)
    rate("imc", 0, 1, event=0x05, umask=0xcf, platform="spr")
"""

from lab.qemu.platforms import DEFAULT, PLATFORMS

FIXED = 0x200
PULSE_CYCLES = 4

# The E5 family: numbers of the box types in the formula
E5_NUMBERS = {"cbo": 1, "ubox": 2, "pcu": 3, "ha": 4, "imc": 5, "irp": 6, "qpi": 7,
              "r2pcie": 8, "r3qpi": 9, "sbox": 10}

# Events that count a clock, and the largest increment of those that add more than 1
E5_CLOCKS = {("cbo", 0x00): 2600000000, ("ubox", FIXED): 2600000000,
          ("pcu", 0x00): 800000000, ("ha", 0x00): 2400000000,
          ("imc", 0x00): 933000000, ("imc", FIXED): 800000000,
          ("irp", 0x00): 2100000000, ("qpi", 0x14): 2000000000,
          ("r2pcie", 0x01): 2300000000, ("r3qpi", 0x01): 2200000000,
          ("sbox", 0x00): 2500000000}
# The event that counts all cycles of a box, of which invert takes the others; else event 0
E5_CYCLES = {"ubox": FIXED, "qpi": 0x14, "r2pcie": 0x01, "r3qpi": 0x01}
E5_DEPTHS = {("cbo", 0x11): 20, ("cbo", 0x36): 20, ("cbo", 0x1f): 20, ("pcu", 0x80): 15,
          ("imc", 0x80): 22, ("imc", 0x81): 32, ("imc", 0x83): 16, ("qpi", 0x0b): 128,
          ("r3qpi", 0x13): 32}

# The same of Skylake-SP to Cooper Lake
SKX_NUMBERS = {"ubox": 2, "pcu": 3, "imc": 5, "irp": 6, "cha": 11, "iio": 12, "m2m": 13,
               "upi": 14, "m3upi": 15, "m2pcie": 16}
SKX_CLOCKS = {("cha", 0x00): 2400000000, ("iio", 0x01): 1100000000, ("irp", 0x01): 1200000000,
              ("ubox", FIXED): 2600000000, ("pcu", 0x00): 800000000,
              ("imc", 0x00): 933000000, ("imc", FIXED): 800000000,
              ("m2m", 0x00): 2250000000, ("upi", 0x01): 1300000000,
              ("m3upi", 0x01): 2100000000, ("m2pcie", 0x01): 2300000000}
SKX_CYCLES = {"ubox": FIXED, "iio": 0x01, "irp": 0x01, "upi": 0x01, "m3upi": 0x01,
              "m2pcie": 0x01}
SKX_DEPTHS = {("cha", 0x11): 20, ("cha", 0x36): 20, ("pcu", 0x80): 15, ("imc", 0x80): 22,
              ("imc", 0x81): 32, ("imc", 0x83): 16}

# values of Ice Lake and Snow Ridge that differ
ICX_NUMBERS = {**SKX_NUMBERS, "pcie3": 17}
ICX_CLOCKS = {**SKX_CLOCKS, ("imc", 0x00): 1600000000, ("pcie3", 0x01): 1300000000}
ICX_CYCLES = {**SKX_CYCLES, "pcie3": 0x01}
ICX_DEPTHS = {**SKX_DEPTHS, ("imc", 0x81): 22, ("imc", 0x82): 32, ("imc", 0x83): 32}

# client processors
CLIENT_NUMBERS = {"cbo": 40, "arb": 41, "clock": 42, "imc": 43, "hac_arb": 44, "hac_cbo": 45,
                  "sncu": 46, "santa": 47, "ia_core_bridge": 48, "hbo": 49, "uncore": 50}
CLIENT_CLOCKS = {**{(box, FIXED): 3000000000
                    for box in ("cbo", "arb", "clock", "santa", "ia_core_bridge", "uncore")},
                 **{(box, FIXED): 2400000000 for box in ("hac_arb", "hac_cbo", "sncu", "hbo")},
                 ("imc", 0x01): 1600000000}
CLIENT_CYCLES = {**dict.fromkeys(("cbo", "arb", "hac_arb", "hac_cbo", "santa", "ia_core_bridge",
                                  "sncu", "hbo", "uncore"), FIXED), "imc": 0x01}
CLIENT_DEPTHS = {("arb", 0x80): 20, ("arb", 0x83): 20, ("arb", 0x85): 20}

# clocks of the families with a fixed list of boxes
CLOCKS = {"e5": E5_CLOCKS, "skx": SKX_CLOCKS, "icx": ICX_CLOCKS, "snr": ICX_CLOCKS,
          "client": CLIENT_CLOCKS}
CYCLES = {"e5": E5_CYCLES, "skx": SKX_CYCLES, "icx": ICX_CYCLES, "snr": ICX_CYCLES,
          "client": CLIENT_CYCLES}
DEPTHS = {"e5": E5_DEPTHS, "skx": SKX_DEPTHS, "icx": ICX_DEPTHS, "snr": ICX_DEPTHS,
          "client": CLIENT_DEPTHS}
# position of the class mask of stacks, above the channels
FC_SHIFT = {"skx": 8, "icx": 12, "snr": 12}

# The same of the families with a discovery table: type numbers, clocks in MHz
SPR_NUMBERS = {"cha": 0, "iio": 1, "irp": 2, "m2pcie": 3, "pcu": 4, "ubox": 5, "imc": 6,
               "m2m": 7, "upi": 8, "m3upi": 9, "pcie": 10, "mdf": 11, "cxlcm": 12, "cxldp": 13,
               "mchbm": 14}
GNR_NUMBERS = {"cha": 0, "iio": 1, "irp": 2, "pcu": 4, "ubox": 5, "imc": 6, "upi": 8,
               "cxlcm": 12, "cxldp": 13, "b2hot": 15, "b2cmi": 16, "b2cxl": 17, "b2upi": 18,
               "mdf": 20, "pciex16": 21, "pciex8": 22}
DMR_NUMBERS = {"pcu": 4, "ubox": 5, "imc": 6, "sca": 23, "cxlcm": 24, "hamvf": 30, "cbo": 31,
               "santa": 32, "cncu": 33, "sncu": 34, "ula": 35, "dda": 36, "sbo": 38, "ubr": 43,
               "pcie4": 45, "crs": 46, "cpc": 47, "itc": 48, "otc": 49, "cms": 50, "pcie6": 51}
NUMBERS = {"e5": E5_NUMBERS, "skx": SKX_NUMBERS, "icx": ICX_NUMBERS, "snr": ICX_NUMBERS,
           "spr": SPR_NUMBERS, "gnr": GNR_NUMBERS, "dmr": DMR_NUMBERS, "client": CLIENT_NUMBERS}
EVENT_CLOCK = 1
DISCOVERY_MHZ = {"cha": 2400, "iio": 1100, "irp": 1200, "m2pcie": 2300, "pcu": 1000, "imc": 2000,
                 "m2m": 2250, "upi": 1900, "m3upi": 2100, "pcie": 1300, "mdf": 2350,
                 "cxlcm": 1600, "cxldp": 1700, "mchbm": 1800, "b2hot": 2050, "b2cmi": 2150,
                 "b2cxl": 1650, "b2upi": 1950, "pciex16": 1350, "pciex8": 1450,
                 "sca": 2010, "hamvf": 2020, "cbo": 2030, "santa": 2040, "cncu": 2060,
                 "sncu": 2070, "ula": 2080, "dda": 2090, "sbo": 2110, "ubr": 2120, "crs": 2130,
                 "cpc": 2140, "itc": 2160, "otc": 2170, "cms": 2180, "pcie4": 1310,
                 "pcie6": 1320}
DISCOVERY_FIXED_MHZ = {"ubox": 2500, "imc": 1000, "mchbm": 900}
UNKNOWN_MHZ = 1500
DISCOVERY_DEPTHS = {("cha", 0x36): 20, ("imc", 0x80): 22, ("imc", 0x81): 22, ("imc", 0x82): 32,
                    ("imc", 0x83): 32}

# Increments per second of the free-running MSRs, socket 0; on v3 and v4 all five
FREE_RUNNING = {0x3fc: 300000000, 0x3fd: 500000000, 0x60d: 200000000, 0x3f8: 100000000,
                0x3f9: 400000000}


def overrides(scenario):
    """[rates] of an args.Scenario as (selectors, rate); the last match wins."""
    found = []
    section = scenario.ini["rates"] if scenario.ini.has_section("rates") else {}
    for key, text in section.items():
        if key != "scale":
            found.append((key.split("."), int(text, 0)))
    return found


def scale(scenario):
    return int(float(scenario.get("rates", "scale", "1")) * 1e6 + 0.5)


def matches(selectors, box, instance, socket, event, umask):
    def is_one(text, value):
        return text == "*" or int(text, 0) == value
    kind, *numbers = selectors
    if kind not in ("*", box) or not is_one(numbers[0], instance) or \
            not is_one(numbers[1], socket):
        return False
    if numbers[2] == "fixed":
        return event == FIXED
    return is_one(numbers[2], event) and is_one(numbers[3], umask)


def type_id(box, platform):
    numbers = NUMBERS[PLATFORMS[platform].family]
    if not PLATFORMS[platform].discovery:
        return numbers[box]
    return 100 + (int(box[5:]) if box.startswith("type_") else numbers[box])


def clock(box, event, platform):
    """Increments per second of an event that counts a clock, else None."""
    if not PLATFORMS[platform].discovery:
        return CLOCKS[PLATFORMS[platform].family].get((box, event))
    if event == FIXED:
        return DISCOVERY_FIXED_MHZ[box] * 1000000
    if event != EVENT_CLOCK:
        return None
    unknown = UNKNOWN_MHZ if box.startswith("type_") else 0
    return DISCOVERY_MHZ.get(box, unknown) * 1000000 or None


def raw(box, instance, socket, event, umask, scenario=None, platform=DEFAULT):
    """Before filters, threshold and edge detect. event: nine bits, or FIXED."""
    if scenario:
        for selectors, value in reversed(overrides(scenario)):
            if matches(selectors, box, instance, socket, event, umask):
                return value
    base = clock(box, event, platform) or 1000000 + 500 * (
        ((event * 256 + umask) * 40503 + type_id(box, platform) * 7919) % 131071)
    base = base * (1000 + 7 * instance + 113 * socket) // 1000
    return base * (scale(scenario) if scenario else 1000000) // 1000000


def share(rate_, value):
    """Return the part that a filter value selects: 64/1024 to 1024/1024."""
    return rate_ * (64 + value * 37 % 961) // 1024


def needs(rate_, field):
    return share(rate_, field) if field else 0


# Events of which umask 40h selects by node
NID_EVENTS = {"snbep": (0x34, 0x35, 0x36, 0x37), "ivbep": (0x34, 0x35, 0x36, 0x37)}
NID_EVENTS_V3 = (0x28, 0x29, 0x2a, 0x32, 0x33, 0x35, 0x36, 0x37)


def cbo_filters(rate_, event, umask, platform, state=0, link=0, nid=0, opc=0, tid=None):
    """opc: on v1 the opcode, otherwise FILTER1 bits 31:20, with c6, nc and isoc above."""
    if platform == "ivbep" and event == 0x31 and umask & 0x10:
        rate_ = needs(rate_, link)
    if event == 0x34:
        rate_ = needs(rate_, state)
    if event in (0x35, 0x36) and umask & 0x01:
        rate_ = needs(rate_, opc)
    if platform not in NID_EVENTS and (event, umask) == (0x35, 0x01) and link:
        rate_ = share(rate_, link)
    if event in NID_EVENTS.get(platform, NID_EVENTS_V3) and umask & 0x40:
        rate_ = needs(rate_, nid)
    if tid is not None:             # tid_en
        rate_ = share(rate_, 1 + tid)
    return rate_


def ubox_filters(rate_, event, _, platform, tid=0):
    """tid: the filter, core and thread."""
    if not event:
        return 0
    return share(rate_, 1 + tid) if event == 0x41 and platform not in NID_EVENTS else rate_


def pcu_filters(rate_, event, umask, _, bands=(0, 0, 0, 0), occ_invert=False, occ_edge=False,
                clock=0):
    if 0x0b <= event <= 0x0e:
        rate_ = rate_ * (256 - bands[event - 0x0b]) // 256
    if event == 0x80:
        if not umask & 0xc0:
            return 0
        if occ_invert:
            rate_ = clock - min(rate_, clock)
        if occ_edge:
            rate_ //= 8
    return rate_


def ha_filters(rate_, event, umask, _, address=0, opcode=0):
    """address: compared without bits 5:0."""
    if event != 0x20:
        return rate_
    match = 0
    if umask & 1:
        match += address >> 6
    if umask & 2:
        match += opcode
    return share(rate_, match)


def qpi_filters(rate_, event, _, __, match=(0, 0), mask=(0, 0)):
    if event & 0xff != 0x38 or not (mask[0] or mask[1]):
        return rate_
    return share(rate_, 1 + (match[0] & mask[0]) + 3 * (match[1] & mask[1]) +
                 5 * mask[0] + 7 * mask[1])


def tor_filters(rate_, opc_0=0, opc_1=0, rem=0, loc=0, nm=0, not_nm=0, all_op=0, nc=0, isoc=0):
    """One bit of each pair must be set, and an opcode, or the bit for all opcodes."""
    if not (rem or loc) or not (nm or not_nm):
        return 0
    if not all_op:
        rate_ = needs(rate_, opc_0 + 3 * opc_1)
    return share(rate_, rem + 2 * loc + 4 * (nm + 2 * not_nm) + 16 * (nc + 2 * isoc))


def cha_filters(rate_, event, _, platform, state=0, link=0, tid=None, umask_ext=0, **tor):
    if PLATFORMS[platform].family != "skx":
        rate_ = share(rate_, umask_ext) if umask_ext else rate_
        return share(rate_, 1 + tid) if tid is not None else rate_
    if event == 0x34:
        rate_ = needs(rate_, state)
    if event in (0x35, 0x36):
        rate_ = tor_filters(rate_, **tor)
    if event in (0x38, 0x3b):
        rate_ = needs(rate_, link)
    if tid is not None:             # tid_en
        rate_ = share(rate_, 1 + tid)
    return rate_


def iio_filters(rate_, _, __, platform, ch_mask=0, fc_mask=0):
    masks = ch_mask + (fc_mask << FC_SHIFT[PLATFORMS[platform].family])
    return share(rate_, masks) if masks else rate_


def pcie3_filters(rate_, event, umask, _, **masks):
    return iio_filters(rate_, event, umask, "skx", **masks)


def upi_filters(rate_, _, __, ___, umask_ext=0):
    return share(rate_, umask_ext) if umask_ext else rate_


FILTERS = {"cbo": cbo_filters, "ubox": ubox_filters, "pcu": pcu_filters, "ha": ha_filters,
           "qpi": qpi_filters, "cha": cha_filters, "iio": iio_filters, "upi": upi_filters,
           "m2m": upi_filters, "pcie3": pcie3_filters}


def threshold(rate_, depth, thresh):
    return rate_ * 2 // (depth + 1) * (depth - thresh + 1) // depth if thresh <= depth else 0


def inverted(value, box, instance, socket, cycles, scenario, platform):
    """The cycles that do not reach the threshold."""
    cycles = raw(box, instance, socket, cycles, 0, scenario, platform)
    return cycles - min(value, cycles)


def e5_rate(box, instance, socket, event, umask, *, thresh, edge, scenario, platform,
            invert=False, **filters):
    value = raw(box, instance, socket, event, umask, scenario, platform)
    if box == "pcu":
        filters.setdefault("clock", raw(box, instance, socket, 0, 0, scenario, platform))
    if box in FILTERS and not PLATFORMS[platform].client:
        value = FILTERS[box](value, event, umask, platform, **filters)
    if thresh:
        family = PLATFORMS[platform].family
        value = threshold(value, DEPTHS[family].get((box, event), 1), thresh)
        if invert:
            value = inverted(value, box, instance, socket, CYCLES[family].get(box, 0), scenario,
                             platform)
    return value // PULSE_CYCLES if edge else value


def discovery_rate(box, instance, socket, event, umask, *, thresh, edge, scenario, platform,
                   umask_ext=0, ch_mask=0, fc_mask=0, tid=None, invert=False):
    """tid: of FILTER0, with tid_en."""
    value = raw(box, instance, socket, event, umask, scenario, platform)
    ext = umask_ext or ch_mask + (fc_mask << 12)
    if ext:
        value = share(value, ext)
    if tid is not None:
        value = share(value, 1 + tid)
    if thresh:
        value = threshold(value, DISCOVERY_DEPTHS.get((box, event), 1), thresh)
        if invert:
            value = inverted(value, box, instance, socket, EVENT_CLOCK, scenario, platform)
    return value // PULSE_CYCLES if edge else value


def rate(box, instance, socket, event=0, umask=0, *, fixed=False, thresh=0, edge=False,
         scenario=None, platform=None, **filters):
    """Increments per second of one counter, on a counter that allows the event.

    platform: the scenario's, if there is one; else the default.
    """
    platform = platform or (scenario.platform if scenario else DEFAULT)
    if fixed:
        return raw(box, instance, socket, FIXED, 0, scenario, platform)
    if edge:
        thresh = thresh or 1
    of_family = discovery_rate if PLATFORMS[platform].discovery else e5_rate
    return of_family(box, instance, socket, event, umask, thresh=thresh, edge=edge,
                     scenario=scenario, platform=platform, **filters)


def free_running(msr, socket):
    return FREE_RUNNING[msr] * (1000 + 113 * socket) // 1000


def iio_free_running(kind, stack, socket, port=0):
    """kind: clock, in, out, util_in, util_out. Increments per second since reset."""
    first = {"clock": 500000000, "in": 20000000, "out": 40000000, "util_in": 60000000,
             "util_out": 80000000}[kind]
    base = first + (0 if kind == "clock" else 1000000 * port)
    return base // 1000 * (1000 + 7 * stack) * (1000 + 113 * socket) // 1000


# free-running counters of memory controllers with registers in memory
IMC_FREE_RUNNING = {"read": 90000000, "write": 70000000, "pmm_read": 30000000,
                    "pmm_write": 10000000, "dclk": 1600000000, "rpq": 110000000,
                    "wpq": 55000000}


def imc_free_running(kind, controller, socket):
    """kind: one of IMC_FREE_RUNNING. Increments per second since reset."""
    base = IMC_FREE_RUNNING[kind] // 1000 * (1000 + 7 * controller)
    return base * (1000 + 113 * socket) // 1000


# traffic of the memory controllers behind MCHBAR
MC_TRAFFIC = {"total": 600000000, "read": 450000000, "write": 150000000, "gt": 60000000,
              "ia": 500000000, "io": 40000000}


def mc_traffic(kind, controller=0):
    """kind: one of MC_TRAFFIC. Increments per second since reset, of 64 bytes each."""
    return MC_TRAFFIC[kind] // 1000 * (1000 + 7 * controller)
