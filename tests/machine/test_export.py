# SPDX-License-Identifier: GPL-2.0-only
"""`ucoretool export` in the guest, scraped by Debian's Prometheus on the host.

The guest has no network but its loopback.  A relay answers Prometheus: for each scrape it
fetches the page in the guest, through the agent.  The results of rate()
are compared with the documented rates of the model.
"""

import contextlib
import http.server
import re
import threading

from lab import extras
from lab.agent import AgentError, CommandTimeout, patience
from lab.framework import skip, test
from lab.prometheus import Prometheus
from lab.session import assert_equal
from machine.test_metrics import Promise, one_second

ADDRESS = "127.0.0.1:9739"
FETCH = f"wget -q -O - http://{ADDRESS}/metrics"
CLOCK = "imc0/DCLK/"
INTERVAL, WINDOW = "5s", "75s"
SCRAPED = 6         # seconds after which the samples of a scrape are complete in Prometheus
# Tolerance of the time of a scrape on a loaded host, and the tolerance when a clock of the
# model, read at the same time, is used
BY_PROMETHEUS, BY_CLOCK = 0.05, 2e-4
SAMPLE = re.compile(r"^(\w+(?:\{.*\})?) (\S+)$", re.M)
CPUS_OF_DIE_1 = (2, 3)
FILES = extras.files()


# ---- The exporter and the relay to it ----------------------------------------


@contextlib.contextmanager
def exporter(m, options=""):
    """Run the exporter in the guest until the block ends."""
    if not extras.http():
        skip("libmicrohttpd is not installed")
    m.sh("ifconfig lo 127.0.0.1 up")
    process = m.spawn(f"exec ucoretool export -l {ADDRESS} {options}")
    try:
        m.wait_until(lambda: process.done or not m.run(FETCH, check=False).status,
                     timeout=60, what="a page")
        yield process
    finally:
        if not process.done:
            process.kill()
        ended = process.wait(timeout=30, check=False)
    assert ended.status == 0, ended.err


def page(m):
    """Return series -> value of the page that the exporter serves."""
    return {key: float(value) for key, value in SAMPLE.findall(m.sh(FETCH))}


