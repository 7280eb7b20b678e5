# SPDX-License-Identifier: GPL-2.0-only
"""A machine without uncore monitors: the module loads, and the tool explains."""

from lab.framework import test


@test()
def module_loads_and_node_exists(m):
    m.run("test -c /dev/ucore")


@test()
def list_reports_why_no_boxes_exist(m):
    result = m.run("ucoretool list", check=False)
    assert result.status == 1, result.status
    assert len(result.err.splitlines()) == 1, result.err
    assert "not an Intel" in result.err, result.err


@test()
def info_works_without_boxes(m):
    info = m.sh("ucoretool info")
    assert "not an Intel" in info, info


@test()
def module_loads_and_unloads_repeatedly(m):
    for _ in range(10):
        m.rmmod()
        m.insmod()
