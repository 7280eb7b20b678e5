#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""ucoretool top as its user sees it: on a real pseudo-terminal, on the fake device.

Prints TAP.  B is where the test programs are.

    test_top.py [PATTERN]...                        the tests whose names have a pattern
    test_top.py --show SCENARIO LINESxCOLUMNS [KEYS]    what is on the screen then
"""

import csv
import datetime
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from pathlib import Path

from terminal import Terminal

TOOL = str((Path(os.environ.get("B", ".")) / "fake_tool").resolve())
NUMBER = re.compile(r"(?<![\w:.])(-|[\d,]+(?:\.\d+)?)(?![\w:])")
SMALL, LARGE = (24, 80), (60, 200)
FAST = "100ms"          # of wall clock; each READ of the fake device is a second later
RUNNING = 0.9           # what counters count of a second there
LINE = 64 / 1e6 / RUNNING
TESTS = []


def test(function):
    TESTS.append(function)
    return function


def environment(fake="", **more):
    keep = {name: value for name, value in os.environ.items()
            if name in ("PATH", "ASAN_OPTIONS", "UBSAN_OPTIONS")}
    return {**keep, "TERM": "xterm-256color", "LANG": "C.UTF-8", "UCORE_FAKE": fake, **more}


def top(*options, fake="", size=SMALL, directory=None, **more):
    """ucoretool top on a terminal."""
    return Terminal([TOOL, "top", *options], *size, environment(fake, **more), directory)


def batch(*options, fake="", status=0, **more):
    """Its output without a terminal."""
    done = subprocess.run([TOOL, "top", *options], env=environment(fake, **more), text=True,
                          capture_output=True, check=False, stdin=subprocess.DEVNULL)
    assert done.returncode == status, (done.returncode, done.stdout, done.stderr)
    return done.stdout, done.stderr


def section(text, title):
    """The rows below a panel's heading."""
    begin = next((i for i, line in enumerate(text) if line.startswith(title)), None)
    if begin is None:
        return []
    rows = []
    for line in text[begin + 1:]:
        if not line.startswith(("   ", "▸", "▾", "+", "-", "  ")):
            break
        rows.append(line)
    return rows


def row(text, title, name):
    """The numbers of a row."""
    for line in section(text, title):
        words = line.lstrip("▸▾+- ")
        if words.startswith(name + " "):
            rest = re.sub(r"\[.*?\]", "", words[len(name):])
            return NUMBER.findall(rest)
    return None


def shown(text):
    """There are numbers."""
    return any(number != "-" for number in row(text, "Memory", "socket 0") or [])


def step(*boxes, counter):
    """How far an event moves in a READ on these boxes of the fake device, together."""
    return sum(1000 * (box + 1) + counter for box in boxes)


# Box ids on the fake E5-2600 v2: four channels and two links of each of two sockets
IMC = ((7, 8, 9, 10), (24, 25, 26, 27))
QPI = ((12, 13), (29, 30))


def restored(terminal):
    """The terminal is as it was before the program began."""
    assert terminal.modes() == terminal.modes_before, (terminal.modes(), terminal.modes_before)
    assert not terminal.screen.alternate, "still on the page of whole-screen programs"
    assert not terminal.screen.cursor_hidden, "the cursor is hidden"
    assert "?1" not in terminal.screen.modes, "the keypad is still in application mode"


def running(pid):
    """Is the process there, and not only waiting for somebody to ask how it ended?"""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


# ---- what is on the screen --------------------------------------------------

@test
def the_panels_of_a_small_screen_and_their_numbers():
    with top("-I", FAST) as t:
        text = t.wait(lambda text: shown(text) and text, "numbers")
        read = [step(*IMC[socket], counter=0) * LINE for socket in (0, 1)]
        assert row(text, "Memory, MB/s", "socket 0")[0] == f"{read[0]:.2f}", text
        assert row(text, "Memory, MB/s", "socket 1")[0] == f"{read[1]:.2f}", text
        sent = step(*QPI[1], counter=0) * 8 / 1e6 / RUNNING
        assert row(text, "Links, MB/s", "socket 1")[0] == f"{sent:.2f}", text
        for title in ("Last-level cache", "IO, /s", "Power"):
            assert section(text, title), (title, text)
        assert text[-1].startswith(" h Help"), text
        assert len(text) == 24 and all(len(line) <= 80 for line in text)


