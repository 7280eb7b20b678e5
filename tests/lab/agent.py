# SPDX-License-Identifier: GPL-2.0-only
"""Host side of the guest agent. guest/init.c describes the frames."""

import itertools
import os
import signal
import socket
import struct
import threading
import time

HEADER = struct.Struct("<4I")
(HELLO, RUN, KILL, OFF, OUT, EXIT, BULK, RUN_FED, INPUT, READ,
 WRITE) = range(1, 12)
TIMED_OUT = 1 << 16
NO_JOB = 1 << 17
# seconds that a silent guest gets in addition to the timeout of a command
GRACE = 15


# Minimum factor for timeouts. The load of the host does not include other users of the
# processor.
LEAST_PATIENCE = 3.0


def patience():
    """Return the factor for timeouts, which depends on the load of the host.

    The load is the average of the last minute, or the number of running tasks if that is larger.
    """
    with open("/proc/loadavg") as loadavg:
        minute, _, _, running, _ = loadavg.read().split()
    return max(LEAST_PATIENCE, float(minute) / os.cpu_count(),
               int(running.split("/")[0]) / os.cpu_count())


class AgentError(Exception):
    """The guest does not answer, because it hangs, has ended or has not booted yet."""


class CommandTimeout(Exception):
    """The agent killed a command at its timeout."""


class CommandFailed(Exception):
    """A command ended with a status other than 0."""

    def __init__(self, command, result):
        super().__init__(f"exit {result.status}: {command}\n"
                         f"{result.out}{result.err}".rstrip())
        self.result = result


class Completed:
    """Exit status and output of a finished command."""

    def __init__(self, status, raw_out, raw_err):
        self.status = status
        self.raw_out = raw_out
        self.raw_err = raw_err

    @property
    def out(self):
        return self.raw_out.decode(errors="replace")

    @property
    def err(self):
        return self.raw_err.decode(errors="replace")


class Process:
    """A command that runs in the guest."""

    def __init__(self, agent, ident, command, timeout):
        self._agent = agent
        self._ident = ident
        self._timeout = timeout
        self._verdict = None
        self.command = command
        self.streams = {1: bytearray(), 2: bytearray()}

    @property
    def done(self):
        return self._verdict is not None

    def finish(self, verdict):
        self._verdict = verdict

    def kill(self, sig=signal.SIGTERM):
        """Send a signal to the command's process group."""
        self._agent.send(KILL, self._ident, int(sig))

    def feed(self, text):
        """Write to the stdin of a command that was spawned with fed=True."""
        self._agent.send(INPUT, self._ident, payload=text.encode())

    def output(self):
        """Return the stdout so far as text."""
        return bytes(self.streams[1]).decode(errors="replace")

    def wait(self, timeout=None, check=True):
        """Wait for the end; return a Completed, or raise the error."""
        limit = timeout or self._timeout
        self._agent.wait_for(lambda: self.done, limit + GRACE if limit else None,
                             self.command)
        if self._verdict & NO_JOB:
            raise AgentError(f"the agent could not start: {self.command}")
        result = Completed(os.waitstatus_to_exitcode(self._verdict & 0xffff),
                        bytes(self.streams[1]), bytes(self.streams[2]))
        if self._verdict & TIMED_OUT:
            raise CommandTimeout(f"killed after {self._timeout:.0f} s: {self.command}\n"
                                 f"{result.out}{result.err}".rstrip())
        if check and result.status:
            raise CommandFailed(self.command, result)
        return result


class Agent:
    """Frames over a connected socket; one thread reads, any thread sends.

    bulk  the file to which the guest's debug port goes: payloads of BULK frames
    """

    def __init__(self, sock, bulk):
        self._sock = sock
        self._bulk = bulk
        self._idents = itertools.count(1)
        self._processes = {}
        self.boots = 0          # number of ready messages
        self._dead = None
        self._changed = threading.Condition()
        self._sending = threading.Lock()
        threading.Thread(target=self._read_loop, daemon=True).start()

    def wait_ready(self, timeout):
        self.wait_for(lambda: self.boots, timeout, "boot")

    def spawn(self, command, timeout=None, fed=False):
        """Start a command. The timeout is in seconds of an idle host."""
        timeout = timeout and timeout * patience()
        milliseconds = max(1, int(timeout * 1000)) if timeout else 0
        return self._order(command, timeout, RUN_FED if fed else RUN, milliseconds,
                           command.encode())

    def read(self, path, timeout=20):
        """Return the text of a file of the guest whose read() does not block."""
        process = self._order(f"read {path}", timeout * patience(), READ, 0, path.encode())
        return process.wait().out

    def write(self, path, text, timeout=20):
        """Write once to a file of the guest whose write() does not block."""
        path = path.encode()
        process = self._order(f"write {path}", timeout * patience(), WRITE, len(path),
                              path + text.encode())
        process.wait()

    def _order(self, what, timeout, kind, arg, payload):
        process = Process(self, next(self._idents), what, timeout)
        with self._changed:
            self._processes[process._ident] = process
        self.send(kind, process._ident, arg, payload)
        return process

    def send(self, kind, ident=0, arg=0, payload=b""):
        try:
            with self._sending:
                self._sock.sendall(HEADER.pack(kind, ident, arg, len(payload)) + payload)
        except OSError as error:
            raise AgentError(f"the guest is gone: {error}") from error

    def check(self):
        """Raise AgentError if the guest has ended."""
        if self._dead:
            raise AgentError(self._dead)

    def wait_for(self, condition, timeout, what):
        """Wait until condition() is true, which is checked after each frame."""
        limit = time.monotonic() + timeout if timeout else None
        with self._changed:
            while not condition():
                if self._dead:
                    raise AgentError(f"{self._dead} during: {what}")
                left = limit - time.monotonic() if limit else None
                if left is not None and left <= 0:
                    raise AgentError(f"no answer within {timeout:.0f} s: {what}")
                self._changed.wait(left)

    def _read_loop(self):
        try:
            while True:
                kind, ident, arg, length = HEADER.unpack(self._read(HEADER.size))
                if kind == BULK:
                    self._dispatch(OUT, ident, arg, self._bulk.read(length))
                else:
                    self._dispatch(kind, ident, arg, self._read(length))
        except OSError as error:
            with self._changed:
                self._dead = f"the guest ended ({error})"
                self._changed.notify_all()

    def _dispatch(self, kind, ident, arg, payload):
        with self._changed:
            process = self._processes.get(ident)
            if kind == HELLO:
                self.boots += 1
            elif kind == OUT and process:
                process.streams[arg] += payload
            elif kind == EXIT and process:
                del self._processes[ident]
                process.finish(arg)
            else:
                raise OSError(f"garbage from the agent: frame {kind}, id {ident}")
            self._changed.notify_all()

    def _read(self, length):
        # QEMU's serial port sends single bytes: wait until the kernel has collected several
        data = self._sock.recv(length, socket.MSG_WAITALL) if length else b""
        if len(data) < length:
            raise OSError("end of file")
        return data


def socket_pair():
    """Create a connected pair of sockets: one for this process, one for a child to inherit."""
    ours, theirs = socket.socketpair()
    theirs.set_inheritable(True)
    return ours, theirs
