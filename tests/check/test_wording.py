# SPDX-License-Identifier: GPL-2.0-only
"""`make check`: comments and pages follow the rules of Documentation/design/words.md.

The check counts texts with a sign of unclear wording. A text is a paragraph of a comment, a line
of a member or parameter, or a paragraph or list item of a page or man page. A sign is a hint, and
some signs are harmless. Therefore a group of texts may have a small share of them.
"""

import re

from check.test_check import fail_on, tracked
from lab.artifacts import TOP
from lab.framework import test

LIMIT = 3               # percent of the texts of a group that may have a sign
LONG_LIMIT = 20         # percent of the texts of the pages that may have a long sentence
LONG = 25               # words of a sentence
SHORT = 4               # words of a text that is too short to be judged
SHOWN = 40              # places printed for each group

# The pronouns and particles at the begin of a text that rule 1 excludes
STARTS = ("it its they their them those these that which who whose whoever what of one some none "
          "nobody both such").split()
# Verbs of speech, thought and possession (rule 7), and words in unusual meanings (rule 8)
PERSONS = (r"nobody|somebody|anybody|everybody|whoever|believe[sd]?|knows nothing|"
           r"(?:is|are|was|were|be) (?:told|asked|let|had)|tells? (?:of|that|how|by)|"
           r"asks? (?:for|them|it|whether)")
UNUSUAL = (r"anew|but for|beside|thaw(?:s|ed)?|hence|thereof|meanwhile|so long|at last|"
           r"of (?:its|their) own|as ever|in vain|lest")
NO_HEAD = (r"(?:what|those who|those that|that which) (?:is|are|was|were|has|have|had|may|can|"
           r"must|counts?|overflows?|comes?|goes?)")

SIGNS = {
    "starts with a pronoun (rule 1)": re.compile(rf"^(?:{'|'.join(STARTS)})\b", re.I),
    "question (rule 3)": re.compile(r"\w\?(?:\s|$)"),
    "chained clauses (rule 4)": re.compile(r"^[^.!?]*;[^.!?]*;|;[^.!?]*:\s|:\s[^.!?]*:\s"),
    "register or code as a person (rule 7)": re.compile(rf"\b(?:{PERSONS})\b", re.I),
    "unusual word (rule 8)": re.compile(rf"\b(?:{UNUSUAL})\b", re.I),
    "clause without a noun (rule 8)": re.compile(rf"\b{NO_HEAD}\b", re.I),
}
TOO_LONG = f"sentence of more than {LONG} words (rule 4)"

COMMENT = re.compile(r'"(?:\\.|[^"\\\n])*"|/\*(.*?)\*/|//([^\n]*)', re.S)
# Name and separator before the description in kernel-doc
LABEL = re.compile(r"^(?:@[\w.]+:|(?:struct |enum |union )?\w+(?:\(\))? - |Return:)\s*")
# Paragraphs of a page that are no prose: tables, headings, HTML, images, indented code
NO_PROSE = re.compile(r"^(?:\||#|<|!\[|\t| {4})")
GENERATED = re.compile(r"^Documentation/event-names\.md$|/build/")
# Lines of a man page that are no prose: title, comments, headings, tables
MAN_NO_PROSE = re.compile(r"^(?:[;#|:]|\S+\(\d\)$)")
MAN_NO_PROSE_SECTIONS = ("NAME", "SYNOPSIS", "SEE ALSO")
# Markup of scdoc: *bold*, _underlined_ and a line break (++), unless escaped by a backslash
MAN_MARKUP = re.compile(r"(?<!\\)\*|(?<![\w\\])_|(?<!\\)_(?![A-Za-z0-9])|\+\+$")


# ---- texts ----


def joined(lines):
    return " ".join(" ".join(lines).split())


def texts_of_comment(body):
    """Yield (line in the comment, text) for each paragraph and kernel-doc line of a comment."""
    begin, lines = 0, []
    for number, raw in enumerate([*body.split("\n"), ""]):
        line = re.sub(r"^\s*\*? ?", "", raw)
        if not line.strip() or LABEL.match(line):
            if lines:
                yield begin, joined(lines)
            begin, lines = number, []
        elif not lines:
            begin = number
        if line.strip():
            lines.append(LABEL.sub("", line))


def texts_of_source(source):
    """Yield (line, text) for all comments of a C source."""
    for match in COMMENT.finditer(source):
        body = match.group(1) or match.group(2)
        if body is None or "SPDX-License-Identifier" in body:
            continue
        first = source.count("\n", 0, match.start()) + 1
        for line, text in texts_of_comment(body.lstrip("*")):
            yield first + line, text.strip("- ")


def without_code(page):
    """Blank code blocks and comments, and keep the number of lines."""
    return re.sub(r"```.*?```|<!--.*?-->", lambda match: "\n" * match.group().count("\n"), page,
                  flags=re.S)


def texts_of_page(page):
    """Yield (line, text) for the paragraphs and list items of a page."""
    begin, lines = 0, []
    for number, line in enumerate([*without_code(page).split("\n"), ""], 1):
        item = re.match(r"\s*(?:[*-]|\d+\.) ", line)
        prose = line.strip() and not NO_PROSE.match(line)
        if lines and (not line.strip() or item or not prose):
            yield begin, joined(lines)
            lines = []
        if prose or item:
            begin = begin if lines else number
            lines.append(re.sub(r"^\s*(?:[*-]|\d+\.) ", "", line))


def without_markup(line):
    return re.sub(r"\\(.)", r"\1", MAN_MARKUP.sub("", line))


