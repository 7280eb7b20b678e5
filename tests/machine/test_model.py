# SPDX-License-Identifier: GPL-2.0-only
"""The machine model itself, register by register, without any driver.

These are the properties in qemu/README.md on which other tests rely. test_witness.py compares the
model with Linux's own drivers.
"""

from lab import qmp
from lab.framework import test
from lab.qemu import rates
from machine.registers import bare, poke, preload, rules, wait_frozen

GLOBAL_CTL, GLOBAL_STATUS, GLOBAL_CONFIG = 0xc00, 0xc01, 0xc06
FRZ_ALL, UNFRZ_ALL = 0x80000000, 0x20000000
UCLK_CTL, UCLK_CTR = 0xc08, 0xc09
PCU_BOX_CTL, PCU_CTL0, PCU_STATUS, PCU_CTR0 = 0xc24, 0xc30, 0xc35, 0xc36
CBO0_BOX_CTL, CBO0_CTL0, CBO0_FILTER0, CBO0_CTR0 = 0xd04, 0xd10, 0xd14, 0xd16
DEBUGCTL = 0x1d9
APIC_VERSION = 0xfee00030
EN, OV_EN = 0x400000, 0x100000
BOX_RUN, BOX_FRZ, BOX_INIT = 0x30000, 0x30100, 0x30103
CTR0, FIXED_CTR, CTL0, FIXED_CTL, BOX_CTL, BOX_STATUS = 0xa0, 0xd0, 0xd8, 0xf0, 0xf4, 0xf8
IMC0, IMC1, HA0 = "7f:10.4", "7f:10.5", "7f:0e.1"


def clean(m):
    """Disable all counters, clear all status bits, and reset the model's access counts."""
    for cpu in (0, 2):
        poke(m, ("w", cpu, GLOBAL_CTL, FRZ_ALL), ("w", cpu, UCLK_CTL, 0),
             ("w", cpu, PCU_BOX_CTL, BOX_INIT), ("w", cpu, PCU_STATUS, 0xf),
             ("w", cpu, CBO0_BOX_CTL, BOX_INIT))
    for box in (IMC0, IMC1, HA0):
        poke(m, ("ew", box, BOX_CTL, BOX_INIT), ("ew", box, BOX_STATUS, 0x1f))
    for cpu in (0, 2):
        poke(m, ("w", cpu, GLOBAL_STATUS, 0x7ffffff), ("w", cpu, GLOBAL_CTL, UNFRZ_ALL))
    m.inject("reset")


@test("e2-2s", **bare)
def absent_msr_faults(m):
    assert poke(m, ("r", 0, 0xc02), ("r", 0, 0xd44), ("w", 0, 0xd44, 0), ("r", 0, 0xee0)) == \
        [None] * 4
    assert poke(m, ("r", 0, GLOBAL_CONFIG), ("r", 2, GLOBAL_CONFIG)) == [2, 2]


@test("e2-2s", **bare)
def ecam_and_config_cycles_read_the_same(m):
    for function, device in ((IMC0, 0x0eb4), ("ff:10.4", 0x0eb4), ("00:05.6", 0x0e39),
                             ("80:05.6", 0x0e39), ("7f:0b.0", 0x0e1e)):
        assert poke(m, ("er", function, 0), ("pr", function, 0)) == [device << 16 | 0x8086] * 2
    assert poke(m, ("er", "7f:0b.0", 0x40), ("er", "ff:0b.0", 0x40),
                ("er", "ff:0b.0", 0x54)) == [0, 1, 0xfac688]


@test("e2-2s", **bare)
def overflow_freezes_at_the_exact_time(m):
    clean(m)
    mark = m.truth_length()
    poke(m, ("w", 2, GLOBAL_CTL, FRZ_ALL), ("w", 2, UCLK_CTR, preload(28938000)),
         ("w", 2, UCLK_CTL, EN | OV_EN), ("w", 2, GLOBAL_CTL, UNFRZ_ALL | 1))
    wait_frozen(m, 1)
    # the period takes 10 ms at 2893.8 MHz, the clock of socket 1
    unfreeze = m.truth("unfreeze", since=mark)[-1]
    freeze = m.truth("freeze", since=mark)[-1]
    assert freeze["t"] - unfreeze["t"] == 10000000
    assert freeze["cause"] == ["ubox0.fixed"] and freeze["reason"] == "overflow"
    assert poke(m, ("r", 2, UCLK_CTR), ("r", 2, GLOBAL_STATUS), ("r", 0, GLOBAL_STATUS)) == \
        [0, 1, 0]
    clean(m)


