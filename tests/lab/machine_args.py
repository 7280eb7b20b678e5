# SPDX-License-Identifier: GPL-2.0-only
"""From a scenario to a QEMU command line, up to kernel and serial ports."""

from lab.qemu import args


def prepare():
    """Builds QEMU with our model, if need be."""
    args.binary()


def command(scenario, directory, settings):
    """settings: section.key -> value, instead of what the scenario file says."""
    if scenario:
        return args.command(scenario, directory, settings)
    firmware = [word for path in args.FIRMWARE for word in ("-L", path)]
    return [args.binary(), "-nodefaults", "-no-user-config", "-display", "none", "-vga", "none",
            *firmware, "-machine", "q35", "-accel", "tcg,thread=multi", "-cpu", "max",
            "-smp", "2", "-m", "1G"]
