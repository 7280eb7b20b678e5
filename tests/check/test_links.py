# SPDX-License-Identifier: GPL-2.0-only
"""`make check`: every link of the documentation has an existing target in the tree."""

import re

from check.test_check import fail_on, tracked
from lab.artifacts import TOP
from lab.framework import test

LINK = re.compile(r"\]\((?!\w+://)([^)#\s]*)(?:#([^)\s]+))?\)")
HEADING = re.compile(r"^#+ (.*)$", re.M)
BLOCK = re.compile(r"^```.*?^```$", re.M | re.S)


def anchors(text):
    """Names that a page's headings have, where it is shown."""
    for heading in HEADING.findall(BLOCK.sub("", text)):
        yield re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def mistakes(name, text):
    """Texts: links of a page that lead nowhere."""
    for path, anchor in LINK.findall(BLOCK.sub("", text)):
        target = (TOP / name).parent / path if path else TOP / name
        if not target.exists():
            yield f"{name}: there is no {path}"
        elif anchor and anchor not in anchors(target.read_text() if path else text):
            yield f"{name}: {path or 'the page'} has no heading {anchor}"


@test(machine=False)
def documentation_links_resolve():
    pages = tracked(pattern=r"\.md$")
    assert len(pages) > 10, pages
    fail_on(*(text for name in pages for text in mistakes(name, (TOP / name).read_text())))


@test(machine=False)
def broken_link_is_detected():
    text = "# A b: `c`?\n[1](#a-b-c) [2](README.md) [3](tests/lab/README.md#the-lab) [4](x://y)\n"
    assert not list(mistakes("README.md", text))
    for wrong in ("[5](#a-b)", "[6](GONE.md)", "[7](tests/lab/README.md#the-house)"):
        assert len(list(mistakes("README.md", text + wrong))) == 1, wrong
