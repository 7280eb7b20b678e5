# SPDX-License-Identifier: GPL-2.0-only
"""`make screens`: run the commands of the pages and update the printed output.

usage: python3 -m lab.doc_outputs [PAGE...]

PAGE is a path in the tree; the default is all pages with commands. lab/pages.py describes the
format. The test of the pages runs the commands in the same way.
"""

import dataclasses
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

from lab import artifacts, extras, pages
from lab.agent import patience
from lab.machine import Machine
from lab.qemu import args

PAGES = ("README.md", "Documentation/tutorial.md", "Documentation/recipes.md")
KERNEL = "6.1"
HOST_TIMEOUT = 300
PROMPT = f"\n{pages.GUEST.rstrip()}"

failed = []


def sections_of(name):
    return pages.parsed((artifacts.TOP / name).read_text())


# ---- The guest ----

def on(machine, sections):
    """Return (section, commands with their output) of the sections for this machine."""
    machine.run(pages.AT_HOME)
    for section in sections:
        if section.commands() and section.machine == machine.scenario:
            yield section, pages.run(machine, section)


def scenarios(sections):
    return sorted({section.machine for section in sections if section.commands()})


def guest_filled(sections):
    for scenario in scenarios(sections):
        say(f"booting {scenario}")
        with Machine(scenario, KERNEL, perf=True, files=extras.files()) as machine:
            machine.insmod()
            machine.run("have")     # as in the tests that compare the output
            for section, now in on(machine, sections):
                say(section.title or "the page's head")
                fill(section, now)


# ---- The host ----


def left_at_prompt(process):
    """Return the output before the prompt of a lab shell, and leave the shell."""
    said = ""
    while not said.endswith(PROMPT) and (letter := process.stdout.read(1)):
        said += letter
    process.stdin.write("exit\n")
    process.stdin.flush()
    process.stdout.read()
    return said.removesuffix(PROMPT)


def typed_on_host(command):
    """Return the output and the status of a command of the host."""
    # run make without the variables of the calling make
    environment = {name: value for name, value in os.environ.items()
                   if name not in ("MAKEFLAGS", "MAKELEVEL", "MFLAGS")}
    with subprocess.Popen(["sh", "-c", command], cwd=artifacts.TOP, env=environment, text=True,
                          stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          start_new_session=True) as process:
        killer = threading.Timer(HOST_TIMEOUT * patience(), os.killpg,
                                 (process.pid, signal.SIGKILL))
        killer.start()
        said = left_at_prompt(process) if command.startswith("make shell") else \
            process.stdout.read()
        killer.cancel()
    return said, process.returncode


def run_on_host(section):
    """Run the section's commands of the host again."""
    found = []
    for command in section.commands(pages.HOST):
        say(command.text)
        said, status = typed_on_host(command.text)
        found.append(dataclasses.replace(command, output=pages.printed(said), status=status))
    return found


def host_filled(sections):
    for section in sections:
        if section.commands(pages.HOST):
            fill(section, run_on_host(section), pages.HOST)


# ---- Pages ----

def fill(section, now, prompt=pages.GUEST):
    """Insert the current output, except for commands that fail: these keep the old text and are
    reported."""
    for command, new in zip(section.commands(prompt), now):
        if new.status:
            failed.append(new.text)
            say("\n".join((f"{new.text}: exit status {new.status}:", *new.output)))
        else:
            command.output = new.output


def say(text):
    print(f"screens: {text}", file=sys.stderr, flush=True)


def main(*names):
    args.binary()
    artifacts.module(KERNEL)
    artifacts.tools()
    artifacts.programs()
    for name in names or PAGES:
        path = Path(artifacts.TOP / name)
        sections = sections_of(path)
        host_filled(sections)
        guest_filled(sections)
        path.write_text(pages.written(sections))
        say(f"{name} is written")
    return f"screens: failed: {', '.join(failed)}" if failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
