# SPDX-License-Identifier: GPL-2.0-only
"""Roots that stand for hosts other than Debian 12."""

import re


def headers_release(root):
    """Return the release of the kernel headers that this release of Debian has."""
    said = root.run("apt-get -qq update && apt-cache depends linux-headers-amd64", user="root")
    return re.search(r"Depends: linux-headers-(\d\S+)", said)[1]


def becomes_ubuntu(root):
    """Install what the root is made with, then remove what Ubuntu does not have: sources and
    trusted keys of Debian in apt."""
    root.run("""set -e; tests/lab/deps.sh --host root
        rm -rf /etc/apt/sources.list* /etc/apt/trusted.gpg.d/debian-*
        mkdir /etc/apt/sources.list.d
        sed -i 's/^ID=.*/ID=ubuntu/; s/^VERSION_CODENAME=.*/VERSION_CODENAME=noble/
            s/^PRETTY_NAME=.*/PRETTY_NAME="Ubuntu 24.04 LTS"/' /etc/os-release""", user="root")
