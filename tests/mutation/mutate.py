# SPDX-License-Identifier: GPL-2.0-only
"""Creates the mutants of a C file: changed constants and comparisons, removed calls.

The input and the output are text; nothing is compiled or run here.
"""

import dataclasses
import random
import re

SWAPPED = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==",
           "&&": "||", "||": "&&"}
# comments, strings, characters, directives and the names of macros are replaced by spaces, so that
# positions are kept
SILENT = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|'
                    r'^[ \t]*#[ \t]*define[ \t]+\w+(?:\([^)\n]*\))?|'
                    r'^[ \t]*#(?:[^\n]*\\\n)*[^\n]*', re.S | re.M)
COMPARISON = re.compile(r"(?<= )(?:<=|>=|==|!=|&&|\|\||<|>)(?=[ \n])")
CONSTANT = re.compile(r"(?<![\w.])(?:0x[0-9a-f]+|\d+)(?=(?:ULL|U)?\b)(?![\w.]*x)")
NEGATION = re.compile(r"(?<=[( ])!(?=[\w(])")
# a statement that is one call without a used result; a call without side effects is no mutant
CALL = re.compile(r"(?<=\t)(?!(?:return|goto|if|while|for|switch|lockdep_\w+|trace_\w+|pr_\w+|"
                  r"pci_info|WARN\w*|MODULE_\w+|module_\w+)\b)[a-z_]\w*\([^;{}]*\);(?=\n)")


@dataclasses.dataclass(frozen=True)
class Mutant:
    """One change of one file."""
    path: str
    line: int
    start: int
    end: int
    old: str
    new: str

    def applied(self, text):
        assert text[self.start:self.end] == self.old, self
        return text[:self.start] + self.new + text[self.end:]

    def __str__(self):
        old = re.sub(r"\s+", " ", self.old)
        return f"{self.path}:{self.line}: {old} -> {self.new}"


def silenced(text):
    return SILENT.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)


def constant_changed(word):
    """Increase a constant by one; exchange 0 and 1."""
    value = int(word, 0) if word.startswith("0x") or not word.startswith("0") else int(word, 8)
    value = {0: 1, 1: 0}.get(value, value + 1)
    return hex(value) if word.startswith("0x") else str(value)


KINDS = ((COMPARISON, SWAPPED.__getitem__), (CONSTANT, constant_changed),
         (NEGATION, lambda _: ""), (CALL, lambda _: ";"))


def of_text(path, text):
    """Return all mutants of a file, in order of their positions."""
    code = silenced(text)
    found = [Mutant(path, text.count("\n", 0, at.start()) + 1, at.start(), at.end(),
                    text[at.start():at.end()], change(at[0]))
             for pattern, change in KINDS for at in pattern.finditer(code)]
    return sorted(found, key=lambda mutant: (mutant.start, mutant.end))


def drawn(texts, seed):
    """Return all mutants of all files (path -> text), in a random order that depends on @seed."""
    mutants = [mutant for path in sorted(texts) for mutant in of_text(path, texts[path])]
    random.Random(seed).shuffle(mutants)
    return mutants
