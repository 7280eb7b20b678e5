# SPDX-License-Identifier: GPL-2.0-only
"""A session driven by single commands (guest/programs/session.c), and its comparison with the
model.

    with Session(m) as s:
        s.add("imc0", die=1, counter=2, event=0x04, umask=0x03)
        s.start()
        s.read_exactly()        # fails unless equal to the model's counters
"""

import contextlib
import dataclasses
import errno
import json

from lab.qemu import args
from lab.truth import FIXED, totals_of

FIXED_BIT = 1 << 32         # UCORE_COUNTER_FIXED

# ucore.h
SAMPLE, LOST, GAP, TASKS = 1, 2, 3, 4
TRIGGER_OVERFLOW, TRIGGER_TIMER, TRIGGER_CORE = 0, 1, 2
SAMPLE_CONTEXT, SAMPLE_USER, SAMPLE_RECOVERED, SAMPLE_THROTTLED, SAMPLE_POLLED = 1, 2, 4, 8, 16
VALUE_OVERFLOW, VALUE_DEAD, VALUE_OFFLINE, VALUE_UNFROZEN = 1, 2, 4, 8
VALUE_GAP, VALUE_CONFLICT = 32, 128
SAMPLE_GAP, SAMPLE_DELAYED, SAMPLE_FROZEN = 32, 64, 128
GAP_READER_MOVED, GAP_OFFLINE, GAP_ONLINE, GAP_BOX_DEAD = 0, 1, 2, 3
GAP_SUSPEND, GAP_RESUME, GAP_FROZEN, GAP_CONFLICT = 4, 5, 6, 7
BOX_OVERFLOW, BOX_DEAD, BOX_FREE_RUNNING, BOX_ABSENT = 1, 8, 16, 64
EVENT_NONE = 0xffffffff

MS = 1000000
US = 1000


class Refused(Exception):
    """The driver answered with an errno."""

    def __init__(self, command, number):
        super().__init__(f"{command}: {errno.errorcode.get(number, number)}")
        self.errno = number


@contextlib.contextmanager
def refused(number):
    """Context manager: the command inside must be refused with this errno."""
    try:
        yield
    except Refused as refusal:
        assert refusal.errno == number, refusal
    else:
        raise AssertionError(f"accepted, {errno.errorcode[number]} was due")


def interrupting(period):
    """Return a period for add() that requires an interrupt and is otherwise refused."""
    return f"{period}!"


@dataclasses.dataclass(frozen=True)
class Counter:
    """Place where an event counts, in the names of the model."""
    die: int
    box: str
    ctr: object         # number, or FIXED

    def __str__(self):
        return f"{self.box}.{self.ctr} of die {self.die}"


