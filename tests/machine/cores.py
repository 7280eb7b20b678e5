# SPDX-License-Identifier: GPL-2.0-only
"""Core counters in tests: module with core_pmu on, sessions, comparison with the model.

    with cores(m), CoreSession(m) as s:
        s.on(1, 0, event=0xc0)      # CPU 1, counter 0
        s.add("imc0", die=1, event=4, umask=3)
        s.start()
        s.read_exactly()

While such a session exists, the model's log has the core counters at each of their freezes
(record-cores; qemu/README.md, "The core PMU").
"""

import contextlib

from lab.coretruth import box_of, freezes_of, pmus, totals_at
from lab.qemu import core
from lab.session import (GAP, GAP_OFFLINE, GAP_ONLINE, MS, SAMPLE, TRIGGER_OVERFLOW,
                         VALUE_OFFLINE, Session, assert_equal, assert_taken, flagged,
                         frozen_totals, once_per_freeze, sample_until)
from lab.truth import totals_of
from machine.armed import WATCHDOG

NO_CPU = -1
STATUS_FIXED = 32
# MSR numbers, repeated here, so that a wrong number in the driver is detected
EVTSEL0, FIXED_CTL, STATUS, GLOBAL_CTRL, OVF_CTRL = 0x186, 0x38d, 0x38e, 0x38f, 0x390
BUFFER, CHANGED = 1 << 62, 1 << 63

# Machines with other core PMUs, as options of @test. The early version 2 reports no fixed
# counter and lacks two events, LLC references and branches. The narrow counters wrap in 1.6 s.
QUIET = {"cmdline": "nmi_watchdog=0", "perf": True}
BOOT = {
    "v1": {"settings": {"core.version": 1}, **QUIET},
    "v2": {"settings": {"core.version": 2, "core.edx": 0, "core.unavailable": 0x28}, **QUIET},
    "narrow": {"settings": {"core.version": 2, "core.width": 32}, **QUIET},
    "v4": {"settings": {"core.version": 4}, **QUIET},
    "v5": {"settings": {"core.version": 5}, **QUIET},
    # CPU 1 is an efficient core, without LLC references. perf of this model does not know that it
    # has fewer counters.
    "hybrid": {"settings": {"core.version": 5, "core.hybrid": "yes", "core.atoms": 2,
                            "core.atom-unavailable": 8, "core.atom-full-width": "no"},
               "cmdline": "nmi_watchdog=0"},
}


def set_watchdog(m, value):
    """Set the sysctl of perf's NMI watchdog; return the old value.

    If perf has no counters, the sysctl is 0 and cannot be written.
    """
    before = m.sh(f"cat {WATCHDOG}")
    if before != str(value):
        m.write(WATCHDOG, value)
    return before


@contextlib.contextmanager
def cores(m, watchdog=False):
    """Context manager: load the module with core counters; enable perf's NMI watchdog or not."""
    m.rmmod()
    m.insmod(cores=True)
    before = set_watchdog(m, int(watchdog))
    m.inject(f"record-cores {'no' if watchdog else 'yes'}")
    yield
    m.inject("record-cores no")
    set_watchdog(m, before)
    m.rmmod()
    m.insmod()


@contextlib.contextmanager
def released_to_perf(m):
    """Context manager: perf uses the core counters; the model does not log their freezes."""
    m.inject("record-cores no")
    m.wait_until(lambda: m.run("perfopen 0", check=False).out == "0\n", what="free counters")
    yield
    m.inject("record-cores yes")


def may_count(m, cpu):
    """Return the errno of perf for a hardware event on a CPU, or 0."""
    return int(m.run(f"perfopen {cpu}", check=False).out)


