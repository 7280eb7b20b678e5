# SPDX-License-Identifier: GPL-2.0-only
"""Ice Lake-SP and Snow Ridge: features that no earlier generation has.

Snow Ridge freezes its boxes one by one like v1; test_snbep.py tests that.
"""

import errno

from lab.framework import test
from lab.session import FIXED, Session, interrupting, refused
from machine import eventset, free_running
from machine.armed import each_overflowed, run_armed, run_polled
from machine.eventset import type_of
from machine.packages import count_named
from machine.test_skx import (assert_boxes, chas, count_exactly, free_boxes, key_of,
                              named_events)
from machine.test_snbep import timer_run

# ---- which boxes ----

# box type -> (general counters, fixed counters, access)
TYPES = {"cha": (4, 0, "msr"), "iio": (4, 0, "msr"), "iio_free": (0, 9, "msr"),
         "irp": (2, 0, "msr"), "m2pcie": (4, 0, "msr"), "ubox": (2, 1, "msr"),
         "pcu": (4, 0, "msr"), "imc": (4, 1, "mmio"), "imc_free": (0, 5, "mmio"),
         "m2m": (4, 0, "ecam"), "upi": (4, 0, "ecam"), "m3upi": (4, 0, "ecam"),
         "pcie3": (4, 0, "ecam")}
# scenario -> box type -> number of boxes on all dies
BOXES = {
    "icx-2s": {"cha": 8, "iio": 12, "iio_free": 12, "irp": 12, "m2pcie": 12, "ubox": 2, "pcu": 2,
               "imc": 24, "imc_free": 8, "m2m": 8, "upi": 6, "m3upi": 6},
    "icx-1s": {"cha": 3, "iio": 2, "iio_free": 2, "irp": 2, "m2pcie": 2, "ubox": 1, "pcu": 1,
               "imc": 4, "imc_free": 2, "m2m": 2, "upi": 1, "m3upi": 1},
    "icxd-1s": {"cha": 4, "iio": 6, "iio_free": 6, "irp": 6, "m2pcie": 6, "ubox": 1, "pcu": 1,
                "imc": 12, "imc_free": 4, "m2m": 4},
    "snr-1s": {"cha": 6, "iio": 5, "iio_free": 5, "irp": 5, "m2pcie": 5, "ubox": 1, "pcu": 1,
               "imc": 2, "imc_free": 1, "m2m": 1, "pcie3": 1},
}


@test(("icx-2s", "icx-1s", "snr-1s"))
def boxes_match_the_model(m):
    types = {**TYPES, "imc_free": (0, 3, "mmio")} if m.scenario == "snr-1s" else TYPES
    assert_boxes(m, BOXES[m.scenario], types, 48)
    assert "may hide" not in m.dmesg(), m.dmesg()[-2000:]
    count_exactly(m)


@test("icxd-1s", kernels=("6.12",))
def boxes_of_ice_lake_d_match_the_model(m):
    assert_boxes(m, BOXES["icxd-1s"], TYPES, 48)
    count_exactly(m)


def counters_with(chas_):
    return eventset.COUNTERS_OF["icx-1s"] + 4 * (chas_ - BOXES["icx-1s"]["cha"])


# CHA registers are in three ranges. The position of the overflow bits in the two status words
# is undocumented
UNLIKE = {"boxes.cha": "40", "model.status-shift": "31", "model.box-enables": "yes"}


@test("icx-1s", settings=UNLIKE)
def forty_chas_count_exactly(m):
    count_exactly(m, counters_with(40))


@test("icx-1s", settings={"boxes.cha": "6", "boxes.fuses": "0x8000000100000002"})
def cha_fuses_are_read_from_two_registers(m):
    assert chas(m) == ["cha0", "cha1", "cha2"], chas(m)
    assert "3 CHAs by the fuses, 6 by the register" in m.dmesg(), m.dmesg()[-2000:]


@test("icx-1s", settings={"faults.hide": "imc-map caps", "boxes.cha": "6",
                          "boxes.global-config": "4"})
