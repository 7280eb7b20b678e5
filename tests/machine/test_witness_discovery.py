# SPDX-License-Identifier: GPL-2.0-only
"""Sapphire and Emerald Rapids, and an unknown model, validated with Linux's own driver: see
test_witness.py.

The driver reads the table by itself and thereby validates it, too. Known errors of the kernels
are in WRONG, with the reason. Of controls of 64 bits in memory (CXL, B2CXL) it writes only the
lower half, so that an extended umask has no effect. No kernel knows the fixed counters of the
UBox and of the memory controllers of HBM.
"""

import functools

from lab.framework import BOTH, test
from lab.qemu import rates
from machine import witness
from machine.witness import with_intel_uncore


def ext(umask, high):
    """Return the umask term for perf: umask, and extension from bit 8."""
    return f"umask={high << 8 | umask:#x}"


def free(kind, port=0):
    return {"free": kind, "port": port}


# perf's spelling -> box type, instance, further arguments of promised()
EVENTS = {
    "uncore_cha_0/event=1/": ("cha", 0, {"event": 1}),
    "uncore_cha_3/event=1/": ("cha", 3, {"event": 1}),
    f"uncore_cha_0/event=0x35,{ext(1, 0xc817fe)}/":
        ("cha", 0, {"event": 0x35, "umask": 1, "umask_ext": 0xc817fe}),
    "uncore_cha_1/event=0x50,umask=3,thresh=1,edge=1/":
        ("cha", 1, {"event": 0x50, "umask": 3, "thresh": 1, "edge": True}),
    "uncore_cha_1/event=0x50,umask=3,tid_en=1,filter_tid=5/":
        ("cha", 1, {"event": 0x50, "umask": 3, "tid": 5}),
    "uncore_cha_2/event=0x36,umask=1,thresh=3/":
        ("cha", 2, {"event": 0x36, "umask": 1, "thresh": 3}),
    "uncore_iio_0/event=1/": ("iio", 0, {"event": 1}),
    "uncore_iio_1/event=0x83,umask=4,ch_mask=0xff,fc_mask=7/":
        ("iio", 1, {"event": 0x83, "umask": 4, "ch_mask": 0xff, "fc_mask": 7}),
    "uncore_irp_1/event=0x18/": ("irp", 1, {"event": 0x18}),
    "uncore_m2pcie_1/event=1/": ("m2pcie", 1, {"event": 1}),
    "uncore_m2pcie_0/event=0x14/": ("m2pcie", 0, {"event": 0x14}),
    "uncore_pcu/event=0x35/": ("pcu", 0, {"event": 0x35}),
    "uncore_type_5/event=0x42,umask=8/": ("ubox", 0, {"event": 0x42, "umask": 8}),
    "uncore_mdf/event=1/": ("mdf", 0, {"event": 1}),
    "uncore_imc_0/event=5,umask=0xcf/": ("imc", 0, {"event": 5, "umask": 0xcf}),
    "uncore_imc_1/event=5,umask=0xf0/": ("imc", 1, {"event": 5, "umask": 0xf0}),
    "uncore_imc_2/event=0x80,thresh=8/": ("imc", 2, {"event": 0x80, "thresh": 8}),
    "uncore_imc_3/event=0x80,thresh=8,inv=1/":
        ("imc", 3, {"event": 0x80, "thresh": 8, "invert": True}),
    "uncore_imc_0/event=0xff/": ("imc", 0, {"fixed": True}),
    "uncore_imc_3/event=0xff/": ("imc", 3, {"fixed": True}),
    "uncore_m2m_0/event=1/": ("m2m", 0, {"event": 1}),
    f"uncore_m2m_1/event=0x24,{ext(4, 3)}/":
        ("m2m", 1, {"event": 0x24, "umask": 4, "umask_ext": 3}),
    "uncore_upi_0/event=2,umask=0xf/": ("upi", 0, {"event": 2, "umask": 0xf}),
    "uncore_upi_1/event=2,umask=0xf/": ("upi", 1, {"event": 2, "umask": 0xf}),
    "uncore_m3upi_0/event=1/": ("m3upi", 0, {"event": 1}),
    "uncore_m3upi_1/event=1/": ("m3upi", 1, {"event": 1}),
    "uncore_iio_free_running_0/event=0xff,umask=0x10/": ("iio", 0, free("clock")),
    "uncore_iio_free_running_1/event=0xff,umask=0x23/": ("iio", 1, free("in", 3)),
    "uncore_iio_free_running_0/event=0xff,umask=0x35/": ("iio", 0, free("out", 5)),
}
# controls of 64 bits in memory: two events of a box show that they are 8 bytes apart
CXL = {
    "uncore_cxlcm/event=1/": ("cxlcm", 0, {"event": 1}),
    "uncore_cxlcm/event=2,umask=2/": ("cxlcm", 0, {"event": 2, "umask": 2}),
    "uncore_cxlcm/event=0x41,umask=1/": ("cxlcm", 0, {"event": 0x41, "umask": 1}),
    "uncore_cxldp/event=1/": ("cxldp", 0, {"event": 1}),
    "uncore_cxldp/event=2,umask=4/": ("cxldp", 0, {"event": 2, "umask": 4}),
}
# Linux 6.1 has no type for CXL, and writes the controls of unknown types in memory 4 bytes apart
CXL_6_1 = {"uncore_type_12/event=1/": ("cxlcm", 0, {"event": 1}),
           "uncore_type_13/event=1/": ("cxldp", 0, {"event": 1})}

