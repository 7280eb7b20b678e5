# SPDX-License-Identifier: GPL-2.0-only
"""Debian's Prometheus: its programs, a server for the time of a test, and the dashboard's
queries.

The package is unpacked and not installed, because an installed package starts a service.

usage: python3 -m lab.prometheus prints the directory of prometheus and promtool
"""

import contextlib
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path

from lab import archive

TOP = Path(__file__).resolve().parents[2]
DASHBOARD = TOP / "tools/export/grafana-dashboard.json"
PAGE = TOP / "Documentation/monitoring.md"
# value that replaces Grafana's variables; the window holds many scrapes
WINDOW = "15s"
INTERVAL = "1s"
START_TIMEOUT = 120
METRIC = re.compile(r"\b(?:ucore|process)_\w+")


def directory():
    """Return the directory of prometheus and promtool: $UCORE_PROMETHEUS, installed, or in the
    cache.
    """
    given = os.environ.get("UCORE_PROMETHEUS")
    if given:
        return Path(given)
    installed = shutil.which("promtool")
    if installed and shutil.which("prometheus"):
        return Path(installed).parent
    where = archive.kept(archive.cache() / "prometheus", ["prometheus"], r"^\./usr/bin/")
    return where / "usr/bin"


# ---- The dashboard -----------------------------------------------------------


def queries(window=WINDOW):
    """Return (panel's title, query) of the dashboard, as Grafana sends them."""
    panels = json.loads(DASHBOARD.read_text())["panels"]
    return [(panel["title"], filled(target["expr"], window))
            for panel in panels for target in panel.get("targets", [])]


def filled(query, window):
    query = query.replace("$__rate_interval", window).replace("$instance", ".*")
    assert "$" not in query, query
    return query


def documented():
    """Return (question, query) of the page about monitoring."""
    section = PAGE.read_text().split("## Queries in PromQL")[1].split("\n## ")[0]
    return re.findall(r"^\| (.+?) \| `(.+)` \|$", section, re.M)


def metrics_of(query):
    """Return the names of the metrics in a query."""
    return set(METRIC.findall(query))


def rules():
    """Return all queries as recording rules, because promtool can parse such a file."""
    found = queries() + documented()
    return json.dumps({"groups": [{"name": "queries", "rules": [
        {"record": f"query:{number}", "expr": query}
        for number, (_, query) in enumerate(found)]}]})


# ---- The server --------------------------------------------------------------


class Prometheus:
    """A server that scrapes one target until the end of the block.

    interval  from scrape to scrape
    window    over which the dashboard's queries have their rates
    """

    def __init__(self, target, interval=INTERVAL, window=WINDOW):
        self._programs = directory()
        self._target = target
        self._interval = interval
        self._window = window
        self._process = None
        self._instant = {}

    def __enter__(self):
        self._directory = tempfile.TemporaryDirectory(prefix="ucore-prometheus-")
        try:
            self._start(Path(self._directory.name))
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        if self._process:
            self._process.kill()
            self._process.wait()
        self._directory.cleanup()

    def _start(self, where):
        # JSON is YAML
        (where / "prometheus.yml").write_text(json.dumps({
            "global": {"scrape_interval": self._interval, "scrape_timeout": self._interval},
            "scrape_configs": [{"job_name": "ucore",
                                "static_configs": [{"targets": [self._target]}]}]}))
        with socket.create_server(("127.0.0.1", 0)) as probe:
            self._port = probe.getsockname()[1]
        with open(where / "log", "w") as log:
            self._process = subprocess.Popen(
                [self._programs / "prometheus", f"--config.file={where / 'prometheus.yml'}",
                 f"--storage.tsdb.path={where / 'data'}",
                 f"--web.listen-address=127.0.0.1:{self._port}"],
                stdout=log, stderr=log, stdin=subprocess.DEVNULL)
        limit = time.monotonic() + START_TIMEOUT
        while not self._answers():
            if self._process.poll() is not None or time.monotonic() > limit:
                raise RuntimeError(f"prometheus does not start:\n{(where / 'log').read_text()}")
            time.sleep(0.2)

    def _get(self, path, **arguments):
        query = f"?{urllib.parse.urlencode(arguments)}" if arguments else ""
        with urllib.request.urlopen(f"http://127.0.0.1:{self._port}{path}{query}",
                                    timeout=60) as answer:
            return answer.read()

    def _answers(self):
        try:
            return b"Ready" in self._get("/-/ready")
        except (urllib.error.URLError, OSError):
            return False

    @contextlib.contextmanager
    def instant(self, ago):
        """Evaluate all queries inside at one time, a number of seconds ago.

        Rates at two times may differ by one scrape. A scrape in progress gets the timestamp of
        its start.
        """
        self._instant = {"time": time.time() - ago}
        try:
            yield
        finally:
            self._instant = {}

    def query(self, query):
        """Return the result of a query now, or at the instant: [(labels, value)]."""
        data = json.loads(self._get("/api/v1/query", query=query, **self._instant))["data"]
        assert data["resultType"] == "vector", data
        return [(row["metric"], float(row["value"][1])) for row in data["result"]]

    def value(self, query):
        """Return the single value of a query, or None."""
        rows = self.query(query)
        assert len(rows) <= 1, (query, rows)
        return rows[0][1] if rows else None

    def silent_panels(self):
        """Return the dashboard's queries without a result."""
        return [(title, query) for title, query in queries(self._window)
                if not self.query(query)]

    def wait_until(self, condition, timeout, what):
        """Poll condition(self) until it is true; return its value."""
        limit = time.monotonic() + timeout
        while True:
            value = condition(self)
            if value:
                return value
            if time.monotonic() > limit:
                raise TimeoutError(f"{what}: not within {timeout:.0f} s")
            time.sleep(0.3)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        sys.exit(__doc__.rstrip())
    print(directory())
