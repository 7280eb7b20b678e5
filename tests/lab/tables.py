# SPDX-License-Identifier: GPL-2.0-only
"""Updates tables of the documentation between `<!-- NAME: begin -->` and `<!-- NAME: end -->`."""


def of(heads, rows):
    """Yield the lines of a Markdown table."""
    yield f"| {' | '.join(heads)} |"
    yield "|---" * len(heads) + "|"
    yield from (f"| {' | '.join(map(str, row))} |" for row in rows)


def cell(text):
    return text.replace("|", "\\|")


def parted(text, name):
    """Split a page into the parts before, between and after the markers of a name."""
    begin, end = (f"<!-- {name}: {side} -->\n" for side in ("begin", "end"))
    if text.count(begin) != 1 or text.count(end) != 1 or text.index(begin) > text.index(end):
        raise ValueError(f"a page needs {begin.strip()} and then {end.strip()}, once")
    head, rest = text.split(begin)
    inside, tail = rest.split(end)
    return head + begin, inside, end + tail


def put(page, name, lines):
    """Replace the lines between the markers of a page; the rest of the page is unchanged."""
    head, _, tail = parted(page.read_text(), name)
    page.write_text(head + "\n".join(lines).rstrip("\n") + "\n" + tail)
