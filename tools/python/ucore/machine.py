# SPDX-License-Identifier: LGPL-2.1-or-later
"""Classes for the device and its sessions: reads, records of rings, metrics and regions."""

import ctypes
import errno
import os
import select
from collections import namedtuple
from contextlib import contextmanager

from . import abi
from .abi import lib
from .records import record_of

Box = namedtuple("Box", "id type instance domain die cpu nr_counters nr_fixed owner_pid")
Domain = namedtuple("Domain", "id die package cpu")
# One event on one box; slot i belongs to element i of the lists of counts and of deltas
Slot = namedtuple("Slot", "label box domain counter")
# Event that is not counted on a box: die is None for a core's box, cpu for another box; reason is
# one word ("dead", "busy", "hidden" ...), text explains it
Omission = namedtuple("Omission", "label type instance die cpu reason text")
# Result of a READ: time in CLOCK_MONOTONIC ns, counts and flags in slot order
Reading = namedtuple("Reading", "time skew_ns counts flags")
# Difference of a slot's count and times (ns) between two reads; flags of the later read
Delta = namedtuple("Delta", "count enabled running flags")
# Value of a metric; package is None for level "system", die to instance are None unless "box".
# nr_boxes of max_boxes boxes counted; below max_boxes, boxes are missing in the value
Metric = namedtuple("Metric",
                    "name unit value package die cpu type instance nr_boxes max_boxes")
# Results of a region in one thread: number of executions, total time in ns, and the Delta of each
# slot, summed over all executions
Region = namedtuple("Region", "name thread count time_ns deltas")


class Owner:
    """Base class of Python objects that own an object of libucore.

    The library's object is freed by close(), at the end of `with`, or by the garbage collector.
    """

    _free = None
    _handle = None

    def close(self):
        """Free the library's object; further calls have no effect."""
        handle, self._handle = self._handle, None
        if handle:
            getattr(lib, self._free)(handle)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __del__(self):
        self.close()

    @property
    def handle(self):
        """Pointer to the library's object; ValueError is raised after close()."""
        if not self._handle:
            raise ValueError(f"{type(self).__name__} is closed")
        return self._handle


def deltas(handle):
    """Convert a struct ucore_delta to a list of Delta."""
    return [Delta(value.count, value.enabled, value.running, value.flags)
            for value in abi.array("ucore_delta_values", handle)]


def targets_of(pid, tid, cpu):
    """Return a list of struct ucore_core_target: one thread, one CPU, or all threads of @pid."""
    if pid is None:
        return [abi.CoreTarget(tid or 0, cpu or 0)]
    try:
        return [abi.CoreTarget(tid=int(name)) for name in os.listdir(f"/proc/{pid}/task")]
    except OSError:
        return []


def ring_drain(ring):
    """Return all unread records of a ring, and free their space in the ring."""
    domain, data, found = lib.ucore_ring_domain(ring), ctypes.c_void_p(), []
    while True:
        result = lib.ucore_ring_next(ring, ctypes.byref(data))
        if result < 0:
            lib.ucore_ring_release(ring)
            raise abi.Error(-result, f"ring of domain {domain}: invalid content, skipped")
        if not result:
            lib.ucore_ring_release(ring)
            return found
        record = record_of(domain, data.value)
        if record:
            found.append(record)


def metric_of(value):
    """Convert a struct ucore_metric_value to a Metric."""
    desc = value.metric.contents
    socket, box = value.level != abi.LEVELS["system"], value.level == abi.LEVELS["box"]
    return Metric(desc.name.decode(), desc.unit.decode(), value.value,
                  value.package if socket else None, value.die if box else None,
                  value.cpu if box and value.cpu >= 0 else None,
                  value.type.decode() if box else None, value.instance if box else None,
                  value.nr_boxes, value.max_boxes)


