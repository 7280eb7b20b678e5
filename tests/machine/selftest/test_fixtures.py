# SPDX-License-Identifier: GPL-2.0-only
"""Tests that go wrong on purpose: test_runner.py checks that the runner notices."""

import os
import time

from lab.framework import Result, skip, test

PLAIN = {"module": False, "loaded": False}


@test(**PLAIN)
def passes(m):
    m.run("true")


@test(**PLAIN)
def warns(m):
    m.write("/dev/kmsg", "WARNING: CPU: 0 PID: 1 at nowhere")


@test(**PLAIN)
def warns_as_expected(m):
    m.allow("at nowhere")
    m.write("/dev/kmsg", "WARNING: CPU: 0 PID: 1 at nowhere")


@test(**PLAIN)
def command_fails(m):
    m.run("echo complaint >&2; false")


@test(timeout=2, **PLAIN)
def hangs(m):
    m.run("sleep 1000", timeout=1000)


@test(**PLAIN)
def guest_panics(m):
    m.spawn("echo c > /proc/sysrq-trigger")
    m.wait_until(lambda: False, timeout=40)


@test(machine=False)
def skips():
    skip("nothing to do")


@test(machine=False)
def worker_dies():
    os._exit(7)


@test(machine=False, timeout=1)
def hangs_without_machine():
    time.sleep(1000)


@test(machine=False)
def returns_no_results():
    return []


@test(machine=False)
def passed_in_an_earlier_run():
    return [Result("stage", "kept", "passed on 1 May")]
