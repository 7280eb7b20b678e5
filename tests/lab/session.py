# SPDX-License-Identifier: GPL-2.0-only
"""A session driven command by command (guest/programs/session.c), and its truth.

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
from lab.truth import totals_of

FIXED = "fixed"
FIXED_BIT = 1 << 32         # UCORE_COUNTER_FIXED

# ucore.h
SAMPLE, LOST, GAP, TASKS = 1, 2, 3, 4
TRIGGER_OVERFLOW, TRIGGER_TIMER, TRIGGER_CORE = 0, 1, 2
SAMPLE_CONTEXT, SAMPLE_USER, SAMPLE_RECOVERED, SAMPLE_THROTTLED, SAMPLE_POLLED = 1, 2, 4, 8, 16
VALUE_OVERFLOW, VALUE_DEAD, VALUE_UNFROZEN, VALUE_GAP, VALUE_CHANGED = 1, 2, 8, 32, 128
SAMPLE_GAP, SAMPLE_STRETCHED = 32, 64
GAP_BOX_DEAD, GAP_SUSPEND, GAP_RESUME, GAP_FROZEN, GAP_CONFLICT = 3, 4, 5, 6, 7
BOX_OVERFLOW, BOX_DEAD, BOX_FREE_RUNNING = 1, 8, 16
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
    """What is done within is refused with this errno."""
    try:
        yield
    except Refused as refusal:
        assert refusal.errno == number, refusal
    else:
        raise AssertionError(f"accepted, {errno.errorcode[number]} was due")


def interrupting(period):
    """A period for add() that must end by an interrupt, or be refused."""
    return f"{period}!"


@dataclasses.dataclass(frozen=True)
class Counter:
    """Where an event counts, in the model's words."""
    die: int
    box: str
    ctr: object         # number, or FIXED

    def __str__(self):
        return f"{self.box}.{self.ctr} of die {self.die}"


