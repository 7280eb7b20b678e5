# SPDX-License-Identifier: GPL-2.0-only
"""The flight recorder: the file also contains the time before the step of the traffic."""

import itertools
import json
import signal
import subprocess

from lab import artifacts
from lab.framework import test
from lab.qemu import rates

SECOND = 10**9
CHANNELS = [(socket, channel) for socket in (0, 1) for channel in range(4)]
CAS = 0x04
UMASKS = (0x03, 0x0c)                   # reads, writes
FAST = 300_000_000                      # rate of each channel and direction
# Bytes per second of both sockets: 40e9 before and 307e9 after the step. The threshold is far
# from both, because a busy host may stop a CPU between its clock and the freeze
THRESHOLD = 110e9
RECORD = ("cd /tmp && exec ucoretool record --timer 20ms --keep 30s "
          "--when 'memory_bandwidth_total>110GB/s' --after 5s -o inc-%t")


def samples_of(machine, path):
    """Return the samples of a file in the guest, decoded by `ucoretool script` on the host."""
    printed = subprocess.run([artifacts.tools() / "ucoretool", "script", "-i", "-", "-j"],
                             input=machine.fetch(path), check=True, capture_output=True)
    records = map(json.loads, printed.stdout.splitlines())
    return [record for record in records if record["record"] == "sample"]


def freezes_of(machine, mark, die):
    """Return (begin, end) of the freezes in which counters were in use, in order of time."""
    ends = {unfreeze["seq"]: unfreeze["t"] for unfreeze in machine.truth("unfreeze", mark)
            if unfreeze["socket"] == die}
    return [(freeze["t"], ends.get(freeze["seq"])) for freeze in machine.truth("freeze", mark)
            if freeze["socket"] == die and freeze["counters"]]


def step(machine):
    """Increase the rate of memory accesses; return model times before and after the step (ns)."""
    mark = machine.truth_length()
    machine.inject("marker 1")
    machine.inject(f"rate imc.*.*.{CAS:#x}.* {FAST}")
    machine.inject("marker 2")
    return [event["t"] for event in machine.truth("marker", mark)]


@test("e2-2s", timeout=240, alone=True)
def flight_recorder_keeps_29_s_before_the_trigger(m):
    quiet = sum(rates.rate("imc", channel, socket, event=CAS, umask=umask) * 64
                for socket, channel in CHANNELS for umask in UMASKS)
    busy = 2 * 4 * len(UMASKS) * FAST * 64
    assert quiet * 2.5 < THRESHOLD < busy / 2.5, (quiet, busy)
    m.run("rm -f /tmp/inc-*")
    mark = m.truth_length()
    recorder = m.spawn(RECORD, timeout=180)
    # the command starts slowly on a busy host
    m.wait_until(lambda: freezes_of(m, mark, 0) and freezes_of(m, mark, 1), what="a sample")
    m.run("sleep 33", timeout=120)
    before, behind = step(m)
    m.wait_until(lambda: m.sh("ls /tmp | grep -c ^inc- || true") == "1", timeout=60)
    # the condition remains true, but must not start a second file
    m.run("sleep 2", timeout=30)
    recorder.kill(signal.SIGINT)
    recorder.wait()
    (path,) = m.sh("ls /tmp/inc-*").split()
    samples = samples_of(m, path)
    for die in (0, 1):
        judge(die, [sample for sample in samples if sample["die"] == die],
              freezes_of(m, mark, die), before, behind)


def freezes_at(samples, freezes):
    """Return the freezes of consecutive samples that begin in the middle of the log.

    The intervals identify the position. Sequence numbers do not, because they include periods
    that a busy host dropped.
    """
    gaps = [b["time_ns"] - a["time_ns"] for a, b in itertools.pairwise(samples)]

    def differs(first):
        begins = [begin for begin, _ in freezes[first:first + len(samples)]]
        return sum(abs(b - a - gap) for (a, b), gap in zip(itertools.pairwise(begins), gaps))
    first = min(range(len(freezes) - len(samples) + 1), key=differs)
    return freezes[first:first + len(samples)]


def judge(die, samples, freezes, before, behind):
    """Check that the rate changes in the interval of the step, 29 s before and 5 s after it."""
    freezes = freezes_at(samples, freezes)
    times = [sample["time_ns"] for sample in samples]
    assert times == sorted(times)
    # a busy host delays timers, so the time of counting is that of the model
    counted = [end[0] - begin[1] for begin, end in itertools.pairwise(freezes)]
    counts = [sum(value["count"] for value in sample["values"]) for sample in samples[1:]]
    speeds = [count / ns for count, ns in zip(counts, counted)]
    usual = sorted(speeds)[len(speeds) // 2]
    # the interval before the sample of that index
    busy = 1 + next(i for i, speed in enumerate(speeds) if speed > 1.2 * usual)
    # a step in the last twentieth of an interval is not visible
    last = freezes[busy - 1][0]
    assert last - (counted[busy - 2] if busy > 1 else 0) / 20 <= behind and \
        before <= freezes[busy][0], (die, busy, last, before, behind)
    at, late = times[busy], max(b - a for a, b in itertools.pairwise(times))
    assert 29 * SECOND <= at - times[0] <= 31 * SECOND, (at - times[0]) / SECOND
    assert abs(times[-1] - at - 5 * SECOND) <= 3 * late, (times[-1] - at) / SECOND
    # all samples after the step have the new rate
    speed = sum(counts[busy:]) / sum(counted[busy:]) * SECOND
    wanted = 4 * len(UMASKS) * FAST
    assert abs(speed / wanted - 1) < 1e-3, (speed, wanted)
