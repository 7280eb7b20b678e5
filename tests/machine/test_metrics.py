# SPDX-License-Identifier: GPL-2.0-only
"""Metrics: `ucoretool stat -M`, compared with the formulas and the rates of the model.

The formulas are read from the tables in the tree and evaluated here independently. The rates of
their events are those of the model. The counting time of each box is that between its unfreeze
and its freeze in the model's log. check/test_intel_metrics.py and check/test_linux_metrics.py
compare the formulas themselves with Intel's and Linux's.
"""

import csv
import json
import re
import statistics

from lab.agent import CommandFailed
from lab.artifacts import TOP
from lab.framework import test
from lab.qemu import args, rates
from lab.qemu.platforms import PLATFORMS
from lab.session import FIXED, assert_equal
from machine import eventset, free_running
from machine.first_run import FirstRun

# The metrics of bdxde are among those of bdxep
MACHINES = ("e2-2s", "snbep-2s", "hswep-2s", "bdxep-2s", "skx-2s", "clx-1s", "icx-2s", "snr-1s",
            "spr-2s", "emr-1s", "gnr-2s", "srf-1s", "grr-1s", "cwf-1s", "snb-1s", "skl-1s", "icl-1s",
            "tgl-1s", "adl-1s", "mtl-1s")
CLOCK = "imc0/fixed,die={}/"
TIME = "time=seconds+0*{{{}}}"
LEAST = 7                       # number of metrics that each platform has
AT_ONCE = 6                     # number of metrics in one session, if it has enough counters
BAND = 12                       # value for N in metrics with a parameter band
TOLERANCE = 2e-4
# Limit of the median difference between times of the driver and of the model. A busy host may
# stop a CPU between the clock and the freeze, so that single times can differ more.
TIME_TOLERANCE = 0.02
BOXES_PER_SOCKET = {"CHAS": "cha", "CBOXES": "cbo", "CHANNELS": "imc", "QPI_PORTS": "qpi"}


class Count(float):
    """Value of an alias: a sum over boxes; [0] is the sum over first boxes."""

    def __new__(cls, total, first):
        count = super().__new__(cls, total)
        count.first = first
        return count

    def __getitem__(self, index):
        assert index == 0
        return self.first


def table(platform):
    """Return metric name -> row of the table, without omitted metrics."""
    lines = (TOP / f"tools/metrics/{platform}.csv").read_text().splitlines()
    rows = csv.DictReader(line for line in lines if not line.startswith("#"))
    return {row["Metric"]: row for row in rows if not row["Omitted"]}


