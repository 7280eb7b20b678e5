# SPDX-License-Identifier: LGPL-2.1-or-later
"""Scrapers of all kinds, for export.bats: each command is a test's other end.

usage: scrape.py COMMAND ADDRESS ...    ADDRESS is what the exporter says that it listens on

get [PATH [METHOD]]     prints the status, the headers, an empty line, the body
page                    prints the body of /metrics
together N              N at once: prints how many different pages they got
crowd N                 N that are slow or talk nonsense, and scrapers among them
patience                a connection that dribbles is ended
steady N [SECONDS]      N pages, SECONDS apart: no counter ever falls
dashboard               every query of the dashboard gives something; needs Prometheus
queries                 prints the dashboard's queries and the documentation's, for promtool
names FILE              the metrics in them that a page does not have
"""

import http.client
import re
import socket
import sys
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from lab import prometheus  # noqa: E402

TIMEOUT = 60
SAMPLE = re.compile(r'^(\w+)(\{(?:\w+="(?:[^"\\\n]|\\.)*",?)*\})? (\S+)$')


class Unix(http.client.HTTPConnection):
    """HTTP over a unix socket."""

    def __init__(self, path):
        super().__init__("localhost", timeout=TIMEOUT)
        self._path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(TIMEOUT)
        self.sock.connect(self._path)


def host_of(address):
    """("127.0.0.1", 9739) of the address that the exporter prints."""
    host, port = re.match(r"http://(.*):(\d+)/metrics$", address).groups()
    return host.strip("[]"), int(port)


def plain(address):
    """A connected socket."""
    if not address.startswith("unix:"):
        return socket.create_connection(host_of(address), timeout=TIMEOUT)
    connection = Unix(address[5:])
    connection.connect()
    return connection.sock


def request(address, path="/metrics", method="GET", body=None):
    """(status, headers, body) of an answer."""
    if address.startswith("unix:"):
        connection = Unix(address[5:])
    else:
        connection = http.client.HTTPConnection(*host_of(address), timeout=TIMEOUT)
    try:
        connection.request(method, path, body)
        answer = connection.getresponse()
        return answer.status, answer.getheaders(), answer.read().decode()
    finally:
        connection.close()


def page(address):
    status, _, body = request(address)
    assert status == 200, status
    return body


def samples(text):
    """Each sample's name and labels, and its value; the types of the families."""
    values, types = {}, {}
    for line in text.splitlines():
        if line.startswith("# TYPE "):
            _, _, name, kind = line.split()
            assert name not in types, f"a family twice: {name}"
            types[name] = kind
        elif not line.startswith("#"):
            match = SAMPLE.match(line)
            assert match, f"no sample: {line}"
            key = match[1] + (match[2] or "")
            assert key not in values, f"a sample twice: {key}"
            values[key] = float(match[3])
    return values, types


def in_parallel(number, function):
    """What each of so many threads returns; they begin together."""
    found, gate = [None] * number, threading.Barrier(number)

    def one(i):
        gate.wait()
        found[i] = function()
    threads = [threading.Thread(target=one, args=(i,)) for i in range(number)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return found


# ---- Commands ----------------------------------------------------------------


def get(address, path="/metrics", method="GET"):
    status, headers, body = request(address, path, method, "x" * 1000 if method == "POST" else None)
    print(status)
    for name, value in headers:
        print(f"{name}: {value}")
    print()
    print(body, end="")


def together(address, number):
    found = in_parallel(int(number), lambda: page(address))
    assert all(text and text.endswith("\n") for text in found)
    print(len(set(found)))


# What a client may send, and then wait: lines without end, no HTTP at all, half a request
NONSENSE = (b"", b"G", b"GET /metrics HTTP/1.1\r\n", b"GET /metrics HTTP/1.1\r\nHost: x\r\nX-A: ",
            b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\x00\xff" * 200,
            b"GET " + b"/" * 20000, b"\r\n" * 5000, b"NONSENSE\r\n\r\n",
            b"GET /metrics HTTP/9.9\r\n\r\n", b"GET /metrics HTTP/1.1\r\n" + b"A: b\r\n" * 5000,
            b"POST /metrics HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999\r\n\r\nabc",
            b"POST /metrics HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
            b"POST /metrics HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffff\r\n",
            b"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n" * 500,
            b"GET http://[::1/%00%ff HTTP/1.1\r\n\r\n")


def nuisance(address, kind):
    """A connection that sends its piece and reads nothing."""
    sock = plain(address)
    sock.settimeout(2)
    try:
        sock.sendall(NONSENSE[kind % len(NONSENSE)])
    except OSError:
        pass                    # the server has already closed the connection
    return sock


def crowd(address, number):
    """While they are there, pages come as fast as ever, whole and well formed."""
    alone = min(timed(address) for _ in range(5))
    there = [nuisance(address, kind) for kind in range(int(number))]
    try:
        beside = sorted(timed(address) for _ in range(20))
    finally:
        for sock in there:
            sock.close()
    # the best of some: a loaded host makes any one of them late
    assert beside[4] < 10 * alone + 0.2, (alone, beside)
    samples(page(address))
    print("undisturbed")


def timed(address):
    begin = time.monotonic()
    samples(page(address))
    return time.monotonic() - begin


def patience(address):
    """Letters now and then do not keep a connection for ever."""
    begin = time.monotonic()
    with plain(address) as sock:
        sock.sendall(b"GET /metrics HTTP/1.1\r\nX-Slow: ")
        sock.settimeout(1)
        while time.monotonic() - begin < TIMEOUT:
            try:
                sock.sendall(b"x")
                if not sock.recv(1000):
                    break
            except TimeoutError:
                continue
            except OSError:
                break
        else:
            raise AssertionError("it was never ended")
    took = time.monotonic() - begin
    assert took > 8, f"ended after {took:.1f} s"
    print("ended")


def steady(address, number, seconds="0"):
    """Counters of all pages, those in which they were missing between."""
    last = {}
    for _ in range(int(number)):
        values, types = samples(page(address))
        for key, value in values.items():
            if types[key.partition("{")[0]] != "counter":
                continue
            assert value >= last.get(key, 0), f"{key} fell from {last[key]} to {value}"
            last[key] = value
        time.sleep(float(seconds))
    print(len(last))


def dashboard(address):
    """Prometheus itself scrapes; then each panel has something to show."""
    host, port = host_of(address)
    with prometheus.Prometheus(f"{host}:{port}") as server:
        server.wait_until(lambda s: s.value("ucore_up") == 1, TIMEOUT, "ucore_up")
        server.wait_until(lambda s: not s.silent_panels(), 2 * TIMEOUT,
                          "a value for each panel")
        assert server.value('up{job="ucore"}') == 1
    print("all panels")


def queries(_):
    print(prometheus.rules())


def names(_, file):
    _, types = samples(Path(file).read_text())
    assert len(prometheus.documented()) > 5 and len(prometheus.queries()) > 20
    used = set().union(*(prometheus.metrics_of(query)
                         for _, query in prometheus.queries() + prometheus.documented()))
    print(" ".join(sorted(used - set(types))), end="")


def main(command, address="", *arguments):
    if command == "page":
        print(page(address), end="")
    else:
        {function.__name__: function for function in
         (get, together, crowd, patience, steady, dashboard, queries, names)
         }[command](address, *arguments)


if __name__ == "__main__":
    main(*sys.argv[1:])
