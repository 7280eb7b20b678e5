# SPDX-License-Identifier: GPL-2.0-only
"""Parses and runs the commands in pages of the documentation, and updates their output.

Commands and output are in blocks of a page.  The prompt `lab# ` is that of `make shell`, and `$ `
is that of the host.  A backslash continues a command in the next line.

    ```console
    lab# ucoretool list boxes imc
    die  box   ...
    ```

`<!-- machine: spr-2s -->` selects the scenario for the commands of a section, or of the whole page
if it is above the first heading of a section.  The commands of a section run in one shell, those
of a page in one home directory.  The output in a block called `console varies` is an example,
because each run prints other lines.

A paragraph that begins with *Read:* explains the output: each `code` in it must be in the output.
"""

import dataclasses
import re

GUEST, HOST = "lab# ", "$ "
MACHINE = re.compile(r"<!-- machine: (\S+) -->")
HEADING = re.compile(r"##+ (.*)")
# Text after the output of a command, with its status
ENDED = re.compile(r"\n\x01(\d+)\n")
HOME = "/tmp/page"
BEGIN = f"cd {HOME}; export HOME={HOME} LANG=C.UTF-8\n"
AT_HOME = f"ifconfig lo 127.0.0.1 up; rm -rf {HOME}; cp -r /root {HOME}"
ONE = "{{ {}\n}} 2>&1\nprintf '\\n\\001%d\\n' $?\n"
TIMEOUT = 120


@dataclasses.dataclass
class Command:
    """One typed command line and the output below it."""
    prompt: str
    text: str
    output: list = dataclasses.field(default_factory=list)
    varies: bool = False
    status: int = 0

    def lines(self):
        return [f"{self.prompt}{self.text}", *self.output]


@dataclasses.dataclass
class Section:
    """Text from one heading to the next: lines, and Commands in place of their lines."""
    title: str
    machine: str
    parts: list = dataclasses.field(default_factory=list)

    def commands(self, prompt=GUEST):
        return [part for part in self.parts
                if isinstance(part, Command) and part.prompt == prompt]

    def named(self):
        """Return the parts that the text names as visible in the output."""
        text = "\n".join(part for part in self.parts if isinstance(part, str))
        return [name for paragraph in text.split("\n\n") if paragraph.startswith("*Read:*")
                for name in re.findall(r"`([^`]+)`", paragraph)]


def parsed(text):
    """Return the sections of a page. The text above the first heading has no title."""
    sections, block = [Section("", "")], None
    for line in text.splitlines():
        if block is None:
            section = sections[-1]
            if heading := HEADING.fullmatch(line):
                sections.append(Section(heading[1], sections[0].machine))
            elif machine := MACHINE.fullmatch(line):
                section.machine = machine[1]
            elif line.startswith("```"):
                block = line
            sections[-1].parts.append(line)
        elif line == "```":
            block = None
            sections[-1].parts.append(line)
        elif block.startswith("```console"):
            add_typed(sections[-1].parts, line, "varies" in block)
        else:
            sections[-1].parts.append(line)
    return sections


def add_typed(parts, line, varies):
    """Add a line of a block: a command, its continuation, or output."""
    last = parts[-1]
    prompts = [HOST] if isinstance(last, Command) and last.prompt == HOST else [GUEST, HOST]
    prompt = next((prompt for prompt in prompts if line.startswith(prompt)), None)
    if prompt:
        parts.append(Command(prompt, line.removeprefix(prompt), varies=varies))
    elif not isinstance(last, Command):
        raise ValueError(f"a block begins with what no command prints: {line}")
    elif last.text.endswith("\\") and not last.output:
        last.text += f"\n{line}"
    else:
        last.output.append(line)


def written(sections):
    """Return the text of a page."""
    lines = [line for section in sections for part in section.parts
             for line in (part.lines() if isinstance(part, Command) else [part])]
    return "\n".join(lines) + "\n"


def run(machine, section):
    """Run the section's commands in a machine; return them with the new output."""
    commands = section.commands()
    script = BEGIN + "".join(ONE.format(command.text) for command in commands)
    said = machine.run(script, timeout=TIMEOUT, check=False).out
    *found, rest = ENDED.split(said)
    if len(found) != 2 * len(commands):
        raise ValueError(f"{section.title}: not all commands ended:\n{said}")
    return [dataclasses.replace(command, output=printed(output), status=int(status))
            for command, output, status in zip(commands, found[::2], found[1::2])]


def printed(text):
    """Return the lines in the form of a page."""
    return [line.rstrip() for line in text.expandtabs().splitlines()]


# ---- Comparison with the page ----

NUMBER = re.compile(r"0x[0-9a-f]+|[-+]?\d+(?:[.:]\d+)*(?:e[-+]\d+)?")
NUMBERS = re.compile(r"#(?:,#)+")
UNIT = re.compile(r"# ?(?:[nuµm]?s|[kMG]?i?B)\b")


def shape(line):
    """Return a line without numbers, units and bars."""
    line = UNIT.sub("#", NUMBERS.sub("#", NUMBER.sub("#", line)))
    return " ".join(re.sub(r"[^\x21-\x7e]|[-=|]{2,}", " ", line).split())


def differences(section, now):
    """Return a text for each difference between the page and the new output."""
    for before, after in zip(section.commands(now[0].prompt), now):
        if after.status:
            yield f"{after.text}: exit status {after.status}:\n" + "\n".join(after.output)
        missing = [line for line in before.output
                   if shape(line) not in map(shape, after.output)]
        if missing and not before.varies:
            yield "\n".join((f"{after.text}: no longer prints", *missing, "but", *after.output))
    everything = "\n".join(line for command in now for line in command.output)
    yield from (f"*Read:* names {name}, which no output has" for name in section.named()
                if name not in everything)