@test("e2-2s", settings={"rates.imc.*.0.fixed": "1000000", "rates.ha.0.0.4.0": "500000"},
      **bare)
def simultaneous_carries_make_one_freeze_and_one_pmi(m):
    clean(m)
    mark = m.truth_length()
    poke(m, ("w", 0, GLOBAL_CTL, FRZ_ALL))
    for box in (IMC0, IMC1):
        poke(m, ("ew", box, BOX_CTL, BOX_RUN), ("ew", box, FIXED_CTL, EN | OV_EN),
             ("ew", box, FIXED_CTR, preload(10000) & 0xffffffff),
             ("ew", box, FIXED_CTR + 4, 0xffff))
    poke(m, ("ew", HA0, BOX_CTL, BOX_RUN), ("ew", HA0, CTL0, EN | OV_EN | 4),
         ("ew", HA0, CTR0, preload(5000) & 0xffffffff), ("ew", HA0, CTR0 + 4, 0xffff),
         ("w", 0, GLOBAL_CTL, UNFRZ_ALL | 1))
    wait_frozen(m)
    freezes = m.truth("freeze", since=mark)
    assert [freeze["reason"] for freeze in freezes] == ["frz_all", "overflow"]
    assert sorted(freezes[1]["cause"]) == ["ha0.0", "imc0.fixed", "imc1.fixed"]
    assert len(m.truth("pmi", since=mark)) == 1
    assert poke(m, ("r", 0, GLOBAL_STATUS), ("er", IMC0, BOX_STATUS), ("er", IMC1, BOX_STATUS),
                ("er", HA0, BOX_STATUS)) == [1 << 20 | 1 << 18, 1, 1, 1]
    clean(m)


@test("e2-2s", **bare)
def set_status_bit_blocks_further_overflows(m):
    clean(m)
    m.inject("status 0 1")
    mark = m.truth_length()
    poke(m, ("w", 0, UCLK_CTL, 0), ("w", 0, UCLK_CTR, preload(1000)),
         ("w", 0, UCLK_CTL, EN | OV_EN))
    m.wait_until(lambda: 0 < poke(m, ("r", 0, UCLK_CTR))[0] < 1 << 40, what="wrap")
    assert not m.truth("freeze", since=mark)
    clean(m)


# ---- Queued faults ----

def ready_to_carry(m):
    """Freeze a die with two armed counters, of the UBox and of the PCU, far from an overflow."""
    clean(m)
    poke(m, ("w", 0, GLOBAL_CTL, FRZ_ALL), ("w", 0, UCLK_CTR, 0), ("w", 0, UCLK_CTL, EN | OV_EN),
         ("w", 0, PCU_BOX_CTL, BOX_RUN), ("w", 0, PCU_CTR0, 0), ("w", 0, PCU_CTL0, EN | OV_EN))


def held(m):
    return m.oracle("state")["sockets"][0]["held"]


@test("e2-2s", **bare)
def queued_carry_waits_for_a_running_die(m):
    ready_to_carry(m)
    mark = m.truth_length()
    m.inject("carry 0 ubox0.fixed pcu0.0")
    assert held(m) and poke(m, ("r", 0, GLOBAL_STATUS), ("r", 0, PCU_STATUS)) == [0, 0]
    assert [event["ev"] for event in m.truth(since=mark)] == ["held"]
    poke(m, ("w", 0, GLOBAL_CTL, UNFRZ_ALL | 1))
    wait_frozen(m)
    assert not held(m)
    events = m.truth(since=mark)
    assert [event["ev"] for event in events] == ["held", "unfreeze", "freeze", "pmi"], events
    assert events[2]["reason"] == "overflow" and events[2]["t"] > events[1]["t"]
    assert sorted(events[2]["cause"]) == ["pcu0.0", "ubox0.fixed"]
    assert poke(m, ("r", 0, GLOBAL_STATUS), ("r", 0, PCU_STATUS)) == [1 | 1 << 2, 1]
    clean(m)


