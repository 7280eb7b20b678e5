# SPDX-License-Identifier: LGPL-2.1-or-later
"""C interface of libucore for ctypes: the structures, functions and errors of its headers.

A test compares the layout of the structures with the layout in the C headers.
"""

import ctypes
import os
from ctypes import POINTER, c_bool, c_char, c_char_p, c_double, c_int, c_int32, c_size_t
from ctypes import c_uint16, c_uint32, c_uint64, c_void_p

ANY = 0xFFFFFFFF
NAME_LEN = 16
SPEC_LEN = 192
FILE_RECORD, FILE_STATUS = 1, 2
RECORD_SAMPLE, RECORD_LOST, RECORD_GAP, RECORD_TASKS = 1, 2, 3, 4
TRIGGERS = {"overflow": 0, "timer": 1, "core": 2}
SESSION_F_TASKS = 2
TASK_F_KNOWN = 1
LEVELS = {"system": 1, "socket": 2, "box": 4}


class Error(OSError):
    """Failed call of the library: errno, and the library's one-line explanation."""


class ErrorText(ctypes.Structure):
    c_name = "ucore_error"
    _fields_ = [("text", c_char * 400)]


class Info(ctypes.Structure):
    c_name = "ucore_get_info"
    _fields_ = [(name, c_uint32) for name in (
        "size", "flags", "abi", "state", "caps", "nr_domains", "nr_boxes", "nr_counters",
        "family", "model", "stepping", "cause")] + [
            ("platform", c_char * NAME_LEN), ("reason", c_char * 160)]


class DomainInfo(ctypes.Structure):
    c_name = "ucore_domain_info"
    _fields_ = [("domain", c_uint32), ("scope", c_uint32), ("die", c_uint32),
                ("package", c_uint32), ("cpu", c_int32), ("reader", c_int32),
                ("nr_boxes", c_uint32), ("nr_counters", c_uint32), ("nr_sessions", c_uint32),
                ("reserved", c_uint32), ("pmis", c_uint64), ("recovered", c_uint64),
                ("throttled", c_uint64), ("frozen_ns", c_uint64), ("skew_max_ns", c_uint64)]


class BoxInfo(ctypes.Structure):
    c_name = "ucore_box_info"
    _fields_ = [("box", c_uint32), ("domain", c_uint32), ("die", c_uint32), ("cpu", c_int32),
                ("instance", c_uint32), ("access", c_uint32), ("nr_counters", c_uint32),
                ("nr_fixed", c_uint32), ("width", c_uint32), ("fixed_width", c_uint32),
                ("flags", c_uint32), ("owner_pid", c_uint32), ("owner", c_uint64),
                ("location", c_uint64), ("type", c_char * NAME_LEN),
                ("owner_comm", c_char * NAME_LEN)]


class SessionConfig(ctypes.Structure):
    c_name = "ucore_session_config"
    _fields_ = [("flags", c_uint32), ("timer_ns", c_uint64), ("ring_size", c_uint32),
                ("wakeup", c_uint32), ("rotate_ns", c_uint64), ("nr_readers", c_uint32),
                ("reserved", c_uint32)]


class Omission(ctypes.Structure):
    c_name = "ucore_omission"
    _fields_ = [("index", c_uint32), ("box", c_uint32), ("domain", c_uint32), ("die", c_uint32),
                ("package", c_uint32), ("cpu", c_int32), ("instance", c_uint32),
                ("code", c_int32), ("type", c_char * NAME_LEN), ("text", c_char * 400),
                ("reserved", c_uint64 * 2)]


class CoreEvent(ctypes.Structure):
    c_name = "ucore_core_event"
    _fields_ = [("type", c_uint32), ("flags", c_uint32), ("config", c_uint64)]


class CoreTarget(ctypes.Structure):
    c_name = "ucore_core_target"
    _fields_ = [("tid", c_uint32), ("cpu", c_uint32)]


