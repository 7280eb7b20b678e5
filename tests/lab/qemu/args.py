# SPDX-License-Identifier: GPL-2.0-or-later
"""Converts a scenario file to the QEMU command line, except for kernel and serial ports.

usage: python3 -m lab.qemu.args SCENARIO.ini [section.key=value ...]     prints the arguments

This module evaluates the keys of machine, CPUs, memory and PCI roots.  The model reads the keys of
boxes, rates and faults from the same file (scenario.c).
"""

import configparser
import re
import shlex
import subprocess
import sys
from pathlib import Path

from lab.qemu.platforms import DEFAULT, PLATFORMS

HERE = Path(__file__).resolve().parent
SCENARIOS = HERE.parent / "scenarios"
# Debian's packages seabios and qemu-system-data
FIRMWARE = ("/usr/share/seabios", "/usr/share/qemu")
# there is no PCI hotplug; a debug kernel interprets its AML for ten seconds
BARE = ("-nodefaults", "-no-user-config", "-display", "none", "-vga", "none",
        "-global", "ICH9-LPC.acpi-pci-hotplug-with-bridge-support=off",
        *(word for path in FIRMWARE for word in ("-L", path)))
# additional devices of a machine, in slots that are otherwise unused
EXTRAS = {
    "nic": ("-device", "e1000e,bus=pcie.0,addr=2,mac=52:54:00:12:34:56,romfile="),
    "nvme": ("-blockdev", "driver=null-co,node-name=nothing,size=1048576",
             "-device", "nvme,bus=pcie.0,addr=3,drive=nothing,serial=1,use-intel-id=on"),
    "sleeper": ("-device", "ucore-sleeper,bus=pcie.0,addr=4"),
    "vmd": ("-device", "ucore-vmd,bus=pcie.0,addr=5"),
}
ROOT_SLOTS = 0x10       # first slot of additional PCI roots, unless there are too many
LPC_SLOT = 0x1f
# A machine without our model
PC = (*BARE, "-machine", "q35", "-accel", "tcg,thread=multi", "-cpu", "max", "-m", "1G")


class ScenarioError(Exception):
    """The scenario file contains invalid values."""


