# SPDX-License-Identifier: GPL-2.0-only
"""What only newer kernels do, validated with Linux's own driver: see test_witness.py.

Linux 7 ends the freeze that the firmware of Granite Rapids leaves, and knows Diamond Rapids and
Panther Lake.
`make lab-kernels` runs these tests.

Linux 7 drives no unit of Diamond Rapids behind MSRs. The model puts units there, because no
source states the access kinds, so that these tests move them into memory. There, Linux writes
only the lower half of controls, and assumes that they are 4 bytes apart, so that only counter 0
of a box can be compared. It does not write the global control of the first table. ITC stays
behind MSRs, because Linux would map free-running counters that the model lacks.
"""

from lab.framework import test
from machine import test_witness_client
from machine.test_witness_discovery import agreement
from machine.test_witness_gnr import BOXES, EVENTS
from machine.witness import with_intel_uncore

GNR_EACH = {event: EVENTS[event] for event in (
    "uncore_cha_0/event=1/", "uncore_imc_0/event=5,umask=0xcf/", "uncore_upi_1/event=2,umask=0xf/")}

# perf's spelling -> box type, instance, further arguments of promised()
DMR_EVENTS = {
    "uncore_pcu/event=0x35/": ("pcu", 0, {"event": 0x35}),
    "uncore_ubox/event=0x42,umask=8/": ("ubox", 0, {"event": 0x42, "umask": 8}),
    "uncore_imc_0/event=5,umask=0xcf/": ("imc", 0, {"event": 5, "umask": 0xcf}),
    "uncore_imc_1/event=0x80,thresh=8/": ("imc", 1, {"event": 0x80, "thresh": 8}),
    "uncore_imc_1/event=6,umask=1/": ("imc", 1, {"event": 6, "umask": 1}),
    "uncore_imc_0/event=0xff/": ("imc", 0, {"fixed": True}),
    "uncore_imc_1/event=0xff/": ("imc", 1, {"fixed": True}),
    "uncore_cxlcm/event=2,umask=1/": ("cxlcm", 0, {"event": 2, "umask": 1}),
    "uncore_cbo_0/event=1/": ("cbo", 0, {"event": 1}),
    "uncore_cbo_1/event=0x50,umask=3,thresh=1,edge=1/":
        ("cbo", 1, {"event": 0x50, "umask": 3, "thresh": 1, "edge": True}),
    **{f"uncore_sbo_{n}/event=3,umask=2/": ("sbo", n, {"event": 3, "umask": 2}) for n in range(2)},
    **{f"uncore_{kind}/event=3,umask=2/": (kind, 0, {"event": 3, "umask": 2})
       for kind in ("sca", "hamvf", "santa", "cncu", "sncu", "pcie4", "pcie6", "crs", "cms", "ula",
                    "dda", "ubr", "cpc", "otc")},
}
DMR_BOXES = {"pcu": 1, "ubox": 1, "imc": 2, "cxlcm": 1, "cbo": 2, "sbo": 2, "sca": 1, "hamvf": 1,
             "santa": 1, "cncu": 1, "sncu": 1, "pcie4": 1, "pcie6": 1, "crs": 1, "cms": 1, "ula": 1,
             "dda": 1, "ubr": 1, "cpc": 1, "otc": 1}
DMR_SETTINGS = {"model.firmware-freeze": "no",
                **{f"boxes.{kind}-access": "mmio" for kind in (
                    "pcu", "ubox", "cbo", "ula", "dda", "ubr", "crs", "cpc", "otc", "cms")}}


@test("gnr-2s", kernels=("7",), **with_intel_uncore)
def intree_driver_of_7_ends_the_firmware_freeze(m):
    assert all(socket["frozen"] for socket in m.oracle("state")["sockets"])
    return agreement(m, "gnr", (0, 1), BOXES, GNR_EACH)


@test("dmr-2s", kernels=("7",), settings=DMR_SETTINGS, **with_intel_uncore)
def intree_boxes_and_rates_match_on_dmr(m):
    return agreement(m, "dmr", (0, 1), DMR_BOXES, DMR_EVENTS)


PTL_EVENTS = {
    **{f"uncore_cbox_{n}/event=0x34,umask=0x8f/": ("cbo", n, {"event": 0x34, "umask": 0x8f})
       for n in range(6)},
    **{f"uncore_santa_{n}/event=0x81,umask=1/": ("santa", n, {"event": 0x81, "umask": 1})
       for n in range(2)},
    **{f"uncore_cncu_{n}/event=0xff/": ("clock", n, {"fixed": True}) for n in range(2)},
    "uncore_ia_core_bridge/event=0x11/": ("ia_core_bridge", 0, {"event": 0x11}),
    **{f"uncore_imc_{n}/event=1/": ("imc", n, {"event": 1}) for n in range(2)},
    "uncore_imc_1/event=0x22,umask=3,edge=1/": ("imc", 1, {"event": 0x22, "umask": 3, "edge": True}),
    "uncore_sncu/event=3,umask=2/": ("sncu", 0, {"event": 3, "umask": 2}),
    **{f"uncore_hbo_{n}/event=3,umask=2/": ("hbo", n, {"event": 3, "umask": 2}) for n in range(2)},
    **test_witness_client.MC_64,
}
PTL_BOXES = {"cbox": 6, "santa": 2, "cncu": 2, "ia_core_bridge": 1, "imc": 2, "sncu": 1, "hbo": 2,
             "imc_free_running": 2}


@test("ptl-1s", kernels=("7",), **with_intel_uncore)
def intree_boxes_and_rates_match_on_panther_lake(m):
    return test_witness_client.agreement(m, "ptl", PTL_BOXES, PTL_EVENTS)