class Slot(ctypes.Structure):
    c_name = "ucore_slot"
    _fields_ = [("event", c_uint32), ("index", c_uint32), ("box", c_uint32),
                ("domain", c_uint32), ("instance", c_uint32), ("counter", c_uint32),
                ("poll_ns", c_uint64), ("reserved", c_uint64 * 2)]


class Value(ctypes.Structure):
    c_name = "ucore_value"
    _fields_ = [("event", c_uint32), ("flags", c_uint32), ("count", c_uint64)]


class ReadDomain(ctypes.Structure):
    c_name = "ucore_read_domain"
    _fields_ = [("domain", c_uint32), ("cpu", c_uint32), ("time", c_uint64),
                ("frozen_ns", c_uint64), ("skew_ns", c_uint64), ("time_enabled", c_uint64),
                ("time_running", c_uint64)]


class Snapshot(ctypes.Structure):
    c_name = "ucore_snapshot"
    _fields_ = [("nr_values", c_size_t), ("values", POINTER(Value)), ("nr_domains", c_size_t),
                ("domains", POINTER(ReadDomain)), ("skew_ns", c_uint64),
                ("running", POINTER(c_uint64)), ("reserved", c_uint64)]


class DeltaValue(ctypes.Structure):
    c_name = "ucore_delta_value"
    _fields_ = [("count", c_uint64), ("enabled", c_uint64), ("running", c_uint64),
                ("flags", c_uint32), ("reserved", c_uint32), ("possible", c_uint64)]


class MetricDesc(ctypes.Structure):
    c_name = "ucore_metric_desc"
    _fields_ = [(name, c_char_p) for name in (
        "name", "unit", "category", "text", "formula", "where", "omitted")] + [
            ("levels", c_uint32), ("reserved", c_uint32 * 5)]


class MetricValue(ctypes.Structure):
    c_name = "ucore_metric_value"
    _fields_ = [("metric", POINTER(MetricDesc)), ("level", c_uint32), ("package", c_uint32),
                ("die", c_uint32), ("cpu", c_int32), ("type", c_char_p),
                ("instance", c_uint32), ("value", c_double), ("flags", c_uint32),
                ("running", c_uint64), ("fresh", c_bool), ("share", c_double),
                ("nr_boxes", c_uint32), ("max_boxes", c_uint32), ("boxes_type", c_char_p)]


class FileHeader(ctypes.Structure):
    c_name = "ucore_file_header"
    _fields_ = [("magic", c_char * 8)] + [(name, c_uint32) for name in (
        "version", "size", "domain_size", "box_size", "field_size", "event_size", "nr_domains",
        "nr_boxes", "nr_fields", "nr_events", "cores", "reserved")] + [
            ("timer_ns", c_uint64), ("start", c_uint64), ("start_real", c_uint64),
            ("platform", c_char * NAME_LEN)]


class FileDomain(ctypes.Structure):
    c_name = "ucore_file_domain"
    _fields_ = [("domain", c_uint32), ("scope", c_uint32), ("die", c_uint32),
                ("package", c_uint32), ("cpu", c_int32), ("reserved", c_uint32)]


class FileEvent(ctypes.Structure):
    c_name = "ucore_file_event"
    _fields_ = [("event", c_uint32), ("index", c_uint32), ("domain", c_uint32),
                ("instance", c_uint32), ("counter", c_uint32), ("bytes", c_uint16),
                ("bytes_per", c_uint16), ("period", c_uint64), ("type", c_char * NAME_LEN),
                ("text", c_char * SPEC_LEN), ("label", c_char * SPEC_LEN)]


class FileEntry(ctypes.Structure):
    c_name = "ucore_file_entry"
    _fields_ = [("kind", c_uint32), ("domain", c_uint32), ("size", c_uint32),
                ("reserved", c_uint32)]


class Record(ctypes.Structure):
    c_name = "ucore_record"
    _fields_ = [("type", c_uint32), ("size", c_uint32), ("seq", c_uint64)]