@test("e2-2s", **bare)
def queued_carry_waits_for_a_counting_counter(m):
    ready_to_carry(m)
    poke(m, ("w", 0, PCU_BOX_CTL, BOX_FRZ), ("w", 0, GLOBAL_CTL, UNFRZ_ALL | 1))
    mark = m.truth_length()
    m.inject("carry 0 pcu0.0")
    m.inject("carry 0 pcu0.1")      # a disabled counter
    assert held(m) and not m.truth("freeze", since=mark)
    poke(m, ("w", 0, PCU_BOX_CTL, BOX_RUN))
    wait_frozen(m)
    assert [freeze["cause"] for freeze in m.truth("freeze", since=mark)] == [["pcu0.0"]]
    assert held(m)
    poke(m, ("w", 0, PCU_CTL0 + 1, EN | OV_EN), ("w", 0, PCU_STATUS, 1),
         ("w", 0, GLOBAL_STATUS, 4), ("w", 0, GLOBAL_CTL, UNFRZ_ALL | 1))
    wait_frozen(m)
    assert m.truth("freeze", since=mark)[-1]["cause"] == ["pcu0.1"] and not held(m)
    clean(m)


@test("e2-2s", **bare)
def running_counter_carries_at_once_and_only_once(m):
    ready_to_carry(m)
    poke(m, ("w", 0, GLOBAL_CTL, UNFRZ_ALL | 1))
    mark = m.truth_length()
    m.inject("carry 0 ubox0.fixed")
    assert [event["ev"] for event in m.truth(since=mark)] == ["freeze", "pmi"]
    poke(m, ("w", 0, UCLK_CTL, 0), ("w", 0, GLOBAL_STATUS, 1), ("w", 0, GLOBAL_CTL, UNFRZ_ALL | 1))
    assert len(m.truth("freeze", since=mark)) == 1
    clean(m)


@test("e2-2s", **bare)
def carry_blocked_by_status_bit_is_reported(m):
    ready_to_carry(m)
    poke(m, ("w", 0, GLOBAL_CTL, UNFRZ_ALL | 1))
    m.inject("status 0 1")
    mark = m.truth_length()
    m.inject("carry 0 ubox0.fixed")
    assert [(event["ev"], event["cause"]) for event in m.truth(since=mark)] == \
        [("blocked", ["ubox0.fixed"])]
    clean(m)


@test("e2-2s", **bare)
def spurious_status_and_freezes_wait_for_a_running_die(m):
    clean(m)
    poke(m, ("w", 0, GLOBAL_CTL, FRZ_ALL))
    mark = m.truth_length()
    m.inject("status 0 4")
    m.inject("freeze 0")
    assert poke(m, ("r", 0, GLOBAL_STATUS)) == [0]
    assert [event["fault"] for event in m.truth("held", since=mark)] == ["status 0 4", "freeze 0"]
    poke(m, ("w", 0, GLOBAL_CTL, UNFRZ_ALL))
    wait_frozen(m)
    assert [event["reason"] for event in m.truth("freeze", since=mark)] == ["inject"]
    assert poke(m, ("r", 0, GLOBAL_STATUS)) == [4] and not held(m)
    clean(m)


@test("e2-2s", **bare)
def carry_that_cannot_happen_is_refused(m):
    for counter in ("cbo0.0", "imc9.0", "imc0.7"):
        try:
            m.inject(f"carry 0 ubox0.fixed {counter}")
        except qmp.QmpError:
            assert not held(m)
        else:
            raise AssertionError(counter)


@test("e2-2s", **bare)
def frozen_time_tally_restarts_within_a_freeze(m):
    clean(m)
    poke(m, ("w", 0, GLOBAL_CTL, FRZ_ALL))
    before = m.oracle("state")["t"]
    m.inject("reset")
    state = m.oracle("state")
    assert state["sockets"][0]["frozen_ns"] <= state["t"] - before, state["sockets"][0]
    mark = m.truth_length()
    poke(m, ("w", 0, GLOBAL_CTL, UNFRZ_ALL))
    unfreeze = m.truth("unfreeze", since=mark)[-1]
    assert m.oracle("state")["sockets"][0]["frozen_ns"] < unfreeze["frozen_ns"]
    assert m.oracle("state")["sockets"][0]["frozen_ns"] <= unfreeze["t"] - before


