# SPDX-License-Identifier: GPL-2.0-only
"""Skylake-SP to Cooper Lake, validated with Linux's own driver: see test_witness_e5.py.

Known errors of that driver: it looks for the fourth M2PCIe at 21:5, where no machine has one. It
does not know the additional links of Cooper Lake. It writes only the lower half of a UPI control,
so that an extended umask has no effect. An event of one thread occupies the whole filter of a CHA,
so it must not share its CHA with another filtering event, because perf would multiplex them.
"""

from lab.framework import BOTH, test
from lab.qemu import rates
from machine import witness
from machine.witness import with_intel_uncore

ANYWHERE = "filter_rem=1,filter_loc=1,filter_nm=1,filter_not_nm=1"
WHERE = {"rem": 1, "loc": 1, "nm": 1, "not_nm": 1}


def free(kind, port=0):
    return {"free": kind, "port": port}


# perf's spelling -> box type, instance, further arguments of promised()
EVENTS = {
    "uncore_cha_0/event=0/": ("cha", 0, {}),
    "uncore_cha_3/event=0/": ("cha", 3, {}),
    "uncore_cha_1/event=0x34,umask=3,filter_state=0x201/":
        ("cha", 1, {"event": 0x34, "umask": 3, "state": 0x201}),
    f"uncore_cha_1/event=0x35,umask=0x21,{ANYWHERE},filter_opc0=0x202/":
        ("cha", 1, {"event": 0x35, "umask": 0x21, "opc_0": 0x202, **WHERE}),
    f"uncore_cha_2/event=0x36,umask=0x21,{ANYWHERE},filter_opc1=0x259,thresh=3/":
        ("cha", 2, {"event": 0x36, "umask": 0x21, "opc_1": 0x259, "thresh": 3, **WHERE}),
    "uncore_cha_3/event=0x35,umask=0x11,filter_loc=1,filter_nm=1,filter_all_op=1,filter_isoc=1/":
        ("cha", 3, {"event": 0x35, "umask": 0x11, "loc": 1, "nm": 1, "all_op": 1, "isoc": 1}),
    "uncore_cha_2/event=0x50,umask=3,thresh=1,edge=1/":
        ("cha", 2, {"event": 0x50, "umask": 3, "thresh": 1, "edge": True}),
    "uncore_cha_0/event=0x50,umask=3,tid_en=1,filter_tid=0x105/":
        ("cha", 0, {"event": 0x50, "umask": 3, "tid": 0x105}),
    "uncore_iio_0/event=1/": ("iio", 0, {"event": 1}),
    "uncore_iio_5/event=1/": ("iio", 5, {"event": 1}),
    "uncore_iio_3/event=0x83,umask=4,ch_mask=0xf,fc_mask=7/":
        ("iio", 3, {"event": 0x83, "umask": 4, "ch_mask": 0xf, "fc_mask": 7}),
    "uncore_iio_4/event=0xc0,umask=1,ch_mask=0x80,fc_mask=4,thresh=1,inv=1/":
        ("iio", 4, {"event": 0xc0, "umask": 1, "ch_mask": 0x80, "fc_mask": 4, "thresh": 1,
                    "invert": True}),
    "uncore_irp_0/event=1/": ("irp", 0, {"event": 1}),
    "uncore_irp_5/event=0x18,umask=0x10/": ("irp", 5, {"event": 0x18, "umask": 0x10}),
    "uncore_ubox/event=0xff/": ("ubox", 0, {"fixed": True}),
    "uncore_ubox/event=0x42,umask=8/": ("ubox", 0, {"event": 0x42, "umask": 8}),
    "uncore_pcu/event=0/": ("pcu", 0, {}),
    "uncore_pcu/event=0xb,filter_band0=20/":
        ("pcu", 0, {"event": 0xb, "bands": (20, 0, 0, 0)}),
    "uncore_pcu/event=0x80,umask=0x80/": ("pcu", 0, {"event": 0x80, "umask": 0x80}),
    "uncore_m2m_0/event=0/": ("m2m", 0, {}),
    "uncore_m2m_1/event=0x24,umask=1/": ("m2m", 1, {"event": 0x24, "umask": 1}),
    "uncore_upi_0/event=2,umask=0xf/": ("upi", 0, {"event": 2, "umask": 0xf}),
    "uncore_upi_1/event=2,umask=0xf/": ("upi", 1, {"event": 2, "umask": 0xf}),
    "uncore_upi_2/event=2,umask=0xf/": ("upi", 2, {"event": 2, "umask": 0xf}),
    # without the extended umask 1, which the kernel drops
    "uncore_upi_0/event=5,umask=0x10e/": ("upi", 0, {"event": 5, "umask": 0x0e}),
    "uncore_m3upi_0/event=1/": ("m3upi", 0, {"event": 1}),
    "uncore_m3upi_1/event=0x40,umask=2/": ("m3upi", 1, {"event": 0x40, "umask": 2}),
    "uncore_m3upi_2/event=0x1d,umask=1/": ("m3upi", 2, {"event": 0x1d, "umask": 1}),
    "uncore_m2pcie_0/event=1/": ("m2pcie", 0, {"event": 1}),
    "uncore_m2pcie_1/event=0x23,umask=1/": ("m2pcie", 1, {"event": 0x23, "umask": 1}),
    "uncore_m2pcie_2/event=0x33,umask=8/": ("m2pcie", 2, {"event": 0x33, "umask": 8}),
    "uncore_imc_0/event=0xff/": ("imc", 0, {"fixed": True}),
    "uncore_imc_5/event=0xff/": ("imc", 5, {"fixed": True}),
    "uncore_iio_free_running_0/event=0xff,umask=0x10/": ("iio", 0, free("clock")),
    "uncore_iio_free_running_5/event=0xff,umask=0x10/": ("iio", 5, free("clock")),
    "uncore_iio_free_running_1/event=0xff,umask=0x22/": ("iio", 1, free("in", 2)),
    "uncore_iio_free_running_5/event=0xff,umask=0x27/": ("iio", 5, free("out", 3)),
    "uncore_iio_free_running_2/event=0xff,umask=0x30/": ("iio", 2, free("util_in")),
    "uncore_iio_free_running_4/event=0xff,umask=0x37/": ("iio", 4, free("util_out", 3)),
    **{f"uncore_imc_{n}/event=4,umask={umask:#x}/": ("imc", n, {"event": 4, "umask": umask})
       for n, umask in enumerate((3, 0xc, 3, 0xc, 3, 0xc))},
}

