# SPDX-License-Identifier: LGPL-2.1-or-later
"""Files of samples: their events, samples and metrics, as lists, arrays or numpy's."""

import ctypes
import os
from array import array
from collections import namedtuple

from . import abi
from .abi import lib
from .machine import Domain, Owner, metric_of, metric_values, metrics_make
from .records import Sample, record_of

# bytes / bytes_per: what one count stands for, or 0
Event = namedtuple("Event", "id label type instance domain counter period bytes bytes_per")
# The counts of one event, sample by sample; time in CLOCK_MONOTONIC ns
Series = namedtuple("Series", "event time count")


class Recording(Owner):
    """A file of `ucoretool record`; each of the following reads it from the beginning."""

    _free = "ucore_file_close"

    def __init__(self, path):
        self._path = os.fsencode(path)
        self._handle = abi.make("ucore_file_open", self._path)
        header = lib.ucore_file_header(self._handle).contents
        self.platform = header.platform.decode()
        self.start = header.start
        self.timer_ns = header.timer_ns
        self.domains = [Domain(d.domain, d.die, d.package, d.cpu if d.cpu >= 0 else None)
                        for d in lib.ucore_file_domains(self._handle)[:header.nr_domains]]
        self.events = [Event(e.event, e.label.decode(), e.type.decode(), e.instance, e.domain,
                             e.counter, e.period, e.bytes, e.bytes_per or 1)
                       for e in lib.ucore_file_events(self._handle)[:header.nr_events]]

    def wall_clock(self, time):
        """A time of the file in ns of CLOCK_REALTIME."""
        return lib.ucore_file_real(self.handle, time)

    def _entries(self, handle):
        """Domain and record of each entry, valid until the next."""
        entry, data = abi.FileEntry(), ctypes.c_void_p()
        while abi.call("ucore_file_next", handle, ctypes.byref(entry), ctypes.byref(data)):
            if entry.kind == abi.FILE_RECORD:
                yield entry.domain, data.value

    def _opened(self):
        """The file once more: an own place in it for each that reads."""
        self.handle
        return abi.make("ucore_file_open", self._path)

    def records(self):
        """Samples, Tasks, Lost and Gap in the order of the file."""
        handle = self._opened()
        try:
            for domain, data in self._entries(handle):
                record = record_of(domain, data)
                if record:
                    yield record
        finally:
            lib.ucore_file_close(handle)

    def samples(self):
        """The samples alone."""
        return (record for record in self.records() if isinstance(record, Sample))

    def series(self):
        """A Series of each event that has samples, with array('Q')."""
        found = {event.id: Series(event, array("Q"), array("Q")) for event in self.events}
        for sample in self.samples():
            for event, count in sample.counts.items():
                found[event].time.append(sample.time)
                found[event].count.append(count)
        return [series for series in found.values() if series.time]

    def numpy(self):
        """The same with numpy's uint64 arrays; needs numpy."""
        import numpy                # optional: only this needs it

        return [Series(event, numpy.frombuffer(time, numpy.uint64),
                       numpy.frombuffer(count, numpy.uint64))
                for event, time, count in self.series()]

    def metrics(self, names, level="system"):
        """Yield (time, Metric) of each value that a sample completes."""
        handle = self._opened()
        replay = metrics = None
        try:
            replay = abi.make("ucore_replay_open", handle)
            metrics = metrics_make(lib.ucore_replay_device(replay),
                                   lib.ucore_replay_session(replay), names, level)
            for domain, data in self._entries(handle):
                taken = lib.ucore_metrics_take(metrics, domain, data)
                if taken < 0:
                    raise abi.Error(-taken, os.strerror(-taken))
                if not taken:
                    continue
                time = ctypes.cast(data, ctypes.POINTER(abi.Sample)).contents.time
                for value in metric_values(metrics):
                    if value.fresh:
                        yield time, metric_of(value)
        finally:
            lib.ucore_metrics_free(metrics)
            lib.ucore_replay_close(replay)
            lib.ucore_file_close(handle)
