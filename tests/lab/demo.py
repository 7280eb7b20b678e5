#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""`make demo`: an emulated two-socket Xeon E5-2600 v2, counted and sampled.

Everything in the guest is what a user would type; in the end the samples are
compared with what the machine model knows to be true.
"""

import sys
import time

import artifacts
import kernels
import machine_args
import truth
from lab import Machine

SCENARIO, KERNEL = "e2-2s", "6.1"
PMI_CPU = 1
PERIOD = 100000
STAT = ("ucoretool stat --per-socket -e imc/CAS_COUNT.RD/ -e imc/CAS_COUNT.WR/ -- sleep 1")
RECORD = (f"ucoretool record -e imc/CAS_COUNT.RD/ -c {PERIOD} -e imc/CAS_COUNT.WR/ "
          f"-e ha/REQUESTS.READS/ -e cbo/TOR_INSERTS.ALL/ -C {PMI_CPU} -o /tmp/samples -- sleep 0.2")
REPORT = "ucoretool report -i /tmp/samples | tail -n 16"

started = time.monotonic()


def say(text):
    print(f"\n[{time.monotonic() - started:5.1f} s] {text}", flush=True)


def show(machine, command):
    """Runs a command in the guest as if it were typed there."""
    print(f"lab# {command}", flush=True)
    result = machine.run(command, timeout=120)
    for line in (result.out + result.err).splitlines():
        print(f"  {line}")
    sys.stdout.flush()


def prepare():
    say("QEMU with the model of a Xeon E5-2600 v2")
    machine_args.prepare()
    say(f"Debian's kernel {KERNEL}")
    kernels.get(KERNEL)
    say("ucore.ko and ucoretool")
    artifacts.module(KERNEL)
    artifacts.tools()


def record_and_compare(machine):
    """Overflow samples, beside the truth; returns whether they agree."""
    events = truth.events_of(machine)
    before, mark = truth.totals_of(machine), machine.truth_length()
    show(machine, RECORD)
    show(machine, REPORT)
    freezes = [f for f in machine.truth("freeze", mark) if f["reason"] == "overflow"]
    samples = truth.samples_of(machine, "/tmp/samples")
    equal, differences = truth.compared(samples, freezes, before, events)
    strays = [s for s in samples if s["die"] == 0 and s["cpu"] != PMI_CPU]

    say("The samples against the model, which logs every counter at every freeze")
    print(f"  {len(freezes)} overflows froze a die, {len(samples)} samples were written")
    print(f"  {equal} values are equal to the truth, {len(differences)} are not")
    print(f"  {len(strays)} PMIs of die 0 came to another CPU than {PMI_CPU}")
    for difference in differences[:10]:
        print(f"    {difference}")
    return bool(samples) and not differences and not strays


def main():
    prepare()
    say(f"Booting {SCENARIO}")
    with Machine(SCENARIO, KERNEL) as machine:
        say("The module, and the boxes that it finds")
        show(machine, f"insmod {machine.module_path()}")
        show(machine, "ucoretool list")
        say("All memory traffic of a second, per socket")
        show(machine, STAT)
        say(f"A sample of all counters of a die each time a channel has read {PERIOD} lines")
        good = record_and_compare(machine)
        machine.check_log()
        machine.check_model()
    say("Done: all equal." if good else "Done, and something is WRONG.")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