# boxes of a socket; Linux creates as many CHA PMUs as one socket has CHAs
BOXES = {"ubox": 1, "cha": 4, "iio": 6, "iio_free_running": 6, "irp": 6, "pcu": 1, "imc": 6,
         "m2m": 2, "upi": 3, "m3upi": 3, "m2pcie": 3}


# the same boxes on the small machines
LARGE = {"boxes.cha": "4", "boxes.iio": "6", "boxes.irp": "6", "boxes.imc": "6", "boxes.m2m": "2",
         "boxes.m2pcie": "4"}


def agreement(m, platform, sockets, counts):
    def promised(box, instance, socket, *, free=None, port=0, **arguments):
        if free:
            return rates.iio_free_running(free, instance, socket, port)
        return rates.rate(box, instance, socket, platform=platform, **arguments)

    events = {event: arguments for event, arguments in EVENTS.items()
              if arguments[1] < counts[arguments[0]]}
    with witness.driver(m, counts):
        return witness.agreement(m, sockets, events, promised)


@test("skx-2s", kernels=BOTH, **with_intel_uncore)
def intree_boxes_and_rates_match_on_skylake(m):
    return agreement(m, "skx", (0, 1), BOXES)


@test("clx-1s", settings={**LARGE, "boxes.upi": "3", "boxes.m3upi": "3"}, **with_intel_uncore)
def intree_boxes_and_rates_match_on_cascade_lake(m):
    return agreement(m, "clx", (0,), BOXES)


# Linux finds three of the six links and two of their M3UPI, because it does not know the places
# of the others
@test("cpx-1s", kernels=("6.12",), settings=LARGE, **with_intel_uncore)
def intree_boxes_and_rates_match_on_cooper_lake(m):
    return agreement(m, "cpx", (0,), {**BOXES, "m3upi": 2})