def chas_are_found_without_fuses_and_imc_map(m):
    """Without the fuses, GLOBAL_CONFIG gives the number of CHAs.

    Without the map of the memory controllers, no controller is found.
    """
    assert chas(m) == [f"cha{i}" for i in range(4)], chas(m)
    with Session(m) as s:
        assert not [at for at in s.ids if at[1].startswith("imc")], s.ids
        s.add("m2m0", event=0)
        s.start()
        s.read_exactly()


@test("icx-2s", settings={"faults.hide": "0:imc0 0:imc1 0:imc2 1:imc5 1:imc6"})
def imc_channels_are_numbered_by_controller(m):
    """A channel that reads all ones is absent, and so is a controller without an address."""
    with Session(m) as s:
        found = {at for at in s.ids if type_of(at[1]).startswith("imc")}
        assert found == {*((0, f"imc{i}") for i in range(3, 12)),
                         *((1, f"imc{i}") for i in range(12) if i not in (5, 6)),
                         *((0, f"imc_free{i}") for i in range(1, 4)),
                         *((1, f"imc_free{i}") for i in range(4))}, found
        s.add_all(eventset.full_set(s, ("imc",)))
        s.start()
        s.read_exactly()
        s.stop_exactly()


@test("snr-1s", settings={"boxes.imc": "4", "boxes.m2m": "4"})
def second_controller_of_snow_ridge_is_found(m):
    count_exactly(m, eventset.COUNTERS_OF["snr-1s"] + 2 * 5 + 3 * 4)


# ---- fields ----

@test("icx-1s")
def fields_absent_in_a_box_are_refused(m):
    with Session(m) as s:
        for box, field in (("imc0", "umask_ext"), ("m3upi0", "umask_ext"), ("cha0", "filter_loc"),
                           ("cha0", "filter_state"), ("iio0", "umask_ext"), ("ubox0", "invert")):
            with refused(errno.EINVAL):     # GET_FIELDS does not list the field
                s.add(box, event=1, **{field: 1})
        for box, field, value in (("upi0", "umask_ext", 1 << 24), ("m2m0", "umask_ext", 1 << 8),
                                  ("cha0", "umask_ext", 1 << 26), ("iio0", "ch_mask", 1 << 12),
                                  ("iio0", "fc_mask", 8), ("ubox0", "thresh", 0x20)):
            with refused(errno.ERANGE):
                s.add(box, event=1, **{field: value})


@test("icx-1s")
def upper_half_of_a_control_reaches_its_register(m):
    """In config space the upper half is a separate dword; the lower half alone counts something
    else."""
    wide = {"upi0": {"event": 2, "umask": 0x0f, "umask_ext": 0xffffff},
            "m2m1": {"event": 0x2c, "umask": 0x01, "umask_ext": 0xa5},
            "cha2": {"event": 0x35, "umask": 0x01, "umask_ext": 0x2aaaaaa},
            "iio1": {"event": 0x83, "umask": 0x01, "ch_mask": 0xfff, "fc_mask": 5}}
    with Session(m) as s:
        for box, fields in wide.items():
            s.add(box, **fields)
        s.start()
        s.read_exactly()
        promised = {box: eventset.rate_of(box, 0, 0, fields, "icx") for box, fields in wide.items()}
        found = {c["box"]: c["rate"] for c in m.oracle("counters")["sockets"][0] if c["rate"]}
    assert found == promised, (found, promised)


# ---- free-running counters ----

@test("icx-2s")
def free_running_counters_match_stacks_and_controllers(m):
    free_running.match_the_model(m, {"iio_free": free_running.of_stack(8, "in"),
                                     "imc_free": free_running.OF_CONTROLLER},
                                 12 * 9 + 8 * 5, {"event": 0})


@test("snr-1s")
def free_running_counters_of_snow_ridge_match_the_model(m):
    """A P5900 has no persistent memory: its controllers have three free-running counters."""
    kinds = [kind for kind in free_running.OF_CONTROLLER if not kind[0].startswith("pmm")]
    free_running.match_the_model(m, {"iio_free": free_running.of_stack(8, "in"),
                                     "imc_free": kinds}, 5 * 9 + 3, {"event": 0})