class Session:
    """A process of the guest with one session; closing ends both.

    cpu         CPU of the process
    boxes       False: do not list the boxes, which takes seconds for a thousand boxes
    names       boxes that have different names: driver's name -> model's name
    box_freeze  freeze only the session's boxes, not the die
    tasks       samples list the tasks that ran
    full_reads  always read both dwords of PCI counters
    no_pmi      overflows need no PMI
    multiplex   count in turns with other sessions that agree
    rotate_ns   time slice of groups; group=N is the first field of their events
    readers     number of CPUs of each die that read in parallel
    """

    def __init__(self, machine, timer_ns=0, ring=0, full_reads=False, wakeup=0, cpu=None,
                 boxes=True, names=None, box_freeze=False, tasks=False, rotate_ns=0,
                 readers=0, no_pmi=False, multiplex=False):
        self.machine = machine
        pinned = "" if cpu is None else f"taskset {1 << cpu:x} "
        self._process = machine.spawn(f"exec {pinned}session", fed=True)
        self._answered = 0
        self._answers(1)
        self.listed = self.command("boxes")["boxes"] if boxes else []
        for box in self.listed:
            box["name"] = (names or {}).get(box["name"], box["name"])
        self.boxes = [box for box in self.listed if not box["caps"] & BOX_ABSENT]
        self.ids = {(box["die"], box["name"]): box["box"] for box in self.listed}
        self.caps = {(box["die"], box["name"]): box["caps"] for box in self.boxes}
        self.events = {}        # event id -> Counter
        self.base = None        # totals that correspond to counts of zero
        self._begun = 0         # position in the model's log at the first start
        self._stops = {}        # die -> the freeze of STOP itself, which freezes() leaves out
        self.watchdog = None    # a Watchdog, if accesses are counted (accesses.py)
        self.command(f"create timer={timer_ns} ring={ring} wakeup={wakeup}"
                     + (f" rotate={rotate_ns}" if rotate_ns else "")
                     + (f" readers={readers}" if readers else "")
                     + (" full-reads" if full_reads else "") + (" boxes" if box_freeze else "")
                     + (" tasks" if tasks else "") + (" no-pmi" if no_pmi else "")
                     + (" multiplex" if multiplex else ""))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._process.kill(9)
        self._process.wait(timeout=30, check=False)

    @property
    def platform(self):
        """Return the generation of the machine, as named by the model."""
        return args.Scenario(self.machine.scenario).platform

    # ---- commands ----

    def command(self, line):
        """Send one command and return its answer; raise Refused on an error."""
        return self.commands([line])[0]

    def ask(self, *lines):
        """Send commands without waiting for their answers."""
        self._process.feed("".join(f"{line}\n" for line in lines))

    def answered(self, count=1):
        """Return the answers to the commands of ask(), including errors."""
        return self._answers(count)

    def commands(self, lines):
        """Send several commands in one write, so that they run closely one after the other."""
        self.ask(*lines)
        answers = self._answers(len(lines))
        for line, answer in zip(lines, answers):
            if answer["errno"]:
                raise Refused(line, answer["errno"])
        return answers

    def _answers(self, count):
        def lines():
            found = self._process.output().split("\n")[self._answered:-1]
            if len(found) < count and self._process.done:
                raise AssertionError(f"session ended: {self._process.wait(check=False).err}")
            return found if len(found) >= count else None
        found = self.machine.wait_until(lines, timeout=60, what="answer of the session")
        self._answered += count
        return [json.loads(line) for line in found]

    # ---- events ----

    def add(self, box, die=0, counter=None, period=0, **fields):
        """Add an event; return its id."""
        return self.add_all([(box, die, counter, period, fields)])[0]

    def add_all(self, wanted):
        """Add several events; wanted: (box, die, counter, period, fields) each."""
        answers = self.commands([self._add_line(*event) for event in wanted])
        for (box, die, *_), answer in zip(wanted, answers):
            self.events[answer["event"]] = Counter(die, box, self._name(box, answer["counter"]))
        return [answer["event"] for answer in answers]

    def fill(self, **fields):
        """Add the same event on every counter; return the number of events."""
        terms = " ".join(f"{name}={value}" for name, value in fields.items())
        filled = self.command(f"fill {terms}")["events"]
        places = [Counter(box["die"], box["name"], ctr) for box in self.boxes
                  if not box["caps"] & BOX_FREE_RUNNING
                  for ctr in [*range(box["counters"]), *[FIXED] * box["fixed"]]]
        # ids are assigned in order, and the session had no events
        self.events = dict(enumerate(places))
        return filled

    def _add_line(self, box, die, counter, period, fields):
        bits = 0 if counter is None else self._bit(counter)
        terms = " ".join(f"{name}={value}" for name, value in fields.items())
        return f"add {self.ids[die, box]} {bits} {period} {terms}"

    @staticmethod
    def _name(_, number):
        """Return the model's name of a counter of a box."""
        return FIXED if number >= 32 else number

    @staticmethod
    def _bit(counter):
        return FIXED_BIT if counter == FIXED else 1 << counter

    # ---- running ----

    def start(self):
        if self.base is None:
            self.base = self._totals()
            self._begun = self.machine.truth_length()
        else:
            self.forget_unread({at.die for at in self.events.values()})
        self.command("start")

    def start_beside(self):
        """START on dies on which other sessions count, perhaps by the same counters."""
        mark = self.machine.truth_length()
        self.command("start")
        self.base = self._frozen(mark)

    def stop(self):
        self.command("stop")

    def read(self):
        return self.command("read")

    def live(self):
        return self.command("live")

    def status(self):
        return self.command("status")

    def budget(self):
        return self.command("budget")

    def drain(self):
        """Return the records since the last drain(), in order for each die."""
        return self.command("drain")["records"]

    # ---- Comparison with the model ----

    def _totals(self):
        return dict(enumerate(totals_of(self.machine)))

    def _frozen(self, mark):
        return frozen_totals(self.machine, mark)

    def _freezes(self, mark):
        return freezes_since(self.machine, mark)

    def read_exactly(self):
        """READ with a freeze, and compare with the model at the time of the freeze."""
        mark = self.machine.truth_length()
        answer = self.read()
        frozen = self._frozen(mark)
        assert_equal(self.differences(answer["values"], frozen))
        return answer

    def reset_exactly(self):
        """Reset the counts; expect counts from the model's totals at that time on."""
        mark = self.machine.truth_length()
        self.command("reset")
        self.base = self._frozen(mark)

    def stop_exactly(self):
        """STOP, compare the counts with the model, and return them."""
        self.stop()
        answer = self.read()
        assert_equal(self.differences(answer["values"], self.stopped_totals()))
        return answer

    def stop_beside(self):
        """STOP while other sessions count by the same counters; compare with the freeze of STOP."""
        mark = self.machine.truth_length()
        self.stop()
        assert_equal(self.differences(self.read()["values"], self._frozen(mark)))

    def stopped_totals(self):
        """Return die -> totals of a stopped session.

        Counters without a freeze were read during STOP and disabled shortly afterwards.
        """
        # The freezes of the reset come first. Later freezes of other dies are irrelevant.
        freezes = self._freezes(self._begun)
        totals = self._totals()
        for freeze in freezes:
            now = totals[freeze["socket"]]
            for key, read in totals_at(freeze).items():
                if isinstance(read, range):
                    now[key] = range(read.start, bounds(now[key])[1] + 1)
        return totals

    def forget_unread(self, dies):
        """Forget counts that were not read before a stopped die counts again, because they are
        lost."""
        stopped = self.stopped_totals()
        for at in self.events.values():
            read = stopped[at.die][at.box, at.ctr]
            if at.die in dies and isinstance(read, range):
                base = self.base[at.die]
                low, high = bounds(base[at.box, at.ctr])
                base[at.box, at.ctr] = range(low, high + len(read))

    def true_count(self, event, totals):
        """Return the count that an event must have when the counters of its die are at @totals.

        None if the event did not count; a range if no freeze stops its counter.
        """
        at = self.events[event]
        key = at.box, at.ctr
        total = totals[at.die].get(key)
        return None if total is None else less(total, self.base[at.die][key])

    def differences(self, values, totals):
        """Return a text for each value that differs from @totals (die -> counters)."""
        return [f"{self.events[v['event']]} says {v['count']}, flags {v['flags']:#x}, truth {true}"
                for v in values
                if not agrees(v, true := self.true_count(v["event"], totals))]

    def freezes(self, mark):
        """Return the freezes since @mark in which the session's counters counted, without
        STOP's own.

        STOP may run while an overflow has frozen the die. The overflow is then sampled.
        sampled() determines whether STOP sampled another due period.
        """
        keys = {}
        for at in self.events.values():
            keys.setdefault(at.die, set()).add((at.box, at.ctr))
        by_die = {die: [] for die in keys}
        for freeze in self._freezes(mark):
            die = freeze["socket"]
            if die in keys and keys[die] <= totals_at(freeze).keys():
                by_die[die].append(freeze)
        self._stops = {die: freezes[-1] for die, freezes in by_die.items() if freezes}
        return [freeze for freezes in by_die.values() for freeze in freezes
                if freeze is not freezes[-1] or freeze["reason"] == "overflow"]

    def freeze_of(self, answer, freezes):
        """Return the freeze in which a read was made, identified by its counts."""
        for freeze in freezes:
            die = freeze["socket"]
            of_die = [v for v in answer["values"] if self.events[v["event"]].die == die]
            if of_die and not self.differences(of_die, {die: totals_at(freeze)}):
                return freeze
        raise AssertionError(f"no freeze had the counts of {answer}")

    def sample_differences(self, records, freezes):
        """Compare samples with their freezes, which are matched by order."""
        wrong = Differences()
        for die in sorted({at.die for at in self.events.values()}):
            samples = once_per_freeze([r for r in records
                                       if r["type"] == SAMPLE and r["domain"] == die])
            truths = self._sampled(die, samples, freezes)
            if len(samples) != len(truths):
                wrong.append(f"die {die}: {len(samples)} samples, {len(truths)} freezes")
            texts = [self.differences(sample["values"], {die: totals_at(freeze)})
                     for sample, freeze in zip(samples, truths)]
            for sample, found in zip(samples, texts):
                wrong += [f"sample {sample['seq']}: {text}" for text in found]
            first = next((i for i, found in enumerate(texts) if found), len(texts))
            if any(texts) or len(samples) != len(truths):
                wrong.context += self._around(first, samples, truths)
        return wrong

    def sampled(self, samples, freezes):
        """Return the freezes for which a sample exists or is missing, die by die."""
        return [freeze for die in sorted({at.die for at in self.events.values()})
                for freeze in self._sampled(die, [s for s in samples if s["domain"] == die],
                                            freezes)]

    def _sampled(self, die, samples, freezes):
        """Return these freezes of one die.

        A pause of overflows that came too fast ends with a freeze in which counters are armed
        again. That freeze has no sample unless an overflow was pending. STOP's freeze has a
        sample if a polled period has ended, or a timer period is due.
        """
        found, rest = [], [freeze for freeze in freezes if freeze["socket"] == die]
        throttled = False
        for sample in samples:
            if throttled and rest and rest[0]["reason"] != "overflow" and \
                    self.differences(sample["values"], {rest[0]["socket"]: totals_at(rest[0])}):
                rest.pop(0)
                throttled = False
            if not rest and sample is samples[-1] and may_be_of_stop(sample):
                rest.append(self._stops[die])
            found += rest[:1]
            del rest[:1]
            throttled |= bool(sample["flags"] & SAMPLE_THROTTLED)
        return found + (rest[1:] if throttled and rest and rest[0]["reason"] != "overflow" else rest)

    def _around(self, first, samples, truths):
        """Return lines on the samples and freezes around the first difference."""
        near = slice(max(0, first - 2), first + 3)
        lines = [f"sample {s['seq']} on CPU {s['cpu']} at {s['time']}, trigger {s['trigger']}"
                 f" event {s['trigger_event']}, flags {flag_names(s['flags'])}, overflowed: "
                 + (" ".join(str(self.events[event]) for event in sorted(flagged(s))) or "none")
                 for s in samples[near]]
        return lines + [f"freeze {f['seq']} at {f['t']}, {f['reason']} {' '.join(f['cause'])}"
                        for f in truths[near]]