@test
def a_large_screen_shows_each_box_unasked():
    with top("-I", FAST, fake="wave=1", size=LARGE) as t:
        text = t.wait(lambda text: shown(text) and text, "numbers")
        for box in range(4):
            assert row(text, "Memory, MB/s", f"imc{box}"), text
        assert row(text, "Links, MB/s", "qpi1"), text
        # histories grow: the wave goes up and down
        t.wait(lambda text: any("▂" in line and "█" in line.rpartition("]")[2]
                                for line in section(text, "Memory")), "a history")


@test
def numbers_are_those_of_programs_formats():
    rows = [json.loads(line) for line in batch("-j", "--count", "1", "-I", "10")[0].splitlines()]
    values = {(r["metric"], r["socket"], r.get("box")): r["value"] for r in rows if "value" in r}
    for socket in (0, 1):
        for instance, box in enumerate(IMC[socket]):
            for metric, counter in (("read", 0), ("write", 1)):
                have = values[f"memory_bandwidth_{metric}", socket, f"imc{instance}"]
                assert abs(have / (step(box, counter=counter) * LINE) - 1) < 1e-8, rows
        total = step(*IMC[socket], counter=0) + step(*IMC[socket], counter=1)
        assert abs(values["memory_bandwidth_total", socket, None] / (total * LINE) - 1) < 1e-8
    units = {r["unit"] for r in rows if r["panel"] == "memory"}
    assert units == {"MB/s", "%"}, units


@test
def large_numbers_are_not_cut():
    # the IRP is box 11: its events move by 12 thousand times the scale
    for scale, due in ((100, "1,333,333"), (1000, "13.3M"), (10 ** 6, "13.3G")):
        with top("-I", FAST, "io", fake=f"dies=1 scale={scale}") as t:
            t.wait(lambda text, due=due: row(text, "IO", "socket 0") and
                   due in section(text, "IO")[0].split(), due)


@test
def bars_and_histories_have_their_scale():
    # 38 million lines in a READ: a bar is full at the next round number
    with top("-I", FAST, "links", fake="scale=100000") as t:
        text = t.wait(lambda text: row(text, "Links", "socket 1") and text, "numbers")
        text = t.wait(lambda text: "-" not in row(text, "Links", "socket 1") and text, "numbers")
        sent = [(step(*QPI[s], counter=0) + step(*QPI[s], counter=1)) * 1e5 * 8 / 1e6 / RUNNING
                for s in (0, 1)]
        assert "full: 200,000" in text[2], (sent, text[2])
        bar = re.search(r"\[(.*?)\]", section(text, "Links")[0])[1]
        assert abs(len(bar.rstrip()) - sent[0] / 200000 * len(bar)) <= 1, (sent, bar)
        # the first column of it, and the second
        assert bar.count("█") and bar.count("▒"), bar


def filled(text, title):
    """Has a panel a row of numbers?"""
    return any(re.search(r"\d|no counter", line) and "-" not in line.split()
               for line in section(text, title))