def perf_samples(m):
    """Check that `perf record` samples all CPUs."""
    with released_to_perf(m):
        before = [cpu["core_pmi"] for cpu in m.oracle("cpus")["cpus"]]
        perf = m.spawn("cd /tmp && exec perf record -q -a -e cycles -c 52000000 "
                       "-o /tmp/perf.data -- sleep 3600 2>&1")
        m.wait_until(lambda: all(cpu["core_pmi"] > old + 5 for cpu, old in
                                 zip(m.oracle("cpus")["cpus"], before)),
                     timeout=40, what="perf's interrupts on each CPU")
        perf.kill(2)
        perf.wait(check=False, timeout=60)
        found = m.run("perf script -i /tmp/perf.data -F cpu 2>/dev/null", timeout=60).out
        assert len(set(found.split())) == len(before), found


class CoreSession(Session):
    """A session with events of cores.

    The box of CPU 3 is "core3". Its die number is the id of its domain. Its fixed counters are
    "fixed0", "fixed1" and so on.
    """

    def __init__(self, machine, **options):
        super().__init__(machine, **options)
        self.domain_of = {}
        of_cores = [box for box in self.boxes if box["cpu"] != NO_CPU]
        for box in of_cores:
            for known in (self.ids, self.caps):
                known.pop((box["die"], box["name"]), None)
        for box in of_cores:
            box["die"], box["name"] = box["domain"], box_of(box["cpu"])
            self.domain_of[box["cpu"]] = box["domain"]
            self.ids[box["die"], box["name"]] = box["box"]
            self.caps[box["die"], box["name"]] = box["caps"]

    def place(self, cpu, counter=None, period=0, **fields):
        """Return the tuple for add_all() of an event on a core."""
        return box_of(cpu), self.domain_of[cpu], counter, period, fields

    def on(self, cpu, counter=None, period=0, **fields):
        """Add an event of a core, and return its id."""
        return self.add_all([self.place(cpu, counter, period, **fields)])[0]

    def cpus(self):
        return sorted(self.domain_of)

    def box(self, cpu):
        return next(box for box in self.boxes if box["cpu"] == cpu)

    def counters(self, cpu):
        """Return the names of all counters of a core."""
        box = self.box(cpu)
        return [*range(box["counters"]), *(f"fixed{i}" for i in range(box["fixed"]))]

    # ---- names and bits of counters ----

    @staticmethod
    def _name(box, number):
        if number >= STATUS_FIXED and box.startswith("core"):
            return f"fixed{number - STATUS_FIXED}"
        return Session._name(box, number)

    @staticmethod
    def _bit(counter):
        name = str(counter)
        if name.startswith("fixed") and name[5:]:
            return 1 << (STATUS_FIXED + int(name[5:]))
        return Session._bit(counter)

    # ---- counts of the model, of dies and of cores ----

    def _totals(self):
        known = dict(enumerate(totals_of(self.machine)))
        for cpu, pmu in pmus(self.machine).items():
            if cpu in self.domain_of:
                known[self.domain_of[cpu]] = totals_at(cpu, pmu["counters"])
        return known

    def core_freezes(self, mark):
        """Return the freezes of cores since @mark, in the form of freezes of dies."""
        return [{**freeze, "socket": self.domain_of[freeze["cpu"]]}
                for freeze in freezes_of(self.machine, mark)]

    def _freezes(self, mark):
        return super()._freezes(mark) + self.core_freezes(mark)

    def _frozen(self, mark):
        known = frozen_totals(self.machine, mark)
        for freeze in self.core_freezes(mark):
            assert freeze["socket"] not in known, f"frozen more than once: {freeze}"
            known[freeze["socket"]] = {(c["box"], c["ctr"]): c["total"]
                                       for c in freeze["counters"]}
        return known


# ---- freezes ----

def core_windows(m, mark):
    """Return CPU -> (freeze, unfreeze) times since @mark."""
    windows, since = {}, {}
    for line in m.truth(since=mark):
        if line["ev"] == "core-freeze":
            since[line["cpu"]] = line["t"]
        elif line["ev"] == "core-unfreeze" and line["cpu"] in since:
            windows.setdefault(line["cpu"], []).append((since.pop(line["cpu"]), line["t"]))
    return windows


# ---- events ----

def event_for(number, ctr):
    """Return the fields of a predefined event for a general counter, {} for a fixed one."""
    event, umask = list(core.PREDEFINED.values())[number % len(core.PREDEFINED)]
    return {} if is_fixed(ctr) else {"event": event, "umask": umask}


