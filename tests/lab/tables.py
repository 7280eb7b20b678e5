# SPDX-License-Identifier: GPL-2.0-only
"""Tables of documentation that runs write: between `<!-- NAME: begin -->` and `<!-- NAME: end -->`."""


def of(heads, rows):
    """Lines of Markdown; no row is longer than the heads."""
    yield f"| {' | '.join(heads)} |"
    yield "|---" * len(heads) + "|"
    yield from (f"| {' | '.join(map(str, row))} |" for row in rows)


def cell(text):
    return text.replace("|", "\\|")


def marks(name):
    return (f"<!-- {name}: {side} -->\n" for side in ("begin", "end"))


def put(page, name, lines):
    """Puts lines between the marks of a page, and leaves what is elsewhere alone."""
    begin, end = marks(name)
    head, rest = page.read_text().split(begin)
    _, tail = rest.split(end)
    page.write_text(head + begin + "\n".join(lines).rstrip("\n") + "\n" + end + tail)