class Differences(list):
    """Difference texts, with the context of the first one."""

    def __init__(self):
        super().__init__()
        self.context = []


def flag_names(flags):
    known = {SAMPLE_CONTEXT: "context", SAMPLE_USER: "user", SAMPLE_RECOVERED: "recovered",
             SAMPLE_THROTTLED: "throttled", SAMPLE_POLLED: "polled",
             SAMPLE_GAP: "gap", SAMPLE_DELAYED: "delayed"}
    rest = flags & ~sum(known)
    return "|".join([name for bit, name in known.items() if flags & bit]
                    + [f"{rest:#x}"] * bool(rest)) or "none"


def may_be_of_stop(sample):
    """Return true if STOP can take such a sample of a period that is due."""
    return bool(sample["flags"] & SAMPLE_POLLED) or sample["trigger"] == TRIGGER_TIMER


def once_per_freeze(samples):
    """Drop further samples of a die that stays frozen: a busy host throttles it."""
    return [later for earlier, later in zip([None, *samples], samples)
            if not (earlier and later["flags"] & SAMPLE_THROTTLED and
                    earlier["time"] == later["time"] and
                    [v["count"] for v in earlier["values"]] ==
                    [v["count"] for v in later["values"]])]


# ---- freezes ----

def add_apart(lines):
    """Let a freeze by the global control have the totals of the boxes that are frozen after it, by
    their box controls."""
    freezes = {}            # socket -> freeze in progress
    for line in lines:
        if line["ev"] == "freeze" and line["reason"] != "boxes":
            freezes[line["socket"]] = line
        elif line["ev"] == "box-freeze" and line["socket"] in freezes:
            freeze = freezes[line["socket"]]
            freeze["counters"] = [*(c for c in freeze["counters"] if c["box"] != line["box"]),
                                  *line["counters"]]
        elif line["ev"] == "unfreeze":
            freezes.pop(line["socket"], None)


