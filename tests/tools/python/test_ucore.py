# SPDX-License-Identifier: LGPL-2.1-or-later
"""Test of the Python package on the fake device: two sockets, counters with known steps.

Each READ advances the time by a second and each counter by 1000 * (box + 1) + its number.
"""

import ctypes
import errno
import os
import re
import runpy
import subprocess
import threading
import time
from pathlib import Path

import pytest

import ucore
from ucore import abi

HERE = Path(__file__).parent
TOP = HERE.parents[2]
FAKE_TOOL = Path(os.environ["UCORE_LIBRARY"]).parent / "fake_tool"
SECOND = 1000000000


def step(slot):
    return 1000 * (slot.box.id + 1) + slot.counter


@pytest.fixture
def device():
    with ucore.Device() as opened:
        yield opened


@pytest.fixture
def session(device):
    return device.session("imc/CAS_COUNT.RD/")


def record(path, *options):
    """Create a file with `ucoretool record`."""
    environment = {name: text for name, text in os.environ.items() if name != "LD_PRELOAD"}
    subprocess.run([FAKE_TOOL, "record", *options, "-o", path],
                   env=environment, check=True, capture_output=True)
    return path


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    """Return a file with 40 samples of each die, taken by a period."""
    return record(tmp_path_factory.mktemp("files") / "data", "-c", "1000", "--count", "40",
                  "-e", "imc/CAS_COUNT.RD,name=reads/", "-e", "cbo0/CLOCKTICKS/")


# ---- the interface ----


def test_structures_match_the_compiler(tmp_path):
    """Compare sizes and offsets of all fields."""
    lines, mine = [], []
    for structure in abi.STRUCTURES:
        name = f"struct {structure.c_name}"
        lines.append(f'printf("{name} %zu\\n", sizeof({name}));')
        mine.append(f"{name} {ctypes.sizeof(structure)}")
        for field, *_ in structure._fields_:
            lines.append(f'printf("{name}.{field} %zu %zu\\n", offsetof({name}, {field}), '
                         f'sizeof((({name} *)0)->{field}));')
            place = getattr(structure, field)
            mine.append(f"{name}.{field} {place.offset} {place.size}")
    program = tmp_path / "program.c"
    program.write_text("#include <stdio.h>\n#include <libucore.h>\nint main(void)\n{\n"
                       + "\n".join(lines) + "\nreturn 0;\n}\n")
    environment = {name: text for name, text in os.environ.items() if name != "LD_PRELOAD"}
    subprocess.run(["gcc", f"-I{TOP}/tools/lib", f"-I{TOP}/uapi", "-o", tmp_path / "program",
                    program], env=environment, check=True)
    theirs = subprocess.run([tmp_path / "program"], env=environment, check=True, text=True,
                            capture_output=True).stdout.splitlines()
    assert mine == theirs


def test_constants_match_the_headers():
    text = (TOP / "tools/lib/libucore.h").read_text() + (TOP / "uapi/ucore.h").read_text()
    words = dict(line.split(None, 2)[1:] for line in text.splitlines()
                 if line.startswith("#define UCORE_") and len(line.split(None, 2)) == 3)
    for name, value in (("UCORE_FILE_RECORD", abi.FILE_RECORD),
                        ("UCORE_FILE_STATUS", abi.FILE_STATUS),
                        ("UCORE_RECORD_SAMPLE", abi.RECORD_SAMPLE),
                        ("UCORE_RECORD_LOST", abi.RECORD_LOST),
                        ("UCORE_RECORD_GAP", abi.RECORD_GAP),
                        ("UCORE_RECORD_TASKS", abi.RECORD_TASKS),
                        *((f"UCORE_TRIGGER_{name.upper()}", value)
                          for name, value in abi.TRIGGERS.items()),
                        ("UCORE_NAME_LEN", abi.NAME_LEN), ("UCORE_SPEC_LEN", abi.SPEC_LEN)):
        assert int(words[name].split("/*")[0], 0) == value, name
    for name, value in (("SESSION_F_TASKS", abi.SESSION_F_TASKS), ("TASK_F_KNOWN", abi.TASK_F_KNOWN),
                        *((f"LEVEL_{name.upper()}", value) for name, value in abi.LEVELS.items())):
        shift = words[f"UCORE_{name}"].split("/*")[0]
        assert eval(shift.replace("U", "")) == value, name


