# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tab in a real shell: does tools/completion/ make of each word what it ought to?

usage: shells.py bash|zsh|fish COMPLETIONS    here is a file `only-one`, and ucoretool in the PATH
"""

import os
import pty
import signal
import subprocess
import sys

# What is typed, and the last word after Tab
CASES = (
    ("ucoretool sta", "stat"),
    ("ucoretool record --timeo", "--timeout"),
    ("ucoretool stat -e imc/CAS_COUNT.RD_U", "imc/CAS_COUNT.RD_UNDERFILL/"),
    ("ucoretool stat --event=imc/CAS_COUNT.RD_U", "--event=imc/CAS_COUNT.RD_UNDERFILL/"),
    ("ucoretool stat -e imc/event=4,thr", "imc/event=4,thresh="),
    ("ucoretool stat -M memory_bandwidth_rea", "memory_bandwidth_read"),
    ("ucoretool top powe", "power"),
    ("ucoretool report -i only", "only-one"),
    ("ucoretool report --html=only", "--html=only-one"),
    ("ucoretool stat --count 1 ucoretoo", "ucoretool"),
)
SHELLS = {
    "bash": (["bash", "--norc", "--noprofile", "-i"],
             ". {}/ucoretool.bash; bind 'set enable-bracketed-paste off'"),
    "zsh": (["zsh", "-f", "-i"],
            "fpath=({} $fpath); autoload -U compinit; compinit -u -D; bindkey -e; "
            "unset zle_bracketed_paste; unsetopt prompt_cr prompt_sp"),
}
QUIET = {"TERM": "dumb", "INPUTRC": "/dev/null", "HISTFILE": "/dev/null", "COLUMNS": "200"}


class Terminal:
    """An interactive shell, and who types."""

    def __init__(self, command, setup):
        pid, self._fd = pty.fork()
        if not pid:
            os.environ.update(QUIET)
            os.execvp(command[0], command)
        self._pid, self._seen = pid, b""
        self.type(f"stty cols 200; {setup}; echo REA\"\"DY\n")
        self.line_behind(b"READY")

    def type(self, text):
        os.write(self._fd, text.encode())

    def line_behind(self, word):
        """What the shell prints behind a word, to the end of the line."""
        while word not in self._seen or b"\n" not in self._seen.partition(word)[2]:
            self._seen += os.read(self._fd, 4096)
        line, _, self._seen = self._seen.partition(word)[2].partition(b"\n")
        return line.decode().strip()

    def completed(self, typed):
        """The line after Tab, shown by an echo that is put before it."""
        self.type(f"{typed}\t\x01echo L\"\"INE: \n")
        return self.line_behind(b"LINE: ")

    def end(self):
        self.type("exit\n")
        os.waitpid(self._pid, 0)


def typed_in(shell, where):
    command, setup = SHELLS[shell]
    terminal = Terminal(command, setup.format(where))
    for typed, _ in CASES:
        yield terminal.completed(typed).split(" ")[-1]
    terminal.end()


def asked_of_fish(where):
    """Return the completions that fish offers for Tab."""
    for typed, _ in CASES:
        said = subprocess.run(
            ["fish", "--no-config", "-c", f"source {where}/ucoretool.fish; complete -C '{typed}'"],
            check=True, stdout=subprocess.PIPE, text=True).stdout
        yield " ".join(line.partition("\t")[0] for line in said.splitlines())


def main(shell, where):
    signal.alarm(300)
    found = asked_of_fish(where) if shell == "fish" else typed_in(shell, where)
    for (typed, due), have in zip(CASES, found):
        assert have == due, (typed, have, due)


if __name__ == "__main__":
    main(*sys.argv[1:])