def is_fixed(ctr):
    return str(ctr).startswith("fixed")


def rate_of(ctr, fields):
    """Return the rate of the model: counts per second."""
    return core.fixed_rate(int(ctr[5:])) if is_fixed(ctr) else core.rate(**fields)


def full_set(s, period=0):
    """Return an event on every counter of every core, for add_all()."""
    return [s.place(cpu, ctr, period, **event_for(number + cpu, ctr))
            for cpu in s.cpus() for number, ctr in enumerate(s.counters(cpu))]


# ---- overflow sampling, with checks ----

def assert_core_periods(session, periods, samples, freezes):
    """Check that the flagged counters are those that overflowed, each after at least one
    period.

    A core counter counts on until the NMI freezes it, and the host determines how far. The
    comparison of counts has already verified that the sample holds those counts.
    """
    at = {event: f"{c.box}.{c.ctr}" for event, c in session.events.items()}
    base = dict.fromkeys(periods, 0)
    samples = once_per_freeze(samples)
    for sample, freeze in zip(samples, session.sampled(samples, freezes), strict=True):
        who = flagged(sample)
        assert {at[event] for event in who} == set(freeze["cause"]), (who, freeze["cause"])
        if who:
            assert sample["trigger"] == TRIGGER_OVERFLOW and sample["trigger_event"] == min(who)
        for value in sample["values"]:
            event = value["event"]
            if event in who:
                counted, base[event] = value["count"] - base[event], value["count"]
                assert counted >= periods[event], (at[event], counted, periods[event])


def run_cores(machine, session, wanted, enough):
    """Sample a set of events; check every value, flag and period; return all samples."""
    ids = session.add_all(wanted)
    periods = {event: w[3] for event, w in zip(ids, wanted) if w[3]}
    mark = machine.truth_length()
    session.start()
    samples = sample_until(machine, session, lambda found: enough(session, found))
    freezes = session.freezes(mark)
    assert_equal(session.sample_differences(samples, freezes))
    assert_core_periods(session, periods, samples, freezes)
    status = session.status()
    assert_taken(session, samples)
    assert status["overflows"] == sum(len(flagged(sample)) for sample in samples), status
    return samples


# ---- CPU hotplug ----

def assert_exact_over_offline(m):
    """Count on CPU 1 while it goes offline and comes back; compare counts, gaps and samples."""
    with cores(m), CoreSession(m, timer_ns=20 * MS, ring=1 << 20) as s:
        own = [s.on(1, 0, event=0xc0), s.on(1, "fixed1", core.CYCLES // 10)]
        other = s.on(0, 0, event=0xc0)
        mark = m.truth_length()
        s.start()
        m.set_online(1, False)
        gone = {v["event"]: v for v in s.read()["values"]}
        assert all(gone[event]["flags"] & VALUE_OFFLINE for event in own), gone
        assert not gone[other]["flags"], gone
        m.set_online(1, True)
        back = s.status()["samples"]
        m.wait_until(lambda: s.status()["samples"] > back + 20, what="samples")
        s.stop()
        values = s.read()["values"]
        assert_equal(s.differences(values, s._totals()))
        records = [r for r in s.drain() if r["domain"] == s.domain_of[1]]
        frozen = s.core_freezes(mark)
    assert [r["reason"] for r in records if r["type"] == GAP] == [GAP_OFFLINE, GAP_ONLINE], records
    assert next(v["count"] for v in values if v["event"] == own[0]) > gone[own[0]]["count"]
    truths = {tuple(c["total"] - s.base[s.domain_of[1]][c["box"], c["ctr"]]
                    for c in freeze["counters"])
              for freeze in frozen if freeze["socket"] == s.domain_of[1]}
    samples = [r for r in records if r["type"] == SAMPLE]
    strays = [sample for sample in samples
              if tuple(v["count"] for v in sample["values"]) not in truths]
    assert len(samples) > 5 and not strays, strays