# ---- the machine ----


def test_device_lists_domains_and_boxes(device):
    device.ready()
    assert device.platform == "ivbep"
    assert [(d.id, d.die, d.package, d.cpu) for d in device.domains()] == [
        (0, 0, 0, None), (1, 1, 1, None)]
    boxes = device.boxes()
    assert [box.id for box in boxes] == list(range(len(boxes)))
    assert sum(box.type == "imc" for box in boxes) == 8
    assert {box.cpu for box in boxes} == {None}


def test_missing_node_raises_error():
    """The exception has the text of libucore."""
    session = ucore.Device().session
    with pytest.raises(ucore.Error) as caught:
        session("imc/CAS_COUNT.RDD/")
    assert caught.value.errno == errno.ENOENT
    assert "did you mean" in caught.value.strerror


def test_closed_object_raises_value_error(device):
    session = device.session("imc/CAS_COUNT.RD/")
    session.close()
    session.close()
    with pytest.raises(ValueError, match="Session is closed"):
        session.start()
    other = device.session("imc/CAS_COUNT.RD/")
    device.close()
    with pytest.raises(ValueError, match="Session is closed"):
        other.read()
    with pytest.raises(ValueError, match="Device is closed"):
        device.boxes()


# ---- sessions ----


def test_read_returns_counts_and_deltas(session):
    slots = session.slots()
    assert [slot.label for slot in slots] == ["imc/CAS_COUNT.RD/"] * 8
    assert {slot.box.type for slot in slots} == {"imc"}
    assert session.deltas() == []
    session.start()
    first = session.read()
    assert first.counts == [step(slot) for slot in slots]
    second = session.read(no_freeze=True)
    assert second.counts == [2 * step(slot) for slot in slots]
    assert second.time - first.time == SECOND
    assert second.flags == [0] * 8
    assert first.skew_ns == 120
    assert session.deltas() == [ucore.Delta(step(slot), SECOND, SECOND // 10 * 9, 0)
                                for slot in slots]
    session.stop()
    session.reset()
    assert session.deltas() == []
    assert session.read().counts == [0] * 8


def test_events_are_added_to_a_session(session):
    session.add("cbo0/CLOCKTICKS,die=1,name=clock/")
    assert session.slots()[-1].label == "clock"
    assert session.slots()[-1].box.die == 1
    with pytest.raises(ucore.Error) as caught:
        session.add("imc/CAS_COUNT.WR/,nosuch/EVENT/")
    assert caught.value.errno == errno.ENOENT
    assert len(session.slots()) == 9


def test_readers_read_in_parallel(device):
    with pytest.raises(ucore.Error, match="at most 8 CPUs") as caught:
        device.session(readers=9)
    assert caught.value.errno == errno.ERANGE
    session = device.session("imc/CAS_COUNT.RD/", readers=8)
    session.start()
    assert session.read().counts == [step(slot) for slot in session.slots()]


@pytest.fixture
def incomplete():
    """Return a device: imc2 of die 1 is dead, and another process has imc0 of die 0."""
    abi.lib.fake_scenario(b"dead=%d own=0/imc0" % abi.lib.fake_box(b"imc", 2, 1))
    with ucore.Device() as opened:
        yield opened
    abi.lib.fake_scenario(b"")


def test_partial_session_lists_omissions(incomplete):
    with pytest.raises(ucore.Error) as caught:
        incomplete.session("imc/CAS_COUNT.RD/")
    assert caught.value.errno == errno.EBUSY
    session = incomplete.session("imc/CAS_COUNT.RD,name=reads/", partial=True)
    assert session.omissions() == [
        ucore.Omission("reads", "imc", 0, 0, None, "busy", "in use by process 4711 (other)"),
        ucore.Omission("reads", "imc", 2, 1, None, "dead", "does not respond")]
    assert {(slot.box.die, slot.box.instance) for slot in session.slots()} == {
        (0, 1), (0, 2), (0, 3), (1, 0), (1, 1), (1, 3)}
    metrics = session.metrics("memory_bandwidth_read", level="socket")
    session.start()
    session.read()
    assert [(m.package, m.nr_boxes, m.max_boxes) for m in metrics.values()] == \
        [(0, 3, 4), (1, 3, 4)]
    with pytest.raises(ucore.Error):
        incomplete.session("imc2/CAS_COUNT.RD,die=1/", partial=True)


def test_metrics_have_values_at_each_level(device):
    session = device.session()
    everywhere = session.metrics("rate=UNC_M_CAS_COUNT.RD/seconds")
    sockets = session.metrics("rate=UNC_M_CAS_COUNT.RD/seconds", level="socket")
    boxes = session.metrics("rate=UNC_M_CAS_COUNT.RD/seconds", level="box")
    assert everywhere.values() == []
    session.start()
    session.read()
    session.read()
    by_box = boxes.values()
    assert len(by_box) == 8
    assert {(box.type, box.cpu) for box in by_box} == {("imc", None)}
    assert [(s.package, s.type) for s in sockets.values()] == [(0, None), (1, None)]
    # each event has its own counters, whose steps are almost equal
    for socket in sockets.values():
        assert socket.value == pytest.approx(sum(box.value for box in by_box
                                                 if box.package == socket.package), rel=1e-3)
    total, = everywhere.values()
    assert (total.name, total.package, total.type) == ("rate", None, None)
    assert total.value == pytest.approx(sum(box.value for box in by_box), rel=1e-3)
    with pytest.raises(ValueError, match="level 'die'"):
        session.metrics("rate=1", level="die")
    with pytest.raises(ucore.Error, match="memory_bandwidth"):
        session.metrics("memory_bandwidth_raed")


# ---- samples of a running session ----


def puts(*domains):
    """Make the fake device take a sample of each domain."""
    for domain in domains:
        abi.lib.fake_sample(domain)


def test_samples_come_with_tasks(device):
    session = device.session("imc/CAS_COUNT.RD/,cbo0/CLOCKTICKS,die=1/", timer_ns=10**7,
                             ring_size=1 << 16, tasks=True)
    session.start()
    assert session.records(timeout=0) == []
    puts(0, 1, 0)
    records = session.records(timeout=0)
    assert [(type(record).__name__, record.domain) for record in records] == [
        (name, domain) for domain in (0, 1, 0) for name in ("Tasks", "Sample")]
    assert [tasks.time for tasks in records[::2]] == [sample.time for sample in records[1::2]]
    first, of_the_other, second = records[1::2]
    assert [len(sample.counts) for sample in records[1::2]] == [4, 5, 4]
    steps = sorted(step(slot) for slot in session.slots() if slot.domain == 0)
    assert sorted(second.counts[event] - count
                  for event, count in first.counts.items()) == steps
    assert (first.trigger, first.pid, first.tid, first.late_ns) == ("timer", 42, 43, 0)
    # the task of a third CPU is unknown
    assert records[2].tasks == [
        ucore.Task(of_the_other.cpu, 42, 43, "worker", of_the_other.time - 1000),
        ucore.Task(of_the_other.cpu + 1, 0, 0, "swapper/1", records[2].tasks[1].since)]
    assert session.records(timeout=0) == []


def test_reading_empties_the_ring(device):
    session = device.session("imc/CAS_COUNT.RD,period=1000/", ring_size=4096)
    session.start()
    taken = []
    for _ in range(100):
        puts(0)
        taken += session.records(timeout=0)
    assert {(type(record), record.trigger) for record in taken} == {(ucore.Sample, "overflow")}
    assert len(taken) == 100
    puts(*[0] * 100)
    kept = len(session.records(timeout=0))
    assert 10 < kept < 100
    puts(0)
    lost, _ = session.records(timeout=0)
    assert lost == ucore.Lost(lost.time, 0, 100 - kept)


def test_revoked_session_raises_eshutdown(device, monkeypatch):
    """Samples before the revocation are returned first."""
    session = device.session("imc/CAS_COUNT.RD/", timer_ns=10**7, ring_size=1 << 16)
    session.start()
    read, write = os.pipe()
    os.close(write)
    monkeypatch.setattr(session, "fileno", lambda: read)
    puts(0)
    sample, = session.records(timeout=0)
    assert sample.domain == 0
    with pytest.raises(ucore.Error, match="the session was revoked") as caught:
        session.records(timeout=0)
    assert caught.value.errno == errno.ESHUTDOWN
    os.close(read)


def test_core_event_triggers_samples(device):
    session = device.session("imc/CAS_COUNT.RD/", ring_size=1 << 16)
    session.core_trigger("instructions:u", 10**6, pid=os.getpid())
    session.core_trigger("page-faults", 1, tid=threading.get_native_id())
    session.start()
    puts(1)
    sample, = session.records(timeout=0)
    assert (sample.trigger, sample.late_ns, sample.pid, sample.ip) == (
        "core", 1700, threading.get_native_id(), 0x401234)
    session.stop()
    session.core_trigger("r01c2", 10**6, cpu=3)
    session.start()
    puts(0)
    assert session.records(timeout=0)[0].cpu == 3


def test_invalid_core_events_raise_errors(device):
    session = device.session("imc/CAS_COUNT.RD/", ring_size=1 << 16)
    gone = subprocess.Popen(["true"])
    gone.wait()
    for event, whose, code, words in (
            ("instruction", {"cpu": 0}, errno.ENOENT, "core event 'instruction': unknown"),
            ("cycles:k", {"cpu": 0}, errno.EINVAL, "The only suffix is :u"),
            ("cycles", {"cpu": 99}, errno.ENOENT, "there is no CPU 99 online"),
            ("cycles", {"tid": gone.pid}, errno.ESRCH, f"there is no thread {gone.pid}"),
            ("cycles", {"pid": gone.pid}, errno.ESRCH, f"process {gone.pid}: no such process")):
        with pytest.raises(ucore.Error) as caught:
            session.core_trigger(event, 1000, **whose)
        assert caught.value.errno == code and words in caught.value.strerror
    for whose in ({}, {"tid": 0}, {"pid": 1, "cpu": 0}):
        with pytest.raises(ValueError, match="exactly one of pid, tid and cpu"):
            session.core_trigger("cycles", 1000, **whose)


# ---- regions ----


def test_regions_return_deltas(session):
    regions = session.regions()
    with pytest.raises(ucore.Error) as caught:
        with ucore.region("solve"):
            pass
    assert caught.value.errno == errno.ESRCH
    regions.join()
    session.start()
    with ucore.region("solve"):
        with ucore.region("inner"):
            pass
    with pytest.raises(KeyError):
        with ucore.region("inner"):
            raise KeyError
    solve, inner = regions.results()
    assert (solve.name, solve.thread, solve.count, solve.time_ns) == ("solve", 0, 1, 3 * SECOND)
    assert (inner.name, inner.count, inner.time_ns) == ("inner", 2, 2 * SECOND)
    assert [delta.count for delta in solve.deltas] == [3 * step(slot)
                                                       for slot in session.slots()]
    ucore.leave()


def test_region_example_runs(capsys):
    runpy.run_path(os.path.join(TOP, "tools/examples/region.py"), run_name="__main__")
    said = capsys.readouterr().out
    assert re.search(r"^fill: 4 times, \d+\.\d{6} s$", said, re.M), said
    assert re.search(r"^copy: 4 times, ", said, re.M), said
    assert len(re.findall(r"^\t(?:read|written) +\d+\.\d MB/s$", said, re.M)) == 4, said
    ucore.leave()


def test_threads_have_separate_regions(session):
    regions = session.regions()
    session.start()

    def work():
        regions.join()
        with ucore.region("beside"):
            pass
        ucore.leave()

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    regions.join()
    with ucore.region("here"):
        pass
    ucore.leave()
    assert [(r.name, r.thread) for r in regions.results()] == [("beside", 0), ("here", 1)]


# ---- files ----


def test_file_header_is_read(recorded):
    with ucore.Recording(recorded) as recording:
        assert recording.platform == "ivbep"
        assert len(recording.domains) == 2
        assert {event.label for event in recording.events} == {"reads", "cbo0/CLOCKTICKS/"}
        reads = [event for event in recording.events if event.label == "reads"]
        assert {(event.period, event.bytes, event.bytes_per) for event in reads} == {
            (1000, 64, 1)}
        one = recording.wall_clock(recording.start + 5)
        assert one - recording.wall_clock(recording.start) == 5


def test_file_samples_are_read(recorded):
    recording = ucore.Recording(recorded)
    samples = list(recording.samples())
    assert len(samples) == 40
    for domain in (0, 1):
        events = {event.id for event in recording.events if event.domain == domain}
        mine = [sample for sample in samples if sample.domain == domain]
        assert mine
        assert all(set(sample.counts) == events for sample in mine)
        times = [sample.time for sample in mine]
        assert times == sorted(set(times))
    # a second iterator, and two at the same time
    pairs = list(zip(recording.samples(), recording.records()))
    assert [a for a, _ in pairs] == [b for _, b in pairs] == samples


def test_file_tasks_are_read(tmp_path):
    path = record(tmp_path / "data", "--tasks", "--core-event", "page-faults", "-c", "10",
                  "-C", "1", "-e", "imc/CAS_COUNT.RD/", "--count", "4")
    records = list(ucore.Recording(path).records())
    tasks = [record for record in records if isinstance(record, ucore.Tasks)]
    samples = [record for record in records if isinstance(record, ucore.Sample)]
    assert [record.time for record in tasks][:4] == [sample.time for sample in samples]
    assert {(sample.trigger, sample.cpu, sample.late_ns) for sample in samples} == {
        ("core", 1, 1700)}
    assert {task.comm for record in tasks for task in record.tasks} == {"worker", "swapper/1"}


def test_series_match_the_samples(recorded):
    recording = ucore.Recording(recorded)
    series = recording.series()
    assert {s.event.id for s in series} == {event.id for event in recording.events}
    for one in series:
        samples = [sample for sample in recording.samples() if one.event.id in sample.counts]
        assert list(one.time) == [sample.time for sample in samples]
        assert list(one.count) == [sample.counts[one.event.id] for sample in samples]
        assert list(one.count) == sorted(one.count)


def test_numpy_series_match_the_samples(recorded):
    numpy = pytest.importorskip("numpy")
    recording = ucore.Recording(recorded)
    for plain, one in zip(recording.series(), recording.numpy()):
        assert one.count.dtype == one.time.dtype == numpy.uint64
        assert one.count.tolist() == list(plain.count)
        assert one.time.tolist() == list(plain.time)
        # the fake's counters have constant steps
        assert len(set(numpy.diff(one.count).tolist())) == 1


def test_package_works_without_numpy():
    done = subprocess.run(
        ["python3", "-c", "import sys; sys.modules['numpy'] = None; import ucore"], check=False,
        capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_file_metrics_have_values(recorded):
    recording = ucore.Recording(recorded)
    values = list(recording.metrics("rate=UNC_M_CAS_COUNT.RD/seconds", level="socket"))
    assert {metric.package for _, metric in values} == {0, 1}
    assert all(metric.value > 0 for _, metric in values[2:])
    times = {sample.time for sample in recording.samples()}
    assert {time for time, _ in values} <= times
    with pytest.raises(ucore.Error) as caught:
        list(recording.metrics("rate=UNC_M_CAS_COUNT.WR/seconds"))
    assert caught.value.errno == errno.ENOENT


def test_invalid_file_raises_error(tmp_path, recorded):
    (tmp_path / "text").write_text("no samples at all\n" * 10)
    with pytest.raises(ucore.Error) as caught:
        ucore.Recording(tmp_path / "text")
    assert caught.value.errno == errno.EBADMSG
    with pytest.raises(ucore.Error) as caught:
        ucore.Recording(tmp_path / "nosuch")
    assert caught.value.errno == errno.ENOENT
    whole = recorded.read_bytes()
    (tmp_path / "cut").write_bytes(whole[:-200])
    with pytest.raises(ucore.Error) as caught:
        list(ucore.Recording(tmp_path / "cut").records())
    assert caught.value.errno == errno.EBADMSG


# ---- the page ----


def test_page_examples_run(tmp_path, monkeypatch, capsys):
    """Run all examples of Documentation/python.md in sequence."""
    pytest.importorskip("numpy")
    monkeypatch.chdir(tmp_path)
    record(tmp_path / "ucore.data", "--timer", "1ms", "--tasks", "--count", "20",
           "-e", "imc/CAS_COUNT.RD/,imc/CAS_COUNT.WR/")
    monkeypatch.setattr(time, "sleep", lambda _: None)
    records = ucore.Session.records
    monkeypatch.setattr(ucore.Session, "records",
                        lambda session, timeout: puts(0, 1) or records(session, 0))
    blocks = re.findall(r"^```python\n(.*?)^```$", (TOP / "Documentation/python.md").read_text(),
                        re.M | re.S)
    assert len(blocks) >= 6
    names = {"solve": lambda: None}
    for block in blocks:
        exec(compile(block, "python.md", "exec"), names)
        assert capsys.readouterr().out, block
    ucore.leave()
