# SPDX-License-Identifier: GPL-2.0-only
"""Ice Lake-SP and Snow Ridge, validated with Linux's own driver: see test_witness_e5.py.

Known errors of that driver: it writes only the lower half of UPI and M2M controls, so that an
extended umask has no effect (both halves of the root port are written). On Ice Lake it accepts
the thread of a CHA only with tid_en, and drops the tenth bit. On Snow Ridge each event writes
the thread of its CHA, so that all events of a CHA have the same thread.
"""

from lab.framework import test
from lab.qemu import rates
from machine import witness
from machine.witness import with_intel_uncore


def stack(kind, port=0):
    return {"stack": kind, "port": port}


def controller(kind):
    return {"controller": kind}


# perf's spelling -> box type, instance, further arguments of promised()
EVENTS = {
    "uncore_cha_0/event=0/": ("cha", 0, {}),
    "uncore_cha_1/event=0x35,umask=0xc001ff01/":
        ("cha", 1, {"event": 0x35, "umask": 1, "umask_ext": 0xc001ff}),
    "uncore_cha_2/event=0x36,umask=0x3c8277f01,thresh=3/":
        ("cha", 2, {"event": 0x36, "umask": 1, "umask_ext": 0x3c8277f, "thresh": 3}),
    "uncore_cha_3/event=0x50,umask=3,thresh=1,edge=1/":
        ("cha", 3, {"event": 0x50, "umask": 3, "thresh": 1, "edge": True}),
    "uncore_cha_5/event=0x50,umask=3,tid_en=1,filter_tid=0x105/":
        ("cha", 5, {"event": 0x50, "umask": 3, "tid": 0x105}),
    "uncore_iio_0/event=1/": ("iio", 0, {"event": 1}),
    "uncore_iio_3/event=0x83,umask=4,ch_mask=0xf01,fc_mask=7/":
        ("iio", 3, {"event": 0x83, "umask": 4, "ch_mask": 0xf01, "fc_mask": 7}),
    "uncore_iio_4/event=0xc0,umask=1,ch_mask=0x880,fc_mask=4,thresh=1,inv=1/":
        ("iio", 4, {"event": 0xc0, "umask": 1, "ch_mask": 0x880, "fc_mask": 4, "thresh": 1,
                    "invert": True}),
    "uncore_irp_0/event=1/": ("irp", 0, {"event": 1}),
    "uncore_irp_4/event=0x18,umask=0x10/": ("irp", 4, {"event": 0x18, "umask": 0x10}),
    "uncore_m2pcie_0/event=1/": ("m2pcie", 0, {"event": 1}),
    "uncore_m2pcie_4/event=0x33,umask=8/": ("m2pcie", 4, {"event": 0x33, "umask": 8}),
    "uncore_ubox/event=0xff/": ("ubox", 0, {"fixed": True}),
    "uncore_ubox/event=0x42,umask=8/": ("ubox", 0, {"event": 0x42, "umask": 8}),
    "uncore_pcu/event=0/": ("pcu", 0, {}),
    "uncore_pcu/event=0x80,umask=0x80/": ("pcu", 0, {"event": 0x80, "umask": 0x80}),
    "uncore_imc_0/event=4,umask=0x0f/": ("imc", 0, {"event": 4, "umask": 0x0f}),
    "uncore_imc_1/event=4,umask=0x30/": ("imc", 1, {"event": 4, "umask": 0x30}),
    "uncore_imc_0/event=0xff/": ("imc", 0, {"fixed": True}),
    "uncore_imc_1/event=0/": ("imc", 1, {}),
    "uncore_iio_free_running_0/event=0xff,umask=0x10/": ("iio", 0, stack("clock")),
    "uncore_iio_free_running_4/event=0xff,umask=0x10/": ("iio", 4, stack("clock")),
    "uncore_iio_free_running_1/event=0xff,umask=0x22/": ("iio", 1, stack("in", 2)),
    "uncore_iio_free_running_4/event=0xff,umask=0x27/": ("iio", 4, stack("in", 7)),
}
# one box of each range of CHAs, of each stack and channel, unless covered above
OF_ICX = {
    "uncore_m2m_0/event=0/": ("m2m", 0, {}),
    # the kernel drops the extended umask 1
    "uncore_m2m_0/event=0x24,umask=0x101/": ("m2m", 0, {"event": 0x24, "umask": 1}),
    **{f"uncore_cha_{n}/event=0/": ("cha", n, {}) for n in (17, 18, 33, 34, 39)},
    **{f"uncore_iio_{n}/event=1/": ("iio", n, {"event": 1}) for n in (1, 2, 5)},
    **{f"uncore_irp_{n}/event=1/": ("irp", n, {"event": 1}) for n in (2, 3, 5)},
    **{f"uncore_m2pcie_{n}/event=1/": ("m2pcie", n, {"event": 1}) for n in (2, 3, 5)},
    **{f"uncore_imc_{n}/event=4,umask=0x30/": ("imc", n, {"event": 4, "umask": 0x30})
       for n in range(2, 12)},
    **{f"uncore_m2m_{n}/event=0x24,umask=1/": ("m2m", n, {"event": 0x24, "umask": 1})
       for n in range(1, 4)},
    **{f"uncore_upi_{n}/event=2,umask=0xf/": ("upi", n, {"event": 2, "umask": 0xf})
       for n in range(3)},
    "uncore_m3upi_0/event=1/": ("m3upi", 0, {"event": 1}),
    "uncore_m3upi_1/event=0x4d,umask=2/": ("m3upi", 1, {"event": 0x4d, "umask": 2}),
    "uncore_m3upi_2/event=0x1d,umask=1/": ("m3upi", 2, {"event": 0x1d, "umask": 1}),
    "uncore_iio_free_running_5/event=0xff,umask=0x10/": ("iio", 5, stack("clock")),
    "uncore_iio_free_running_3/event=0xff,umask=0x20/": ("iio", 3, stack("in")),
    **{f"uncore_imc_free_running_{n}/event=0xff,umask={umask:#x}/": ("imc", n, controller(kind))
       for n, (umask, kind) in enumerate(((0x10, "dclk"), (0x20, "read"), (0x21, "write"),
                                          (0x30, "pmm_read")))},
    "uncore_imc_free_running_3/event=0xff,umask=0x31/": ("imc", 3, controller("pmm_write")),
}
OF_SNR = {
    "uncore_m2m/event=0/": ("m2m", 0, {}),
    "uncore_m2m/event=0x24,umask=0x101/": ("m2m", 0, {"event": 0x24, "umask": 1}),
    "uncore_cha_4/event=0/": ("cha", 4, {}),
    "uncore_pcie3/event=1/": ("pcie3", 0, {"event": 1}),
    "uncore_pcie3/event=0x83,umask=4,ch_mask=0xf,fc_mask=7/":
        ("pcie3", 0, {"event": 0x83, "umask": 4, "ch_mask": 0xf, "fc_mask": 7}),
    **{f"uncore_imc_free_running/event=0xff,umask={umask:#x}/": ("imc", 0, controller(kind))
       for umask, kind in ((0x10, "dclk"), (0x20, "read"), (0x21, "write"))},
}