# boxes that spr-2s lacks
MORE = {"boxes.pcie": "2", "boxes.mchbm": "2"}
PCIE = {f"uncore_type_10_{n}/event=2,umask=1/": ("pcie", n, {"event": 2, "umask": 1})
        for n in range(2)}


def hbm(name):
    return {f"uncore_{name}_0/event=5,umask=0xcf/": ("mchbm", 0, {"event": 5, "umask": 0xcf}),
            f"uncore_{name}_1/event=1/": ("mchbm", 1, {"event": 1}),
            f"uncore_{name}_1/event=3,umask=1,thresh=1,edge=1/":
                ("mchbm", 1, {"event": 3, "umask": 1, "thresh": 1, "edge": True})}


# Linux 6.12 finds UPI and M3UPI by their functions, but then accesses the function of box 0
WRONG = {"6.12": {"uncore_upi_1/event=2,umask=0xf/": ("upi", 0, {"event": 2, "umask": 0xf}),
                  "uncore_m3upi_1/event=1/": ("m3upi", 0, {"event": 1})}}

BOXES = {"cha": 4, "iio": 2, "irp": 2, "m2pcie": 2, "pcu": 1, "type_5": 1, "imc": 4, "m2m": 2,
         "upi": 2, "m3upi": 2, "iio_free_running": 2}
# The model lacks 8086:3251, so that Linux finds no registers of the free-running counters of
# memory controllers
BOXES["imc_free_running"] = 2


def promised(box, instance, socket, *, platform, free=None, port=0, **arguments):
    if free:
        return rates.iio_free_running(free, instance, socket, port)
    return rates.rate(box, instance, socket, platform=platform, **arguments)


def agreement(m, platform, sockets, counts, events):
    """Compare the boxes that Linux finds and the counts of perf with the model."""
    with witness.driver(m, counts):
        return witness.agreement(m, sockets, events, functools.partial(promised,
                                                                       platform=platform))


@test("spr-2s", kernels=BOTH, settings=MORE, **with_intel_uncore)
def intree_boxes_and_rates_match_on_spr(m):
    kernel = m.kernel.name
    if kernel == "6.1":
        more, events = {"type_12": 1, "type_13": 1, "type_14": 2}, {**CXL_6_1, **hbm("type_14")}
    else:
        more, events = {"cxlcm": 1, "cxldp": 1, "hbm": 2}, {**CXL, **hbm("hbm")}
    counts = {**BOXES, **more, "mdf": 1, "type_10": 2}
    return agreement(m, "spr", (0, 1), counts,
                     {**EVENTS, **WRONG.get(kernel, {}), **PCIE, **events})


@test("emr-1s", kernels=BOTH, **with_intel_uncore)
def intree_boxes_and_rates_match_on_emr(m):
    kernel = m.kernel.name
    events = {event: arguments for event, arguments in {**EVENTS, **WRONG.get(kernel, {})}.items()
              if arguments[0] != "mdf"}
    return agreement(m, "emr", (0,), BOXES, events)


@test("unknown-1s", kernels=BOTH, **with_intel_uncore)
def unknown_model_is_driven_by_its_table(m):
    events = {"uncore_type_77_1/event=3,umask=2/": ("type_77", 1, {"event": 3, "umask": 2}),
              "uncore_type_78_1/event=3,umask=2/": ("type_78", 1, {"event": 3, "umask": 2}),
              "uncore_type_79_1/event=3,umask=2/": ("type_79", 1, {"event": 3, "umask": 2}),
              "uncore_type_80/event=3,umask=2/": ("type_80", 0, {"event": 3, "umask": 2}),
              "uncore_type_0_2/event=1/": ("cha", 2, {"event": 1}),
              "uncore_type_6_1/event=5,umask=0xcf/": ("imc", 1, {"event": 5, "umask": 0xcf})}
    counts = {"type_0": 4, "type_4": 1, "type_5": 1, "type_6": 2, "type_8": 1, "type_77": 2,
              "type_78": 2, "type_79": 2, "type_80": 1}
    return agreement(m, "spr", (0,), counts, events)
