# SPDX-License-Identifier: GPL-2.0-only
"""Line coverage of the driver: modules for the debug kernel that count executed lines.

The directory UCORE_GCOV gets an archive of counts of each machine (tests/coverage reads them).
The kernel keeps the counts of unloaded modules.
"""

import os
import sys
import tempfile
from pathlib import Path

COUNTS = "/sys/kernel/debug/gcov"
# Files of debugfs have no size until they are read
COLLECT = f"""
cd {COUNTS} && find . -name '*.gcda' | while read -r file; do
    mkdir -p "/tmp/gcov/${{file%/*}}" && cat "$file" >"/tmp/gcov/$file"
done
tar -c -C /tmp/gcov . >/tmp/gcov.tar"""


def directory():
    """Return the directory for counts; None if coverage is off."""
    name = os.environ.get("UCORE_GCOV")
    return Path(name) if name else None


def wanted(kernel):
    return kernel.name == "debug" and directory() is not None


def collect(machine):
    """Collect the counts of a machine. The counts of a guest that no longer answers are lost."""
    directory().mkdir(parents=True, exist_ok=True)
    try:
        machine.run(COLLECT, timeout=120)
        archive = machine.fetch("/tmp/gcov.tar")
    except Exception as error:      # the cause is reported by the test
        print(f"# gcov: {machine}: {error}", file=sys.stderr)
        return
    with tempfile.NamedTemporaryFile(dir=directory(), suffix=".tar", delete=False) as file:
        file.write(archive)
