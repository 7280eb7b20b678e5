# SPDX-License-Identifier: GPL-2.0-only
"""`make demo PLATFORM=core`: core counters together with those of a memory controller.

The guest runs the commands of a user. At the end the samples are compared with the counts of
the machine model.
"""

from lab import coretruth, truth
from lab.demo import KERNEL, REPORT, prepare, say, show
from lab.machine import Machine

SCENARIO, PLATFORM = "e2-2s", "ivbep"
PERIOD = 52000000
MISSES, CYCLES, INSTRUCTIONS = ("core/LLC_MISSES/", "core/CPU_CLK_UNHALTED.THREAD/",
                                "core/INSTRUCTIONS_RETIRED/")
READS = "imc/CAS_COUNT.RD/"
STAT = f"ucoretool stat --per-box -e {MISSES} -e {CYCLES} -e {READS} -- sleep 1"
RECORD = (f"ucoretool record -c {PERIOD} -e {INSTRUCTIONS} -e {MISSES} -e {CYCLES} "
          "-o /tmp/samples -- sleep 0.4")
# control of a counter -> event
EVENTS = {0x00c0: INSTRUCTIONS, 0x412e: MISSES, "fixed1": CYCLES}

OWNERS = """\
  The kernel's perf uses the same counters, and its NMI watchdog has one of each CPU. The first
  owner keeps them: ucore refuses, and reports what to do."""
INSTANT = """\
  One session, one time: each CPU and each die stops its counters at the same time, reads them and
  continues. CPUs whose counters are not used get no interrupt."""


def show_refused(machine, command):
    """Show a command that must fail, as show() does."""
    print(f"lab# {command}", flush=True)
    result = machine.run(command, check=False)
    if not result.status:
        raise AssertionError(f"{command}: not refused")
    print(f"  {result.err.strip()}", flush=True)


def compare(machine):
    """Compare samples by overflow with the model; return true if they agree."""
    before, mark = coretruth.totals_of(machine), machine.truth_length()
    show(machine, RECORD)
    show(machine, REPORT)
    freezes = [freeze for freeze in coretruth.freezes_of(machine, mark)
               if freeze["reason"] == "overflow"]
    samples = truth.samples_of(machine, "/tmp/samples")
    equal, differences = coretruth.compared(samples, freezes, before, EVENTS)
    strays = [sample for sample in samples if sample["trigger"] != "overflow"]

    say("The samples against the model, which logs every core's counters when they are stopped")
    print(f"  {len(freezes)} freezes by overflow, {len(samples)} samples of "
          f"{len({sample['cpu'] for sample in samples})} CPUs were written")
    print(f"  {equal} values are equal to the truth, {len(differences)} are not")
    for difference in differences[:10]:
        print(f"    {difference}")
    return bool(samples) and not differences and not strays


def main():
    prepare(PLATFORM)
    say(f"Booting {SCENARIO}")
    with Machine(SCENARIO, KERNEL) as machine:
        say("The module, and the core PMU by CPUID.0AH")
        show(machine, f"insmod {machine.module_path()}")
        show(machine, "ucoretool info | grep -A 5 ^cores")
        say("Owner of the core counters")
        print(OWNERS)
        show_refused(machine, f"ucoretool stat -e {MISSES} -- sleep 1")
        show(machine, "sysctl -w kernel.nmi_watchdog=0")
        machine.inject("record-cores yes")
        say("Last-level cache misses of each CPU, and the reads of the memory controllers")
        print(INSTANT)
        show(machine, STAT)
        say(f"A sample of a CPU's counters each time it has retired {PERIOD} instructions")
        good = compare(machine)
        machine.check_log()
        machine.check_model()
    say("Done: all equal." if good else "Done, and something is WRONG.")
    return 0 if good else 1
