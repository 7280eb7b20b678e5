# SPDX-License-Identifier: GPL-2.0-only
"""`make check`: the text below an output names only what this output has.

The machine tests compare the output in the pages with a new one. This check needs no machine.
"""

from check.test_check import fail_on
from lab import doc_outputs, pages
from lab.framework import test


def complaints_about(name, sections):
    """Return a line for each name in a *Read:* paragraph that the section's output lacks."""
    return [f"{name}, {section.title}: {text}" for section in sections
            for prompt in (pages.GUEST, pages.HOST) if section.commands(prompt)
            for text in pages.differences(section, section.commands(prompt))]


@test(machine=False)
def pages_explain_only_printed_names():
    fail_on(*(text for name in doc_outputs.PAGES
              for text in complaints_about(name, doc_outputs.sections_of(name))))


@test(machine=False)
def name_missing_in_the_output_is_reported():
    page = "## One\n\n```console\nlab# a\nx 1\n```\n\n*Read:* `x` is one, `y` is not printed.\n"
    assert complaints_about("page", pages.parsed(page)) == [
        "page, One: *Read:* names y, which no output has"]
