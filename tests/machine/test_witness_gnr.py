# SPDX-License-Identifier: GPL-2.0-only
"""Granite Rapids, Sierra Forest, Grand Ridge and Clearwater Forest, validated with Linux's own
driver: see test_witness.py.

Linux 6.12 knows all of them. No kernel knows the fixed counter of the UBox.
"""

from lab.framework import test
from machine import witness
from machine.test_witness_discovery import CXL, agreement, ext, free
from machine.witness import with_intel_uncore

# perf's spelling -> box type, instance, further arguments of promised()
EVENTS = {
    "uncore_cha_0/event=1/": ("cha", 0, {"event": 1}),
    f"uncore_cha_3/event=0x35,{ext(1, 0xc817fe)}/":
        ("cha", 3, {"event": 0x35, "umask": 1, "umask_ext": 0xc817fe}),
    "uncore_cha_1/event=0x50,umask=3,thresh=1,edge=1/":
        ("cha", 1, {"event": 0x50, "umask": 3, "thresh": 1, "edge": True}),
    "uncore_iio_0/event=1/": ("iio", 0, {"event": 1}),
    "uncore_iio_1/event=0x83,umask=4,ch_mask=0xff,fc_mask=7/":
        ("iio", 1, {"event": 0x83, "umask": 4, "ch_mask": 0xff, "fc_mask": 7}),
    "uncore_irp_1/event=0x18/": ("irp", 1, {"event": 0x18}),
    "uncore_pcu/event=0x35/": ("pcu", 0, {"event": 0x35}),
    "uncore_ubox/event=0x42,umask=8/": ("ubox", 0, {"event": 0x42, "umask": 8}),
    "uncore_mdf_sbo/event=1/": ("mdf", 0, {"event": 1}),
    "uncore_imc_0/event=5,umask=0xcf/": ("imc", 0, {"event": 5, "umask": 0xcf}),
    "uncore_imc_3/event=6,umask=0xf0/": ("imc", 3, {"event": 6, "umask": 0xf0}),
    "uncore_imc_1/event=0xff/": ("imc", 1, {"fixed": True}),
    "uncore_imc_1/event=0x80,thresh=8,inv=1/":
        ("imc", 1, {"event": 0x80, "thresh": 8, "invert": True}),
    "uncore_upi_0/event=2,umask=0xf/": ("upi", 0, {"event": 2, "umask": 0xf}),
    "uncore_upi_1/event=2,umask=0xf/": ("upi", 1, {"event": 2, "umask": 0xf}),
    "uncore_b2cmi_0/event=0x24,umask=4/": ("b2cmi", 0, {"event": 0x24, "umask": 4}),
    "uncore_b2cmi_1/event=0x24,umask=4/": ("b2cmi", 1, {"event": 0x24, "umask": 4}),
    "uncore_b2upi/event=1/": ("b2upi", 0, {"event": 1}),
    "uncore_b2hot/event=1,umask=1/": ("b2hot", 0, {"event": 1, "umask": 1}),
    "uncore_b2cxl/event=1/": ("b2cxl", 0, {"event": 1}),
    "uncore_b2cxl/event=2,umask=1/": ("b2cxl", 0, {"event": 2, "umask": 1}),
    "uncore_pciex16/event=2,umask=1/": ("pciex16", 0, {"event": 2, "umask": 1}),
    "uncore_pciex8/event=2,umask=1/": ("pciex8", 0, {"event": 2, "umask": 1}),
}
EVENTS.update(CXL)
EVENTS.update({
    "uncore_iio_free_running_0/event=0xff,umask=0x10/": ("iio", 0, free("clock")),
    "uncore_iio_free_running_1/event=0xff,umask=0x10/": ("iio", 1, free("clock")),
    "uncore_iio_free_running_1/event=0xff,umask=0x23/": ("iio", 1, free("in", 3)),
    "uncore_iio_free_running_0/event=0xff,umask=0x27/": ("iio", 0, free("in", 7)),
    "uncore_iio_free_running_0/event=0xff,umask=0x35/": ("iio", 0, free("out", 5)),
    "uncore_iio_free_running_1/event=0xff,umask=0x37/": ("iio", 1, free("out", 7)),
})

BOXES = {"cha": 4, "iio": 2, "irp": 2, "pcu": 1, "ubox": 1, "imc": 4, "upi": 2, "cxlcm": 1,
         "cxldp": 1, "b2hot": 1, "b2cmi": 2, "b2cxl": 1, "b2upi": 1, "mdf_sbo": 1, "pciex16": 1,
         "pciex8": 1, "iio_free_running": 2}
# Grand Ridge has two channels, and neither links nor CXL
GRR_BOXES = {"cha": 4, "iio": 2, "irp": 2, "pcu": 1, "ubox": 1, "imc": 2, "b2cmi": 2, "pciex8": 1,
             "iio_free_running": 2}


def of_boxes(counts):
    """Return the events of the boxes that a machine has."""
    kinds = {"mdf": "mdf_sbo"}
    return {event: arguments for event, arguments in EVENTS.items()
            if arguments[1] < counts.get(kinds.get(arguments[0], arguments[0]), 0)}


@test("gnr-2s", kernels=("6.12",), settings={"model.firmware-freeze": "no"}, **with_intel_uncore)
def intree_boxes_and_rates_match_on_gnr(m):
    return agreement(m, "gnr", (0, 1), BOXES, EVENTS)


@test("gnr-2s", kernels=("6.12",), **with_intel_uncore)
def intree_driver_of_6_12_leaves_the_firmware_freeze(m):
    with witness.driver(m, BOXES):
        out = m.run("perf stat -a -x, -e uncore_cha_0/event=1/ sleep 0.2").err
        assert out.startswith("0,,uncore_cha_0"), out
        assert all(socket["frozen"] for socket in m.oracle("state")["sockets"])


@test("srf-1s", kernels=("6.12",), **with_intel_uncore)
def intree_boxes_and_rates_match_on_srf(m):
    return agreement(m, "srf", (0,), BOXES, EVENTS)


@test("grr-1s", kernels=("6.12",), **with_intel_uncore)
def intree_boxes_and_rates_match_on_grr(m):
    return agreement(m, "grr", (0,), GRR_BOXES, of_boxes(GRR_BOXES))


@test("cwf-1s", kernels=("6.12",), **with_intel_uncore)
def intree_boxes_and_rates_match_on_cwf(m):
    return agreement(m, "cwf", (0,), BOXES, EVENTS)


@test("cwf-1s", **with_intel_uncore)
def table_of_cwf_is_read_by_6_1(m):
    m.sh("modprobe intel_uncore")
    found = witness.boxes(m)
    m.sh("rmmod intel_uncore")
    assert (found["type_0"], found["type_6"], found["type_16"]) == (4, 4, 2), found
