# SPDX-License-Identifier: GPL-2.0-only
"""Ends of IIO stacks and UPI links: ucoretool, compared with Linux's own driver and the model.

The in-tree driver shows stacks in sysfs from 6.1 on, links later. It may show an unknown stack
on bus 00, which only the stack with the DMI can have.
"""

import json
import re

from lab.framework import BOTH, test

DEVICES = "/sys/bus/event_source/devices"
LINE = re.compile(r".*/uncore_(iio|upi)_(\d+)/die(\d+):(.*)")
LINK = re.compile(r"upi_(\d+),die_(\d+)")
KNOWS_LINKS = "6.12"

# (socket, box) -> expected peer; the peers of other boxes do not exist or are undocumented
LINKS = {(socket, f"upi{link}"): f"die {1 - socket} link {1 - link}"
         for socket in (0, 1) for link in (0, 1)}
SKX = {(socket, f"iio{stack}"): f"0000:{bus + 0x80 * socket:02x}" for socket in (0, 1)
       for stack, bus in enumerate((0x00, 0x04, 0x08, 0x7f, 0x10))} | LINKS
ICX = {(socket, f"iio{stack}"): f"0000:{bus + 0x80 * socket:02x}" for socket in (0, 1)
       for stack, bus in ((5, 0x00), (2, 0x7e))} | LINKS
SNR = {(0, "iio1"): "0000:00", (0, "iio0"): "0000:ff"}


def said_by_linux(m, dmi):
    """Return the ends that intel_uncore reports; dmi: the box that can have bus 00."""
    found = {}
    out = m.run(f"grep -H . {DEVICES}/uncore_iio_[0-9]/die* {DEVICES}/uncore_upi_[0-9]/die*",
                check=False).out
    for kind, instance, die, text in filter(None, (LINE.match(line) and LINE.match(line).groups()
                                                   for line in out.splitlines())):
        link = LINK.fullmatch(text)
        box = kind + instance
        if link:
            text = f"die {link[2]} link {link[1]}"
        if text != "0000:00" or box == dmi:
            found[int(die), box] = text
    return found


def listed(m):
    return [json.loads(line) for line in m.sh("ucoretool list --topology -j").splitlines()]


def said_by_us(rows):
    return {(row["die"], row["box"]): row["leads_to"] for row in rows if "leads_to" in row}


def compare(m, wanted, dmi):
    """Compare ucoretool and Linux with the model."""
    m.sh("modprobe intel_uncore")
    theirs = said_by_linux(m, dmi)
    m.sh("rmmod intel_uncore")
    m.insmod()
    rows = listed(m)
    ours = said_by_us(rows)
    trained = {at: text for at, text in ours.items() if text != "not trained"}
    assert trained == wanted, ours
    stacks_only = not m.sh("uname -r").startswith(KNOWS_LINKS)
    assert theirs == {at: text for at, text in wanted.items()
                      if not (stacks_only and at[1].startswith("upi"))}, theirs
    return rows


ends = {"kernels": BOTH, "loaded": False, "strict": False, "timeout": 120}


@test("skx-2s", **ends)
def skylake_stacks_and_links_match_linux(m):
    rows = compare(m, SKX, "iio0")
    assert said_by_us(rows)[0, "upi2"] == "not trained"
    # the SATA controller of the PC is on the bus of the first stack
    assert [row["device"] for row in rows if row.get("address") == "0000:00:1f.2"] == \
        ["0106: 8086:2922"], rows
    # rows with the names of the connected devices
    out = m.sh("ucoretool stat --per-device -j -e iio/CLOCKTICKS/ -- sleep 0.1")
    counted = [json.loads(line) for line in out.splitlines()]
    named = [row for row in counted if "0000:00:1f.2 0106: 8086:2922" in row.get("device", "")]
    assert [(row["die"], row["box"]) for row in named] == [(0, "iio0")] and named[0]["count"], out


@test("icx-2s", **ends)
def ice_lake_stacks_and_links_match_linux(m):
    compare(m, ICX, "iio5")


@test("snr-1s", **ends)
def snow_ridge_stacks_match_linux(m):
    compare(m, SNR, "iio1")


@test("spr-2s", **ends)
def sapphire_rapids_links_match_linux(m):
    rows = compare(m, LINKS, None)
    assert {row["box"] for row in rows if "leads_to" not in row} == {"iio0", "iio1"}, rows


# Cooper Lake: stacks have peers; the registers of links are undocumented
@test("cpx-1s")
def cooper_lake_links_match_their_numbers(m):
    rows = listed(m)
    assert said_by_us(rows) == {(0, "iio0"): "0000:00"}, rows
    assert {row["box"] for row in rows} == {"iio0", *(f"upi{link}" for link in range(6))}, rows


# intel_uncore reports no peers on Ice Lake-D, so that only ucoretool is compared
@test("icxd-1s", kernels=("6.12",))
def ice_lake_d_stacks_match_their_numbers(m):
    rows = listed(m)
    assert not said_by_us(rows)
    assert {row["box"] for row in rows} >= {"iio0", "iio5"}, rows


# peers of stacks and of links are undocumented on Granite Rapids
@test("gnr-2s")
def granite_rapids_stacks_and_links_match_their_numbers(m):
    rows = listed(m)
    assert not said_by_us(rows)
    assert {(row["die"], row["box"]) for row in rows} == \
        {(die, box) for die in (0, 1) for box in ("iio0", "iio1", "upi0", "upi1")}, rows


@test("skx-1s")
def single_socket_links_are_untrained(m):
    assert said_by_us(listed(m)) == {(0, "iio0"): "0000:00", (0, "iio1"): "0000:04",
                                     (0, "upi0"): "not trained"}