@test
def every_platform_at_both_sizes():
    every = "Memory Last-level Links IO Power".split()
    for machine, platform, missing in (
            ("ivbep", "ivbep", ""), ("ivbep", "snbep", "IO"), ("hswep", "hswep", ""),
            ("hswep", "bdxep", ""), ("bdxde", "bdxde", "Links"), ("skx", "skx", ""),
            ("skx", "clx", ""), ("skx", "cpx", ""), ("icx", "icx", ""),
            ("snr", "snr", "Links"), ("spr", "spr", ""), ("spr", "emr", ""),
            ("gnr", "gnr", ""), ("gnr", "srf", ""), ("gnr", "cwf", ""),
            ("gnr", "grr", "Links Power"), ("skl", "snb", "Links IO Power"),
            ("skl", "skl", "Links IO Power"), ("icl", "icl", "Links IO Power"),
            ("adl", "adl", "Links IO Power"), ("mtl", "mtl", "Links IO Power"),
            ("ptl", "ptl", "Links IO Power"), ("nhm", "nhm", "Links IO Power")):
        fake = f"machine={machine} platform={platform} scale=100000"
        panels = [title for title in every if title == "IO" == missing or
                  title not in missing.split()]
        for size in (SMALL, LARGE):
            with top("-I", FAST, fake=fake, size=size) as t:
                text = t.wait(lambda text, panels=panels: shown(text) and
                              [title for title in every if filled(text, title)] == panels and text,
                              f"{platform}: {panels}")
                if missing == "IO":
                    assert "no counter" in "".join(section(text, "IO")), text
                t.keys("q")
                assert t.end() == 0, text


@test
def each_platform_has_the_best_columns_of_io():
    # v1's C-Boxes have one filter each: writes would want another setting
    requests, cboxes = {"irp_reads", "irp_writes"}, {"io_bandwidth_read"}
    ports = {"iio_bandwidth_in", "iio_bandwidth_out", "iio_bandwidth_total"}
    stacks = {"iio_bandwidth_read", "iio_bandwidth_write", "io_bandwidth_total"}
    for machine, platforms, due in (
            ("ivbep", "snbep", cboxes), ("ivbep", "ivbep", requests), ("hswep", "hswep", requests),
            ("hswep", "bdxep", requests), ("bdxde", "bdxde", requests),
            ("skx", "skx clx cpx", ports), ("icx", "icx", stacks), ("snr", "snr", stacks),
            ("spr", "spr emr", stacks), ("gnr", "gnr srf grr cwf", stacks)):
        for platform in platforms.split():
            out, _ = batch("io", "-j", "--count=1", "-I10", fake=f"machine={machine} platform={platform}")
            rows = [json.loads(line) for line in out.splitlines()]
            assert {r["metric"] for r in rows} == due, (platform, rows[:6])
            # all platforms except v1, whose IO values are sums over the C-Boxes, have rows of boxes
            assert due == cboxes or {r["box"] for r in rows if "box" in r}, platform


@test
def the_last_level_cache_of_small_cores():
    for machine, platform in (("snr", "snr"), ("gnr", "grr"), ("icx", "icx")):
        out, _ = batch("llc", "-j", "--count=1", "-I10", fake=f"machine={machine} platform={platform}")
        assert {json.loads(line)["metric"] for line in out.splitlines()} == {
            "llc_read_miss_bandwidth", "llc_miss_latency", "llc_demand_read_miss_rate",
            "uncore_frequency"}, (platform, out)


@test
def a_panel_that_does_not_fit_beside_the_others_is_shown_alone():
    out, _ = batch("--count=1", "-I10", fake="platform=snbep")
    assert "Use 'ucoretool top io'" in out, out
    out, _ = batch("io", "--count=1", "-I10", fake="platform=snbep")
    assert re.search(r"^socket 1 +[\d.]+", out, re.M), out


@test
def a_machine_of_which_nothing_is_known():
    out, err = batch("--count", "1", fake="machine=generic", status=1)
    assert not out and len(err.splitlines()) == 1 and "nothing to show" in err, (out, err)


# ---- the size of the terminal -----------------------------------------------

@test
def the_screen_follows_the_size_of_the_terminal():
    with top("-I", FAST) as t:
        t.wait(shown, "numbers")
        for lines, columns in (LARGE, (40, 100), (12, 60), SMALL):
            t.resize(lines, columns)
            text = t.wait(lambda text, n=lines: shown(text) and text[n - 1].startswith(" h Help")
                          and text, f"{lines}x{columns}")
            # nothing is left of what was there: each heading once
            for title in ("Memory, MB/s", "Links, MB/s"):
                assert sum(line.startswith(title) for line in text) <= 1, text
            # the boxes are seen where there is room for them
            assert bool(row(text, "Memory", "imc3")) == (lines >= 40), text


