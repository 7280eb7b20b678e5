# SPDX-License-Identifier: GPL-2.0-only
"""Direct access to the registers of the machine, without a driver (guest/programs/poke.c).

    @test("e2-2s", **bare)
    def register_keeps_a_legal_value(m):
        assert poke(m, ("w", 0, 0xc00, 1), ("r", 0, 0xc00)) == [1]
"""

# Options of @test: no module (programs may reach MSRs and memory in every guest)
bare = {"loaded": False, "module": False}


def poke(m, *commands):
    """Run the commands in one program; return the values that it read, None for a fault."""
    if not m.run("test -e /dev/cpu/0/msr", check=False).status == 0:
        m.sh("modprobe msr")
    words = [f"{word:#x}" if isinstance(word, int) else word
             for command in commands for word in command]
    out = m.sh("poke " + " ".join(words))
    return [None if line == "fault" else int(line, 0) for line in out.split()]


def peek(m, *command):
    """Return the value that one command reads."""
    return poke(m, command)[0]


def preload(events, *, width=48):
    """Return the start value of a counter that overflows after a number of events."""
    return (1 << width) - events


def wait_frozen(m, socket=0):
    m.wait_until(lambda: m.oracle("state")["sockets"][socket]["frozen"], what="freeze")


def rules(m):
    """Return the rules that strict mode found violated, in order of time, and clear the list."""
    found = [violation["rule"] for violation in m.oracle("violations")["list"]]
    m.inject("reset")
    return found
