# SPDX-License-Identifier: GPL-2.0-only
"""README's two commands on a machine with only the packages that README requires.

The cache has only downloaded packages, so that QEMU is built.
"""

import os
import time

from clean_install.other_hosts import becomes_ubuntu, headers_release
from clean_install.root import Root
from clean_install.test_fresh import works_on_a_xeon
from lab.framework import test


@test(machine=False, timeout=3600)
def make_demo():
    with Root("cold-demo", warm=False) as root:
        assert "Done: all equal." in root.run("make demo")


@test(machine=False, timeout=3600)
def make_demo_on_debian_13():
    with Root("cold-demo-13", warm=False, release="trixie") as root:
        assert "Done: all equal." in root.run("make demo")
        assert "Done: all equal." in root.run("make demo", network=False)


@test(machine=False, timeout=1800)
def readme_works_on_a_xeon_with_debian_13():
    with Root("xeon-13", release="trixie") as root:
        works_on_a_xeon(root, headers_release(root))


@test(machine=False, timeout=900)
def host_without_debian_sources_makes_a_root():
    """Make the root from mmdebstrap's own mirror, as on Ubuntu."""
    with Root("ubuntu", warm=False, release="trixie") as root:
        becomes_ubuntu(root)
        said = root.run("tests/lab/debian12.sh sh -c '. /etc/os-release; sudo apt-get -qq update; "
                        "echo $VERSION_CODENAME; apt-cache policy linux-source-6.12'")
        assert "this is Ubuntu 24.04" in said and "\nbookworm\n" in said, said
        assert "bookworm-security" in said, said


# seconds that `make test` may take on two processors that do nothing else
COLD, WARM = 12 * 60, 6 * 60


def tests_pass_in_time(root):
    """Run `make test` twice, as a newcomer and as a developer."""
    times = []
    for limit in COLD, WARM:
        begin = time.monotonic()
        last = root.run("make test").splitlines()[-1]
        times.append(round(time.monotonic() - begin))
        assert " 0 failed, 0 skipped" in last, last
        assert times[-1] <= limit, f"{times} s, load {os.getloadavg()}"
    print(f"# {times[0]} s cold, {times[1]} s warm", flush=True)


@test(machine=False, timeout=3600)
def make_test():
    with Root("cold-test", warm=False) as root:
        tests_pass_in_time(root)


@test(machine=False, timeout=3600)
def make_test_on_debian_13():
    with Root("cold-test-13", warm=False, release="trixie") as root:
        tests_pass_in_time(root)