class Promise:
    """Expected rates and metrics of the running machine, from the documented rates."""

    def __init__(self, machine):
        self.platform = args.Scenario(machine.scenario).platform
        client = PLATFORMS[self.platform].client
        # A box whose counting time is that of its die. Its fixed counter is counted beside the
        # metrics, unless metrics count it.
        self.clock, self.clock_beside = ("clock0", False) if client else ("imc0", True)
        self.time = TIME.format("UNC_CLOCK.SOCKET" if client else "pcu/CLOCKTICKS/")
        self._events = {event["name"].upper(): event for event in
                        map(json.loads, machine.sh("ucoretool list events -j").splitlines())}
        self._filters = {row["EventName"].upper(): eventset.filter1_of(row)
                         for row in eventset.table(self.platform)}
        self.boxes = [(box["die"], box["type"], box["instance"]) for box in
                      map(json.loads, machine.sh("ucoretool list -j").splitlines())
                      if "die" in box]
        types = {kind for _, kind, _ in self.boxes}
        # without the metrics of HBM, unless the machine has some, and without those that need the
        # speed of a link, which these machines do not have (test_stacks.py)
        self.metrics = {name: row for name, row in table(self.platform).items()
                        if (not name.startswith("hbm_") or "mchbm" in types) and
                        "LINK_SPEED" not in row["Where"]}
        self.ratios = []        # times of the driver, in parts of those of the model
        self.dies = sorted({die for die, _, _ in self.boxes})
        siblings = machine.sh("cat /sys/devices/system/cpu/cpu*/topology/thread_siblings_list")
        self._cores = len(set(siblings.split())) // len(self.dies)

    def _fields(self, spec):
        """Return the box type and the event fields of an alias's event."""
        head, _, terms = spec.rstrip("/").partition("/")
        fields = {key: int(value, 0) for key, value in
                  (term.split("=") for term in terms.split(",") if term)}
        event = self._events.get(head.upper())
        if event is None:
            return head, fields
        if event["type"] == "imc_free":
            return event["type"], {"traffic": free_running.meaning(event["name"], self.platform)[0]}
        if "code" not in event:
            return event["type"], None
        umask = int(event["umask"], 0)
        of_name = {"event": int(event["code"], 0)}
        if self.platform in eventset.EVENTS and event["type"] == "pcu":
            of_name["occ_sel"] = umask >> 6
        else:
            of_name["umask"] = umask
        masks = (mask.split("=") for mask in event.get("masks", "").split(",") if mask)
        return event["type"], {**of_name, **{key: int(value, 0) for key, value in masks},
                               **self._filter(head, fields), **fields}

    def _filter(self, name, given):
        """Return the filter that the name of an event implies; an opcode replaces "all opcodes"."""
        filters = self._filters.get(name.upper(), {})
        if given.keys() & {"filter_opc_0", "filter_opc_1"}:
            filters = {**filters, "filter_all_op": 0}
        return filters

    def rate(self, kind, instance, die, fields):
        """Return the counts per second of an event on a box."""
        if fields is None:
            return rates.rate(kind, instance, die, fixed=True, platform=self.platform)
        if "traffic" in fields:
            return rates.mc_traffic(fields["traffic"], instance)
        if not PLATFORMS[self.platform].discovery:
            if "filter_tid" in fields:
                fields = {**fields, "tid_en": 1}
            return eventset.rate_of(f"{kind}{instance}", die, 0, fields, self.platform)
        fields = dict(fields)
        event, umask = fields.pop("event"), fields.pop("umask", 0)
        return rates.rate(kind, instance, die, event, umask, platform=self.platform, **fields)

    def count(self, spec, places, seconds):
        """Return the value of an alias over boxes (die, type, instance), all or some of them.

        seconds: function of a die and a box, which returns the counting time of the box.
        """
        one = spec.endswith("[one]")
        spec = spec.removesuffix("[one]").removesuffix("[optional]").replace("=N/", f"={BAND}/")
        by_die = {}
        for die, kind, instance in places:
            kind_wanted, fields = self._fields(spec.replace("LOCAL_NODE", str(1 << die)))
            if kind == kind_wanted:
                by_die.setdefault(die, []).append(
                    (instance, seconds(die, f"{kind}{instance}") *
                     self.rate(kind, instance, die, fields)))
        first = sum(min(found)[1] for found in by_die.values())
        if one:
            return first / len(by_die)
        return Count(sum(count for found in by_die.values() for _, count in found), first)

    def _constant(self, word, places, claimed):
        if word == "SOCKET_COUNT":
            return len({die for die, _, _ in places})
        if word == "DURATIONTIMEINMILLISECONDS":
            return claimed * 1000
        if word == "CORES_PER_SOCKET":
            return self._cores
        kind = BOXES_PER_SOCKET[word.removesuffix("_PER_SOCKET")]
        dies = len({die for die, _, _ in places})
        return sum(place[1] == kind for place in places) / dies

    def value(self, name, places, seconds, claimed):
        """Return a metric of boxes that counted for seconds(); claimed: the driver's seconds."""
        metric = self.metrics[name]
        names = {"DURATIONTIMEINSECONDS": claimed}
        for part in filter(None, metric["Where"].split("; ")):
            alias, _, what = part.partition("=")
            is_event = what.startswith("UNC_") or "/" in what
            names[alias] = self.count(what, places, seconds) if is_event else \
                self._constant(what, places, claimed)
        for nested in set(re.findall(r"(?<![\w.])[A-Za-z_]\w*", metric["Formula"])) - set(names):
            names[nested] = self.value(nested, places, seconds, claimed)
        try:
            return eval(metric["Formula"], {"__builtins__": {}}, names)
        except ZeroDivisionError:
            return None


def one_second(die, box):
    """A counting time for Promise.count() and Promise.value()."""
    return 1.0


def spelled(metric):
    """Return a metric's name for option -M, with a value for an open parameter."""
    left_open = re.search(r"(band\d)=N/", metric["Where"])
    return metric["Metric"] + (f":{left_open[1]}={BAND}" if left_open else "")