def prose_of_man(page):
    """Blank the lines of a man page that are no prose, and remove the markup of the others.

    An unindented line directly above an indented one is an option. The indented paragraphs below
    an option describe it, and other indented paragraphs are examples.
    """
    lines = without_code(page).split("\n")
    prose, section, described = [], "", False
    for line, following in zip(lines, [*lines[1:], ""]):
        indented = line.startswith("\t")
        option = line and not indented and following.startswith("\t")
        if line and not indented:
            described = option
        if line.startswith("# "):
            section = line[2:]
        skipped = (option or indented and not described or MAN_NO_PROSE.match(line)
                   or section in MAN_NO_PROSE_SECTIONS)
        prose.append("" if skipped else without_markup(line.lstrip("\t")))
    return "\n".join(prose)


def texts_of_man(page):
    """Yield (line, text) for the paragraphs, list items and option texts of a man page."""
    return texts_of_page(prose_of_man(page))


# ---- signs ----


def sentences(text):
    return re.split(r"(?<=[.!?:])[*)]*\s+", text)


def is_long(text):
    return any(len(sentence.split()) > LONG for sentence in sentences(text))


def signs_of(text):
    """Return the names of the signs of unclear wording, without long sentences."""
    return [name for name, sign in SIGNS.items() if sign.search(text)]


def judged(files, texts):
    """Yield (place, names of the signs, whether a sentence is too long) for each text."""
    for name in files:
        for line, text in texts((TOP / name).read_text(errors="replace")):
            if len(text.split()) >= SHORT:
                yield f"{name}:{line}: {text[:90]}", signs_of(text), is_long(text)


def complaint(group, total, places, limit):
    """Return a complaint if more than @limit percent of the texts have a sign, otherwise ""."""
    share = 100 * len(places) / total
    print(f"{group}: {len(places)} of {total} texts have a sign, {share:.1f} % of at most {limit} %")
    if share <= limit:
        return ""
    more = [f"and {len(places) - SHOWN} more"] if len(places) > SHOWN else []
    return "\n".join([f"{group}: {share:.1f} % of the texts have a sign, above {limit} %",
                      *places[:SHOWN], *more])


def check_group(group, files, texts_of):
    """Fail if too many texts have a sign; a long sentence is one."""
    texts = list(judged(files, texts_of))
    assert texts
    places = [f"{place} [{', '.join([*signs, *([TOO_LONG] if long else [])])}]"
              for place, signs, long in texts if signs or long]
    fail_on(complaint(group, len(texts), places, LIMIT))


def check_comments(folder):
    check_group(folder, tracked(folder), texts_of_source)


@test(machine=False)
def comments_of_the_driver():
    check_comments("driver")


@test(machine=False)
def comments_of_the_uapi():
    check_comments("uapi")


@test(machine=False)
def comments_of_the_tools():
    check_comments("tools")


@test(machine=False)
def comments_of_kunit_suites():
    check_comments("tests/kunit")


@test(machine=False)
def man_pages():
    check_group("man pages", tracked("Documentation/man", pattern=r"\.(?:scd|inc)$"), texts_of_man)


@test(machine=False)
def pages():
    files = [name for name in tracked("Documentation", "README.md", pattern=r"\.md$")
             if not GENERATED.search(name)]
    texts = list(judged(files, texts_of_page))
    assert texts
    signs = [f"{place} [{', '.join(names)}]" for place, names, _ in texts if names]
    long = [f"{place} [{TOO_LONG}]" for place, _, is_too_long in texts if is_too_long]
    fail_on(complaint("pages, wording", len(texts), signs, LIMIT),
            complaint("pages, long sentences", len(texts), long, LONG_LIMIT))


# ---- the check itself ----


@test(machine=False)
def signs_are_found():
    for text in ("Its value is read.", "Is the counter armed?", "The box is told to stop.",
                 "Frozen at last, it reads.", "Return what is left.", "First; second; third."):
        assert signs_of(text), text
    for text in ("Return true if the counter is armed.", "The value is one of UCORE_GAP_*.",
                 "Read the counter; return 0 on success."):
        assert not signs_of(text), (text, signs_of(text))
    assert is_long("word " * (LONG + 1)) and not is_long("word " * LONG)


@test(machine=False)
def texts_are_separated():
    source = ('/* SPDX-License-Identifier: X */\n/**\n * f() - read a counter\n * @a: first\n'
              ' *     value\n *\n * A paragraph\n * of two lines.\n */\nchar *s = "/* no */";\n')
    assert list(texts_of_source(source)) == [
        (3, "read a counter"), (4, "first value"), (7, "A paragraph of two lines.")], \
        list(texts_of_source(source))
    page = "# Head\n\nOne\ntwo.\n\n* a\n  b\n* c\n\n```\ncode\n```\n\n| x |\n\n1. d\n"
    assert list(texts_of_page(page)) == [(3, "One two."), (6, "a b"), (8, "c"), (16, "d")], \
        list(texts_of_page(page))


@test(machine=False)
def texts_of_man_pages_are_separated():
    page = ("tool(1)\n\n; comment\n\n# NAME\n\ntool - do it\n\n# OPTIONS\n\nOne *two*\n_three_.\n\n"
            "*-o*, *--output* _FILE_\n\tWrite CAS\\_COUNT and CAS_COUNT\n\tto _FILE_*.*\n\n"
            "\t- first\n\t  item\n\t- second\\*\n\n\tA second paragraph.\n\n|[ *a*\n:  b\n\n"
            "Run:\n\n\ttool -o file\n\n```\ncode\n```\n\n- last\n\n# SEE ALSO\n\n*perf*(1)\n")
    texts = list(texts_of_man(page))
    assert texts == [
        (11, "One two three."), (15, "Write CAS_COUNT and CAS_COUNT to FILE."), (18, "first item"),
        (20, "second*"), (22, "A second paragraph."), (27, "Run:"), (35, "last")], texts
