# SPDX-License-Identifier: GPL-2.0-only
"""Programs of several users on one machine: an exporter, `top`, three `stat` and a recording.

They ask for the same events of the memory channels, and count for a minute.  Meanwhile a channel
dies and responds again.  All counts are those of the model, everything missing is named, and no
program ends.
"""

import csv
import io
import json
import re
import signal

from lab.framework import test
from lab.session import freezes_since, totals_at
from lab.truth import totals_of

READ, WRITE = "imc/CAS_COUNT.RD/", "imc/CAS_COUNT.WR/"
DEAD = (1, "imc2")      # die and name of the box that dies
PROGRAMS = {
    "export": "export --textfile {dir}/page.prom -I 1s",
    "top": "top --batch -j -I 1s >{dir}/top",
    "boxes": f"stat -x, -I 2s --per-box -e {READ},{WRITE} -o {{dir}}/boxes",
    "metric": "stat -x, -I 3s --per-socket -M memory_bandwidth_total -o {dir}/metric",
    "events": f"stat -j -I 1s --per-socket -e {READ},{WRITE} -o {{dir}}/events",
    "record": f"record --timer 200ms -e {READ},{WRITE} -o {{dir}}/record",
}


def started(m, directory):
    """Start all programs; return name -> process."""
    running = {}
    for name, line in PROGRAMS.items():
        running[name] = m.spawn(f"exec ucoretool {line.format(dir=directory)} 2>{directory}/{name}.err")
    return running


def rows_of(text):
    return list(csv.DictReader(io.StringIO(text)))


def intervals(rows):
    """Group the rows of `stat --per-box` by time: time -> (die, box, event) -> row."""
    found = {}
    for row in rows:
        if row["count"]:
            found.setdefault(int(row["time_ns"]), {})[
                int(row["die"]), row["box"], row["event"]] = row
    return [found[time] for time in sorted(found)]


class Truth:
    """The totals of the counters before all programs, and at each freeze of their die since."""

    def __init__(self, m, mark, base):
        self.freezes = {die: [totals] for die, totals in enumerate(base)}
        for freeze in freezes_since(m, mark):
            totals = totals_at(freeze)
            if totals:
                self.freezes.setdefault(freeze["socket"], []).append(totals)

    def counters(self, die, box):
        return {key for totals in self.freezes[die] for key in totals if key[0] == box}

    def chain(self, die, keys, counts):
        """Return how many of @counts follow each other exactly, as the sums of some counters of a die
        from freeze to freeze."""
        sums = [sum(totals[key] for key in keys) for totals in self.freezes[die]
                if keys <= totals.keys()]
        reached, best = set(sums), 0
        for total in sums:
            number = 0
            for count in counts:
                total += count
                if total not in reached:
                    break
                number += 1
            best = max(best, number)
        return best

    def counter(self, die, box, counts):
        """Return the counter of a box that counted exactly @counts, one after the other."""
        for key in self.counters(die, box):
            if self.chain(die, {key}, counts) == len(counts):
                return key
        raise AssertionError((die, box, counts))


def counts_of(series, key):
    """Return the runs of counts of a box without a time in which it was dead.

    When the box responds again, all values of its die have a note. The other boxes counted on.
    """
    runs = [[]]
    for interval in series:
        row = interval.get(key)
        if row is None or row["note"] and key[:2] == DEAD:
            runs.append([])
        else:
            runs[-1].append(int(row["count"]))
    return [run for run in runs if run]


def counters_found(truth, series):
    """Compare all counts of `stat --per-box` with the model.

    Return (die, event) -> the counters of the die that counted the event.
    """
    found = {}
    for key in {key for interval in series for key in interval}:
        die, box, event = key
        runs = counts_of(series, key)
        assert len(runs) == 1 + ((die, box) == DEAD), (key, runs)
        found.setdefault((die, event), set()).add(truth.counter(die, box, runs[0]))
        # the first count after the box responded began at no freeze
        assert not runs[1:] or truth.counter(die, box, runs[1][1:])
    assert found.keys() == {(die, event) for die in (0, 1) for event in (READ, WRITE)}
    return found