def stat(machine, promise, names, *options):
    """Return the rows of the metrics, the rows of their counting times, and the model's times."""
    clocks = {die: CLOCK.format(die) for die in promise.dies if promise.clock_beside}
    metrics = ",".join(spelled(promise.metrics[name]) for name in names)
    mark = machine.truth_length()
    out = machine.sh(f"ucoretool stat -j --no-rotate --timeout 300 {' '.join(options)} "
                     f"{'-e ' * bool(clocks)}{','.join(clocks.values())} "
                     f"-M {metrics} -M '{promise.time}'")
    rows = [json.loads(line) for line in out.splitlines()]
    run = FirstRun(machine, mark)
    for die, event in clocks.items():
        clock = next(row for row in rows if row.get("event") == event)
        wrong = run.difference(promise.clock, die, FIXED, {}, clock["count"], promise.platform)
        assert not wrong, wrong
    return ([row for row in rows if row.get("metric", "time") != "time"],
            [row for row in rows if row.get("metric") == "time"], run)


def claimed_of(row, times):
    """Return the counting time that the driver reports."""
    def is_there(time):
        if "box" in row:
            return time["die"] == row["die"]
        return "socket" not in row or time.get("socket") == row["socket"]
    return max(time["value"] for time in times if is_there(time))


def model_time_of(time, promise, run):
    """Return the counting time of the same die in the model, or the longest of all dies."""
    die = time.get("die", time.get("socket"))
    return max(run.least_seconds(each, promise.clock)
               for each in (promise.dies if die is None else [die]))


def difference(promise, row, run, claimed):
    """Return "" if a value agrees with formula and rates, otherwise a text."""
    places = promise.boxes
    if "box" in row:
        places = [place for place in places if place[0] == row["die"] and
                  f"{place[1]}{place[2]}" == row["box"]]
    elif "socket" in row:
        places = [place for place in places if place[0] == row["socket"]]
    limits = [promise.value(row["metric"], places, seconds, claimed)
              for seconds in (least_of(run), most_of(run))]
    return outside(row, limits)


def least_of(run):
    """Return a function of die and box: the least possible counting time (s)."""
    return lambda die, box: (run.limits_of_unfrozen(die)[0] if box.startswith("imc_free") else
                             run.least_seconds(die, box))


def most_of(run):
    """Return a function of die and box: the longest possible counting time (s)."""
    return lambda die, box: (run.limits_of_unfrozen(die)[1] if box.startswith("imc_free") else
                             run.most_seconds(die, box))


def outside(row, limits):
    """Return "" if the value of a row is between two limits, otherwise a text."""
    have = row.get("value")
    if None in limits or have is None:
        return "" if limits == [have] * 2 else f"{row}: {limits} is due"
    least, most = min(limits), max(limits)
    is_near = least - TOLERANCE * abs(least) <= have <= most + TOLERANCE * abs(most)
    return "" if is_near else f"{row}: {limits} is due"


def differences(machine, promise, names, *options):
    """Check several metrics at once, or fewer if there are too few counters.

    Return a text for each difference, and add the ratios of the driver's times to the model's
    to promise.ratios.
    """
    try:
        rows, times, run = stat(machine, promise, names, *options)
    except CommandFailed:
        if len(names) == 1:
            raise
        return [text for some in (names[::2], names[1::2])
                for text in differences(machine, promise, some, *options)]
    missing = set(names) - {row["metric"] for row in rows}
    if missing:
        return [f"no value of {missing}"]
    promise.ratios += [time["value"] / model_time_of(time, promise, run) for time in times]
    return [text for text in (difference(promise, row, run, claimed_of(row, times))
                              for row in rows) if text]


def assert_times(ratios):
    """Check the ratios of the driver's times to those of the model."""
    assert len(ratios) >= 2 and abs(statistics.median(ratios) - 1) < TIME_TOLERANCE, ratios


@test(MACHINES, timeout=400)
def metrics_match_their_formulas(m):
    m.run("have")       # the self-tests of the boxes are no runs of the session
    promise = Promise(m)
    assert len(promise.metrics) >= LEAST, promise.metrics
    names = sorted(promise.metrics)
    assert_equal([text for at in range(0, len(names), AT_ONCE) for text in
                  differences(m, promise, names[at:at + AT_ONCE], "--per-socket")])
    assert_times(promise.ratios)


@test(("e2-2s", "skx-2s", "spr-2s"))
def metrics_cover_the_system_and_each_box(m):
    promise = Promise(m)
    names = ["memory_bandwidth_read", "uncore_frequency", "llc_miss_latency", "io_bandwidth_read"]
    assert_equal([text for option in ("", "--per-box")
                  for text in differences(m, promise, names, option)])
    assert_times(promise.ratios)