@test
def a_tiny_terminal_does_no_harm():
    for size in ((1, 1), (2, 5), (3, 20), (5, 200), (100, 3)):
        with top("-I", "10ms", "--count", "20", size=size) as t:
            assert t.end() == 0
            restored(t)
    with top("-I", "10ms") as t:
        t.wait(shown, "numbers")
        for size in ((1, 1), (2, 7), (300, 2), SMALL):
            t.resize(*size)
            t.keys("aes?x")
            for _ in range(20):
                t.pump(0.01)
        t.wait(shown, "numbers again")


# ---- keys -------------------------------------------------------------------

@test
def boxes_are_shown_and_hidden():
    with top("-I", FAST) as t:
        t.wait(shown, "numbers")
        assert not row(t.screen.text(), "Memory", "imc0")
        t.keys("e")                             # of the panel, on which the cursor begins
        t.wait(lambda text: row(text, "Memory", "imc3"), "both sockets open")
        t.keys("e")
        t.wait(lambda text: not row(text, "Memory", "imc3"), "both closed")
        t.keys("\x1bOB\r")                      # the first socket alone
        text = t.wait(lambda text: row(text, "Memory", "imc3") and text, "one open")
        assert sum("imc0" in line for line in text) == 1, text
        t.keys("a")                             # some are open: all
        t.wait(lambda text: sum("imc0" in line for line in text) == 2, "all open")
        t.keys("a")
        t.wait(lambda text: not row(text, "Memory", "imc3"), "all closed")
        t.keys("a")
        t.wait(lambda text: sum("imc0" in line for line in text) == 2, "all open again")
        t.keys("\x1bOF")                        # End: the last line is scrolled to
        t.wait(lambda text: section(text, "Power")[1:], "the last panel")
        t.keys("\x1bOH")
        t.wait(lambda text: row(text, "Memory", "imc0"), "the first panel")


@test
def the_first_all_shows_the_boxes_that_did_not_fit():
    with top("-I", FAST) as t:
        t.wait(lambda text: row(text, "Links", "qpi1"), "boxes that fit are shown unasked")
        t.keys("a")
        t.wait(lambda text: row(text, "Memory", "imc3") or not row(text, "Links", "qpi1"),
               "another set of boxes")
        assert row(t.screen.text(), "Memory", "imc3")


@test
def rows_are_sorted():
    def order(text):
        return re.findall(r"imc\d|socket \d", "\n".join(section(text, "Memory")))
    by_number = ["socket 0", *(f"imc{i}" for i in range(4)),
                 "socket 1", *(f"imc{i}" for i in range(4))]
    by_value = ["socket 1", *(f"imc{i}" for i in (3, 2, 1, 0)),
                "socket 0", *(f"imc{i}" for i in (3, 2, 1, 0))]
    with top("-I", FAST, size=LARGE) as t:
        t.wait(lambda text: shown(text) and order(text) == by_number, "by number")
        t.keys("s")
        t.wait(lambda text: order(text) == by_value and any(">READ" in line for line in text),
               "the largest first")
        t.keys("ssss")
        t.wait(lambda text: order(text) == by_number, "by number again")


@test
def a_frozen_screen_stands_still_and_goes_back_in_time():
    with top("-I", FAST, fake="wave=1 scale=1000") as t:
        t.wait(shown, "numbers")
        seen = set()
        # 14 READs are a round of the wave
        t.wait(lambda text: seen.add(row(text, "Memory", "socket 0")[2]) or len(seen) == 8,
               "all numbers of the wave")
        t.keys("f")
        text = t.wait(lambda text: "FROZEN" in text[0] and text, "frozen")
        here = row(text, "Memory", "socket 0")
        for _ in range(10):
            t.pump(0.1)
            assert row(t.screen.text(), "Memory", "socket 0") == here
        t.keys("\x1bOD")
        before = t.wait(lambda text: row(text, "Memory", "socket 0") != here and
                        row(text, "Memory", "socket 0"), "the sample before")
        t.keys("\x1bOC")
        t.wait(lambda text: row(text, "Memory", "socket 0") == here, "and after")
        assert before[2] in seen
        t.keys("f")
        t.wait(lambda text: "FROZEN" not in text[0] and
               row(text, "Memory", "socket 0") != here, "it goes on")


