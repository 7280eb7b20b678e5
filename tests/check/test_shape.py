# SPDX-License-Identifier: GPL-2.0-only
"""`make check`: the size of files and folders, the ownership of names, walks over all boxes."""

import re
import subprocess
from collections import Counter, defaultdict
from pathlib import PurePosixPath as Path

from check.test_check import fail_on, tracked
from lab import artifacts
from lab.artifacts import BUILD, TOP
from lab.framework import test

MAX_LINES = 600
MAX_FILES = 10
# A folder with one file for each of a growing list of things
UNLIMITED = ("driver/platforms",)
# Public headers: programs include one file
PUBLIC = ("tools/lib/libucore.h",)


def product():
    """The C files and headers of the driver and of the tools."""
    return [name for top in ("driver", "tools") for name in tracked(top)
            if name.endswith((".c", ".h"))]


def crowded(names):
    """The folders with too many C files."""
    files = Counter(str(Path(name).parent) for name in names if name.endswith(".c"))
    return [f"{folder}: {count} .c files, at most {MAX_FILES}" for folder, count in files.items()
            if count > MAX_FILES and folder not in UNLIMITED]


def functions(folder, source):
    """Object file without its suffix -> (exported functions, all functions).

    An object without a file in @source is left over from before a rename.
    """
    found = {}
    for path in sorted(folder.rglob("*.o")):
        if not (TOP / source / path.relative_to(folder)).with_suffix(".c").exists():
            continue
        listed = subprocess.run(["nm", path], check=True, capture_output=True, text=True).stdout
        rows = [line.split()[-2:] for line in listed.splitlines()]
        found[str(path.relative_to(folder).with_suffix(""))] = (
            {name for kind, name in rows if kind == "T"},
            # without the suffix of a copy that the compiler made, such as .isra.0
            {name.split(".")[0] for kind, name in rows if kind in "Tt"})
    return found


def owner(function, stems):
    """The file whose name the function has after ucore_, the longest one; None without one."""
    name = function.removeprefix("ucore_")
    fitting = [stem for stem in stems if name == stem or name.startswith(stem + "_")]
    return max(fitting, key=len, default=None)


def shared_prefixes(exported):
    """Prefixes of functions that two files use, unless the name of one file is the longer prefix."""
    stems = {Path(file).name for file in exported}
    users = defaultdict(set)
    for file, names in exported.items():
        for name in names:
            if not name.startswith("ucore_"):
                continue
            stem = owner(name, stems)
            users[stem or name.split("_")[1]].add(file)
    return [f"ucore_{prefix}_ is a prefix in {', '.join(sorted(files))}"
            for prefix, files in sorted(users.items()) if len(files) > 1]


@test(machine=False)
def product_files_have_at_most_600_lines():
    lines = {name: len((TOP / name).read_text().splitlines()) for name in product()
             if name not in PUBLIC}
    fail_on(*(f"{name}: {count} lines, at most {MAX_LINES}" for name, count in lines.items()
              if count > MAX_LINES))


@test(machine=False)
def product_folders_have_at_most_ten_c_files():
    fail_on(*crowded(product()))


@test(machine=False)
def crowded_folder_would_be_seen():
    assert crowded([f"driver/box/{i}.c" for i in range(11)]) == [
        "driver/box: 11 .c files, at most 10"]
    assert not crowded([f"driver/platforms/{i}.c" for i in range(11)])


def catalog_walks(folders):
    """The lines of the driver's folders that use the list of all boxes."""
    return [f"{name}:{number}: walks over all boxes, use ucore_for_each_box()"
            for folder in folders for name in tracked(f"driver/{folder}")
            for number, line in enumerate((TOP / name).read_text().splitlines(), 1)
            if re.search(r"ucore_catalog\.(nr_)?boxes\b", line)]


# These layers run with interrupts off or for each domain, and a machine may have a thousand boxes
@test(machine=False)
def interrupts_and_hotplug_do_not_walk_over_all_boxes():
    fail_on(*catalog_walks(("hotplug", "irq", "sample", "cpu")))


@test(machine=False)
def walk_over_all_boxes_would_be_seen():
    assert any("intel_uncore.c" in line for line in catalog_walks(["box"]))


@test(machine=False, timeout=120)
def function_prefixes_belong_to_one_file():
    artifacts.module("6.12")
    found = functions(BUILD / f"module-{artifacts.kernels.get('6.12').release}/driver", "driver")
    assert "ucore_box_reset" in found["box/box_registers"][0], found["box/box_registers"]
    fail_on(*shared_prefixes({file: exported for file, (exported, _) in found.items()}))


@test(machine=False)
def shared_prefix_would_be_seen():
    assert shared_prefixes({"a/box": {"ucore_box_run"}, "b/ring": {"ucore_box_stop"}}) == [
        "ucore_box_ is a prefix in a/box, b/ring"]
    assert not shared_prefixes({"a/core": {"ucore_core_find"},
                                "b/core_trigger": {"ucore_core_trigger_add"}})


@test(machine=False, timeout=240)
def driver_and_library_have_no_function_names_in_common():
    artifacts.module("6.12")
    artifacts.tools()
    driver = functions(BUILD / f"module-{artifacts.kernels.get('6.12').release}/driver", "driver")
    library = functions(BUILD / "tools/obj/lib", "tools/lib")
    assert library, "no objects"
    names = [set().union(*(every for _, every in files.values())) for files in (driver, library)]
    common = {name for name in names[0] & names[1] if not re.match(r"__|init_module", name)}
    fail_on(*(f"{name}() is in the driver and in libucore" for name in sorted(common)))
