# SPDX-License-Identifier: GPL-2.0-only
"""Evaluates metrics of tools/metrics and of Linux on the same invented counts.

An operand is a count, and its key is the encoding of the event, not the text of the formula. The
count of a key is a random number that depends on the key and on a seed. An IIO event of several
ports counts the sum of events of one port each. Therefore formulas with equal meaning have equal
values. The numbers depend on nothing but the text of key and seed, so that they can be stored.
"""

import hashlib
import re

from check.witness import linux, tables

TOKEN = re.compile(r"\s*(?:(?P<number>\d+\.?\d*(?:e[+-]?\d+)?)"
                   r"|(?P<event>[A-Za-z_][\w.]*@(?:\\.|[^@\\])*@)"
                   r"|(?P<name>#?[A-Za-z_][\w.]*(?:\[0\])?)"
                   r"|(?P<operator>[-+*/(),<>]))")
WORDS = ("min", "max", "if", "else", "source_count")
# Linux's name of a PMU -> our type
PMUS = {"arb": "arb", "cbox": "cbo", "cha": "cha", "imc": "imc", "iio": "iio"}
# Fields of the second filter that are 1 by default when an opcode is set
NEUTRAL = ("filter_rem", "filter_loc", "filter_nm", "filter_not_nm")
ENCODING = ("event", "umask", "umask_ext", "ch_mask", "fc_mask", "thresh", "fixed")


def split_terms(text):
    """Parse terms "a=1,b=0x2"; return name -> number."""
    return {name: int(value, 0) for name, value in
            (term.split("=") for term in text.split(",") if term)}


def key_of(kind, terms):
    """Return the keys whose counts the event counts: one, or one for each port of an IIO."""
    terms = dict(terms)
    if "filter_opc_0" in terms:
        terms = {**dict.fromkeys(NEUTRAL, 1), **terms}
    terms = {name: value for name, value in terms.items() if value}
    ports = [1 << bit for bit in range(12) if terms.get("ch_mask", 0) >> bit & 1]
    return [(kind, *sorted({**terms, "ch_mask": port}.items())) for port in ports] or \
        [(kind, *sorted(terms.items()))]


def invented(text):
    """Return a number between 1000 and a million that depends on a text."""
    return 1e3 + int(hashlib.sha256(text.encode()).hexdigest()[:12], 16) % 999_000_000 / 1e3


class Counts:
    """Invented counts of one interval.

    @seconds: length of the interval
    @events: name -> Event of the platform
    """

    def __init__(self, events, seed, seconds):
        self.events, self.seed, self.seconds = events, seed, seconds
        self.sockets, self.boxes = 2, 7
        self.used = set()

    def of(self, kind, terms, one=False):
        """Count of an event; @one: "[one]" or "[0]" for one box, False for all boxes."""
        keys = key_of(kind, terms)
        self.used.update((key, one) for key in keys)
        return sum(invented(f"{self.seed} {key} {one}") for key in keys)

    def named(self, name, terms, one=False):
        """Count of a named event with further terms."""
        event = self.events[name]
        encoding = {field: getattr(event, field) for field in ENCODING}
        encoding["fixed"] += 1
        return self.of(event.type, {**encoding, **event.given, **terms}, one)


def evaluate(text, operand):
    """Evaluate a formula; @operand(kind of token, text) returns the value of an operand."""
    code, values, position, counted = [], {}, 0, None
    text = text.strip()
    while position < len(text):
        found = TOKEN.match(text, position)
        if not found:
            raise ValueError(f"cannot parse {text[position:]!r}")
        kind, position = found.lastgroup, found.end()
        token = found.group(kind)
        if kind in ("number", "operator") or token in WORDS:
            code.append(token)
            counted = "(" if token == "source_count" else counted
            continue
        if counted:         # the argument of source_count() is an event, not its count
            counted = None
            code.append("0")
            continue
        values[f"v{len(values)}"] = operand(kind, token)
        code.append(f"v{len(values) - 1}")
    names = {"min": min, "max": max, "source_count": lambda _: operand("name", "#boxes")}
    # only numbers, operators, WORDS and these names are left
    return eval(" ".join(code), {"__builtins__": {}}, {**names, **values})  # pylint: disable=eval-used


