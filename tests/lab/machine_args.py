# SPDX-License-Identifier: GPL-2.0-only
"""From a scenario to a QEMU command line, up to kernel and serial ports."""


def prepare():
    """Builds QEMU with our model, if need be."""


def command(scenario, directory, cpus=2, memory="1G"):
    if scenario:
        raise NotImplementedError(scenario)
    return ["qemu-system-x86_64", "-nodefaults", "-no-user-config", "-display", "none",
            "-machine", "q35", "-cpu", "max", "-accel", "tcg",
            "-smp", str(cpus), "-m", memory]
