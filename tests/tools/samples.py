#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Files of samples whose contents are known: written by the format's description alone.

usage: samples.py FILE NAME...		some of SHAPES; "check" prints what must be read back

It shares no code with libucore, so that writer and reader of that are judged by a third.
"""

import math
import struct
import sys

START = 4_000 * 10**9                       # CLOCK_MONOTONIC
REAL = 1_767_323_045_000_000_000 + 123_456  # 2026-01-02 03:04:05.000123456 UTC
TYPE_DOMAIN_DIE = 0
SAMPLE, LOST, GAP, TASKS = 1, 2, 3, 4       # UCORE_RECORD_*
RECORD, STATUS = 1, 2                       # UCORE_FILE_*
TIMER, CORE = 1, 2                          # UCORE_TRIGGER_*
CONTEXT, USER = 1, 2                        # UCORE_SAMPLE_F_*
NONE = 0xffffffff
# Fields of the iMC of an E5-2600 v2: id, largest value, name
FIELDS = ((1, 0x1ff, "event"), (2, 0xff, "umask"), (3, 1, "edge"), (5, 0xff, "thresh"))


def name16(text):
    return text.encode().ljust(16, b"\0")


class Recording:
    """A machine of some sockets with four memory channels each, and what was recorded of it.

    labels  what its events are called
    texts   how they were written, where that is something else
    """

    def __init__(self, labels, dies=2, channels=4, timer=1_000_000, texts=None):
        self.texts = texts or labels
        self.labels, self.dies, self.channels, self.timer = labels, dies, channels, timer
        self.entries, self.samples = [], 0
        self.totals = [[[0] * channels for _ in labels] for _ in range(dies)]
        self.seq, self.time = [0] * dies, [0] * dies
        self.lost, self.away = 0, [0] * dies

    def ids(self, die):
        """Event ids of a die: label by label, channel by channel, die by die within each."""
        return [[1 + (index * self.dies + die) * self.channels + channel
                 for channel in range(self.channels)] for index in range(len(self.labels))]

    def _record(self, die, body):
        self.entries.append(struct.pack("<4I", RECORD, die, len(body), 0) + body)
        self.seq[die] += 1

    def sample(self, die, time, counts, flags=0, by=(0, 0, 0), trigger=TIMER):
        """counts[label][channel] since the sample before; time in ns since the start.

        by  ip, process and sample flags of what was interrupted
        """
        ip, pid, context = by
        values = b""
        for index, of_label in enumerate(counts):
            for channel, count in enumerate(of_label):
                self.totals[die][index][channel] += count
                values += struct.pack("<IIQ", self.ids(die)[index][channel], flags,
                                      self.totals[die][index][channel])
        nr = len(self.labels) * self.channels
        head = struct.pack("<IIQ", SAMPLE, 104 + 16 * nr, self.seq[die])
        counted = time - self.away[die]
        head += struct.pack("<7Q", START + time, counted, counted, 1500, 0, 0, ip)
        head += struct.pack("<8I", pid, pid, 8 * die, die, trigger, NONE, context, nr)
        assert len(head) == 104, len(head)
        self._record(die, head + values)
        self.time[die] = time
        self.samples += 1

    def tasks(self, die, time, tasks):
        """Who runs when the next sample is taken: CPU, process and name each; None: unknown."""
        body = b"".join(struct.pack("<4IQ", cpu, pid is not None, pid or 0, pid or 0, START)
                        + name16(name) for cpu, pid, name in tasks)
        self._record(die, struct.pack("<IIQQII", TASKS, 32 + len(body), self.seq[die],
                                      START + time, die, len(tasks)) + body)

    def lose(self, die, nr, time):
        """Records that found no room until time."""
        self.seq[die] += nr
        self.lost += nr
        self._record(die, struct.pack("<IIQQQ", LOST, 32, self.seq[die], nr, START + time))

    def gap(self, die, time, reason):
        self._record(die, struct.pack("<IIQQIIiiII", GAP, 48, self.seq[die], START + time, die,
                                      reason, 8 * die, -1, NONE, 0))

    def write(self, path, finish=True):
        events = sorted((self.ids(die)[index][channel], index, die, channel)
                        for index in range(len(self.labels)) for die in range(self.dies)
                        for channel in range(self.channels))
        head = b"UCORE\r\n\x1a" + struct.pack(
            "<12I3Q", 3, 96, 24, 32, 56, 432, self.dies, self.dies * self.channels,
            len(FIELDS), len(events), 8, 0, self.timer, START, REAL) + name16("ivbep")
        with open(path, "wb") as file:
            file.write(head)
            for die in range(self.dies):
                file.write(struct.pack("<4IiI", die, TYPE_DOMAIN_DIE, die, die, -1, 0))
            for die in range(self.dies):
                for channel in range(self.channels):
                    file.write(struct.pack("<4I", die, channel, 4, 1) + name16("imc"))
            for field, most, name in FIELDS:
                file.write(name16("imc") + struct.pack("<IIQQ", field, 0, most, most) +
                           name16(name))
            for event, index, die, channel in events:
                file.write(struct.pack("<5IHHQ", event, index, die, channel, index, 64, 1, 0)
                           + name16("imc") + self.texts[index].encode().ljust(192, b"\0")
                           + self.labels[index].encode().ljust(192, b"\0"))
            for entry in self.entries:
                file.write(entry)
            if finish:
                status = struct.pack("<IIQIIIIQQQQQQQQQQ", 112, 0, 1, 0, len(events), self.dies,
                                     0, self.samples + self.lost, self.lost, 0, 0, 0, 0,
                                     2500 * self.samples, 1500 * self.samples,
                                     10 * self.samples, 2 * self.samples)
                file.write(struct.pack("<4I", STATUS, 0, len(status), 0) + status)


READS, WRITES = "imc/CAS_COUNT.RD/", "imc/CAS_COUNT.WR/"
MS = 1_000_000


def ramp():
    """100 samples of a die, 10 ms apart: each interval counts 1000 more than the one before."""
    recording = Recording([READS], dies=1, timer=10 * MS)
    for i in range(100):
        recording.sample(0, (i + 1) * 10 * MS, [[(i + 1) * 1000] * 4])
    return recording


def raw():
    """The same events as codes: names must be found by what they mean."""
    recording = Recording(["imc/event=0x04,umask=0x03/", "writes"],
                          texts=["imc/event=0x04,umask=0x03/", "imc/umask=0xc,event=4,name=writes/"])
    for i in range(10):
        for die in (0, 1):
            recording.sample(die, (i + 1) * MS, [[1000 * (die + 1)] * 4, [500 * (die + 1)] * 4])
    return recording


def partial():
    """Reads of one channel alone: nothing can be said of the socket."""
    recording = Recording([READS], channels=4)
    recording.channels = 1
    recording.totals = [[[0]], [[0]]]
    recording.sample(0, MS, [[1000]])
    recording.sample(1, MS, [[1000]])
    return recording


def holes():
    """Losses on die 0, and 200 ms without a CPU on die 1."""
    recording = Recording([READS, WRITES])
    for i in range(1000):
        time = (i + 1) * MS
        if i == 300:
            recording.lose(0, 100, 401 * MS)
        if not 300 <= i < 400:
            nr = 101 if i == 400 else 1
            recording.sample(0, time, wave(i, 0, nr))
        if i == 600:
            recording.gap(1, time, 1)
        if i == 800:
            recording.gap(1, time - MS, 2)
            recording.away[1] = 200 * MS
        if not 600 <= i < 800:
            recording.sample(1, time, wave(i, 1, 1))
    return recording


def wave(i, die, nr):
    """Some traffic that looks like some: counts of a millisecond, nr times."""
    busy = 0.55 + 0.4 * math.sin(i / (90 + 60 * die)) + (0.25 if i // 170 % 3 == 1 else 0)
    noise = ((i * 7919 + die * 104729) % 1000) / 1000 - 0.5
    base = max(busy + 0.12 * noise, 0.02) * 190_000
    reads = [int(nr * base * (1 + 0.06 * channel)) for channel in range(4)]
    writes = [int(nr * base * (0.45 - 0.05 * channel)) for channel in range(4)]
    return [reads, writes]


def many(nr=200_000):
    """200,000 samples of two sockets, a millisecond apart."""
    recording = Recording([READS, WRITES])
    for i in range(nr // 2):
        for die in (0, 1):
            recording.sample(die, (i + 1) * MS, wave(i / 20, die, 1))
    return recording


def who():
    """Ten intervals: "reader" ran in five on CPU 0 or 1, an idle CPU beside it, and one is unknown.

    Then two at a core's event, of process 8 at one address.
    """
    recording = Recording([READS, WRITES], dies=1, timer=10 * MS)
    for i in range(10):
        busy = i % 2
        recording.tasks(0, (i + 1) * 10 * MS, [
            (0, 7 if busy and i < 5 else 0 if i else None, "reader" if busy and i < 5 else "swapper/0"),
            (1, 7 if busy else 9 if i else None, "reader" if busy else "a\x1b[1m\n")])
        recording.sample(0, (i + 1) * 10 * MS, [[1000 if busy else 10] * 4, [5] * 4])
    for i in range(10, 12):
        recording.sample(0, (i + 1) * 10 * MS, [[100] * 4, [0] * 4],
                         by=(0x401234, 8, CONTEXT | USER), trigger=CORE)
    return recording


def late():
    """What a flight recorder kept: numbers begin at 500, counts far above zero."""
    recording = Recording([READS], dies=1, timer=10 * MS)
    recording.seq[0] = 500
    recording.totals[0][0] = [10**12] * 4
    for i in range(500, 600):
        recording.sample(0, (i + 1) * 10 * MS, [[2000] * 4])
    return recording


SHAPES = {shape.__name__: shape for shape in (ramp, raw, holes, many, late, who)}


def main():
    path, name = sys.argv[1:3]
    SHAPES[name]().write(path, finish="cut" not in sys.argv[3:])


if __name__ == "__main__":
    main()
