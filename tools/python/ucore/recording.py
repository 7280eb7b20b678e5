# SPDX-License-Identifier: LGPL-2.1-or-later
"""Files of samples: events, records, series of counts, and metrics."""

import ctypes
import os
from array import array
from collections import namedtuple

from . import abi
from .abi import lib
from .machine import Domain, Owner, metric_of, metric_values, metrics_make
from .records import Sample, record_of

# Recorded event on one box.  One count stands for bytes / bytes_per bytes; bytes is 0 if the event
# does not count bytes.
Event = namedtuple("Event", "id label type instance domain counter period bytes bytes_per")
# Counts of one event in all its samples; time in CLOCK_MONOTONIC ns
Series = namedtuple("Series", "event time count")


class Recording(Owner):
    """File of samples from `ucoretool record`.  Each iterator reads the file from the beginning."""

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
        """Convert the time of a record to CLOCK_REALTIME ns (since 1970)."""
        return lib.ucore_file_real(self.handle, time)

    def _entries(self, handle):
        """Yield domain id and address of each record; the address is valid for one iteration."""
        entry, data = abi.FileEntry(), ctypes.c_void_p()
        while abi.call("ucore_file_next", handle, ctypes.byref(entry), ctypes.byref(data)):
            if entry.kind == abi.FILE_RECORD:
                yield entry.domain, data.value

    def _opened(self):
        """Open the file again, so that each iterator has its own position."""
        self.handle
        return abi.make("ucore_file_open", self._path)

    def records(self):
        """Yield all records (Sample, Tasks, Lost, Gap) in the order of the file."""
        handle = self._opened()
        try:
            for domain, data in self._entries(handle):
                record = record_of(domain, data)
                if record:
                    yield record
        finally:
            lib.ucore_file_close(handle)

    def samples(self):
        """Return an iterator of the records of type Sample."""
        return (record for record in self.records() if isinstance(record, Sample))

    def series(self):
        """Return a Series for each event that has samples; time and count are array('Q')."""
        found = {event.id: Series(event, array("Q"), array("Q")) for event in self.events}
        for sample in self.samples():
            for event, count in sample.counts.items():
                found[event].time.append(sample.time)
                found[event].count.append(count)
        return [series for series in found.values() if series.time]

    def numpy(self):
        """Return the result of series() with numpy arrays of uint64."""
        import numpy                # optional dependency of this function only

        return [Series(event, numpy.frombuffer(time, numpy.uint64),
                       numpy.frombuffer(count, numpy.uint64))
                for event, time, count in self.series()]

    def metrics(self, names, level="system"):
        """Yield (time, Metric) for each value; time of the last sample in CLOCK_MONOTONIC ns."""
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