@test("icx-1s", loaded=False)
def outbound_counters_without_a_source_need_a_parameter(m):
    """The model has the outbound counters where uncertain=1 assumes them."""
    m.insmod()
    for event in ("iio_free/BANDWIDTH_OUT.PART0_FREERUN/", "UNC_IIO_BANDWIDTH_OUT.PART7_FREERUN"):
        result = m.run(f"ucoretool stat --timeout 1 -e {event}", check=False)
        assert result.status == 2 and "uncertain=1" in result.err, result.err
    m.rmmod()
    m.insmod(parameters="uncertain=1")
    free_running.match_the_model(m, {"iio_free": free_running.of_stack(8, "in", "out"),
                                     "imc_free": free_running.OF_CONTROLLER},
                                 2 * 17 + 2 * 5, {"event": 0})
    m.rmmod()


@test("icx-1s")
def period_of_free_running_counter_is_refused(m):
    with Session(m) as s:
        assert {type_of(box) for _, box in free_boxes(s)} == {"iio_free", "imc_free"}
        for die, box in free_boxes(s):
            with refused(errno.EOPNOTSUPP):
                s.command(f"add {s.ids[die, box]} {1 << 32} {interrupting(1000000)}")


# ---- names ----

@test("icx-2s", timeout=300)
def every_named_event_counts_at_its_documented_rate(m):
    assert count_named(m, named_events("icx")) == 3993 - 17 - 5 - 2


@test("snr-1s", timeout=120)
def additional_events_of_snow_ridge_count(m):
    known = set(map(key_of, eventset.table("icx")))
    assert count_named(m, named_events("snr", known)) == 6


@test(("icx-1s", "snr-1s"))
def free_running_and_fixed_counters_have_names(m):
    names = ("UNC_IIO_CLOCKTICKS_FREERUN", "UNC_IIO_BANDWIDTH_IN.PART7_FREERUN",
             "UNC_M_CLOCKTICKS_FREERUN", "UNC_M_READ_FREERUN", "imc_free/WRITE_FREERUN/",
             "UNC_M_HCLOCKTICKS", "UNC_U_CLOCKTICKS")
    with Session(m) as s:
        at = {box for _, box in s.ids}
    assert at >= {"iio_free1", "imc_free0"}, at
    free_running.named_match_the_model(m, names)


# ---- overflow ----

@test("icx-1s", timeout=120)
def every_counter_that_can_overflow_ends_intervals_exactly(m):
    for ctr in range(4):
        overflow(m, ctr)


def overflow(m, ctr):
    with Session(m) as s:
        wanted = [(box, die, c, eventset.period_for(box, die, c, fields, 5 + n % 7, "icx"), fields)
                  for n, (die, box) in enumerate(eventset.boxes_of(s))
                  for c, fields in eventset.events_of(box, "icx").items()
                  if c == ctr or (c == FIXED and not ctr)]
    run_armed(m, wanted, each_overflowed(2))


@test("icx-1s", settings=UNLIKE, timeout=120)
def moved_status_bits_and_box_enables_are_handled(m):
    overflow(m, 0)


@test("snr-1s")
def interrupts_are_refused_on_snow_ridge(m):
    with Session(m) as s:
        for _, box in eventset.boxes_of(s):
            with refused(errno.EOPNOTSUPP):
                s.add(box, period=interrupting(1000000), event=1)


# ---- boxes that are frozen one by one ----

@test("snr-1s", timeout=120)
def timer_sample_counts_match_each_box_freeze(m):
    for sample, freeze, _ in timer_run(m, None, 10):
        assert freeze["reason"] == "boxes" and len(freeze["boxes"]) == 26, freeze
        assert len(sample["values"]) == eventset.COUNTERS_OF["snr-1s"], sample


# events that count all cycles of a box
CLOCKS = {"cha5": 0, "iio4": 1, "irp4": 1, "m2pcie4": 1, "pcu0": 0, "imc1": 0, "m2m0": 0}


@test("snr-1s", timeout=120)
def polled_periods_of_all_box_types_are_exact(m):
    wanted = [(box, 0, 1, eventset.period_for(box, 0, 1, {"event": event}, 10 + n, "snr"),
               {"event": event}) for n, (box, event) in enumerate(CLOCKS.items())]
    wanted.append(("ubox0", 0, FIXED, eventset.period_for("ubox0", 0, FIXED, {}, 20, "snr"), {}))
    run_polled(m, wanted, each_overflowed(3))