def is_missing(row):
    """Whether a row of CSV or JSON names what is not counted."""
    return row.get("note", "").startswith("missing")


@test
def what_is_seen_is_saved():
    with tempfile.TemporaryDirectory() as directory, \
         top("-I", FAST, size=LARGE, directory=directory) as t:
        t.wait(shown, "numbers")
        t.keys("aw")                            # all boxes, even where there is one
        t.wait(lambda text: "rows saved to ucoretool-top-" in text[-1], "saved")
        t.keys("j")
        t.wait(lambda text: ".json" in text[-1], "saved again")
        files = {path.suffix: path for path in Path(directory).iterdir()}
        assert len(files) == 2, files
        rows = [row for row in csv.DictReader(files[".csv"].open()) if not is_missing(row)]
        have = {(r["metric"], r["socket"], r["box"]): r["value"] for r in rows}
        objects = [json.loads(line) for line in files[".json"].read_text().splitlines()]
        objects = [row for row in objects if not is_missing(row)]
        assert {(r["metric"], str(r["socket"]), r.get("box", "")) for r in objects} == set(have)
        wanted = [json.loads(line) for line in batch("-j", "--count=1", "-I10")[0].splitlines()]
        wanted = [row for row in wanted if not is_missing(row)]
        assert len(wanted) == len(have), (len(wanted), len(have))
        for r in wanted:
            value = float(have[r["metric"], str(r["socket"]), r.get("box", "")])
            assert abs(value / r["value"] - 1) < 1e-6, (r, value)
        # only what is seen: without the boxes of the memory
        t.keys("ew")
        t.wait(lambda text: ".csv" in text[-1], "saved once more")
        third = next(path for path in Path(directory).iterdir() if path not in files.values())
        assert "imc" not in third.read_text() and "qpi" in third.read_text()


@test
def a_file_that_cannot_be_made_is_told():
    with top("-I", FAST, directory="/proc") as t:
        t.wait(shown, "numbers")
        t.keys("w")
        t.wait(lambda text: "cannot create" in text[-1], "the reason")
        t.keys("q")
        assert t.end() == 0


@test
def help_is_a_page_and_any_key_leaves_it():
    with top("-I", FAST) as t:
        t.wait(shown, "numbers")
        t.keys("?")
        text = t.wait(lambda text: text[0] == "Keys" and text, "the page")
        assert len([line for line in text if line]) <= 24 and "any key" in text[-1], text
        t.keys("x")
        t.wait(shown, "numbers again")
        t.keys("h\x1b[21~")                     # F10, twice: out of the page, and out
        t.wait(shown, "numbers once more")
        t.keys("\x1b[21~")
        assert t.end() == 0
        restored(t)
    with top("-I", FAST) as t:
        t.wait(shown, "numbers")
        t.keys("hq")
        assert t.end() == 0


# ---- the end ----------------------------------------------------------------

@test
def the_terminal_is_given_back():
    ends = [lambda t: t.keys("q"), lambda t: t.keys("\x03"),
            lambda t: t.kill(signal.SIGTERM), lambda t: t.kill(signal.SIGINT),
            lambda t: t.kill(signal.SIGHUP)]
    for end in ends:
        for more in ({}, {"TERM": "vt100"}, {"TERM": "linux"}):
            with top("-I", FAST, **more) as t:
                t.wait(shown, "numbers")
                assert t.modes() != t.modes_before
                assert more or (t.screen.alternate and t.screen.cursor_hidden)
                end(t)
                assert t.end() == 0, t.status
                restored(t)


@test
def the_terminal_is_given_back_after_a_crash():
    for number in (signal.SIGSEGV, signal.SIGABRT, signal.SIGBUS, signal.SIGFPE, signal.SIGILL,
                   signal.SIGQUIT):
        with top("-I", FAST, ASAN_OPTIONS="disable_coredump=1") as t:
            t.wait(shown, "numbers")
            t.kill(number)
            assert t.end() == -number, (number, t.status)
            restored(t)


