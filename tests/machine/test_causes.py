# SPDX-License-Identifier: GPL-2.0-only
"""Machines that lack boxes: log, doctor, info and errors name the cause and what to do about it."""

import json

from lab.framework import test

CONFIG = "the kernel reaches only 256 bytes of PCI config space"
GUEST = "a virtual machine hides the uncore boxes: run ucore on the host"
OFFLINE = "a socket has no CPU online: bring one online and load ucore again"


def findings(m):
    """Return the findings of doctor about the machine: (result, check, text, advice)."""
    lines = map(json.loads, m.run("ucoretool doctor -j", check=False).out.splitlines())
    return [(line["result"], line["check"], line["text"], line.get("advice", ""))
            for line in lines if "check" in line]


def finding(m, check, result):
    """Return text and advice of the only finding of a check, which has this result."""
    found = [(text, advice) for verdict, name, text, advice in findings(m)
             if name == check and verdict == result]
    assert len(found) == 1, (check, result, findings(m))
    return found[0]


def complaints(m):
    """Return the checks with a warning or problem that the machine itself causes."""
    return [check for result, check, _, _ in findings(m)
            if result != "ok" and check not in ("overflow", "lockdown")]


def reason(m):
    return json.loads(m.sh("ucoretool info -j"))["reason"]


def assert_cause(m, text):
    """Check that log, info and doctor give the same reason."""
    assert text in m.dmesg(), m.dmesg()[-2000:]
    assert text in reason(m), reason(m)
    assert any(check == "boxes" and text in said for _, check, said, _ in findings(m)), findings(m)


# ---- config space ----

@test("spr-1s", cmdline="pci=nommconf", loaded=False)
def short_config_space_is_named_by_every_command(m):
    m.insmod(cores=True)
    assert_cause(m, CONFIG)
    text, advice = finding(m, "boxes", "problem")
    assert "nommconf" in advice and "BIOS options" not in advice, (text, advice)
    assert "256 bytes" in finding(m, "discovery", "warning")[0]
    for command in ("stat -e imc/0x05/ true", "stat -M memory_bandwidth_total true",
                    "top --batch --count 1 memory"):
        done = m.run(f"ucoretool {command}", check=False)
        assert done.status and CONFIG in done.err, (command, done.err)
    m.rmmod()


# No box of this processor needs the kernel's access beyond 256 bytes
@test("skx-1s", cmdline="pci=nommconf")
def short_config_space_is_no_problem_without_discovery(m):
    assert not complaints(m) and not reason(m), findings(m)


# ---- virtual machines ----

@test("spr-1s", settings={"machine.uncore": "no", "machine.hypervisor": "yes"}, loaded=False)
def core_boxes_of_a_guest_are_no_uncore_boxes(m):
    m.insmod(cores=True)
    assert_cause(m, GUEST)
    assert finding(m, "machine", "ok")[0] == "a virtual machine without uncore boxes"
    assert "on the host" in finding(m, "boxes", "warning")[1]
    assert not any("BIOS" in text + advice for _, _, text, advice in findings(m)), findings(m)
    done = m.run("ucoretool stat -M memory_bandwidth_total true", check=False)
    assert done.status and GUEST in done.err, done.err
    m.rmmod()


# The registers read 0 and ignore writes, so that the boxes seem to exist
@test("clx-1s", settings={"machine.hypervisor": "yes", "machine.msrs-ignored": "yes"},
      loaded=False, strict=False)
def boxes_of_a_guest_are_not_trusted_before_their_test(m):
    m.insmod()
    untested = "none of which has passed a self-test"
    text, advice = finding(m, "machine", "warning")
    assert untested in text and "verify" in advice, (text, advice)
    done = m.run("ucoretool stat -e cha/CLOCKTICKS/ true", check=False)
    assert done.status and "a hypervisor ignores it" in done.err, done.err
    assert "a hypervisor ignores it" in m.dmesg(), m.dmesg()[-2000:]
    assert untested in finding(m, "machine", "warning")[0]
    assert finding(m, "self-tests", "warning")
    m.rmmod()


# ---- one socket without links ----

@test("clx-1s", settings={"boxes.cha": "6", "boxes.imc": "4", "boxes.upi": "0", "boxes.m3upi": "0"})
def one_socket_without_upi_is_complete(m):
    assert not complaints(m) and not reason(m), findings(m)


@test("e2-1s", settings={"boxes.qpi": "0", "boxes.r3qpi": "0"})
def one_socket_without_qpi_is_complete(m):
    assert not complaints(m) and not reason(m), findings(m)


# ---- functions that sleep, and tables of no die ----

# The model records a violation if the driver reads the memory of the function
@test("spr-2s", settings={"machine.extras": "sleeper"}, loaded=False)
def sleeping_function_is_ignored_if_each_die_has_its_table(m):
    m.insmod()
    assert not complaints(m) and not reason(m), findings(m)
    text, _ = finding(m, "discovery", "ok")
    assert "0000:00:04.0" in text and "sleeps" in text, text
    assert "each online die has its table" in text, text
    m.rmmod()


@test("spr-2s", settings={"machine.extras": "sleeper", "faults.hide": "1:discovery"}, loaded=False)
def sleeping_function_is_named_if_a_die_lacks_a_table(m):
    m.insmod()
    assert_cause(m, "die 1 has no discovery table, but PCI function 0000:00:04.0 sleeps")
    assert "power/control" in finding(m, "boxes", "warning")[1]
    assert "power/control" in finding(m, "discovery", "warning")[1]
    m.rmmod()


@test("spr-2s", settings={"faults.hide": "1:discovery"})
def die_whose_table_is_hidden_is_named(m):
    assert_cause(m, "die 1 has no discovery table: look for a BIOS option that hides it")
    assert "BIOS options" in finding(m, "boxes", "warning")[1]


@test("spr-2s", cmdline="numa=off maxcpus=1")
def table_of_a_socket_without_cpus_needs_no_bios_update(m):
    assert_cause(m, OFFLINE)
    assert "/online" in finding(m, "boxes", "warning")[1]
    assert "belongs to no online die" in finding(m, "discovery", "ok")[0]
    assert not any("BIOS" in advice for _, _, _, advice in findings(m)), findings(m)


# ---- lockdown ----

@test("e2-1s", cmdline="lockdown=integrity", loaded=False)
def lockdown_is_reported_with_and_without_securityfs(m):
    m.run("mkdir -p /sys/kernel/security", check=False)
    m.run("umount /sys/kernel/security", check=False)
    assert "locked down (integrity" in finding(m, "lockdown", "warning")[0]
    m.run("mount -t securityfs securityfs /sys/kernel/security")
    assert "[integrity]" in m.sh("cat /sys/kernel/security/lockdown")
    assert "locked down (integrity" in finding(m, "lockdown", "warning")[0]
    m.run("umount /sys/kernel/security")


# ---- links ----

@test("skx-2s")
def topology_is_the_same_each_time(m):
    times = 50
    counted = m.sh(f"for i in $(seq {times}); do ucoretool list --topology; done | sort | uniq -c")
    assert len(counted.splitlines()) > 5, counted
    for line in counted.splitlines():
        assert int(line.split()[0]) % times == 0, counted
