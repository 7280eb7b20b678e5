# SPDX-License-Identifier: GPL-2.0-only
"""Every stage installs what it needs, and builds: each on a minimal Debian of its own.

Kernels and QEMU come from the cache, so that this takes a few minutes; `make fresh` builds
them, too (cold/).
"""

from fresh.root import Root
from lab.framework import test


@test(machine=False, timeout=600)
def demo_runs_again_without_network():
    with Root("demo") as root:
        assert "Done: all equal." in root.run("make demo")
        assert "Done: all equal." in root.run("make demo", network=False)
        # Another locale, files that nobody else may read, a tree that cannot be written
        said = root.run("make clean; umask 077; chmod -R a-w .; "
                        "LC_ALL=C UCORE_BUILD=$HOME/build make demo", network=False)
        assert "Done: all equal." in said


@test(machine=False, timeout=600)
def kunit_builds():
    with Root("kunit") as root:
        root.run("tests/lab/deps.sh build lab debug && cd tests && "
                 "python3 -c 'from lab import artifacts; artifacts.kunit_module()'")


@test(machine=False, timeout=600)
def check_runs():
    """One test for each tool that the stage calls."""
    with Root("check") as root:
        said = root.run("make check TESTS='checkpatch_user_space uapi_header kernel_doc "
                        "sparse clang_w1 fuzzing'")
        assert " 0 failed, 0 skipped" in said


@test(machine=False, timeout=600)
def tools_test_runs():
    with Root("tools") as root:
        said = root.run("make tools-test")
        assert "\nok 1 " in said and "\nnot ok" not in said


@test(machine=False, timeout=600)
def lab_runs():
    with Root("lab") as root:
        said = root.run("make lab TESTS='test_witness.counters_of_every_type'")
        assert " 0 failed, 0 skipped" in said


@test(machine=False, timeout=600)
def qemu_configures():
    """Building all of it would take minutes; configure looks for each library."""
    with Root("qemu") as root:
        root.run("tests/lab/deps.sh qemu")