# ---- metrics of tools/metrics ----


def split_one(text):
    """Return an operand without "[one]" or "[0]", and the kind of boxes that it is of."""
    for end in ("[one]", "[0]"):
        if text.endswith(end):
            return text[:-len(end)], end
    return text, False


class Ours:
    """Metrics of a platform of tools/metrics."""

    CONSTANTS = {"DURATIONTIMEINSECONDS": lambda c: c.seconds,
                 "DURATIONTIMEINMILLISECONDS": lambda c: c.seconds * 1000,
                 "SOCKET_COUNT": lambda c: c.sockets,
                 "CORES_PER_SOCKET": lambda c: c.boxes,
                 "CHAS_PER_SOCKET": lambda c: c.boxes,
                 "CBOXES_PER_SOCKET": lambda c: c.boxes}

    def __init__(self, platform):
        rows = tables.csv_rows(tables.METRICS / f"{platform}.csv")
        self.metrics = {row["Metric"]: row for row in rows}

    def value(self, name, counts):
        row = self.metrics[name]
        where = dict(part.strip().split("=", 1) for part in row["Where"].split(";") if part.strip())

        def operand(_, token):
            alias, first = split_one(token)
            return self.operand(where.get(alias, alias) + (first or ""), counts)
        return evaluate(row["Formula"], operand)

    def operand(self, text, counts):
        if text in self.CONSTANTS:
            return self.CONSTANTS[text](counts)
        if text in self.metrics:
            return self.value(text, counts)
        if text.endswith("[optional]"):
            # Intel's and Linux's metrics are of machines without HBM
            if text.startswith("UNC_MCHBM_"):
                return 0
            text = text.removesuffix("[optional]")
        text, one = split_one(text)
        name, _, terms = text.rstrip("/").partition("/")
        if name in counts.events:
            return counts.named(name, split_terms(terms), one)
        return counts.of(name, split_terms(terms), one)


# ---- metrics of Linux ----


class Theirs:
    """Metrics of a platform in Linux's files."""

    CONSTANTS = {"duration_time": lambda c: c.seconds,
                 "#num_packages": lambda c: c.sockets,
                 "#num_cores": lambda c: c.boxes * c.sockets,
                 "#boxes": lambda c: c.boxes}
    PMU = re.compile(r"(?:uncore_)?([a-z]+)(_0)?")

    def __init__(self, platform):
        self.metrics = linux.metrics(platform)

    def value(self, name, counts):
        """Return the value in the unit of ScaleUnit, percent included."""
        row = self.metrics[name]
        scale = re.match(r"[\d.]+", row.get("ScaleUnit", "")) or "1"
        scale = float(scale if isinstance(scale, str) else scale.group())

        def operand(kind, token):
            return self.operand(kind, token, counts)
        return scale * evaluate(row["MetricExpr"], operand)

    def operand(self, kind, token, counts):
        if token in self.CONSTANTS:
            return self.CONSTANTS[token](counts)
        if token in self.metrics:
            row = self.metrics[token]
            assert "ScaleUnit" not in row, token
            return self.value(token, counts)
        if kind == "name":
            return counts.named(token, {})
        head, text = token.replace("\\", "")[:-1].split("@")
        if head in counts.events:
            return counts.named(head, self.terms(text))
        kind, one = self.PMU.fullmatch(head).groups()
        first, _, rest = text.partition(",")
        if "=" not in first:
            return counts.named(first, self.terms(rest), "[one]" if one else False)
        return counts.of(PMUS[kind], self.terms(text), "[one]" if one else False)

    @staticmethod
    def terms(text):
        terms = split_terms(text)
        if "cmask" in terms:
            terms["thresh"] = terms.pop("cmask")
        if "config1" in terms:
            # Linux's metrics have the value of the second filter in the bits of the first
            terms |= {**dict.fromkeys(NEUTRAL, 0),
                      **linux.split_filter(terms.pop("config1") << 32)}
        return terms
