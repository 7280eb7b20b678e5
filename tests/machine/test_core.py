# SPDX-License-Identifier: GPL-2.0-only
"""The cores' own counters: beside the uncore's, and beside perf.

The model's core PMU counts by promised rates.
"""

import contextlib
import json

from lab.framework import BOTH, test

# counts per second, as perf sees them too (test_witness.py)
CYCLES = 2600000000
INSTRUCTIONS = 1300000000
LLC_MISSES = 1000000 + 500 * (0x2e41 * 40503 % 131071)


@contextlib.contextmanager
def cores(m, watchdog=False):
    """The module with the cores, and perf's NMI watchdog out of the way, or not."""
    m.rmmod()
    m.insmod(cores=True)
    m.sh(f"sysctl -w kernel.nmi_watchdog={int(watchdog)}")
    yield
    m.sh("sysctl -w kernel.nmi_watchdog=1")
    m.rmmod()
    m.insmod()


def stat(m, *events):
    """{event: {cpu or None: count}} of half a second, all of one instant."""
    spelled = " ".join(f"-e {event}" for event in events)
    out = m.sh(f"ucoretool stat --per-box -j --timeout 500 {spelled}")
    found = {}
    for row in map(json.loads, out.splitlines()):
        if "event" in row:
            found.setdefault(row["event"], {})[row.get("cpu")] = row["count"]
    return found


def near(count, rate, cycles):
    """As many as there should be beside so many cycles of the same CPU."""
    return abs(count - rate * cycles / CYCLES) <= 2 + 1e-6 * cycles


@test("e2-2s")
def info_tells_what_the_processor_says(m):
    assert "cores      off" in m.sh("ucoretool info")
    with cores(m):
        core = json.loads(m.sh("ucoretool info -j"))["core"]
        eax = core["eax"]
        assert core["state"] == "ready" and core["events"] == 0x7f, core
        assert (core["version"], core["counters"], core["width"], eax >> 24) == \
            (eax & 0xff, eax >> 8 & 0xff, eax >> 16 & 0xff, 7), core
        assert (core["fixed"], core["fixed_width"]) == \
            (core["edx"] & 0x1f, core["edx"] >> 5 & 0xff), core
        listed = m.sh("ucoretool list").splitlines()
        assert len([line for line in listed if " core " in line]) == 1, listed


@test("e2-2s", kernels=BOTH)
def cores_count_by_name_and_raw(m):
    with cores(m):
        wanted = {"core/UNHALTED_CORE_CYCLES/": CYCLES, "core/INSTRUCTIONS_RETIRED/": INSTRUCTIONS,
                  "core/event=0x2e,umask=0x41/": LLC_MISSES,
                  "core/INST_RETIRED.ANY/": INSTRUCTIONS}
        found = stat(m, "core/CPU_CLK_UNHALTED.THREAD/", *wanted)
        cycles = found["core/CPU_CLK_UNHALTED.THREAD/"]
        assert sorted(cycles) == list(range(int(m.sh("nproc")))), cycles
        for cpu, count in cycles.items():
            assert count > 0.3 * CYCLES, (cpu, count)
            for event, rate in wanted.items():
                assert near(found[event][cpu], rate, count), (cpu, event, found)


@test("e2-2s", kernels=BOTH)
def cores_beside_a_memory_controller(m):
    with cores(m):
        found = stat(m, "core/LLC_MISSES/", "core/UNHALTED_CORE_CYCLES/",
                     "imc0/CAS_COUNT.RD,die=1/")
        for cpu, count in found["core/UNHALTED_CORE_CYCLES/"].items():
            assert near(found["core/LLC_MISSES/"][cpu], LLC_MISSES, count), (cpu, found)
        assert found["imc0/CAS_COUNT.RD,die=1/"][None] > 0, found


@test("e2-2s", kernels=BOTH, perf=True)
def whoever_came_first_keeps_them(m):
    with cores(m, watchdog=True):
        refused = m.run("ucoretool stat --timeout 1 -e core/LLC_MISSES/", check=False)
        assert refused.status == 1 and "kernel.nmi_watchdog=0" in refused.err, refused.err
        assert "held by perf" in m.sh("ucoretool info")
        m.sh("sysctl -w kernel.nmi_watchdog=0")
        assert "cores      ready" in m.sh("ucoretool info")

        session = m.spawn("ucoretool stat -e core/LLC_MISSES,cpu=1/ -- sleep 1000")
        m.wait_until(lambda: '"sessions":1' in m.sh("ucoretool info -j"), what="the session")
        perf = m.run("perf stat -e cycles:u -C 0 -- true 2>&1", check=False).out
        assert "not counted" in perf or "busy" in perf or "not supported" in perf, perf
        session.kill()
        session.wait(timeout=30, check=False)
        m.run("perf stat -e cycles -C 0 -- true")


@test("e2-2s", kernels=BOTH)
def overflows_of_cores_and_of_a_die(m):
    """All interrupt by one LVTPC entry; each sample is of the domain that overflowed."""
    with cores(m):
        m.sh("ucoretool record -o /tmp/data -n 200 -e core/INSTRUCTIONS_RETIRED,period=5000000/ "
             "-e core/CPU_CLK_UNHALTED.THREAD/ -e imc0/CAS_COUNT.RD,period=200000/")
        cpus, dies = {}, {}
        for row in map(json.loads, m.sh("ucoretool report -i /tmp/data -j").splitlines()):
            if row.get("record") != "sample":
                continue
            assert row["trigger"] == "overflow" and not row.get("recovered"), row
            if "die" in row:
                dies.setdefault(row["die"], []).append(row)
            else:
                cpus.setdefault(row["cpu"], []).append(row)
        assert len(cpus) == int(m.sh("nproc")) and len(dies) == 2, (cpus.keys(), dies.keys())
        assert all(len(rows) >= 5 for rows in (*cpus.values(), *dies.values()))


@test("e2-2s", kernels=BOTH)
def timer_samples_of_cores(m):
    with cores(m):
        m.sh("ucoretool record -o /tmp/data -n 40 --timer 5ms -e core/UNHALTED_CORE_CYCLES,cpu=1/")
        rows = [json.loads(line) for line in m.sh("ucoretool report -i /tmp/data -j").splitlines()]
        samples = [row for row in rows if row.get("record") == "sample"]
        assert len(samples) == 40 and all(row["cpu"] == 1 for row in samples), samples[:2]


@test("e2-2s", kernels=BOTH)
def a_cpu_goes_and_comes_back(m):
    with cores(m):
        program = m.spawn("ucoretool record -o /tmp/data --timer 5ms -e core/INST_RETIRED.ANY/")
        m.wait_until(lambda: '"sessions":1' in m.sh("ucoretool info -j"), what="the session")
        m.write("/sys/devices/system/cpu/cpu1/online", 0)
        m.write("/sys/devices/system/cpu/cpu1/online", 1)
        m.run("sleep 0.2")
        program.kill(2)
        program.wait(timeout=30)
        rows = [json.loads(line) for line in m.sh("ucoretool report -i /tmp/data -j").splitlines()]
        gaps = [row for row in rows if row.get("record") == "gap"]
        assert [row["reason"] for row in gaps] == ["cpu offline", "cpu online"], gaps
        after = [row for row in rows if row.get("record") == "sample" and row["cpu"] == 1
                 and row["time_ns"] > gaps[1]["time_ns"]]
        assert after and all(row["values"][0]["count"] > 0 for row in after), after[:2]
