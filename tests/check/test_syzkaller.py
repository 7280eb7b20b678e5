# SPDX-License-Identifier: GPL-2.0-only
"""`make check`: the syzkaller description agrees with the header of the interface."""

import re

from check.test_check import fail_on
from lab.artifacts import TOP
from lab.framework import test

DESCRIPTION, HEADER = TOP / "tests/fuzz/dev_ucore.txt", TOP / "uapi/ucore.h"
COMMAND = re.compile(r"^ioctl\$(\w+)\(fd \w+, cmd const\[(\w+)\], arg ptr\[\w+, (\w+)\]\)$", re.M)
STRUCT = re.compile(r"^(ucore_\w+) \{\n(.*?)^\}$", re.M | re.S)
CONSTANT = re.compile(r"\bUCORE_\w+")
IN_C = re.compile(r"^struct (ucore_\w+) \{\n(.*?)^\};", re.M | re.S)
MEMBER = re.compile(r"^\t([\w ]+?) (\w+)(?:\[(\w*)\])?;", re.M)
BYTES = {"__u32": 4, "__s32": 4, "__u64": 8, "__aligned_u64": 8, "char": 1}
RESOURCES = {"fd_ucore_session": 4, "ucore_event_id": 4, "ucore_session_id": 8}


def width(kind):
    """Bytes of a field, or of one element if it is an array."""
    if kind.startswith("ptr64["):
        return 8
    found = re.search(r"\bint(8|32|64)\b", kind)
    return int(found[1]) // 8 if found else RESOURCES.get(kind.split()[0])


def described(text):
    """Struct -> (name, bytes, how many) of its fields, in order."""
    for name, body in STRUCT.findall(text):
        fields = [line.strip().split("\t", 1) for line in body.splitlines()]
        arrays = [re.match(r"array\[\w+, (\w+)\]", kind) for _, kind in fields]
        yield name, [(field, width(kind), array[1] if array else "")
                     for (field, kind), array in zip(fields, arrays)]


def mistakes(text, header):
    """Return texts for parts of the description that the header lacks."""
    structs = {name: [(field, BYTES.get(kind), count)
                      for kind, field, count in MEMBER.findall(body)]
               for name, body in IN_C.findall(header)}
    for name, fields in described(text):
        if fields != structs.get(name):
            yield f"struct {name}: {fields}, in the header {structs.get(name)}"
    for call, constant, struct in COMMAND.findall(text):
        if call != constant or struct not in structs:
            yield f"ioctl${call} with {constant} and {struct}"
    for constant in sorted(set(CONSTANT.findall(text))):
        if not re.search(rf"^#define {constant}\b", header, re.M):
            yield f"the header has no {constant}"


@test(machine=False)
def syzkaller_description_matches_the_header():
    text, header = DESCRIPTION.read_text(), HEADER.read_text()
    assert len(COMMAND.findall(text)) > 20 and len(list(described(text))) > 20
    fail_on(*mistakes(text, header))


@test(machine=False)
def wrong_syzkaller_description_is_detected():
    text, header = DESCRIPTION.read_text(), HEADER.read_text()
    for old, new in (("\ttimer_ns\t", "\ttimer\t"), ("const[UCORE_READ]", "const[UCORE_WRITE]"),
                     ("\tcounters\tint64", "\tcounters\tint32"),
                     ("UCORE_RING_MAX", "UCORE_RING_TOP"), ("int64, 3]", "int64, 4]")):
        assert text.count(old) >= 1 and list(mistakes(text.replace(old, new), header)), old
