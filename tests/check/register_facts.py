# SPDX-License-Identifier: GPL-2.0-only
"""The page of register facts: what the driver's platform tables contain, and who says so.

platform_tables.c prints the facts. register_facts.csv has their sources, their UNCERTAIN marks and
the checks that would show a wrong fact. `python3 -m check.register_facts`, run in tests/, writes
the page. `make check` compares it.
"""

import csv
import fnmatch
import os
import re
import subprocess

from check.test_check import OUT, tracked
from lab.artifacts import TOP

PAGE = "Documentation/design/register-facts.md"
RULES = "tests/check/register_facts.csv"
MARKS = "Documentation/design/selftest.md"

# Title of a section of the page, and its platforms. Equal facts of a section are one row.
SECTIONS = {
    "Xeon E5-2600 v1": ("snbep",),
    "Xeon E5-2600 v2": ("ivbep",),
    "Xeon E5-2600 v3": ("hswep",),
    "Xeon E5-2600 v4 and Xeon D-1500": ("bdxep", "bdxde"),
    "Skylake-SP, Cascade Lake-SP, Cooper Lake": ("skx", "clx", "cpx"),
    "Ice Lake-SP": ("icx",),
    "Snow Ridge": ("snr",),
    "Sapphire Rapids and Emerald Rapids": ("spr", "emr"),
    "Granite Rapids, Sierra Forest, Grand Ridge, Clearwater Forest": ("gnr", "srf", "grr", "cwf"),
    "Diamond Rapids": ("dmr",),
    "Nehalem and Westmere": ("nhm", "wsm"),
    "Sandy Bridge to Broadwell, client processors": ("snb", "ivb", "hsw", "bdw"),
    "Skylake to Comet Lake, client processors": ("skl",),
    "Ice Lake, Rocket Lake and Tiger Lake, client processors": ("icl", "rkl", "tgl", "tglh"),
    "Alder Lake and Raptor Lake": ("adl",),
    "Meteor Lake, Arrow Lake, Lunar Lake": ("mtl", "arl", "lnl"),
    "Panther Lake and Wildcat Lake": ("ptl",),
    "Other processors with a discovery table": ("generic",),
    "Cores": ("core",),
}

# Names of the sources in the rules, and what they are
SOURCES = {
    "manual": "Intel's uncore manual of the generation: 327043-001 (v1), 329468-002 (v2)",
    "legal-bits": "a public list of the legal bits of each register, made from Intel 331051 (v3)",
    "icx-list": "public register lists made from Intel 613864 (Ice Lake)",
    "linux": "`intel_uncore`, the driver in the kernel tree, 6.12",
    "linux-2026": "`intel_uncore` of early 2026, which calls some facts of Diamond Rapids preliminary",
    "pcm": "Intel PCM, June 2026",
    "likwid": "LIKWID, June 2026",
    "sep": "Intel's SEP driver 5.39",
    "libpfm": "libpfm4, October 2024",
    "events": "Intel's event lists (perfmon), August 2026",
    "client": "Intel 831649 and 844345, client processors with the same counters",
    "fpga": "Intel 817760, the same counter block in FPGAs",
    "sdm": "Intel 64 and IA-32 Architectures Software Developer's Manual",
    "listings": "public PCI listings and boot logs of real machines",
    "table": "the discovery table, which firmware writes",
    "analogy": "no source: as on the previous or next generation",
    "pmcreader": "clamchowder/PmcReader 8fc52f2, run by its author on client processors",
    "assumed": "no source: a safe value is assumed",
}

# Names of the checks in the rules, as `ucoretool verify` prints them, and what they compare. The
# first five belong to the self-test of a box.
CHECKS = {
    "width": "counters keep all ones up to their width, and no box at a wrong address does",
    "control": "controls keep the bits of all event fields",
    "run": "the clock event counts while it is enabled",
    "freeze": "the clock stands while the die is frozen",
    "box freeze": "the clock stands while the box is frozen",
    "discovery": "all units of the discovery tables respond",
    "clocks": "each clock has between 10 MHz and 10 GHz, and its rate is shown",
    "memory": "the memory controllers count at least the traffic of the test",
    "interrupts": "an overflow of each box type interrupts the chosen CPU, and no other core",
    "status": "the status bits name the box that overflowed while all boxes are armed",
    "overflow": "an overflow sets its status bit and freezes the die (discovery tables, client processors); a "
                "reserved overflow enable has no effect (v2, only with `try_overflow=1`)",
}

