# SPDX-License-Identifier: GPL-2.0-only
"""`make demo`: an emulated Xeon, counted and sampled.

usage: python3 -m lab.demo [PLATFORM]

The guest runs the commands of a user. At the end the samples are compared with the counts of
the machine model.
"""

import dataclasses
import statistics
import sys
import time

from lab import artifacts, kernels, truth
from lab.machine import Machine
from lab.qemu import args, platforms

KERNEL = "6.1"
PMI_CPU = 1
REPORT = "ucoretool script -i /tmp/samples | tail -n 16"
STAT = "ucoretool stat --per-socket -e {} -e {} -- sleep 1"
READS, WRITES = "imc/CAS_COUNT.RD/", "imc/CAS_COUNT.WR/"

NO_PMI = """\
  By a timer: no public document describes how this generation routes the interrupt of an
  overflow to a core (Documentation/design/discovery.md). The timer freezes the whole die, and
  reads the same counters. record --no-pmi samples overflows without an interrupt."""

NO_FREEZE = """\
  By polling: this generation has no overflow interrupt, so ucore polls the counters often
  enough that no period is missed. The first poll past the end of one freezes the die, box by
  box: the skew is the time between the first box's freeze and the last one's. Nothing freezes
  the UBox: what it counted until it was read is marked unfrozen."""

NO_GLOBAL = """\
  By a timer: no public document describes how this generation routes the interrupt of an
  overflow, nor the layout of its global control. The timer freezes the die box by box: the skew
  is the time between the first box's freeze and the last one's."""


SILENT = """\
  Without an interrupt: the overflow stops all boxes of the processor, and polls of the status find
  it. ucore first tried what an overflow does, because no public document describes how the status
  is cleared on client processors."""


STOPS = """\
  Without an interrupt: the overflow stops all counters of the package, and polls of the status find
  it. ucore first tried whether it does if no core is selected for the interrupt."""


NO_STATUS = """\
  By a timer: no source describes a status of overflows, or an interrupt. The timer stops both tiles
  by their global controls, one after the other, and reads the same counters."""


@dataclasses.dataclass(frozen=True)
class Demo:
    """The demonstration of one platform."""
    scenario: str
    stat: str
    record: str
    what: str           # is sampled
    why: str = ""
    reason: str = "overflow"        # reason of the freezes in which samples are taken
    period: int = 0                 # polled period of READS; 0 if the platform has interrupts
    silent: bool = False            # overflows freeze the die without an interrupt

    @property
    def by_pmi(self):
        return self.reason == "overflow" and not self.silent


OF_MESH = ("cha/TOR_INSERTS.IA_MISS/", "upi/TxL_FLITS.ALL_DATA/",
           "iio/DATA_REQ_OF_CPU.MEM_READ.ALL_PARTS/")
OF_GNR = ("imc/CAS_COUNT_SCH0.RD/", "imc/CAS_COUNT_SCH0.WR/")
OF_HBM = ("mchbm/CAS_COUNT.RD/", "mchbm/CAS_COUNT.WR/")
OF_LOOKUPS = ("cbo/CACHE_LOOKUP.ANY_MESI/", "cbo/CACHE_LOOKUP.ANY_I/")
OF_QMC = ("uncore/QMC_NORMAL_READS.ANY/", "uncore/QMC_WRITES.FULL_ANY/")
CLOCKS, REQUESTS = "clock/CLOCK.SOCKET/", "arb/TRK_REQUESTS.ALL/"
OF_E5 = ("ha/REQUESTS.READS/", "cbo/TOR_INSERTS.ALL/")


def by_overflow(scenario, period, *more):
    events = " ".join(f"-e {event}" for event in (WRITES, *more))
    return Demo(scenario, STAT.format(READS, WRITES),
                f"ucoretool record -e {READS} -c {period} {events} --pmi-cpus {PMI_CPU} "
                "-o /tmp/samples -- sleep 0.2",
                f"A sample of all counters of a die each time a channel has read {period} lines")


def by_polling(scenario, period, *more):
    events = " ".join(f"-e {event}" for event in (WRITES, *more))
    return Demo(scenario, STAT.format(READS, WRITES),
                f"ucoretool record -e {READS} -c {period} {events} -o /tmp/samples -- sleep 0.3",
                f"A sample of all counters of a die when a channel has read {period} lines",
                NO_FREEZE, "boxes", period)


def by_timer(scenario, reads, writes, *more, why=NO_PMI, reason="frz_all"):
    events = " ".join(f"-e {event}" for event in (reads, writes, *more))
    return Demo(scenario, STAT.format(reads, writes),
                f"ucoretool record --timer 10ms {events} -o /tmp/samples -- sleep 0.3",
                "A sample of all counters of a die every 10 ms, of all dies at the same instants",
                why, reason)


