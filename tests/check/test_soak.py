# SPDX-License-Identifier: GPL-2.0-only
"""`make check`: how the long runs and `make coverage` parse the output of other programs."""

import tempfile
from pathlib import Path

from coverage import counts
from lab.framework import test
from lab.progress import Progress
from lab.progress import hash_of as progress_hash
from soak import figures, irqs_off

TRACE = """\
# tracer: function_graph
 0)  ..... |   1.500 us    |  session_poll [ucore]();
 0)  ..... |               |  session_ioctl [ucore]() {
 0)  d.... |               |    rendezvous_here [ucore]() {
 0)  d.... |   0.500 us    |      ucore_box_freeze [ucore]();
 0)  d.h1. |               |      pmi_nmi [ucore]() {
 0)  d.h1. |   0.250 us    |        claim_find [ucore]();
 0)  ..... |   9.000 us    |      }
 0)  ..... | + 20.250 us   |    }
 0)  d.h1. | ! 120.000 us  |  timer_trigger [ucore]();
 0)  ..... |   3.000 us    |  }
 0)  d.h1. |   7.125 us    |  rendezvous_here [ucore]();
"""


@test(machine=False)
def functions_called_with_interrupts_off_are_listed():
    assert list(irqs_off.outermost(TRACE.splitlines())) == \
        [("rendezvous_here", 20.25), ("timer_trigger", 120.0), ("rendezvous_here", 7.125)]


@test(machine=False)
def fuzzer_output_is_summarised():
    found = figures.Figures()
    for _ in range(2):
        found.take_calls("# UCORE_GET_INFO: 5 done, 1 refused\n# 7 CPU hotplug operations\n"
                         "# 100 calls: 60 commands done, 20 refused, 3 mappings, "
                         "4 descriptors passed, 5 processes, 2 killed\n"
                         "# 3 crowds: 5000 sessions, 2 refused (EDQUOT), 900 events, "
                         "40 refused (ENOSPC), at most 700 in a session\n"
                         "# 900 places of the driver reached, 70 sequences kept, 8 processes guided\n")
    found.take_faults("# 12 faults, 10 refused\n# 3 faults, 1 refused\n")
    assert (found.calls, found.moves, found.killed, found.faults) == (200, 14, 4, 15)
    rows = dict(found.rows())
    assert (found.places, found.sequences, found.guided) == (900, 70, 16)
    assert rows["... call sequences kept because they reached a new place"] == "70", rows
    assert rows["... processes that replayed a kept sequence"] == "16", rows
    assert rows["... processes with hundreds of sessions; sessions, refused by EDQUOT"] == \
        "6; 10,000, 4", rows
    assert rows["... events in groups of these sessions, refused by ENOSPC, most in a session"] == \
        "1,800, 80, 700", rows
    assert rows["CPU hotplug operations during the calls"] == "14", rows
    assert "suspends to RAM" not in rows


@test(machine=False)
def boots_of_a_run_are_merged():
    def one(calls, places):
        return figures.Figures("6.12", boots=1, calls=calls, places=places, longest_ns=places)
    found = figures.Figures(broken=1)
    for boot in (one(100, 9), one(50, 8)):
        found.add(boot)
    assert found == figures.Figures("6.12", boots=2, broken=1, calls=150, places=9, longest_ns=9), found
    rows = dict(found.rows())
    assert rows["run"] == "0 min on 6.12, 2 boots", rows
    assert rows["failed boots, not included in the other rows"] == "1", rows


@test(machine=False)
def progress_is_stored_per_key():
    with tempfile.TemporaryDirectory() as folder:
        def progress(key):
            return Progress("run", key, Path(folder))
        assert progress([1, "a"]).stored() is None
        progress([1, "a"]).store({"calls": 7})
        assert progress([1, "a"]).stored() == {"calls": 7}
        assert progress([2, "a"]).stored() is None
        progress([1, "a"]).forget()
        assert progress([1, "a"]).stored() is None
    with_model, without = progress_hash("driver", "tests/lab/qemu"), progress_hash("driver")
    assert with_model != without == progress_hash("driver")


@test(machine=False)
def uncovered_lines_are_listed_by_function():
    def of(name, *numbers):
        return [{"line_number": number, "count": count, "function_name": name}
                for number, count in numbers]
    found = {}
    for count in (0, 1):
        counts.add(found, {"files": [
            {"file": "/elsewhere/driver/box/box_registers.c",
             "lines": of("f", (40, 3), (41, 0), (43, 0), (44, count)) + of("g", (45, 0))},
            {"file": "include/linux/list.h", "lines": of("h", (1, 0))}]})
    gaps = counts.gaps("driver/box/box_registers.c", found["driver/box/box_registers.c"])
    assert list(found) == ["driver/box/box_registers.c"] and \
        [(gap.function, gap.first, gap.last) for gap in gaps] == [("f", 41, 43), ("g", 45, 45)], gaps
