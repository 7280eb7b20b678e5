# SPDX-License-Identifier: GPL-2.0-only
"""README's two commands on a machine with only the packages that README requires.

The cache has only downloaded packages, so that QEMU and the debug kernel are built.
"""

from clean_install.root import Root
from lab.framework import test


@test(machine=False, timeout=3600)
def make_demo():
    with Root("cold-demo", warm=False) as root:
        assert "Done: all equal." in root.run("make demo")


@test(machine=False, timeout=3 * 3600)
def make_test():
    with Root("cold-test", warm=False) as root:
        last = root.run("make test").splitlines()[-1]
        assert " 0 failed, 0 skipped" in last, last