@test
def it_can_be_stopped_and_goes_on():
    with top("-I", FAST) as t:
        t.wait(shown, "numbers")
        t.keys("\x1a")
        t.wait(lambda _: t.stopped(), "stopped")
        while t.pump(0.1):
            pass
        restored(t)
        t.kill(signal.SIGCONT)
        t.wait(lambda text: t.screen.alternate and shown(text), "numbers again")
        t.keys("q")
        assert t.end() == 0
        restored(t)


@test
def a_terminal_that_goes_away_ends_it():
    # looking for leaks can wait for ever in a process whose session has lost its leader
    with top("-I", FAST, ASAN_OPTIONS="detect_leaks=0") as t:
        t.wait(shown, "numbers")
        t.hang_up()
        end = time.monotonic() + 60
        while running(t.pid) and time.monotonic() < end:
            time.sleep(0.05)
        assert not running(t.pid)


@test
def the_device_vanishes():
    # the fourth READ says ENODEV
    with top("-I", FAST, fake="fail=23:19:3") as t:
        t.wait(shown, "numbers")
        assert t.end() == 1
        restored(t)
        text = "\n".join(t.screen.text())
        assert "ucoretool top: session: cannot read the counters: No such device" in text, text
    out, err = batch("-I10", fake="fail=23:19:3", status=1)
    assert out.count("Memory") == 3 and len(err.splitlines()) == 1, (out, err)


# ---- boxes that are not there -----------------------------------------------

@test
def what_cannot_be_counted_is_told():
    with top("-I", FAST, fake="flags=2") as t:
        text = t.wait(lambda text: any("box dead" in line for line in text) and text, "dead")
        assert row(text, "Memory", "socket 0") == ["-"] * 4, text
    with top("-I", FAST, fake="flags=4") as t:
        t.wait(lambda text: any("offline" in line for line in text), "offline")


@test
def boxes_of_others_are_left_to_them():
    with top("-I", FAST, fake="own=imc1") as t:
        t.wait(lambda text: "not counted: imc1 of die 0: in use by process 4711 (other)" in
               "".join(section(text, "Memory") or ""), "why")
    out, err = batch("memory", "--count=1", "-I10", fake="own=imc1")
    assert "4711" in out and "3 of 4 imc" in out and not err, (out, err)
    out, err = batch("--count=1", "-I10", fake="own=imc1")
    assert "4711" in out and "Links" in out and not err, (out, err)


@test
def panels_are_chosen_by_name():
    out, _ = batch("io", "memory", "--count=1", "-I10")
    assert re.findall(r"^(Memory|IO|Links|Last|Power)", out, re.M) == ["Memory", "IO"], out
    _, err = batch("memroy", status=2)
    assert "panel 'memroy': unknown. Choose from: memory llc links io power" in err, err


@test
def the_first_die_alone_and_several_in_a_socket():
    out, _ = batch("memory", "--count=1", "-I10", fake="dies=1")
    assert "socket 0" in out and "socket 1" not in out, out
    out, _ = batch("memory", "--count=1", "-I10", "-j", fake="only=1")
    assert {json.loads(line)["socket"] for line in out.splitlines()} == {1}, out


# ---- no terminal, or a poor one ---------------------------------------------

@test
def without_a_terminal_it_is_text():
    out, err = batch("--count=2", "-I10")
    assert "\x1b" not in out and not err
    blocks = out.split("\n\n")
    assert len(blocks) == 2 and blocks[0].startswith("# 1.000 s\nMemory ") and \
        blocks[1].startswith("# 2.000 s\nMemory "), out
    numbers = re.search(r"^socket 1 +([\d.]+)", blocks[0], re.M)[1]
    assert numbers == f"{step(*IMC[1], counter=0) * LINE:.2f}", blocks[0]
    rows = list(csv.reader(batch("--count=2", "-I10", "-x,")[0].splitlines()))
    assert rows[0] == "time_ns panel socket die box value unit metric note time".split(), rows[0]
    assert {line[0] for line in rows[1:]} == {"1000000000", "2000000000"}
    first, second = (datetime.datetime.fromisoformat(time[:26]) for time in
                     sorted({line[-1] for line in rows[1:]}))
    assert abs((second - first).total_seconds() - 1) < 0.1, (first, second)


