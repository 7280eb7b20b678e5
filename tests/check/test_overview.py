# SPDX-License-Identifier: GPL-2.0-only
"""`make check`: the map in overview.md lists exactly the .c files of the driver."""

import re

from check.test_check import fail_on, tracked
from lab.artifacts import TOP
from lab.framework import test

PAGE = "Documentation/design/overview.md"
# A line of the map: a folder without indentation, or a file with it, and its description
FOLDER = re.compile(r"^([a-z/]+)/ {2,}\S")
FILE = re.compile(r"^( *)(\w+\.c) +\S")


def map_of(page):
    """Return the lines of the first code block behind the heading "Layers"."""
    layers = page.split("\n## Layers\n", 1)[1]
    return layers.split("```", 2)[1].splitlines()[1:]


def files_of(lines):
    """Return the paths of the files that the map names, in its order."""
    folder, files = "", []
    for line in lines:
        if match := FOLDER.match(line):
            folder = match.group(1)
        elif match := FILE.match(line):
            indent, name = match.groups()
            files.append(f"driver/{folder}/{name}" if indent else f"driver/{name}")
    return files


def outside_of_layers(page):
    """Return the files of the folder driver/ that the text says belong to no layer."""
    sentence = re.search(r"^(.+) belong to no layer", page, re.M)
    names = re.findall(r"`(\w+\.c)`", sentence.group(1)) if sentence else []
    return [f"driver/{name}" for name in names]


def complaints_about(page, sources):
    """Return a line for each difference between the map and the files."""
    named = files_of(map_of(page))
    known = named + outside_of_layers(page)
    return [*(f"{PAGE}: the map lacks {name}" for name in sources if name not in known),
            *(f"{PAGE}: the map names {name}, which does not exist"
              for name in known if name not in sources),
            *(f"{PAGE}: the map names {name} more than once"
              for name in sorted(set(named)) if named.count(name) > 1)]


@test(machine=False)
def overview_names_every_file():
    fail_on(*complaints_about((TOP / PAGE).read_text(), tracked("driver", pattern=r"\.c$")))


@test(machine=False)
def overview_check_finds_differences():
    page = "\n## Layers\n\n```\nmain.c    load\n\nbox/    boxes\n    a.c   one\n    b.c   two\n```\n"
    sources = ["driver/main.c", "driver/box/a.c", "driver/box/c.c"]
    found = "\n".join(complaints_about(page, sources))
    assert "lacks driver/box/c.c" in found and "names driver/box/b.c, which" in found, found
    assert found.count("\n") == 1, found
