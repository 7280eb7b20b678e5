# SPDX-License-Identifier: GPL-2.0-only
"""Cost of each access on the clocked machine, with its source.

An instruction takes 1 ns, the minimum of QEMU's icount. This is 2.6 GHz at 0.4 instructions a
clock. A cost covers the access or the entry alone, because the instructions around it are
executed. "Assumed" marks a cost without a measurement. The second set is twice as expensive and
shows the dependence on these values.
"""

import dataclasses


@dataclasses.dataclass(frozen=True)
class Price:
    ns: int
    what: str
    source: str


MCCALPIN = ("J. McCalpin, github.com/jdmccalpin/periodic-performance-counters, perf_counters.c, "
            "comment at the loop over IMC counters: 450 to 550 TSC cycles a read on an E5-2600 v3 "
            "node, 30k to 36k being 11 to 14 µs: 165 to 212 ns")
PRICES = {
    "rdmsr": Price(200, "RDMSR of a counter or control",
                   "iximeow, gist 62c967d2fad28d70aa333f8310bfac4c, \"msr read characteristics\": "
                   "217 to 279 ns a read, of a Ryzen 3950X and with its system call; of Intel's "
                   "uncore assumed"),
    "wrmsr": Price(200, "WRMSR of the same", "assumed: as RDMSR"),
    "ecam": Price(200, "a dword of PCI config space through ECAM", MCCALPIN),
    "cf8": Price(500, "a dword of it through CF8h and CFCh",
                 "assumed: two port I/Os, each as long as an ECAM read, and serializing"),
    "mmio": Price(200, "a read or write of a box in memory",
                  "assumed: as ECAM, an uncached access to the same mesh"),
    "rdpmc": Price(15, "RDPMC", "assumed: some 40 clocks, it stays within the core"),
    "ipi": Price(1000, "an interrupt to another CPU",
                 "Linux 4180bf1b655a, \"KVM: X86: Implement send IPI hypercall\", benchmark of "
                 "100,000 IPIs on a Skylake: 2.2 to 2.6 µs each under KVM; bare, the half is assumed"),
    "irq": Price(400, "entry and exit of an interrupt", "assumed: 1000 clocks"),
    "nmi": Price(500, "entry and exit of an NMI", "assumed: an interrupt and the stack's change"),
    "syscall": Price(50, "SYSCALL and SYSRET",
                     "taourl.com/read-2670616.html: getpid takes 20 to 50 ns on current processors "
                     "(without page table isolation, as the lab's kernels are booted)"),
    "pause": Price(54, "PAUSE, of a CPU that waits for another",
                   "Intel 248966, Optimization Reference Manual, on Skylake: up to 140 clocks, some 10 "
                   "before"),
}
INSTRUCTION_NS = 1
# Factors for the costs
SETS = {"stated": 1, "twice as dear": 2}


def settings(times=1):
    """Return the section [clock] of a scenario."""
    return {f"clock.{name}": price.ns * times for name, price in PRICES.items()}