@test
def batch_on_a_terminal_is_text_too():
    # where curses does not know a terminal it forgets memory of its own
    unknown = {"TERM": "no-such-thing", "ASAN_OPTIONS": "detect_leaks=0"}
    for options, more in ((["--batch"], {}), ([], {"TERM": "dumb"}), ([], unknown)):
        with top(*options, "--count=1", "-I10", "memory", **more) as t:
            assert t.end() == 0, (t.status, more, t.screen.text())
            text = t.screen.text()
            assert any(line.startswith("# 1.000 s") for line in text), text
            assert bool(more) == ("text instead" in "".join(text)), text
            restored(t)


@test
def without_utf8_it_is_ascii():
    with top("-I", FAST, fake="wave=1", size=LARGE, LANG="C") as t:
        text = t.wait(lambda text: shown(text) and text, "numbers")
        assert all(ord(letter) < 128 for line in text for letter in line), text
        assert "- socket 0" in "\n".join(text), text
        t.wait(lambda text: re.search(r"\[#+=+ *\]", "\n".join(text)), "a bar")


@test
def without_colours_headings_stand_out():
    with top("-I", FAST, NO_COLOR="1") as t:
        text = t.wait(lambda text: shown(text) and text, "numbers")
        y = next(y for y, line in enumerate(text) if line.startswith("Memory"))
        assert "7" in t.screen.attributes(y, 0).split(";"), t.screen.attributes(y, 0)


@test
def a_full_disk_ends_it():
    with open("/dev/full", "w", encoding="ascii") as full:
        done = subprocess.run([TOOL, "top", "-I10"], env=environment(), stdout=full,
                              stderr=subprocess.PIPE, text=True, check=False, timeout=120)
    assert done.returncode == 1 and "cannot write" in done.stderr, done


# ---- cost -------------------------------------------------------------------

@test
def a_refresh_costs_less_than_a_hundredth_of_a_second():
    """The largest machine and screen, so that at one a second it is under 1 % of a CPU.

    These programs have sanitizers in them, and the device's work is counted, too.
    """
    def seconds(nr):
        with top("-I", "10ms", "--count", str(nr), size=LARGE, fake="machine=gnr wave=1 scale=1000") as t:
            assert t.end(600) == 0
            return t.seconds
    few, many = seconds(20), seconds(220)
    each = (many - few) / 200
    print(f"# {each * 1e3:.2f} ms of CPU time a refresh; {few:.2f} s to start")
    assert each < 0.01, each


def show(fake, size, keys=""):
    """What is on the screen after some time and these keys."""
    lines, columns = map(int, size.split("x"))
    with top("-I", FAST, fake=fake, size=(lines, columns)) as t:
        t.wait(shown, "numbers")
        for _ in range(40):
            t.pump(0.1)
        t.keys(keys)
        for _ in range(8):
            t.pump(0.1)
        print("\n".join(t.screen.text()))


def run(function):
    try:
        function()
        return ""
    except Exception:
        return traceback.format_exc()


def main(patterns):
    chosen = [function for function in TESTS
              if not patterns or any(pattern in function.__name__ for pattern in patterns)]
    failed = 0
    print(f"1..{len(chosen)}")
    for number, function in enumerate(chosen, 1):
        why = run(function)
        failed += bool(why)
        print(f"{'not ' if why else ''}ok {number} - {function.__name__.replace('_', ' ')}")
        print("".join(f"# {line}\n" for line in why.splitlines()), end="", flush=True)
    return bool(failed)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--show"]:
        show(*sys.argv[2:])
    else:
        sys.exit(main(sys.argv[1:]))
