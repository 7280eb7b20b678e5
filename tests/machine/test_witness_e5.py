# SPDX-License-Identifier: GPL-2.0-only
"""E5-2600 v1, v3, v4 and D-1500, validated with Linux's own driver: see test_witness.py.

That driver has its own tables of these processors. A wrong address or constraint of the model
therefore shows as a box that is missing or does not count.

Known errors of the kernel are not tested. PCU bands other than 0 on v3 and v4: the mask is
shifted by bits instead of bytes. Extended PCU events: the ninth bit is dropped. The filter of
the UBox on v3: always written as 0, because the value is stored as config1 and read as config.
"""

import functools

from lab.framework import BOTH, test
from lab.qemu import rates
from machine import witness
from machine.witness import with_intel_uncore

# perf's spelling -> box type, instance, further arguments of rates.rate(); on all generations
EVENTS = {
    "uncore_cbox_0/event=0/": ("cbo", 0, {}),
    "uncore_cbox_1/event=0/": ("cbo", 1, {}),
    "uncore_cbox_0/event=0x34,umask=3,filter_state=0x15/":
        ("cbo", 0, {"event": 0x34, "umask": 3, "state": 0x15}),
    "uncore_cbox_1/event=0x35,umask=0x43,filter_opc=0x182,filter_nid=3/":
        ("cbo", 1, {"event": 0x35, "umask": 0x43, "opc": 0x182, "nid": 3}),
    "uncore_cbox_1/event=0x36,umask=0x43,filter_opc=0x182,filter_nid=3/":
        ("cbo", 1, {"event": 0x36, "umask": 0x43, "opc": 0x182, "nid": 3}),
    "uncore_cbox_0/event=0x1b,umask=1,thresh=1,edge=1/":
        ("cbo", 0, {"event": 0x1b, "umask": 1, "thresh": 1, "edge": True}),
    "uncore_ubox/event=0xff/": ("ubox", 0, {"fixed": True}),
    "uncore_pcu/event=0/": ("pcu", 0, {}),
    "uncore_pcu/event=0xb,filter_band0=20/":
        ("pcu", 0, {"event": 0xb, "bands": (20, 0, 0, 0)}),
    "uncore_pcu/event=0x80,occ_sel=2/": ("pcu", 0, {"event": 0x80, "umask": 0x80}),
    "uncore_pcu/event=5,thresh=1,inv=1/":
        ("pcu", 0, {"event": 5, "thresh": 1, "invert": True}),
    "uncore_imc_0/event=4,umask=3/": ("imc", 0, {"event": 4, "umask": 3}),
    "uncore_imc_1/event=4,umask=3/": ("imc", 1, {"event": 4, "umask": 3}),
    "uncore_imc_2/event=4,umask=0xc/": ("imc", 2, {"event": 4, "umask": 0xc}),
    "uncore_imc_3/event=4,umask=0xc/": ("imc", 3, {"event": 4, "umask": 0xc}),
    "uncore_imc_1/event=0x80,thresh=8,inv=1/":
        ("imc", 1, {"event": 0x80, "thresh": 8, "invert": True}),
    "uncore_imc_0/event=0xff/": ("imc", 0, {"fixed": True}),
    "uncore_imc_3/event=0xff/": ("imc", 3, {"fixed": True}),
    "uncore_r2pcie/event=1/": ("r2pcie", 0, {"event": 1}),
    "uncore_r2pcie/event=0x33,umask=8/": ("r2pcie", 0, {"event": 0x33, "umask": 8}),
}

LINKS = {
    "uncore_qpi_0/event=0,umask=2/": ("qpi", 0, {"umask": 2}),
    "uncore_qpi_1/event=0x102,umask=0x18/": ("qpi", 1, {"event": 0x102, "umask": 0x18}),
    "uncore_qpi_0/event=0x38,match_opc=5,mask_opc=0xf/":
        ("qpi", 0, {"event": 0x38, "match": (5 << 5, 0), "mask": (0xf << 5, 0)}),
    "uncore_qpi_1/event=0x38,match_rds=2,mask_rds=0xf/":
        ("qpi", 1, {"event": 0x38, "match": (0, 2 << 16), "mask": (0, 0xf << 16)}),
    "uncore_r3qpi_0/event=7,umask=1/": ("r3qpi", 0, {"event": 7, "umask": 1}),
    "uncore_r3qpi_1/event=0x25,umask=2/": ("r3qpi", 1, {"event": 0x25, "umask": 2}),
}

THE_HA = {"uncore_ha/event=1,umask=3/": ("ha", 0, {"event": 1, "umask": 3}),
          "uncore_ha/event=0x1a,umask=0xf,thresh=1,edge=1/":
              ("ha", 0, {"event": 0x1a, "umask": 0xf, "thresh": 1, "edge": True})}
HA0 = {"uncore_ha_0/event=1,umask=3/": ("ha", 0, {"event": 1, "umask": 3})}
TWO_HA = {**HA0, "uncore_ha_1/event=1,umask=3/": ("ha", 1, {"event": 1, "umask": 3})}

