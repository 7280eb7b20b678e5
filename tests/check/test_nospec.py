# SPDX-License-Identifier: GPL-2.0-only
"""`make check`: user-supplied indices are bounded for speculation (array_index_nospec) where
they are checked.

A test cannot observe speculative execution, so the source text is searched.
"""

import re

from check.test_check import fail_on
from lab.artifacts import TOP
from lab.framework import test

# Where a number of the caller's becomes an index: file, function
PLACES = (("driver/box/catalog.c", "ucore_catalog_box"),
          ("driver/box/catalog.c", "ucore_catalog_domain"),
          ("driver/session/session_and_events.c", "ucore_session_ctx"),
          ("driver/session/pmi_cpus.c", "cpu_check"),
          ("driver/session/pmi_cpus.c", "cpus_check"),
          ("driver/session/pmi_cpus.c", "domain_choice"),
          ("driver/session/core_triggers.c", "config_check"),
          ("driver/session/core_triggers.c", "create"),
          ("driver/find/discovery/make_boxes.c", "report_unit"))


def body(text, function):
    """Return the body of a function definition."""
    found = re.search(rf"^[^\n;]*\b{function}\([^;{{]*\)\n\{{\n(.*?)^\}}", text, re.M | re.S)
    return found[1] if found else ""


def mistakes(places, text_of):
    for name, function in places:
        if "array_index_nospec(" not in body(text_of(name), function):
            yield f"{name}: {function}() does not use array_index_nospec()"


@test(machine=False)
def user_indices_are_bounded_for_speculation():
    fail_on(*mistakes(PLACES, lambda name: (TOP / name).read_text()))


@test(machine=False)
def unbounded_index_is_detected():
    texts = {"a.c": "int one(u32 i)\n{\n\treturn x[i];\n}\n\n"
                    "int two(u32 i)\n{\n\treturn x[array_index_nospec(i, n)];\n}\n"}
    found = list(mistakes((("a.c", "one"), ("a.c", "two"), ("a.c", "three")), texts.get))
    assert len(found) == 2 and "one()" in found[0] and "three()" in found[1], found