class Sample(ctypes.Structure):
    c_name = "ucore_sample"
    _fields_ = [("hdr", Record), ("time", c_uint64), ("time_enabled", c_uint64),
                ("time_running", c_uint64), ("frozen_ns", c_uint64), ("skew_ns", c_uint64),
                ("late_ns", c_uint64), ("ip", c_uint64), ("pid", c_uint32), ("tid", c_uint32),
                ("cpu", c_uint32), ("domain", c_uint32), ("trigger", c_uint32),
                ("trigger_event", c_uint32), ("flags", c_uint32), ("nr_values", c_uint32)]


class Lost(ctypes.Structure):
    c_name = "ucore_lost"
    _fields_ = [("hdr", Record), ("lost", c_uint64), ("time", c_uint64)]


class Gap(ctypes.Structure):
    c_name = "ucore_gap"
    _fields_ = [("hdr", Record), ("time", c_uint64), ("domain", c_uint32),
                ("reason", c_uint32), ("cpu_from", c_int32), ("cpu_to", c_int32),
                ("box", c_uint32), ("reserved", c_uint32)]


class Task(ctypes.Structure):
    c_name = "ucore_task"
    _fields_ = [("cpu", c_uint32), ("flags", c_uint32), ("pid", c_uint32), ("tid", c_uint32),
                ("since", c_uint64), ("comm", c_char * 16)]


class Tasks(ctypes.Structure):
    c_name = "ucore_tasks"
    _fields_ = [("hdr", Record), ("time", c_uint64), ("domain", c_uint32),
                ("nr_tasks", c_uint32)]


STRUCTURES = (ErrorText, Info, DomainInfo, BoxInfo, SessionConfig, Omission, CoreEvent, CoreTarget,
              Slot, Value, ReadDomain, Snapshot, DeltaValue, MetricDesc, MetricValue, FileHeader,
              FileDomain, FileEvent, FileEntry, Record, Sample, Lost, Gap, Task, Tasks)

