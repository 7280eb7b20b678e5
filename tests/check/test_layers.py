# SPDX-License-Identifier: GPL-2.0-only
"""`make check`: the layers of the tree.

A folder includes only lower folders. Neither the includes nor the symbols of the object files
have cycles.
"""

import re
import subprocess
from pathlib import PurePosixPath as Path

from check.test_check import fail_on, tracked
from lab import artifacts
from lab.artifacts import BUILD, TOP
from lab.framework import test

# The driver's floors, the highest first: each may include those below it
FLOORS = ("driver/abi", "driver/session", "driver/event", "driver/hotplug", "driver/irq",
          "driver/sample", "driver/cpu", "driver/selftest", "driver/box", "driver/platforms",
          "driver/find/discovery", "driver/find", "driver/reg", "driver/hw")
# and these stand on the ground: a dialect of the kernel's, and what user space sees
GROUND = ("driver/compat.h", "driver/log.h", "driver/ucore_trace.h", "driver/ucore_uapi.h",
          "uapi/ucore.h")
# Descriptions are data: they name what finds boxes, and facts
ONLY = {"driver/platforms": ("driver/find/discovery", "driver/find", "driver/hw")}

LIBRARY = "tools/lib/libucore.h"
# tools/: the folders that each folder may include, besides its own
MAY = {
    **{f"tools/ucoretool/{feature}": ("tools/ucoretool", "tools/ucoretool/output", LIBRARY)
       for feature in ("cmd", "doctor", "export", "list", "record", "report", "stat", "top", "verify")},
    # the names of an exporter's collectors are words that are completed
    "tools/ucoretool": ("tools/ucoretool/output", "tools/ucoretool/hints",
                        "tools/ucoretool/export/families.h", LIBRARY),
    "tools/ucoretool/hints": ("tools/ucoretool/tool.h", LIBRARY),
    "tools/ucoretool/output": ("tools/ucoretool/tool.h", "tools/ucoretool/cli.h", LIBRARY),
    **{f"tools/lib/{objects}": ("tools/lib", "tools/lib/metric", "uapi", "driver/hw/models.h")
       for objects in ("device", "event", "metric", "session", "sample", "suggest")},
    "tools/lib": ("uapi",),
    "tools/examples": ("uapi", LIBRARY),
}

# include paths besides the folder of the file; generated files are in build/
SEARCH = {"driver": ("driver",), "tools": ("tools/ucoretool", "tools/lib", "uapi")}

# The machine model and KUnit repeat the facts of driver/hw from the manuals. A number that they
# took from there would be wrong on both sides.
FACTS = "driver/hw"
MODEL = "tests/lab/qemu"
READ_AGAIN = (MODEL, "tests/kunit")


# ---- includes ----


def normal(path):
    """The path without its `..`."""
    parts = []
    for part in path.parts:
        if part == "..":
            parts.pop()
        else:
            parts.append(part)
    return Path(*parts)


def includes(name, search):
    """The files of the tree that a file includes, as the compiler finds them."""
    for word in re.findall(r'^#include ["<](.+)[">]$', (TOP / name).read_text(), re.M):
        for folder in (Path(name).parent, *map(Path, search)):
            found = normal(folder / word)
            if (TOP / found).is_file():
                yield str(found)
                break


def graph(top):
    """File -> the files that it includes."""
    return {name: sorted(set(includes(name, SEARCH[top]))) for name in tracked(top)}


def below(folder):
    """Folders that a folder of the driver may include."""
    if folder == "driver":      # main.c stands above all
        return FLOORS
    return ONLY.get(folder, FLOORS[FLOORS.index(folder) + 1:])


def forbidden_in_driver(name, target):
    folder, into = str(Path(name).parent), str(Path(target).parent)
    return into != folder and target not in GROUND and into not in below(folder)


def forbidden_in_tools(name, target):
    folder, into = str(Path(name).parent), str(Path(target).parent)
    return into != folder and not {into, target} & set(MAY[folder])


def macros(*folders):
    """Names of the macros that the files of folders define."""
    return {name for file in tracked(*folders)
            for name in re.findall(r"^#define (\w+)", (TOP / file).read_text(), re.M)}


def facts_used(text, facts):
    """The names of facts in a file, except in comments."""
    return sorted(facts & set(re.findall(r"\w+", re.sub(r"/\*.*?\*/", "", text, flags=re.S))))


def of_driver(name, word):
    """Return true if the include @word of the model's file @name is a header of the driver.

    The model is compiled in QEMU's source tree, where the paths to the driver differ. Therefore
    the name of a header of driver/hw is enough, unless the model has this file.
    """
    if (TOP / normal(Path(name).parent / word)).is_file():
        return not str(normal(Path(name).parent / word)).startswith(MODEL)
    return "driver" in word or ".." in word or (TOP / FACTS / Path(word).name).is_file()


def climbing(arrows, forbidden):
    return [f"{name} may not include {target}" for name, targets in arrows.items()
            for target in targets if forbidden(name, target)]


# ---- circles ----


