# SPDX-License-Identifier: GPL-2.0-only
"""Which lines of the driver ran: modules for the debug kernel that count them, if UCORE_GCOV says so.

UCORE_GCOV is a directory, which gets an archive of counts of each machine (tests/coverage reads them).
The kernel keeps the counts of modules that are gone.
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
    """Where counts go; None: nobody wants them."""
    name = os.environ.get("UCORE_GCOV")
    return Path(name) if name else None


def wanted(kernel):
    return kernel.name == "debug" and directory() is not None


def collect(machine):
    """What a machine has counted; a guest that does not answer any more has taken it along."""
    directory().mkdir(parents=True, exist_ok=True)
    try:
        machine.run(COLLECT, timeout=120)
        archive = machine.fetch("/tmp/gcov.tar")
    except Exception as error:      # whatever ended it: that is told elsewhere
        print(f"# gcov: {machine}: {error}", file=sys.stderr)
        return
    with tempfile.NamedTemporaryFile(dir=directory(), suffix=".tar", delete=False) as file:
        file.write(archive)
