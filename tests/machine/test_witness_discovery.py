# SPDX-License-Identifier: GPL-2.0-only
"""The discovery platforms, validated with Linux's own driver: see test_witness.py.

The driver reads the table by itself and thereby validates it, too. Known errors of the kernels
are in WRONG, with the reason.
"""

import functools

from lab.framework import BOTH, test
from lab.qemu import rates
from machine import witness

DEVICES = "/sys/bus/event_source/devices"
with_intel_uncore = {"loaded": False, "module": False, "perf": True, "strict": False,
                     "timeout": 120}


def ext(umask, high):
    """Return the umask term for perf: umask, and extension from bit 8."""
    return f"umask={high << 8 | umask:#x}"


def free(kind, port=0):
    return {"free": kind, "port": port}


# perf's spelling -> box type, instance, further arguments of promised()
SPR_EVENTS = {
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
}

GNR_EVENTS = {
    "uncore_cha_0/event=1/": ("cha", 0, {"event": 1}),
    f"uncore_cha_3/event=0x35,{ext(1, 0xc817fe)}/":
        ("cha", 3, {"event": 0x35, "umask": 1, "umask_ext": 0xc817fe}),
    "uncore_iio_1/event=0x83,umask=4,ch_mask=0xff,fc_mask=7/":
        ("iio", 1, {"event": 0x83, "umask": 4, "ch_mask": 0xff, "fc_mask": 7}),
    "uncore_irp_1/event=0x18/": ("irp", 1, {"event": 0x18}),
    "uncore_pcu/event=0x35/": ("pcu", 0, {"event": 0x35}),
    "uncore_ubox/event=0x42,umask=8/": ("ubox", 0, {"event": 0x42, "umask": 8}),
    "uncore_mdf_sbo/event=1/": ("mdf", 0, {"event": 1}),
    "uncore_imc_0/event=5,umask=0xcf/": ("imc", 0, {"event": 5, "umask": 0xcf}),
    "uncore_imc_3/event=6,umask=0xf0/": ("imc", 3, {"event": 6, "umask": 0xf0}),
    "uncore_imc_1/event=0xff/": ("imc", 1, {"fixed": True}),
    "uncore_upi_0/event=2,umask=0xf/": ("upi", 0, {"event": 2, "umask": 0xf}),
    "uncore_upi_1/event=2,umask=0xf/": ("upi", 1, {"event": 2, "umask": 0xf}),
    "uncore_b2cmi_0/event=0x24,umask=4/": ("b2cmi", 0, {"event": 0x24, "umask": 4}),
    "uncore_b2cmi_1/event=0x24,umask=4/": ("b2cmi", 1, {"event": 0x24, "umask": 4}),
    "uncore_b2upi/event=1/": ("b2upi", 0, {"event": 1}),
    "uncore_b2hot/event=1,umask=1/": ("b2hot", 0, {"event": 1, "umask": 1}),
    "uncore_b2cxl/event=1/": ("b2cxl", 0, {"event": 1}),
    "uncore_cxlcm/event=1,umask=2/": ("cxlcm", 0, {"event": 1, "umask": 2}),
    "uncore_cxldp/event=1,umask=1/": ("cxldp", 0, {"event": 1, "umask": 1}),
    "uncore_pciex16/event=2,umask=1/": ("pciex16", 0, {"event": 2, "umask": 1}),
    "uncore_pciex8/event=2,umask=1/": ("pciex8", 0, {"event": 2, "umask": 1}),
}


# Linux 6.12 finds UPI and M3UPI by their functions, but then accesses the function of box 0
WRONG = {"6.12": {"uncore_upi_1/event=2,umask=0xf/": ("upi", 0, {"event": 2, "umask": 0xf}),
                  "uncore_m3upi_1/event=1/": ("m3upi", 0, {"event": 1})}}


def promised(box, instance, socket, *, platform, free=None, port=0, **arguments):
    if free:
        return rates.iio_free_running(free, instance, socket, port)
    return rates.rate(box, instance, socket, platform=platform, **arguments)


def boxes(m):
    """Return the box names of Linux without free-running boxes."""
    names = m.sh(f"ls {DEVICES}").split()
    return sorted(name.removeprefix("uncore_") for name in names
                  if name.startswith("uncore_") and "free_running" not in name)


def numbered(**counts):
    return sorted(name if count == 1 else f"{name}_{i}"
                  for name, count in counts.items() for i in range(count))


SPR_BOXES = {"cha": 4, "iio": 2, "irp": 2, "m2pcie": 2, "pcu": 1, "type_5": 1, "imc": 4,
             "m2m": 2, "upi": 2, "m3upi": 2, "mdf": 1}


