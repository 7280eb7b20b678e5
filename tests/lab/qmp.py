# SPDX-License-Identifier: GPL-2.0-only
"""A minimal QMP client over a connected socket."""

import json


class QmpError(Exception):
    """QEMU refused a command."""


class Qmp:
    def __init__(self, sock, timeout=30):
        sock.settimeout(timeout)
        self._file = sock.makefile("rw", encoding="utf-8")
        self.events = []

    def connect(self):
        self._receive()		# the greeting
        self.execute("qmp_capabilities")

    def execute(self, command, **arguments):
        request = {"execute": command}
        if arguments:
            request["arguments"] = {key.replace("_", "-"): value
                                    for key, value in arguments.items()}
        self._file.write(json.dumps(request))
        self._file.flush()
        while True:
            answer = self._receive()
            if "event" in answer:
                self.events.append(answer)
            elif "error" in answer:
                raise QmpError(f"{command}: {answer['error']['desc']}")
            else:
                return answer["return"]

    def _receive(self):
        line = self._file.readline()
        if not line:
            raise QmpError("QEMU closed its monitor")
        return json.loads(line)