def assert_samples_exact(truth, rows, counters):
    """Compare the samples of the die on which all boxes lived with the model."""
    for event in (READ, WRITE):
        counts = [int(row["count"]) for row in rows
                  if row["record"] == "sample" and row["die"] == "0" and row["event"] == event]
        assert len(counts) > 100
        assert truth.chain(0, counters[0, event], counts) == len(counts), (event, counts)


def assert_missing_is_named(rows):
    """The dead box has a row of its own in each interval in which it was dead."""
    missing = [row for row in rows if row["note"].startswith("missing")]
    assert missing and {(int(row["die"]), row["box"]) for row in missing} == {DEAD}, missing
    assert len(missing) < len(rows) / 4, (len(missing), len(rows))


@test(("e2-2s", "spr-2s"), alone=True, timeout=180)
def exporter_top_stats_and_recording_count_side_by_side(m):
    directory = m.sh("mktemp -d").strip()
    mark, base = m.truth_length(), totals_of(m)
    running = started(m, directory)
    try:
        m.wait_until(lambda: "/boxes" in m.sh(f"find {directory} -size +0"), what="first interval")
        m.sh("sleep 20")
        m.inject(f"dead {DEAD[0]} {DEAD[1]}")
        m.sh("sleep 15")
        during = m.sh(f"cat {directory}/page.prom")
        m.inject(f"alive {DEAD[0]} {DEAD[1]}")
        m.sh("sleep 25", timeout=100)
        after = m.sh(f"cat {directory}/page.prom")
        assert not [name for name, process in running.items() if process.done], \
            m.sh(f"cat {directory}/*.err")
    finally:
        m.inject(f"alive {DEAD[0]} {DEAD[1]}")
        ended = {}
        for process in running.values():
            process.kill(signal.SIGINT)
        for name, process in running.items():
            ended[name] = process.wait(timeout=60, check=False).status
    said = m.sh(f"cat {directory}/*.err")
    assert set(ended.values()) == {0}, (ended, said)

    rows = rows_of(m.sh(f"cat {directory}/boxes"))
    truth = Truth(m, mark, base)
    counters = counters_found(truth, intervals(rows))
    assert_missing_is_named(rows)

    # nothing had to wait: all programs want the same events of the channels
    assert "scaled" not in m.sh(f"cat {directory}/boxes {directory}/metric {directory}/events")

    metric = rows_of(m.sh(f"cat {directory}/metric"))
    dead = [row for row in metric if re.search(r"\d of \d imc", row["note"])]
    assert dead and {row["socket"] for row in dead if row["socket"]} == {str(DEAD[0])}, dead
    values = {socket: [float(row["value"]) for row in metric if row["socket"] == socket and
                       row["value"] and not row["note"]] for socket in ("0", "1")}
    for of_socket in values.values():
        assert len(of_socket) > 5 and max(of_socket) < 1.05 * min(of_socket), values

    events = [json.loads(line) for line in m.sh(f"cat {directory}/events").splitlines()]
    assert [e for e in events if e.get("note", "").startswith("missing") and e["box"] == DEAD[1]]
    top = [json.loads(line) for line in m.sh(f"cat {directory}/top").splitlines()]
    assert {(t["die"], t["box"]) for t in top if t.get("note") == "box dead"} == {DEAD}
    assert [t for t in top if re.search(r"\d of \d imc", t.get("note", "")) and
            t["socket"] == DEAD[0]]

    series = 'ucore_memory_read_bytes_total{socket="1",channel="2"}'
    assert series not in during and series in after, during
    assert 'ucore_box_missing{' in during and 'ucore_box_missing{' not in after, during

    assert_samples_exact(truth, rows_of(m.sh(f"ucoretool script -x, -i {directory}/record")),
                         counters)
    m.sh(f"rm -r {directory}")
