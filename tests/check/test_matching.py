# SPDX-License-Identifier: GPL-2.0-only
"""`make check`: the lab matches samples with the freezes of the model's log."""

from lab.framework import test
from lab.session import (SAMPLE, SAMPLE_THROTTLED, TRIGGER_OVERFLOW, TRIGGER_TIMER, Counter,
                         Session)

BOX, CTR = "imc0", 0


class RecordedSession(Session):
    """A session with one event, whose samples and freezes are lists instead of a machine's."""

    def __init__(self, log):        # pylint: disable=super-init-not-called
        self._log = log
        self._stops = {}
        self.events = {0: Counter(die=0, box=BOX, ctr=CTR)}
        self.base = {0: {(BOX, CTR): 0}}

    def _freezes(self, mark):
        return self._log[mark:]


def freeze(seq, total, reason="write"):
    return {"socket": 0, "seq": seq, "t": seq, "until": seq, "reason": reason, "cause": [],
            "counters": [{"box": BOX, "ctr": CTR, "total": total, "rate": 0}]}


def sample(seq, count, trigger=TRIGGER_TIMER, flags=0):
    return {"type": SAMPLE, "domain": 0, "seq": seq, "cpu": 0, "time": seq, "flags": flags,
            "trigger": trigger, "trigger_event": 0,
            "values": [{"event": 0, "count": count, "flags": 0}]}


def differences(samples, log):
    session = RecordedSession(log)
    return session.sample_differences(samples, session.freezes(0))


@test(machine=False)
def sample_without_freeze_is_reported():
    log = [freeze(0, 10), freeze(1, 20), freeze(2, 30)]
    assert not differences([sample(0, 10), sample(1, 20)], log)
    assert differences([sample(0, 10)], log)
    assert differences([sample(0, 10), sample(1, 21)], log)
    assert differences([sample(0, 10), sample(1, 20), sample(2, 31)], log)


@test(machine=False)
def sample_of_stop_matches_the_last_freeze():
    log = [freeze(0, 10), freeze(1, 20)]
    assert not differences([sample(0, 10), sample(1, 20)], log)
    assert differences([sample(0, 10), sample(1, 20, TRIGGER_OVERFLOW)], log)


@test(machine=False)
def end_of_throttling_needs_no_sample():
    throttled = sample(0, 10, TRIGGER_OVERFLOW, SAMPLE_THROTTLED)
    log = [freeze(0, 10, "overflow"), freeze(1, 15), freeze(2, 20), freeze(3, 30)]
    assert not differences([throttled, sample(1, 20)], log)
    assert not differences([throttled, sample(1, 20), sample(2, 30)], log)
    assert differences([throttled, sample(1, 20), sample(2, 31)], log)
