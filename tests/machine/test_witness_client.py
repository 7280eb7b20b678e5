# SPDX-License-Identifier: GPL-2.0-only
"""Client processors, validated with Linux's own driver: see test_witness_e5.py.

That driver never sets an overflow enable, the freeze on overflow or the wake bit, and counts the
clock as an event of the first CBO on processors before Ice Lake.
"""

from lab.framework import BOTH, test
from lab.qemu import rates
from machine import witness
from machine.witness import with_intel_uncore


def traffic(kind):
    return {"traffic": kind}


# perf's spelling -> box type, instance, further arguments of promised()
CBO = {
    "uncore_cbox_0/event=0x34,umask=0x8f/": ("cbo", 0, {"event": 0x34, "umask": 0x8f}),
    "uncore_cbox_1/event=0x34,umask=0x11/": ("cbo", 1, {"event": 0x34, "umask": 0x11}),
    "uncore_cbox_1/event=0x22,umask=0x41,edge=1/":
        ("cbo", 1, {"event": 0x22, "umask": 0x41, "edge": True}),
}
ARB = {
    "uncore_arb/event=0x81,umask=0x01/": ("arb", 0, {"event": 0x81, "umask": 1}),
    "uncore_arb/event=0x80,umask=0x01,cmask=0x5/":
        ("arb", 0, {"event": 0x80, "umask": 1, "thresh": 5}),
}
# the only counter of Ice Lake takes no occupancy
ARB_ICL = {"uncore_arb/event=0x81,umask=0x01/": ("arb", 0, {"event": 0x81, "umask": 1})}
ARB_ADL = {
    "uncore_arb_0/event=0x81,umask=0x01/": ("arb", 0, {"event": 0x81, "umask": 1}),
    "uncore_arb_1/event=0x80,umask=0x01,cmask=0x5/":
        ("arb", 1, {"event": 0x80, "umask": 1, "thresh": 5}),
    "uncore_arb_1/event=0x84,umask=0x01,inv=1,cmask=1/":
        ("arb", 1, {"event": 0x84, "umask": 1, "invert": True, "thresh": 1}),
    "uncore_cbox_3/event=0x34,umask=0x8f,threshold=1,inv=1/":
        ("cbo", 3, {"event": 0x34, "umask": 0x8f, "thresh": 1, "invert": True}),
}
HAC = {
    "uncore_hac_arb_0/event=0x8a,umask=0x02/": ("hac_arb", 0, {"event": 0x8a, "umask": 2}),
    "uncore_hac_arb_1/event=0x81,umask=0x01,threshold=0x3f,inv=1/":
        ("hac_arb", 1, {"event": 0x81, "umask": 1, "thresh": 0x3f, "invert": True}),
    "uncore_hac_cbox_0/event=0x35,umask=0x08/": ("hac_cbo", 0, {"event": 0x35, "umask": 8}),
    "uncore_hac_cbox_1/event=0x35,umask=0x01,edge=1/":
        ("hac_cbo", 1, {"event": 0x35, "umask": 1, "edge": True}),
}
# the threshold of these processors has six bits
ARB_MTL = {name.replace("cmask", "threshold"): due for name, due in ARB_ADL.items()}
CLOCKS_MTL = {"uncore_cncu/event=0xff/": ("clock", 0, {"fixed": True}),
              "uncore_sncu/event=0xff/": ("sncu", 0, {"fixed": True})}
CLOCK_OF_CBO = {"uncore_cbox_0/event=0xff/": ("clock", 0, {"fixed": True})}
CLOCK = {"uncore_clock/event=0xff/": ("clock", 0, {"fixed": True})}
MC_32 = {f"uncore_imc/event={event}/": ("imc", 0, traffic(kind))
         for event, kind in enumerate(("read", "write", "gt", "ia", "io"), 1)}
MC_64 = {f"uncore_imc_free_running_{mc}/event=0xff,umask={umask:#x}/": ("imc", mc, traffic(kind))
         for mc in (0, 1) for umask, kind in ((0x10, "total"), (0x20, "read"), (0x30, "write"))}
MC_ADL = {
    "uncore_imc_0/event=0x01/": ("imc", 0, {"event": 1}),
    "uncore_imc_0/event=0x02,chmask=0x3/": ("imc", 0, {"event": 2, "umask": 3}),
    "uncore_imc_1/event=0x03,edge=1/": ("imc", 1, {"event": 3, "edge": True}),
    "uncore_imc_1/event=0x05/": ("imc", 1, {"event": 5}),
}