class Scenario:
    """One scenario file, with settings ("section.key" -> value) that override it."""

    def __init__(self, name, settings=()):
        self._read(name)
        for key, value in dict(settings).items():
            self._set(key, value)
        self.platform = self.get("machine", "platform", DEFAULT)
        if self.platform not in PLATFORMS:
            raise ScenarioError(f"no platform {self.platform}")
        self.discovery = PLATFORMS[self.platform].discovery
        self.sockets = self.number("machine", "sockets", 1)
        self.cores = self.number("machine", "cores", 2)
        self.threads = self.number("machine", "threads", 1)
        self.plugged = self.number("machine", "plugged", 0) or self.cores * self.threads
        self.nodes = self.number("machine", "nodes", self.sockets if self.discovery else 0)
        self.iio_buses = [int(number, 0) for number in self.get("machine", "iio-buses", "").split()]
        if not 1 <= self.plugged <= self.cores * self.threads:
            raise ScenarioError(f"plugged = {self.plugged}: not so many CPUs in a socket")
        if self.iio_buses and len(self.iio_buses) != self.sockets:
            raise ScenarioError("iio-buses: need the bus of each socket")

    def _read(self, name):
        path = Path(name)
        if path.suffix != ".ini":
            path = SCENARIOS / f"{name}.ini"
        self.ini = configparser.ConfigParser(
            interpolation=None, delimiters=("=",), comment_prefixes=("#",), strict=True)
        self.ini.optionxform = str
        if not self.ini.read(path):
            raise ScenarioError(f"no scenario file {path}")

    def _set(self, key, value):
        section, _, option = key.partition(".")
        if not option:
            raise ScenarioError(f"setting {key}: need section.key")
        if not self.ini.has_section(section):
            self.ini.add_section(section)
        self.ini.set(section, option, str(value))

    def get(self, section, option, default=None):
        return self.ini.get(section, option, fallback=default)

    def number(self, section, option, default):
        text = self.get(section, option)
        return default if text is None else int(text, 0)

    def flag(self, section, option, default):
        text = self.get(section, option)
        if text not in (None, "yes", "no"):
            raise ScenarioError(f"[{section}] {option} = {text}: need yes or no")
        return default if text is None else text == "yes"

    def write(self, path):
        """The file as the model will read it."""
        with open(path, "w") as out:
            self.ini.write(out)

    # ---- Arguments ----

    def arguments(self, scenario, log=None):
        """Return the arguments of QEMU; scenario: the file written by write(); log: the model's
        log."""
        device = f"ucore,scenario={scenario}"
        if log:
            device += f",log={log}"
        return [*BARE, "-machine", "q35", *self._accel(), "-cpu", self._cpu(),
                "-m", self.get("machine", "memory", "1G"),
                *self._smp(), *self._nodes(), *self._roots(), *self._stack_ports(), *self._extras(),
                "-device", device]

    def _extras(self):
        """Return the devices outside the uncore."""
        args = []
        for name in self.get("machine", "extras", "").split():
            if name not in EXTRAS:
                raise ScenarioError(f"[machine] extras: no {name}")
            args += EXTRAS[name]
        return args

    def _accel(self):
        shift = self.get("machine", "icount")
        if shift is None:
            return ["-accel", "tcg,thread=multi"]
        # random values and the host's clock would differ in each run
        return ["-accel", "tcg,thread=single", "-icount", f"shift={int(shift, 0)},sleep=off",
                "-seed", "1", "-rtc", "base=2026-01-01,clock=vm"]

    def _cpu(self):
        platform = PLATFORMS[self.platform]
        family = self.number("machine", "family", platform.cpuid_family)
        model = self.number("machine", "model", platform.model)
        stepping = self.number("machine", "stepping", platform.stepping)
        hypervisor = "on" if self.flag("machine", "hypervisor", False) else "off"
        # the last leaf: the types of the CPUs of a hybrid processor
        level = "0x1a" if self.flag("core", "hybrid", False) else "0x15"
        return (f"max,vendor=GenuineIntel,family={family},model={model},stepping={stepping},"
                f"hypervisor={hypervisor},level={level}")

    def _smp(self):
        """QEMU fills sockets in order, so later ones get their CPUs one by one."""
        most = self.sockets * self.cores * self.threads
        full = self.plugged == self.cores * self.threads
        boot = most if full else self.plugged
        args = ["-smp", f"{boot},sockets={self.sockets},cores={self.cores},"
                        f"threads={self.threads},maxcpus={most}"]
        if not full:
            for socket in range(1, self.sockets):
                for i in range(self.plugged):
                    args += ["-device", f"max-x86_64-cpu,socket-id={socket},"
                             f"core-id={i // self.threads},thread-id={i % self.threads}"]
        return args

    def _nodes(self):
        """How Linux finds the die of a discovery table, or of any bus if there are over eight."""
        if not self.nodes:
            return []
        size, unit = re.fullmatch(r"(\d+)([MG]?)", self.get("machine", "memory", "1G")).groups()
        share, rest = divmod(int(size) * {"": 1, "M": 1, "G": 1024}[unit], self.nodes)
        args = []
        for node in range(self.nodes):
            size = share + rest * (node == 0)
            args += ["-object", f"memory-backend-ram,id=memory{node},size={size}M",
                     "-numa", f"node,nodeid={node},memdev=memory{node}"]
        for socket in range(self.sockets):
            args += ["-numa", f"cpu,node-id={self._node(socket)},socket-id={socket}"]
        return args

    def _stack_keys(self):
        """Return the PCI devices behind stacks: bus and slot of each root port and function."""
        return [[tuple(int(n, 16) for n in word.partition(":")[0].split("."))
                 for word in self.get("stacks", key, "").split()] for key in ("ports", "functions")]

    def _stack_buses(self):
        """Return the buses of stacks and of devices behind them, with their sockets."""
        if not self.ini.has_section("stacks"):
            return {}
        found = {int(bus, 0): int(key.partition(":")[0]) for key, bus in self.ini.items("stacks")
                 if re.fullmatch(r"\d+:\d+", key)}
        for bus, _ in sum(self._stack_keys(), []):
            if bus not in found:
                found[bus] = found[max(root for root in found if root < bus)]
        return {bus: socket for bus, socket in sorted(found.items()) if bus}

    def _stack_ports(self):
        """Return the root ports of stacks, with a network device below each."""
        args = []
        for n, (bus, slot) in enumerate(self._stack_keys()[0], 1):
            on = f"stack{bus:02x}" if bus else "pcie.0"
            args += ["-device", f"pcie-root-port,id=port{n},bus={on},addr={slot:#x},chassis={n},"
                                f"slot={n}",
                     "-device", f"e1000e,bus=port{n},mac=52:54:00:12:35:{n:02x},romfile="]
        return args

    def _node(self, socket):
        """A socket's CPUs and uncore bus are in the first of its nodes."""
        return socket * self.nodes // self.sockets

    def _roots(self):
        """Return one extra PCI root per uncore bus, and per IIO bus except the first.

        The last uncore bus is ffh. The others are at the end of each socket's share of the bus
        numbers, for example 7fh and ffh with two sockets. A bus above the uncore bus is used if
        the platform has one.
        """
        if PLATFORMS[self.platform].client:
            return []
        share = 256 // self.sockets
        above = PLATFORMS[self.platform].bus_above
        roots = [(f"uncore{s}", share * (s + 1) - 1 - above, s) for s in range(self.sockets)]
        if above:
            roots += [(f"above{s}", share * (s + 1) - 1, s) for s in range(self.sockets)]
        roots += [(f"stack{bus:02x}", bus, socket) for bus, socket in self._stack_buses().items()]
        if not self.discovery:
            roots += [(f"iio{s}", share * s, s) for s in range(1, self.sockets)]
        roots += [(f"iio{s}", bus, s) for s, bus in enumerate(self.iio_buses)]
        told = self.nodes and self.flag("machine", "bus-nodes", True)
        first = min(ROOT_SLOTS, LPC_SLOT - len(roots))
        devices = []
        for slot, (name, bus, socket) in enumerate(sorted(roots, key=lambda root: root[1]), first):
            node = f",numa_node={self._node(socket)}" if told else ""
            devices.append(f"pxb-pcie,id={name},bus=pcie.0,bus_nr={bus},"
                           f"addr={slot:#x}{node}")
        # QEMU's ACPI tables list the last device first
        order = self.get("machine", "bus-order", "descending")
        if order not in ("ascending", "descending"):
            raise ScenarioError(f"[machine] bus-order = {order}: need ascending or descending")
        if order == "ascending":
            devices.reverse()
        return [arg for device in devices for arg in ("-device", device)]


def binary():
    """The path of our QEMU, built if need be."""
    script = subprocess.run([str(HERE / "build.sh")], stdout=subprocess.PIPE, check=True)
    return script.stdout.decode().splitlines()[-1]


def command(name, directory, settings=(), cpus=2):
    """The command line of a scenario, or of a plain PC with so many CPUs; its files go to the
    directory.

    scenario.ini   the file the model reads, settings applied
    model.log      what the model logs, one JSON object per line
    """
    if not name:
        return [binary(), *PC, "-smp", str(cpus)]
    scenario = Scenario(name, settings)
    directory = Path(directory)
    scenario.write(directory / "scenario.ini")
    return [binary(), *scenario.arguments(directory / "scenario.ini", directory / "model.log")]


def main(argv):
    if not argv or argv[0].startswith("-"):
        print(__doc__.split("\n\n")[1], file=sys.stderr)
        return 2
    try:
        scenario = Scenario(argv[0], dict(arg.split("=", 1) for arg in argv[1:]))
        print(shlex.join(scenario.arguments(argv[0])))
    except (ScenarioError, ValueError) as error:
        print(f"args.py: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
