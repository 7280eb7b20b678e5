# SPDX-License-Identifier: GPL-2.0-only
"""Intel PCM and LIKWID of Debian's packages for a guest, and their syntax for a set of events.

The packages are unpacked and not installed. Both tools read registers by /dev/cpu/N/msr and
/proc/bus/pci, with a system call for each access.
"""

import re

from lab import archive, bench, cpio

PACKAGES = ("pcm", "libsimdjson14", "likwid", "libhwloc15", "liblua5.3-0", "lua5.3")
# likwid-perfctr does not start without its daemon, although direct access does not use it
PROGRAMS = ("usr/sbin/pcm-raw", "usr/bin/lua5.3", "usr/bin/likwid-perfctr",
            "usr/sbin/likwid-accessD")
LIBRARIES = "usr/lib/x86_64-linux-gnu"
# likwid-perfctr loads the first two libraries by name
LOADED = ("liblikwid.so", "liblikwidpin.so.5.2", "libhwloc.so.15", "liblua5.3.so.0",
          "libsimdjson.so.14")
DATA = ("usr/share/lua/likwid.lua", "usr/share/likwid/perfgroups/ivybridgeEP/*")
EVENT = re.compile(r"(?P<type>\w*?[a-z])(?P<instance>\d*)/(?:event=(?P<event>\w+)|fixed)/")

# The PCI backend of hwloc is missing here, and LIKWID crashes searching for one. Without that
# backend LIKWID finds the functions in /proc
NO_HWLOC_PCI = "HWLOC_COMPONENTS=-linux:pci"

# Types that pcm-raw can program on an E5-2600 v2, by the names it has for them
PCM_TYPES = {"cbo": "cbo", "ubox": "ubox", "pcu": "pcu", "imc": "imc", "qpi": "qpi"}
PCM_FIXED = ("imc",)
# box types that PCM freezes, one box after the other, while it reads; MSR boxes count on
PCM_FROZEN = ("imc", "qpi")
# LIKWID's event and counter, with {box} and {counter} inserted. Events of another name read the
# same register. LIKWID expects the IRP on the uncore bus, where an E5-2600 v2 has none
LIKWID_COUNTERS = {
    "cbo": ("CBOX_CLOCKTICKS", "CBOX{box}C{counter}"),
    "ubox": ("LOCK_CYCLES", "UBOX{counter}"),
    "pcu": ("WBOX_CLOCKTICKS", "WBOX{counter}"),
    "ha": ("BBOX_CLOCKTICKS", "BBOX{box}C{counter}"),
    "imc": ("CAS_COUNT_RD", "MBOX{box}C{counter}"),
    "qpi": ("SBOX_CLOCKTICKS", "SBOX{box}C{counter}"),
    "r2pcie": ("PBOX_CLOCKTICKS", "PBOX{counter}"),
    "r3qpi": ("RBOX_CLOCKTICKS", "RBOX{box}C{counter}"),
}
LIKWID_FIXED = {"imc": ("DRAM_CLOCKTICKS", "MBOX{box}FIX"), "ubox": ("UNCORE_CLOCK", "UBOXFIX")}


def files():
    """Return guest path -> host path, for Machine(files=...)."""
    tree = archive.kept(archive.cache() / "peers", PACKAGES)
    found = {}
    for name in (*PROGRAMS, *(f"{LIBRARIES}/{library}" for library in LOADED)):
        found[f"/{name}"] = tree / name
        found |= {library: library for library in cpio.libraries(tree / name)}
    data = [path for pattern in DATA for path in tree.glob(pattern)]
    return found | {f"/{path.relative_to(tree)}": path for path in data}


# ---- Counters ----

def counters(platform, events):
    """Return (type, box, counter or "fixed", event) of each counter of a die."""
    instances = {box.name: box.instances for box in platform.boxes}
    found, used = [], {}
    for text in events.ucore:
        kind, instance, event = EVENT.fullmatch(text).groups()
        boxes = [int(instance)] if instance else range(instances[kind])
        for box in boxes:
            number = "fixed"
            if event:
                number = used[kind, box] = used.get((kind, box), -1) + 1
            found.append((kind, box, number, event))
    return found


def of_pcm(found, sockets=1, cores=1):
    """Return the counters that PCM counts: C-Boxes of the online cores, QPI if there are two
    sockets."""
    def counts(kind, box, number):
        return kind in PCM_TYPES and (number != "fixed" or kind in PCM_FIXED) and \
            (kind != "cbo" or box < cores) and (kind != "qpi" or sockets > 1)
    return [one for one in found if counts(*one[:3])]


def of_likwid(found):
    return [(kind, box, number, event) for kind, box, number, event in found
            if kind in (LIKWID_FIXED if number == "fixed" else LIKWID_COUNTERS)]


# ---- Commands ----

def pcm(platform, events, interval_ms, sockets=1, cores=1):
    """Return the command of pcm-raw. An event is programmed on all boxes of a type and listed
    once."""
    said = dict.fromkeys(
        (PCM_TYPES[kind], number, event)
        for kind, _, number, event in of_pcm(counters(platform, events), sockets, cores))
    options = " ".join(
        f"-e {kind}/fixed,name={kind}_fixed/" if number == "fixed" else
        f"-e {kind}/config={event},name={kind}_{number}/" for kind, number, event in said)

    def command(seconds):
        rounds = int(float(seconds) * 1000 / interval_ms)
        return f"pcm-raw {interval_ms / 1000} -i={rounds} -csv=/tmp/out {options}"
    # two lines above are headings
    return bench.Tool(command, "tail -n +3 /tmp/out | grep -c ,")


def likwid(platform, events, interval_ms, cpus="0"):
    """Return the command of likwid-perfctr in timeline mode with direct access; `cpus`: one per
    socket."""
    def spelled(kind, box, number, _):
        name, counter = (LIKWID_FIXED if number == "fixed" else LIKWID_COUNTERS)[kind]
        return f"{name}:{counter.format(box=box, counter=number)}"
    group = ",".join(spelled(*one) for one in of_likwid(counters(platform, events)))
    begin = f"{NO_HWLOC_PCI} likwid-perfctr -f -M 0 -c {cpus} -t {interval_ms}ms -g {group}"
    return bench.Tool(lambda seconds: f"{begin} -O -o /tmp/out sleep {seconds}",
                      "grep -c '^[0-9]' /tmp/out")


def perf_groups(events, interval_ms):
    """Return perf stat with a group for each box, which a single read(2) reads."""
    boxes = {}
    for event in events.perf:
        boxes.setdefault(event.split("/")[0], []).append(event)
    groups = " ".join(f"-e '{{{','.join(group)}}}'" for group in boxes.values())
    return bench.Tool(lambda seconds: f"perf stat -a -I {interval_ms} -x, -o /tmp/out {groups} "
                                      f"-- sleep {seconds}",
                      "grep '^ ' /tmp/out | cut -d, -f1 | sort -u | wc -l")