def relay_handler(m):
    """Return a handler that answers the host's scrape with a page of the guest."""
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            try:
                got = m.run(FETCH, timeout=10, check=False)
                status, body = (502, b"") if got.status else (200, got.raw_out)
            except (AgentError, CommandTimeout):
                status, body = 504, b""
            self.send_response(status)
            self.send_header("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass
    return Handler


@contextlib.contextmanager
def scraped(m):
    """Context manager: run a Prometheus server that scrapes the guest."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), relay_handler(m))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        with prometheus(server.server_port) as found:
            yield found
    finally:
        server.shutdown()
        server.server_close()


def prometheus(port):
    try:
        return Prometheus(f"127.0.0.1:{port}", INTERVAL, WINDOW)
    except SystemExit as error:
        skip(f"Prometheus cannot be had: {error}")


# ---- Rates -------------------------------------------------------------------

# (metric, label of the box, box type, event, bytes per count)
BYTES = (("ucore_memory_read_bytes_total", "channel", "imc", "UNC_M_CAS_COUNT.RD", 64),
         ("ucore_memory_written_bytes_total", "channel", "imc", "UNC_M_CAS_COUNT.WR", 64),
         ("ucore_link_transmit_bytes_total", "link", "upi", "UNC_UPI_TxL_FLITS.ALL_DATA", 64 / 9),
         ("ucore_io_read_bytes_total", "stack", "iio",
          "UNC_IIO_DATA_REQ_OF_CPU.MEM_READ.ALL_PARTS", 4),
         ("ucore_io_written_bytes_total", "stack", "iio",
          "UNC_IIO_DATA_REQ_OF_CPU.MEM_WRITE.ALL_PARTS", 4))


def rates_of(server, metric):
    """Return (labels, rate()) of each series of a metric."""
    return server.query(f"rate({metric}[{WINDOW}])")


def clocks(server, promise):
    """Return, for each socket, the rate of a clock by Prometheus, divided by the model's rate."""
    found = {int(labels["socket"]): rate for labels, rate in rates_of(server, "ucore_events_total")
             if labels["event"] == CLOCK}
    return {die: found[die] / promise.rate("imc", 0, die, None) for die in promise.dies}


def differences(server, promise):
    """Return a text for each rate that differs from the model's rate."""
    seconds = clocks(server, promise)
    wrong = [f"a second of {die} took {passed}" for die, passed in seconds.items()
             if abs(passed - 1) > BY_PROMETHEUS]
    for metric, label, kind, event, size in BYTES:
        rows = rates_of(server, metric)
        boxes = {place for place in promise.boxes if place[1] == kind}
        if len(rows) != len(boxes):
            wrong.append(f"{metric}: {len(rows)} series of {len(boxes)} boxes")
        for labels, rate in rows:
            place = int(labels["socket"]), kind, int(labels[label])
            due = size * promise.count(event, [place], one_second)
            have = rate / seconds[place[0]]
            if place not in boxes or abs(have / due - 1) > BY_CLOCK:
                wrong.append(f"{metric} of {place}: {have}, and {due} is due")
    return wrong


@test("spr-2s", files=FILES, timeout=400)
def prometheus_computes_the_rates_of_the_model(m):
    """Each query of the dashboard also returns data."""
    promise = Promise(m)

    def found(server):
        with server.instant(ago=SCRAPED):
            return [*differences(server, promise), *latency_differences(server, promise),
                    *(f"{title}: nothing to show for {query}"
                      for title, query in server.silent_panels())]
    with exporter(m, f"-e {CLOCK}"), scraped(m) as server:
        # wait for a window that is full of successful scrapes
        server.wait_until(
            lambda s: (s.value(f"count_over_time(ucore_up[{WINDOW}])") or 0) >= 8 and
            s.value(f"min(ucore_up offset {WINDOW})") == 1, 180 * patience(), "a window of scrapes")
        # a scrape that a busy host delays or fails leaves the window after some time
        with contextlib.suppress(TimeoutError):
            server.wait_until(lambda s: not found(s), 100, "the rates of the model")
        assert_equal(found(server))


def latency_differences(server, promise):
    latency = server.value(
        f"sum(rate(ucore_llc_read_miss_cycles_total[{WINDOW}])) / "
        f"sum(rate(ucore_llc_read_misses_total[{WINDOW}]))")
    chas = [place for place in promise.boxes if place[1] == "cha"]
    cycles, misses = (promise.count(f"UNC_CHA_TOR_{what}.IA_MISS_DRD", chas, one_second)
                      for what in ("OCCUPANCY", "INSERTS"))
    near = latency and abs(latency / (cycles / misses) - 1) < 1e-3
    return [] if near else [f"a miss takes {latency} cycles, {cycles} of {misses} are due"]


# ---- Changes of the machine --------------------------------------------------


@test("spr-2s", files=FILES, loaded=False, timeout=300)
def up_is_0_without_the_driver(m):
    """A missing exporter or module is visible, and scrapes recover by themselves."""
    with scraped(m) as server:
        def becomes(query, value):
            server.wait_until(lambda s: s.value(query) == value, 60 * patience(),
                              f"{query} == {value}")
        becomes("up", 0)
        with exporter(m):
            becomes("ucore_up", 0)
            m.insmod()
            becomes("ucore_up", 1)
            # a counting session prevents unloading
            assert m.run("rmmod ucore", check=False).status
        becomes("up", 0)
        m.rmmod()
        with exporter(m):
            becomes("ucore_up", 0)


@test("spr-2s", files=FILES, alone=True, timeout=200)
def exported_counters_never_decrease(m):
    """Counters of a die without CPUs or of a dead box stop, and no exported series decreases."""
    last = {}

    def look():
        values = page(m)
        fell = {key: (last[key], value) for key, value in values.items()
                if key.partition("{")[0].endswith("_total") and value < last.get(key, 0)}
        assert not fell, fell
        last.update(values)
        return values

    def set_online(online):
        for cpu in CPUS_OF_DIE_1:
            m.set_online(cpu, online)

    reads = 'ucore_memory_read_bytes_total{{socket="{}",channel="1"}}'
    with exporter(m, "--cache 0s"):
        try:
            first, second = look(), look()
            assert all(first[reads.format(die)] < second[reads.format(die)] for die in (0, 1))
            set_online(False)
            stands = look()
            moves = look()
            assert moves['ucore_die_online{socket="1"}'] == 0
            assert moves[reads.format(1)] == stands[reads.format(1)]
            assert moves[reads.format(0)] > stands[reads.format(0)]
        finally:
            set_online(True)
        m.wait_until(lambda: look()[reads.format(1)] > stands[reads.format(1)],
                     what="counts of the die that is back")
        try:
            m.inject("dead 0 imc1")
            m.wait_until(lambda: look()['ucore_dead_boxes{socket="0",type="imc"}'],
                         what="a dead box")
            without = look()
            assert without['ucore_box_missing{socket="0",box="imc1",reason="dead"}'] == 1, without
            assert reads.format(0) not in without, without
        finally:
            m.inject("alive 0 imc1")
        m.wait_until(lambda: look().get(reads.format(0), 0) > moves[reads.format(0)], timeout=30,
                     what="counts of the box that responds again")


@test("spr-2s", files=FILES, timeout=200)
def simultaneous_scrapes_cost_one_read(m):
    with exporter(m, "--cache 60s"):
        before = page(m)
        m.sh("for i in 1 2 3 4 5 6 7 8; do " + FETCH + " >/tmp/page$i & done; wait")
        assert m.sh("cat /tmp/page? | grep -c '^ucore_up 1'") == "8"
        assert page(m) == before