# Kinds of facts: what they are, and why no check can find a wrong one, if there is none
KINDS = {
    "place": "first register of the boxes: MSR, PCI function or address",
    "number": "number of boxes on a die",
    "type number": "number of the type in the unit records of a discovery table",
    "general counters": "number and width",
    "fixed counters": "number and width",
    "box control": "offset of the box control",
    "box control values": "values that are written to the box control",
    "box freeze": "the box has no freeze. Nothing relies on one",
    "controls": "offsets and size of the controls of general counters",
    "counters": "offsets of the general counters",
    "fixed counter registers": "offsets of the fixed counters and of their controls",
    "filters": "offsets of the filter and match registers. They are written, and not read back",
    "event fields": "bits of each field. Those of filters have no check",
    "control bits": "further bits of a control. A wrong overflow enable fails at *interrupts*",
    "fixed control bits": "bits of the control of a fixed counter",
    "clock event": "control value of the event that counts every clock",
    "traffic event": "control value of an event that counts requests of the CPU to memory",
    "largest increments": "largest count per clock, of all events and of some. "
                          "A wrong one makes polls too rare, or more frequent than necessary",
    "counters of events": "general counters that can count an event. "
                          "`make check` compares them with Intel's event lists",
    "overflow interrupt": "counters whose overflow raises a PMI",
    "box status": "offset of the box status, and its bits",
    "global status bits": "bits of the global status that an overflow sets",
    "global control": "register and bits",
    "global status": "registers",
    "interrupt": "how the PMI reaches a CPU",
    "tables": "where the addresses of discovery tables are",
    "socket of a PCI bus": "registers that map a PCI bus to a socket. "
                           "A wrong map swaps the traffic of sockets",
    "number of slices": "register with the number of C-Boxes or CHAs",
    "die variant": "register that tells the number of SBOXes",
    "memory controllers": "registers with the addresses of the memory controllers",
    "distance of MMIO controls": "bytes from the control of a counter to the next",
    "free-running": "counters without a control. Nothing is written to them",
    "part of a link": "only a warning about missing boxes depends on it",
    "types that do not work": "units that the driver leaves out",
    "unused global control": "a register that no source describes, and that is not used",
    "IIO stacks": "registers with the root buses of the stacks. Only lists show them",
    "ports": "PCI functions behind the ports of a stack. Reads of one device must count at its port",
    "root buses without a stack": "ids of the table of root buses that no box has",
    "link speed": "register with the speed of a link. Only lists and the utilization use it",
    "UPI links": "registers with the remote ends of links. Only lists show them",
    "CAS_COUNT": "meaning of the event",
    "counters that can be written in full": "first counter. CPUID describes the cores' counters",
}

# Facts that are not in the tables of the platforms: platforms, box, fact, value
EXTRA = (
    (("snbep", "ivbep", "hswep", "bdxep", "bdxde", "skx", "clx", "cpx", "icx", "snr", "spr", "emr",
      "gnr", "srf", "grr", "cwf"), "imc", "CAS_COUNT", "one count for each cache line of 64 bytes"),
    (("spr", "emr"), "mchbm", "CAS_COUNT", "one count for 32 bytes"),
    (("snr",), "-", "unused global control", "its address and its bits are unknown"),
)

HEAD = """<!-- SPDX-License-Identifier: GPL-2.0-only -->
# Register facts and their sources

This page lists what the driver assumes about the registers of each platform. `python3 -m check.register_facts`, run in
`tests/`, generates it from the driver's tables (`driver/platforms`) and from `tests/check/register_facts.csv`.
`make check` compares it with both.

No fact was measured on hardware. `ucoretool verify` tests them on the machine at hand, and runs the
[self-tests](selftest.md) of all boxes. The column *uncertain* has the name of the mark `UNCERTAIN(name)` in the code,
where sources contradict each other or are silent. [Uncertain facts](selftest.md#uncertain-facts) has the reasons. The
column *shown wrong by* has the checks of `verify` that fail if the fact is wrong. With *none* the kind of the fact
says why there is no check.

Boxes with equal facts share a row. Offsets of boxes in MSRs are numbers of registers from the box's place, or MSRs if
the box has no place of its own. Other offsets are bytes. `n` is the number of a box, `i` that of a counter. Bits are
written as 31:24. Counters of events are written as *event selects: counters*.
"""


