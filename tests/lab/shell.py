# SPDX-License-Identifier: GPL-2.0-only
"""`make shell`: a shell on the console of an emulated machine.

usage: python3 -m lab.shell [SCENARIO [KERNEL]]

The scenario `pc` is a machine without uncore.
"""

import contextlib
import os
import select
import shutil
import signal
import sys
import termios
import threading

from lab import extras
from lab.initramfs import TERMINALS
from lab.machine import Machine
from lab.qemu import args

SHELL = ("ifconfig lo 127.0.0.1 up; stty rows {rows} cols {cols}; cd /root; "
         "TERM={term} LANG=C.UTF-8 exec sh -l")


@contextlib.contextmanager
def terminal_restored():
    """QEMU puts the terminal into raw mode and is killed in the end."""
    if not sys.stdin.isatty():
        yield
        return
    saved = termios.tcgetattr(sys.stdin)
    try:
        yield
    finally:
        # a terminal that was closed cannot be restored
        with contextlib.suppress(termios.error):
            termios.tcsetattr(sys.stdin, termios.TCSADRAIN, saved)


def terminal_type():
    """Return the TERM value of the guest for the user's terminal."""
    name = os.environ.get("TERM", "")
    return name if name in TERMINALS else "vt100"


def end_at_hangup(terminal):
    """End the machine when its terminal is closed.

    The kernel sends SIGHUP to the session's leader only, which may ignore it.
    """
    def wait():
        poll = select.poll()
        poll.register(terminal, 0)      # a hangup is always reported
        poll.poll()
        os.kill(os.getpid(), signal.SIGHUP)
    signal.signal(signal.SIGHUP, lambda *_: sys.exit(128 + signal.SIGHUP))
    threading.Thread(target=wait, daemon=True).start()


def main(scenario="e2-2s", kernel="6.1"):
    known = sorted(path.stem for path in args.SCENARIOS.glob("*.ini"))
    if scenario not in (*known, "pc"):
        sys.exit(f"shell: SCENARIO={scenario}? There are {', '.join(known)}, pc.")
    if sys.stdin.isatty():
        end_at_hangup(sys.stdin)
    args.binary()
    print(f"Booting {scenario} with {kernel}; leave the shell with exit or Ctrl-D.", flush=True)
    size = shutil.get_terminal_size()
    shell = SHELL.format(rows=size.lines, cols=size.columns, term=terminal_type())
    with terminal_restored(), Machine(None if scenario == "pc" else scenario, kernel, perf=True,
                                      files=extras.files(), console="terminal",
                                      strict=False) as machine:
        machine.insmod()
        # A session leader's first terminal becomes its controlling one
        machine.run(f"exec </dev/ttyS0 >/dev/ttyS0 2>&1; {shell}", timeout=None, check=False)


if __name__ == "__main__":
    main(*sys.argv[1:])