def of_client(scenario, reads, writes, *events):
    """The stat shows free-running counters of memory controllers, which no freeze stops. The
    samples are of the other boxes."""
    return Demo(scenario, STAT.format(f"imc_free/{reads}_FREERUN/", f"imc_free/{writes}_FREERUN/"),
                f"ucoretool record -e {CLOCKS} -c 30M {' '.join(f'-e {event}' for event in events)} "
                "--no-pmi -o /tmp/samples -- sleep 0.3",
                "A sample of all events each time the clock of the uncore has counted 30 million",
                SILENT, silent=True)


def of_tiles(scenario, *events):
    reads, writes = (f"imc_free/{name}_COUNT_FREERUN/" for name in ("RDCAS", "WRCAS"))
    return Demo(scenario, STAT.format(reads, writes),
                f"ucoretool record --timer 10ms {' '.join(f'-e {event}' for event in events)} "
                "-o /tmp/samples -- sleep 0.3",
                "A sample of all events every 10 ms", NO_STATUS, "frz_all")


PLATFORMS = {
    "ivbep": by_overflow("e2-2s", 100000, *OF_E5),
    "snbep": by_polling("snbep-2s", 2000000, "ha/REQUESTS.READS/", "cbo/TOR_INSERTS.MISS_ALL/",
                        "ubox/EVENT_MSG.DOORBELL_RCVD/"),
    # eight channels in a socket, not four
    "hswep": by_overflow("hswep-2s", 200000, *OF_E5, "sbox/RING_BL_USED.UP/"),
    "bdxep": by_overflow("bdxep-2s", 200000, *OF_E5, "sbox/RING_BL_USED.UP/"),
    "skx": by_overflow("skx-2s", 200000, "cha/TOR_INSERTS.IA_MISS_DRD/",
                       "upi/TxL_FLITS.ALL_DATA/", "iio/DATA_REQ_OF_CPU.MEM_READ.PART0/"),
    "icx": by_overflow("icx-2s", 200000, "cha/TOR_INSERTS.IA_MISS_DRD/",
                       "upi/TxL_FLITS.ALL_DATA/", "iio/DATA_REQ_OF_CPU.MEM_READ.PART0/"),
    "snr": by_timer("snr-1s", READS, WRITES, "cha/TOR_INSERTS.IA_MISS/",
                    "iio/DATA_REQ_OF_CPU.MEM_READ.PART0/", why=NO_GLOBAL, reason="boxes"),
    "spr": by_timer("spr-2s", READS, WRITES, *OF_MESH),
    "gnr": by_timer("gnr-2s", *OF_GNR, *OF_MESH),
    "grr": by_timer("grr-1s", *OF_GNR, "cha/TOR_INSERTS.IA_MISS/",
                    "iio/DATA_REQ_OF_CPU.MEM_READ.ALL_PARTS/"),
    "nhm": Demo("nhm-2s", STAT.format(*OF_QMC),
                f"ucoretool record -e uncore/LLC_MISS.ANY/ -c 1M {' '.join(f'-e {event}' for event in OF_QMC)} "
                "-e clock/UNHALTED/ --no-pmi -o /tmp/samples -- sleep 0.3",
                "A sample of all events of a package each time its last-level cache missed a million lines",
                STOPS, silent=True),
    # client processors
    "snb": of_client("snb-1s", "READ", "WRITE", *OF_LOOKUPS, REQUESTS),
    "hsw": of_client("hsw-1s", "READ", "WRITE", *OF_LOOKUPS, REQUESTS),
    "skl": of_client("skl-1s", "READ", "WRITE", *OF_LOOKUPS, REQUESTS),
    "icl": of_client("icl-1s", "READ", "WRITE", REQUESTS),
    "tgl": of_client("tgl-1s", "RDCAS_COUNT", "WRCAS_COUNT", REQUESTS),
    "adl": of_client("adl-1s", "RDCAS_COUNT", "WRCAS_COUNT", REQUESTS),
    "mtl": of_tiles("mtl-1s", CLOCKS, "arb/DAT_OCCUPANCY.RD/", "hac_arb/TRANSACTIONS.READS/",
                    "hac_cbo/TOR_ALLOCATION.ALL/"),
    "ptl": of_tiles("ptl-1s", CLOCKS, "imc/CAS_COUNT_RD/", "imc/RD_DATA/"),
    # machines with the tables of real ones (scenarios/shapes.md)
    "spr-xcc": by_timer("spr-xcc-2s", READS, WRITES, *OF_MESH),
    "spr-mcc": by_timer("spr-mcc-1s", READS, WRITES, *OF_MESH),
    "spr-8s": by_timer("spr-8s", READS, WRITES, *OF_MESH),
    "spr-hbm-only": by_timer("spr-hbm-only-1s", *OF_HBM, *OF_MESH),
    "spr-hbm-flat": by_timer("spr-hbm-flat-1s", READS, WRITES, *OF_HBM, *OF_MESH),
    "spr-hbm-cache": by_timer("spr-hbm-cache-1s", READS, WRITES, *OF_HBM, *OF_MESH),
    "emr": by_timer("emr-xcc-1s", READS, WRITES, *OF_MESH),
    "gnr-ap": by_timer("gnr-ap-1s", *OF_GNR, *OF_MESH),
    "gnr-sp": by_timer("gnr-sp-2s", *OF_GNR, *OF_MESH),
    "srf": by_timer("srf-sp-1s", *OF_GNR, *OF_MESH),
    "cwf": by_timer("cwf-ap-1s", *OF_GNR, *OF_MESH),
}

