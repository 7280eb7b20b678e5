# SPDX-License-Identifier: GPL-2.0-only
"""`make check`: fresh-test reports the results of earlier runs as such (clean_install/kept.py)."""

import contextlib
import os
import tempfile

from clean_install.kept import kept
from lab.framework import Result, test


@contextlib.contextmanager
def environment(**values):
    """Context manager: set environment variables; None removes a variable."""
    before = {name: os.environ.get(name) for name in values}
    change(values)
    try:
        yield
    finally:
        change(before)


def change(values):
    for name, value in values.items():
        os.environ.pop(name, None)
        if value is not None:
            os.environ[name] = value


def runs(results):
    """Return what a kept test returns in two runs, and how often its function has run."""
    called = []

    @kept
    def stage():
        called.append(True)
        return results
    with tempfile.TemporaryDirectory() as cache, environment(UCORE_CACHE=cache, UCORE_FRESH=None):
        return stage(), stage(), len(called)


@test(machine=False)
def results_of_an_earlier_run_are_not_passed():
    passed = [Result("a", "passed"), Result("b", "passed")]
    for results, names in ((passed, ["a", "b"]), (None, [""])):
        first, second, called = runs(results)
        assert first == results and called == 1, (first, called)
        assert [(result.name, result.verdict) for result in second] == \
            [(name, "kept") for name in names], second
        assert all(result.text.startswith("passed on ") for result in second), second


@test(machine=False)
def test_that_failed_runs_again():
    failed = [Result("a", "passed"), Result("b", "failed")]
    assert runs(failed) == (failed, failed, 2)
