# SPDX-License-Identifier: LGPL-2.1-or-later
"""Print the results of pytest as TAP, like the other tests of tests/tools."""

import sys


def pytest_addoption(parser):
    """Define --verbose, which assertions read and the disabled terminal plugin would define."""
    parser.addoption("--verbose", dest="verbose", default=0)


def say(ok, report, more=""):
    print(f"{'ok' if ok else 'not ok'} - {report.nodeid.split('::')[-1]}{more}")
    if not ok:
        print("".join(f"# {line}\n" for line in report.longreprtext.splitlines()), end="")
    sys.stdout.flush()


def pytest_runtest_logreport(report):
    if report.skipped:
        say(True, report, " # SKIP " + str(report.longrepr[-1]))
    elif report.when == "call" or report.failed:
        say(report.passed, report)


def pytest_collectreport(report):
    if report.failed:
        say(False, report)