ICX_BOXES = {"ubox": 1, "cha": 40, "iio": 6, "iio_free_running": 6, "irp": 6, "m2pcie": 6,
             "pcu": 1, "imc": 12, "imc_free_running": 4, "m2m": 4, "upi": 3, "m3upi": 3}
SNR_BOXES = {"ubox": 1, "cha": 6, "iio": 5, "iio_free_running": 5, "irp": 5, "m2pcie": 5,
             "pcu": 1, "imc": 2, "imc_free_running": 1, "m2m": 1, "pcie3": 1}


def agreement(m, platform, sockets, counts, events):
    def promised(box, instance, socket, *, stack=None, port=0, controller=None, **arguments):
        if stack:
            return rates.iio_free_running(stack, instance, socket, port)
        if controller:
            return rates.imc_free_running(controller, instance, socket)
        return rates.rate(box, instance, socket, platform=platform, **arguments)

    with witness.driver(m, counts):
        return witness.agreement(m, sockets, events, promised)


@test("icx-2s", kernels=("6.12",), settings={"boxes.cha": "40"}, **with_intel_uncore)
def intree_boxes_and_rates_match_on_ice_lake(m):
    return agreement(m, "icx", (0, 1), ICX_BOXES, {**EVENTS, **OF_ICX})


# Ice Lake-D has four CHAs and no UPI link
D_BOXES = {kind: count for kind, count in {**ICX_BOXES, "cha": 4}.items()
           if kind not in ("upi", "m3upi")}
D_EVENTS = {event: arguments for event, arguments in {**EVENTS, **OF_ICX}.items()
            if arguments[1] < D_BOXES.get(arguments[0], 0)}


@test("icxd-1s", kernels=("6.12",), **with_intel_uncore)
def intree_boxes_and_rates_match_on_ice_lake_d(m):
    return agreement(m, "icx", (0,), D_BOXES, D_EVENTS)


@test("snr-1s", kernels=("6.12",), **with_intel_uncore)
def intree_boxes_and_rates_match_on_snow_ridge(m):
    return agreement(m, "snr", (0,), SNR_BOXES, {**EVENTS, **OF_SNR})
