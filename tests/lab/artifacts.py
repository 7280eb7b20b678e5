# SPDX-License-Identifier: GPL-2.0-only
"""Build the files of a guest on first use, in build/ of the checkout."""

import functools
import os
import re
import shutil
import subprocess
from pathlib import Path

from lab import gcov, kernels, linked_kunit

TOP = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("UCORE_BUILD") or TOP / "build")
GUEST = TOP / "tests/lab/guest"
# Small C programs for the guests, each also built for 32 bits as NAME32
PROGRAM_DIRS = (GUEST / "programs", TOP / "tests/uapi")
STATIC = ("-static", "-s")


class BuildError(Exception):
    """A build failed; the text carries the end of its log."""


def make_log(name, *command):
    """Run a build command with its output in build/log/."""
    log = BUILD / "log" / f"{name}.log"
    log.parent.mkdir(parents=True, exist_ok=True)
    with open(log, "w") as out:
        done = subprocess.run([str(word) for word in command], cwd=TOP,
                              stdout=out, stderr=subprocess.STDOUT, check=False)
    if done.returncode:
        tail = "\n".join(log.read_text(errors="replace").splitlines()[-30:])
        raise BuildError(f"{name}: see {log}\n{tail}")


def once(build):
    """Build an artifact once per process, in one process at a time."""
    @functools.cache
    @functools.wraps(build)
    def locked(*args):
        with kernels.locked("-".join((build.__name__, *map(str, args))), BUILD):
            return build(*args)
    return locked


def module_command(kernel, out, *variables, flags=""):
    """Return the command that builds the module for a kernel in a directory.

    Debug information is left out. It is nine tenths of the module, and a third of the time.
    """
    return ["make", "--no-print-directory", "module", f"KDIR={kernel.build}", f"MODULE={out}",
            f"KCFLAGS=-g0 {flags}",
            *(["GCOV_PROFILE=y"] if gcov.wanted(kernel) else []), *variables]


def module_directory(name, kernel):
    return BUILD / f"{name}{'-gcov' if gcov.wanted(kernel) else ''}-{kernel.release}"


# Kernels for which a warning is an error. Headers of other kernels may themselves have warnings.
# UCORE_WARNINGS=allowed: none, because a warning about a mutant is not a test that detects it
STRICT = () if os.environ.get("UCORE_WARNINGS") == "allowed" else kernels.DEBIAN


@once
def module(kernel_name):
    """Return the path of ucore.ko for a kernel."""
    kernel = kernels.get(kernel_name)
    out = module_directory("module", kernel)
    make_log(f"module-{kernel_name}", *lab_command(kernel, out))
    if kernel_name in STRICT:
        refuse_warnings(f"module-{kernel_name}", out)
    return out / "ucore.ko"


def lab_command(kernel, out, *variables):
    """Return the command that builds the module as the lab does."""
    strict = kernel.name in STRICT
    return module_command(kernel, out, *(["W=1"] if strict else []),
                          *(["KCOV_INSTRUMENT=y"] if kernel.name == "debug" else []), *variables,
                          flags="-Werror" if strict else "")


def refuse_warnings(name, out):
    """Fail if a build printed warnings of modpost, and remove it, so that it prints them again."""
    if warnings := re.findall(r"^WARNING: .*", (BUILD / f"log/{name}.log").read_text(), re.M):
        shutil.rmtree(out)
        raise BuildError("\n".join(warnings))


@once
def kunit_module(kernel_name):
    """Build the KUnit suites for a kernel. Warnings of gcc and modpost are errors."""
    kernel = kernels.get(kernel_name)
    name = f"kunit-{kernel_name}"
    out = module_directory("kunit", kernel)
    # the warnings of a linked KUnit are not ours
    strict, flags = (["W=1"], "-Werror") if kernel.has_kunit else ([], "")
    make_log(name, *module_command(kernel, out, *linked_kunit.variables(kernel, out), *strict,
                                   flags=flags))
    refuse_warnings(name, out)
    return next(out.rglob("tests/kunit/*.ko"))


@once
def tools():
    """Build ucoretool; return its directory."""
    out = BUILD / "tools"
    make_log("tools", "make", "-C", "tools", f"O={out}")
    return out


@once
def programs():
    """Return the helper programs for the guest: path -> names, one file for each word size."""
    return {multicall(""): [source.stem for source in program_sources()],
            multicall("32", "-m32"): [f"{source.stem}32" for source in program_sources()]}


def program_sources():
    return sorted(source for directory in PROGRAM_DIRS for source in directory.glob("*.c"))


def multicall(suffix, *flags):
    """Link the programs into one file (guest/multicall.c)."""
    where = BUILD / f"guest/programs{suffix}"
    where.mkdir(parents=True, exist_ok=True)
    names = [source.stem for source in program_sources()]
    listed = "".join(f"int main_{name}(int argc, char **argv);\n" for name in names) + \
        f"#define PROGRAMS {', '.join(f'PROGRAM({name})' for name in names)}\n"
    if not (where / "programs.h").exists() or (where / "programs.h").read_text() != listed:
        (where / "programs.h").write_text(listed)
    objects = [compiled(source, where / f"{source.stem}.o", "-c", f"-Dmain=main_{source.stem}", *flags)
               for source in program_sources()]
    return compiled(GUEST / "multicall.c", where / f"programs{suffix}", f'-DNAME_END="{suffix}"',
                    "-I", where, *STATIC, *flags, inputs=(where / "programs.h", *objects),
                    linked=objects)


@once
def init():
    return compiled(GUEST / "init.c", BUILD / "guest/init", *STATIC)


def compiled(source, out, *flags, inputs=(), linked=()):
    """Compile one C file to a program or object if it or its headers are newer."""
    out.parent.mkdir(parents=True, exist_ok=True)
    inputs = [source, *source.parent.glob("*.h"), *(TOP / "uapi").glob("*.h"), *inputs]
    if not out.exists() or any(path.stat().st_mtime > out.stat().st_mtime for path in inputs):
        make_log(f"guest-{out.name}", "gcc", "-Wall", "-Wextra", "-O2", "-pthread",
                 "-I", TOP / "uapi", *flags, "-o", out, source, *linked)
    return out
