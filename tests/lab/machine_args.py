# SPDX-License-Identifier: GPL-2.0-only
"""From a scenario to a QEMU command line, up to kernel and serial ports."""


def prepare():
    """Builds QEMU with our model, if need be."""


def command(scenario, directory, settings):
    """settings: section.key -> value, instead of what the scenario file says."""
    if scenario:
        raise NotImplementedError(scenario)
    return ["qemu-system-x86_64", "-nodefaults", "-no-user-config", "-display", "none",
            "-machine", "q35", "-cpu", "max", "-accel", "tcg", "-smp", "2", "-m", "1G"]
