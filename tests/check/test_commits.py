# SPDX-License-Identifier: GPL-2.0-only
"""`make check`: commit messages have the form that CONTRIBUTING.md describes.

A subject is `area: verb object` and has at most 72 columns. A commit that changes more than 100
lines has a body. Merges are excepted, and so are all commits up to BASE.
"""

import re
import subprocess
import tempfile
from pathlib import Path

from check.test_check import fail_on
from lab.artifacts import TOP
from lab.framework import test

BASE = "ea0a1d487f2fd414f2f8ebf3b7d1662b4022a5a9"
COLUMNS = 72
LINES = 100             # changed lines, from which a commit needs a body
# One or several areas, then a verb in lower case and an object
SUBJECT = re.compile(r"^[\w./+-]+(?:, [\w./+-]+)*: [a-z][\w-]*,? \S")
# Verb forms other than the imperative, which show a description of the state
NO_VERB = re.compile(r": (?:the|a|an|it|its|no|some|all|what|who|is|are|was|\w{3,}(?<!e)ed) ")
GENERATED_SUBJECT = re.compile(r'^(?:Revert "|fixup! |squash! )')


def git(*words, cwd=TOP):
    """Return the output of git, or None if git fails or does not exist."""
    try:
        done = subprocess.run(["git", *words], cwd=cwd, capture_output=True, text=True,
                              errors="replace", check=False)
    except OSError:
        return None
    return done.stdout if done.returncode == 0 else None


def why_not(base, cwd=TOP):
    """Return the reason why the history cannot be checked; "" if it can be checked."""
    if git("rev-parse", "--verify", "HEAD", cwd=cwd) is None:
        return "there is no git history here"
    if git("cat-file", "-e", f"{base}^{{commit}}", cwd=cwd) is None:
        return f"the history does not contain the base {base[:12]} (a shallow clone?)"
    if git("merge-base", "--is-ancestor", base, "HEAD", cwd=cwd) is None:
        return f"HEAD does not descend from the base {base[:12]}"
    return ""


def commits_since(base, cwd=TOP):
    """Yield (hash, subject, body, changed lines) of each commit after @base, without merges."""
    log = git("log", "--no-merges", "--format=%x01%h%x02%s%x02%b%x02", "--numstat",
              f"{base}..HEAD", cwd=cwd)
    for record in (log or "").split("\x01")[1:]:
        name, subject, body, stat = record.split("\x02")
        changed = sum(int(number) for line in stat.splitlines()
                      for number in line.split("\t")[:2] if number.isdigit())
        yield name, subject, body.strip(), changed


def complaints_about(name, subject, body, changed):
    """Yield a line for each rule that a commit breaks."""
    if len(subject) > COLUMNS:
        yield f"{name}: subject of {len(subject)} columns, at most {COLUMNS}: {subject}"
    if not GENERATED_SUBJECT.match(subject):
        if not SUBJECT.match(subject) or NO_VERB.search(subject):
            yield f"{name}: subject is not `area: verb object`: {subject}"
    if changed > LINES and not body:
        yield f"{name}: no body, although {changed} lines are changed: {subject}"


@test(machine=False)
def commit_messages():
    if reason := why_not(BASE):
        print(f"commit messages are not checked: {reason}")
        return
    fail_on(*(complaint for commit in commits_since(BASE)
              for complaint in complaints_about(*commit)))


@test(machine=False)
def commit_rules():
    good = ("box: read counters in one run", "driver, doc: rename the watchdog",
            "tests/lab: wait for the guest", 'Revert "box: read counters"')
    bad = ("Read counters", "box: the guard waits", "box: renamed files",
           "box: it reads", "box: " + "read " * 20)
    for subject in good:
        assert not list(complaints_about("h", subject, "", LINES)), subject
    for subject in bad:
        assert list(complaints_about("h", subject, "", 1)), subject
    assert list(complaints_about("h", good[0], "", LINES + 1))
    assert not list(complaints_about("h", good[0], "Because.", LINES + 1))


@test(machine=False)
def commit_history_may_be_missing():
    """A tree without history, or without the base, has a reason and no error."""
    with tempfile.TemporaryDirectory() as folder:
        assert "no git history" in why_not(BASE, Path(folder))
        git("init", "-q", cwd=folder)
        git("-c", "user.name=n", "-c", "user.email=e", "commit", "-q", "--allow-empty",
            "-m", "box: add a file", cwd=folder)
        assert "does not contain the base" in why_not(BASE, Path(folder))
