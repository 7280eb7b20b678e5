# SPDX-License-Identifier: LGPL-2.1-or-later
"""The machine, sessions on it, their reads, samples, metrics and regions."""

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
# What is counted where: a place in the lists of counts and deltas
Slot = namedtuple("Slot", "label box domain counter")
# One READ: counts and flags slot by slot; time of the instant, CLOCK_MONOTONIC ns
Reading = namedtuple("Reading", "time skew_ns counts flags")
# What a slot did from one read to the next, times in ns
Delta = namedtuple("Delta", "count enabled running flags")
# A metric of all sockets, of one (package), or of one box (and type, instance, die, cpu)
Metric = namedtuple("Metric", "name unit value package die cpu type instance")
# What the slots did in a region, all its times together
Region = namedtuple("Region", "name thread count time_ns deltas")


class Owner:
    """An object of the library, given back once: by close(), with `with`, or when it goes."""

    _free = None
    _handle = None

    def close(self):
        """Give it back; a second time is fine."""
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
        """For calls of the library; ValueError after close()."""
        if not self._handle:
            raise ValueError(f"{type(self).__name__} is closed")
        return self._handle


def deltas(handle):
    """A struct ucore_delta as a list."""
    return [Delta(value.count, value.enabled, value.running, value.flags)
            for value in abi.array("ucore_delta_values", handle)]


def targets_of(pid, tid, cpu):
    """The struct ucore_core_target of a thread or a CPU, or of each thread of a process."""
    if pid is None:
        return [abi.CoreTarget(tid or 0, cpu or 0)]
    try:
        return [abi.CoreTarget(tid=int(name)) for name in os.listdir(f"/proc/{pid}/task")]
    except OSError:
        return []


def ring_drain(ring):
    """The records of a ring, whose space is the kernel's again."""
    domain, data, found = lib.ucore_ring_domain(ring), ctypes.c_void_p(), []
    while True:
        result = lib.ucore_ring_next(ring, ctypes.byref(data))
        if result < 0:
            lib.ucore_ring_release(ring)
            raise abi.Error(-result, f"the ring of domain {domain} made no sense")
        if not result:
            lib.ucore_ring_release(ring)
            return found
        record = record_of(domain, data.value)
        if record:
            found.append(record)


def metric_of(value):
    """A struct ucore_metric_value as a Metric; what does not say where it is, is None."""
    desc = value.metric.contents
    here, box = value.level != abi.LEVELS["system"], value.level == abi.LEVELS["box"]
    return Metric(desc.name.decode(), desc.unit.decode(), value.value,
                  value.package if here else None, value.die if box else None,
                  value.cpu if box and value.cpu >= 0 else None,
                  value.type.decode() if box else None, value.instance if box else None)


def metric_values(handle):
    """All values of a struct ucore_metrics, as they are in the library."""
    i = 0
    while True:
        value = lib.ucore_metrics_value(handle, i)
        if not value:
            return
        yield value.contents
        i += 1


def metrics_make(device, session, names, level):
    """A struct ucore_metrics of these metrics, attached."""
    if level not in abi.LEVELS:
        raise ValueError(f"level {level!r}: one of {', '.join(abi.LEVELS)}")
    handle = abi.make("ucore_metrics_create", device)
    try:
        abi.call("ucore_metrics_choose", handle, os.fsencode(names))
        abi.call("ucore_metrics_attach", handle, session, abi.LEVELS[level])
    except BaseException:
        lib.ucore_metrics_free(handle)
        raise
    return handle


class Device(Owner):
    """/dev/ucore, or another node: what there is."""

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
        """Error, with the driver's reason, if there can be no sessions."""
        abi.call("ucore_device_ready", self.handle)

    @property
    def platform(self):
        """The processor generation: "ivbep"."""
        return lib.ucore_device_info(self.handle).contents.platform.decode()

    def domains(self):
        """What is read at one instant: dies, or CPUs (cpu is None for a die)."""
        return [Domain(d.domain, d.die, d.package, d.cpu if d.cpu >= 0 else None)
                for d in abi.array("ucore_device_domains", self.handle)]

    def boxes(self):
        """The boxes, in the order of their ids; owners are those of the last refresh()."""
        return [Box(b.box, b.type.decode(), b.instance, b.domain, b.die,
                    b.cpu if b.cpu >= 0 else None, b.nr_counters, b.nr_fixed, b.owner_pid)
                for b in abi.array("ucore_device_boxes", self.handle)]

    def refresh(self):
        """Ask the driver again."""
        abi.call("ucore_device_refresh", self.handle)

    def session(self, events=None, flags=0, timer_ns=0, ring_size=0, tasks=False, readers=0):
        """A session, with the events of a list as `ucoretool stat -e` takes it.

        timer_ns     a sample of every die each so many ns
        ring_size    bytes for the samples of a die, a power of two: without it there are none
        tasks        tell with each sample who ran on the die's CPUs (CAP_PERFMON)
        readers         so many CPUs of each die read its counters together, 8 at most
        """
        session = Session(self, flags | (abi.SESSION_F_TASKS if tasks else 0), timer_ns, ring_size,
                          readers)
        self._sessions.append(session)
        if events:
            session.add(events)
        return session


