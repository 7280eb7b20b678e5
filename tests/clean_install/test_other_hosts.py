# SPDX-License-Identifier: GPL-2.0-only
"""A host with another Debian runs the lab in a Debian 12 root (tests/lab/debian12.sh)."""

from clean_install.kept import kept
from clean_install.root import Root
from clean_install.test_fresh import refused
from lab.framework import test

OUTER = "x:\n\t@tests/lab/debian12.sh make --no-print-directory -f /tmp/inner\n"
INNER = """\
x:
\t@. /etc/os-release; echo "$$VERSION_CODENAME, $(TESTS), $$N, $$(id -u), $$(sudo id -u)"
\t@echo result >build/debian12/result
"""
WITHOUT_MOUNTS = "setpriv --bounding-set -sys_admin"
WITHOUT_SUDO = "mv /usr/bin/sudo /usr/bin/not-sudo"


@test(machine=False, timeout=900)
@kept
def debian_13_runs_the_lab_on_debian_12():
    with Root("debian-13", release="trixie") as root:
        refused(root, "make demo", "mmdebstrap, which makes the root, is not installed",
                network=False)
        interrupted_making_leaves_nothing(root)
        listed = root.run("tests/lab/run -l loading_writes")
        assert "the lab runs in a root directory with Debian 12" in listed, listed
        assert "test_lifecycle.loading_writes" in listed, listed
        settings_and_user_are_kept(root)
        terminal_is_kept(root)
        missing_rights_are_named(root)


def interrupted_making_leaves_nothing(root):
    root.run("sudo tests/lab/deps.sh --host root")
    said = root.run("timeout -s INT 10 make demo || echo ended with $?; ls ~/.cache/ucore/debian12; "
                    "grep -l mmdebstrap /proc/[0-9]*/comm; grep debian12 /proc/mounts || :")
    assert said.split("ended with ")[1].split() == ["124", "bookworm.sources"], said


def settings_and_user_are_kept(root):
    root.write("/tmp/outer", OUTER)
    root.write("/tmp/inner", INNER)
    said = root.run("N=7 make -j4 -s -f /tmp/outer TESTS='a  b*'", network=False)
    assert "\nbookworm, a  b*, 7, 1000, 0\n" in said, said
    assert root.run("stat -c %U build/debian12/result") == "user\n"
    assert not root.run("grep debian12 /proc/mounts || :")


def terminal_is_kept(root):
    said = root.run("script -qec 'stty rows 33; tests/lab/debian12.sh sh -c \"tty; stty size\"' "
                    "/dev/null </dev/null")
    assert "/dev/pts/" in said and "\n33 " in said, said


def missing_rights_are_named(root):
    refused(root, f"{WITHOUT_MOUNTS} make demo", "mounts are not permitted here", user="root")
    root.run(WITHOUT_SUDO, user="root")
    refused(root, "make demo", "this needs root or sudo")
