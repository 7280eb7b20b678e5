# SPDX-License-Identifier: LGPL-2.1-or-later
"""Records of rings and files: samples, tasks at the time of samples, losses and gaps.

All times are CLOCK_MONOTONIC in ns.
"""

import ctypes
from collections import namedtuple

from . import abi

# Sample of one domain.  trigger is "overflow", "timer" or "core".  counts is a dict of event id to
# count.  late_ns, frozen_ns and running are durations in ns.
Sample = namedtuple("Sample", "time domain cpu pid tid ip flags trigger trigger_event late_ns "
                              "frozen_ns running counts")
Lost = namedtuple("Lost", "time domain lost")
Gap = namedtuple("Gap", "time domain reason")
# Tasks that ran on the CPUs of a domain at the time of the sample that follows in the ring; CPUs
# with an unknown task are left out
Tasks = namedtuple("Tasks", "time domain tasks")
# Task that ran on a CPU since the time since (ns); pid is 0 if the CPU was idle
Task = namedtuple("Task", "cpu pid tid comm since")

TRIGGERS = {number: name for name, number in abi.TRIGGERS.items()}


def record_of(domain, data):
    """Decode the record at the address @data, which libucore has checked; None if unknown type."""
    decode = DECODERS.get(abi.Record.from_address(data).type)
    return decode(domain, data) if decode else None


def _sample(domain, data):
    sample = abi.Sample.from_address(data)
    values = (abi.Value * sample.nr_values).from_address(data + ctypes.sizeof(abi.Sample))
    return Sample(sample.time, domain, sample.cpu, sample.pid, sample.tid, sample.ip,
                  sample.flags, TRIGGERS.get(sample.trigger), sample.trigger_event,
                  sample.late_ns, sample.frozen_ns, sample.time_running,
                  {value.event: value.count for value in values})


def _lost(domain, data):
    lost = abi.Lost.from_address(data)
    return Lost(lost.time, domain, lost.lost)


def _gap(domain, data):
    gap = abi.Gap.from_address(data)
    return Gap(gap.time, domain, gap.reason)


def _tasks(domain, data):
    record = abi.Tasks.from_address(data)
    tasks = (abi.Task * record.nr_tasks).from_address(data + ctypes.sizeof(abi.Tasks))
    return Tasks(record.time, domain,
                 [Task(task.cpu, task.pid, task.tid, task.comm.decode(errors="replace"),
                       task.since)
                  for task in tasks if task.flags & abi.TASK_F_KNOWN])


DECODERS = {abi.RECORD_SAMPLE: _sample, abi.RECORD_LOST: _lost, abi.RECORD_GAP: _gap,
            abi.RECORD_TASKS: _tasks}
