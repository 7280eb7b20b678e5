# SPDX-License-Identifier: GPL-2.0-only
"""Each stage installs its packages and builds on a minimal Debian.

Stages share a root. Before each stage, packages that only other stages require are removed
(Root.without_others), and long steps that require no further package are shortened. Kernels and
QEMU come from the cache; `make fresh` builds them, too (cold/). A stage that passed is not
repeated until a file changes that determines packages (kept.py).
"""

import re

from clean_install.kept import kept
from clean_install.root import Root, readme_lines
from lab import kernels
from lab.artifacts import TOP
from lab.framework import Result, test
from lab.machine import CheckFailed
from lab.qemu import args

RELEASE = "6.1"


def warm_root(name, *kernel_names):
    """Return a Root whose cache has QEMU and these kernels, which are prepared first."""
    args.binary()
    for kernel in kernel_names:
        kernels.get(kernel)
    return Root(name)


def in_turn(root, *stages):
    """Run the stages one after the other, each with only its own packages; return Results."""
    found = []
    for stage, groups in stages:
        name = stage.__name__
        try:
            root.without_others(groups)
            stage(root)
            found.append(Result(name, "passed"))
        except (CheckFailed, AssertionError) as error:
            found.append(Result(name, "failed", f"{type(error).__name__}: {error}"))
    return found


# The time includes the build of the debug kernel by another stage
@test(machine=False, timeout=3000)
@kept
def clean_install_with_a_kernel_works():
    """Run stages with few packages first, because each stage adds packages to those before."""
    with warm_root("kernel", "6.1", "6.12", "debug", "clang") as root:
        return in_turn(root, *((stage, root.groups_of(target)) for stage, target in (
            (demo_runs, "demo"), (lab_runs_without_network, "lab"),
            (kunit_builds, "kunit"), (check_runs, "check"))))


def demo_runs(root):
    assert "Done: all equal." in root.run("make demo")


def lab_runs_without_network(root):
    """Build again and run two lab tests, one of them with perf, without network, in another locale,
    with private files, and in a read-only tree."""
    root.run(f"tests/lab/deps.sh {root.groups_of('lab')} && make clean")
    said = root.run("umask 077; chmod -R a-w .; LC_ALL=C UCORE_BUILD=$HOME/build make lab "
                    "TESTS='*.cboxes_match_the_number* *.loading_writes*?e2-2s?6.1?'", network=False)
    root.run("chmod -R u+w .")
    assert re.search(r"^\d+ passed, 0 failed, 0 skipped", said, re.M)


def kunit_builds(root):
    root.shortens_module()
    root.run(f"tests/lab/deps.sh {root.groups_of('kunit')} && make module "
             "KDIR=$(PYTHONPATH=tests python3 -m lab.kernels path debug | sed -n s/^build=//p)")


def check_runs(root):
    """Run checks that call each tool of the stage, with few inputs for the fuzzer."""
    root.shortens_module()
    said = root.run("OPTIONS=-runs=2000 make check "
                    "TESTS='uapi kernel_doc clang_w1 sparse parser_survives uninstall_removes'")
    assert re.search(r"^\d+ passed, 0 failed, 0 skipped", said, re.M)


@test(machine=False, timeout=1800)
@kept
def clean_install_without_a_kernel_works():
    with Root("programs") as root:
        return in_turn(root, (tools_test_runs, root.groups_of("tools-test")),
                       (qemu_configures, "qemu"))


def tools_test_runs(root):
    # the packages are the same without sanitizers and with few tests, minutes earlier
    said = root.run("SAN= FUZZ_ROUNDS=1 CLI_TESTS='^stat ' make tools-test >/tmp/said || "
                    "{ grep -A20 '^not ok' /tmp/said || tail -n 30 /tmp/said; exit 1; }; "
                    "cat /tmp/said")
    assert "\nok 1 " in said and "\nnot ok" not in said


def qemu_configures(root):
    """Run configure, which checks every library, because compiling takes minutes."""
    root.run("tests/lab/qemu/build.sh --configure")


@test(machine=False, timeout=1800)
@kept
def readme_works_on_a_xeon():
    """Run README's commands, then DKMS instead of make install, then Debian packages."""
    release = kernels.get(RELEASE).release
    with Root("xeon") as root:
        works_on_a_xeon(root, release)


