# SPDX-License-Identifier: GPL-2.0-only
"""`make check`: the events of cores have the codes that the architecture defines.

The model counts core cycles and reference cycles at the same rate, so that no count shows the
difference.
"""

from check.witness import tables
from lab.framework import test
from lab.qemu import core

FIXED = ("INST_RETIRED.ANY", "CPU_CLK_UNHALTED.THREAD", "CPU_CLK_UNHALTED.REF_TSC",
         "TOPDOWN.SLOTS")


def rows():
    return tables.csv_rows(tables.EVENTS / "core.csv")


@test(machine=False)
def predefined_events_have_their_codes():
    codes = {row["EventName"]: (int(row["EventCode"], 16), int(row["UMask"], 16))
             for row in rows() if row["CounterType"] != "FIXED"}
    assert codes == core.PREDEFINED, codes


@test(machine=False)
def fixed_events_are_on_their_counters():
    counters = {row["EventName"]: row["Counter"] for row in rows()
                if row["CounterType"] == "FIXED"}
    assert counters == {name: str(number) for number, name in enumerate(FIXED)}, counters