class Session:
    """A process with one session; closing it ends both.

    cpu    where it runs
    boxes  False: do not list them, which takes seconds when there are a thousand
    names  boxes that the driver and the model call differently: driver's -> model's
    box_freeze  it freezes its own boxes, not the die
    tasks  its samples tell which tasks ran
    full_reads  both dwords of PCI counters are always read
    rotate_ns   turns of groups; group=N is the first field of their events
    readers   so many CPUs of each die read it
    """

    def __init__(self, machine, timer_ns=0, ring=0, full_reads=False, wakeup=0, cpu=None,
                 boxes=True, names=None, box_freeze=False, tasks=False, rotate_ns=0,
                 readers=0):
        self.machine = machine
        pinned = "" if cpu is None else f"taskset {1 << cpu:x} "
        self._process = machine.spawn(f"exec {pinned}session", fed=True)
        self._answered = 0
        self._answers(1)
        self.boxes = self.command("boxes")["boxes"] if boxes else []
        for box in self.boxes:
            box["name"] = (names or {}).get(box["name"], box["name"])
        self.ids = {(box["die"], box["name"]): box["box"] for box in self.boxes}
        self.caps = {(box["die"], box["name"]): box["caps"] for box in self.boxes}
        self.events = {}        # event id -> Counter
        self.base = None        # totals from which the counts go on
        self._begun = 0         # mark of the first start
        self._stops = {}        # die -> the freeze of STOP itself, known to freezes()
        self.command(f"create timer={timer_ns} ring={ring} wakeup={wakeup}"
                     + (f" rotate={rotate_ns}" if rotate_ns else "")
                     + (f" readers={readers}" if readers else "")
                     + (" full-reads" if full_reads else "") + (" boxes" if box_freeze else "")
                     + (" tasks" if tasks else ""))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._process.kill(9)
        self._process.wait(timeout=30, check=False)

    @property
    def platform(self):
        """The generation of the machine, as the model names it."""
        return args.Scenario(self.machine.scenario).platform

    # ---- commands ----

    def command(self, line):
        """One command; its answer, or Refused."""
        return self.commands([line])[0]

    def ask(self, *lines):
        """Commands whose answers are not waited for."""
        self._process.feed("".join(f"{line}\n" for line in lines))

    def answered(self, count=1):
        """The answers to what was asked, errors too."""
        return self._answers(count)

    def commands(self, lines):
        """Commands in one go, so that little time passes between them."""
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
        """Returns the event's id."""
        return self.add_all([(box, die, counter, period, fields)])[0]

    def add_all(self, wanted):
        """wanted: (box, die, counter, period, fields) each."""
        answers = self.commands([self._add_line(*event) for event in wanted])
        for (box, die, *_), answer in zip(wanted, answers):
            self.events[answer["event"]] = Counter(die, box, self._name(box, answer["counter"]))
        return [answer["event"] for answer in answers]

    def fill(self, **fields):
        """The same event on every counter there is; how many."""
        terms = " ".join(f"{name}={value}" for name, value in fields.items())
        filled = self.command(f"fill {terms}")["events"]
        places = [Counter(box["die"], box["name"], ctr) for box in self.boxes
                  if not box["caps"] & BOX_FREE_RUNNING
                  for ctr in [*range(box["counters"]), *[FIXED] * box["fixed"]]]
        # ids are given in order, and nothing was added before
        self.events = dict(enumerate(places))
        return filled

    def _add_line(self, box, die, counter, period, fields):
        bits = 0 if counter is None else self._bit(counter)
        terms = " ".join(f"{name}={value}" for name, value in fields.items())
        return f"add {self.ids[die, box]} {bits} {period} {terms}"

    @staticmethod
    def _name(_, number):
        """A counter of a box, by the driver's number."""
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
        """The records since the last drain(), each die's in order."""
        return self.command("drain")["records"]

    # ---- the truth ----

    def _totals(self):
        return dict(enumerate(totals_of(self.machine)))

    def _frozen(self, mark):
        return frozen_totals(self.machine, mark)

    def _freezes(self, mark):
        return freezes_since(self.machine, mark)

    def read_exactly(self):
        """A frozen read, compared with the model at the instant of its freeze."""
        mark = self.machine.truth_length()
        answer = self.read()
        frozen = self._frozen(mark)
        assert_equal(self.differences(answer["values"], frozen))
        return answer

    def reset_exactly(self):
        """Counts go on from zero: from what the model says at that instant."""
        mark = self.machine.truth_length()
        self.command("reset")
        self.base = self._frozen(mark)

    def stop_exactly(self):
        """STOP, after which its counts are compared with the model; what it answers then."""
        self.stop()
        answer = self.read()
        assert_equal(self.differences(answer["values"], self.stopped_totals()))
        return answer

    def stopped_totals(self):
        """Die -> totals, it being stopped.

        What no freeze reaches was read last in STOP's, and switched off a moment later.
        """
        # the freezes first: other dies may go on meanwhile, and do not matter
        freezes = self._freezes(self._begun)
        totals = self._totals()
        for freeze in freezes:
            now = totals[freeze["socket"]]
            for key, read in totals_at(freeze).items():
                if isinstance(read, range):
                    now[key] = range(read.start, bounds(now[key])[1] + 1)
        return totals

    def forget_unread(self, dies):
        """Before dies that were stopped count again: what nobody read any more is lost."""
        stopped = self.stopped_totals()
        for at in self.events.values():
            read = stopped[at.die][at.box, at.ctr]
            if at.die in dies and isinstance(read, range):
                base = self.base[at.die]
                low, high = bounds(base[at.box, at.ctr])
                base[at.box, at.ctr] = range(low, high + len(read))

    def true_count(self, event, totals):
        """What an event must say when the counters of its die stand at totals.

        None if it did not count then, a range if no freeze reaches it.
        """
        at = self.events[event]
        key = at.box, at.ctr
        total = totals[at.die].get(key)
        return None if total is None else less(total, self.base[at.die][key])

    def differences(self, values, totals):
        """Text for each value that is not what totals (die -> counters) say."""
        return [f"{self.events[v['event']]} says {v['count']}, flags {v['flags']:#x}, truth {true}"
                for v in values
                if not agrees(v, true := self.true_count(v["event"], totals))]

    def freezes(self, mark):
        """The freezes since mark in which its counters counted, but for STOP's own.

        STOP may also come while the die is frozen by an overflow, which is sampled then;
        sampled() finds out whether it sampled something else that was due.
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
        """The freeze in which a read was made: the counts tell."""
        for freeze in freezes:
            die = freeze["socket"]
            of_die = [v for v in answer["values"] if self.events[v["event"]].die == die]
            if of_die and not self.differences(of_die, {die: totals_at(freeze)}):
                return freeze
        raise AssertionError(f"no freeze had the counts of {answer}")

    def sample_differences(self, records, freezes):
        """Samples against the freezes they were taken in, by their order."""
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
        """Freezes of which samples were taken, or should have been, die by die as the samples."""
        return [freeze for die in sorted({at.die for at in self.events.values()})
                for freeze in self._sampled(die, [s for s in samples if s["domain"] == die],
                                            freezes)]

    def _sampled(self, die, samples, freezes):
        """The same of one die.

        A pause of overflows that came too fast ends with a freeze in which counters are armed
        again: it has none, unless an overflow waited. STOP's freeze has one if a polled period
        is over then, or an instant of the timer is due.
        """
        found, rest = [], [freeze for freeze in freezes if freeze["socket"] == die]
        if len(samples) == len(rest) + 1 and (samples[-1]["flags"] & SAMPLE_POLLED or
                                              samples[-1]["trigger"] == TRIGGER_TIMER):
            rest.append(self._stops[die])
        throttled = False
        for sample in samples:
            if throttled and rest and rest[0]["reason"] != "overflow" and \
                    self.differences(sample["values"], {rest[0]["socket"]: totals_at(rest[0])}):
                rest.pop(0)
                throttled = False
            found += rest[:1]
            del rest[:1]
            throttled |= bool(sample["flags"] & SAMPLE_THROTTLED)
        return found + (rest[1:] if throttled and rest and rest[0]["reason"] != "overflow" else rest)

    def _around(self, first, samples, truths):
        """Lines on the samples and freezes next to the first difference."""
        near = slice(max(0, first - 2), first + 3)
        lines = [f"sample {s['seq']} on CPU {s['cpu']} at {s['time']}, trigger {s['trigger']}"
                 f" event {s['trigger_event']}, flags {flag_names(s['flags'])}, overflowed: "
                 + (" ".join(str(self.events[event]) for event in sorted(flagged(s))) or "none")
                 for s in samples[near]]
        return lines + [f"freeze {f['seq']} at {f['t']}, {f['reason']} {' '.join(f['cause'])}"
                        for f in truths[near]]


class Differences(list):
    """Texts, and what stood around the first of them."""

    def __init__(self):
        super().__init__()
        self.context = []


def flag_names(flags):
    known = {SAMPLE_CONTEXT: "context", SAMPLE_USER: "user", SAMPLE_RECOVERED: "recovered",
             SAMPLE_THROTTLED: "throttled", SAMPLE_POLLED: "polled",
             SAMPLE_GAP: "gap", SAMPLE_STRETCHED: "stretched"}
    rest = flags & ~sum(known)
    return "|".join([name for bit, name in known.items() if flags & bit]
                    + [f"{rest:#x}"] * bool(rest)) or "none"


def once_per_freeze(samples):
    """Without further samples of a die that stays frozen: on a busy host it is throttled."""
    return [later for earlier, later in zip([None, *samples], samples)
            if not (earlier and later["flags"] & SAMPLE_THROTTLED and
                    earlier["time"] == later["time"] and
                    [v["count"] for v in earlier["values"]] ==
                    [v["count"] for v in later["values"]])]


# ---- freezes ----

def freezes_since(machine, mark):
    """The freezes in the model's log, each with "until": when it ended; now, if it has not."""
    lines = machine.truth(since=mark)
    frozen_ns = {line["seq"]: line["frozen_ns"] for line in lines if line["ev"] == "unfreeze"}
    freezes = [line for line in lines if line["ev"] == "freeze"]
    for freeze in freezes:
        ns = frozen_ns.get(freeze["seq"])
        freeze["until"] = machine.oracle("state")["t"] if ns is None else freeze["t"] + ns
    return freezes


