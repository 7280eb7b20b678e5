# SPDX-License-Identifier: GPL-2.0-only
"""Machines of unusual shape: gaps in the numbers of boxes, idle or dead channels, one channel more
on one die than on the other."""

import csv
import io
import json
import statistics

from lab.framework import test
from lab.session import Session

CAS = "imc/CAS_COUNT.RD/"


def counted(m, options):
    """Return the rows of a `stat` in CSV."""
    return list(csv.DictReader(io.StringIO(m.sh(f"ucoretool stat -x, --timeout 100ms {options}"))))


def boxes_of(rows):
    return [row["box"] for row in rows if row["count"] and int(row["count"])]


@test("spr-1s", settings={"boxes.iio": "11", "boxes.irp": "11", "boxes.m2pcie": "11",
                          "faults.hide": "iio6 iio7 iio8 iio9"})
def boxes_behind_a_gap_in_the_numbers_are_counted(m):
    stacks = [f"iio{n}" for n in (*range(6), 10)]
    assert boxes_of(counted(m, "--per-box -e iio/event=1/")) == stacks
    assert boxes_of(counted(m, "-e iio10/event=1/ --per-box")) == ["iio10"]
    listed = [line.split()[2] for line in m.sh("ucoretool list boxes iio").splitlines()
              if line.split()[1:2] == ["iio"]]
    assert listed == [stack.removeprefix("iio") for stack in stacks], listed
    metric = counted(m, "--per-box -M iio_bandwidth_read")
    assert [row["box"] for row in metric if row["value"]] == stacks, metric


@test("spr-2s", settings={"faults.dead": "1:imc0"}, alone=True)
def sum_over_fewer_channels_than_on_the_other_die_is_marked(m):
    """The channel is dead when the module loads."""
    rows = [row for row in counted(m, "--per-socket -M memory_bandwidth_total") if row["value"]]
    assert {row["socket"]: row["note"] for row in rows} == {"0": "", "1": "3 of 4 imc"}, rows
    rows = [row for row in counted(m, f"--per-socket -e {CAS}") if row["count"]]
    assert {row["socket"]: row["note"] for row in rows} == {"0": "", "1": "3 of 4 imc"}, rows
    table = m.sh(f"ucoretool stat --timeout 100ms -e {CAS}")
    assert "7 of 8 imc" in table and "not counted: imc0 of die 1" in table, table
    top = m.sh("ucoretool top --batch --count 1 -I 100ms memory")
    assert "3 of 4 imc" in top and "not counted: imc0 of die 1" in top, top
    page = m.sh("ucoretool export --textfile - --count 1 --collect memory")
    assert 'ucore_box_missing{socket="1",box="imc0",reason="hidden"} 1' in page, page


@test("bdxep-1s", settings={"boxes.imc": "8", **{f"rates.imc.{n}.*.*.*": "0" for n in range(4, 8)}},
      alone=True)
def channel_without_traffic_is_not_taken_for_a_dead_one(m):
    rows = counted(m, f"--per-box -e {CAS}")
    assert boxes_of(rows) == ["imc0", "imc1", "imc2", "imc3"], rows
    assert [row["box"] for row in rows if row["count"] == "0" and not row["note"]] == \
        ["imc4", "imc5", "imc6", "imc7"], rows
    m.inject("dead 0 imc5")
    try:
        rows = counted(m, f"--per-box -e {CAS}")
        missing = [row["box"] for row in rows if row["note"].startswith("missing")]
        assert missing == ["imc5"] and "imc4" in [row["box"] for row in rows], rows
    finally:
        m.inject("alive 0 imc5")


@test("bdxep-1s", settings={"boxes.imc": "5", "boxes.ha": "2"})
def odd_number_of_channels_is_counted(m):
    assert boxes_of(counted(m, f"--per-box -e {CAS}")) == [f"imc{n}" for n in range(5)]
    with Session(m) as s:
        for n in range(5):
            s.add(f"imc{n}", counter=0, event=4, umask=3)
        for n in range(2):
            s.add(f"ha{n}", counter=0, event=1, umask=3)
        s.start()
        s.read_exactly()


@test("skx-2s")
def six_channels_are_in_every_view(m):
    channels = {(die, f"imc{n}") for die in (0, 1) for n in range(6)}
    rows = [row for row in counted(m, f"--per-box -e {CAS} -M memory_bandwidth_read")
            if row["count"] or row["value"]]
    for column in ("count", "value"):
        found = {(int(row["die"]), row["box"]) for row in rows if row[column]}
        assert found == channels, (column, found)
    top = [json.loads(line) for line in
           m.sh("ucoretool top --batch -j --count 1 -I 100ms memory").splitlines()]
    assert {(row["die"], row["box"]) for row in top if "box" in row} == channels, top
    page = m.sh("ucoretool export --textfile - --count 1 --collect memory")
    for socket in (0, 1):
        for n in range(6):
            assert f'ucore_memory_read_bytes_total{{socket="{socket}",channel="{n}"}}' in page
    m.sh(f"ucoretool record --timer 10ms --timeout 100ms -e {CAS} -o /tmp/channels.data")
    report = m.sh("ucoretool report --per-box -x, -i /tmp/channels.data; rm /tmp/channels.data")
    assert all(report.count(f",imc{n},") >= 2 for n in range(6)), report


@test("e2-2s", settings={"rates.ubox.*.*.fixed": "2000000000000000"})
def metric_of_a_file_is_right_across_a_wrap(m):
    """The fixed counter of the UBox wraps after 0.14 s. Each interval holds at most one wrap."""
    m.write("/tmp/clock.metrics", "mhz=1.E-06*a/seconds; a=ubox/UCLK/")
    said = m.sh("ucoretool stat --metric-file /tmp/clock.metrics -M mhz --per-socket -x, -I 50ms "
                "--count 10; rm /tmp/clock.metrics")
    values = [float(row["value"]) for row in csv.DictReader(io.StringIO(said)) if row["value"]]
    assert len(values) == 20, said
    # A wrong wrap changes a value by 2.8 times its size. A host that stops a CPU at a freeze makes one
    # value a bit larger.
    assert all(0.5 < value / 2e9 < 2 for value in values), values
    assert abs(statistics.median(values) / 2e9 - 1) < 0.05, values
