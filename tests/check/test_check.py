# SPDX-License-Identifier: GPL-2.0-only
"""`make check`: static checks of the tree, one test for each tool.

A file that passed is not checked again until it changes. Verdicts are stored by a key of their
inputs: those of builds in build/check, those of checkpatch in the cache.
"""

import functools
import hashlib
import re
import subprocess
from pathlib import Path

from lab import kernels
from lab.archive import cache
from lab.artifacts import (BUILD, STRICT, TOP, kunit_module, lab_command, module,
                           module_command, module_directory)
from lab.framework import test
from lab.machine import CheckFailed

OUT = BUILD / "check"
KERNEL_DOC = ("driver", "uapi")
CHECKPATCH = ("--strict", "--terse", "--quiet", "--no-summary",
              "--max-line-length=100")
# files that checkpatch.pl reads from its own directory
CHECKPATCH_PARTS = ("checkpatch.pl", "spelling.txt", "const_structs.checkpatch")
# A public header has no BIT()
UAPI_IGNORES = "--ignore=BIT_MACRO"
# Tables are written with macros that expand to initializers
TABLE_IGNORES = "--ignore=MACRO_ARG_REUSE,COMPLEX_MACRO"
# only compat.h may contain kernel versions
COMPAT_IGNORES = "--ignore=LINUX_VERSION_CODE,CONSTANT_COMPARISON"
# and this is written in the kernel's macros for events, which are laid out in their own way
TRACE_IGNORES = "--ignore=OPEN_ENDED_LINE,PARENTHESIS_ALIGNMENT"
# A tree that is only prepared has no symbols to resolve
NO_SYMBOLS = re.compile(r"Module\.symvers is missing|turn errors into warning|"
                        r"modpost: (\".*\" \[.*\] undefined|suppressed)")
NO_SPDX = re.compile(r"^COPYING$|^LICENSES/|^tests/fuzz/corpus(_metric)?/|\.gitignore$|\.json$")


def tracked(*directories, pattern=r"\.[ch]$"):
    """Return the files known to git, including new ones, whose name matches."""
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "--", *directories],
                            cwd=TOP, check=True, capture_output=True, text=True).stdout
    return [name for name in listed.split("\n")
            if name and re.search(pattern, name) and (TOP / name).exists()]