@test("spr-2s", kernels=BOTH, **with_intel_uncore)
def intree_boxes_and_rates_match_on_spr(m):
    m.sh("modprobe intel_uncore")
    cxl = {"type_12": 1, "type_13": 1} if m.kernel.name == "6.1" else {"cxlcm": 1, "cxldp": 1}
    assert boxes(m) == numbered(**SPR_BOXES, **cxl), boxes(m)
    events = {**SPR_EVENTS, **WRONG.get(m.kernel.name, {})}
    results = witness.agreement(m, (0, 1), events, functools.partial(promised, platform="spr"))
    m.sh("rmmod intel_uncore")
    return results


@test("gnr-2s", kernels=("6.12",), settings={"model.firmware-freeze": "no"}, **with_intel_uncore)
def intree_boxes_and_rates_match_on_gnr(m):
    m.sh("modprobe intel_uncore")
    assert boxes(m) == numbered(cha=4, iio=2, irp=2, pcu=1, ubox=1, imc=4, upi=2, cxlcm=1,
                                cxldp=1, b2hot=1, b2cmi=2, b2cxl=1, b2upi=1, mdf_sbo=1,
                                pciex16=1, pciex8=1), boxes(m)
    results = witness.agreement(m, (0, 1), GNR_EVENTS, functools.partial(promised, platform="gnr"))
    m.sh("rmmod intel_uncore")
    return results


@test("gnr-2s", kernels=("6.12",), **with_intel_uncore)
def intree_driver_of_6_12_leaves_the_firmware_freeze(m):
    m.sh("modprobe intel_uncore")
    out = m.run("perf stat -a -x, -e uncore_cha_0/event=1/ sleep 0.2").err
    assert out.startswith("0,,uncore_cha_0"), out
    assert all(socket["frozen"] for socket in m.oracle("state")["sockets"])
    m.sh("rmmod intel_uncore")


@test("emr-1s", kernels=BOTH, **with_intel_uncore)
def intree_boxes_match_on_emr(m):
    m.sh("modprobe intel_uncore")
    assert boxes(m) == numbered(**{**SPR_BOXES, "mdf": 0}), boxes(m)
    m.sh("rmmod intel_uncore")


@test("srf-1s", kernels=("6.12",), **with_intel_uncore)
def intree_boxes_match_on_srf(m):
    m.sh("modprobe intel_uncore")
    assert {"cha_3", "imc_3", "b2cmi_1", "upi_1"} <= set(boxes(m)), boxes(m)
    m.sh("rmmod intel_uncore")


@test("grr-1s", kernels=("6.12",), **with_intel_uncore)
def intree_boxes_match_on_grr(m):
    m.sh("modprobe intel_uncore")
    assert boxes(m) == numbered(cha=4, iio=2, irp=2, pcu=1, ubox=1, imc=2, b2cmi=2,
                                pciex8=1), boxes(m)
    m.sh("rmmod intel_uncore")


@test("cwf-1s", kernels=BOTH, **with_intel_uncore)
def intree_boxes_match_on_cwf(m):
    m.sh("modprobe intel_uncore")
    wanted = {"type_0_3", "type_6_3", "type_16_1"} if m.kernel.name == "6.1" else \
        {"cha_3", "imc_3", "b2cmi_1"}
    assert wanted <= set(boxes(m)), boxes(m)
    m.sh("rmmod intel_uncore")


@test("unknown-1s", kernels=BOTH, **with_intel_uncore)
def unknown_model_is_driven_by_its_table(m):
    m.sh("modprobe intel_uncore")
    assert boxes(m) == numbered(type_0=4, type_4=1, type_5=1, type_6=2, type_8=1, type_77=2,
                                type_78=2, type_79=2, type_80=1), boxes(m)
    events = {"uncore_type_77_1/event=3,umask=2/": ("type_77", 1, {"event": 3, "umask": 2}),
              "uncore_type_78_1/event=3,umask=2/": ("type_78", 1, {"event": 3, "umask": 2}),
              "uncore_type_79_1/event=3,umask=2/": ("type_79", 1, {"event": 3, "umask": 2}),
              "uncore_type_80/event=3,umask=2/": ("type_80", 0, {"event": 3, "umask": 2}),
              "uncore_type_0_2/event=1/": ("cha", 2, {"event": 1}),
              "uncore_type_6_1/event=5,umask=0xcf/": ("imc", 1, {"event": 5, "umask": 0xcf})}
    results = witness.agreement(m, (0,), events, functools.partial(promised, platform="spr"))
    m.sh("rmmod intel_uncore")
    return results