# the block of Nehalem, whose fixed counter is the clock
BLOCK = {
    "uncore/event=0x2c,umask=0x07/": ("uncore", 0, {"event": 0x2c, "umask": 7}),
    "uncore/event=0x09,umask=0x03,edge=1/": ("uncore", 0, {"event": 9, "umask": 3, "edge": True}),
    "uncore/event=0x08,umask=0x01,cmask=1,inv=1/":
        ("uncore", 0, {"event": 8, "umask": 1, "thresh": 1, "invert": True}),
    "uncore/event=0xff/": ("clock", 0, {"fixed": True}),
}


def agreement(m, platform, counts, events, sockets=(0,)):
    def promised(box, instance, socket, *, traffic=None, **arguments):
        return rates.mc_traffic(traffic, instance) if traffic else \
            rates.rate(box, instance, socket, platform=platform, **arguments)

    with witness.driver(m, counts):
        return witness.agreement(m, sockets, events, promised)


@test("nhm-2s", **with_intel_uncore)
def intree_boxes_and_rates_match_on_nehalem(m):
    return agreement(m, "nhm", {"uncore": 1}, BLOCK, (0, 1))


@test("snb-1s", **with_intel_uncore)
def intree_boxes_and_rates_match_on_sandy_bridge(m):
    return agreement(m, "snb", {"cbox": 4, "arb": 1, "imc": 1},
                     {**CBO, **ARB, **CLOCK_OF_CBO, **MC_32})


@test("hsw-1s", **with_intel_uncore)
def intree_boxes_and_rates_match_on_haswell(m):
    return agreement(m, "hsw", {"cbox": 2, "arb": 1, "imc": 1},
                     {**CBO, **ARB, **CLOCK_OF_CBO, **MC_32})


@test("skl-1s", **with_intel_uncore)
def intree_boxes_and_rates_match_on_skylake(m):
    return agreement(m, "skl", {"cbox": 4, "arb": 1, "imc": 1},
                     {**CBO, **ARB, **CLOCK_OF_CBO, **MC_32})


# Linux 6.12 ignores the cores that do not exist, and uses two CBOs
@test("cml-1s", kernels=("6.1",), **with_intel_uncore)
def intree_boxes_and_rates_match_on_comet_lake(m):
    late = {f"uncore_cbox_{n}/event=0x34,umask=0x8f/": ("cbo", n, {"event": 0x34, "umask": 0x8f})
            for n in (6, 7)}
    return agreement(m, "skl", {"cbox": 8, "arb": 1, "imc": 1}, {**CBO, **ARB, **late, **MC_32})


@test("icl-1s", **with_intel_uncore)
def intree_boxes_and_rates_match_on_ice_lake_client(m):
    return agreement(m, "icl", {"cbox": 4, "arb": 1, "clock": 1, "imc": 1},
                     {**CBO, **ARB_ICL, **CLOCK, **MC_32})


@test("tgl-1s", **with_intel_uncore)
def intree_boxes_and_rates_match_on_tiger_lake(m):
    return agreement(m, "tgl", {"cbox": 4, "arb": 1, "clock": 1, "imc_free_running": 2},
                     {**CBO, **ARB, **CLOCK, **MC_64})


@test("adl-1s", kernels=BOTH, **with_intel_uncore)
def intree_boxes_and_rates_match_on_alder_lake(m):
    return agreement(m, "adl", {"cbox": 4, "arb": 2, "clock": 1, "imc": 2, "imc_free_running": 2},
                     {**CBO, **ARB_ADL, **CLOCK, **MC_64, **MC_ADL})


# Linux 6.1 does not have these processors
@test("mtl-1s", kernels=("6.12",), **with_intel_uncore)
def intree_boxes_and_rates_match_on_meteor_lake(m):
    return agreement(m, "mtl", {"cbox": 4, "arb": 2, "hac_arb": 2, "hac_cbox": 2, "cncu": 1,
                                "sncu": 1, "imc": 2, "imc_free_running": 2},
                     {**CBO, **ARB_MTL, **HAC, **CLOCKS_MTL, **MC_64, **MC_ADL})


# The model has none of the boxes behind SAFBAR
@test("lnl-1s", kernels=("6.12",), **with_intel_uncore)
def intree_boxes_and_rates_match_on_lunar_lake(m):
    return agreement(m, "lnl", {"cbox": 4, "arb": 2, "hbo": 2, "sncu": 1, "imc": 2,
                                "imc_free_running": 2}, {**CBO, **ARB_MTL, **MC_64, **MC_ADL})
