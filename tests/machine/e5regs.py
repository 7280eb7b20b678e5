# SPDX-License-Identifier: GPL-2.0-only
"""Registers of the E5-2600 generations as plain numbers, for tests of the model.

The numbers are repeated here and not taken from the driver or the model, because an error there
would otherwise not be detected.  A box makes commands for poke(); `read()` runs commands that read:

    cbo0 = Msr(0, 0xe00, 0xe01, 0xe08, status=0xe07)
    poke(m, *cbo0.write_ctl(2, EN), *cbo0.write_box(0))
    assert read(m, cbo0.ctl(2), cbo0.ctr(2)) == [EN, 0]
"""

from machine.registers import poke

EN, OV_EN = 0x400000, 0x100000
FIXED = "fixed"
# offsets in the config space of a PCI function
CTR0, FIXED_CTR, CTL0, FIXED_CTL, BOX_CTL, BOX_STATUS = 0xa0, 0xd0, 0xd8, 0xf0, 0xf4, 0xf8


class Msr:
    """A box with MSRs, accessed through a CPU of its socket; box_ctl is None for the UBox."""

    def __init__(self, cpu, box_ctl, ctl, ctr, *, status=None, fixed=(None, None)):
        self.box_ctl = box_ctl
        self._cpu, self._ctl, self._ctr, self._status = cpu, ctl, ctr, status
        self._fixed_ctl, self._fixed_ctr = fixed

    def _ctl_at(self, i):
        return self._fixed_ctl if i == FIXED else self._ctl + i

    def _ctr_at(self, i):
        return self._fixed_ctr if i == FIXED else self._ctr + i

    def write_ctl(self, i, value):
        return (("w", self._cpu, self._ctl_at(i), value),)

    def write_ctr(self, i, value):
        return (("w", self._cpu, self._ctr_at(i), value),)

    def write_box(self, value):
        return (("w", self._cpu, self.box_ctl, value),) if self.box_ctl else ()

    def write_status(self, value):
        return (("w", self._cpu, self._status, value),)

    def ctl(self, i):
        return (("r", self._cpu, self._ctl_at(i)),)

    def ctr(self, i):
        return (("r", self._cpu, self._ctr_at(i)),)

    def box(self):
        return (("r", self._cpu, self.box_ctl),)

    def status(self):
        return (("r", self._cpu, self._status),)


class Pci:
    """A box in the config space of a PCI function, accessed by ECAM; a counter has two dwords."""

    box_ctl = BOX_CTL

    def __init__(self, function):
        self._at = function

    @staticmethod
    def _ctl_at(i):
        return FIXED_CTL if i == FIXED else CTL0 + 4 * i

    @staticmethod
    def _ctr_at(i):
        return FIXED_CTR if i == FIXED else CTR0 + 8 * i

    def write_ctl(self, i, value):
        return (("ew", self._at, self._ctl_at(i), value),)

    def write_ctr(self, i, value):
        at = self._ctr_at(i)
        return (("ew", self._at, at, value & 0xffffffff), ("ew", self._at, at + 4, value >> 32))

    def write_box(self, value):
        return (("ew", self._at, BOX_CTL, value),)

    def write_status(self, value):
        return (("ew", self._at, BOX_STATUS, value),)

    def ctl(self, i):
        return (("er", self._at, self._ctl_at(i)),)

    def ctr(self, i):
        at = self._ctr_at(i)
        return (("er", self._at, at), ("er", self._at, at + 4))

    def box(self):
        return (("er", self._at, BOX_CTL),)

    def status(self):
        return (("er", self._at, BOX_STATUS),)


def read(m, *registers):
    """Return the values of registers, read by one run of poke. Writes may be among them."""
    values = iter(poke(m, *(command for register in registers for command in register)))
    found = []
    for register in registers:
        parts = [next(values) for command in register if command[0] in ("r", "er", "pr", "mr")]
        if parts:
            found.append(parts[0] if len(parts) == 1 else parts[1] << 32 | parts[0])
    return found


def ids(m, functions):
    """Return function -> its device id as read through ECAM and through CF8h."""
    found = poke(m, *((way, at, 0) for at in functions for way in ("er", "pr")))
    return {at: (found[2 * n] >> 16, found[2 * n + 1] >> 16) for n, at in enumerate(functions)}


def legal_bits(m, boxes):
    """Return (box, counter) -> [implemented bits of the control, implemented bits of the counter].

    boxes: name -> (box, counters)
    """
    all_of_them = [(name, box, i) for name, (box, counters) in boxes.items() for i in counters]
    m.inject("strict no")
    values = read(m, *(commands for _, box, i in all_of_them for commands in
                       (box.write_ctl(i, 0xffffffff), box.ctl(i), box.write_ctl(i, 0),
                        box.write_ctr(i, (1 << 64) - 1), box.ctr(i))))
    m.inject("power-on")
    m.inject("strict yes")
    return {(name, i): values[2 * n:2 * n + 2] for n, (name, _, i) in enumerate(all_of_them)}
