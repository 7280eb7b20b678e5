# SPDX-License-Identifier: GPL-2.0-only
"""`make check`: the pages have the markers for tables that long runs write."""

from coverage import run as cover
from lab import bench, tables
from lab.framework import test
from mutation import run as mutants
from soak import figures

PLACES = [*((bench.PAGE, f"bench {name}") for name in (*bench.PLATFORMS, *bench.OTHERS, bench.GROWTH)),
          *((figures.TABLE, name) for name in ("fuzz", "soak", "irqs off")),
          (mutants.TABLE, mutants.MARKS), (cover.TABLE, cover.MARKS)]


@test(machine=False)
def pages_have_markers_for_each_table():
    for page, name in PLACES:
        _, inside, _ = tables.parted(page.read_text(), name)
        assert inside.count("\n|---") >= 1, f"{page.name} has no table {name}"


@test(machine=False)
def lines_between_markers_are_replaced():
    text = "a\n<!-- x: begin -->\nold\n<!-- x: end -->\nb\n"
    assert tables.parted(text, "x") == ("a\n<!-- x: begin -->\n", "old\n", "<!-- x: end -->\nb\n")
    for wrong in ("", text + text, text.replace("begin", "end"), "<!-- x: end -->\n<!-- x: begin -->\n"):
        try:
            tables.parted(wrong, "x")
        except ValueError:
            continue
        raise AssertionError(f"nothing is wrong with {wrong!r}")
