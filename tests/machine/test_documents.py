# SPDX-License-Identifier: GPL-2.0-only
"""Run the commands of the tutorial, the recipes and README exactly as printed there.

The output must equal that of the page except for numbers. The parts of the output that the text
mentions must be printed. `make screens` updates the pages.
"""

import re
import signal

from lab import artifacts, extras, pages, doc_outputs
from lab.framework import Result, skip, test
from lab.session import assert_equal
from machine.cores import cores

# Pages with lists of commands in lines that begin with a tab
LISTS = ("README.md", "Documentation/recipes.md")
# A command of such a list, without its comment; some commands run until Ctrl-C
LINE = re.compile(r"^\t(ucoretool .*?)(?:\t+#.*)?$", re.M)
ENDLESS = re.compile(r"ucoretool (top|export|record --timer 10ms --keep|stat -I(?!.*--)).*")
BLOCKED = re.compile(r"^SigBlk:\s*(\w+)$", re.M)
# Commands with events or interrupts that only E5-2600, or only later generations, have. Neither has
# efficient cores
OF_E5, OF_LATER = re.compile(r"\b(cbo|qpi|atom)/|record -c"), re.compile(r"\b(cha|atom)/")
EXCERPT = re.compile(r"^```(c|python) (\S+)\n(.*?)^```$", re.M | re.S)


def judged(name, section, now):
    wrong = list(pages.differences(section, now))
    return Result(f"{name}, {section.title or 'head'}", "failed" if wrong else "passed",
                  "\n".join(wrong))


def pages_on(m):
    found = [judged(name, section, now) for name in doc_outputs.PAGES
             for section, now in doc_outputs.on(m, doc_outputs.sections_of(name))]
    assert found, f"no page has a command for {m.scenario}"
    return found


def waits_for_control_c(m):
    """Return true if ucoretool has blocked SIGINT, which it waits for.

    Before this, SIGINT would kill the program.
    """
    blocked = BLOCKED.search(m.run("cat /proc/$(pidof ucoretool)/status", check=False).out)
    return blocked and int(blocked[1], 16) >> signal.SIGINT - 1 & 1


def run_until_control_c(m, line):
    process = m.spawn(f"cd /tmp/readme; exec {line}", timeout=60)
    m.wait_until(lambda: process.done or waits_for_control_c(m), what=f"begin of {line}")
    m.run("sleep 2")
    if not process.done:
        process.kill(signal.SIGINT)
    process.wait()


def readme_lines_on(m, others):
    """Run the listed commands except those of other machines, in a directory with an ./app."""
    m.sh("rm -rf /tmp/readme; mkdir /tmp/readme; cd /tmp/readme; "
         "printf '#!/bin/sh\\nsleep 0.2\\n' >app; chmod +x app")
    text = "".join((artifacts.TOP / name).read_text() for name in LISTS)
    lines = [line for line in LINE.findall(text) if not others.search(line)]
    assert len(lines) > 8, lines
    with cores(m):
        for line in lines:
            if ENDLESS.match(line):
                run_until_control_c(m, line)
            else:
                m.run(f"cd /tmp/readme; {line}", timeout=60)


@test(("e2-2s", "skl-1s"), perf=True, timeout=300)
def documented_commands_print_the_documented_output(m):
    return pages_on(m)


@test("spr-2s", perf=True, files=extras.files(), timeout=400)
def documented_python_and_http_commands_print_the_documented_output(m):
    if not extras.http():
        skip("libmicrohttpd is not installed")
    return pages_on(m)


@test("spr-2s", files=extras.files(), timeout=200)
def readme_commands_work_on_a_later_xeon(m):
    if not extras.http():
        skip("libmicrohttpd is not installed")
    readme_lines_on(m, OF_E5)


@test("e2-2s", timeout=200)
def readme_commands_work_on_an_e5(m):
    readme_lines_on(m, re.compile(f"{OF_LATER.pattern}|export|iio/|--per-device"))


@test(machine=False, timeout=400)
def documented_host_commands_print_the_documented_output():
    return [judged(name, section, doc_outputs.run_on_host(section)) for name in doc_outputs.PAGES
            for section in doc_outputs.sections_of(name) if section.commands(pages.HOST)]


@test(machine=False)
def every_documented_command_is_tested():
    """Check that the machines of all documented commands are those of the tests above."""
    found = [section for name in doc_outputs.PAGES for section in doc_outputs.sections_of(name)]
    assert {section.machine for section in found if section.commands()} == {
        "e2-2s", "spr-2s", "skl-1s"}
    assert sum(len(section.commands()) for section in found) > 30


@test(machine=False)
def excerpts_match_the_examples():
    """Check that each block `c FILE` or `python FILE` consists of lines of that file, in order."""
    seen = 0
    for name in doc_outputs.PAGES:
        for _, path, text in EXCERPT.findall((artifacts.TOP / name).read_text()):
            lines = iter((artifacts.TOP / path).read_text().splitlines())
            assert_equal([f"{name}: {path} has no {line}" for line in text.splitlines()
                          if line.strip() and line not in lines])
            seen += 1
    assert seen, "there are no excerpts"


@test(machine=False)
def outdated_documented_output_is_detected():
    text = ("# Page\n<!-- machine: e2-2s -->\n\n## One\n\n```console\nlab# a \\\n  b\nx 1 ms  ab\n"
            "lab# c\n```\n\n*Read:* `x` is\nthis and `ab`.\n")
    (head, one) = pages.parsed(text)
    assert pages.written([head, one]) == text
    assert (one.machine, [command.text for command in one.commands()]) == ("e2-2s", ["a \\\n  b", "c"])

    def differences(*lines, status=0):
        first, second = one.commands()
        now = [pages.Command(pages.GUEST, first.text, list(lines), status=status), second]
        return len(list(pages.differences(one, now)))
    assert not differences("x 20.5 us ab", "more")
    assert differences("y 1 ms ab") == 2        # the changed line, and the missing x
    assert differences("x 1 ms") == 2
    assert differences() == 3                   # the missing output and both names
    assert differences("x 1 ms  ab", status=1) == 1
