# SPDX-License-Identifier: GPL-2.0-only
"""Dies of discovery tables and PCI buses on machines whose NUMA nodes do not give them.

The counts of each die are compared with those of its socket in the model.  Therefore a box of
another socket makes a test fail.
"""

import json

from lab.framework import test
from lab.session import Session
from machine import eventset
from machine.eventset import type_of
from machine.tables import (BY_BUS, BY_FREEZE, BY_MSR, BY_NONE, BY_ONLY, BY_ORDER, TABLE_ALL_ONES,
                            TABLE_ASLEEP, TABLE_DIE, TABLE_OK, assert_all_count, boxes_of_model,
                            found)

GUESS = "nothing shows the dies of discovery tables"
FIRST, SECOND = "7f:00.4", "ff:00.4"        # functions with the tables of sockets 0 and 1


def tables(m):
    """Return the tables of the driver: place -> (die, reason, way in which the die was found)."""
    return {table["at"]: (table["die"], table["reason"], table["die_by"])
            for table in found(m)["tables"]}


def reason(m):
    return json.loads(m.sh("ucoretool info -j"))["reason"]


def findings(m, check):
    """Return the findings of doctor about one subject: (result, text, advice)."""
    lines = map(json.loads, m.run("ucoretool doctor -j", check=False).out.splitlines())
    return [(line["result"], line["text"], line.get("advice", ""))
            for line in lines if line.get("check") == check]


# ---- two sockets without NUMA ----

def assert_both_right(m):
    assert tables(m) == {FIRST: (0, TABLE_OK, BY_FREEZE), SECOND: (1, TABLE_OK, BY_FREEZE)}, \
        tables(m)
    assert not reason(m), reason(m)
    assert_all_count(m)


# Linux finds bus ff before bus 7f
@test("gnr-2s", cmdline="numa=off")
def boxes_without_numa_are_on_their_dies(m):
    assert_both_right(m)


@test("gnr-2s", cmdline="numa=off", settings={"machine.bus-order": "ascending"})
def boxes_without_numa_on_ascending_buses_are_on_their_dies(m):
    assert_both_right(m)


@test("gnr-2s", settings={"machine.bus-order": "ascending"})
def boxes_with_numa_are_on_their_dies(m):
    assert tables(m) == {FIRST: (0, TABLE_OK, BY_BUS), SECOND: (1, TABLE_OK, BY_BUS)}, tables(m)
    assert_all_count(m)


@test("gnr-2s", cmdline="numa=off", loaded=False)
def trial_at_load_restores_all_registers(m):
    before = m.oracle("state")
    m.insmod()
    after = m.oracle("state")
    assert [table[2] for table in tables(m).values()] == [BY_FREEZE, BY_FREEZE], tables(m)
    for was, now in zip(before["sockets"], after["sockets"]):
        for key in ("global_ctl", "frozen", "boxes"):
            assert was[key] == now[key], (key, was[key], now[key])
    assert sum(s["unfreezes"] for s in after["sockets"]) > 0
    m.rmmod()


# The buses are in the order of the sockets, which the driver can only guess here
@test("gnr-2s", cmdline="numa=off", loaded=False, strict=False)
def dies_beside_intel_uncore_are_a_guess(m):
    m.run("modprobe intel_uncore")
    before = m.oracle("accesses")
    m.insmod()
    after = m.oracle("accesses")
    for was, now in zip(before["sockets"], after["sockets"]):
        assert was["total"]["wrmsr"] == now["total"]["wrmsr"], (was["total"], now["total"])
        assert was["total"]["mmio_write"] == now["total"]["mmio_write"], (was, now)
    assert tables(m) == {FIRST: (0, TABLE_OK, BY_ORDER), SECOND: (1, TABLE_OK, BY_ORDER)}, \
        tables(m)
    assert "the dies of discovery tables are a guess" in m.dmesg(), m.dmesg()[-2000:]
    assert any("dies of 2 discovery tables are a guess" in text and
               "modprobe -r intel_uncore" in advice
               for _, text, advice in findings(m, "discovery")), findings(m, "discovery")
    assert "its die, 0, is a guess" in m.sh("ucoretool list --rejected")
    m.rmmod()
    m.run("modprobe -r intel_uncore")
    m.insmod()
    assert not reason(m), reason(m)
    assert_both_right(m)
    m.rmmod()


@test("gnr-2s", cmdline="numa=off", settings={"model.frz-all": "no", "model.firmware-freeze": "no"},
      loaded=False, strict=False)
def dies_are_a_guess_if_no_freeze_stops_a_box(m):
    m.insmod()
    assert tables(m) == {FIRST: (0, TABLE_OK, BY_ORDER), SECOND: (1, TABLE_OK, BY_ORDER)}, \
        tables(m)
    assert GUESS in reason(m) and "numa=off" in reason(m), reason(m)
    m.rmmod()


# ---- tables that cannot be read ----