# reasons of freezes, in the words of the model and of the demo
CAUSES = {"overflow": "overflow", "frz_all": "the timer", "boxes": "the words of the boxes"}

started = time.monotonic()


def say(text):
    print(f"\n[{time.monotonic() - started:5.1f} s] {text}", flush=True)


def show(machine, command):
    """Run a command in the guest, and print it with a prompt."""
    print(f"lab# {command}", flush=True)
    result = machine.run(command, timeout=120)
    for line in (result.out + result.err).splitlines():
        print(f"  {line}")
    sys.stdout.flush()


def prepare(platform):
    say(f"QEMU with the model of {platforms.PLATFORMS[platform].title}")
    args.binary()
    say(f"Debian's kernel {KERNEL}")
    kernels.get(KERNEL)
    say("ucore.ko, ucoretool and the guest's own programs")
    artifacts.module(KERNEL)
    artifacts.tools()
    artifacts.programs()


def record_and_compare(machine, demo, platform):
    """Record samples and compare them with the model; return true if they agree."""
    events = truth.events_of(platform)
    before, mark = truth.totals_of(machine), machine.truth_length()
    show(machine, demo.record)
    show(machine, REPORT)
    samples = truth.samples_of(machine, "/tmp/samples")
    freezes = freezes_of(demo, machine.truth("freeze", mark), before, events, samples)
    equal, differences = truth.compared(samples, freezes, before, events)
    strays = [sample for sample in samples if is_stray(demo, sample)]

    say("The samples against the model, which logs every counter at every freeze")
    print(f"  {len(freezes)} freezes by {CAUSES[demo.reason]}, {len(samples)} samples were written")
    print(f"  {equal} values are equal to the truth, {len(differences)} are not")
    if demo.by_pmi:
        print(f"  {len(strays)} PMIs of die 0 came to another CPU than {PMI_CPU}")
    if demo.period:
        show_polling(samples, freezes, strays)
    for difference in differences[:10]:
        print(f"    {difference}")
    return bool(samples) and not differences and not strays


def freezes_of(demo, freezes, before, events, samples):
    """Return the freezes in which a sample must have been taken."""
    if demo.period:
        return truth.polled(freezes, before, READS, events[READS], demo.period)
    return truth.sampled(freezes, demo.reason, samples)


def is_stray(demo, sample):
    """Return true for an interrupt on the wrong CPU, and for a sample without its flag."""
    if demo.silent:
        return not sample.get("no_pmi")
    if demo.by_pmi:
        return sample["die"] == 0 and sample["cpu"] != PMI_CPU
    return bool(demo.period) and not (sample.get("polled") and sample.get("skew_ns"))


def show_polling(samples, freezes, strays):
    unfrozen = [value for sample in samples for value in sample["values"]
                if value.get("note") == truth.UNFROZEN]
    skews = [[sample.get("skew_ns", 0) for sample in samples],
             [freeze["skew"] for freeze in freezes]]
    print(f"  {len(unfrozen)} of them are unfrozen: their count may be from any time between freeze "
          "and unfreeze")
    print("  skew (median): {:.1f} us by ucore, {:.1f} us by the model".format(
        *(statistics.median(skew or [0]) / 1000 for skew in skews)))
    print(f"  {len(strays)} samples have no flag for polling, or no skew")


def main(platform="ivbep"):
    if platform == "core":
        from lab import demo_cores      # imported late, because demo_cores imports this module
        return demo_cores.main()
    if platform not in PLATFORMS:
        sys.exit(f"demo: PLATFORM={platform}? There are {', '.join(PLATFORMS)}, core.")
    demo = PLATFORMS[platform]
    platform = args.Scenario(demo.scenario).platform
    prepare(platform)
    say(f"Booting {demo.scenario}")
    with Machine(demo.scenario, KERNEL) as machine:
        say("The module, and the boxes that it finds")
        show(machine, f"insmod {machine.module_path()}")
        machine.run("have")     # run the self-test of each box before the model's totals are read
        show(machine, "ucoretool list")
        if demo.silent:
            say("What the hardware does, an overflow of each box included")
            show(machine, "ucoretool verify --yes | grep '^passed\\|^failed\\|^not'")
        say("All memory traffic of a second, per socket")
        show(machine, demo.stat)
        say(demo.what)
        if demo.why:
            print(demo.why)
        good = record_and_compare(machine, demo, platform)
        machine.check_log()
        machine.check_model()
    say("Done: all equal." if good else "Done, and something is WRONG.")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