class Session(Owner):
    """Events on counters; device.session() makes one."""

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
        """Stop it, and give back its boxes, metrics and regions."""
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
        """Add the events of a list, all or none."""
        abi.call("ucore_session_add_list", self.handle, os.fsencode(events))
        self._delta_drop()

    def slots(self):
        """What is counted where."""
        boxes = self.device.boxes()
        return [Slot(lib.ucore_event_label(
                         lib.ucore_session_event(self.handle, slot.index)).decode(),
                     boxes[slot.box], slot.domain, slot.counter)
                for slot in abi.array("ucore_session_slots", self.handle)]

    def core_trigger(self, event, period, pid=None, tid=None, cpu=None):
        """Sample the die each time that a core has counted so many (CAP_PERFMON).

        event   as `ucoretool record --core-event` takes it: "instructions", "page-faults:u"
        pid     each thread that this process has now; or
        tid     one thread, wherever it runs; or
        cpu     whatever runs on this CPU
        """
        if (pid is None) + (tid is None) + (cpu is None) != 2 or tid == 0:
            raise ValueError("one of pid, tid and cpu")
        found, added = abi.CoreEvent(), 0
        abi.call("ucore_core_event_find", os.fsencode(event), ctypes.byref(found))
        for target in targets_of(pid, tid, cpu):
            try:
                abi.call("ucore_session_core_trigger", self.handle, ctypes.byref(found), period,
                         ctypes.byref(target))
                added += 1
            except abi.Error as error:
                # a thread that has ended meanwhile is none
                if pid is None or error.errno != errno.ESRCH:
                    raise
        if not added:
            raise abi.Error(errno.ESRCH, f"process {pid}: there is none")

    def start(self):
        """Let it count."""
        self._rings_open()
        abi.call("ucore_session_start", self.handle)

    def stop(self):
        """Count no longer; what was counted can be read."""
        abi.call("ucore_session_stop", self.handle)

    def reset(self):
        """Counts and times are 0 again, and deltas begin anew."""
        abi.call("ucore_session_reset", self.handle)
        self._delta_drop()

    def read(self, live=False):
        """All counters at one instant; live: without a freeze."""
        snap = abi.Snapshot()
        if not self._delta:
            self._delta = abi.make("ucore_delta_create", self.handle)
        abi.call("ucore_session_read", self.handle, 1 if live else 0, ctypes.byref(snap))
        lib.ucore_delta_update(self._delta, ctypes.byref(snap))
        values = snap.values[:snap.nr_values]
        return Reading(max((d.time for d in snap.domains[:snap.nr_domains]), default=0),
                       snap.skew_ns, [value.count for value in values],
                       [value.flags for value in values])

    def _rings_open(self):
        """A ring for each domain that has events and no ring yet."""
        have = {lib.ucore_ring_domain(ring) for ring in self._rings}
        wanted = {slot.domain for slot in abi.array("ucore_session_slots", self.handle)}
        for domain in sorted(wanted - have) if self._ring_size else ():
            self._rings.append(abi.make("ucore_ring_open", self.handle, domain))

    def fileno(self):
        """For select and the like: readable when a ring is a quarter full."""
        return lib.ucore_session_fd(self.handle)

    def records(self, timeout=0.25):
        """Samples, Tasks, Lost and Gap that have come, in the order of time.

        Waits until a ring is a quarter full, or for so many seconds, then takes all there are.
        When somebody has ended the session, it raises ESHUTDOWN once what was left is taken.
        """
        waiting = select.poll()
        waiting.register(self.fileno(), select.POLLIN)
        ended = any(events & select.POLLHUP for _, events in waiting.poll(timeout * 1000))
        found = []
        for ring in self._rings:
            found += ring_drain(ring)
        if ended and not found:
            raise abi.Error(errno.ESHUTDOWN, "somebody ended the session ('ucoretool revoke')")
        return sorted(found, key=lambda record: record.time)

    def deltas(self):
        """What each slot did between the last two reads, or from the start to the first."""
        return deltas(self._delta) if self._delta else []

    def metrics(self, names, level="system"):
        """Metrics as `ucoretool stat -M` takes them; level: "system", "socket" or "box"."""
        metrics = Metrics(self, names, level)
        self._owned.append(metrics)
        self._delta_drop()
        return metrics

    def regions(self, live=False):
        """Regions, measured with all events of the session."""
        regions = Regions(self, live)
        self._owned.append(regions)
        return regions


class Metrics(Owner):
    """Metrics of a session; session.metrics() makes them."""

    _free = "ucore_metrics_free"

    def __init__(self, session, names, level):
        self._session = session
        self._handle = metrics_make(session.device.handle, session.handle, names, level)

    def values(self):
        """Of the time between the last two reads of the session; NaN: there is no value."""
        delta = self._session._delta
        if not delta:
            return []
        lib.ucore_metrics_evaluate(self.handle, delta)
        return [metric_of(value) for value in metric_values(self.handle)]


class Regions(Owner):
    """Regions of a session; session.regions() makes them."""

    _free = "ucore_regions_free"

    def __init__(self, session, live):
        self._session = session
        self._handle = abi.make("ucore_regions_create", session.handle, 1 if live else 0, 0)

    def join(self):
        """Measure the regions of the calling thread."""
        abi.call("ucore_regions_join", self.handle)

    def results(self):
        """All regions, thread by thread."""
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
    """Measure the calling thread no longer."""
    lib.ucore_regions_leave()


def _edge(what, edge, name):
    result = edge(os.fsencode(name))
    if result < 0:
        raise abi.Error(-result, f"region '{name}': {what}: {os.strerror(-result)}")


@contextmanager
def region(name):
    """What runs within is a region of the thread, which has joined."""
    _edge("begin", lib.ucore_region_begin, name)
    try:
        yield
    finally:
        _edge("end", lib.ucore_region_end, name)
