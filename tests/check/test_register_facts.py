# SPDX-License-Identifier: GPL-2.0-only
"""`make check`: the page of register facts has each fact of the driver's tables, and its source."""

import re

from check import register_facts
from check.register_facts import Origin
from check.test_check import fail_on
from lab.artifacts import TOP
from lab.framework import test

# Structures of the driver's tables, and the headers that define them
TABLES = {
    "driver/find/desc.h": ("ucore_box_words", "ucore_layout", "ucore_constraint",
                           "ucore_fixed_bit", "ucore_increment", "ucore_box_type", "ucore_global"),
    "driver/find/static_table_desc.h": ("ucore_static_msr", "ucore_static_pci",
                                        "ucore_static_mmio", "ucore_static_table"),
    "driver/find/discovery/discovery.h": ("ucore_disc_type", "ucore_disc_place",
                                          "ucore_disc_free_msr", "ucore_disc_free_mmio",
                                          "ucore_disc_free_fixed", "ucore_disc_msr",
                                          "ucore_disc_rules"),
    "driver/find/die_topology.h": ("ucore_ubox_map",),
    "driver/find/upi_iio_links.h": ("ucore_link_regs", "ucore_link_speed"),
    "driver/find/iio_bus_table.h": ("ucore_iio_stack", "ucore_iio_map", "ucore_bus_table"),
    "driver/find/iio_ports.h": ("ucore_port_rule",),
}

# Members that no platform table sets, or that are no facts about registers
NOT_FACTS = {
    ("ucore_box_type", "link_kind"), ("ucore_box_type", "preload_bits"),
    ("ucore_static_msr", "base"),       # printed by means of ucore_static_base()
    *(("ucore_global", name) for name in
      ("enables", "nr_gated", "gated_ctl", "gated_ctr", "gated", "gated_sign", "phys", "size",
       "pdev", "next", "untried")),
}


def members(header, struct):
    """Return the members that the kernel-doc comment of a structure lists."""
    comment = re.search(rf"/\*\*\n \* struct {struct} - .*?\*/", header, re.S)[0]
    return re.findall(r"^ \* @(\w+):", comment, re.M)


def unprinted(headers, program, exceptions):
    """Return the members of the tables that the program does not use."""
    for header, structs in TABLES.items():
        for struct in structs:
            for member in members(headers[header], struct):
                used = re.search(rf"(->|\.){member}\b", program)
                if not used and (struct, member) not in exceptions:
                    yield f"tests/check/platform_tables.c: does not print {struct}.{member}"


def texts():
    headers = {name: (TOP / name).read_text() for name in TABLES}
    program = "".join((TOP / "tests/check" / name).read_text()
                      for name in ("platform_tables.c", "fact_box_type.c", "fact_links.c"))
    return headers, program


def complaints(all_facts, rules, marks):
    """Return what is missing in the rules, and which rules are of no use."""
    used, seen = set(), set()
    for platform, box, fact, _ in all_facts:
        origin = Origin(rules, platform, box, fact)
        used.update(origin.used)
        seen.add(origin.mark)
        where = f"{platform} {box} '{fact}'"
        if fact not in register_facts.KINDS:
            yield f"{where}: register_facts.py has no such kind of fact"
        if not origin.source:
            yield f"{where}: has no source"
        for check in origin.check.split("; "):
            if check not in {"none", *register_facts.CHECKS}:
                yield f"{where}: no check is named '{check}'"
        if origin.mark and origin.mark not in marks:
            yield f"{where}: {register_facts.MARKS} has no mark '{origin.mark}'"
    for i, rule in enumerate(rules):
        if i not in used:
            yield f"{register_facts.RULES}: applies to no fact: {','.join(rule.values())}"
    for mark in sorted(set(marks) - seen):
        yield f"{register_facts.RULES}: no fact has the mark '{mark}'"


@test(machine=False)
def register_facts_page_is_up_to_date():
    new = register_facts.page(register_facts.printed(), register_facts.rules())
    old = (TOP / register_facts.PAGE).read_text()
    fail_on(*([] if new == old else
              [f"{register_facts.PAGE}: differs from the driver's tables. Run "
               "'python3 -m check.register_facts' in tests/"]))


@test(machine=False)
def every_register_fact_has_a_source_and_a_check():
    fail_on(*complaints(register_facts.all_facts_of(register_facts.printed()),
                        register_facts.rules(), register_facts.marks()))


@test(machine=False)
def every_member_of_the_tables_is_printed():
    fail_on(*unprinted(*texts(), NOT_FACTS))


@test(machine=False)
def every_check_of_verify_has_its_name():
    sources = "".join(path.read_text() for path in (TOP / "tools/ucoretool/verify").glob("*.c"))
    fail_on(*(f"ucoretool verify prints no '{name}'" for name in register_facts.CHECKS
              if f'"{name}"' not in sources))


@test(machine=False)
def fact_without_source_is_detected():
    rule = dict(platforms="a|b", boxes="*", facts="place", source="manual", mark="", check="width")
    wrong = {**rule, "facts": "number", "check": "luck", "mark": "m"}
    facts = [("a", "box", "place", "1"), ("c", "box", "place", "1"), ("b", "box", "number", "2")]
    found = list(complaints(facts, [rule, wrong, {**rule, "platforms": "d"}], {"n": ""}))
    assert [text.split("'")[-2] if "'" in text else "unused" for text in found] == [
        "place", "", "luck", "m", "unused", "n"], found


@test(machine=False)
def unprinted_member_is_detected():
    headers, program = texts()
    assert any("ucore_ubox_map.lower" in text
               for text in unprinted(headers, program.replace("->lower", ""), NOT_FACTS))