def metric_values(handle):
    """Yield all values of a struct ucore_metrics as struct ucore_metric_value."""
    i = 0
    while True:
        value = lib.ucore_metrics_value(handle, i)
        if not value:
            return
        yield value.contents
        i += 1


def metrics_make(device, session, names, level):
    """Create a struct ucore_metrics, choose the metrics @names, add their events to a session."""
    if level not in abi.LEVELS:
        raise ValueError(f"level {level!r}: unknown. Use one of {', '.join(abi.LEVELS)}")
    handle = abi.make("ucore_metrics_create", device)
    try:
        abi.call("ucore_metrics_choose", handle, os.fsencode(names))
        abi.call("ucore_metrics_attach", handle, session, abi.LEVELS[level])
    except BaseException:
        lib.ucore_metrics_free(handle)
        raise
    return handle


class Device(Owner):
    """Open device node (/dev/ucore by default): domains, boxes and sessions of the machine."""

    _free = "ucore_device_close"

    def __init__(self, path=None):
        self._sessions = []
        self._handle = abi.make("ucore_device_open", path and os.fsencode(path), None)

    def close(self):
        """Close the device and its sessions."""
        while self._sessions:
            self._sessions.pop().close()
        super().close()

    def ready(self):
        """Raise Error with the driver's reason if sessions cannot be created."""
        abi.call("ucore_device_ready", self.handle)

    @property
    def platform(self):
        """Name of the processor generation, for example "ivbep"."""
        return lib.ucore_device_info(self.handle).contents.platform.decode()

    def domains(self):
        """Return all domains: dies (cpu is None) and logical CPUs."""
        return [Domain(d.domain, d.die, d.package, d.cpu if d.cpu >= 0 else None)
                for d in abi.array("ucore_device_domains", self.handle)]

    def boxes(self):
        """Return the boxes sorted by id; owner_pid is the owner at the last refresh().

        The list does not contain boxes that have not responded since the driver was loaded
        (UCORE_BOX_F_ABSENT).  refresh() adds them as soon as they respond.
        """
        return [box for box in self._boxes_by_id() if box.type]

    def _boxes_by_id(self):
        return [Box(b.box, b.type.decode(), b.instance, b.domain, b.die,
                    b.cpu if b.cpu >= 0 else None, b.nr_counters, b.nr_fixed, b.owner_pid)
                for b in abi.array("ucore_device_boxes", self.handle)]

    def refresh(self):
        """Read the description of the machine from the driver again."""
        abi.call("ucore_device_refresh", self.handle)

    def session(self, events=None, flags=0, timer_ns=0, ring_size=0, tasks=False, readers=0,
                partial=False):
        """Create a session with a list of events in the syntax of `ucoretool stat -e`.

        flags        mask of UCORE_SESSION_F_*
        timer_ns     interval of timer samples in ns; 0: no timer
        ring_size    size of each domain's ring in bytes, a power of two; 0: no samples
        tasks        record the tasks on the die's CPUs with each sample (needs CAP_PERFMON)
        readers      number of CPUs of each die that read its counters in parallel, at most 8
        partial      count events on the boxes that can count them; omissions() lists the others
        """
        session = Session(self, flags | (abi.SESSION_F_TASKS if tasks else 0), timer_ns, ring_size,
                          readers)
        self._sessions.append(session)
        lib.ucore_session_set_partial(session.handle, partial)
        if events:
            session.add(events)
        return session