def works_on_a_xeon(root, release):
    root.runs_kernel(release)
    on_a_xeon(root, release)
    dkms_upgrades(root, release)
    packages_install(root, release)


def on_a_xeon(root, release):
    """Run README's commands up to the loading of the module, then uninstall."""
    first, second = readme_lines("On a Xeon", "make")
    root.run(f"yes | {{ {first}\n}}", user="root")
    root.run(second, user="root")
    loads = root.run(f"modprobe --dry-run --show-depends ucore -S {release}", user="root")
    assert f"insmod /lib/modules/{release}/updates/ucore.ko" in loads, loads
    root.run("ldconfig -p | grep libucore.so.0", user="root")
    root.run("ucoretool --version && ls /usr/local/share/man/man1/ucoretool-stat.1")
    root.run("make uninstall", user="root")
    left = root.run("find /usr/local /lib/modules -name '*ucore*'", user="root")
    assert not left.strip(), left


def dkms_upgrades(root, release):
    """Install an older version by DKMS twice, then this version; check the installed one."""
    version = re.search('VERSION="(.*)"', (TOP / "dkms.conf").read_text())[1]
    root.run("apt-get install -y --no-install-recommends dkms", user="root")
    root.shortens_module()
    for each in ("0.0.9", "0.0.9", version):
        root.run(f"sed -i 's/^PACKAGE_VERSION=.*/PACKAGE_VERSION=\"{each}\"/' dkms.conf && "
                 "make dkms", user="root")
        assert root.run(f"modinfo -k {release} -F version ucore", user="root") == f"{each}\n"
    assert root.run("ls -d /usr/src/ucore-*", user="root") == f"/usr/src/ucore-{version}\n"
    root.run("test ! -e /usr/src/ucore-*/tests -a ! -e /usr/src/ucore-*/build", user="root")
    # all sources, although the Kbuild of the short module names one
    root.run("for part in driver uapi Kbuild; do diff -r $part /usr/src/ucore-*/$part || exit 1; done",
             user="root")
    root.run("make uninstall", user="root")
    assert not root.run("dkms status ucore; find /usr/src /lib/modules -name 'ucore*'", user="root")


def packages_install(root, release):
    """Install all packages, compile the module, run the tool, import the Python package, and
    purge."""
    names = "ucore-dkms ucoretool libucore0 libucore-dev python3-ucore"
    install = "DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends"
    root.shortens_module()
    refused(root, "make deb", "nmet build dependencies: debhelper-compat", user="root")
    root.run(f"{install} dpkg-dev debhelper dh-dkms", user="root")
    root.run("make deb", user="root")
    root.run(f"{install} ./build/deb/*.deb", user="root")
    assert root.run(f"modinfo -k {release} -F name ucore", user="root") == "ucore\n"
    root.run("ucoretool --version && python3 -c 'import ucore' && test -e /usr/include/ucore.h && "
             "getent group ucore")
    root.run(f"apt-get purge -y {names}", user="root")
    left = root.run("find /usr /lib /var/lib/dkms -name '*ucore*'", user="root")
    assert not left.strip(), left


def refused(root, command, sentence, **options):
    """Check that the command fails with this message."""
    try:
        root.run(command, **options)
    except CheckFailed as error:
        assert sentence in str(error), error
    else:
        raise AssertionError(f"no failure: {command}")


@test(machine=False, timeout=300)
@kept
def missing_prerequisites_are_reported_at_once():
    with Root("refused") as root:
        refused(root, "make demo", "is the network there?", network=False)
        refused(root, "make install", "nothing is installed, this is missing (Debian's package): "
                "kernel headers in", user="root")
        assert not root.run("find /usr/local -newer dkms.conf -type f", user="root")
        refused(root, "cp -r . '../a tree' && cd '../a tree' && make demo", "has a space, comma")
        refused(root, "cp -r . ../a,tree && cd ../a,tree && make demo", "has a space, comma")
        refused(root, "rm -rf build && chmod a-w . && make demo", "say UCORE_BUILD=DIR")
        refused(root, "UCORE_CACHE='/tmp/a b' UCORE_BUILD=/tmp/build make demo", "say UCORE_CACHE=DIR")
        root.run("sed -i 's/^ID=.*/ID=fedora/' /etc/os-release; rm /usr/bin/apt-get", user="root")
        refused(root, "UCORE_BUILD=/tmp/build make demo", "tests/lab/Containerfile")