def freezes_since(machine, mark):
    """Return the freezes of the model's log, with "until": the end, or now for a freeze in
    progress."""
    lines = machine.truth(since=mark)
    add_apart(lines)
    frozen_ns = {line["seq"]: line["frozen_ns"] for line in lines if line["ev"] == "unfreeze"}
    freezes = [line for line in lines if line["ev"] == "freeze"]
    for freeze in freezes:
        ns = frozen_ns.get(freeze["seq"])
        freeze["until"] = machine.oracle("state")["t"] if ns is None else freeze["t"] + ns
    return freezes


def totals_at(freeze):
    """Return (box, counter) -> total at a freeze.

    On platforms that freeze box by box, a counter has the total of its own box's freeze. The
    UBox is not frozen and has the range of its reading.
    """
    return {(c["box"], c["ctr"]): c["total"] if is_frozen(freeze, c["box"]) else
            range(c["total"], c["total"] + c["rate"] * (freeze["until"] - freeze["t"])
                  // 1000000000 + 2)
            for c in freeze["counters"]}


def is_frozen(freeze, box):
    return freeze["reason"] != "boxes" or not box.startswith("ubox")


def bounds(total):
    """Return the minimum and maximum of a number or a range."""
    return (total[0], total[-1]) if isinstance(total, range) else (total, total)


def less(total, base):
    """Return total - base; either may be a range."""
    if not isinstance(total, range) and not isinstance(base, range):
        return total - base
    (low, high), (base_low, base_high) = bounds(total), bounds(base)
    return range(low - base_high, high - base_low + 1)


def agrees(value, true):
    """Return true if a value is correct and its flag for unfrozen counters is correct."""
    if isinstance(true, range):
        return value["count"] in true and bool(value["flags"] & VALUE_UNFROZEN)
    return value["count"] == true and not value["flags"] & VALUE_UNFROZEN


def frozen_totals(machine, mark, first=False):
    """Return die -> totals at the one freeze of each die since @mark, or at the first freeze."""
    freezes = freezes_since(machine, mark)
    dies = [freeze["socket"] for freeze in freezes]
    assert first or len(dies) == len(set(dies)), f"dies frozen more than once: {dies}"
    freezes = freezes[::-1] if first else freezes
    return {freeze["socket"]: totals_at(freeze) for freeze in freezes}


def frozen_windows(machine, mark):
    """Return die -> (freeze, unfreeze) times since @mark; the freeze is None if it was before
    @mark."""
    windows, since = {}, {}
    for line in machine.truth(since=mark):
        if line["ev"] == "freeze":
            since[line["socket"]] = line["t"]
        elif line["ev"] == "unfreeze":
            windows.setdefault(line["socket"], []).append(
                (since.get(line["socket"]), line["t"]))
    return windows


def die_of(machine, die):
    """Return the entry of `ucoretool info` for a die."""
    return json.loads(machine.sh("ucoretool info -j"))["domains"][die]


def assert_equal(differences):
    context = getattr(differences, "context", [])
    assert not differences, "\n".join([f"{len(differences)} differences", *differences[:10],
                                       *["around the first:"] * bool(context), *context])


# ---- records ----

def samples_in(records):
    return [record for record in records if record["type"] == SAMPLE]


def flagged(sample):
    return {v["event"] for v in sample["values"] if v["flags"] & VALUE_OVERFLOW}


def sample_until(machine, session, enough, timeout=40):
    """Drain a running session until enough(samples) is true, stop the session, return all
    samples."""
    records = []

    def more():
        records.extend(session.drain())
        return enough(samples_in(records))
    machine.wait_until(more, timeout=timeout, what="samples")
    session.stop()
    records += session.drain()
    # the sort is stable and keeps the order of each die
    records.sort(key=lambda record: record["domain"])
    assert_numbered(records)
    return samples_in(records)


def assert_numbered(records):
    """Fail if a record is missing that no LOST record reports.

    Lost records found no room in the ring (reported by STATUS), or were timer periods that a
    busy host dropped.
    """
    expected = {}
    for record in records:
        die = record["domain"]
        assert record["seq"] == expected.get(die, 0) + record.get("lost", 0), (record, expected)
        expected[die] = record["seq"] + 1


def started_by_pmis(samples):
    """Return the samples that a PMI started; check that only STOP or the watchdog took others.

    STOP takes the sample of an overflow if it is earlier than the PMI. This is the last sample of a
    domain.
    """
    last = {sample["domain"]: sample["seq"] for sample in samples}
    for sample in samples:
        assert sample["flags"] & (SAMPLE_CONTEXT | SAMPLE_RECOVERED) \
            or sample["seq"] == last[sample["domain"]], sample
    return [sample for sample in samples if sample["flags"] & SAMPLE_CONTEXT]


def assert_taken(session, samples):
    """Fail if a sample of a stopped, drained session is missing that is no dropped period."""
    status, dropped = session.status(), session.budget()["dropped"]
    assert status["lost"] == dropped, (status, dropped)
    assert status["samples"] == len(samples) + dropped, (len(samples), status)
