# SPDX-License-Identifier: GPL-2.0-only
"""Values of Intel's metrics on invented counts, for check/test_intel_metrics.py.

    cd tests && python3 -m check.witness.perfmon_metrics CHECKOUT [COMMIT]

writes metrics.txt from a checkout of github.com/intel/perfmon. A line has the platform, the metric,
and its value for each seed. Here the count of an event depends on the event's name and terms.
Metrics that need other events than those of the uncore are left out.
"""

import json
import re
import sys
from pathlib import Path

from check.witness import formulas, perfmon

VALUES = Path(__file__).with_name("metrics.txt")
# snbep, ivbep, bdxde, snr, snb and ivb have no metrics of uncore events in Intel's files
PLATFORMS = ("hswep", "bdxep", "skx", "clx", "icx", "spr", "emr", "gnr", "srf", "grr", "cwf",
             "hsw", "bdw", "skl", "icl", "rkl", "tgl", "adl", "mtl", "arl", "lnl")
# Named as an event, and a register of the power unit (61x), which no uncore box has
NO_EVENT = "UNC_PKG_ENERGY_STATUS"
SEEDS = (1, 2)
SECONDS = 2.5
# Intel's names of terms -> ours
TERMS = {"opc": "filter_opc", "tid": "filter_tid"}
# fields of Skylake's second CHA filter, CHAFilter1 of the manual: name -> (lowest bit, bits)
FILTER1 = {"filter_rem": (0, 1), "filter_loc": (1, 1), "filter_all_op": (3, 1),
           "filter_nm": (4, 1), "filter_not_nm": (5, 1), "filter_opc_0": (9, 10),
           "filter_opc_1": (19, 10)}


class NamedCounts(formulas.Counts):
    """Counts whose key is the name of an event and its terms."""

    def __init__(self, seed, seconds=SECONDS):
        super().__init__({}, seed, seconds)

    def of(self, kind, terms, one=False):
        return formulas.invented(f"{self.seed} {formulas.key_of(kind, terms)} {one}")

    def named(self, name, terms, one=False):
        return self.of(name, terms, one)


def terms_of(words):
    """Convert Intel's terms of an event; return our terms and the kind of boxes."""
    terms, one = {}, False
    for word in words:
        name, _, value = word.partition("=")
        if name == "one_unit":
            one = "[one]"
        elif re.fullmatch(r"c\d+", name):
            terms["thresh"] = int(name[1:])
        elif name == "filter1":
            number = int(value, 0)
            terms |= {field: number >> low & (1 << bits) - 1
                      for field, (low, bits) in FILTER1.items()}
        else:
            terms[TERMS[name]] = int(value, 0)
    return terms, one


def value_of(metric, counts):
    """Evaluate a metric of Intel's file."""
    aliases = {event["Alias"]: event["Name"] for event in metric["Events"]}
    constants = {constant["Alias"]: constant["Name"] for constant in metric["Constants"]}

    def operand(_, token):
        token, first = formulas.split_one(token)
        if token in aliases:
            name, *words = aliases[token].split(":")
            terms, one = terms_of(words)
            return counts.named(name, terms, one or first)
        return formulas.Ours.CONSTANTS[constants.get(token, token)](counts)
    return formulas.evaluate(metric["Formula"], operand)


def uncore_metrics(checkout, commit, folder):
    """Return the metrics of a processor that need events of the uncore only."""
    names = [name for name in perfmon.git(checkout, "ls-tree", "--name-only", commit,
                                          f"{folder}/metrics/").splitlines()
             if re.search("_metrics(_(golden|redwood|lion)cove_core)?[.]json$", name) and "hbm" not in name]
    assert len(names) == 1, names
    metrics = json.loads(perfmon.git(checkout, "show", f"{commit}:{names[0]}"))["Metrics"]
    return [metric for metric in metrics if metric["Events"] and
            all(event["Name"].startswith("UNC_") and event["Name"] != NO_EVENT
                for event in metric["Events"])]


def stored():
    """Return (platform, metric) -> values of the file."""
    lines = [line.split() for line in VALUES.read_text().splitlines() if not line.startswith("#")]
    return {(platform, name): [float(value) for value in values]
            for platform, name, *values in lines}


def write(checkout, commit):
    full = perfmon.git(checkout, "rev-parse", f"{commit}^{{commit}}").strip()
    lines = ["# SPDX-License-Identifier: GPL-2.0-only",
             f"# Values of metrics of github.com/intel/perfmon, commit {full}.",
             "# Written by tests/check/witness/perfmon_metrics.py: do not edit."]
    for platform in PLATFORMS:
        for metric in uncore_metrics(checkout, full, perfmon.FOLDERS[platform]):
            values = (value_of(metric, NamedCounts(seed)) for seed in SEEDS)
            lines.append(" ".join((platform, metric["MetricName"],
                                   *(f"{value:.12e}" for value in values))))
    VALUES.write_text("\n".join(lines) + "\n")
    print(f"{len(lines) - 3} metrics")


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        raise SystemExit(__doc__)
    write(sys.argv[1], sys.argv[2] if len(sys.argv) == 3 else perfmon.COMMIT)
