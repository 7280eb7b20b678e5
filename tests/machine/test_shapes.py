# SPDX-License-Identifier: GPL-2.0-only
"""Machines with the discovery tables of real ones (lab/scenarios/shapes.md).

The model is the truth about the boxes and their counts. Linux's driver is a second reader of the
same tables.
"""

import json

from lab.framework import test
from lab.qemu import args
from lab.session import Session
from machine import free_running, witness
from machine.eventset import instance_of, type_of
from machine.exact import count_and_stop_exactly
from machine.tables import UNIT_RELOCATED, UNIT_ZERO, boxes_of_model, found
from machine.test_causes import complaints, findings, reason
from machine.test_metrics import Promise, hbm_and_ddr, one_second
from machine.test_selftest import failed, verify
from machine.test_spr import listed_boxes

KERNEL = ("6.12",)
MAX = ("spr-hbm-only-1s", "spr-hbm-flat-1s", "spr-hbm-cache-1s")
VERIFIED = ("spr-mcc-1s", "spr-hbm-flat-1s", "gnr-ap-1s")
SHAPES = ("spr-xcc-2s", "spr-mcc-1s", *MAX, "emr-xcc-1s", "gnr-ap-1s", "gnr-sp-2s", "srf-sp-1s",
          "cwf-ap-1s", "spr-8s")
# type numbers in records
UPI, M3UPI = 8, 9
# (type number, reason) -> number of records that must be rejected. The boxes of these types are
# found by their PCI functions.
REJECTED = {"spr-mcc-1s": {(UPI, UNIT_RELOCATED): 1, (M3UPI, UNIT_RELOCATED): 1,
                           (0, UNIT_ZERO): 2}}
EVENT = {"event": 0x90, "umask": 1}     # of no constraint
OF_CONTROLLER = [("dclk", None), ("rpq", None), ("wpq", None)]
FREE = ("iio_free", "imc_free")
VSEC = "/sys/bus/pci/drivers/intel_vsec"
# Linux's name of a box type, if it is not the model's
BANDWIDTH_TOLERANCE = 0.02      # the host may stop the tool between the clock and a counter
LINUX_NAMES = {"mchbm": "hbm", "ubox": {"spr": "type_5", "emr": "type_5"},
               "mdf": {"gnr": "mdf_sbo", "srf": "mdf_sbo", "cwf": "mdf_sbo"}}


def scenario_of(m):
    return args.Scenario(m.scenario)


def named(m):
    """Return (die, box) of each box that the tool lists: counted boxes, and free-running ones."""
    boxes = [(box["die"], f"{box['type']}{box['instance']}", box["type"])
             for box in listed_boxes(m) if "die" in box]
    return ({(die, name) for die, name, kind in boxes if kind not in FREE},
            {(die, name) for die, name, kind in boxes if kind in FREE})


def free_boxes_of_model(m):
    """Return (die, box) of the free-running boxes: one for each stack, one for two channels."""
    real = boxes_of_model(m)
    due = {(die, f"iio_free{instance_of(box)}") for die, box in real if type_of(box) == "iio"}
    if scenario_of(m).flag("machine", "imc-map", False):
        due |= {(die, f"imc_free{instance_of(box) // 2}") for die, box in real
                if type_of(box) == "imc"}
    return due


def assert_boxes(m):
    """Check that the driver has the boxes of the model, and no other."""
    counted, free = named(m)
    real = set(boxes_of_model(m))
    assert counted == real, (counted - real, real - counted)
    due = free_boxes_of_model(m)
    assert free == due, (free - due, due - free)


def assert_counts(m):
    """Count an event on each box, and compare the counts with the model."""
    with Session(m) as s:
        s.add_all([(box, die, 0, 0, EVENT) for die, box in sorted(boxes_of_model(m))])
        count_and_stop_exactly(m, s)


def assert_rejected(m):
    rejected = {}
    for unit in found(m)["units"]:
        key = unit["word"][2] & 0xffff, unit["reason"]
        rejected[key] = rejected.get(key, 0) + 1
    assert rejected == REJECTED.get(m.scenario, {}), rejected


def assert_no_complaint(m):
    """Check info and doctor. A freeze that firmware left is a finding about other owners."""
    known = {"owners"} if scenario_of(m).flag("model", "firmware-freeze", False) else set()
    assert set(complaints(m)) <= known and not reason(m), findings(m)