def printed():
    """Compile the driver's tables into a user-space program, and return its lines."""
    # tests run in parallel, each with its own program
    program = OUT / f"platform-tables-{os.getpid()}"
    OUT.mkdir(parents=True, exist_ok=True)
    files = [TOP / name for name in tracked("driver/platforms", "tests/check", pattern=r"\.c$")
             if not name.endswith("/match.c")]
    subprocess.run(["gcc", "-std=gnu11", f"-I{TOP}/tests/fuzz/include", f"-I{TOP}/driver",
                    f"-I{TOP}/tests/check", "-o", program, TOP / "tests/fuzz/platforms.c", *files],
                   check=True)
    said = subprocess.run([program], check=True, capture_output=True, text=True).stdout
    program.unlink()
    return said.splitlines()


def facts(lines):
    """Return the facts: (platform, box, fact, value)."""
    return [tuple(line.split("\t")[1:]) for line in lines if line.startswith("fact\t")]


def rules():
    """Return the rules of the CSV."""
    lines = (TOP / RULES).read_text().splitlines()
    return list(csv.DictReader(line for line in lines if line and not line.startswith("#")))


def applies(rule, platform, box, fact):
    return all(value in rule[column].split("|") or
               any(fnmatch.fnmatchcase(value, each) for each in rule[column].split("|"))
               for column, value in (("platforms", platform), ("boxes", box), ("facts", fact)))


class Origin:
    """Source, mark and check of a fact: those of the last rule with a value that applies."""

    def __init__(self, the_rules, platform, box, fact):
        self.source = self.mark = self.check = ""
        self.used = []
        for i, rule in enumerate(the_rules):
            if not applies(rule, platform, box, fact):
                continue
            self.used.append(i)
            self.source = rule["source"] or self.source
            self.mark = rule["mark"] or self.mark
            self.check = rule["check"] or self.check


def marks():
    """Return what selftest.md says about each mark: name -> the check."""
    text = (TOP / MARKS).read_text()
    return dict(re.findall(r"^\| `([a-z0-9-]+)` \|[^|]+\| ([^|]+) \|$", text, re.M))


def label(users, platforms):
    """Return the text that names boxes: users is a list of (platform, box)."""
    by_box = {}
    for platform, box in users:
        by_box.setdefault(box, []).append(platform)
    names = []
    for box, those in by_box.items():
        only = "" if len(those) == len(platforms) else f" ({', '.join(those)})"
        names.append(("all" if box == "-" else f"`{box}`") + only)
    return ", ".join(names)


def rows_of(platforms, all_facts, the_rules):
    """Return the table rows of a section, in the order of KINDS."""
    merged = {}
    for platform, box, fact, value in all_facts:
        if platform in platforms:
            origin = Origin(the_rules, platform, box, fact)
            key = (fact, value, origin.source, origin.mark, origin.check)
            merged.setdefault(key, []).append((platform, box))
    kinds = list(KINDS)
    for key in sorted(merged, key=lambda key: kinds.index(key[0])):
        fact, value, source, mark, check = key
        yield (f"| {fact} | {label(merged[key], platforms)} | {value} | {source} | "
               f"{f'`{mark}`' if mark else ''} | {check} |")


def legend(title, *tables):
    """Return a table of names and their meanings."""
    rows = [f"| {name} | {text} |" for table in tables for name, text in table.items()]
    return "\n".join(["", f"| {title} | meaning |", "|---|---|", *rows, ""])


def all_facts_of(lines):
    return facts(lines) + [(platform, box, fact, value) for platforms, box, fact, value in EXTRA
                           for platform in platforms]


def page(lines, the_rules):
    """Return the text of the page."""
    parts = [HEAD, legend("source", SOURCES), legend("check", CHECKS), legend("fact", KINDS)]
    for title, platforms in SECTIONS.items():
        parts.append(f"\n## {title}\n\n"
                     "| fact | boxes | value | source | uncertain | shown wrong by |\n"
                     "|---|---|---|---|---|---|\n")
        parts.extend(f"{row}\n" for row in rows_of(platforms, all_facts_of(lines), the_rules))
    return "".join(parts)


if __name__ == "__main__":
    (TOP / PAGE).write_text(page(printed(), rules()))
    print(PAGE)