def hbm_and_ddr(m, kinds):
    """Compare the bandwidths with the model's rates: 64 bytes for a command of DDR, 32 of HBM."""
    m.run("have")
    promise = Promise(m)
    assert {kind for _, kind, _ in promise.boxes if kind in ("imc", "mchbm")} == set(kinds)
    names = [f"{name}_bandwidth_{way}" for name in ("memory", *(kinds[kind] for kind in kinds))
             for way in ("read", "write", "total")]
    rows = [json.loads(line) for line in m.sh(
        f"ucoretool stat -j --timeout 300 --per-socket -M {','.join(names)}").splitlines()]
    values = {row["metric"]: row["value"] for row in rows if "metric" in row}
    size = {"imc": 64, "mchbm": 32}
    due = {}
    for way, events in (("read", ("RD",)), ("write", ("WR",)), ("total", ("RD", "WR"))):
        for kind, name in kinds.items():
            head = "UNC_M" if kind == "imc" else "UNC_MCHBM"
            rate = sum(promise.count(f"{head}_CAS_COUNT.{event}", promise.boxes, one_second)
                       for event in events)
            due[f"{name}_bandwidth_{way}"] = rate * size[kind] / 1e6
        due[f"memory_bandwidth_{way}"] = sum(
            due[f"{name}_bandwidth_{way}"] for name in kinds.values())
    assert values.keys() == due.keys(), (values, due)
    wrong = {name: (value, due[name]) for name, value in values.items()
             if abs(value / due[name] - 1) > 0.02}
    assert not wrong, wrong
    boxes = [line.split()[0] for line in m.sh("ucoretool top --batch --count 1 memory").splitlines()
             if line.startswith("  ")]
    assert sorted(boxes) == sorted(f"{kind}{instance}" for _, kind, instance in promise.boxes
                                   if kind in kinds), boxes
    page = m.sh("ucoretool export --textfile - --count 1 --collect memory")
    assert page.count('memory="hbm"') == 2 * sum(kind == "mchbm" for _, kind, _ in promise.boxes)
    return page


@test("spr-1s", settings={"boxes.mchbm": "32", "boxes.imc": "0"})
def hbm_alone_is_the_memory_bandwidth(m):
    page = hbm_and_ddr(m, {"mchbm": "hbm"})
    assert "ucore_memory_read_bytes_total" in page
    result = m.run("ucoretool stat --timeout 1 -M ddr_bandwidth_total", check=False)
    assert result.status == 2 and "this machine has no imc" in result.err, result.err


@test("spr-1s", settings={"boxes.mchbm": "4", "boxes.imc": "2"})
def hbm_and_ddr_add_up_to_the_memory_bandwidth(m):
    hbm_and_ddr(m, {"imc": "ddr", "mchbm": "hbm"})


@test("spr-2s")
def metrics_share_one_read(m):
    """One session with one READ serves all metrics with the same counts as the events alone."""
    chosen = "memory_bandwidth_total,upi_data_transmit_bw,uncore_frequency"
    events = "imc/CAS_COUNT.RD/,imc/CAS_COUNT.WR/,upi/TxL_FLITS.ALL_DATA/,cha/CLOCKTICKS/"

    def accesses(option):
        out = m.sh(f"ucoretool stat -j -I 50 --count 4 {option}").splitlines()
        summary = json.loads(out[-1])["summary"]
        assert summary["reads"] == 4, summary
        return summary["register_reads"], summary["register_writes"]
    assert_equal([] if accesses(f"-M {chosen}") == accesses(f"-e {events}") else
                 [accesses(f"-M {chosen}"), accesses(f"-e {events}")])


@test(("e2-2s", "skx-2s", "spr-2s", "gnr-2s"))
def readbw_example_matches_the_metric(m):
    """readbw prints the value of the metric each second; a busy host makes seconds long or
    short."""
    promise = Promise(m)
    due = promise.value("memory_bandwidth_read", promise.boxes, one_second, 1.0)
    example = m.spawn("exec readbw", timeout=120)

    def values():
        return [float(line.split()[0]) for line in example.output().split("\n")[:-1]]

    def is_near():
        return example.done or values() and abs(statistics.median(values()) / due - 1) < 0.02
    try:
        m.wait_until(lambda: example.done or len(values()) >= 3, timeout=30, what="three seconds")
        m.wait_until(is_near, timeout=10, what=f"{due:.1f} MB/s, which follow {values()}")
    finally:
        example.kill(9)
        ended = example.wait(check=False)
    assert ended.status == -9, ended.err
    lines = m.run("readbw 1").out.splitlines()
    assert len(lines) == 1, lines