@test("e2-2s", **bare)
def power_on_resets_the_test_state(m):
    ready_to_carry(m)
    poke(m, ("w", 1, DEBUGCTL, 0x2000), ("w", 0, CBO0_FILTER0, 0x1f), ("ew", HA0, BOX_CTL, BOX_FRZ))
    for fault in ("carry 0 ubox0.fixed", "dead 0 imc1", "lose-pmi 0 1", "ecam-wrong 0 imc0"):
        m.inject(fault)
    m.inject("power-on")
    assert poke(m, ("r", 0, GLOBAL_CTL), ("r", 0, UCLK_CTL), ("r", 0, PCU_CTR0),
                ("r", 0, CBO0_FILTER0), ("er", HA0, BOX_CTL), ("er", IMC0, BOX_CTL),
                ("er", IMC1, BOX_CTL)) == [0] * 7
    assert not poke(m, ("r", 1, DEBUGCTL))[0] & 0x2000 and not held(m)
    state = m.oracle("state")["sockets"][0]
    assert not state["frozen"] and not state["freezes"] and \
        not any(box["box_ctl"] for box in state["boxes"]), state
    clean(m)


@test("e2-2s", **bare)
def model_strict_mode_can_be_off(m):
    clean(m)
    m.inject("strict no")
    poke(m, ("w", 0, GLOBAL_STATUS, 1))
    m.inject("strict yes")
    assert rules(m) == []
    poke(m, ("w", 0, GLOBAL_STATUS, 1))
    assert rules(m) == ["status-not-set"]


# ---- The emulator ----

@test("spr-2s", **bare)
def memory_map_change_disturbs_no_other_cpu(m):
    """BARs change during accesses to memory and to an APIC, and during timers of an idle CPU."""
    imc0 = 0xf0000a2800
    idle = m.spawn("taskset 1 sh -c 'for i in $(seq 300); do usleep 1000; done'", timeout=60)
    readers = [m.spawn(f"taskset {mask} poke same 4 {at:#x} 10000", timeout=60)
               for mask, at in ((4, imc0), (8, APIC_VERSION))]
    m.run("taskset 2 poke decode 7f:00.4 1000")
    assert [reader.wait().out for reader in readers] == ["0\n", "0\n"]
    idle.wait()


@test("e2-2s", **bare)
def counter_wraps_at_its_width(m):
    clean(m)
    poke(m, ("w", 0, CBO0_BOX_CTL, BOX_FRZ), ("w", 0, CBO0_CTR0, preload(1000, width=44)),
         ("w", 0, CBO0_CTL0, EN), ("w", 0, CBO0_BOX_CTL, BOX_RUN))
    m.wait_until(lambda: poke(m, ("r", 0, CBO0_CTR0))[0] < 1 << 43, what="wrap")
    poke(m, ("w", 0, CBO0_BOX_CTL, BOX_FRZ))
    truth = m.oracle("counters")["sockets"][0][0]
    assert truth["total"] == truth["value"] + 1000
    assert poke(m, ("r", 0, CBO0_CTR0)) == [truth["value"]]
    clean(m)


