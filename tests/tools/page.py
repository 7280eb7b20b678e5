#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The page of `ucoretool report --html` in a real browser, headless.

usage: page.py UCORETOOL [SCREENSHOTS]

Prints TAP.  What the page says is compared with the data that the file was made of
(samples.py), not with what ucoretool makes of it.  The browser is driven with the WebDriver
protocol, by its own chromedriver.  With SCREENSHOTS, a directory, pictures are left there.
"""

import base64
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.parse
import urllib.request

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import samples                              # noqa: E402

LIMIT_MS = 3000                             # from the address to all that is shown, loading included
ARGUMENTS = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
             "--window-size=1440,1100", "--force-device-scale-factor=1",
             "--disable-background-networking", "--no-first-run", "--lang=en-US"]


class Browser:
    """A headless browser with one page."""

    def __init__(self, directory):
        self.driver = subprocess.Popen(
            ["chromedriver", "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            text=True, env={**os.environ, "TZ": "UTC"})
        self.url, self.session = self._address(), None
        options = {"args": [*ARGUMENTS, f"--user-data-dir={directory}"]}
        if shutil.which("chromium"):
            options["binary"] = shutil.which("chromium")
        self.session = self._ask("POST", "/session", {"capabilities": {"alwaysMatch": {
            "browserName": "chrome", "goog:chromeOptions": options,
            "goog:loggingPrefs": {"browser": "ALL"}}}})["sessionId"]

    def _address(self):
        for line in self.driver.stdout:
            if "started successfully on port" in line:
                return "http://127.0.0.1:" + line.split()[-1].rstrip(".")
        raise RuntimeError("chromedriver does not start")

    def _ask(self, method, path, body=None):
        prefix = f"/session/{self.session}" if self.session else ""
        request = urllib.request.Request(
            self.url + prefix + path, method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=300) as answer:
            return json.load(answer)["value"]

    def open(self, path):
        """Load a page; returns how long it took until all was shown, in ms."""
        self.ask_log()
        self._ask("POST", "/url", {"url": "file://" + urllib.parse.quote(path)})
        end = time.monotonic() + 240
        while time.monotonic() < end:
            ready = self.run("return document.body.dataset.ready")
            if ready:
                return float(ready)
            time.sleep(0.1)
        raise AssertionError(f"the page is not ready: {self.ask_log()}")

    def run(self, script, *arguments):
        return self._ask("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def ask_log(self):
        """What the console has said since it was asked last."""
        return [entry["message"] for entry in self._ask("POST", "/se/log", {"type": "browser"})]

    def dark(self, on):
        self._ask("POST", "/goog/cdp/execute", {"cmd": "Emulation.setEmulatedMedia", "params": {
            "features": [{"name": "prefers-color-scheme", "value": "dark" if on else "light"}]}})

    def drag(self, x_from, x_to, y):
        """The pointer over the first chart, from one part of its width to another."""
        left, width, top = self.run(
            "const r = document.querySelector('canvas').getBoundingClientRect();"
            "return [r.left + 74, r.width - 88, r.top]")
        move = {"type": "pointerMove", "duration": 0, "y": int(top + y)}
        self._ask("POST", "/actions", {"actions": [{"type": "pointer", "id": "mouse", "actions": [
            {**move, "x": int(left + x_from * width)}, {"type": "pointerDown", "button": 0},
            {**move, "x": int(left + x_to * width)}, {"type": "pointerUp", "button": 0}]}]})

    def screenshot(self, path):
        with open(path, "wb") as file:
            file.write(base64.b64decode(self._ask("GET", "/screenshot")))

    def close(self):
        if self.session:
            self._ask("DELETE", "")
        self.driver.terminate()
        self.driver.wait()


class Pages:
    """Files of samples and the pages made of them."""

    def __init__(self, tool, directory):
        self.tool, self.directory, self.made = tool, directory, {}

    def make(self, name, *options, finish=True, recording=None):
        path = os.path.join(self.directory, name)
        recording = recording or samples.SHAPES[name]()
        recording.write(path, finish)
        subprocess.run([self.tool, "report", "-i", path, "--html", path + ".html", *options],
                       check=True)
        return path + ".html", recording


def rows_of(browser):
    return browser.run("""
        const rows = {};
        for (const row of ucore.view.rows) {
            const { one, bins, ...numbers } = row;
            rows[one.quantity.name + " | " + one.place] = { ...numbers, bins };
        }
        return rows;""")


def close_to(a, b, part=1e-9):
    return abs(a - b) <= part * max(abs(a), abs(b))


# ---- tests ----

def values_are_the_datas(browser, pages):
    """100 intervals of 10 ms that count 4000, 8000, ... 400000 of 64 bytes."""
    path, _ = pages.make("ramp")
    browser.open(path)
    rows = rows_of(browser)
    rates = [4000 * i * 64 / 1e6 / 0.01 for i in range(1, 101)]
    for name in (samples.READS + " | die 0", "memory_bandwidth_read | socket 0"):
        row = rows[name]
        assert row["nr"] == 100, row
        for key, value in (("min", rates[0]), ("max", rates[99]), ("p50", rates[49]),
                           ("p99", rates[98]), ("mean", sum(rates) / 100)):
            assert close_to(row[key], value), (name, key, row[key], value)
        assert sum(row["bins"]) == 100, row
    row = rows[samples.READS + " | die 0"]
    assert row["count"] == 4000 * 5050 and close_to(row["rate"], 4000 * 5050 * 64 / 1e6), row
    line = browser.run("""
        const line = ucore.linesOf(ucore.quantities.get("e 0"), "box")[2];
        return [line.place, [...ucore.fill(line).values], [...line.time]]""")
    assert line[0] == "imc2, die 0", line[0]
    assert all(close_to(a, b / 4) for a, b in zip(line[1], rates)), line[1][:5]
    assert line[2] == [(i + 1) * 1e7 for i in range(100)], line[2][:5]


def the_table_is_of_the_range(browser, pages):
    path, _ = pages.make("ramp")
    browser.open(path)
    browser.run("ucore.view.from = 0; ucore.show(500e6, 700e6)")
    wait_for(browser, "return ucore.view.rows[0].nr < 100")
    row = rows_of(browser)[samples.READS + " | die 0"]
    # samples at 500 ms, 510 ms, ... 700 ms
    assert row["nr"] == 21 and row["count"] == 4000 * sum(range(50, 71)), row


def wait_for(browser, script):
    end = time.monotonic() + 60
    while not browser.run(script):
        assert time.monotonic() < end, script
        time.sleep(0.05)


def dragging_zooms_and_a_double_click_goes_back(browser, pages):
    path, _ = pages.make("holes")
    browser.open(path)
    browser.drag(0.25, 0.5, 100)
    seen = browser.run("return [ucore.view.from, ucore.view.to]")
    # a pixel is a thousandth of the range
    assert abs(seen[0] - 250e6) < 3e6 and abs(seen[1] - 500e6) < 3e6, seen
    browser.run("document.querySelector('canvas').dispatchEvent(new MouseEvent('dblclick'))")
    assert browser.run("return [ucore.view.from, ucore.view.to]") == [0, 1000e6]


def losses_and_gaps_are_seen(browser, pages):
    """By colour, where they are and nowhere else; and in words."""
    path, _ = pages.make("holes")
    browser.open(path)
    words = browser.run("return document.getElementById('warnings').textContent")
    assert "100 records were lost" in words and "die 1: die offline" in words, words
    lost, free = browser.run(COLOURS, [0.35, 0.2])
    assert lost[0] - lost[2] > 20 > abs(free[0] - free[2]), (lost, free)
    # die 1 has no line while it was off duty: nothing at its height but hatching
    line = browser.run("""
        const line = ucore.linesOf(ucore.quantities.get("e 0"), "socket")[1];
        ucore.fill(line);
        return [...line.time].map((at, i) => [at, line.values[i], line.running[i]])
            .filter(([at]) => at > 590e6 && at < 810e6)""")
    assert not [at for at, *_ in line if 600e6 < at < 800e6], line


# The colours at parts of the width, near the top of the first chart, where no line is
COLOURS = """
    const canvas = document.querySelector("canvas");
    const { data } = canvas.getContext("2d").getImageData(0, 12, canvas.width, 1);
    return arguments[0].map((part) => {
        const at = 4 * (74 + Math.round(part * (canvas.clientWidth - 88)));
        const alpha = data[at + 3] / 255;
        return [0, 1, 2].map((c) => data[at + c] * alpha + 255 * (1 - alpha));
    });"""


def boxes_and_sockets(browser, pages):
    path, _ = pages.make("holes")
    browser.open(path)
    assert len([name for name in rows_of(browser) if name.startswith(samples.READS)]) == 2
    browser.run("document.getElementById('by-box').click()")
    rows = rows_of(browser)
    assert len([name for name in rows if name.startswith(samples.READS)]) == 8, list(rows)
    legends = browser.run("return [...document.querySelectorAll('.legend')][1].children.length")
    assert legends == 8, legends


def times_of_day(browser, pages):
    path, _ = pages.make("ramp")
    browser.open(path)
    said = browser.run("return document.getElementById('range').textContent")
    assert said.startswith("03:04:05.000 \u2013 03:04:06.000"), said
    browser.run("document.getElementById('clock-start').click()")
    said = browser.run("return document.getElementById('range').textContent")
    assert said.startswith("0.000 s \u2013 1.000 s"), said


def who_ran_is_told(browser, pages):
    """By a table of the range, at the pointer, and as a mark for a task that is chosen."""
    path, _ = pages.make("who")
    browser.open(path)
    rows = """
        const cells = (row) => [...row.cells].slice(0, 5).map((cell) => cell.textContent);
        return [...document.getElementById("ran").tBodies[0].rows].map(cells)"""
    assert browser.run(rows) == [
        ["reader", "7", "5", "20,000", "95.24"], ["?", "8", "2", "800", "3.810"],
        ["a?[1m?", "9", "4", "160", "0.762"]], browser.run(rows)
    # the second interval was reader's, the third was not: a mark is at the foot of one
    browser.run("document.getElementById('ran').tBodies[0].rows[0].click();"
                "ucore.view.cursor = 15e6")
    wait_for(browser, "return document.querySelector('.ran').textContent === 'ran: reader 7'")
    with_mark, without = browser.run("""
        const canvas = document.querySelector("canvas");
        const { data } = canvas.getContext("2d")
            .getImageData(0, canvas.clientHeight - 29, canvas.width, 1);
        return [1.5 / 12, 2.25 / 12].map((part) =>
            data[4 * (74 + Math.round(part * (canvas.clientWidth - 88))) + 3]);""")
    assert with_mark == 255 and without < 255, (with_mark, without)
    path, _ = pages.make("ramp")
    browser.open(path)
    assert browser.run("return document.getElementById('who').hidden")


def a_name_is_no_markup(browser, pages):
    """Whatever stands in a file or is its name does nothing in the page."""
    label = "imc/</script><script>alert(1)</script>/"
    recording = samples.Recording([label], dies=1)
    recording.sample(0, samples.MS, [[1] * 4])
    path, _ = pages.make("a<b>&.data", recording=recording)
    browser.open(path)
    assert browser.run("return document.getElementById('title').textContent").endswith("a<b>&.data")
    assert label + " | die 0" in rows_of(browser)


def files_that_say_little(browser, pages):
    """Cut short, of one sample, and of none at all."""
    path, _ = pages.make("ramp", finish=False)
    browser.open(path)
    assert "cut short" in browser.run("return document.getElementById('warnings').textContent")
    recording = samples.Recording([samples.READS], dies=1)
    path, _ = pages.make("none", recording=recording)
    browser.open(path)
    recording.sample(0, samples.MS, [[5] * 4])
    path, _ = pages.make("one", recording=recording)
    browser.open(path)
    assert rows_of(browser)[samples.READS + " | die 0"]["count"] == 20


def many_samples_in_time(browser, pages):
    """200,000 samples of two sockets, four channels, two events: counts to the last one."""
    path, recording = pages.make("many")
    took = browser.open(path)
    assert recording.samples == 200_000
    rows = rows_of(browser)
    for die in (0, 1):
        for index, label in enumerate((samples.READS, samples.WRITES)):
            row = rows[f"{label} | die {die}"]
            assert row["nr"] == 100_000, row
            assert row["count"] == sum(recording.totals[die][index]), row
    assert took < LIMIT_MS * slowness(), f"{took:.0f} ms"
    print(f"# 200,000 samples: {took:.0f} ms, {os.path.getsize(path) / 1e6:.1f} MB")


def slowness():
    """How much longer things take here than on a machine of its own, by its load."""
    return max(1.0, os.getloadavg()[0] / os.cpu_count())


TESTS = (values_are_the_datas, the_table_is_of_the_range,
         dragging_zooms_and_a_double_click_goes_back, losses_and_gaps_are_seen,
         boxes_and_sockets, times_of_day, who_ran_is_told, a_name_is_no_markup,
         files_that_say_little, many_samples_in_time)


def pictures(browser, pages, directory):
    path, _ = pages.make("holes")
    browser.open(path)
    browser.screenshot(os.path.join(directory, "holes.png"))
    browser.dark(True)
    browser.run("ucore.show(200e6, 900e6)")
    time.sleep(1)
    browser.screenshot(os.path.join(directory, "dark.png"))
    browser.dark(False)
    browser.run("ucore.chooseBy('box'); ucore.show(380e6, 420e6)")
    time.sleep(1)
    browser.screenshot(os.path.join(directory, "zoom.png"))
    path, _ = pages.make("many")
    browser.open(path)
    browser.screenshot(os.path.join(directory, "many.png"))


def judge(browser, pages, test):
    """None, or why the test failed; a page that complains on the console has failed."""
    try:
        test(browser, pages)
        said = browser.ask_log()
        return f"the console says {said}" if said else None
    except Exception as problem:            # whatever it is, the next test goes on
        return f"{type(problem).__name__}: {problem}; console: {browser.ask_log()}"


def main():
    tool = sys.argv[1]
    if not shutil.which("chromedriver"):
        print("1..1\nok 1 - the page in a browser # SKIP no chromedriver (apt install chromium-driver)")
        return 0
    failed = 0
    with tempfile.TemporaryDirectory() as directory:
        pages = Pages(tool, directory)
        browser = Browser(os.path.join(directory, "profile"))
        try:
            for number, test in enumerate(TESTS, 1):
                problem = judge(browser, pages, test)
                failed += problem is not None
                name = test.__name__.replace("_", " ")
                print(f"{'not ' if problem else ''}ok {number} - {name}", flush=True)
                if problem:
                    print("# " + problem.replace("\n", "\n# "), flush=True)
            if len(sys.argv) > 2:
                pictures(browser, pages, sys.argv[2])
        finally:
            browser.close()
    print(f"1..{len(TESTS)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