_SIZE = POINTER(c_size_t)
_OUT = POINTER(c_void_p)
_ERR = POINTER(ErrorText)
# Argument types of the functions that return 0, a count or -errno.  Their last argument, the
# struct ucore_error, is not listed here.
CALLS = {
    "ucore_device_open": (c_char_p, c_void_p, _OUT),
    "ucore_device_refresh": (c_void_p,),
    "ucore_device_ready": (c_void_p,),
    "ucore_session_create": (c_void_p, POINTER(SessionConfig), _OUT),
    "ucore_session_add_list": (c_void_p, c_char_p),
    "ucore_core_event_find": (c_char_p, POINTER(CoreEvent)),
    "ucore_session_core_trigger": (c_void_p, POINTER(CoreEvent), c_uint64, POINTER(CoreTarget)),
    "ucore_session_start": (c_void_p,),
    "ucore_session_stop": (c_void_p,),
    "ucore_session_reset": (c_void_p,),
    "ucore_session_read": (c_void_p, c_uint32, POINTER(Snapshot)),
    "ucore_ring_open": (c_void_p, c_uint32, _OUT),
    "ucore_delta_create": (c_void_p, _OUT),
    "ucore_metrics_create": (c_void_p, _OUT),
    "ucore_metrics_choose": (c_void_p, c_char_p),
    "ucore_metrics_attach": (c_void_p, c_void_p, c_uint32),
    "ucore_regions_create": (c_void_p, c_uint32, c_size_t, _OUT),
    "ucore_regions_join": (c_void_p,),
    "ucore_file_open": (c_char_p, _OUT),
    "ucore_file_next": (c_void_p, POINTER(FileEntry), _OUT),
    "ucore_replay_open": (c_void_p, _OUT),
}
# Result type and argument types of all other functions
OTHERS = {
    "ucore_device_close": (None, c_void_p),
    "ucore_device_info": (POINTER(Info), c_void_p),
    "ucore_device_domains": (POINTER(DomainInfo), c_void_p, _SIZE),
    "ucore_device_boxes": (POINTER(BoxInfo), c_void_p, _SIZE),
    "ucore_session_destroy": (None, c_void_p),
    "ucore_session_fd": (c_int, c_void_p),
    "ucore_session_slots": (POINTER(Slot), c_void_p, _SIZE),
    "ucore_session_event": (c_void_p, c_void_p, c_uint32),
    "ucore_session_set_partial": (None, c_void_p, c_bool),
    "ucore_session_omissions": (POINTER(Omission), c_void_p, _SIZE),
    "ucore_omission_reason": (c_char_p, c_int),
    "ucore_event_label": (c_char_p, c_void_p),
    "ucore_ring_close": (None, c_void_p),
    "ucore_ring_domain": (c_uint32, c_void_p),
    "ucore_ring_next": (c_int, c_void_p, _OUT),
    "ucore_ring_release": (None, c_void_p),
    "ucore_delta_free": (None, c_void_p),
    "ucore_delta_update": (None, c_void_p, POINTER(Snapshot)),
    "ucore_delta_values": (POINTER(DeltaValue), c_void_p, _SIZE),
    "ucore_metrics_free": (None, c_void_p),
    "ucore_metrics_evaluate": (None, c_void_p, c_void_p),
    "ucore_metrics_take": (c_int, c_void_p, c_uint32, c_void_p),
    "ucore_metrics_value": (POINTER(MetricValue), c_void_p, c_size_t),
    "ucore_regions_free": (None, c_void_p),
    "ucore_regions_leave": (None,),
    "ucore_regions_at": (c_void_p, c_void_p, c_size_t),
    "ucore_region_begin": (c_int, c_char_p),
    "ucore_region_end": (c_int, c_char_p),
    "ucore_region_name": (c_char_p, c_void_p),
    "ucore_region_thread": (c_uint32, c_void_p),
    "ucore_region_count": (c_uint64, c_void_p),
    "ucore_region_time": (c_uint64, c_void_p),
    "ucore_region_delta": (c_void_p, c_void_p),
    "ucore_file_header": (POINTER(FileHeader), c_void_p),
    "ucore_file_domains": (POINTER(FileDomain), c_void_p),
    "ucore_file_events": (POINTER(FileEvent), c_void_p),
    "ucore_file_real": (c_uint64, c_void_p, c_uint64),
    "ucore_file_close": (None, c_void_p),
    "ucore_replay_close": (None, c_void_p),
    "ucore_replay_device": (c_void_p, c_void_p),
    "ucore_replay_session": (c_void_p, c_void_p),
}


def load(path):
    """Load libucore from @path and declare the types of its functions for ctypes."""
    found = ctypes.CDLL(path)
    for name, arguments in CALLS.items():
        getattr(found, name).argtypes = (*arguments, _ERR)
    for name, (result, *arguments) in OTHERS.items():
        getattr(found, name).restype = result
        getattr(found, name).argtypes = arguments
    return found


# The environment variable UCORE_LIBRARY selects a libucore that is not installed
lib = load(os.environ.get("UCORE_LIBRARY", "libucore.so.0"))


def call(name, *arguments):
    """Call a library function of CALLS and return its result; raise Error if it fails."""
    err = ErrorText()
    result = getattr(lib, name)(*arguments, ctypes.byref(err))
    if result < 0:
        raise Error(-result, err.text.decode(errors="replace"))
    return result


def make(name, *arguments):
    """Call a library function of CALLS that creates an object, and return the object's pointer."""
    out = c_void_p()
    call(name, *arguments, ctypes.byref(out))
    return out


def array(name, *arguments):
    """Call a library function of OTHERS that returns an array; return the elements as a list."""
    size = c_size_t()
    elements = getattr(lib, name)(*arguments, ctypes.byref(size))
    return elements[:size.value]
