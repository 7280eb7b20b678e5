# SPDX-License-Identifier: GPL-2.0-only
"""From a scenario to a QEMU command line, up to kernel and serial ports."""

import importlib.util
from pathlib import Path

HERE = Path(__file__).resolve().parent
_spec = importlib.util.spec_from_file_location("qemu_args", HERE / "qemu/args.py")
_model = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(_model)


def prepare():
    """Builds QEMU with our model, if need be."""
    _model.binary()


def command(scenario, directory, settings):
    """settings: section.key -> value, instead of what the scenario file says."""
    if scenario:
        return _model.command(scenario, directory, settings)
    firmware = [word for path in _model.FIRMWARE for word in ("-L", path)]
    return [_model.binary(), "-nodefaults", "-no-user-config", "-display", "none", "-vga", "none",
            *firmware, "-machine", "q35", "-accel", "tcg,thread=multi", "-cpu", "max",
            "-smp", "2", "-m", "1G"]
