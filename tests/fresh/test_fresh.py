# SPDX-License-Identifier: GPL-2.0-only
"""Every stage installs what it needs, and builds: each on a minimal Debian of its own.

Kernels and QEMU come from the cache, so that this takes a few minutes; `make fresh` builds
them, too (cold/).
"""

import re

from fresh.root import Root, readme_lines
from lab import kernels
from lab.artifacts import TOP
from lab.framework import test
from lab.machine import CheckFailed
from lab.qemu import args

RELEASE = "6.1"


def warm_root(name, *kernel_names):
    """A root that finds in the cache what it needs, made ready here first."""
    args.binary()
    for kernel in kernel_names:
        kernels.get(kernel)
    return Root(name)


@test(machine=False, timeout=600)
def demo_runs_and_again_without_network():
    with warm_root("demo", "6.1") as root:
        assert "Done: all equal." in root.run("make demo")
        # no network, another locale, files for nobody else, a tree that cannot be written
        said = root.run("make clean; umask 077; chmod -R a-w .; "
                        "LC_ALL=C UCORE_BUILD=$HOME/build make demo", network=False)
        assert "Done: all equal." in said


@test(machine=False, timeout=600)
def kunit_builds():
    with warm_root("kunit", "debug") as root:
        root.run("tests/lab/deps.sh build lab debug && cd tests && "
                 "python3 -c 'from lab import artifacts; artifacts.kunit_module()'")


@test(machine=False, timeout=600)
def check_runs():
    """Tests that call each tool of the stage."""
    with warm_root("check", "6.1", "6.12", "debug", "clang") as root:
        said = root.run("make check TESTS='uapi kernel_doc clang_w1 "
                        "sparse fuzzing install_and'")
        assert re.search(r"^\d+ passed, 0 failed, 0 skipped", said, re.M)


@test(machine=False, timeout=600)
def tools_test_runs():
    with Root("tools") as root:
        said = root.run("make tools-test")
        assert "\nok 1 " in said and "\nnot ok" not in said


@test(machine=False, timeout=600)
def lab_runs():
    """Two tests, one with perf."""
    with warm_root("lab", "6.1") as root:
        said = root.run("make lab TESTS='every_cbox_is_found_by_the_number loading_touches'")
        assert re.search(r"^\d+ passed, 0 failed, 0 skipped", said, re.M)


@test(machine=False, timeout=600)
def qemu_configures():
    """Compiling it takes minutes; configure looks for every library."""
    with Root("qemu") as root:
        root.run("tests/lab/qemu/build.sh --configure")


@test(machine=False, timeout=600)
def on_a_xeon():
    """README's lines as they stand, up to the module's loading; then all of it away again."""
    release = kernels.get(RELEASE).release
    with Root("xeon") as root:
        root.runs_kernel(release)
        first, second = readme_lines("On a Xeon", "make")
        root.run(f"yes | {{ {first}\n}}", user="root")
        root.run(second, user="root")
        loads = root.run(f"modprobe --dry-run --show-depends ucore -S {release}", user="root")
        assert f"insmod /lib/modules/{release}/updates/ucore.ko" in loads, loads
        root.run("ldconfig -p | grep libucore.so.0", user="root")
        root.run("ucoretool --version && ls /usr/local/share/man/man1/ucoretool.1")
        root.run("make uninstall", user="root")
        left = root.run("find /usr/local /lib/modules -name '*ucore*'", user="root")
        assert not left.strip(), left


@test(machine=False, timeout=600)
def dkms_upgrades():
    """DKMS gets an older version, that again, then this one: each is the one installed."""
    release = kernels.get(RELEASE).release
    version = re.search('VERSION="(.*)"', (TOP / "dkms.conf").read_text())[1]
    with Root("dkms") as root:
        root.runs_kernel(release)
        root.run("apt-get update && apt-get install -y --no-install-recommends "
                 f"dkms linux-headers-{release}", user="root")
        for each in ("0.0.9", "0.0.9", version):
            root.run(f"sed -i 's/^PACKAGE_VERSION=.*/PACKAGE_VERSION=\"{each}\"/' dkms.conf && "
                     "make dkms", user="root")
            assert root.run(f"modinfo -k {release} -F version ucore", user="root") == f"{each}\n"
        assert root.run("ls -d /usr/src/ucore-*", user="root") == f"/usr/src/ucore-{version}\n"
        root.run("test ! -e /usr/src/ucore-*/tests -a ! -e /usr/src/ucore-*/build", user="root")
        root.run("make uninstall", user="root")
        assert not root.run("dkms status ucore; find /usr/src /lib/modules -name 'ucore*'", user="root")


def refused(root, command, sentence, **options):
    """The command fails and says this."""
    try:
        root.run(command, **options)
    except CheckFailed as error:
        assert sentence in str(error), error
    else:
        raise AssertionError(f"no failure: {command}")


@test(machine=False, timeout=300)
def what_cannot_work_is_said_at_once():
    with Root("refused") as root:
        refused(root, "make demo", "is the network there?", network=False)
        refused(root, "make install", "nothing is installed, this is missing (Debian's package): "
                "kernel headers in", user="root")
        assert not root.run("find /usr/local -newer dkms.conf -type f", user="root")
        refused(root, "cp -r . '../a tree' && cd '../a tree' && make demo", "has a space, comma")
        refused(root, "cp -r . ../a,tree && cd ../a,tree && make demo", "has a space, comma")
        refused(root, "rm -rf build && chmod a-w . && make demo", "say UCORE_BUILD=DIR")
        refused(root, "UCORE_CACHE='/tmp/a b' UCORE_BUILD=/tmp/build make demo", "say UCORE_CACHE=DIR")
        root.run("sed -i s/bookworm/trixie/ /etc/os-release", user="root")
        refused(root, "UCORE_BUILD=/tmp/build make demo", "tests/lab/Containerfile")
