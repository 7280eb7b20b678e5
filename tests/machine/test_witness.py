# SPDX-License-Identifier: GPL-2.0-only
"""Validation of the model with independent software: Linux's own drivers and perf.

The in-tree uncore driver finds the boxes by itself and programs them in its own way. The counts
of perf must equal the rates in qemu/rates.py. The model is not strict, because that driver
violates the protocol. A difference shows that one of the two is wrong, not which.
"""

import re

from lab.framework import BOTH, test
from lab.qemu import rates
from machine import witness
from machine.armed import WATCHDOG
from machine.witness import with_intel_uncore

# also the second memory controller and the third link
BOARD = {"boxes.imc": "8", "boxes.qpi": "3"}
BOXES = {"cbox": 2, "ubox": 1, "pcu": 1, "ha": 2, "imc": 8, "irp": 1, "qpi": 3, "r2pcie": 1,
         "r3qpi": 2}
# bits of FILTER1 above the opcode
C6, NC, ISOC = 1 << 9, 1 << 10, 1 << 11

# perf's spelling -> arguments of rates.rate(box, instance, socket, ...). Events of a C-Box share
# its filters.
EVENTS = {
    "uncore_cbox_0/event=0/": ("cbo", 0, {}),
    "uncore_cbox_0/event=0x34,umask=0x51,filter_state=0x1f,filter_nid=5/":
        ("cbo", 0, {"event": 0x34, "umask": 0x51, "state": 0x1f, "nid": 5}),
    "uncore_cbox_0/event=0x35,umask=3,filter_opc=0x182,filter_nc=1/":
        ("cbo", 0, {"event": 0x35, "umask": 3, "opc": 0x182 | NC}),
    "uncore_cbox_0/event=0x1b,umask=1,thresh=1,edge=1/":
        ("cbo", 0, {"event": 0x1b, "umask": 1, "thresh": 1, "edge": True}),
    "uncore_cbox_1/event=0/": ("cbo", 1, {}),
    "uncore_cbox_1/event=0x31,umask=0x10,filter_link=9/":
        ("cbo", 1, {"event": 0x31, "umask": 0x10, "link": 9}),
    "uncore_cbox_1/event=0x36,umask=3,filter_opc=0x182,filter_c6=1,filter_isoc=1/":
        ("cbo", 1, {"event": 0x36, "umask": 3, "opc": 0x182 | C6 | ISOC}),
    "uncore_cbox_1/event=0x0c,umask=1,tid_en=1,filter_tid=5/":
        ("cbo", 1, {"event": 0x0c, "umask": 1, "tid": 5}),
    "uncore_ubox/event=0x42,umask=8/": ("ubox", 0, {"event": 0x42, "umask": 8}),
    "uncore_ubox/event=0xff/": ("ubox", 0, {"fixed": True}),
    "uncore_pcu/event=0/": ("pcu", 0, {}),
    "uncore_pcu/event=0xb,filter_band0=20/":
        ("pcu", 0, {"event": 0xb, "bands": (20, 0, 0, 0)}),
    "uncore_pcu/event=0x80,occ_sel=1/": ("pcu", 0, {"event": 0x80, "umask": 0x40}),
    "uncore_ha_0/event=1,umask=3/": ("ha", 0, {"event": 1, "umask": 3}),
    "uncore_ha_1/event=1,umask=3/": ("ha", 1, {"event": 1, "umask": 3}),
    "uncore_imc_0/event=4,umask=3/": ("imc", 0, {"event": 4, "umask": 3}),
    "uncore_imc_1/event=4,umask=3/": ("imc", 1, {"event": 4, "umask": 3}),
    "uncore_imc_2/event=4,umask=0xc/": ("imc", 2, {"event": 4, "umask": 0xc}),
    "uncore_imc_3/event=4,umask=0xc/": ("imc", 3, {"event": 4, "umask": 0xc}),
    **{f"uncore_imc_{n}/event=4,umask=3/": ("imc", n, {"event": 4, "umask": 3})
       for n in range(4, 8)},
    "uncore_imc_0/event=0x80,thresh=8/": ("imc", 0, {"event": 0x80, "thresh": 8}),
    "uncore_imc_0/event=0xff/": ("imc", 0, {"fixed": True}),
    "uncore_imc_3/event=0xff/": ("imc", 3, {"fixed": True}),
    "uncore_imc_7/event=0xff/": ("imc", 7, {"fixed": True}),
    "uncore_irp/event=0x15,umask=1/": ("irp", 0, {"event": 0x15, "umask": 1}),
    "uncore_qpi_0/event=0,umask=2/": ("qpi", 0, {"event": 0, "umask": 2}),
    "uncore_qpi_1/event=0x102,umask=0x18/":
        ("qpi", 1, {"event": 0x102, "umask": 0x18}),
    "uncore_qpi_0/event=0x138,match_opc=5,mask_opc=0xf/":
        ("qpi", 0, {"event": 0x138, "match": (5 << 5, 0), "mask": (0xf << 5, 0)}),
    "uncore_qpi_2/event=0x14/": ("qpi", 2, {"event": 0x14}),
    "uncore_r2pcie/event=1/": ("r2pcie", 0, {"event": 1}),
    "uncore_r3qpi_0/event=7,umask=1/": ("r3qpi", 0, {"event": 7, "umask": 1}),
    "uncore_r3qpi_1/event=7,umask=1/": ("r3qpi", 1, {"event": 7, "umask": 1}),
}


@test("e2-2s", kernels=BOTH, settings=BOARD, **with_intel_uncore)
def intree_boxes_and_rates_match_on_v2(m):
    with witness.driver(m, BOXES):
        return witness.agreement(m, (0, 1), EVENTS, rates.rate)


@test("e2-2s-full", **with_intel_uncore)
def cboxes_match_the_number_of_cores(m):
    with witness.driver(m, {**BOXES, "cbox": 10, "imc": 4, "qpi": 2}):
        pass


@test("e2-2s", loaded=False, module=False, perf=True,
      settings=BOARD)
def core_pmu_supports_watchdog_and_perf_record(m):
    m.write(WATCHDOG, 1)
    before = m.oracle("cpus")["cpus"][0]["core_pmi"]
    m.allow("INFO: NMI handler .* took too long")     # on a busy host
    m.allow("perf: interrupt took too long")
    m.run("cd /tmp && perf record -o data -C 0 -F 200 -e cycles -- sleep 0.5")
    report = m.run("cd /tmp && perf report -i data --stdio --sort cpu").out
    assert re.search(r"100\.00%\s+0+\s", report), report
    # The handler unmasks LVTPC after the first PMI. A PMI of perf that arrives while the handler
    # serves that of the watchdog is masked, which is no error
    assert m.oracle("cpus")["cpus"][0]["core_pmi"] > before + 1


@test("e2-2s", loaded=False, module=False, perf=True,
      settings=BOARD)
def core_pmu_counts_at_the_model_rates(m):
    promised = {"cycles": 2600000000, "instructions": 1300000000,
                "r412e": 1000000 + 500 * (0x2e41 * 40503 % 131071)}
    measured = witness.measure(m, "-C 1", promised)
    for event, rate in promised.items():
        text = witness.difference(measured.get((event, None)), rate)
        assert not text, (event, text)