def assert_bandwidth(m):
    """Compare the memory bandwidth of each socket with the model's rates."""
    promise = Promise(m)
    rows = [json.loads(line) for line in m.sh(
        "ucoretool stat -j --timeout 200 --per-socket -M memory_bandwidth_total").splitlines()]
    values = {row["socket"]: row["value"] for row in rows if "metric" in row}
    due = {die: promise.value("memory_bandwidth_total",
                              [place for place in promise.boxes if place[0] == die],
                              one_second, 1.0) for die in promise.dies}
    assert values.keys() == due.keys(), (values, due)
    wrong = {die: (value, due[die]) for die, value in values.items()
             if abs(value / due[die] - 1) > BANDWIDTH_TOLERANCE}
    assert not wrong, wrong


@test(SHAPES, kernels=KERNEL, timeout=240)
def table_of_a_real_machine_gives_its_boxes_and_counts(m):
    assert_boxes(m)
    assert_rejected(m)
    assert_no_complaint(m)
    assert_counts(m)
    if m.scenario in MAX:
        kinds = {"mchbm": "hbm"} if "only" in m.scenario else {"imc": "ddr", "mchbm": "hbm"}
        hbm_and_ddr(m, kinds)
    else:
        assert_bandwidth(m)


@test("emr-xcc-1s", kernels=KERNEL, timeout=120)
def free_running_counters_match_stacks_and_controllers(m):
    free_running.match_the_model(m, {"iio_free": free_running.of_stack(8, "in", "out"),
                                     "imc_free": OF_CONTROLLER}, 10 * 17 + 4 * 3, {"event": 1})


@test(VERIFIED, kernels=KERNEL, timeout=240)
def verify_passes_on_the_table_of_a_real_machine(m):
    assert not failed(verify(m, 0))


def bound(m):
    """Return the PCI functions that Linux's driver of the telemetry drives."""
    return set(m.sh(f"ls {VSEC}").split()) & set(m.sh("ls /sys/bus/pci/devices").split())


def tables_of_model(m):
    """Return the PCI functions with the tables: 3.1 of the IIO buses."""
    return {f"0000:{bus:02x}:03.1" for bus in scenario_of(m).iio_buses}


@test("spr-xcc-2s", kernels=KERNEL, loaded=False, timeout=120)
def boxes_are_found_beside_the_driver_of_the_telemetry(m):
    """Linux's intel_vsec drives the function with the table, and is loaded before or after."""
    for first in ("intel_vsec", "ucore"):
        if first == "intel_vsec":
            m.sh("modprobe intel_vsec")
        m.insmod()
        if first == "ucore":
            m.sh("modprobe intel_vsec")
        assert bound(m) == tables_of_model(m), (bound(m), tables_of_model(m))
        assert_boxes(m)
        assert_bandwidth(m)
        assert_no_complaint(m)
        m.rmmod()
        m.sh("rmmod intel_vsec")


@test("spr-xcc-2s", kernels=KERNEL, loaded=False)
def functions_of_a_segment_above_16_bits_are_no_boxes(m):
    m.sh("modprobe vmd")
    assert m.sh("ls /sys/bus/pci/devices").count("10000:00:00.0") == 1
    m.insmod()
    assert_boxes(m)
    assert_no_complaint(m)
    m.rmmod()


def linux_name(kind, platform):
    name = LINUX_NAMES.get(kind, kind)
    return name.get(platform, kind) if isinstance(name, dict) else name


def boxes_of_linux(m):
    """Return box type -> numbers of its boxes."""
    boxes = {}
    for name in m.sh(f"ls {witness.DEVICES}").split():
        match = witness.PMU.fullmatch(name)
        if match:
            boxes.setdefault(match[1], set()).add(int((match[2] or "_0")[1:]))
    return boxes


@test(SHAPES, kernels=KERNEL, loaded=False, strict=False, timeout=120)
def linux_reads_the_same_boxes_from_the_table(m):
    """Linux numbers the only box of a type 0, and does not tell the dies of a box apart."""
    platform = scenario_of(m).platform
    due = {}
    for _, box in boxes_of_model(m):
        due.setdefault(linux_name(type_of(box), platform), set()).add(instance_of(box))
    due = {kind: numbers if len(numbers) > 1 else {0} for kind, numbers in due.items()}
    m.sh("modprobe intel_uncore")
    try:
        boxes = boxes_of_linux(m)
    finally:
        m.sh("rmmod intel_uncore")
    for kind in ("iio_free_running", "imc_free_running"):
        boxes.pop(kind, None)
    assert boxes == due, {kind: (boxes.get(kind), due.get(kind)) for kind in {*boxes, *due}
                          if boxes.get(kind) != due.get(kind)}