# on v3 and later
IRP = {"uncore_irp/event=0x15,umask=1/": ("irp", 0, {"event": 0x15, "umask": 1}),
       "uncore_irp/event=0x16,thresh=1,inv=1/":
           ("irp", 0, {"event": 0x16, "thresh": 1, "invert": True}),
       "uncore_cbox_0/event=0x37,umask=0x40,filter_nid=6/":
           ("cbo", 0, {"event": 0x37, "umask": 0x40, "nid": 6}),
       "uncore_cbox_1/event=0x35,umask=1,filter_opc=0x182,filter_link=2/":
           ("cbo", 1, {"event": 0x35, "umask": 1, "opc": 0x182, "link": 2})}
SBOX = {f"uncore_sbox_{n}/event=2,umask=3/": ("sbox", n, {"event": 2, "umask": 3})
        for n in (0, 1)}
SBOX["uncore_sbox_1/event=0/"] = ("sbox", 1, {})
THIRD_LINK = {"uncore_qpi_2/event=0x14/": ("qpi", 2, {"event": 0x14}),
              "uncore_r3qpi_2/event=7,umask=1/": ("r3qpi", 2, {"event": 7, "umask": 1})}
SECOND_HOME = {f"uncore_imc_{n}/event=4,umask=3/": ("imc", n, {"event": 4, "umask": 3})
               for n in (4, 5, 6, 7)}
FOUR_SBOXES = {**SBOX, "uncore_sbox_3/event=2,umask=3/": ("sbox", 3, {"event": 2, "umask": 3})}
# both counters of the UBox
UBOX = {"uncore_ubox/event=0x42,umask=8/": ("ubox", 0, {"event": 0x42, "umask": 8}),
        "uncore_ubox/event=0x41,thresh=1,inv=1/":
            ("ubox", 0, {"event": 0x41, "thresh": 1, "invert": True})}
LARGEST = {**EVENTS, **LINKS, **TWO_HA, **IRP, **FOUR_SBOXES, **THIRD_LINK, **SECOND_HOME}

LARGEST_BOXES = {"ubox": 1, "cbox": 2, "pcu": 1, "sbox": 4, "ha": 2, "imc": 8, "irp": 1, "qpi": 3,
                 "r2pcie": 1, "r3qpi": 3}
SNBEP_BOXES = {"ubox": 1, "cbox": 2, "pcu": 1, "ha": 1, "imc": 4, "qpi": 2, "r2pcie": 1,
               "r3qpi": 2}


def agreement(m, platform, sockets, counts, events):
    """Compare the boxes that Linux finds and the counts of perf with the model."""
    with witness.driver(m, counts):
        return witness.agreement(m, sockets, events, functools.partial(rates.rate,
                                                                       platform=platform))


@test("snbep-2s", **with_intel_uncore)
def intree_boxes_and_rates_match_on_v1(m):
    return agreement(m, "snbep", (0, 1), SNBEP_BOXES, {**EVENTS, **UBOX, **THE_HA, **LINKS})


@test("hswep-2s", kernels=BOTH, **with_intel_uncore)
def intree_boxes_and_rates_match_on_v3(m):
    return agreement(m, "hswep", (0, 1), LARGEST_BOXES, {**LARGEST, **UBOX})


@test("bdxep-2s", **with_intel_uncore)
def intree_boxes_and_rates_match_on_v4(m):
    return agreement(m, "bdxep", (0, 1), LARGEST_BOXES, {**LARGEST, **UBOX})


# Linux finds two boxes r3qpi, because two functions have the ids of R3QPI
@test("bdxde-1s", **with_intel_uncore)
def intree_boxes_and_rates_match_on_d1500(m):
    return agreement(m, "bdxde", (0,),
                     {**LARGEST_BOXES, "sbox": 0, "ha": 1, "imc": 4, "qpi": 0, "r3qpi": 2},
                     {**EVENTS, **UBOX, **HA0, **IRP})


@test("hswep-1s", kernels=("6.12",), **with_intel_uncore)
def smallest_v3_has_two_sboxes(m):
    return agreement(m, "hswep", (0,), {**LARGEST_BOXES, "sbox": 2, "ha": 1, "imc": 4, "qpi": 2,
                                        "r3qpi": 2}, {**SBOX, **HA0})


@test("bdxep-1s", kernels=("6.12",), **with_intel_uncore)
def smallest_v4_has_no_sbox(m):
    return agreement(m, "bdxep", (0,), {**LARGEST_BOXES, "sbox": 0, "ha": 1, "imc": 4, "qpi": 2,
                                        "r3qpi": 2}, HA0)


@test("hswep-2s", kernels=("6.12",), settings={"machine.nodes": "10"}, **with_intel_uncore)
def intree_driver_maps_buses_with_more_than_eight_nodes(m):
    assert len(m.sh("ls -d /sys/devices/system/node/node*").split()) == 10
    assert m.sh("cat /sys/class/pci_bus/0000:ff/cpulistaffinity") == "2-3"
    return agreement(m, "hswep", (0, 1), LARGEST_BOXES, {**ONE_EACH, **TWO_HA})


# one event each: of a box with MSRs, on the uncore bus, on the IIO bus
ONE_EACH = {event: EVENTS[event] for event in ("uncore_cbox_0/event=0/",
                                               "uncore_imc_0/event=4,umask=3/")}
ONE_EACH["uncore_irp/event=0x15,umask=1/"] = IRP["uncore_irp/event=0x15,umask=1/"]