def circles(arrows):
    """Each circle once; a .c, its .h and its .o are one file."""
    files = {}
    for name, targets in arrows.items():
        files.setdefault(name[:-2], set()).update(target[:-2] for target in targets)
    found, done = [], set()

    def walk(file, path):
        if file in path:
            found.append(" -> ".join([*path[path.index(file):], file]))
        elif file not in done:
            for target in sorted(files.get(file, set()) - {file}):
                walk(target, [*path, file])
            done.add(file)
    for file in sorted(files):
        walk(file, [])
    return found


def symbols(path):
    """Return the global symbols that an object file defines, and those that it uses."""
    listed = subprocess.run(["nm", path], check=True, capture_output=True, text=True).stdout
    kinds = [line.split()[-2:] for line in listed.splitlines()]
    return ({name for kind, name in kinds if kind.isupper() and kind != "U"},
            {name for kind, name in kinds if kind == "U"})


def linked(where, pattern):
    """Return object file -> the object files whose symbols it uses."""
    objects = {str(path.relative_to(where)): symbols(path)
               for path in sorted(where.rglob(pattern)) if not path.name.startswith(".")}
    owner = {name: file for file, (defined, _) in objects.items() for name in defined}
    return {file: sorted({owner[name] for name in wanted if name in owner} - {file})
            for file, (_, wanted) in objects.items()}


# ---- tests ----


@test(machine=False)
def driver_includes_only_lower_layers():
    arrows = graph("driver")
    assert "driver/box/domain_global_ctl.h" in arrows["driver/sample/readout.h"], arrows
    folders = {str(Path(name).parent) for name in arrows}
    assert folders == {"driver", *FLOORS}, f"a folder without a floor: {folders}"
    fail_on(*climbing(arrows, forbidden_in_driver))


@test(machine=False)
def user_memory_access_holds_no_machine_lock():
    """Code that accesses user memory locks only sessions; lower layers have their own locks."""
    pattern = re.compile(r"lock\w*\(&(?!session->(?:lock|caller)\b)\S+")
    assert pattern.search("mutex_lock(&ucore_catalog.lock);")
    assert not pattern.search("mutex_lock(&session->lock);")
    assert not pattern.search("mutex_lock(&session->caller);")
    fail_on(*(f"{name} takes a lock: {found[0]}" for name in tracked("driver/abi")
              for found in pattern.finditer((TOP / name).read_text())))


@test(machine=False)
def tools_include_only_lower_layers():
    """A command may use what commands share, that the library's public header, no more."""
    arrows = graph("tools")
    assert "tools/ucoretool/tool.h" in arrows["tools/ucoretool/list/list.h"], arrows
    fail_on(*climbing(arrows, forbidden_in_tools))


@test(machine=False)
def model_includes_no_header_of_the_driver():
    include = re.compile(r'^\s*#\s*include\s*["<](.+)[">]', re.M)
    file = f"{MODEL}/platforms/spr.c"
    assert of_driver(file, "../driver/hw/discovery.h") and of_driver(file, "ivbep.h")
    assert of_driver(file, "../../../../driver/reg/reg.h")
    assert not of_driver(file, "../model.h") and not of_driver(file, "discovery.h")
    build = re.search(r"driver\W?hw.*", (TOP / MODEL / "build.sh").read_text())
    fail_on(*(f"{name} includes {word}" for name in tracked(MODEL)
              for word in include.findall((TOP / name).read_text()) if of_driver(name, word)),
            *([f"{MODEL}/build.sh: {build[0]}"] if build else []))


@test(machine=False)
def model_and_kunit_use_no_number_of_the_driver():
    facts = macros(FACTS)
    assert "SPR_MSR_CHA_COUNT" in facts, facts
    assert facts_used("/* SPR_WIDTH */ read(SPR_MSR_CHA_COUNT);", facts) == ["SPR_MSR_CHA_COUNT"]
    fail_on(*(f"{name} uses {', '.join(used)}" for folder in READ_AGAIN for name in tracked(folder)
              if (used := facts_used((TOP / name).read_text(), facts - macros(folder)))))


@test(machine=False)
def include_of_a_higher_layer_is_detected():
    assert forbidden_in_driver("driver/box/domain_global_ctl.c", "driver/irq/timer.h")
    assert forbidden_in_driver("driver/platforms/spr.c", "driver/reg/reg.h")
    assert not forbidden_in_driver("driver/cpu/nmi_handler.c", "driver/compat.h")
    assert forbidden_in_tools("tools/ucoretool/output/table.c", "tools/ucoretool/cmd/x.h")
    assert circles({"a.c": ["a.h", "b.h"], "a.h": [], "b.c": ["a.h"], "b.h": []}) == ["a -> b -> a"]


@test(machine=False)
def includes_have_no_cycle():
    fail_on(*circles(graph("driver")), *circles(graph("tools")))


@test(machine=False, timeout=120)
def object_files_have_no_cycle():
    """The linker's view: no two files of the driver, or of tools/, need each other."""
    artifacts.module("6.12")
    driver = linked(BUILD / f"module-{artifacts.kernels.get('6.12').release}/driver", "*.o")
    artifacts.tools()
    tools = linked(BUILD / "tools/obj", "*.o")
    assert "box/domain_global_ctl.o" in driver["sample/readout.o"], driver
    assert any("event_spec.o" in target for target in tools["lib/session/session_event.o"]), tools
    fail_on(*circles(driver), *circles(tools))
