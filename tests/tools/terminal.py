# SPDX-License-Identifier: LGPL-2.1-or-later
"""A terminal in a few lines: a program on a real pseudo-terminal, and what its user sees.

It knows the sequences of xterm that curses writes for TERM=xterm-256color (and the simpler
ones of vt100 and linux), and fails at any other: a screen that is read wrongly cannot pass.
"""

import codecs
import fcntl
import os
import re
import select
import signal
import struct
import termios
import time

CSI = re.compile(r"\x1b\[([?>!]?)([0-9;]*)([ -/]*)([@-~])")
# Charsets, keypad, save and restore of what we do not keep, resets
ESCAPES = re.compile(r"\x1b([()][0AB]|[=>78cH]|\](R|P[0-9a-f]{7}|[^RP\x07\x1b][^\x07\x1b]*(\x07|\x1b\\)))")
BLANK = (" ", "")
# So long nothing comes between two refreshes, and not within one
QUIET = 0.05
# Who refreshes without a pause is looked at all the same
PIECES = 100


class Unknown(Exception):
    """A sequence that this terminal does not know."""


class Screen:
    """What stands where, and which modes a program has set."""

    def __init__(self, lines, columns):
        self.modes = set()
        self.lines, self.columns = lines, columns
        self._decoder = codecs.getincrementaldecoder("utf-8")("strict")
        self._rest = ""
        self._pages = {False: self._empty(), True: self._empty()}
        self._sgr = ""
        self._last = " "
        self._x = self._y = 0
        self._wrap = False
        self._top, self._bottom = 0, lines

    def _empty(self):
        return [[BLANK] * self.columns for _ in range(self.lines)]

    @property
    def alternate(self):
        """Is it the page that programs of a whole screen use?"""
        return "?1049" in self.modes

    @property
    def _page(self):
        return self._pages[self.alternate]

    @property
    def cursor_hidden(self):
        return "?25" not in self.modes and "hidden" in self.modes

    def text(self):
        """The lines that are seen, without blanks at their ends."""
        return ["".join(letter for letter, _ in line).rstrip() for line in self._page]

    def attributes(self, y, x):
        return self._page[y][x][1]

    def resize(self, lines, columns):
        """As xterm does it: what stands at the top left stays."""
        for which, page in self._pages.items():
            page = [(line + [BLANK] * columns)[:columns] for line in page[:lines]]
            self._pages[which] = page + [[BLANK] * columns for _ in range(lines - len(page))]
        self.lines, self.columns = lines, columns
        self._top, self._bottom = 0, lines
        self._x, self._y = min(self._x, columns - 1), min(self._y, lines - 1)
        self._wrap = False

    def feed(self, data):
        text = self._rest + self._decoder.decode(data)
        at = 0
        while at < len(text):
            if text[at] != "\x1b":
                self._letter(text[at])
                at += 1
                continue
            found = CSI.match(text, at)
            if found:
                self._csi(*found.groups())
            else:
                found = ESCAPES.match(text, at)
            if text.startswith("\x1bM", at):
                self._reverse_index()
                at += 2
            elif found:
                at = found.end()
            elif len(text) - at < 40 and re.fullmatch(r"\x1b([\[\]()][^@-~]*)?", text[at:]):
                break       # the rest of it is on its way
            else:
                raise Unknown(repr(text[at:at + 20]))
        self._rest = text[at:]

    def _letter(self, letter):
        if letter == "\r":
            self._x, self._wrap = 0, False
        elif letter == "\n":
            self._index()
        elif letter == "\b":
            self._x, self._wrap = max(self._x - 1, 0), False
        elif letter == "\t":
            self._x = min((self._x // 8 + 1) * 8, self.columns - 1)
        elif letter in "\x00\x07\x0e\x0f":
            pass            # padding, a bell, charsets that nobody changed
        elif letter < " ":
            raise Unknown(repr(letter))
        else:
            self._put(letter)

    def _put(self, letter):
        if self._wrap:
            self._x, self._wrap = 0, False
            self._index()
        self._page[self._y][self._x] = (letter, self._sgr)
        self._last = letter
        self._wrap = self._x == self.columns - 1
        self._x = min(self._x + 1, self.columns - 1)

    def _index(self):
        self._wrap = False
        if self._y == self._bottom - 1:
            self._scroll(1)
        else:
            self._y = min(self._y + 1, self.lines - 1)

    def _reverse_index(self):
        if self._y == self._top:
            self._scroll(-1)
        else:
            self._y = max(self._y - 1, 0)

    def _scroll(self, by, top=None):
        """Lines of the region go up, or down."""
        top = self._top if top is None else top
        for _ in range(abs(by)):
            del self._page[top if by > 0 else self._bottom - 1]
            self._page.insert(self._bottom - 1 if by > 0 else top, [BLANK] * self.columns)

    def _csi(self, private, numbers, between, final):
        values = [int(number) if number else 0 for number in numbers.split(";")]
        if private or between:
            self._mode(private, numbers, between, final)
        elif final == "m":
            self._sgr = "" if values == [0] else numbers
        elif final in "hl" and numbers == "4" or final in "tc":
            pass            # insert mode (never on here), titles, questions
        elif final == "r":
            self._top = max(values[0], 1) - 1
            self._bottom = values[1] if len(values) > 1 and values[1] else self.lines
            self._x = self._y = 0
        elif final in "ABCDGHZdf":
            self._move(final, values)
        else:
            self._edit(final, values)

    def _mode(self, private, numbers, between, final):
        if private != "?" or between or final not in "hl":
            if (private, final) not in (("!", "p"), (">", "c"), ("?", "c")):
                raise Unknown(private + numbers + between + final)
            return
        for number in numbers.split(";"):
            if final == "h":
                self.modes.add(f"?{number}")
            else:
                self.modes.discard(f"?{number}")
            if number == "25":
                self.modes.discard("hidden")
                self.modes.update({"hidden"} if final == "l" else ())
            if number == "1049" and final == "h":
                self._pages[True] = self._empty()

    def _move(self, final, values):
        number = max(values[0], 1)
        self._wrap = False
        if final in "Hf":
            self._y = number - 1
            self._x = max(values[1], 1) - 1 if len(values) > 1 else 0
        elif final == "G":
            self._x = number - 1
        elif final == "d":
            self._y = number - 1
        elif final == "Z":
            self._x = max((self._x - 1) // 8 - number + 1, 0) * 8
        else:
            self._x += {"C": number, "D": -number}.get(final, 0)
            self._y += {"A": -number, "B": number}.get(final, 0)
        self._x = min(max(self._x, 0), self.columns - 1)
        self._y = min(max(self._y, 0), self.lines - 1)

    def _edit(self, final, values):
        line, number = self._page[self._y], max(values[0], 1)
        if final == "K":
            self._erase_in_line(values[0])
        elif final == "J":
            self._erase_lines(values[0])
        elif final == "X":
            line[self._x:self._x + number] = [BLANK] * len(line[self._x:self._x + number])
        elif final == "P":
            line[:] = (line[:self._x] + line[self._x + number:] + [BLANK] * number)[:self.columns]
        elif final == "@":
            line[:] = (line[:self._x] + [BLANK] * number + line[self._x:])[:self.columns]
        elif final == "b":
            for _ in range(number):
                self._put(self._last)
        elif final in "LM":
            self._scroll(number if final == "M" else -number, self._y)
        elif final in "ST":
            self._scroll(number if final == "S" else -number)
        else:
            raise Unknown(f"CSI {values} {final}")

    def _erase_in_line(self, which):
        line = self._page[self._y]
        begin = 0 if which else self._x
        end = self._x + 1 if which == 1 else self.columns
        line[begin:end] = [BLANK] * (end - begin)

    def _erase_lines(self, which):
        if which == 2:
            self._page[:] = self._empty()
            return
        self._erase_in_line(which)
        begin, end = (0, self._y) if which == 1 else (self._y + 1, self.lines)
        for y in range(begin, end):
            self._page[y][:] = [BLANK] * self.columns


def become(command, environment, directory, go):
    """Make a process group, wait for a byte in @go, and execute the program."""
    try:
        os.setpgid(0, 0)
        os.read(go, 1)
        if directory:
            os.chdir(directory)
        os.execve(command[0], command, environment)
    finally:
        os._exit(126)


def lead(command, environment, directory, go, report):
    """Session leader, like a shell: start the program, write its exit status to @report, and wait.

    While the leader exists, the terminal also exists, so that a test can examine its modes.
    """
    child = os.fork()
    if not child:
        become(command, environment, directory, go)
    os.setpgid(child, child)
    signal.signal(signal.SIGTTOU, signal.SIG_IGN)
    os.tcsetpgrp(0, child)
    os.write(report, b"%d\n" % child)
    _, status, usage = os.wait4(child, 0)
    os.tcsetpgrp(0, os.getpgrp())
    os.write(report, b"%d %f\n" % (os.waitstatus_to_exitcode(status),
                                   usage.ru_utime + usage.ru_stime))
    while os.read(go, 1):
        pass


class Terminal:
    """A program on a new pseudo-terminal, started as by a shell."""

    def __init__(self, command, lines=24, columns=80, environment=None, directory=None):
        self.screen = Screen(lines, columns)
        self.status = self.seconds = None
        go, self._go = os.pipe()
        self._report, report = os.pipe()
        self._master, self._slave = os.openpty()
        self._set_size(lines, columns)
        self.modes_before = self.modes()
        self._leader = os.fork()
        if not self._leader:
            self._child(command, environment, directory, go, report)
        os.close(go)
        os.close(report)
        self.pid = int(self._line())
        os.write(self._go, b"\n")

    def _child(self, command, environment, directory, go, report):
        try:
            for descriptor in (self._go, self._report, self._master):
                os.close(descriptor)
            os.login_tty(self._slave)
            lead(command, environment, directory, go, report)
        finally:
            os._exit(0)

    def _line(self):
        """Return the next line that the leader has reported."""
        line = b""
        while not line.endswith(b"\n"):
            byte = os.read(self._report, 1)
            if not byte:
                raise AssertionError("the session's leader died")
            line += byte
        return line

    def _set_size(self, lines, columns):
        fcntl.ioctl(self._master, termios.TIOCSWINSZ, struct.pack("4H", lines, columns, 0, 0))

    def modes(self):
        return termios.tcgetattr(self._slave)

    def resize(self, lines, columns):
        self.screen.resize(lines, columns)
        self._set_size(lines, columns)

    def keys(self, text):
        os.write(self._master, text.encode())

    def kill(self, number):
        os.kill(self.pid, number)

    def pump(self, seconds=0.05):
        """Take what the program writes; false if nothing came."""
        if not select.select([self._master], [], [], seconds)[0]:
            return False
        self.screen.feed(os.read(self._master, 65536))
        return True

    def wait(self, condition, why, timeout=120):
        """Until the condition holds for the lines of the screen; returns what it says."""
        end = time.monotonic() + timeout
        while time.monotonic() < end:
            over = self.ended()
            # a screen that is being written is not what its user sees
            for _ in range(PIECES):
                if not self.pump(0 if over else QUIET):
                    break
            found = condition(self.screen.text())
            if found:
                return found
            if over:
                break
        raise AssertionError(f"{why}: never seen; status {self.status}\n" +
                             "\n".join(self.screen.text()))

    def ended(self):
        if self.status is None and select.select([self._report], [], [], 0)[0]:
            status, seconds = self._line().split()
            self.status, self.seconds = int(status), float(seconds)
        return self.status is not None

    def end(self, timeout=120):
        """Wait for its end; the exit status, negative for a signal."""
        self.wait(lambda _: self.ended(), "its end", timeout)
        while self.pump(QUIET):
            pass
        return self.status

    def stopped(self):
        """Has it been stopped (SIGTSTP)?"""
        with open(f"/proc/{self.pid}/stat", encoding="ascii") as stat:
            return stat.read().rpartition(")")[2].split()[0] == "T"

    def hang_up(self):
        """Close the terminal, as if its window were closed."""
        os.close(self._slave)
        os.close(self._master)
        self._slave = self._master = None
        # SIGHUP also ends the leader, which then reports nothing
        self.status = "hung up"

    def close(self):
        if not self.ended():
            os.kill(self.pid, signal.SIGKILL)
            # stopped ones, too, die of it; what they write is nobody's
            while not self.ended():
                self.pump(0.01)
        for descriptor in (self._go, self._report, self._slave, self._master):
            if descriptor is not None:
                os.close(descriptor)
        os.waitpid(self._leader, 0)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
