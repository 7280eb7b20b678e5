# SPDX-License-Identifier: GPL-2.0-or-later
"""How fast the model counts: README.md's rule, the same as rates.c; change both.

    rate("imc", 0, 1, event=0x04, umask=0x03)   increments per second, socket 1
    rate("imc", 0, 1, fixed=True)
"""

FIXED = 0x200
PULSE_CYCLES = 4
TYPE_IDS = {"cbo": 1, "ubox": 2, "pcu": 3, "ha": 4, "imc": 5, "irp": 6, "qpi": 7,
            "r2pcie": 8, "r3qpi": 9}

# Events that count a clock, and the largest increment of those that add more than 1
CLOCKS = {("cbo", 0x00): 2600000000, ("ubox", FIXED): 2600000000,
          ("pcu", 0x00): 800000000, ("ha", 0x00): 2400000000,
          ("imc", 0x00): 933000000, ("imc", FIXED): 800000000,
          ("irp", 0x00): 2100000000, ("qpi", 0x14): 2000000000,
          ("r2pcie", 0x01): 2300000000, ("r3qpi", 0x01): 2200000000}
DEPTHS = {("cbo", 0x11): 20, ("cbo", 0x36): 20, ("cbo", 0x1f): 20, ("pcu", 0x80): 15,
          ("imc", 0x80): 22, ("imc", 0x81): 32, ("imc", 0x83): 16, ("qpi", 0x0b): 128,
          ("r3qpi", 0x13): 32}

# Increments per second of the free-running PCU MSRs, socket 0
FREE_RUNNING = {0x3fc: 300000000, 0x3fd: 500000000}


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


def raw(box, instance, socket, event, umask, scenario=None):
    """Before filters, threshold and edge detect. event: nine bits, or FIXED."""
    if scenario:
        for selectors, value in reversed(overrides(scenario)):
            if matches(selectors, box, instance, socket, event, umask):
                return value
    base = CLOCKS.get((box, event)) or \
        1000000 + 500 * (((event * 256 + umask) * 40503 + TYPE_IDS[box] * 7919) % 131071)
    base = base * (1000 + 7 * instance + 113 * socket) // 1000
    return base * (scale(scenario) if scenario else 1000000) // 1000000


def share(rate_, value):
    """What a filter value lets through: 64/1024 to 1024/1024."""
    return rate_ * (64 + value * 37 % 961) // 1024


def needs(rate_, field):
    return share(rate_, field) if field else 0


def cbo_filters(rate_, event, umask, state=0, link=0, nid=0, opc=0, tid=None):
    """opc: FILTER1 bits 31:20, that is opcode with c6, nc and isoc above it."""
    if event == 0x31 and umask & 0x10:
        rate_ = needs(rate_, link)
    if event == 0x34:
        rate_ = needs(rate_, state)
    if event in (0x35, 0x36) and umask & 0x01:
        rate_ = needs(rate_, opc)
    if event in (0x34, 0x35, 0x36, 0x37) and umask & 0x40:
        rate_ = needs(rate_, nid)
    if tid is not None:             # tid_en
        rate_ = share(rate_, 1 + tid)
    return rate_


def pcu_filters(rate_, event, umask, bands=(0, 0, 0, 0), occ_invert=False, occ_edge=False,
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


def ha_filters(rate_, event, umask, address=0, opcode=0):
    """address: as matched, bits 5:0 do not matter."""
    if event != 0x20:
        return rate_
    match = 0
    if umask & 1:
        match += address >> 6
    if umask & 2:
        match += opcode
    return share(rate_, match)


def qpi_filters(rate_, event, umask, match=(0, 0), mask=(0, 0)):
    if event & 0xff != 0x38 or not (mask[0] or mask[1]):
        return rate_
    return share(rate_, 1 + (match[0] & mask[0]) + 3 * (match[1] & mask[1]) +
                 5 * mask[0] + 7 * mask[1])


FILTERS = {"cbo": cbo_filters, "pcu": pcu_filters, "ha": ha_filters, "qpi": qpi_filters}


def rate(box, instance, socket, event=0, umask=0, *, fixed=False, thresh=0, edge=False,
         scenario=None, **filters):
    """Increments per second of one counter, on a counter that allows the event."""
    if fixed:
        return raw(box, instance, socket, FIXED, 0, scenario)
    if box == "ubox" and not event:
        return 0
    value = raw(box, instance, socket, event, umask, scenario)
    if box == "pcu":
        filters.setdefault("clock", raw(box, instance, socket, 0, 0, scenario))
    if box in FILTERS:
        value = FILTERS[box](value, event, umask, **filters)
    if edge:
        thresh = thresh or 1
    if thresh:
        depth = DEPTHS.get((box, event), 1)
        value = value * 2 // (depth + 1) * (depth - thresh + 1) // depth if thresh <= depth else 0
    return value // PULSE_CYCLES if edge else value


def free_running(msr, socket):
    return FREE_RUNNING[msr] * (1000 + 113 * socket) // 1000