def complaints_of(*command, cwd=TOP):
    """Output of a command that should succeed in silence."""
    done = subprocess.run([str(word) for word in command], cwd=cwd, text=True, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.stdout or done.returncode:
        return done.stdout or f"exit {done.returncode}: {command[0]}"
    return ""


def fail_on(*complaints):
    text = "\n".join(complaint.rstrip() for complaint in complaints if complaint)
    if text:
        raise CheckFailed(text)


def script(name):
    return kernels.unpacked_source() / "scripts" / name


def checkpatch(files, *options):
    """Complaints about files; those once clean with this checkpatch, in any clone, are passed over.

    It runs in build/check, because it leaves files where it runs.
    """
    known = cache() / "checkpatch"
    for directory in (OUT, known):
        directory.mkdir(parents=True, exist_ok=True)
    command = ("perl", script("checkpatch.pl"), f"--root={kernels.unpacked_source()}",
               *CHECKPATCH, *options, "-f")
    left = {name: clean for name in files
            if not (clean := known / checkpatch_key(name, command)).exists()}
    if not left:
        return ""
    said = complaints_of(*command, *(TOP / name for name in left), cwd=OUT)
    for clean in left.values() if not said else ():
        clean.touch()
    return said.replace(f"{TOP}/", "")


def checkpatch_key(name, command):
    """Return a key of the inputs of a verdict: the file, the options, checkpatch and its lists."""
    return digest(name, *command, (TOP / name).read_bytes(), checkpatch_version())


@functools.cache
def checkpatch_version():
    return digest(*(script(part).read_bytes() for part in CHECKPATCH_PARTS))


def digest(*words):
    return hashlib.sha256(repr([word if isinstance(word, bytes) else str(word)
                                for word in words]).encode()).hexdigest()


def clang_warnings():
    """Build with clang in build/check/clang; return warnings about files of the tree.

    A build without warnings is continued, because files that are not compiled again have none.
    Any other build, or an interrupted one, starts from scratch and repeats all warnings.
    """
    out, clean = OUT / "clang", OUT / "clang.clean"
    command = module_command(kernels.get("clang"), out, "CC=clang", "W=1", "KBUILD_MODPOST_WARN=1")
    recipe = f"{command}\n{versions()}"
    if not clean.exists() or clean.read_text() != recipe:
        subprocess.run(["rm", "-rf", out], check=True)
    clean.unlink(missing_ok=True)
    lines = warnings_of(command, but=NO_SYMBOLS)
    if not lines:
        clean.write_text(recipe)
    return lines


def warnings_of(command, but=None):
    """Build; return the warnings that do not match `but`, or the end of a build that failed without
    them."""
    done = subprocess.run(command, cwd=TOP, text=True,
                          check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    lines = [line for line in done.stdout.splitlines()
             if re.search(r"\b(warning|error|WARNING|ERROR)\b", line)
             and not (but and but.search(line))]
    return lines if lines or not done.returncode else done.stdout.splitlines()[-30:]


def versions():
    """Return the other inputs of a verdict: versions of the programs, and the code that parses
    warnings."""
    said = [subprocess.run([program, "--version"], check=True, capture_output=True, text=True)
            for program in ("gcc", "clang", "sparse")]
    return digest(Path(__file__).read_bytes(), *(done.stdout + done.stderr for done in said))


@test(machine=False)
def every_file_has_an_spdx_line():
    def bare(name):
        head = (TOP / name).read_text(errors="replace").splitlines()[:4]
        return not any("SPDX-License-Identifier" in line for line in head)
    fail_on(*(name for name in tracked(pattern="") if not NO_SPDX.search(name) and bare(name)))


@test(machine=False, timeout=600)
def checkpatch_kernel():
    compat, trace = ["driver/compat.h"], ["driver/ucore_trace.h"]
    others = [name for name in tracked("driver", "tests/kunit") if name not in compat + trace]
    fail_on(checkpatch(others, TABLE_IGNORES), checkpatch(compat, COMPAT_IGNORES),
            checkpatch(trace, TRACE_IGNORES),
            checkpatch(tracked("uapi"), UAPI_IGNORES))


@test(machine=False, timeout=300)
def gcc_w1():
    """The lab compiles the module so that a warning is an error: once for both."""
    for kernel in STRICT:
        module(kernel)


@test(machine=False, timeout=300)
def sparse_on_6_12():
    """C=2 checks the files of the lab's module, and compiles none of them again."""
    module("6.12")
    kernel = kernels.get("6.12")
    fail_on(*warnings_of(lab_command(kernel, module_directory("module", kernel), "C=2",
                                     "CF=-D__CHECK_ENDIAN__")))


@test(machine=False, timeout=900)
def clang_w1():
    fail_on(*clang_warnings())


@test(machine=False, timeout=300)
def kunit_gcc_w1():
    """`make kunit` compiles its suites so that a warning is an error: once for both."""
    kunit_module("debug")


@test(machine=False, timeout=300)
def driver_headers_compile_alone():
    """Include each header twice in a separate file: it must include what it needs, and only
    once."""
    headers = tracked("driver", pattern=r"\.h$")
    alone, clean = OUT / "headers", OUT / "headers.clean"
    build = kernels.get("6.12").build
    recipe = digest(versions(), build, *headers,
                    *((TOP / name).read_text() for name in [*headers, *tracked("uapi")]))
    if clean.exists() and clean.read_text() == recipe:
        return
    subprocess.run(["rm", "-rf", alone], check=True)
    objects = []
    for header in headers:
        name = "alone_" + re.sub(r"\W", "_", header)
        objects.append(name + ".o")
        path = alone / "alone" / (name + ".c")
        path.parent.mkdir(parents=True, exist_ok=True)
        include = f'#include "../{header}"\n'
        path.write_text("// SPDX-License-Identifier: GPL-2.0-only\n" + include * 2)
    (alone / "alone/Kbuild").write_text(
        f"obj-m := {' '.join(objects)}\n"
        "ccflags-y := -I$(src)/../driver -I$(src)/../uapi -Werror\n")
    subprocess.run(["cp", "-a", TOP / "driver", TOP / "uapi", alone], check=True)
    done = subprocess.run(["make", "-k", "-C", build, f"M={alone / 'alone'}", *objects],
                          text=True, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode:
        fail_on(*(line for line in done.stdout.splitlines() if " error: " in line),
                f"exit {done.returncode}")
    clean.write_text(recipe)


@test(machine=False)
def uapi_header_compiles_alone():
    header = TOP / "uapi/ucore.h"
    strict = ("-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-include", header)
    c = ("-x", "c", "/dev/null")
    fail_on(complaints_of("gcc", "-std=gnu90", *strict, *c),
            complaints_of("gcc", "-m32", "-std=gnu11", *strict, *c),
            complaints_of("clang", "-std=gnu11", *strict, *c),
            complaints_of("clang", "-x", "c++", "-std=c++17", *strict, "/dev/null"))


@test(machine=False)
def uapi_layout_is_the_same_for_32_bit():
    """Sizes and offsets of every struct, as the compilers see them."""
    names = re.findall(r"^struct (ucore_\w+) \{", (TOP / "uapi/ucore.h").read_text(), re.M)
    program = ('#include <ucore.h>\n'
               + "".join(f"char size_{name}[sizeof(struct {name})];\n" for name in names))

    def sizes(*flags):
        assembly = subprocess.run(["gcc", "-I", TOP / "uapi", *flags, "-S", "-o", "-", "-xc", "-"],
                                  input=program, text=True, check=True, capture_output=True)
        return re.findall(r"\.(?:size|comm)\s+(size_\w+), ?(\d+)", assembly.stdout)
    assert names and sizes() == sizes("-m32")


@test(machine=False)
def kernel_doc():
    fail_on(complaints_of("perl", script("kernel-doc"), "-none", "-Wall",
                          *tracked(*KERNEL_DOC)))


@test(machine=False)
def shell_and_python_parse():
    def shell(name):
        return "bash" if "bash" in (TOP / name).read_text().split("\n", 1)[0] else "sh"
    for name in tracked(pattern=r"\.sh$|^\.ci/run$"):
        fail_on(complaints_of(shell(name), "-n", name))
    for name in tracked(pattern=r"\.py$"):
        compile((TOP / name).read_text(), name, "exec")


@test(machine=False)
def lab_does_not_import_tests():
    """tests/lab is the machine; machine and check are built on it."""
    above = re.compile(r"^\s*(?:from|import) (?:machine|check)\b.*", re.M)
    fail_on(*(f"{name}: {line}" for name in tracked("tests/lab", pattern=r"\.py$|/run$")
              for line in above.findall((TOP / name).read_text())))


def fuzzed(out, target, *variables):
    """A fuzzer of tests/fuzz, built into a directory."""
    return subprocess.run(["make", "-C", TOP / "tests/fuzz", f"O={OUT / out}", target, *variables],
                          text=True, errors="replace", check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


def fuzz(target):
    """Complaints of a fuzzer of tests/fuzz."""
    done = fuzzed("fuzz", target)
    if done.returncode:
        fail_on("\n".join(done.stdout.splitlines()[-40:]))


@test(machine=False, timeout=300)
def discovery_parser_survives_fuzzing():
    """Always the same inputs, for some 20 seconds; `make fuzz` goes on."""
    fuzz("short")


@test(machine=False, timeout=300)
def discovery_parser_accepts_generated_tables():
    """Fewer of them, under MemorySanitizer."""
    fuzz("short-memory")


@test(machine=False, timeout=300)
def uninitialised_read_is_detected():
    """The changed parser reads one register too many of a unit."""
    judge = (TOP / "driver/find/discovery/unit_check.c").read_text()
    loop = "for (i = 0; i < nr; i++)\n\t\tend = max(end, runs[i].end);"
    assert judge.count(loop) == 1
    wrong = OUT / "fuzz-wrong/unit.c"
    wrong.parent.mkdir(parents=True, exist_ok=True)
    wrong.write_text(judge.replace(loop, loop.replace("i < nr", "i <= nr")))
    done = fuzzed("fuzz-wrong", "short-memory", f"UNIT={wrong}")
    assert done.returncode and "use-of-uninitialized-value" in done.stdout, done.stdout[-2000:]


@test(machine=False, timeout=300)
def metrics_survive_fuzzing():
    """The same of formulas, definitions and choices; `make -C tests/fuzz run-metric` goes on."""
    fuzz("short-metric")