class Session(Owner):
    """Session that counts events on boxes, created by device.session()."""

    _free = "ucore_session_destroy"

    def __init__(self, device, flags=0, timer_ns=0, ring_size=0, readers=0):
        self.device = device
        self._delta = None
        self._owned = []
        self._rings = []
        self._ring_size = ring_size
        config = abi.SessionConfig(flags=flags, timer_ns=timer_ns, ring_size=ring_size,
                                   wakeup=ring_size // 4, nr_readers=readers)
        self._handle = abi.make("ucore_session_create", device.handle, ctypes.byref(config))

    def close(self):
        """Stop the session, release its counters, and free its metrics and regions."""
        while self._owned:
            self._owned.pop().close()
        while self._rings:
            lib.ucore_ring_close(self._rings.pop())
        self._delta_drop()
        super().close()

    def _delta_drop(self):
        lib.ucore_delta_free(self._delta)
        self._delta = None

    def add(self, events):
        """Add all events of a comma-separated list; after an Error none of them is added."""
        abi.call("ucore_session_add_list", self.handle, os.fsencode(events))
        self._delta_drop()

    def slots(self):
        """Return the slots (events on boxes), in the order of the counts in read()."""
        boxes = self.device._boxes_by_id()
        return [Slot(lib.ucore_event_label(
                         lib.ucore_session_event(self.handle, slot.index)).decode(),
                     boxes[slot.box], slot.domain, slot.counter)
                for slot in abi.array("ucore_session_slots", self.handle)]

    def omissions(self):
        """Return the boxes on which events are not counted, with the reasons.

        With partial=True these are boxes that cannot count an event.  In any session they include
        boxes that firmware hides on one die and not on another.
        """
        return [Omission(lib.ucore_event_label(
                             lib.ucore_session_event(self.handle, omission.index)).decode(),
                         omission.type.decode(), omission.instance,
                         omission.die if omission.cpu < 0 else None,
                         omission.cpu if omission.cpu >= 0 else None,
                         lib.ucore_omission_reason(omission.code).decode(),
                         omission.text.decode(errors="replace"))
                for omission in abi.array("ucore_session_omissions", self.handle)]

    def core_trigger(self, event, period, pid=None, tid=None, cpu=None):
        """Sample the die of a CPU each time a core event overflows there (needs CAP_PERFMON).

        event   in the syntax of `ucoretool record --core-event`: "instructions", "page-faults:u"
        period  number of counts of the core event between two samples. The performance cores and
                the efficient cores of a hybrid processor count the events of a thread separately

        Exactly one of the following:
        pid     count in all current threads of a process
        tid     count in one thread, on any CPU
        cpu     count in all threads on a CPU
        """
        if (pid is None) + (tid is None) + (cpu is None) != 2 or tid == 0:
            raise ValueError("core_trigger: give exactly one of pid, tid and cpu")
        found, added = abi.CoreEvent(), 0
        abi.call("ucore_core_event_find", os.fsencode(event), ctypes.byref(found))
        for target in targets_of(pid, tid, cpu):
            try:
                abi.call("ucore_session_core_trigger", self.handle, ctypes.byref(found), period,
                         ctypes.byref(target))
                added += 1
            except abi.Error as error:
                # ignore threads of the process that have ended
                if pid is None or error.errno != errno.ESRCH:
                    raise
        if not added:
            raise abi.Error(errno.ESRCH, f"process {pid}: no such process")

    def start(self):
        """Start counting."""
        self._rings_open()
        abi.call("ucore_session_start", self.handle)

    def stop(self):
        """Stop counting; the counts can still be read."""
        abi.call("ucore_session_stop", self.handle)

    def reset(self):
        """Set all counts and times to 0; deltas() is empty until the next read()."""
        abi.call("ucore_session_reset", self.handle)
        self._delta_drop()

    def read(self, no_freeze=False):
        """Read all counters at one instant; with no_freeze, one after the other while counting."""
        snap = abi.Snapshot()
        if not self._delta:
            self._delta = abi.make("ucore_delta_create", self.handle)
        abi.call("ucore_session_read", self.handle, 1 if no_freeze else 0, ctypes.byref(snap))
        lib.ucore_delta_update(self._delta, ctypes.byref(snap))
        values = snap.values[:snap.nr_values]
        return Reading(max((d.time for d in snap.domains[:snap.nr_domains]), default=0),
                       snap.skew_ns, [value.count for value in values],
                       [value.flags for value in values])

    def _rings_open(self):
        """Open a ring for each domain that has events and no ring yet."""
        have = {lib.ucore_ring_domain(ring) for ring in self._rings}
        wanted = {slot.domain for slot in abi.array("ucore_session_slots", self.handle)}
        for domain in sorted(wanted - have) if self._ring_size else ():
            self._rings.append(abi.make("ucore_ring_open", self.handle, domain))

    def fileno(self):
        """Return the file descriptor for select(); it is readable if a ring is a quarter full."""
        return lib.ucore_session_fd(self.handle)

    def records(self, timeout=0.25):
        """Return all unread Sample, Tasks, Lost and Gap records, sorted by time.

        Waits until a ring is a quarter full, at most timeout seconds.  After the session was
        revoked, a call without unread records raises Error with ESHUTDOWN.
        """
        waiting = select.poll()
        waiting.register(self.fileno(), select.POLLIN)
        revoked = any(events & select.POLLHUP for _, events in waiting.poll(timeout * 1000))
        found = []
        for ring in self._rings:
            found += ring_drain(ring)
        if revoked and not found:
            raise abi.Error(errno.ESHUTDOWN, "the session was revoked ('ucoretool revoke')")
        return sorted(found, key=lambda record: record.time)

    def deltas(self):
        """Return the Delta of each slot between the last two reads; first read: since the start."""
        return deltas(self._delta) if self._delta else []

    def metrics(self, names, level="system"):
        """Add the events of metrics, in the syntax of `ucoretool stat -M`; return the Metrics.

        level   part of the machine to which a value applies: "system", "socket" or "box"
        """
        metrics = Metrics(self, names, level)
        self._owned.append(metrics)
        self._delta_drop()
        return metrics

    def regions(self, no_freeze=False):
        """Create a set of regions, which are measured with all events of the session."""
        regions = Regions(self, no_freeze)
        self._owned.append(regions)
        return regions


class Metrics(Owner):
    """Metrics of a session, created by session.metrics()."""

    _free = "ucore_metrics_free"

    def __init__(self, session, names, level):
        self._session = session
        self._handle = metrics_make(session.device.handle, session.handle, names, level)

    def values(self):
        """Return the values of all metrics between the last two reads; NaN means no counts."""
        delta = self._session._delta
        if not delta:
            return []
        lib.ucore_metrics_evaluate(self.handle, delta)
        return [metric_of(value) for value in metric_values(self.handle)]


class Regions(Owner):
    """Regions of a session, created by session.regions()."""

    _free = "ucore_regions_free"

    def __init__(self, session, no_freeze):
        self._session = session
        self._handle = abi.make("ucore_regions_create", session.handle, 1 if no_freeze else 0, 0)

    def join(self):
        """Register the calling thread, so that it can measure regions with region()."""
        abi.call("ucore_regions_join", self.handle)

    def results(self):
        """Return a Region for each region of each thread, sorted by thread."""
        found, i = [], 0
        while True:
            region = lib.ucore_regions_at(self.handle, i)
            if not region:
                return found
            found.append(Region(lib.ucore_region_name(region).decode(),
                                lib.ucore_region_thread(region), lib.ucore_region_count(region),
                                lib.ucore_region_time(region),
                                deltas(lib.ucore_region_delta(region))))
            i += 1


def leave():
    """Unregister the calling thread from its Regions; results are kept."""
    lib.ucore_regions_leave()


def _edge(what, edge, name):
    result = edge(os.fsencode(name))
    if result < 0:
        raise abi.Error(-result, f"region '{name}': {what}: {os.strerror(-result)}")


@contextmanager
def region(name):
    """Measure the body of the `with` statement; the calling thread must have joined."""
    _edge("begin", lib.ucore_region_begin, name)
    try:
        yield
    finally:
        _edge("end", lib.ucore_region_end, name)