@test("e2-2s", **bare)
def count_equals_rate_times_time(m):
    clean(m)
    mark = m.truth_length()
    poke(m, ("w", 0, GLOBAL_CTL, FRZ_ALL), ("ew", IMC0, BOX_CTL, BOX_RUN),
         ("ew", IMC0, CTL0, EN | 0x0304), ("w", 0, CBO0_BOX_CTL, BOX_RUN),
         ("w", 0, CBO0_FILTER0, 0x1f << 17), ("w", 0, CBO0_CTL0, EN | 0x1134),
         ("w", 0, CBO0_CTL0 + 1, EN | 0x0335), ("w", 0, GLOBAL_CTL, UNFRZ_ALL),
         ("w", 0, GLOBAL_CTL, FRZ_ALL))
    time = m.truth("freeze", since=mark)[-1]["t"] - m.truth("unfreeze", since=mark)[-1]["t"]
    imc = rates.rate("imc", 0, 0, 0x04, 0x03)
    lookup = rates.rate("cbo", 0, 0, 0x34, 0x11, state=0x1f)
    assert poke(m, ("er", IMC0, CTR0), ("er", IMC0, CTR0 + 4), ("r", 0, CBO0_CTR0),
                ("r", 0, CBO0_CTR0 + 1)) == [imc * time // 10**9, 0, lookup * time // 10**9, 0]
    clean(m)


@test("e2-2s", **bare)
def accesses_are_counted_by_kind(m):
    clean(m)
    poke(m, ("r", 0, UCLK_CTR), ("r", 2, GLOBAL_STATUS), ("w", 0, CBO0_BOX_CTL, BOX_RUN),
         ("er", IMC0, CTR0), ("er", IMC0, CTR0 + 4), ("ew", IMC0, BOX_CTL, BOX_RUN),
         ("pr", HA0, CTR0), ("pw", HA0, BOX_CTL, BOX_RUN), ("r", 0, 0xc02), ("mark", 9))
    found = m.oracle("accesses")
    assert found["total"] == {"rdmsr": 2, "wrmsr": 1, "msr_fault": 1, "ecam_read": 2,
                              "ecam_write": 1, "cf8_read": 1, "cf8_write": 1, "port_io": 4,
                              "mmio_read": 0, "mmio_write": 0, "all": 9}
    assert found["sockets"][1]["total"]["all"] == 1
    assert found["sockets"][0]["boxes"]["imc0"]["all"] == 3
    assert [marker["value"] for marker in m.oracle("markers")["markers"]] == [9]
    assert sum(cpu["syscalls"] for cpu in m.oracle("cpus")["cpus"]) > 10
    assert sum(cpu["insns"] for cpu in m.oracle("cpus")["cpus"]) > 1000


@test("e2-smt", **bare)
def pmi_reaches_both_threads_of_a_core(m):
    m.allow("NMI received for unknown reason|Dazed and confused")
    cpus = m.sh("cat /sys/devices/system/cpu/cpu1/topology/thread_siblings_list")
    assert cpus == "0-1"
    poke(m, *(("w", cpu, DEBUGCTL, 0x2000) for cpu in (0, 1, 2)),
         ("w", 0, GLOBAL_CTL, FRZ_ALL), ("w", 0, UCLK_CTR, preload(1000)),
         ("w", 0, UCLK_CTL, EN | OV_EN), ("w", 0, GLOBAL_CTL, UNFRZ_ALL | 3))
    wait_frozen(m)
    assert [(cpu["pmi_sent"], cpu["pmi_delivered"], cpu["pmi_debugctl"])
            for cpu in m.oracle("cpus")["cpus"]] == \
        [(1, 1, 0), (1, 1, 0), (1, 1, 0), (1, 0, 1)]
    m.wait_until(lambda: m.dmesg().count("NMI received for unknown reason") == 3, what="NMIs")


@test("e2-2s", settings={"faults.core-map": "-1 0"}, **bare)
def core_numbers_can_have_holes(m):
    poke(m, ("w", 0, GLOBAL_CTL, FRZ_ALL), ("w", 0, UCLK_CTR, preload(1000)),
         ("w", 0, UCLK_CTL, EN | OV_EN), ("w", 0, GLOBAL_CTL, UNFRZ_ALL | 1))
    wait_frozen(m)
    assert not any(cpu["pmi_sent"] for cpu in m.oracle("cpus")["cpus"])
    poke(m, ("w", 0, GLOBAL_STATUS, 1), ("w", 0, UCLK_CTR, preload(1000)),
         ("w", 0, GLOBAL_CTL, UNFRZ_ALL | 2))
    m.wait_until(lambda: m.oracle("cpus")["cpus"][0]["pmi_sent"] == 1)


@test("e2-2s", settings={"faults.hide": "imc1 1:qpi0 cbo1 0:qpi1-filter",
                         "faults.dead": "ha0", "faults.ecam-wrong": "imc2"}, **bare)
def boxes_can_be_absent_dead_or_wrong(m):
    functions = m.sh("ls /sys/bus/pci/devices")
    assert "7f:10.5" not in functions and "ff:10.5" not in functions
    assert "7f:0e.1" not in functions       # the function was absent when Linux scanned
    assert "7f:08.2" in functions and "ff:08.2" not in functions
    assert "7f:09.6" not in functions and "ff:09.6" in functions
    assert poke(m, ("r", 0, CBO0_BOX_CTL), ("r", 0, CBO0_BOX_CTL + 0x20)) == [0, None]
    m.inject("dead 0 ha1")
    assert poke(m, ("er", "7f:1c.1", BOX_CTL), ("pr", "7f:1c.1", BOX_CTL)) == [0xffffffff] * 2
    poke(m, ("ew", "7f:10.0", BOX_CTL, BOX_FRZ), ("pw", "7f:10.0", CTL0, EN))
    assert poke(m, ("pr", "7f:10.0", BOX_CTL), ("pr", "7f:10.0", CTL0),
                ("er", "7f:10.0", CTL0)) == [0, EN, ~EN & 0xffffffff]
    m.inject("ecam-right 0 imc2")
    assert poke(m, ("er", "7f:10.0", CTL0)) == [EN]
    m.inject("reset")       # clear the violation: CTL0 was written while the box ran


@test("e2-2s", **bare)
def lost_and_spurious_pmis_are_modelled(m):
    clean(m)
    m.inject("lose-pmi 0 1")
    mark = m.truth_length()
    poke(m, ("w", 0, GLOBAL_CTL, FRZ_ALL), ("w", 0, UCLK_CTR, preload(1000)),
         ("w", 0, UCLK_CTL, EN | OV_EN), ("w", 0, GLOBAL_CTL, UNFRZ_ALL | 1))
    wait_frozen(m)
    assert [pmi["result"] for pmi in m.truth("pmi", since=mark)] == ["lost"]
    m.inject("pmi 3")
    assert m.truth("pmi", since=mark)[-1]["apic_id"] == 3
    clean(m)


@test("e2-2s", settings={"model.cbox-ov-en": "yes"}, **bare)
def cbox_overflows_when_configured(m):
    clean(m)
    poke(m, ("w", 2, CBO0_BOX_CTL, BOX_FRZ), ("w", 2, CBO0_CTR0 + 3, preload(1000, width=44)),
         ("w", 2, CBO0_CTL0 + 3, EN | OV_EN), ("w", 2, GLOBAL_CTL, UNFRZ_ALL | 1),
         ("w", 2, CBO0_BOX_CTL, BOX_RUN))
    wait_frozen(m, 1)
    rate = rates.rate("cbo", 0, 1)          # more than one increment in a nanosecond
    beyond = -(-1000 * 10**9 // rate) * rate // 10**9 - 1000
    assert poke(m, ("r", 2, GLOBAL_STATUS), ("r", 2, CBO0_CTR0 + 3)) == [1 << 3, beyond]


@test("e2-2s", settings={"machine.uncore": "no"}, **bare)
def machine_without_uncore_boots(m):
    assert poke(m, ("r", 0, GLOBAL_CTL), ("r", 0, UCLK_CTR), ("r", 0, 0x3fc)) == \
        [None, None, 0]
    assert "7f:10.4" not in m.sh("ls /sys/bus/pci/devices")


@test("e2-2s", settings={"model.hlt-sleeps": "yes"}, **bare)
def halted_cpu_wakes_only_with_wk_on_pmi(m):
    m.allow("NMI received for unknown reason|Dazed and confused")

    def overflow(wake):
        clean(m)
        mark = m.truth_length()
        poke(m, ("w", 1, DEBUGCTL, 0x2000), ("w", 0, GLOBAL_CTL, FRZ_ALL),
             ("w", 0, UCLK_CTR, preload(26000000)), ("w", 0, UCLK_CTL, EN | OV_EN),
             ("w", 0, GLOBAL_CTL, UNFRZ_ALL | wake | 2))
        wait_frozen(m)
        return m.truth("pmi", since=mark)[-1]["result"]
    m.wait_until(lambda: overflow(0) == "asleep", what="PMI to a halted CPU")
    assert overflow(0x40000000) == "delivered"
    clean(m)


@test("e2-2s", **bare)
def cpu_offline_resets_its_debugctl(m):
    poke(m, ("w", 1, DEBUGCTL, 0x2000))
    assert poke(m, ("r", 1, DEBUGCTL))[0] & 0x2000
    m.set_online(1, False)
    m.set_online(1, True)
    assert not poke(m, ("r", 1, DEBUGCTL))[0] & 0x2000


# (rule, register writes that violate the rule); clean() runs before each
VIOLATIONS = (
    ("reserved", (("w", 0, CBO0_CTL0, OV_EN),)),
    ("reserved", (("w", 0, GLOBAL_CTL, 0x8000),)),
    ("box-ctl-ones", (("w", 0, CBO0_BOX_CTL, 0x100),)),
    ("not-frozen", (("w", 0, CBO0_BOX_CTL, BOX_RUN), ("w", 0, CBO0_CTL0, EN))),
    ("not-frozen", (("w", 0, CBO0_CTL0, EN), ("w", 0, CBO0_BOX_CTL, BOX_RUN),
                    ("w", 0, CBO0_CTR0, 1))),
    ("not-frozen", (("w", 0, UCLK_CTL, EN), ("w", 0, UCLK_CTR, 1))),
    ("reset-running", (("w", 0, CBO0_CTL0, EN), ("w", 0, CBO0_BOX_CTL, BOX_RUN),
                       ("w", 0, CBO0_BOX_CTL, BOX_RUN | 2))),
    ("status-not-set", (("w", 0, GLOBAL_STATUS, 1),)),
    ("freeze-and-unfreeze", (("w", 0, GLOBAL_CTL, FRZ_ALL | UNFRZ_ALL),)),
    ("core-sel", (("w", 0, GLOBAL_CTL, FRZ_ALL | 1), ("w", 0, UCLK_CTL, EN | OV_EN),
                  ("w", 0, GLOBAL_CTL, UNFRZ_ALL))),
    ("core-sel", (("w", 0, GLOBAL_CTL, FRZ_ALL | 1), ("w", 0, UCLK_CTL, EN | OV_EN),
                  ("w", 0, GLOBAL_CTL, FRZ_ALL), ("w", 0, GLOBAL_CTL, UNFRZ_ALL))),
    ("width", (("w", 0, CBO0_CTR0, 1 << 44),)),
    ("constraint", (("w", 0, CBO0_CTL0 + 1, EN | 0x36),)),
    ("access-size", (("eb", IMC0, CTL0, 0),)),
    ("read-only", (("w", 0, GLOBAL_CONFIG, 1),)),
)


@test("e2-2s", **bare)
def each_violation_is_detected(m):
    for rule, commands in VIOLATIONS:
        clean(m)
        poke(m, ("w", 0, CBO0_BOX_CTL, BOX_FRZ))
        poke(m, *commands)
        assert rules(m) == [rule], (rule, commands)
    clean(m)


@test("e2-2s", **bare)
def pmi_core_sel_may_be_zero_from_the_start_or_by_a_write_of_its_own(m):
    """An overflow freezes without a PMI then."""
    for route in ((), (("w", 0, GLOBAL_CTL, 1), ("w", 0, GLOBAL_CTL, 0))):
        clean(m)
        poke(m, ("w", 0, GLOBAL_CTL, FRZ_ALL), ("w", 0, UCLK_CTL, EN | OV_EN), *route,
             ("w", 0, GLOBAL_CTL, UNFRZ_ALL))
        assert rules(m) == [], route
    clean(m)


@test("e2-2s", **bare)
def clearing_in_wrong_order_is_detected(m):
    clean(m)
    arm = (("w", 0, GLOBAL_CTL, FRZ_ALL), ("w", 0, PCU_BOX_CTL, BOX_RUN),
           ("w", 0, PCU_CTR0, preload(1000)), ("w", 0, PCU_CTL0, EN | OV_EN),
           ("w", 0, GLOBAL_CTL, UNFRZ_ALL | 1))
    poke(m, *arm)
    wait_frozen(m)
    poke(m, ("w", 0, GLOBAL_STATUS, 4))
    assert rules(m) == ["global-before-box"]
    poke(m, ("w", 0, GLOBAL_CTL, UNFRZ_ALL | 1))
    assert rules(m) == ["unfreeze-pending"]
    clean(m)