def totals_at(freeze):
    """(box, counter) -> total.

    Where a freeze is made of the words of boxes each counter stands at what it was at its own
    box's word. The UBox has none and counts on: the range in which it was read.
    """
    return {(c["box"], c["ctr"]): c["total"] if is_frozen(freeze, c["box"]) else
            range(c["total"], c["total"] + c["rate"] * (freeze["until"] - freeze["t"])
                  // 1000000000 + 2)
            for c in freeze["counters"]}


def is_frozen(freeze, box):
    return freeze["reason"] != "boxes" or not box.startswith("ubox")


def bounds(total):
    """Lowest and highest of a number or a range."""
    return (total[0], total[-1]) if isinstance(total, range) else (total, total)


def less(total, base):
    """total - base; either may be a range."""
    if not isinstance(total, range) and not isinstance(base, range):
        return total - base
    (low, high), (base_low, base_high) = bounds(total), bounds(base)
    return range(low - base_high, high - base_low + 1)


def agrees(value, true):
    """Is a value right, and does it say whether a freeze reached it?"""
    if isinstance(true, range):
        return value["count"] in true and bool(value["flags"] & VALUE_UNFROZEN)
    return value["count"] == true and not value["flags"] & VALUE_UNFROZEN


def frozen_totals(machine, mark, first=False):
    """Die -> totals at the one freeze that each die had since mark, or at the first."""
    freezes = freezes_since(machine, mark)
    dies = [freeze["socket"] for freeze in freezes]
    assert first or len(dies) == len(set(dies)), f"dies frozen more than once: {dies}"
    freezes = freezes[::-1] if first else freezes
    return {freeze["socket"]: totals_at(freeze) for freeze in freezes}


def frozen_windows(machine, mark):
    """Die -> (freeze, unfreeze) instants since mark; None: it was frozen before."""
    windows, since = {}, {}
    for line in machine.truth(since=mark):
        if line["ev"] == "freeze":
            since[line["socket"]] = line["t"]
        elif line["ev"] == "unfreeze":
            windows.setdefault(line["socket"], []).append(
                (since.get(line["socket"]), line["t"]))
    return windows


# A guard looks at the status of each die once a second.  Between two looks of the oracle pass
# tens of milliseconds, on a busy host hundreds.
GUARD_TRIES = 50


def accesses_of(machine, session, command, tries=GUARD_TRIES):
    """Register accesses of a command, by kind, and what the session says itself.

    If a guard looked meanwhile there are more, which are no session's: then again.
    """
    def now():
        status = session.status()
        return {**machine.oracle("accesses")["total"], "told_reads": status["reads"],
                "told": status["reads"] + status["writes"]}
    for _ in range(tries):
        before = now()
        session.command(command)
        after = now()
        made = {kind: after[kind] - before[kind] for kind in after}
        if made["all"] == made["told"]:
            break
    return made


# What one box takes at most: five counters of two dwords
BOX_ACCESSES = 10


def read_by(machine, session):
    """Accesses of each CPU in a READ, and how many have parallel_reads.

    If a guard looked meanwhile there are more, which are no session's: then again.
    """
    def now():
        status = session.status()
        return ([cpu["pmon"] for cpu in machine.oracle("cpus")["cpus"]],
                status["reads"] + status["writes"], status["parallel_reads"])
    for _ in range(GUARD_TRIES):
        before, told, parallel_reads = now()
        session.read()
        after, told_after, helped_after = now()
        made = [new - old for old, new in zip(before, after)]
        if sum(made) == told_after - told:
            return made, helped_after - parallel_reads
    raise AssertionError((made, told_after - told))


def die_of(machine, die):
    """What `ucoretool info` says of a die."""
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
    """Drains a running session until enough(samples); stops it; returns all samples."""
    records = []

    def more():
        records.extend(session.drain())
        return enough(samples_in(records))
    machine.wait_until(more, timeout=timeout, what="samples")
    session.stop()
    records += session.drain()
    records.sort(key=lambda record: record["domain"])      # stable: each die's in order
    assert_numbered(records)
    return samples_in(records)


def assert_numbered(records):
    """No record is missing but those of which a LOST record tells.

    These found no room, which STATUS tells, or were a timer's periods that a busy host dropped.
    """
    expected = {}
    for record in records:
        die = record["domain"]
        assert record["seq"] == expected.get(die, 0) + record.get("lost", 0), (record, expected)
        expected[die] = record["seq"] + 1


def assert_taken(session, samples):
    """Of a stopped session, all read: what is not among the samples are dropped periods."""
    status, dropped = session.status(), session.budget()["dropped"]
    assert status["lost"] == dropped, (status, dropped)
    assert status["samples"] == len(samples) + dropped, (len(samples), status)
