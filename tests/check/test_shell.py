# SPDX-License-Identifier: GPL-2.0-only
"""`make check`: `make shell` refuses unknown scenarios, and ends when its terminal is closed."""

import os
import subprocess
import sys

from lab import shell
from lab.framework import test

# A program whose parent ignores SIGHUP, as nohup does; the read is the wait for the machine
HUNG_UP = """
import os, signal, sys
signal.signal(signal.SIGHUP, signal.SIG_IGN)
from lab import shell
shell.end_at_hangup(sys.stdin)
try:
    print("machine runs", flush=True)
    os.read(os.pipe()[0], 1)
finally:
    print("machine closed", flush=True)
"""


@test(machine=False)
def unknown_scenario_is_refused_with_the_list():
    try:
        shell.main("nosuch")
    except SystemExit as end:
        said = str(end)
    for scenario in ("nosuch?", "e2-2s, ", "spr-2s, ", ", pc."):
        assert scenario in said, said


@test(machine=False)
def closed_terminal_ends_the_machine():
    there, here = os.openpty()
    with subprocess.Popen([sys.executable, "-B", "-c", HUNG_UP], stdin=here, text=True,
                          stdout=subprocess.PIPE, start_new_session=True,
                          env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}) as program:
        os.close(here)
        try:
            assert program.stdout.readline() == "machine runs\n"
            assert program.poll() is None
            os.close(there)
            said, _ = program.communicate(timeout=30)
        finally:
            program.kill()
    assert (program.returncode, said) == (129, "machine closed\n"), (program.returncode, said)