@test("gnr-2s", cmdline="numa=off", settings={"discovery.0:asleep": "yes"})
def only_table_gets_the_die_of_its_boxes(m):
    assert tables(m) == {FIRST: (-1, TABLE_ALL_ONES, BY_NONE), SECOND: (1, TABLE_OK, BY_FREEZE)}, \
        tables(m)
    assert "die 0" in reason(m), reason(m)
    assert_all_count(m, {1})


# Bus 00 is before the buses of both sockets. The model records a violation if the driver reads
# the memory of the function
@test("gnr-2s", cmdline="numa=off", settings={"machine.extras": "sleeper"})
def sleeping_gpu_takes_no_share_of_the_dies(m):
    assert tables(m) == {"00:04.0": (-1, TABLE_ASLEEP, BY_NONE),
                         FIRST: (0, TABLE_OK, BY_FREEZE), SECOND: (1, TABLE_OK, BY_FREEZE)}, \
        tables(m)
    assert not reason(m), reason(m)
    assert [result for result, _, _ in findings(m, "discovery")] == ["ok"], \
        findings(m, "discovery")
    assert_all_count(m)


# ---- a socket without CPUs ----

def assert_socket_0_alone(m, by):
    assert tables(m) == {FIRST: (0, TABLE_OK, by), SECOND: (-1, TABLE_DIE, BY_NONE)}, tables(m)
    assert "a socket has no CPU online" in reason(m), reason(m)
    assert_all_count(m, {0})


@test("spr-2s", cmdline="numa=off maxcpus=1")
def table_of_a_socket_without_cpus_is_not_used(m):
    assert_socket_0_alone(m, BY_BUS)


# No UBox gives the socket here
@test("gnr-2s", cmdline="numa=off maxcpus=1")
def table_that_no_freeze_stops_is_not_used(m):
    assert_socket_0_alone(m, BY_FREEZE)


# ---- buses without a node on a machine with more than eight nodes ----

@test("e2-2s", cmdline="numa=fake=9")
def boxes_of_both_dies_are_found_without_nodes(m):
    """With more than eight nodes, the UBox gives the die of a bus whose node is unknown."""
    assert len(m.sh("ls -d /sys/devices/system/node/node*").split()) == 9
    with Session(m) as s:
        assert {die for die, box in s.ids if type_of(box) == "imc"} == {0, 1}, s.ids
        assert {die for die, box in s.ids if type_of(box) == "qpi"} == {0, 1}, s.ids
        s.add_all(eventset.full_set(s))
        assert len(s.events) == eventset.COUNTERS_OF["e2-2s"], len(s.events)
        s.start()
        for _ in range(2):
            s.read_exactly()
        s.stop_exactly()


# ---- several tables of a die, and tables without a PCI function ----

@test("spr-1s", settings={"discovery.second-table": "own"})
def second_table_with_its_own_global_control_is_used(m):
    assert [(table["die"], table["reason"]) for table in found(m)["tables"]] == \
        [(0, TABLE_OK), (0, TABLE_OK)], found(m)["tables"]
    assert "has a further global control" in m.dmesg(), m.dmesg()[-2000:]
    assert not reason(m), reason(m)
    assert_all_count(m)


# MSR 201Eh would belong to the second CHA of this model
BY_MSR_201E = {"discovery.table-msr": 0x201e, "discovery.global-access": "mmio", "boxes.cha": 1}
# name of a box in the driver, which does not know its type -> name in the model
NAMES = {"type_00": "cha0", "type_40": "pcu0", "type_50": "ubox0", "type_60": "imc0",
         "type_61": "imc1", "type_80": "upi0"}


@test("unknown-1s", settings=BY_MSR_201E)
def unknown_processor_with_a_table_behind_an_msr_counts(m):
    listed = found(m)
    assert listed["platform"] == "generic", listed
    assert [(table["msr"], table["die"], table["reason"], table["die_by"])
            for table in listed["tables"]] == [(0x201e, 0, TABLE_OK, BY_MSR)], listed["tables"]
    assert "table 0: MSR 0x201e" in m.sh("ucoretool info --discovery")
    with Session(m, names=NAMES) as s:
        assert set(s.ids) == set(boxes_of_model(m)), (s.ids, boxes_of_model(m))
        s.fill(event="0x90+", umask="1+")
        s.start()
        s.read_exactly()
        assert all(value["count"] for value in s.read_exactly()["values"])


@test("unknown-1s", settings={**BY_MSR_201E, "discovery.msr-faults": "yes"}, loaded=False)
def unknown_processor_whose_msr_faults_has_no_table(m):
    m.insmod()
    assert not found(m)["tables"]
    assert "no table for this Intel processor" in reason(m), reason(m)
    m.rmmod()


@test("unknown-1s")
def table_of_the_only_die_is_no_guess(m):
    assert [table["die_by"] for table in found(m)["tables"]] == [BY_ONLY], found(m)["tables"]
    assert not reason(m), reason(m)
